"""Lines at which a passage ends, because another section may begin there."""

from __future__ import annotations

import pytest
from documents.sheets import BODY, FULL, Sheet

from search.documents.edges import edges_of
from search.documents.levels import Heading
from search.documents.openings import may_open_section
from search.documents.paragraphs import paragraphs
from search.documents.passages import passages
from search.documents.sections import parts

SENTENCE = "Birds were seen on all of the days that we had.     Not one of them sang."


def below_text(*parts: tuple[str, str, float], gap: float = 12, centred: bool = False) -> bool:
    """Return whether a line between two paragraphs may open a section."""
    sheet = Sheet()
    sheet.text()
    at = len(sheet.lines)
    sheet.line(*parts, gap=gap, centred=centred)
    sheet.text()
    return may_open_section(sheet.lines, at, edges_of(sheet.lines), BODY)


@pytest.mark.parametrize(
    "parts",
    [
        [("Of the birds", "Bold", 10)],
        [("Of the birds", "Italic", 10)],
        [("Of the birds", "Roman", 12)],
        [("of the birds", "Bold", 10)],
        [("3.1 ", "Roman", 10), ("Of the birds", "Caps", 10)],
        [("3.1. ", "Roman", 10), ("Of the birds. ", "Italic", 10), ("One of them was seen.", "Roman", 10)],
        [("Of the birds. ", "Italic", 10), ("One of them was seen in a wood.", "Roman", 10)],
        [("A.2 Of the birds", "Roman", 10)],
        [("IV. OF THE BIRDS", "Roman", 10)],
    ],
)
def test_words_that_look_like_a_title_may_open_a_section(parts):
    """Another font, another size, a number of two parts or capitals are enough, without any space."""
    assert below_text(*parts)


def test_what_is_set_as_the_text_may_where_it_stands_apart():
    """A short line in the text's own font is a title only below a gap, and before no formula."""
    assert below_text(("Of the birds", "Roman", 10), gap=20)
    assert not below_text(("Of the birds", "Roman", 10))
    assert below_text(("3 Of the birds", "Roman", 10), gap=20)
    assert not below_text(("3. of the birds", "Roman", 10), gap=20)
    assert not below_text(("Of the birds,", "Roman", 10), gap=20)


@pytest.mark.parametrize(
    "parts",
    [
        [(FULL, "Roman", 10)],
        [("Birds ", "Italic", 10), ("were seen in the wood and in the field by us.", "Roman", 10)],
        [("x", "CMMI10", 10), (" is a number that we need for the next of all the steps", "Roman", 10)],
        [("as seen above", "Italic", 10), (" by all of us in the wood", "Roman", 10)],
        [("Similarly,", "Italic", 10)],
    ],
)
def test_text_opens_no_section(parts):
    """A stressed word, a formula's letter, and the rest of a sentence begin a line of text."""
    assert not below_text(*parts)


def sheet_of(*titles: str) -> Sheet:
    sheet = Sheet()
    for _ in range(2):
        sheet.line((SENTENCE, "Roman", 10))
    for title in titles:
        sheet.line((title, "Helvetica", 10), gap=20)
    for _ in range(2):
        sheet.line((SENTENCE, "Roman", 10), gap=14)
    return sheet


def test_a_passage_ends_before_a_title_that_was_not_told():
    """What stands on both sides of it is never in one passage."""
    found = passages(paragraphs(sheet_of("Of the birds").lines, BODY), frozenset())
    assert [piece.text.startswith("Of the birds") for piece in found] == [False, True]


def test_labels_of_a_plot_do_not_cut_the_text_to_pieces():
    """Title after title with no prose between them is one subject, which the next prose belongs to."""
    found = passages(
        paragraphs(sheet_of("Sea", "Land", "Air", "Ice", "Sand", "Fog").lines, BODY), frozenset()
    )
    assert len(found) == 2


def test_an_abstract_ends_before_a_title_that_was_not_told():
    """A paper's first section, whose heading nothing tells, is no part of the abstract above it."""
    sheet = Sheet()
    for _ in range(5):
        sheet.line((SENTENCE, "Roman", 10))
    sheet.line(("Of the birds", "Bold", 10), gap=24)
    for _ in range(5):
        sheet.line((SENTENCE, "Roman", 10))
    start = len(sheet.lines)
    sheet.line(("2 Of the fish", "Bold", 10), gap=24)
    sheet.text()
    for at, line in enumerate(sheet.lines):
        line.block = sum(at >= begins for begins in (5, 6, start))
    heading = Heading(start, start + 1, "Of the fish", "2", 1, 1)
    abstract, rest, section = parts(sheet.lines, [heading], BODY)
    assert abstract.section.kind == "abstract"
    assert len(abstract.lines) == 5
    assert rest.section is None
    assert rest.lines[0].text == "Of the birds"
    assert section.section.title == "Of the fish"


def test_a_structured_abstract_stays_whole():
    """Labels of its own on lines of their own are no titles of sections."""
    sheet = Sheet()
    starts = []
    for label in ("Background", "Methods", "Results"):
        starts += [len(sheet.lines), len(sheet.lines) + 1]
        sheet.line((label, "Bold", 10), gap=20)
        for _ in range(5):
            sheet.line((SENTENCE, "Roman", 10))
    start = len(sheet.lines)
    sheet.line(("1 Of the birds", "Bold", 12), gap=24)
    sheet.text()
    for at, line in enumerate(sheet.lines):
        line.block = sum(at >= begins for begins in (*starts, start, start + 1))
    abstract, _ = parts(sheet.lines, [Heading(start, start + 1, "Of the birds", "1", 1, 1)], BODY)
    assert len(abstract.lines) == 15


def test_a_slanted_statement_is_not_cut_at_its_sentences():
    """Its lines are set in another font than the text, and one begins with a capital after a full stop."""
    sheet = Sheet()
    sheet.text()
    sheet.line(
        ("Theorem 1. ", "Bold", 10), ("All of the birds that we have seen were seen.", "Italic", 10), gap=18
    )
    for words in ("Most of them sang until the night, and then they did not.", "Moreover all of them flew."):
        sheet.line((words, "Italic", 10))
    sheet.text(gap=18)
    found = [p for p in paragraphs(sheet.lines, BODY) if p.kind == "theorem"]
    assert [len(p.lines) for p in found] == [3]


def test_steps_do_not_cut_a_proof():
    """ "Step 2." begins no section where a proof is going on; the proof stays one passage."""
    sheet = Sheet()
    sheet.line(("Proof. ", "Italic", 10), ("We show it in two steps, of which each is short.", "Roman", 10))
    for step in ("Step 1. ", "Step 2. "):
        sheet.line((step, "Bold", 10), ("Birds are seen, and all that are seen fly.", "Roman", 10), gap=18)
        sheet.line((SENTENCE, "Roman", 10))
    sheet.line(("This is what we wanted to see in this place. □", "Roman", 10))
    found = passages(paragraphs(sheet.lines, BODY), frozenset())
    assert [piece.kind for piece in found] == ["proof"]


def test_items_that_begin_in_bold_stay_together():
    """ "1. New data. We give …" right below the last item is one of a list, and no section."""
    assert not below_text(
        ("1. ", "Roman", 10), ("New data. ", "Bold", 10), ("We give all of it.", "Roman", 10)
    )
