"""What stands beside the running text, and where its paragraphs begin and end: on small papers made here."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from search.documents import read_pdf
from search.documents.floats import kinds_of
from search.documents.lines import TextLine
from search.documents.pages import Span
from search.models import Passage, PassageKind, ReadPaper

Text = tuple[float, float, str, float, str]
Setter = Callable[..., ReadPaper]

FILL = "The weight of every single feather was noted down again on each of the days in this long series."


def prose(y: float, *texts: str, x: float = 72.0, size: float = 10.0, font: str = "tiro") -> list[Text]:
    """Return lines of running text, 12 points from one to the next."""
    return [(x, y + 12 * index, text, size, font) for index, text in enumerate(texts)]


@pytest.fixture(scope="module")
def set_paper(make_pdf: Callable[..., bytes]) -> Setter:
    """Return a function that reads a paper whose pages hold a heading, prose, and what it is given."""

    def setting(*pages: Sequence[Text]) -> ReadPaper:
        whole = []
        for number, texts in enumerate(pages, start=1):
            begin: list[Text] = [(72, 100, f"{number}", 13, "tibo"), (92, 100, f"Part {number}", 13, "tibo")]
            if number == 1:
                begin.append((150, 70, "On the Weight of Feathers", 20, "tibo"))
            whole.append([*begin, *prose(124, *[FILL] * 8), *texts])
        return read_pdf(make_pdf(whole))

    return setting


def of_kind(paper: ReadPaper, kind: PassageKind) -> list[Passage]:
    return [passage for passage in paper.passages if passage.kind == kind]


def test_a_float_does_not_divide_the_sentence_around_it(set_paper):
    """A caption between two halves of a sentence is a passage of its own; the sentence stays whole."""
    paper = set_paper([
        *prose(240, "This is a sentence that goes on over what is set in the middle of the page, as far as"),
        (72, 290, "Figure 1: A feather on a scale, seen from the side and set in small print.", 9, "tiro"),
        *prose(330, "the line below it, where it ends. " + FILL, FILL),
    ])  # fmt: skip
    assert [p.text for p in of_kind(paper, "caption")] == [
        "Figure 1: A feather on a scale, seen from the side and set in small print."
    ]
    assert "middle of the page, as far as the line below it, where it ends." in of_kind(paper, "text")[0].text


def test_a_sentence_that_begins_with_figure_is_no_caption(set_paper):
    """ "Figure 1 shows …" at a line's beginning is running text."""
    paper = set_paper(prose(220, "Figure 1 shows how the scale was built, and what it was built of.", FILL))
    assert not of_kind(paper, "caption")
    assert "Figure 1 shows how the scale" in of_kind(paper, "text")[0].text


def test_slanted_words_below_a_number_alone_are_its_caption(set_paper):
    """In psychology's journals "Figure 2" stands alone, bold, and its words a line below, slanted."""
    figure = [
        (72, 300, "Figure 2", 10, "tibo"),
        (72, 323, "The weight of all feathers that were there, by the day on which", 10, "tiit"),
        (72, 335, "they were weighed.", 10, "tiit"),
    ]
    paper = set_paper([*figure, *prose(359, FILL, FILL)])
    assert [p.text for p in of_kind(paper, "caption")] == [
        "Figure 2 The weight of all feathers that were there, by the day on which they were weighed."
    ]


def test_words_below_a_number_alone_in_small_capitals_are_its_caption(set_paper):
    """ "FIGURE 2" in small capitals has its words below, in the usual size."""
    figure = [
        (72, 300, "FIGURE 2", 7.6, "tiro"),
        (72, 312, "The weight of all feathers that were there.", 10, "tiit"),
    ]
    paper = set_paper([*figure, *prose(340, FILL, FILL)])
    assert [p.text for p in of_kind(paper, "caption")] == [
        "FIGURE 2 The weight of all feathers that were there."
    ]


def test_words_over_both_columns_below_a_number_alone_are_its_caption(make_pdf):
    """The number fits into the left column, and the words do not."""
    sides = [(x, 130 + 12 * row, f"The bird {row} had twelve feathers on each side.", 10, "tiro")
             for x in (60, 320) for row in range(20)]  # fmt: skip
    figure = [
        (60, 440, "FIGURE 2", 7.6, "tiro"),
        (60, 452, "The weight of all feathers that were there, by the day on which they were weighed.",
         10, "tiit"),
    ]  # fmt: skip
    after = [(x, y + 350, *rest) for x, y, *rest in sides]
    paper = read_pdf(make_pdf([[(60, 80, "On Feathers", 18, "tibo"), *sides, *figure, *after]]))
    assert [p.text[:25] for p in of_kind(paper, "caption")] == ["FIGURE 2 The weight of al"]


def test_a_ragged_caption_goes_on_where_the_next_word_had_no_room(set_paper):
    """A short line that ends a sentence ends no caption if the next one begins with a long word."""
    figure = [
        (
            72,
            300,
            "Figure 2: The weight of all the feathers that we have found, by day. It has been",
            9,
            "tiro",
        ),
        (72, 311, "taken on a very good scale and again, on the days that followed.", 9, "tiro"),
        (72, 322, "Characteristically, none of them was lost.", 9, "tiro"),
    ]
    paper = set_paper([*figure, *prose(350, FILL, FILL)])
    assert [p.text[-22:] for p in of_kind(paper, "caption")] == ["none of them was lost."]


def test_a_caption_goes_on_in_wide_spacing(make_pdf):
    """A caption is set as wide as the text."""
    text = [(72, 124 + 21 * index, FILL, 10, "tiro") for index in range(12)]
    figure = [
        (
            72,
            420,
            "Figure 2: The weight of all the feathers that we have found here and there, by day",
            10,
            "tiro",
        ),
        (72, 441, "and by night, on one scale.", 10, "tiro"),
    ]
    begin = [
        (72, 100, "1", 13, "tibo"),
        (92, 100, "Part 1", 13, "tibo"),
        (150, 70, "On Feathers", 20, "tibo"),
    ]
    after = [(72, 500 + 21 * index, FILL, 10, "tiro") for index in range(6)]
    paper = read_pdf(make_pdf([[*begin, *text, *figure, *after]]))
    assert [p.text[-27:] for p in of_kind(paper, "caption")] == ["and by night, on one scale."]


def test_a_footnote_is_kept_apart_without_its_mark(set_paper):
    """Small print at the foot of the page after a raised mark is a footnote; the text has no mark either."""
    paper = set_paper([
        *prose(220, FILL, "We thank the bird"),
        (151.5, 228.5, "1", 6.5, "tiro"),
        (156, 232, "for all of its patience with us and with the scale that we had built.", 10, "tiro"),
        (72, 700, "1", 5.5, "tiro"),
        (74.75, 703, "The bird is well and has new feathers.", 8, "tiro"),
    ])  # fmt: skip
    assert [p.text for p in of_kind(paper, "footnote")] == ["The bird is well and has new feathers."]
    assert "We thank the bird for all of its patience" in of_kind(paper, "text")[0].text


@pytest.mark.parametrize("mark", ["[1]", "(a)"])
def test_a_raised_mark_in_brackets_opens_a_footnote(set_paper, mark):
    """Authors set their marks in brackets, too."""
    note = [(72, 700, mark, 5.5, "tiro"), (82, 703, "The bird is well and has new feathers.", 8, "tiro")]
    assert [
        "The bird is well" in p.text for p in of_kind(set_paper([*prose(220, FILL), *note]), "footnote")
    ] == [True]


def test_brackets_in_another_font_than_the_mark_open_a_footnote(set_paper):
    """Brackets may come from another font than the number they stand around."""
    note = [
        (72, 700, "(", 5.5, "helv"), (73.9, 700, "1", 5.5, "tiro"), (76.7, 700, ")", 5.5, "helv"),
        (79, 703, "The bird is well and has new feathers.", 8, "tiro"),
    ]  # fmt: skip
    assert [
        "The bird is well" in p.text for p in of_kind(set_paper([*prose(220, FILL), *note]), "footnote")
    ] == [True]


def test_a_sign_on_the_line_opens_a_footnote(set_paper):
    """Small print at the foot after a sign as large as itself, which other classes raise, is a footnote."""
    paper = set_paper([
        *prose(220, FILL, "We thank the bird"),
        (72, 703, "§", 8, "helv"), (80, 703, "The bird is well and has new feathers.", 8, "tiro"),
    ])  # fmt: skip
    assert ["The bird is well" in p.text for p in of_kind(paper, "footnote")] == [True]


def test_a_number_on_the_line_opens_the_note_that_a_raised_mark_calls(set_paper):
    """ "4. See …" in small print at the foot answers the raised 4 of its page, also of a section before."""
    marked = [(72, 240, "This was weighed twice.", 10, "tiro"), (172, 236.5, "4", 7, "tiro")]
    after = [(72, 270, "2", 13, "tibo"), (92, 270, "After that", 13, "tibo"), *prose(290, FILL, FILL)]
    note = [(72, 700, "4. See the other series of feathers.", 8, "tiro")]
    assert [p.text for p in of_kind(set_paper([*marked, *after, *note]), "footnote")] == [
        "4. See the other series of feathers."
    ]
    assert not of_kind(set_paper([*after, *note]), "footnote")


def test_notes_larger_than_the_text_are_no_headings(set_paper):
    """Below a gap, each after its raised mark, the second as close below the first as its lines are."""
    paper = set_paper([
        *prose(220, FILL, FILL, FILL, size=9),
        (72, 695.5, "1", 7, "tiro"), (75.6, 700, "The bird is well", 11, "tiro"),
        (72, 708.5, "2", 7, "tiro"), (75.6, 713, "It has new feathers", 11, "tiro"),
    ])  # fmt: skip
    notes = "\n\n".join(p.text for p in of_kind(paper, "footnote"))
    assert notes == "The bird is well\n\nIt has new feathers"
    assert not any("bird" in section.title or "feathers" in section.title for section in paper.sections)


def test_a_note_on_the_authors_has_no_mark(set_paper):
    """Small print below a gap at the foot of the first page is a note, though nothing marks it."""
    paper = set_paper(
        [
            *prose(640, FILL, "This sentence begins on one page and it is not over at the end of its last"),
            *prose(690, "The authors are with the bird, which", "supported them by two seeds.", size=8),
        ],
        [(72, 60, "line, since it ends on this one. " + FILL, 10.0, "tiro")],
    )
    notes = ["The authors are with the bird, which supported them by two seeds."]
    assert [p.text for p in of_kind(paper, "footnote")] == notes


def test_addresses_make_no_footnote_of_the_abstract(make_pdf):
    """Small print after raised numbers under the title is no footnote, nor is the small abstract below it."""
    words = "Abstract. We weigh the feathers of a bird, one by one. " + FILL
    paper = read_pdf(make_pdf([[
        (150, 70, "On the Weight of Feathers", 20, "tibo"), (250, 95, "Ada Example", 10, "tiro"),
        (150, 110, "1", 6, "tiro"), (154, 113, "Institute of Birds, Example Street", 9, "tiro"),
        *prose(155, words[:85], words[85:], *[FILL] * 3, x=100.0, size=9),
        (72, 300, "1", 13, "tibo"), (92, 300, "Part one", 13, "tibo"), *prose(330, *[FILL] * 12),
    ]]))  # fmt: skip
    assert "We weigh the feathers of a bird, one by one." in paper.passages[0].text
    assert not of_kind(paper, "footnote")


def test_a_caption_in_capitals_of_two_sizes(set_paper):
    """A table's number and its caption, in small capitals made of smaller letters, are one caption."""
    paper = set_paper([
        (280, 250, "TABLE I", 8, "tiro"),
        (240, 260, "W", 8, "tiro"), (248, 260, "EIGHTS OF THE BIRDS", 6.4, "tiro"),
        (240, 270, "IN GRAMS", 6.4, "tiro"),
        *prose(320, FILL, FILL),
    ])  # fmt: skip
    assert [p.text for p in of_kind(paper, "caption")] == ["TABLE I WEIGHTS OF THE BIRDS IN GRAMS"]


def test_text_below_a_table_is_no_row(set_paper):
    """A justified line that comes in pieces below a table's gap, wider than the table, is text."""
    rows = [
        (200.0 + 60 * column, 250.0 + 12 * row, text, 10.0, "tiro")
        for row, cells in enumerate([("Bird", "Mass", "Count"), ("Owl", "1.2", "14"), ("Wren", "0.3", "71")])
        for column, text in enumerate(cells)
    ]
    below = [(72.0, 305.0, "Birds weigh", 10.0, "tiro"), (200.0, 305.0, "M = 2", 10.0, "tiro"),
             (300.0, 305.0, "K, and FEATHERS less than that, N = 3 all over", 10.0, "tiro")]  # fmt: skip
    paper = set_paper([*rows, *below, *prose(317, FILL, FILL)])
    assert [p.text for p in of_kind(paper, "table")] == ["Bird Mass Count Owl 1.2 14 Wren 0.3 71"]


def printed(text: str, y: float, pieces: int, block: int) -> TextLine:
    """A justified line of bold 9 points, in so many pieces."""
    span = Span(text, "Serif", 9, True, False, False, 60, y - 7, 300, y + 2, y)
    return TextLine(1, 0, block, [span], pieces, 60, y - 7, 300, y + 2, text, 9, "Serif", y, 1.0, 0.0)


def test_a_short_line_at_the_edge_below_a_table_is_text():
    """What begins left of a table, below its gap, is text, though a display in pieces stands below it."""

    def at(text: str, x0: float, x1: float, y: float, pieces: int) -> TextLine:
        span = Span(text, "Serif", 9, False, False, False, x0, y - 7, x1, y + 2, y)
        return TextLine(1, 0, 0, [span], pieces, x0, y - 7, x1, y + 2, text, 9, "Serif", y, 0.0, 0.0)

    rows = [at(f"Owl {row}.2 14 0.{row}", 150, 250, 100 + 11 * row, 4) for row in range(3)]
    below = [at("This follows by", 60, 130, 150, 1), at("(7) Y 12 X", 60, 200, 165, 3)]
    assert kinds_of([*rows, *below], 9) == ["table"] * 3 + ["text"] * 2


def test_justified_lines_of_a_paragraph_are_no_rows():
    """Lines that come in many pieces and go on with a line of one, as wide as it, are text."""
    paragraph = [printed("We thank all of the birds, and mostly", 100, 1, 1)]
    paragraph += [printed("OWL-42 (No. 9) of H2020", 111 + 11 * row, 4, 1) for row in range(3)]
    assert kinds_of(paragraph, 9) == ["text"] * 4
    assert kinds_of(paragraph[1:], 9) == ["table"] * 3


def test_a_caption_goes_on_with_a_line_of_wide_gaps():
    """A justified line that comes in many pieces is a caption's next line; a table's row is another block."""
    caption = [printed("Figure 4: How all of the feathers fall to", 100, 1, 1),
               printed("(a) Owl (4) and Wren (5)", 111, 4, 1)]  # fmt: skip
    assert kinds_of([*caption, printed("birds in air.", 122, 1, 1)], 9) == ["caption"] * 3
    caption[1].block = 2
    assert kinds_of(caption, 9)[1] != "caption"
    words = printed("that all of these birds have lost", 111, 4, 2)
    assert kinds_of([caption[0], words], 9) == ["caption"] * 2


def test_rows_of_cells_are_a_table(set_paper):
    """Rows that come in cells under one another are one passage, and no part of a sentence."""
    rows = [
        (72.0 + 110 * column, 300.0 + 14 * row, text, 10.0, "tiro")
        for row, cells in enumerate([("Bird", "Mass", "Count"), ("Owl", "1.2", "14"), ("Wren", "0.3", "71")])
        for column, text in enumerate(cells)
    ]
    paper = set_paper([*prose(220, FILL), *rows, *prose(380, FILL, FILL)])
    assert [p.text for p in of_kind(paper, "table")] == ["Bird Mass Count Owl 1.2 14 Wren 0.3 71"]
    assert all("Owl" not in p.text for p in of_kind(paper, "text"))


def test_a_paragraph_goes_on_over_the_page(set_paper):
    """Half a sentence at the foot of a page is joined with its other half on the next."""
    first = prose(220, "This sentence begins on one page and it is not over at the very end of its last")
    second = [(72, 60, "line, since it ends on this one. " + FILL, 10.0, "tiro"), *prose(72, FILL)]
    paper = set_paper(first, second)
    assert any("very end of its last line, since it ends on this one." in p.text for p in paper.passages)


def test_an_indent_after_a_full_stop_begins_a_paragraph(set_paper):
    """Paragraphs are divided by a blank line in the passage's text."""
    paper = set_paper([
        *prose(220, "The first paragraph ends on a line that is full up to its end, or nearly so, here."),
        (87, 232, "A second one begins with an indent, and its first line is shorter.", 10, "tiro"),
        *prose(244, FILL),
    ])  # fmt: skip
    assert "so, here.\n\nA second one begins" in of_kind(paper, "text")[0].text


def test_a_passage_ends_before_a_title_that_is_no_heading(set_paper):
    """A line in bold alone, which the paper's numbered headings leave no place for, begins a new passage."""
    paper = set_paper(
        [*prose(220, FILL), (72, 260, "Data availability", 10, "tibo"), *prose(276, "All is there. " + FILL)],
        [],
    )
    assert not any("Data availability" in p.text and p.text.startswith("The weight") for p in paper.passages)
    assert any(p.text.startswith(("Data availability", "All is there.")) for p in paper.passages)


def test_double_spacing_divides_no_sentence(make_pdf):
    """Lines two sizes apart are one paragraph where all are, and "Figure 1." among them is no caption."""
    words = [
        "We saw that the weight of most of the feathers was near",
        "95 grams on the scale that is drawn in",
        "Figure 1. The heaviest of all the birds that we weighed was",
        "Rhea americana, and then came others.",
    ]
    texts: list[Text] = [(150, 70, "On the Weight of Feathers", 20, "tibo")]
    whole = [*[FILL] * 12, *words, *[FILL] * 6]
    texts += [(72, 120 + 20 * index, line, 10, "tiro") for index, line in enumerate(whole)]
    paper = read_pdf(make_pdf([texts]))
    assert not of_kind(paper, "caption")
    assert any(" ".join(words) in passage.text for passage in paper.passages)
