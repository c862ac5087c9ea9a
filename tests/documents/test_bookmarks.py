"""The file's own outline and hyperref's names, as far as the page confirms them."""

from __future__ import annotations

import pytest

from search.documents import read_pdf
from search.documents.bookmarks import confirmed, named
from search.documents.lines import TextLine, text_line
from search.documents.pages import Bookmark, Destination, Line, Span


def line(text: str, y: float, page: int = 1) -> TextLine:
    span = Span(text, "Serif", 10, False, False, False, 50, y - 8, 50 + 5 * len(text), y + 2, y)
    return text_line([Line([span], 50, y - 8, span.x1, y + 2, 0)], page, 0)


LINES = [
    line("1 Introduction", 100), line("Words of prose.", 120), line("2 How We Mea-", 200),
    line("sured It", 214), line("More words of prose.", 240), line("2.1 The scale", 300),
    line("3 Results", 90, 2), line("An end.", 110, 2),
]  # fmt: skip


def test_bookmarks_count_where_their_words_are_printed():
    """Titles over two lines are found, numbers aside; levels count from the shallowest numbered one."""
    outline = [
        Bookmark(2, "1 Introduction", 1), Bookmark(2, "How We Measured It", 1), Bookmark(3, "The scale", 1),
        Bookmark(2, "3 Results", 2),
    ]  # fmt: skip
    marks = confirmed(LINES, outline)
    assert [(mark.start, mark.end, mark.level) for mark in marks] == [
        (0, 1, 1),
        (2, 4, 1),
        (5, 6, 2),
        (6, 7, 1),
    ]


def test_an_outline_of_other_words_is_not_trusted():
    """Where less than three in five bookmarks are printed, none counts."""
    outline = [Bookmark(1, title, 1) for title in ("Introduction", "Nowhere", "Neither", "Nor here", "Never")]
    assert confirmed(LINES, outline) == []


def test_names_count_where_their_number_is_printed_below():
    """`section.3` marks the line with that number below it; what is below `section*.4` may be a heading."""
    places = [
        Destination("section.1", 1, 85), Destination("section.2", 1, 180),
        Destination("subsection.2.1", 1, 285), Destination("section.3", 2, 70),
        Destination("cite.someone", 2, 95), Destination("section*.4", 2, 95),
    ]  # fmt: skip
    marks = named(LINES, places)
    assert [(m.start, m.level) for m in marks if m.sure] == [(0, 1), (2, 1), (5, 2), (6, 1)]
    assert [m.start for m in marks if not m.sure] == [7]
    wrong = [Destination(f"section.{n}", 1, 100 * n) for n in range(4, 8)]
    assert named(LINES, wrong) == []


@pytest.mark.parametrize("number", ["II", "B."])
def test_names_count_in_any_notation(number):
    """A class may print section 2 as II, and subsection 1.2 as B."""
    lines = [line("1 One", 100), line("3 Three", 300), line(f"{number} Between", 200), line("4 Four", 400)]
    places = [Destination(f"section.{n}", 1, 100 * n - 15) for n in (1, 3, 4)]
    assert len(named(lines, [*places, Destination("subsection.1.2", 1, 185)])) == 4


def test_headings_that_look_like_text_are_found_by_their_bookmarks(make_pdf):
    """With bookmarks a heading in the body's own font is one; without them it is a line of text."""
    pymupdf = pytest.importorskip("pymupdf")
    prose = "These words are here to make the running text of this page the most common kind."
    titles = ["Opening words", "Middle words", "Closing words"]
    texts = [(100, 80, "On Plain Headings", 18, "tibo")]
    for part, title in enumerate(titles):
        texts.append((72, 130 + 180 * part, title, 10, "tiro"))
        texts += [(72, 150 + 180 * part + 12 * n, prose, 10, "tiro") for n in range(9)]
    plain = make_pdf([texts])
    document = pymupdf.open(stream=plain)
    document.set_toc([[1, title, 1] for title in titles])
    assert [s.title for s in read_pdf(bytes(document.tobytes())).sections] == titles
    assert not {s.title for s in read_pdf(plain).sections} & set(titles)
