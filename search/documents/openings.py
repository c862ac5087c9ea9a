"""Where another section may begin though no heading was told: a passage does not go on over such a line.

A heading has to be sure, since a wrong one says that what follows is about something else. A passage's end
has not: what is cut here for nothing is a passage shorter, what is not cut may join two sections. So little
evidence is enough: a number before a title, words in another font than the text's that end before it goes
on, capitals, a short line that stands apart. How far that carries is what `evals/reading_truth.py --untold`
measures, and the numbers below were chosen with it on the classes that were worked on.
"""

# ruff: noqa: RUF001 - the characters are meant as they are
from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from search.documents.edges import Edges
from search.documents.formulas import is_display, is_math_font
from search.documents.lines import TextLine
from search.documents.numbering import parse_number
from search.documents.pages import Span
from search.documents.style import BodyStyle

#: A title takes so many lines at most, and has so many letters at least: "DP".
_MOST_LINES, _LEAST_LETTERS = 3, 2
#: Of the text's size: what is smaller and not bold is small print (slanted titles of emulateapj have 0.9);
#: what is larger is no text (9 points in an abstract of 10 are 1.1).
_SMALL, _LARGE = 0.85, 1.06
#: Share of bold characters in a line of nothing else.
_MOSTLY = 0.9
#: In leadings: what has more above it stands apart. Between lines of a paragraph it is 1.0.
_APART = 1.15
#: Sizes that a line ends before its column does, at least, where nothing else tells it from the text.
_SHORT = 2.0
#: Points by which the sizes of one text differ, less than any two of LaTeX's.
_SAME_SIZE = 0.5
#: Pieces of a line: number and title are two, more are the cells of a table.
_CELLS = 3
_ENDED = re.compile(r"[.!?:;][\"'”’)\]]*$|[□■▢∎]\s*$")
_BEGINS = re.compile(r"[\"“‘'(\[]?[A-Z\d§]|[a-z][.)]\s+[A-Z]")
_NUMBER_ALONE = re.compile(r"(?:Appendix\s+)?§?(?:[A-Za-z]|[IVX]{1,5}|\d{1,2})?(?:[.-]?\d{1,2})*[.:)]?")
_TERMINAL = re.compile(r"[.:?!][)\"”’]?$|[.:?!]?\s*[—–]$")
#: TeX's fonts have their sizes in their names: CMR9, SFRM1000, LMRoman10-Regular.
_SIZE = re.compile(
    r"(?<=^CM[A-Z])\d+|(?<=^CM[A-Z]{2})\d+|(?<=^CM[A-Z]{3})\d+|(?<=^SF[A-Z]{2})\d+|(?<=^LMRoman)\d+"
)
_WORD = re.compile(r"[^\W\d_]{3,}")
_ITEM = re.compile(r"(?:[•◦▪–∗*]|\(?(?:\d{1,2}|[a-zA-Z]|[ivx]{1,4})[.)]|\[\d+\])\s")
_FORMULA = re.compile(r"[=≤≥≈∑∫→∈<>|]|\^|_")
#: "2.1", "A.3", "II-B": no item of a list has such a number.
_DEEP = re.compile(r"(?:\d{1,2}|[A-Z]|[IVX]{1,4})(?:[.-](?:\d{1,2}|[A-Z]\b)){1,3}[.:)]?\s+[A-Z\d]")


def may_open_section(
    lines: Sequence[TextLine], at: int, columns: Mapping[tuple[int, int], Edges], body: BodyStyle
) -> bool:
    """Return whether a line of the running text may be, or begin with, the title of a section.

    Args:
        lines: the running text.
        at: the line asked about.
        columns: the edges of each column.
        body: the style of the paper's text.
    """
    line = lines[at]
    begins = _BEGINS.match(line.text) or (line.bold > _MOSTLY and line.text[0].isalpha())
    if not begins or line.pieces >= _CELLS or line.text[-1] in ",;":
        return False
    apart = _is_apart(lines, at, body)
    if not (apart or _may_have_ended(lines[at - 1], columns)):
        return False
    number, title = parse_number(line.text)
    deep = number is not None and _DEEP.match(line.text) is not None
    return (
        _is_set_otherwise(lines, at, body, apart=apart, deep=deep)
        or (number is not None and _is_plain_title(lines, at, title, columns, apart=apart, deep=deep))
        or (not _ITEM.match(line.text) and _is_plain_title(lines, at, line.text, columns, apart=apart))
    )


def _is_apart(lines: Sequence[TextLine], at: int, body: BodyStyle) -> bool:
    """Return whether a line stands at its column's top, or further below the one before than text does."""
    line, above = lines[at], lines[at - 1] if at else None
    return (
        above is None
        or (above.page, above.column) != (line.page, line.column)
        or line.baseline - above.baseline > _APART * body.leading
    )


def _may_have_ended(line: TextLine, columns: Mapping[tuple[int, int], Edges]) -> bool:
    """Return whether a paragraph may end with a line: at a full stop, before the column's edge, a display."""
    column = columns[line.page, line.column]
    return (
        bool(_ENDED.search(line.text))
        or line.x1 < column.right - _SHORT * line.size
        or is_display(line, column.left, column.right)
    )


def _is_set_otherwise(
    lines: Sequence[TextLine], at: int, body: BodyStyle, *, apart: bool, deep: bool
) -> bool:
    """Return whether a line begins with words in another font than the text's, which end as titles do.

    They end with their line, with a full stop or the like, or anywhere behind a space above or a number of
    several parts. What goes on in the font of the line above, right below it, is a slanted statement.
    """
    letters, before, last_line = 0, "", at
    for index in range(at, min(at + _MOST_LINES + 1, len(lines))):
        for span in lines[index].spans:
            words = span.text.strip()
            if is_math_font(span.font) or not any(map(str.isalpha, words)) or _NUMBER_ALONE.fullmatch(words):
                before = words or before
                continue
            if _is_other(span, body):
                if not (letters or apart) and _is_alike(span, lines[at - 1].spans[-1]):
                    return False
                letters += sum(map(str.isalpha, words))
                before, last_line = words, index
            elif letters < _LEAST_LETTERS:
                return False
            elif index > last_line:
                return bool(_BEGINS.match(words))
            else:
                pointed = bool(_TERMINAL.search(before)) and not _ITEM.match(lines[at].text)
                return deep or (not words[0].islower() and (pointed or apart))
    # All of the last lines are set so; longer ones are text.
    return letters >= _LEAST_LETTERS and at + _MOST_LINES >= len(lines)


def _is_other(span: Span, body: BodyStyle) -> bool:
    """Return whether letters are set otherwise than the text: bold, larger, or in another font."""
    if span.bold or span.size > _LARGE * body.size:
        return True
    return (
        span.font != body.font
        and (span.size > _SMALL * body.size or span.text.isupper())
        and _SIZE.sub("", span.font) != _SIZE.sub("", body.font)
    )


def _is_alike(span: Span, other: Span) -> bool:
    return span.font == other.font and abs(span.size - other.size) < _SAME_SIZE


def _is_plain_title(
    lines: Sequence[TextLine],
    at: int,
    title: str,
    columns: Mapping[tuple[int, int], Edges],
    *,
    apart: bool,
    deep: bool = False,
) -> bool:
    """Return whether a line set as the text is may be a title: no stop at its end, in capitals or apart."""
    line, column = lines[at], columns[lines[at].page, lines[at].column]
    if line.text[-1:] in ".,;:-" or not (deep or _WORD.search(title)) or _FORMULA.search(line.text):
        return False
    short = line.x1 < column.right - _SHORT * line.size
    if title.isupper() and (apart or short):
        return True
    following = lines[at + 1] if at + 1 < len(lines) else None
    goes_on = following is not None and (
        following.text[:1].islower() or is_display(following, column.left, column.right)
    )
    return short and (title[0].isupper() or title[0] in '"“‘') and not goes_on and (apart or deep)
