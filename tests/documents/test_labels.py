"""Labels inside pictures."""

from __future__ import annotations

from search.documents.labels import without_labels
from search.documents.lines import TextLine, text_line
from search.documents.pages import Line, Span


def line(text: str, font: str, size: float, y: float, block: int) -> TextLine:
    span = Span(text, font, size, False, False, False, 50, y - size, 50 + 5 * len(text), y + 2, y)
    return text_line([Line([span], 50, y - size, span.x1, y + 2, block)], 1, 0)


def test_the_second_line_of_a_small_title_is_no_label():
    """What goes on right below a numbered title in its font stays; the same words elsewhere are a label."""
    body = [
        line("Words that fill a line of the column. " * 2, "Roman", 10, 100 + 6 * n, n) for n in range(80)
    ]
    title = line("3. Understanding the origin of dust in", "Slanted", 9, 600, 100)
    second = line("walls of the cavity", "Slanted", 9, 611, 101)
    label = line("time in hours", "Slanted", 9, 700, 102)
    assert without_labels([*body, title, second, label], 10) == [*body, title, second]
