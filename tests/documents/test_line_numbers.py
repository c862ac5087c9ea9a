"""Numbers that count the text's lines: outside of it, between columns, at its edge."""

from __future__ import annotations

import pytest

from search.documents.line_numbers import without_line_numbers
from search.documents.pages import Line, Span


def span(text: str, x0: float, x1: float, y: float, size: float = 10, font: str = "Serif") -> Span:
    return Span(text, font, size, False, False, False, x0, y - size, x1, y, y)


def line(*spans: Span) -> Line:
    return Line(list(spans), spans[0].x0, spans[0].y0, max(span.x1 for span in spans), spans[0].y1, 0)


def number(count: int, end: float, y: float) -> Line:
    return line(span(str(count), end - 3.2 * len(str(count)), end, y, 6, "Sans"))


def words(lines: list[Line]) -> list[str]:
    return ["".join([span.text for span in line.spans]) for line in lines]


def columns(start: int, *ends: float, every: int = 1) -> list[Line]:
    """Return a page of two columns of 20 lines, whose numbers end at these places of each."""
    found = []
    for place, (x, end) in enumerate(zip((72, 312), ends, strict=True)):
        for row in range(20):
            found.append(line(span("Some words of it", x, x + 228, 100 + 14 * row)))
            count = start + 20 * place + row
            if count % every == 0:
                found.append(number(count, end, 100 + 14 * row))
    return found


@pytest.mark.parametrize(
    ("ends", "every"), [((62, 559), 1), ((62, 301), 1), ((320, 559), 1), ((62, 301), 5), ((320, 559), 5)]
)
def test_numbers_of_lines_leave_both_columns(ends: tuple[float, float], every: int):
    """At both sides, between the columns and over the edge of the text, all or one of five leave."""
    pages = [columns(1 + 40 * page, *ends, every=every) for page in range(3)]
    assert [words(lines) for lines in without_line_numbers(pages)] == [["Some words of it"] * 40] * 3


def test_numbers_taken_for_words_of_the_text_leave():
    """Where the number stands next to the text, it is the last of its line's spans."""
    pages = [columns(1 + 40 * page, 62, 559) for page in range(3)]
    for row in (3, 5):
        near = line(span("It ends here", 312, 540, 100), span(f" {row}", 545, 559, 100, 6, "Sans"))
        pages[1].append(near)
    kept = without_line_numbers(pages)[1]
    assert words(kept)[-2:] == ["It ends here", "It ends here"]
    assert kept[-1].x1 == 540


def test_indices_set_as_the_numbers_are_stay():
    """In the middle of formulas, where more than a few of them begin, indices have one digit."""
    pages = [columns(1 + 40 * page, 62, 301) for page in range(3)]
    for page in pages:
        page += [number(index, 200, 420 + 30 * index) for index in range(1, 4)]
    assert [words(lines)[-3:] for lines in without_line_numbers(pages)] == [["1", "2", "3"]] * 3


def test_other_numbers_stay():
    """Numbers in another font, at other places, on few pages, or not in step are no lines' numbers."""
    pages = [columns(1 + 40 * page, 62, 301) for page in range(3)]
    pages[1] += [line(span("7", 56, 62, 600)), number(8, 200, 620)]
    assert words(without_line_numbers(pages)[1])[-2:] == ["7", "8"]
    plain = [line(span("Some words of it", 72, 300, 100 + 14 * row)) for row in range(20)]
    few = [columns(1, 62, 301), plain, plain, plain]
    assert without_line_numbers(few) == few
    table = [[number(9 * row, 200, 100 + 14 * row) for row in range(1, 20)] + plain for _ in range(3)]
    assert without_line_numbers(table) == table


def test_a_first_page_can_have_a_margin_of_its_own():
    """Its numbers stand elsewhere than those of the other pages, and count its lines all the same."""
    pages = [columns(1, 40, 559), *(columns(1, 62, 559) for _ in range(60))]
    for page in pages:
        page[:] = [each for each in page if each.x1 < 300]  # one column
    assert all(text == "Some words of it" for lines in without_line_numbers(pages) for text in words(lines))
