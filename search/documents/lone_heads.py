"""Running heads that come only once, in papers of up to four pages; and notices of rights.

In longer papers heads repeat, and that tells them (see `search.documents.furniture`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from search.documents.kinds import section_kind
from search.documents.pages import Line

#: Heads of left and right pages come once each in so few pages, or not at all on the first one.
SHORT = 4
#: Of the text's width, the share between what stands at the two ends of a head, and the most that one fills.
_EMPTY, _FILLED = 0.3, 0.7
#: Points by which a head is off the middle, at most.
_MIDDLE = 6.0
_WORD = re.compile(r"[^\W\d_]{4,}")
_CAPTION = re.compile(r"(?:Fig(?:ure|\.)|Table|Algorithm)\s*(?:\d|[IVXL]+\b)", re.IGNORECASE)
#: Of the first page's lines, so many hold the title and the authors.
_FRONT = 15
_NUMBER_FIRST, _NUMBER_LAST = re.compile(r"(\d{1,4})\s+\S"), re.compile(r"\D\s+(\d{1,4})$")
_NOTICE = re.compile(
    r"(?:©|\(c\)|Ⓒ|copyright)\s*(?:©\s*)?(?:\d{4}\b|the authors?\b|held by)"
    r"|permission to make digital or hard copies"
    r"|this (?:work|article|paper) is licensed under|licensed under (?:a )?creative commons"
    r"|\d{3}-\d[\d-]+/\d\d/?\$\d",
    re.IGNORECASE,
)
#: Small print, as a share of the usual height of the page's lines.
_SMALL = 0.93


def without_lone_heads(pages: Sequence[list[Line]]) -> list[list[Line]]:
    """Return the pages' lines without heads that come once; only in papers of at most `SHORT` pages."""
    if len(pages) > SHORT or not pages:
        return list(pages)
    front = _words(sorted(pages[0], key=lambda line: line.y0)[:_FRONT])
    counted = _counted(pages)
    return [
        _without_head(lines, front if page else set(), counted=page in counted)
        for page, lines in enumerate(pages)
    ]


def _counted(pages: Sequence[list[Line]]) -> set[int]:
    """Return the pages, from 0, whose highest row has the page's number before or after words.

    Section numbers stand before words only, so one page's stands after them, in step with another page's, or
    is the page's own in small print.
    """
    counted: set[int] = set()
    found: dict[int, dict[int, bool]] = defaultdict(dict)
    for page, lines in enumerate(pages):
        row, _ = _highest_row(lines)
        text = " ".join(_text(line) for line in sorted(row, key=lambda line: line.x0))
        for number, last in ((_NUMBER_FIRST.match(text), False), (_NUMBER_LAST.search(text), True)):
            if number:
                found[int(number[1]) - page][page] = last
                if last and int(number[1]) == page + 1 and _is_small(row, lines):
                    counted.add(page)
    return counted | {page for at in found.values() if len(at) > 1 and any(at.values()) for page in at}


def _highest_row(lines: Sequence[Line]) -> tuple[list[Line], list[Line]]:
    """Return a page's lines as those of its highest row, and the others."""
    if not lines:
        return [], []
    first = min(lines, key=lambda line: line.y0)
    return [line for line in lines if line.y0 < first.y1], [line for line in lines if line.y0 >= first.y1]


def _without_head(lines: list[Line], front: set[str], *, counted: bool) -> list[Line]:
    """Return a page's lines without a head that stands apart.

    Args:
        lines: of the page.
        front: the words that tell a head anywhere.
        counted: whether the page's number stands beside the words of the highest row.
    """
    row, rest = _highest_row(lines)
    if not rest or any(span.bold for line in row for span in line.spans):
        return lines
    gap = min(line.y0 for line in rest) - max(line.y1 for line in row)
    height = max(line.y1 - line.y0 for line in row)
    if gap < (height if counted else max(height, median(line.y1 - line.y0 for line in rest))):
        return lines
    if any(_is_title(line) for line in row):
        return lines
    words = _words(row)
    known = bool(words) and words <= front
    head = known or counted or _at_both_ends(row, lines) or _is_small_and_centred(row, lines)
    return rest if head else lines


def _is_title(line: Line) -> bool:
    """Return whether a line begins a caption, or is a section's title by its words."""
    text = _text(line)
    return bool(_CAPTION.match(text)) or section_kind(text) != "other"


def _at_both_ends(row: Sequence[Line], lines: Sequence[Line]) -> bool:
    """Return whether words, or words and a number, stand at both edges of the text and nothing between."""
    left, right = min(line.x0 for line in lines), max(line.x1 for line in lines)
    ordered = sorted(row, key=lambda line: line.x0)
    if len(ordered) < 2 or ordered[0].x0 > left + 3 or ordered[-1].x1 < right - 3:
        return False
    empty = max(after.x0 - before.x1 for before, after in pairwise(ordered))
    filled = sum(line.x1 - line.x0 for line in ordered)
    return (
        empty > _EMPTY * (right - left)
        and filled < _FILLED * (right - left)
        and all(_words((line,)) or _is_number(line) for line in (ordered[0], ordered[-1]))
        and bool(_words(row))
    )


def _is_number(line: Line) -> bool:
    return _text(line).isdecimal()


def _text(line: Line) -> str:
    return "".join(span.text for span in line.spans).strip()


def _is_small_and_centred(row: Sequence[Line], lines: Sequence[Line]) -> bool:
    """Return whether a row of small print stands in the middle of the text's width."""
    left, right = min(line.x0 for line in lines), max(line.x1 for line in lines)
    before, after = min(line.x0 for line in row) - left, right - max(line.x1 for line in row)
    return abs(before - after) < _MIDDLE and _is_small(row, lines)


def _is_small(row: Sequence[Line], lines: Sequence[Line]) -> bool:
    usual = median(_size(line) for line in lines)
    return all(_size(line) <= _SMALL * usual for line in row)


def _words(lines: Sequence[Line]) -> set[str]:
    return {
        word.casefold() for line in lines for word in _WORD.findall("".join(span.text for span in line.spans))
    }


def without_notice(lines: list[Line]) -> list[Line]:
    """Return a first page's lines without its notice of rights: small print up to the next note.

    It ends with its column, where the print gets larger, or where a raised mark begins a footnote. As large
    as the text, it is a block of its own in the lower half of the page.
    """
    at = next((i for i, line in enumerate(lines) if _NOTICE.match(_opening(line))), None)
    if at is None:
        return lines
    first = lines[at]
    size = _size(first)
    end = at + 1
    if size > _SMALL * median(_size(line) for line in lines):
        middle = (min(line.y0 for line in lines) + max(line.y1 for line in lines)) / 2
        if first.y0 < middle or (at and lines[at - 1].block == first.block):
            return lines
        while end < len(lines) and lines[end].block == first.block:
            end += 1
        return [*lines[:at], *without_notice(lines[end:])]
    while end < len(lines):
        line, previous = lines[end], lines[end - 1]
        if line.y0 < previous.y0 - 1 or line.x0 > first.x0 + 40 or abs(_size(line) - size) > 0.5:
            break
        if line.spans[0].size < 0.9 * size and line.spans[0].text.strip()[:1].isdecimal():
            break
        end += 1
    return [*lines[:at], *without_notice(lines[end:])] if end < len(lines) else lines[:at]


def _opening(line: Line) -> str:
    return "".join(span.text for span in line.spans[:4]).strip()


def _size(line: Line) -> float:
    return max(span.size for span in line.spans)
