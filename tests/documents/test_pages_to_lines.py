"""From pages to lines in reading order, on plain data."""

from __future__ import annotations

from search.documents.columns import gutters, reading_order
from search.documents.furniture import without_furniture
from search.documents.lines import join
from search.documents.pages import Line, Page, Span


def line(text: str, x: float, y: float, width: float, block: int = 0, *, horizontal: bool = True) -> Line:
    span = Span(text, "Serif", 10, False, False, False, x, y - 8, x + width, y + 2, y)
    return Line([span], x, y - 8, x + width, y + 2, block, horizontal)


def text(lines: list[Line]) -> list[str]:
    return [each.spans[0].text for each in lines]


def two_columns(number: int = 1) -> Page:
    """A page whose file draws line after line over both columns, with a heading over both in the middle."""
    lines = []
    for row in range(12):
        if row == 6:
            lines.append(line("both", 60, 100 + 14 * row, 490, block=50))
            continue
        lines.append(line(f"left {row}", 60, 100 + 14 * row, 230, block=2 * row))
        lines.append(line(f"right {row}", 320, 100 + 14 * row, 230, block=2 * row + 1))
    return Page(number, 612, 792, lines)


def test_bands_then_columns():
    """Above and below what spans both columns, the left column is read first; nothing is interleaved."""
    page = two_columns()
    (edge,) = gutters([page.lines], [page])
    order = [text(piece) for piece in reading_order(page.lines, edge)]
    assert order == [
        [f"left {row}" for row in range(6)],
        [f"right {row}" for row in range(6)],
        ["both"],
        [f"left {row}" for row in range(7, 12)],
        [f"right {row}" for row in range(7, 12)],
    ]


def test_a_nearly_empty_last_page_has_the_columns_of_the_others():
    """Two lines on the right are not enough to tell; the other pages tell."""
    last = Page(3, 612, 792, [line("left", 60, 100, 230, 0), line("right", 320, 100, 230, 1)])
    pages = [two_columns(1), two_columns(2), last]
    edges = gutters([page.lines for page in pages], pages)
    assert edges[2] == edges[0] == 320
    assert [text(piece) for piece in reading_order(last.lines, edges[2])] == [["left"], ["right"]]


def test_one_column_stays_one():
    """A page of full lines has no gutter."""
    page = Page(1, 612, 792, [line(f"line {row}", 72, 100 + 14 * row, 460) for row in range(20)])
    assert gutters([page.lines], [page]) == [None]


def test_number_and_title_on_one_baseline_are_one_line():
    """What the reader hands over as "1" and "Introduction" is one printed line of two pieces."""
    joined = join([line("1", 72, 100, 6), line("Introduction", 90, 100, 70), line("Text", 72, 120, 30)], 1, 0)
    assert [(each.text, each.pieces) for each in joined] == [("1 Introduction", 2), ("Text", 1)]


def test_running_heads_numbers_and_stamps_leave():
    """What repeats in the margins, page numbers and text on its side are dropped; the text all stays."""
    pages = [
        Page(number, 612, 792, [
            line("arXiv:1234.56789v1 [cs.CL] 1 Jan 2012", 20, 500, 10, 9, horizontal=False),
            line(f"A. Cox: Feathers {number}", 200, 40, 150),
            *[line(f"Line {row} of page {number}", 72, 100 + 14 * row, 460, 1) for row in range(40)],
            line(str(number), 300, 760, 6, 2),
        ])
        for number in range(1, 5)
    ]  # fmt: skip
    for number, kept in enumerate(without_furniture(pages), 1):
        assert text(kept) == [f"Line {row} of page {number}" for row in range(40)]
