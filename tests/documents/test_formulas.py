"""Displayed formulas, and the signs of TeX's extension font."""

from __future__ import annotations

import pytest

from search.documents.big_signs import write_signs
from search.documents.formulas import is_display, is_flush
from search.documents.lines import text_line
from search.documents.pages import Line, Page, Span
from search.documents.paragraphs import paragraphs
from search.documents.style import BodyStyle


def line(
    text: str, x: float, y: float, *, font: str = "Serif", width: float | None = None, block: int = 0
) -> Line:
    span = Span(text, font, 10, False, False, False, x, y - 8, x + (width or 5.0 * len(text)), y + 2, y)
    return Line([span], x, y - 8, span.x1, y + 2, block)


@pytest.mark.parametrize(
    ("text", "x", "expected"),
    [
        ("f(x) = x^2 + 1", 200, True),
        ("a ≤ b + c, for all n", 200, True),
        ("x = y", 50, False),
        ("where the words of a sentence go on = here", 200, False),
        ("A short title", 200, False),
    ],
)
def test_displays_stand_apart_and_hold_signs(text, x, expected):
    """A formula is away from the column's left edge, has a sign and hardly a word."""
    assert is_display(text_line([line(text, x, 100)], 1, 0), 50, 450) is expected


def test_a_number_at_the_right_edge_makes_a_display():
    """A line with an equation number at the column's end is a formula wherever it begins."""
    wide = line("E mc mc (12)", 52, 100, width=397)
    assert is_display(text_line([wide], 1, 0), 50, 450)


def test_a_number_at_the_left_edge_makes_a_display():
    """A number in brackets and far to its right a formula are a display; an item and its text are none."""
    number = line("(12)", 50, 100, width=18)
    assert is_display(text_line([number, line("x = y + 1", 200, 100)], 1, 0), 50, 450)
    assert not is_display(text_line([number, line("x = y + 1", 74, 100)], 1, 0), 50, 450)


@pytest.mark.parametrize(
    ("text", "block", "expected"),
    [("y = 2x + log(z)", 1, True), ("y = 2x", 0, False), ("if y = 2x", 1, False), ("y z", 1, False)],
)
def test_displays_at_the_left_edge_are_blocks_without_words(text, block, expected):
    """Classes that set formulas flush left: a short block that holds a sign and no word is a display."""
    before = text_line([line("We measured that", 50, 100, width=400)], 1, 0)
    flush = text_line([line(text, 50, 116, block=block)], 1, 0)
    assert is_flush(flush, before, 50, 450) is expected


def test_a_display_stays_in_its_sentence():
    """Text before a formula, the formula in blocks of its own, and the text after it are one paragraph."""
    width = 400.0
    pieces = [
        line("We have shown that for every such number the equation", 50, 100, width=width),
        line("x_n = y_n + 1", 200, 125, block=1),
        line("y_n = z_n + 1,", 200, 145, block=2),
        line("holds, which is what we wanted to see in this place.", 50, 170, width=width, block=3),
    ]
    (paragraph,) = paragraphs([text_line([piece], 1, 0) for piece in pieces], BodyStyle(10, "Body", 12))
    assert len(paragraph.lines) == 4


def test_signs_of_the_extension_font_are_written_as_what_they_are():
    """The codes of sums, roots and large brackets are signs; a space that is as wide as a bracket is one."""
    texts = ["X", "s", "\x12", "\x13", "h", "i", "P", " ", " ", "\uf8eb", "\uf8ed", "∑"]
    widths = [14, 10, 7, 7, 5, 5, 10, 7.9, 3.3, 8, 8, 14]
    pieces = [
        line(t, 50 + 20 * n, 100, font="ABCDEF+CMEX10", width=w)
        for n, (t, w) in enumerate(zip(texts, widths, strict=True))
    ]
    words = line("X marks the spot", 50, 130, font="CMR10")
    write_signs([Page(1, 612, 792, [*pieces, words])])
    assert [piece.spans[0].text for piece in pieces] == list("∑√()[]∑( ( ∑")
    assert words.spans[0].text == "X marks the spot"
