"""Numbers written as words: twenty-one, three hundred, the third, twofold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

_UNITS_TEXT = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen
"""
_TENS_TEXT = "twenty thirty forty fifty sixty seventy eighty ninety"
_ORDINALS_TEXT = "second third fourth fifth sixth seventh eighth ninth tenth"
_CARDINALS = {word: value for value, word in enumerate(_UNITS_TEXT.split())} | {
    word: 10 * tens for tens, word in enumerate(_TENS_TEXT.split(), start=2)
}
SCALES = {"hundred": 10**2, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_ORDINALS = {word: Fraction(value) for value, word in enumerate(_ORDINALS_TEXT.split(), start=2)}
_MULTIPLES = {
    **dict.fromkeys(("twice", "double", "doubles", "doubled", "twofold", "two-fold"), Fraction(2)),
    **dict.fromkeys(("triple", "tripled", "threefold", "three-fold"), Fraction(3)),
    **dict.fromkeys(("half", "halves", "halved"), Fraction(1, 2)),
    **dict.fromkeys(("tenfold", "ten-fold"), Fraction(10)),
}
_NUMERAL = "|".join((*_CARDINALS, *SCALES))
_CARDINAL = re.compile(rf"\b(?:{'|'.join(_CARDINALS)})(?:[\s-](?:{_NUMERAL}))*\b(?!-fold)", re.IGNORECASE)
_OTHER = re.compile(rf"(?<![\w-])(?:{'|'.join((*_ORDINALS, *_MULTIPLES))})(?![\w-])", re.IGNORECASE)
#: Around these "one" is a pronoun.
_PRONOUN = re.compile(
    r"(?:\b(?:the|this|that|each|every|no|any|which|some|another|only|as)\s|-)one\b"
    r"|\bone(?=-|\s+(?:of|can|could|may|might|would|should|must|has|is|another|or|who|that|cannot)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Spelt:
    """One number in words."""

    value: Fraction
    kind: Literal["cardinal", "ordinal", "times"]
    start: int
    end: int


def spelt(text: str) -> Iterator[Spelt]:
    """Yield the numbers that `text` spells out; "first" rarely counts and is none, as "one" for a thing."""
    pronouns = {m.end() for m in _PRONOUN.finditer(text)}
    for match in _CARDINAL.finditer(text):
        if match[0].lower() == "one" and match.end() in pronouns:
            continue
        for value, start, end in _runs(match):
            yield Spelt(Fraction(value), "cardinal", start, end)
    for match in _OTHER.finditer(text):
        word = match[0].lower()
        if word in _MULTIPLES:
            yield Spelt(_MULTIPLES[word], "times", *match.span())
        elif word != "second" or text[match.end() : match.end() + 2].strip():
            yield Spelt(_ORDINALS[word], "ordinal", *match.span())


def _runs(match: re.Match[str]) -> Iterator[tuple[int, int, int]]:
    """Yield value, start and end of each number of a run of numerals ("two three" are two numbers)."""
    total, value, start, end = 0, 0, -1, -1
    for part in re.finditer(r"[A-Za-z]+", match[0]):
        word = part[0].lower()
        if word in _CARDINALS:
            if start >= 0 and not _continues(value, _CARDINALS[word], total):
                yield total + value, match.start() + start, match.start() + end
                total, value, start = 0, 0, -1
            value += _CARDINALS[word]
        elif word == "hundred":
            value *= 100
        else:
            total, value = total + value * SCALES[word], 0
        start = part.start() if start < 0 else start
        end = part.end()
    yield total + value, match.start() + start, match.start() + end


def _continues(value: int, following: int, total: int) -> bool:
    """Whether a numeral goes on with the number before it: twenty-one, two hundred five, one million two."""
    if value == 0:
        return total > 0
    if value % 100 == 0:
        return True
    return value % 10 == 0 and value % 100 >= 20 and 0 < following < 10
