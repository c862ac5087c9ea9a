"""Numbers in the margin that count a paper's lines, for its reviewers: they are no part of the text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from search.documents.pages import Line, Span

#: Of the pages, the share that has them. Numbers that rise on few pages are of tables, plots or programs.
_NUMBERED_PAGES = 0.5
#: So many are on a page that has them, as a mean; reviewers get one in five lines.
_ON_A_PAGE = 3
#: Of the numbers, the share that is by 1 or 5 more than the one drawn before, on their page.
_IN_STEP = 0.6
_STEPS = frozenset({1, 5})
#: Of the numbers, the share that ends (or begins) at a place for that to be a margin of theirs, and the share
#: that those of two digits make there.
_CLEAR, _AT_EDGE = 0.1, 0.02
#: Characters of a line's number, with spaces around it, at most.
_LENGTH = 12

_Style = tuple[str, float]


def without_line_numbers(pages: Sequence[list[Line]]) -> list[list[Line]]:
    """Return each page's lines without the numbers that count the text's lines.

    They have one font and size, stand under one another at few places of all pages, at the outside of the
    text, between its columns or at their edges, and each is by one or by five more than the one before.
    """
    numbers = [
        [line for line in lines if len(line.spans) == 1 and _is_number(line.spans[0])] for lines in pages
    ]
    least = _NUMBERED_PAGES * len(pages)
    counted: Counter[_Style] = Counter()
    shown: Counter[_Style] = Counter()
    for found in numbers:
        styles = Counter([_style(line.spans[0]) for line in found])
        counted.update(styles)
        shown.update(styles.keys())
    for style, count in counted.most_common():
        if count < _ON_A_PAGE * least:
            break
        if shown[style] < least:
            continue
        own = [[line for line in found if _style(line.spans[0]) == style] for found in numbers]
        margins = _margins(own, count)
        alone = [_on_this_page(found) for found in own]
        own = [[line for line in found if margins.hold(line.spans[0])] for found in own]
        if _count_lines(own, least):
            own = [found or other for found, other in zip(own, alone, strict=True)]
            return [
                _with_loose_ends(_without(lines, gone), style, margins)
                for lines, gone in zip(pages, own, strict=True)
            ]
    return list(pages)


def _on_this_page(numbers: list[Line]) -> list[Line]:
    """Return the numbers that count the lines of one page: a first page can have a margin of its own."""
    margins = _margins([numbers], len(numbers))
    found = [line for line in numbers if margins.hold(line.spans[0])]
    return found if _count_lines([found], 1) else []


@dataclass(frozen=True, slots=True)
class _Margins:
    """Where numbers begin and end, in whole points; a number is under the others with one of them."""

    begins: frozenset[int]
    ends: frozenset[int]

    def hold(self, number: Span) -> bool:
        return round(number.x1) in self.ends or round(number.x0) in self.begins


def _is_number(span: Span) -> bool:
    return len(span.text) < _LENGTH and span.text.strip().isdecimal()


def _style(span: Span) -> _Style:
    return span.font, round(span.size, 1)


def _margins(pages: Sequence[Sequence[Line]], count: int) -> _Margins:
    """Return where many of the numbers begin, and where many end; of those with two digits fewer are enough.

    Indices of formulas in the middle can have the same font and size, and one digit.
    """
    lines = [line for lines in pages for line in lines]
    long = [line for line in lines if len(line.spans[0].text.strip()) > 1]
    return _Margins(
        _usual(lines, "x0", _CLEAR * count) | _usual(long, "x0", _AT_EDGE * count),
        _usual(lines, "x1", _CLEAR * count) | _usual(long, "x1", _AT_EDGE * count),
    )


def _usual(lines: Sequence[Line], side: str, least: float) -> frozenset[int]:
    places = Counter([round(getattr(line, side)) for line in lines])
    return frozenset(near for at, count in places.items() if count >= least for near in (at - 1, at, at + 1))


def _count_lines(pages: Sequence[Sequence[Line]], least: float) -> bool:
    """Return whether the numbers of most pages rise in step as they go down, as the file draws them."""
    numbered = [lines for lines in pages if lines]
    total = sum(map(len, numbered))
    if len(numbered) < least or total < _ON_A_PAGE * len(numbered):
        return False
    in_step = sum(
        int(later.spans[0].text) - int(earlier.spans[0].text) in _STEPS
        for lines in numbered
        for earlier, later in pairwise(lines)
    )
    return in_step >= _IN_STEP * (total - len(numbered))


def _with_loose_ends(lines: list[Line], style: _Style, margins: _Margins) -> list[Line]:
    """Return a page's lines, without the numbers that stand so near to the text that they came with it."""
    for line in lines:
        if len(line.spans) > 1:
            for at in (-1, 0):
                span = line.spans[at]
                if _style(span) == style and _is_number(span) and margins.hold(span):
                    line.spans.pop(at)
                    line.x0 = min(span.x0 for span in line.spans)
                    line.x1 = max(span.x1 for span in line.spans)
                    break
    return lines


def _without(lines: list[Line], others: Sequence[Line]) -> list[Line]:
    gone = {id(line) for line in others}
    return [line for line in lines if id(line) not in gone]
