"""The table of contents."""

from __future__ import annotations

import pytest

from search.documents.contents_list import without_contents
from search.documents.lines import TextLine, text_line
from search.documents.pages import Line, Span


def line(text: str, page_number: str = "", page: int = 1, y: float = 100.0) -> TextLine:
    """Return a line, with the number of an entry's page at the right edge."""
    ends = 50 + 5.0 * len(text)
    spans = [Span(text, "Serif", 10, False, False, False, 50, y - 8, ends, y + 2, y)]
    if page_number:
        spans.append(Span(page_number, "Serif", 10, False, False, False, 480, y - 8, 490, y + 2, y))
    return text_line([Line([span], span.x0, y - 8, span.x1, y + 2, 0) for span in spans], page, 0)


TEXT = [
    line("We say here what we have found in 12"),
    line("of the 15 runs, of which all of the 17"),
    line("were good"),
]


@pytest.mark.parametrize("title", ["Contents", "CONTENTS", "Table of Contents"])
def test_a_table_of_contents_is_no_text(title):
    """Its title and entries leave: with leaders or without, over two lines, bare, and on the next page."""
    entries = [
        line("1. Introduction", "2"),
        line("1.1. Samples . . . . . . . . . . 3"),
        line("1.2. A title that is so long that it"),
        line("goes on", "3"),
        line("2. Summary", "15", page=2),
        line("Acknowledgements"),
        line("A. Proofs", "17", page=2),
    ]
    kept = [line("The abstract."), *TEXT, line("1. Introduction"), *TEXT]
    lines = [*kept[:4], line(title), *entries, *kept[4:]]
    assert [each.text for each in without_contents(lines)] == [each.text for each in kept]


def test_text_below_the_word_contents_stays():
    """Without three entries whose pages rise there is no table of contents, nor late in the paper."""
    lines = [line("Contents"), *TEXT, line("1. Introduction", "2"), *TEXT, *TEXT, line("2. Methods", "5")]
    assert without_contents(lines) == lines
    one = [line("Contents"), line("Soil samples of the field", "12"), *TEXT]
    assert without_contents(one) == one
    late = [line("Contents", page=9), *(line(f"Sample {n}", str(n), page=9) for n in range(5))]
    assert without_contents(late) == late


def test_a_table_of_contents_can_have_one_entry():
    """A paper whose sections have no numbers may list its references only."""
    lines = [line("Contents"), line("Bibliography", "9"), *TEXT]
    assert without_contents(lines) == TEXT
