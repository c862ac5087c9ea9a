"""Displayed formulas: lines of signs, set apart in the column, that belong to the sentence around them."""

# ruff: noqa: RUF001 - the characters are meant as they are
from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from search.documents.lines import TextLine

_WORD = re.compile(r"[^\W\d_]{3,}")
_SHORT_WORD = re.compile(r"(?<![_^{\w])[^\W\d_]{2,}")
_SIGN = re.compile(r"[=<>≤≥≈≡∼∝→↦∈⊂⊆∑∏∫√∂∇±×⊗⊕∞∀∃|‖⟨⟩]|\^|_")
#: Words of formulas.
_FUNCTIONS = frozenset(
    """
    sin cos tan cot sec csc sinh cosh tanh arcsin arccos arctan log exp max min sup inf lim det dim ker deg
    gcd mod arg argmax argmin tr Tr diag sgn var Var cov Cov erf for all and where with otherwise
    """.split()  # noqa: SIM905 - a list of quoted words reads worse
)
_EQUATION_NUMBER = re.compile(r"\((?:[A-Z]{1,2}\.?)?\d{1,3}(?:[.-]\d{1,3})*[a-z]?\)\s*$")
_NUMBER_FIRST = re.compile(r"\((?:[A-Z]{1,2}\.?)?\d{1,3}(?:[.-]\d{1,3})*[a-z]?\)\s")
_NUMBER_ALONE = re.compile(r"\((?:[A-Z]{1,2}\.?)?\d{1,3}(?:[.-]\d{1,3})*[a-z]?\)")
_SENTENCE_END = re.compile(r"[.!?:;][\"'”’)\]]*$")
_ITEM = re.compile(r"(?:[•◦▪–∗*]|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)])(?:\s|$)")
#: The rows of one formula are at most so many sizes apart.
_ROW = 2.5
#: Sizes between an equation's number and the equation, at least; an item's text stands half a size off.
_FAR = 1.5
MATH_FONT = re.compile(r"MI\d|MI$|SY\d|SY$|MSBM|MSAM|EUFM|CMEX|Math|mtmi|txmi|txsy|RSFS|rtxmi", re.IGNORECASE)


def is_display(line: TextLine, left: float, right: float) -> bool:
    """Return whether a line is a displayed formula, or a row of one.

    It holds a sign or a number in brackets at its end or, far from the rest, at its beginning, hardly a
    word, and stands away from the column's left edge.

    Args:
        line: of the running text.
        left: where the column's lines begin.
        right: where they end.
    """
    text = line.text
    ends_so = text[-1:] == ")" and line.x1 > right - 2 * line.size
    numbered = (ends_so and bool(_EQUATION_NUMBER.search(text))) or (
        line.x0 < left + line.size and _begins_with_number(line)
    )
    apart = line.x0 > left + 1.2 * line.size and (line.x1 < right - 0.5 * line.size or numbered)
    if not (apart or numbered):  # most lines: this costs least
        return False
    words = [word for word in _WORD.findall(text) if word not in _FUNCTIONS]
    if sum(map(len, words)) > 0.25 * len(text) or len(words) > 4:
        return False
    return numbered or bool(_SIGN.search(text)) or mathematical(line) > 0.5


def _begins_with_number(line: TextLine) -> bool:
    """Return whether a line begins with a number in brackets and goes on far to its right; no item does."""
    if not _NUMBER_FIRST.match(line.text):
        return False
    written = ""
    for before, span in pairwise(line.spans):
        written += before.text
        if span.x0 - before.x1 > _FAR * line.size and (span.text.strip() or span.x1 > span.x0):
            return bool(_NUMBER_ALONE.fullmatch(written.strip()))
    return False


def is_flush(line: TextLine, previous: TextLine, left: float, right: float) -> bool:
    """Return whether a line at the column's left edge is a displayed formula, as MNRAS sets them.

    It is short, holds a sign and no word of two letters, and begins another block than the line before it.
    """
    return (
        line.x0 <= left + 1.2 * line.size
        and line.x1 < right - 2 * line.size
        and (previous.page, previous.column, previous.block) != (line.page, line.column, line.block)
        and bool(_SIGN.search(line.text))
        and all(word in _FUNCTIONS for word in _SHORT_WORD.findall(line.text))
        and not _ITEM.match(line.text)
    )


def is_part(line: TextLine, previous: TextLine, left: float, right: float) -> bool:
    """Return whether a line without signs is a piece of a displayed formula: a numerator, a limit, a factor.

    It has no word, stands apart and close to a line that ends no sentence.
    """
    return (
        line.x0 > left + 1.2 * line.size  # of most lines only this is asked
        and line.x1 < right - 0.5 * line.size
        and (previous.page, previous.column) == (line.page, line.column)
        and abs(line.baseline - previous.baseline) < _ROW * max(line.size, previous.size)
        and all(word in _FUNCTIONS for word in _WORD.findall(line.text))
        and not _SENTENCE_END.search(previous.text)
        and not _ITEM.match(line.text)
    )


def mathematical(line: TextLine) -> float:
    """Return the share of the characters that are set in fonts of formulas."""
    total = sum([len(span.text) for span in line.spans])
    return sum([len(span.text) for span in line.spans if is_math_font(span.font)]) / max(total, 1)


@lru_cache(maxsize=1024)  # a paper has a few dozen
def is_math_font(font: str) -> bool:
    """Return whether a font's name says that it is one of formulas."""
    return bool(MATH_FONT.search(font))
