"""Raised and lowered runs."""

# ruff: noqa: RUF001 - the characters are meant as they are
from __future__ import annotations

import pytest

from search.documents.pages import Span
from search.documents.runs import is_mark, line_text


def line(*runs: tuple[str, float, float] | tuple[str, float, float, str]) -> str:
    """Write runs of (text, size, height above the baseline, font) that follow one another."""
    spans, x = [], 0.0
    for text, size, raised, *font in runs:
        width = 0.5 * size * len(text)
        baseline = 100 - raised
        spans.append(
            Span(
                text,
                font[0] if font else "CMR10",
                size,
                False,
                False,
                False,
                x,
                baseline - size,
                x + width,
                baseline,
                baseline,
            )
        )
        x += width
    return line_text(spans, 10.0, 100.0)


@pytest.mark.parametrize(
    ("runs", "text"),
    [
        ([("10", 10, 0), ("4", 7, 3.6), (" models", 10, 0)], "10^4 models"),
        # a footnote's mark in a font that is not scaled in TeX's steps; a display's numerator
        ([("3", 9.2, 4), ("See there.", 10, 0)], "See there."),
        ([("3", 9.2, 7), (" + x", 10, 0)], "3 + x"),
        ([("10", 10, 0), ("12", 7, 3.6)], "10^{12}"),
        ([("10", 10, 0), ("−3", 7, 3.6), (" m", 10, 0)], "10^{−3} m"),
        ([("x", 10, 0, "CMMI10"), ("i", 7, -1.5, "CMMI7"), (" is", 10, 0)], "x_i is"),
        ([("x", 10, 0, "CMMI10"), ("ij", 7, -1.5, "CMMI7")], "x_{ij}"),
        ([("x", 10, 0, "CMMI10"), ("i", 7, -2.5, "CMMI7"), ("2", 7, 4.1)], "x_i^2"),
        ([("2", 10, 0), ("n", 7, 3.6, "CMMI7"), ("2", 5, 6.4)], "2^{n^2}"),
        ([("the 19", 10, 0), ("th", 7, 3.6), (" century", 10, 0)], "the 19th century"),
        ([("at 90", 10, 0), ("◦", 7, 3.6), (" and x", 10, 0, "CMMI10"), ("′", 7, 3.6)], "at 90◦ and x′"),
        ([("5 km", 10, 0), ("2", 7, 3.6)], "5 km^2"),
        ([("log", 10, 0), ("2", 7, 3.6), (" n", 10, 0)], "log^2 n"),
        ([("as shown", 10, 0), ("12", 7, 3.6), (" before", 10, 0)], "as shown before"),
        ([("as shown.", 10, 0), ("3,4", 7, 3.6), (" We", 10, 0)], "as shown. We"),
        ([("Knuth", 10, 0), ("∗†", 7, 3.6)], "Knuth"),
        ([("1", 7, 3.6), ("We thank", 10, 0)], "We thank"),
        ([("of ", 10, 0), ("14", 7, 3.6), ("C dating", 10, 0)], "of ^{14}C dating"),
        ([("H", 10, 0), ("2", 7, -1.5), ("O", 10, 0)], "H_2O"),
        ([("I", 10, 0), ("NTRODUCTION", 8, 0)], "INTRODUCTION"),
    ],
)
def test_what_is_written(runs, text):
    """Exponents, indices, ordinals, units and isotopes stay; citation numbers and footnote marks leave."""
    assert line(*runs) == text


def test_a_mark_needs_a_word_before_it():
    """The same raised 2 is a mark after a word of prose and an exponent after a digit or a variable."""
    assert is_mark("2", "the model", "", "CMR10")
    assert not is_mark("2", "10", "", "CMR10")
    assert not is_mark("2", "of x", "", "CMMI10")
    assert not is_mark("2", "(a + b)", "", "CMR10")
    assert is_mark("2", "(as they say)", "", "CMR10")
    assert is_mark("2", "models)", "", "CMR10")


def test_numbers_with_closing_brackets_are_marks():
    """ "1),2)" and "3)-5)" are marks; a bracket that is only closed tells one after a number, too."""
    assert is_mark("1),2)", "the model", "", "CMR10")
    assert is_mark("3)–5)", "the model.", "", "CMR10")
    assert is_mark("4)", "of version 5.8.", "", "CMR10")
    assert is_mark("∗)", "of 10", "", "CMR10")
    assert not is_mark("(4)", "of f", "", "CMMI10")


def test_a_number_above_an_index_is_no_mark():
    """What stands right above an index is an exponent, though a word comes before it."""
    places = [("WSe", 10, 100, 0), ("4", 7, 96.4, 20), ("2", 7, 102.5, 20), (" flakes", 10, 100, 24)]
    spans = [
        Span(text, "CMR10", size, False, False, False, x, y - 8, x + len(text) * size / 2, y, y)
        for text, size, y, x in places
    ]
    assert line_text(spans, 10.0, 100.0) == "WSe_2^4 flakes"


def test_no_blank_after_an_index_under_a_wider_exponent():
    """The reader puts a blank from the index to the hyphen, under the exponent, where none is printed."""
    places = [("x", 10, 100, 0, 5), ("10", 7, 96.4, 5, 13), ("8", 7, 102.5, 5, 9), (" ", 10, 102.5, 9, 13)]
    places.append(("-algebra", 10, 100, 13, 50))
    spans = [
        Span(text, "CMR10", size, False, False, False, x, y - 8, end, y, y)
        for text, size, y, x, end in places
    ]
    assert line_text(spans, 10.0, 100.0) == "x_8^{10}-algebra"
