"""What an entry of a reference list says."""

from __future__ import annotations

import pytest

from search.documents.floats import kinds_in_list
from search.documents.lines import TextLine
from search.documents.pages import Link, Span
from search.documents.references import references, unheaded_list


def lines(*texts: str, indent: float = 0.0) -> list[TextLine]:
    """Lines below one another; those that begin with two spaces are indented."""
    found = []
    for number, text in enumerate(texts):
        x, y = (72.0 + (indent if text.startswith("  ") else 0.0)), 100.0 + 12 * number
        span = Span(text.strip(), "Serif", 10, False, False, False, x, y - 9, x + 300, y + 2, y)
        found.append(
            TextLine(1, 0, 0, [span], 1, x, y - 9, x + 300, y + 2, text.strip(), 10, "Serif", y, 0.0, 0.0)
        )
    return found


def read(*texts: str, indent: float = 0.0, links: list[Link] | None = None):
    return references(lines(*texts, indent=indent), frozenset(), lambda _: links or [])


def test_bracketed_labels():
    """[1], [2]: an entry goes on to the next label; words divided at line ends are put together."""
    entries = read(
        "[1] A. Cox and B. Dee. Weighing feath-", "ers. J. Air 3:1, 1999.", "[2] C. Eve. Lead. 2001."
    )
    assert [(e.label, e.year) for e in entries] == [("1", 1999), ("2", 2001)]
    assert entries[0].raw == "[1] A. Cox and B. Dee. Weighing feathers. J. Air 3:1, 1999."
    assert entries[0].ordinal == 1


def test_addresses_after_the_list_are_no_entry():
    """What stands below the last entry after a gap is not its text; long labels end in two letters."""
    found = lines("[Cox99z] A. Cox. Feathers. 1999.", "[Eve01aa] C. Eve. Lead. 2001.", "Bird Street 2, Air")
    found[-1].baseline += 12
    entries = references(found, frozenset(), lambda _: [])
    assert [(e.label, e.raw) for e in entries] == [
        ("Cox99z", "[Cox99z] A. Cox. Feathers. 1999."), ("Eve01aa", "[Eve01aa] C. Eve. Lead. 2001."),
    ]  # fmt: skip


def test_the_dates_of_submission_below_the_list_are_no_entry():
    """When a paper was received and revised is printed below its list, and is not the last entry's text."""
    entries = read("[1] A. Cox. Feathers. 1999.", "[2] C. Eve. Lead. 2001.", "(Received: May 6, 2002)", "Air")
    assert [entry.raw for entry in entries] == ["[1] A. Cox. Feathers. 1999.", "[2] C. Eve. Lead. 2001."]


def test_a_footnote_below_entries_is_no_part_of_them():
    """Small print after a raised mark at the foot of the list's page belongs to no entry."""
    found = lines("[1] A. Cox. Feathers. 1999.", "[2] C. Eve. Lead. 2001.", "A note on lead.")
    note = found[-1]
    note.size = 8
    raised = Span("4", "Serif", 5.5, False, False, False, 72, 112, 75, 120, note.baseline - 3)
    note.spans.insert(0, raised)
    assert kinds_in_list(found) == ["text", "text", "footnote"]


@pytest.mark.parametrize("sign", ["4", "*"])
def test_floats_among_entries_are_no_part_of_them(sign):
    """A caption with its table, and a note as large as the entries below a gap, are told from the entries."""
    found = lines(
        "Table 2. All feathers.", "Bird Mean", "Owl 4.1", "Cox, A. Feathers. 1999. Air 3,", "  pages 4-5.",
        "Eve, C. Lead. 2001.", "Fox, D. Tin. 2003.", "A note on lead.", indent=12,
    )  # fmt: skip
    for row in found[1:3]:
        row.pieces, row.block = 2, 1
    for line in found[3:]:
        line.baseline += 24
    note = found[-1]
    note.baseline += 12
    note.spans.insert(0, Span(sign, "Serif", 7, False, False, False, 72, 112, 75, 120, note.baseline - 3))
    assert kinds_in_list(found) == ["caption", "table", "table", "text", "text", "text", "text", "footnote"]


def test_pointed_labels_run_in_order():
    """A line that begins with a page number "12." is no entry among 1., 2., 3."""
    entries = read(
        "1. A. Cox. Feathers. J. Air, pp. 9 to",
        "12. Oxford, 1999.",
        "2. C. Eve. Lead. 2001.",
        "3. D. Fox. Tin. 2002.",
    )
    assert [e.label for e in entries] == ["1", "2", "3"]


def test_hanging_indents():
    """Without labels, a line at the left edge begins an entry."""
    entries = read(
        "Cox, A. and Dee, B. (1999). Weighing feathers in air.", "  Journal of Air, 3.",
        "Eve, C. (2001). Lead and its many good friends.", "  Metals, 4.", indent=12,
    )  # fmt: skip
    assert [e.year for e in entries] == [1999, 2001]
    assert entries[0].authors == ("A. Cox", "B. Dee")
    assert entries[0].title == "Weighing feathers in air"


def test_what_is_left_of_the_column_is_no_edge_of_it():
    """A hyphen of the column beside it, read with one of the lines, does not hide where entries begin."""
    found = lines(
        "Cox, A. Feathers.", "  Air 3, pages", "  4-5. 1999.", "- Eve, C. Lead.", "  Metals 2.", "  2001.",
        "Fox, D. Tin.", "  Ores 4. 2003.", "  Second edition.", indent=12,
    )  # fmt: skip
    found[3].x0 -= 12
    assert [e.year for e in references(found, frozenset(), lambda _: [])] == [1999, 2001, 2003]


def test_hanging_indents_of_a_list_with_short_entries():
    """Most entries take one line: what begins at the edge as a name does is an entry all the same."""
    names = ["Cox, A. 1991, 905, 68", "Dee, B. 1992, 591, A3", "—. 1993, 845, 13", "Eve, C. 1994, 909, 55"]
    entries = read(*names, "Fox, D., Gal, E., & Ito, H. 1995, in Feathers", "  and Birds IV, 245", indent=12)
    assert [e.year for e in entries] == [1991, 1992, 1993, 1994, 1995]


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("[1] A. Cox. Feathers in air. arXiv:1706.03762v2, 2017.", "arxiv_id", "1706.03762"),
        ("[1] A. Cox, Phys. Lett. B 4, 1 (1998) [arXiv:hep-th/9411108].", "arxiv_id", "hep-th/9411108"),
        ("[1] A. Cox. Feathers in air. doi:10.1000/ABC.12, 2017.", "doi", "10.1000/abc.12"),
        ("[1] A. Cox. Feathers in air. https://example.org/x, 2017.", "url", "https://example.org/x"),
        ("[1] A. Cox, “Weighing feathers in air,” J. Air, 2017.", "title", "Weighing feathers in air"),
        ("[1] A. Cox, PoS LATTICE 2007, 018 (2007) [arXiv:0710.4225 [hep-lat]].", "title", None),
        ("[1] A. Cox. On arXiv:1706.03762. No other number.", "year", None),
    ],
)
def test_identifiers_titles_years(text, field, value):
    """Ids, DOI, URL, quoted titles; an id's digits are no year, a journal is no title."""
    assert getattr(read(text)[0], field) == value


def test_a_link_on_an_entry_counts_as_printed():
    """An address that only the link holds is found; links elsewhere on the page are not taken."""
    here = Link("https://arxiv.org/abs/1706.03762v5", 80, 92, 200, 101)
    doi = Link("https://doi.org/10.1000/XYZ", 80, 104, 200, 113)
    first, second = read("[1] A. Cox. Feathers. 2017.", "[2] C. Eve. Lead. 2001.", links=[here, doi])
    assert (first.arxiv_id, first.doi) == ("1706.03762", None)
    assert (second.arxiv_id, second.doi) == (None, "10.1000/xyz")


def test_raised_labels_also_before_letters_of_isotopes():
    """Raised numbers begin entries, after a gap in the order too; "^{13}C" before a name is a label."""
    found = lines(
        "A. Fox. Lead.", "^2 C. Eve. Tin. 2001.", "B. Dee. Iron.", "^{5} H. Ito. Zinc.", "J. Kay. Air."
    )
    for line, label in ((found[0], "1"), (found[2], "4"), (found[4], "7")):
        line.marks = ((0, label),)
    entries = references(found, frozenset(), lambda _: [])
    assert [(e.label, e.raw) for e in entries] == [
        ("1", "A. Fox. Lead."), ("2", "C. Eve. Tin. 2001."), ("4", "B. Dee. Iron."), ("5", "H. Ito. Zinc."),
        ("7", "J. Kay. Air."),
    ]  # fmt: skip


def test_a_list_without_a_heading_is_found():
    """The longest run of [1], [2], [3] … is the list, however often the text cites [1] at a line's begin."""
    text = ["[1] was the first to say so.", *["Some words of the text."] * 9]
    entries = [f"[{n}] A. Cox. Feathers {n}. 2001." for n in range(1, 8)]
    assert unheaded_list(lines(*text, *entries)) == 10
    assert unheaded_list(lines(*text)) is None


def test_a_table_among_the_entries_of_a_list_without_a_heading():
    """One float among ten entries does not end the list; as far apart as that are items of a text."""
    text = ["Some words of the text."] * 40
    entries = [f"{n}. A. Cox. Feathers {n}. 2001." for n in range(1, 12)]
    table = ["Table 1: Weights", *["feather 1 2"] * 12]
    assert unheaded_list(lines(*text, *entries[:2], *table, *entries[2:])) == 40
    apart = [line for entry in entries for line in (entry, *table)]
    assert unheaded_list(lines(*["Some words of the text."] * 400, *apart)) is None


def test_a_caption_below_a_list_goes_on_in_wide_spacing():
    """Captions that follow the list are spaced as the paper's text is."""
    found = lines("1. A. Cox. Feathers. 2001.", "Figure 2: The weight of", "feathers in air.")
    for number, line in enumerate(found):
        line.baseline = line.y1 = 100.0 + 24 * number
    assert kinds_in_list(found) == ["text", "caption", "text"]
    assert kinds_in_list(found, leading=24.0) == ["text", "caption", "caption"]


def test_a_list_with_raised_labels_and_without_a_heading_is_found():
    """The American Institute of Physics prints none; notes of the text stand further apart."""
    found = lines(*["Some words of the text."] * 12, *(f"A. Cox. Feathers {n}. 2001." for n in range(1, 8)))
    for number, line in enumerate(found[12:], start=1):
        line.marks = ((0, str(number)),)
    assert unheaded_list(found) == 12


def test_what_follows_the_list_is_no_entry():
    """Captions below the list end its last entry; an unlabelled list has none among its entries."""
    entries = read(
        "[1] A. Cox. Feathers. 2001.", "[2] C. Eve. Lead. 2002.", "Figure 1. Lead, falling.", "10 20"
    )
    assert [e.raw for e in entries] == ["[1] A. Cox. Feathers. 2001.", "[2] C. Eve. Lead. 2002."]
    entries = read(
        "Cox, A. and Dee, B. (1999). Weighing feathers in air.", "  Journal of Air, 3.",
        "Eve, C. (2001). Lead and its many good friends.", "  Metals, 4.",
        "Figure 1. Lead, falling in air.", "  of several kinds", "20 minutes. 100 80", indent=12,
    )  # fmt: skip
    assert [e.year for e in entries] == [1999, 2001]
