"""Reading PDFs made on the spot: structure, and what cannot be read."""

from __future__ import annotations

import subprocess
import sys

import pytest

from search.documents import read_pdf
from search.errors import DamagedPDF, EncryptedPDF, MissingExtra, NoTextInPDF

pytest.importorskip("pymupdf", reason="reading PDFs needs the extra citewell[pdf]")


@pytest.fixture(scope="module")
def paper(two_column_paper):
    return read_pdf(two_column_paper)


def test_title_sections_and_pages(paper):
    """The title is the largest text; numbers and titles on one baseline make one heading."""
    assert paper.title == "On the Weight of Feathers"
    assert [(s.number, s.title, s.level, s.page) for s in paper.sections] == [
        ("1", "Left Part 1", 1, 1), ("2", "Right Part 2", 1, 1), ("3", "Left Part 3", 1, 2),
        ("4", "Right Part 4", 1, 2), ("5", "Left Part 5", 1, 3), (None, "References", 1, 3),
    ]  # fmt: skip
    assert paper.sections[-1].kind == "references"
    assert paper.quality.structure == "headings"
    assert paper.quality.headings == 6
    assert paper.reader.startswith("pymupdf-")


def test_columns_are_read_one_after_the_other(paper):
    """No passage of a left column holds a word of a right one."""
    for passage in paper.passages:
        assert ("left" in passage.text) != ("right" in passage.text)
        assert all(box.x1 < 310 or box.x0 > 310 for box in passage.boxes)


def test_running_heads_and_page_numbers_are_no_text(paper):
    """What repeats at the top and the numbers at the bottom are in no passage."""
    assert not any("running head" in passage.text for passage in paper.passages)
    assert not any(passage.text.rstrip().endswith((" 1", " 2", " 3")) for passage in paper.passages)


def test_raised_digits_stay_raised(paper):
    """Ten to the fourth is written 10^4, never 104."""
    assert sum("We counted 10^4 of them." in passage.text for passage in paper.passages) == 5
    assert not any("104" in passage.text for passage in paper.passages)


def test_references_are_entries_and_no_passages(paper):
    """The list becomes entries with label, year and arXiv id; no passage holds it."""
    assert [entry.label for entry in paper.references] == ["1", "2"]
    assert paper.references[0].raw.endswith("Journal of Weight, 12:1-9, 1999.")
    assert paper.references[0].year == 1999
    assert paper.references[1].arxiv_id == "1706.03762"
    assert not any("Lead and its friends" in passage.text for passage in paper.passages)


def test_path_and_bytes_give_the_same(two_column_paper, paper, tmp_path):
    """A path and the file's bytes are read alike."""
    path = tmp_path / "paper.pdf"
    path.write_bytes(two_column_paper)
    assert read_pdf(path) == paper


def test_a_paper_without_headings_is_one_section(make_pdf):
    """Where no heading can be told, the whole paper is one section, and the quality says so."""
    lines = [
        (72, 100 + 14 * i, f"This is the plain line number {i} of a letter without parts.", 11, "tiro")
        for i in range(40)
    ]
    paper = read_pdf(make_pdf([lines, lines]))
    assert paper.sections == ()
    assert paper.quality.structure == "whole paper"
    assert any("one section" in note for note in paper.quality.notes)
    assert paper.passages
    assert {passage.section for passage in paper.passages} == {""}


def test_a_letter_without_sections_has_an_abstract_and_a_text(make_pdf):
    """Where the first heading is the acknowledgments', the text above it is no abstract."""
    words = "The text of this letter goes on and on without a heading, line by line, until its end is near."
    abstract = [(90, 130 + 11 * n, f"In short, {words}", 9, "tiro") for n in range(5)]
    body = [(72, 220 + 12 * n, words, 10, "tiro") for n in range(40)]
    note = [(72, 730, "Figure 1: A picture of what the letter is about.", 9, "tiro")]
    last = [
        *((72, 60 + 12 * n, words, 10, "tiro") for n in range(45)),
        (72, 630, "Acknowledgments", 12, "tibo"),
        *((72, 655 + 12 * n, words, 10, "tiro") for n in range(3)),
    ]
    title = (100, 80, "On Letters Without Sections", 18, "tibo")
    paper = read_pdf(make_pdf([[title, *abstract, *body, *note], last]))
    assert [section.title for section in paper.sections] == ["Abstract", "Acknowledgments"]
    of_abstract = [passage for passage in paper.passages if passage.section == "Abstract"]
    assert [passage.text.count("In short") for passage in of_abstract] == [5]
    below = [passage for passage in paper.passages if passage.section == ""]
    assert sum(len(passage.text) for passage in below) > 80 * len(words)
    assert "caption" in {passage.kind for passage in below}


def test_names_above_a_letter_are_no_part_of_its_text(make_pdf):
    """Without headings a text begins with its first sentences, not with the names above it."""
    words = "the birds had feathers, and all of them were weighed in turn on one of the scales."
    front = [
        (150, 70, "On the Weight of Feathers", 20, "tibo"),
        (72, 100, "Ada Example and Ben Case", 10, "tiro"),
    ]
    paper = read_pdf(
        make_pdf([[*front, *((72, 140 + 12 * n, f"Here {words}", 10, "tiro") for n in range(20))]])
    )
    assert {passage.text[:14] for passage in paper.passages} == {"Here the birds"}


@pytest.mark.parametrize("opening", ["Abstract", ""])
def test_names_above_an_abstract_are_no_part_of_it(make_pdf, opening):
    """An abstract begins with its word, or where the names above it end; their addresses look like notes."""
    words = "the birds had feathers and were all weighed."
    front = [
        (150, 70, "On the Weight of Feathers", 20, "tibo"),
        (150, 96, "Ada Example, Ben Case, Cleo Tester and Dora Sample, all of them together", 10, "tiro"),
    ]
    lines = [f"{opening + '. ' if opening else ''}In short, {words}", *[f"In short, {words}"] * 8]
    abstract = [(60, 140 + 12 * n, line, 10, "tiro") for n, line in enumerate(lines)]
    body: list[tuple[float, float, str, float, str]] = [
        (60, 264, "1", 13, "tibo"), (80, 264, "Introduction", 13, "tibo"),
        *((60, 288 + 12 * n, f"Line {n}: {words}", 10, "tiro") for n in range(30)),
        *((320, 140 + 12 * n, f"Line {n}: {words}", 10, "tiro") for n in range(42)),
    ]  # fmt: skip
    paper = read_pdf(make_pdf([[*front, *abstract, *body]]))
    assert [p.text[:19] for p in paper.passages if p.section == "Abstract"] == ["In short, the birds"]


def test_an_abstract_below_addresses_with_marks_is_no_note(make_pdf):
    """Addresses and abstract in small print over both columns stand above the text, not at the foot."""
    words = "the birds had feathers and were all weighed."
    front = [
        (150, 70, "On the Weight of Feathers", 20, "tibo"), (150, 96, "Ada Example and Ben Case", 10, "tiro"),
        (150, 110, "1", 5.5, "tiro"),
        (153, 112, "Institute of Birds, 12 Feather Street, Exampleton, and a University there", 9, "tiro"),
        *((100, 132 + 10.5 * n, f"In short, {words} In short, {words}", 9, "tiro") for n in range(6)),
    ]  # fmt: skip
    body: list[tuple[float, float, str, float, str]] = [
        (60, 230, "1", 13, "tibo"), (80, 230, "Introduction", 13, "tibo"),
        *((60, 254 + 12 * n, f"Line {n}: {words}", 10, "tiro") for n in range(30)),
        *((320, 230 + 12 * n, f"Line {n}: {words}", 10, "tiro") for n in range(32)),
    ]  # fmt: skip
    paper = read_pdf(make_pdf([[*front, *body]]))
    assert [p.text.count("In short") for p in paper.passages if p.section == "Abstract"] == [12]
    assert not any("Institute" in passage.text for passage in paper.passages)


def test_addresses_at_the_end_are_no_text(make_pdf):
    """Small print with an e-mail address below the last words is the authors'; closer it is the text's."""
    begin = [(72, 100, "1", 13, "tibo"), (92, 100, "Feathers", 13, "tibo")]
    fill = "The weight of every single feather was noted down again on each of the days."
    text = [(72, 124 + 12 * index, fill, 10, "tiro") for index in range(12)]

    def last(gap: float) -> str:
        address = [(72, 256 + gap, "Institute of Birds, Known Street", 8, "tiro")]
        address += [(72, 266 + gap, "E-mail: ada@example.org", 8, "tiro")]
        return read_pdf(make_pdf([[*begin, *text, *address]])).passages[-1].text

    assert "ada@example.org" not in last(24)
    assert "again on each of the days." in last(24)
    assert "ada@example.org" in last(12)


def test_encrypted(make_pdf, two_column_paper):
    """A PDF that wants a password is named as such, with a remedy."""
    import pymupdf

    content = make_pdf(
        [[(72, 100, "secret", 11, "tiro")]], encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="u", owner_pw="o"
    )
    with pytest.raises(EncryptedPDF) as caught:
        read_pdf(content)
    assert "password" in caught.value.advice


def test_a_pdf_that_only_restricts_printing_is_read(make_pdf):
    """A file with an owner's password but no user's opens without one."""
    import pymupdf

    text = [
        (72, 100 + 20 * i, f"Open to read, closed to print, said line {i} of it.", 11, "tiro")
        for i in range(9)
    ]
    content = make_pdf([text], encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="", owner_pw="o")
    assert "Open to read" in read_pdf(content).passages[0].text


@pytest.mark.parametrize(
    "content", [b"", b"<html>not here</html>", b"%PDF-1.7\n", b"%PDF-1.7\n\x00\xff garbage"]
)
def test_no_pdf_at_all(content):
    """Nothing, something else and a bare header are damaged PDFs, not crashes."""
    with pytest.raises(DamagedPDF):
        read_pdf(content)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_cut_off(two_column_paper, share):
    """A file that ends before its end is damaged, however much of it arrived."""
    with pytest.raises(DamagedPDF):
        read_pdf(two_column_paper[: int(share * len(two_column_paper))])


def test_a_broken_table_of_objects_is_rebuilt_and_noted(two_column_paper):
    """A file whose cross references are wrong is read, and the note says that it was mended."""
    start = two_column_paper.rindex(b"startxref")
    paper = read_pdf(two_column_paper[:start] + b"startxref\n7\n%%EOF\n")
    assert paper.title == "On the Weight of Feathers"
    assert any("damaged" in note for note in paper.quality.notes)


def test_no_text(make_pdf):
    """Pages without text are a scan, and the advice says what to do."""
    with pytest.raises(NoTextInPDF) as caught:
        read_pdf(make_pdf([[], []]))
    assert "recognition" in caught.value.advice


def test_no_pages():
    """A PDF without a page is damaged."""
    content = (
        b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n"
        b"trailer<</Root 1 0 R/Size 3>>\n%%EOF\n"
    )
    with pytest.raises(DamagedPDF):
        read_pdf(content)


def test_a_page_without_text_is_noted(make_pdf, two_column_paper):
    """One page without text among others does no harm and is noted."""
    text = [
        (72, 100 + 20 * i, f"There is a picture on the next page, says line {i}.", 11, "tiro")
        for i in range(9)
    ]
    paper = read_pdf(make_pdf([text, []]))
    assert paper.quality.pages == 2
    assert "pages without text: 2" in paper.quality.notes


def test_nothing_is_printed(capfd, two_column_paper):
    """MuPDF's warnings about broken files do not reach the terminal."""
    with pytest.raises(DamagedPDF):
        read_pdf(two_column_paper[:700])
    captured = capfd.readouterr()
    assert captured.out == captured.err == ""


def test_without_pymupdf(monkeypatch, two_column_paper):
    """Without pymupdf the error names the extra to install."""
    monkeypatch.setitem(sys.modules, "pymupdf", None)
    with pytest.raises(MissingExtra) as caught:
        read_pdf(two_column_paper)
    assert "citewell[pdf]" in caught.value.advice


def test_importing_the_room_does_not_load_pymupdf():
    """`search.documents` is light: pymupdf is loaded when the first PDF is read."""
    code = "import sys, search.documents; sys.exit('pymupdf' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_running_heads_of_a_paper_of_two_pages(make_pdf):
    """What stands at the same height on both pages of a short paper is its running head, not its text."""
    pages = []
    for number in (1, 2):
        lines = [(72, 40, "Short notes on feathers", 8, "tiro"), (300, 770, str(number), 9, "tiro")]
        lines += [
            (72, 120 + 14 * row, f"Line {row} of page {number} says that feathers are light.", 10, "tiro")
            for row in range(40)
        ]
        pages.append(lines)
    text = " ".join(passage.text for passage in read_pdf(make_pdf(pages)).passages)
    assert "feathers are light" in text
    assert "Short notes" not in text
