"""The numbers of a question are conditions: what holds at 1 % is no answer for 50 %.

A sentence meets a condition if it states the same figure of the same thing, or a bound that the figure lies
within ("above 30.7 %" is said of 50 %). It speaks otherwise if it gives the same thing another figure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from search.answering.canonical import normalised
from search.answering.quantities import Bound, Quantity, quantities
from search.answering.spelt import spelt
from search.answering.wording import FUNCTION_WORDS, Word, words

#: Content words of the same clause, before and after a figure, that say of what it is.
BEFORE, AFTER = 3, 2

_CLAUSE_END = re.compile(r"[;:!?()—]|[,.](?!\d)")
#: "20, 24 and 28 bits": the noun belongs to every figure of the list.
_LIST_GOES_ON = re.compile(
    r"(?:\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or|to)\s+|\s*-\s*)[\d.,^{}+-]*\d\}?(?:\s?%)?"
)
_CITES = re.compile(r"[(\[][^()\[\]]*\b(?:19|20)\d\d[a-z]?\b[^()\[\]]*[)\]]|\b[(](?:19|20)\d\d[a-z]?[)]")
_BRACES = re.compile(r"([\^_])\{([^{}]*)\}")
_PERCENT = re.compile(r"(?<=\d)%")
#: Between a bound and its figure a noun may stand: "above a prevalence of 30.7 %".
_BOUND_OF = re.compile(
    r"\b(?:(?P<over>above|over|beyond|exceeding|more than|at least)|(?P<under>below|under|less than|at most|"
    r"up to))\s+(?:an?\s+|the\s+)?(?:[^\W\d]+\s+){1,2}of\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with the words that say of what it is."""

    quantity: Quantity
    bound: Bound
    #: Stems of the words around it in its clause.
    around: frozenset[str]
    #: Stem of the noun that it counts ("ten *bits*") or measures ("a *prevalence* of 1 %"), else empty.
    thing: str
    #: The figure and the noun that follows it, as printed.
    phrase: str


def conditions(question: str) -> tuple[Figure, ...]:
    """Return the figures that a question asks about; "two-stage" is a word and none."""
    # "(Smith et al., 2005)" and "[3]" cite, and set no condition
    bare = _CITES.sub(" ", question)
    plain = normalised(bare)
    return tuple(f for f in figures(bare) if not _in_a_word(plain, f.quantity))


def meets(condition: Figure, text: str) -> bool:
    """Whether `text` states the condition's figure of the same thing, or a bound that it lies within."""
    return any(_same(condition, stated) for stated in figures(text))


def speaks_otherwise(condition: Figure, text: str) -> bool:
    """Whether `text` gives another figure to what the condition is a figure of."""
    return any(not _same(condition, stated) and _one_thing(condition, stated) for stated in figures(text))


@lru_cache(maxsize=8192)
def figures(text: str) -> tuple[Figure, ...]:
    """Return the figures of `text`, entries of its reference list left out."""
    plain = normalised(text)
    numerals = [(n.start, n.end) for n in spelt(plain)]
    content = [
        w
        for w in words(text)
        if w.printed.lower() not in FUNCTION_WORDS and not any(a <= w.start < b for a, b in numerals)
    ]
    ends = [m.start() for m in _CLAUSE_END.finditer(plain)]
    return tuple(_figure(q, plain, content, ends) for q in quantities(text, citation_marks=False))


def _figure(quantity: Quantity, plain: str, content: list[Word], ends: list[int]) -> Figure:
    start = quantity.start
    after = start + len(quantity.printed)
    while match := _LIST_GOES_ON.match(plain, after):
        after = match.end()
    opened = max((e for e in ends if e < start), default=-1)
    closed = min((e for e in ends if e >= after), default=len(plain))
    before = [w for w in content if opened < w.start < start][-BEFORE:]
    behind = [w for w in content if start <= w.start < closed and (w.start >= after or w.end <= after)][
        :AFTER
    ]
    thing = ""
    phrase = quantity.printed
    if behind and not plain[after : behind[0].start].strip(" -"):
        thing = behind[0].stem
        phrase = plain[start : behind[0].end]
    elif behind and behind[0].start < after:
        thing = behind[0].stem  # the unit itself, "20 bits"
    elif before and plain[before[-1].end : start].strip().lower() in ("of", "=", "is", "was", ""):
        thing = before[-1].stem
    bound = quantity.bound
    if match := _BOUND_OF.search(plain[max(0, start - 60) : start]):
        bound = "over" if match["over"] else "under"
    around = frozenset(w.stem for w in (*before, *behind))
    return Figure(quantity, bound, around, thing, _as_typed(phrase))


def _as_typed(phrase: str) -> str:
    return _BRACES.sub(r"\1\2", _PERCENT.sub(" %", phrase))


def _in_a_word(plain: str, quantity: Quantity) -> bool:
    """Whether a number in words is part of a compound ("two-stage")."""
    end = quantity.start + len(quantity.printed)
    return quantity.printed[0].isalpha() and plain[end : end + 1] == "-" and not quantity.unit


def _same(condition: Figure, stated: Figure) -> bool:
    asked, given = _in_unit(condition.quantity, stated.quantity)
    if not _one_unit(condition.quantity, stated.quantity):
        return False
    related = not condition.around or bool(condition.around & stated.around)
    if asked == given:
        return related or condition.quantity.unit == stated.quantity.unit != ""
    within = (stated.bound == "over" and asked > given) or (stated.bound == "under" and asked < given)
    return within and related


def _one_thing(condition: Figure, stated: Figure) -> bool:
    if not _one_unit(condition.quantity, stated.quantity):
        return False
    if condition.thing or stated.thing:
        return condition.thing == stated.thing
    return condition.quantity.unit == stated.quantity.unit != ""


def _one_unit(one: Quantity, other: Quantity) -> bool:
    """Whether two figures can be of one thing; only a percent sign and an ordinal are never left out."""
    if one.unit == other.unit:
        return True
    if "ordinal" in (one.unit, other.unit):
        return False
    if "%" in (one.unit, other.unit):
        bare = other if one.unit == "%" else one
        return not bare.unit and 0 < bare.value < 1
    return not one.unit or not other.unit


def _in_unit(one: Quantity, other: Quantity) -> tuple[Fraction, Fraction]:
    """Return both values, percent as shares of one."""
    return tuple(q.value / 100 if q.unit == "%" else q.value for q in (one, other))  # type: ignore[return-value]
