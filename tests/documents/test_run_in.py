"""Headings with text on their line."""

from __future__ import annotations

import pytest

from search.documents.lines import TextLine, text_line
from search.documents.pages import Line, Span
from search.documents.run_in import is_run_in, split_run_in
from search.documents.style import BodyStyle

BODY = BodyStyle(10, "Roman", 12)


def line(*parts: tuple[str, str], y: float = 100, left: float = 50) -> TextLine:
    spans, x = [], left
    for text, font in parts:
        spans.append(
            Span(
                text,
                font,
                10,
                font == "Bold",
                font == "Italic",
                False,
                x,
                y - 10,
                x + 5 * len(text),
                y + 2,
                y,
            )
        )
        x += 5 * len(text)
    return text_line([Line(spans, left, y - 10, x, y + 2, 0)], 1, 0)


def texts(*parts: tuple[str, str]) -> list[str]:
    return [each.text for each in split_run_in([line(*parts)], BODY)]


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


FULL = "words that fill a line of the column to its right edge and no more"


def page(*paragraphs: list[tuple[str, str]], gap: float, left: float = 50) -> list[TextLine]:
    """Return paragraphs of three lines, `gap` points above each; the first line of each as given."""
    lines, y = [line((FULL, "Roman"), y=100)], 100.0
    for parts in paragraphs:
        y += gap
        lines.append(line(*parts, y=y, left=left))
        for _ in range(2):
            y += 12
            lines.append(line((FULL, "Roman"), y=y))
    return lines


LED = [
    [("Text feature", "Bold"), (" The features of the text are those of others.", "Roman")],
    [("Audio feature", "Bold"), (" Those of the sound are ours and new here.", "Roman")],
]


def test_bold_titles_without_a_number_are_cut_below_gaps():
    """At the column's edge and below a gap, a bold beginning is a line of its own, even without full stop."""
    found = [each.text for each in split_run_in(page(*LED, gap=26), BODY)]
    assert "Text feature" in found
    assert "Those of the sound are ours and new here." in found
    assert len(found) == 9


@pytest.mark.parametrize("font", ["CMCSC10", "Italic"])
def test_light_titles_without_a_number_are_cut_after_their_full_stop(font: str):
    """Small capitals and slanted words that end with a full stop below gaps are titles; others are words."""
    led = [[("Why it flies. ", font), ("The features of the bird are those of others.", "Roman")]] * 2
    assert [each.text for each in split_run_in(page(*led, gap=24), BODY)].count("Why it flies.") == 2
    named = [[("Birdnet ", font), ("flies with the features of others.", "Roman")]] * 2
    assert len(split_run_in(page(*named, gap=24), BODY)) == len(page(*named, gap=24))


def test_bold_beginnings_of_ordinary_paragraphs_are_not_cut():
    """Without a gap above, or indented as paragraphs are, what is bold is a term or the name of an item."""
    assert len(split_run_in(page(*LED, gap=12), BODY)) == 7
    assert len(split_run_in(page(*LED, gap=26, left=65), BODY)) == 7


def test_names_of_theorems_and_items_are_not_cut():
    """Statements, keywords and words that the sentence goes on from stay with their text."""
    for name in ("Theorem 3", "Proof of Lemma 2.", "Remark.", "Keywords", "Table 2."):
        assert len(split_run_in(page([(name, "Bold"), (" Let all be small.", "Roman")], gap=26), BODY)) == 4
    assert len(split_run_in(page([("Large", "Bold"), (" models are large.", "Roman")], gap=26), BODY)) == 4


def test_a_title_may_end_on_the_second_line():
    """A numbered title that fills its line is cut where it ends, on the next."""
    lines = [
        line(("A.2. ", "Roman"), ("Isothermal temperatures from all of the ratios of lines", "Bold"), y=100),
        line(("and the abundance. ", "Bold"), ("We have calculated them.", "Roman"), y=112),
    ]
    assert [each.text for each in split_run_in(lines, BODY)][1:] == [
        "and the abundance.",
        "We have calculated them.",
    ]


def test_a_slanted_number_with_its_title_is_a_heading_and_an_upright_one_an_item():
    """Of "1) Methods: ..." the number is set as the title is; a list's number is set as its text."""
    assert texts(("1) Methods:", "Italic"), (" We begin with trees", "Roman")) == [
        "1) Methods:",
        "We begin with trees",
    ]
    assert len(texts(("1) ", "Roman"), ("Methods:", "Italic"), (" We begin with trees", "Roman"))) == 1


def test_text_right_of_a_heading_is_told_from_a_cell_of_a_table():
    """What was cut in two stands at one height and close together."""
    cut = split_run_in(page(*LED, gap=26), BODY)
    assert [is_run_in(cut, end) for end in range(1, 5)] == [False, True, False, False]
    far = [line(("Method", "Bold")), line(("Score", "Roman"), left=200)]
    assert not is_run_in(far, 1)


def test_a_numbered_title_may_end_without_a_full_stop():
    """After "5.3.2.1" a bold title ends where the text's font begins; figures of a formula are no text."""
    assert texts(("5.3.2.1 On spaces ", "Bold"), ("Now we say", "Roman")) == [
        "5.3.2.1 On spaces",
        "Now we say",
    ]
    assert texts(("A1.0.1 Spectra ", "Bold"), ("of the layers. These", "Roman")) == [
        "A1.0.1 Spectra",
        "of the layers. These",
    ]
    assert len(texts(("3.1 Review of the N", "Bold"), ("=4", "Roman"), (" setup", "Bold"))) == 1


def test_a_full_stop_of_the_text_ends_no_title():
    """Where the text has begun, its first full stop, in whatever font, is not the title's."""
    assert texts(
        ("2.2.0.2 Poles of ", "Bold"), ("The analysis of 6", "Roman"), (".", "Sloped"), ("5 is", "Roman")
    ) == [
        "2.2.0.2 Poles of",
        "The analysis of 6.5 is",
    ]


def column(*rows: tuple[list[tuple[str, str]], float, float]) -> list[str]:
    """Return the texts of lines after cutting; each row has its parts, its left edge and the gap above it."""
    lines, y = [], 100.0
    for parts, left, gap in rows:
        y += gap
        lines.append(line(*parts, y=y, left=left))
    return [each.text for each in split_run_in(lines, BODY)]


def test_a_title_without_a_number_is_cut_where_numbered_ones_are_set_so():
    """Slanted titles are cut at the numbered ones' mark, edge and gap; other beginnings are not."""
    plain = ([(FULL, "Roman")], 50.0, 12.0)
    numbered = ([("1) Methods: ", "Italic"), ("We measure it", "Roman")], 60.0, 12.0)
    alike = ([("Samples: ", "Italic"), ("We take them", "Roman")], 60.0, 12.0)
    assert "Samples:" in column(plain, numbered, plain, alike, plain)
    for other in (
        ([("Samples. ", "Italic"), ("We take them", "Roman")], 60.0, 12.0),
        ([("Samples: ", "Italic"), ("We take them", "Roman")], 50.0, 12.0),
        ([("Proof: ", "Italic"), ("We take them", "Roman")], 60.0, 12.0),
    ):
        assert not {"Samples:", "Samples.", "Proof:"} & set(column(plain, numbered, plain, other, plain))
    assert "Samples:" not in column(plain, plain, alike, plain)
    apart = ([("5.1. Methods. ", "Italic"), ("We measure it", "Roman")], 50.0, 20.0)
    close = ([("Samples. ", "Italic"), ("We take them", "Roman")], 50.0, 12.0)
    below_gap = ([("Samples. ", "Italic"), ("We take them", "Roman")], 50.0, 20.0)
    assert "Samples." not in column(plain, apart, plain, close, plain)
    assert "Samples." in column(plain, apart, plain, below_gap, plain)


def test_a_bold_title_at_the_edge_of_a_page_of_lists_is_cut():
    """Where most lines are a list's, the column begins where the others do."""
    plain = ([(FULL, "Roman")], 50.0, 12.0)
    item = ([(FULL[:64], "Roman")], 65.0, 12.0)
    title = ([("Samples ", "Bold"), ("We take them", "Roman")], 50.0, 20.0)
    assert "Samples" in column(plain, plain, plain, title, *[item] * 8)


def test_a_dash_after_the_full_stop_ends_a_title():
    """ "5.1. Curves. — One …" is cut, and the dash may stand in the text's own font; so without a number."""
    assert texts(("5.1. Curves. —", "Bold"), (" One natural measure", "Roman")) == [
        "5.1. Curves. —",
        "One natural measure",
    ]
    assert texts(("5.1.2. ", "Bold"), ("Curves", "Italic"), (". — One natural measure", "Roman")) == [
        "5.1.2. Curves. —",
        "One natural measure",
    ]
    dashed = [[("Text feature. —", "Bold"), (" The features of the text are others.", "Roman")]] * 3
    found = [each.text for each in split_run_in(page(*dashed, gap=24), BODY)]
    assert found.count("Text feature. —") == 3


def test_a_dash_in_a_sentence_ends_no_title():
    """Bold words and a dash without a full stop before it are the text's."""
    dashed = [[("Text feature —", "Bold"), (" the features of the text are others.", "Roman")]] * 3
    assert len(split_run_in(page(*dashed, gap=24), BODY)) == len(page(*dashed, gap=24))


def test_bold_titles_set_in_as_paragraphs_are_cut_below_gaps():
    """Without a full stop too; bold beginnings in small print say nothing against it."""
    title = [("Samples ", "Bold"), ("We take them", "Roman")]
    lines = page(title, title, gap=24)
    for each in lines:
        if each.spans[0].bold:
            each.x0 += 10
    small = line(("Funds ", "Bold"), ("We thank them", "Roman"), y=lines[-1].baseline + 12)
    small.size = 8
    found = [each.text for each in split_run_in([*lines, *[small] * 3], BODY)]
    assert found.count("Samples") == 2
