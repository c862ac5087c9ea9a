"""Where on the page a quote stands, and pictures of it."""

from __future__ import annotations

import pytest

from search.documents import read_pdf
from search.documents.highlights import find_quote, quote_boxes
from search.documents.pictures import draw
from search.errors import UsageError
from search.models import Passage

pymupdf = pytest.importorskip("pymupdf", reason="reading PDFs needs the extra citewell[pdf]")


@pytest.fixture(scope="module")
def paper(two_column_paper):
    """What is read from a paper of two columns."""
    return read_pdf(two_column_paper)


def words_in(content, boxes):
    """What pymupdf finds in boxes, word for word."""
    with pymupdf.open(stream=content) as document:
        found = []
        for box in boxes:
            rectangle = pymupdf.Rect(box.x0, box.y0, box.x1, box.y1)
            found += [
                word[4] for word in document[box.page - 1].get_text("words")
                if rectangle.contains(pymupdf.Point((word[0] + word[2]) / 2, (word[1] + word[3]) / 2))
            ]  # fmt: skip
        return found


@pytest.mark.parametrize(
    "quote",
    [
        "The left 1 sample had a mass of 7 grams.",
        "had a mass of 3 grams. The right 1 sample had a mass of 4",
        "We counted 10^4of them.",
    ],
)
def test_the_boxes_of_a_quote_hold_its_words_and_no_others(two_column_paper, paper, quote):
    """Whole lines, parts of two lines, and a line with an exponent: the same words stand in the boxes."""
    place = find_quote(paper.passages, quote)
    assert place
    boxes = quote_boxes(two_column_paper, *place)
    printed = "".join(words_in(two_column_paper, boxes))
    assert printed == quote.replace(" ", "").replace("^", "")


def test_a_quote_is_found_over_hyphens_and_spaces_but_not_in_another_number():
    """Hyphenation, dashes and the first letter's case make no difference; 104 is not 10^4."""
    passages = [
        Passage(ordinal=1, text="Nothing of the kind."),
        Passage(ordinal=2, text="We use state-of-the-art tools, over 10^4 of them, at \u22123 degrees."),
    ]
    assert find_quote(passages, "state-of-the-\nart  tools") == (2, 7, 29)
    assert find_quote(passages, "we use") == (2, 0, 6)
    assert find_quote(passages, "10^{4} of them, at -3 degrees")
    assert find_quote(passages, "over 104 of them") is None
    assert find_quote(passages, " ") is None


def test_a_passage_that_is_not_there_is_an_error(two_column_paper):
    """Asking for the boxes of a passage beyond the last one says how many there are."""
    with pytest.raises(UsageError, match="no passage 9000"):
        quote_boxes(two_column_paper, 9000, 0, 5)


def test_pictures_show_chosen_pages_or_a_quote(two_column_paper, paper, tmp_path):
    """A picture has the page asked for, or the quote's with yellow on it; what is not there is an error."""
    source, target = tmp_path / "paper.pdf", tmp_path / "out.png"
    source.write_bytes(two_column_paper)
    assert draw(source, paper, target, pages=[2, 3]) == 2
    assert draw(source, paper, target, quote="The right 2 sample had a mass of 9 grams.") == 1
    picture = pymupdf.Pixmap(str(target))
    colours = {picture.pixel(x, y) for x in range(0, picture.width, 2) for y in range(0, picture.height, 2)}
    assert any(red > 240 and green > 200 and blue < 180 for red, green, blue in colours)
    with pytest.raises(UsageError, match="no page 12"):
        draw(source, paper, target, pages=[12])
    with pytest.raises(UsageError, match="no passage that says"):
        draw(source, paper, target, quote="nobody wrote this")
