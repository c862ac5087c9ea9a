"""Headings with text on their line."""

from __future__ import annotations

from search.documents.lines import TextLine, text_line
from search.documents.pages import Line, Span
from search.documents.run_in import split_run_in


def line(*parts: tuple[str, str]) -> TextLine:
    spans, x = [], 50.0
    for text, font in parts:
        spans.append(Span(text, font, 10, font == "Bold", False, False, x, 90, x + 5 * len(text), 102, 100))
        x += 5 * len(text)
    return text_line([Line(spans, 50, 90, x, 102, 0)], 1, 0)


def texts(*parts: tuple[str, str]) -> list[str]:
    return [each.text for each in split_run_in([line(*parts)])]


def test_a_numbered_run_in_heading_is_a_line_of_its_own():
    """Number and title in another style, ended by a full stop, are cut from the text that follows."""
    assert texts(("5.1. ", "Bold"), ("Invariants of curves. ", "Bold"), ("One natural measure", "Roman")) == [
        "5.1. Invariants of curves.",
        "One natural measure",
    ]


def test_what_only_begins_in_bold_is_not_cut():
    """Terms that are defined, names of theorems and sentences in one style stay whole."""
    assert len(texts(("Residual nets. ", "Bold"), ("We define them", "Roman"))) == 1
    assert len(texts(("5.1. Invariants of curves. One natural measure", "Roman"))) == 1
    assert len(texts(("Theorem 2. ", "Bold"), ("Let all be small.", "Roman"))) == 1
