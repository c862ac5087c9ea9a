"""Where another section may begin though no heading was told: a passage does not go on over such a line.

A heading has to be sure, since a wrong one says that what follows is about something else. A passage's end
has not: what is cut here for nothing is a passage shorter, what is not cut may join two sections. So little
evidence is enough: a number before a title, words in another font than the text's that end before it goes
on, capitals, a short line that stands apart.
"""

# ruff: noqa: RUF001 - the characters are meant as they are
from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from search.documents.edges import Edges
from search.documents.formulas import is_display, is_math_font
from search.documents.lines import TextLine
from search.documents.numbering import parse_number
from search.documents.pages import Span
from search.documents.style import BodyStyle

#: A title takes so many lines at most, and has so many letters at least.
_MOST_LINES, _LEAST_LETTERS = 3, 2
#: Of the text's size; what is smaller and not bold is small print.
_SMALL, _LARGE = 0.85, 1.06
#: Share of bold characters in a line of nothing else.
_MOSTLY = 0.9
#: In leadings: what has more above it stands apart.
_APART = 1.15
#: Sizes that a line ends before its column does, at least, where nothing else tells it from the text.
_SHORT = 2.0
_ENDED = re.compile(r"[.!?:;][\"'”’)\]]*$|[□■▢∎]\s*$")
_BEGINS = re.compile(r"[\"“‘'(\[]?[A-Z\d§]|[a-z][.)]\s+[A-Z]")
_NUMBER_ALONE = re.compile(r"(?:Appendix\s+)?§?(?:[A-Za-z]|[IVX]{1,5}|\d{1,2})?(?:[.-]?\d{1,2})*[.:)]?")
_TERMINAL = re.compile(r"[.:?!][)\"”’]?$|[.:?!]?\s*[—–]$")
#: Of a font's name, what tells sizes of one design apart: CMR9, LMRoman10-Regular.
_DIGITS = re.compile(r"\d+")
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
    if not begins or not _is_broken(lines, at, columns, body):
        return False
    number, title = parse_number(line.text)
    return (
        _is_set_apart(lines, at, body, numbered=number is not None)
        or (number is not None and _is_plain_title(lines, at, title, columns, body, numbered=True))
        or _is_plain_title(lines, at, line.text, columns, body, numbered=False)
    )


def _is_broken(
    lines: Sequence[TextLine], at: int, columns: Mapping[tuple[int, int], Edges], body: BodyStyle
) -> bool:
    """Return whether the text before a line may have ended there."""
    if _is_apart(lines, at, body):
        return True
    before = lines[at - 1]
    column = columns[before.page, before.column]
    return (
        bool(_ENDED.search(before.text))
        or before.x1 < column.right - _SHORT * before.size
        or is_display(before, column.left, column.right)
    )


def _is_set_apart(lines: Sequence[TextLine], at: int, body: BodyStyle, *, numbered: bool) -> bool:
    """Return whether a line begins with words in another font than the text's, which end as titles do."""
    letters, last, line = 0, "", at
    for index, span in _spans(lines, at):
        words = span.text.strip()
        if is_math_font(span.font) or not any(map(str.isalpha, words)) or _NUMBER_ALONE.fullmatch(words):
            last = words or last
            continue
        if not _is_other(span, body):
            if letters < _LEAST_LETTERS:
                return False
            if index > line:
                return bool(_BEGINS.match(words))
            return numbered or (
                not words[0].islower() and (bool(_TERMINAL.search(last)) or _is_apart(lines, at, body))
            )
        letters += sum(map(str.isalpha, words))
        last, line = words, index
    end = at + _MOST_LINES
    return letters >= _LEAST_LETTERS and end >= len(lines)


def _spans(lines: Sequence[TextLine], at: int) -> Iterator[tuple[int, Span]]:
    """Yield the spans of as many lines as a title can have, and of the one below."""
    for index in range(at, min(at + _MOST_LINES + 1, len(lines))):
        for span in lines[index].spans:
            yield index, span


def _is_other(span: Span, body: BodyStyle) -> bool:
    if span.bold or span.size > _LARGE * body.size:
        return True
    return _DIGITS.sub("", span.font) != _DIGITS.sub("", body.font) and (
        span.size > _SMALL * body.size or span.text.isupper()
    )


def _is_plain_title(
    lines: Sequence[TextLine],
    at: int,
    title: str,
    columns: Mapping[tuple[int, int], Edges],
    body: BodyStyle,
    *,
    numbered: bool,
) -> bool:
    """Return whether a line set as the text is may be a title: no stop at its end, in capitals or apart."""
    line, column = lines[at], columns[lines[at].page, lines[at].column]
    deep = numbered and _DEEP.match(line.text) is not None
    if line.text[-1:] in ".,;:-" or not (deep or _WORD.search(title)) or _FORMULA.search(line.text):
        return False
    apart = _is_apart(lines, at, body)
    short = line.x1 < column.right - _SHORT * line.size
    if title.isupper() and (apart or short):
        return True
    following = lines[at + 1] if at + 1 < len(lines) else None
    if (
        not short
        or not (title[0].isupper() or title[0] in '"“‘')
        or (
            following is not None
            and (following.text[:1].islower() or is_display(following, column.left, column.right))
        )
    ):
        return False
    if numbered:
        return apart or deep
    return apart and not _ITEM.match(line.text)


def _is_apart(lines: Sequence[TextLine], at: int, body: BodyStyle) -> bool:
    """Return whether a line stands at its column's top, or further below the one before than text does."""
    line, above = lines[at], lines[at - 1] if at else None
    return (
        above is None
        or (above.page, above.column) != (line.page, line.column)
        or line.baseline - above.baseline > _APART * body.leading
    )
