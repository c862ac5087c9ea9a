"""End marks that are drawn: which pages are looked at for them, and where they are written."""

from __future__ import annotations

import pytest

from search.documents.end_marks import write_end_marks
from search.documents.lines import TextLine, text_line
from search.documents.pages import Line, Span, Square


def line(text: str, page: int, x: float = 50, y: float = 100) -> TextLine:
    """A printed line on a page, 250 points long."""
    span = Span(text, "CMR10", 10, False, False, False, x, y - 10, x + 250, y + 2, y)
    return text_line([Line([span], x, y - 10, x + 250, y + 2, 0)], page, int(x > 300))


@pytest.fixture
def asked() -> list[int]:
    """The pages that were looked at."""
    return []


@pytest.fixture
def squares(asked):
    """A square behind the text of every even page."""

    def on_page(page: int) -> list[Square]:
        asked.append(page)
        return [Square(400, 92, 408, 100)] if page % 2 == 0 else []

    return on_page


def test_a_drawn_mark_is_written_where_it_stands(squares):
    """The square behind a line that a proof can end with is that line's last character."""
    lines = [
        line("Proof. We see that it holds", 1),
        line("and this was to be shown.", 2),
        line("We go on.", 2),
    ]
    write_end_marks(lines, squares)
    assert [each.text[-1] for each in lines] == ["s", "□", "."]


def test_a_mark_in_the_next_column_is_not_of_this_line(squares):
    """A square on the same row, but beyond where another column begins, ends another proof."""
    lines = [line("Proof. We see that it holds.", 2)]
    lines += [line("We go on beside it.", 2, x=320, y=200 + 12 * row) for row in range(4)]
    write_end_marks(lines, squares)
    assert not any("□" in each.text for each in lines)


def test_no_page_is_looked_at_for_a_proof_with_a_printed_mark(squares, asked):
    """A mark that the text has ends the proof, and costs nothing."""
    write_end_marks([line("Proof. We see that it holds.", 2), line("This was to be shown. □", 2)], squares)
    assert asked == []


def test_a_paper_without_drawn_marks_is_looked_at_three_times(squares, asked):
    """After three proofs with no drawn mark no page is looked at any more; once one is found, all are."""
    lines = [line("Proof. We see that it holds.", page) for page in (1, 3, 5, 7, 9)]
    write_end_marks(lines, squares)
    assert asked == [1, 3, 5]
    asked.clear()
    write_end_marks([line("Proof. We see that it holds.", page) for page in (2, 3, 5, 7, 9)], squares)
    assert asked == [2, 3, 5, 7, 9]
