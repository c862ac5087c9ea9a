"""The reader on real papers: 81 from arXiv, 31 from the ACL anthology."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

from search.documents import read_pdf
from search.documents.characters import expand
from search.models import ReadPaper

pymupdf = pytest.importorskip("pymupdf", reason="reading PDFs needs the extra citewell[pdf]")

LIGATURES = re.compile("[\ufb00-\ufb06\U0001d400-\U0001d7ff]")
STAMP = re.compile(r"arXiv:\d{4}\.\d{4,5}v\d+\s+\[")


@pytest.fixture(scope="session")
def read_papers(data: Path) -> dict[Path, ReadPaper]:
    """Every real PDF, read once."""
    files = sorted((data / "pdf" / "arxiv").glob("*.pdf")) + sorted((data / "pdf" / "acl").glob("*.pdf"))
    return {path: read_pdf(path) for path in files}


def test_every_real_paper_is_read(read_papers):
    """All 112 PDFs give a title, passages and a stated quality; almost all give headings."""
    assert len(read_papers) == 112
    for path, paper in read_papers.items():
        assert paper.title.strip(), path.name
        assert paper.passages, path.name
    assert sum(paper.quality.structure == "headings" for paper in read_papers.values()) >= 110


def test_passages_are_numbered_and_of_the_right_length(read_papers):
    """Ordinals run from 1; no passage is over 1,500 characters; short ones end a subject."""
    short = shortest = total = 0
    for path, paper in read_papers.items():
        assert [p.ordinal for p in paper.passages] == list(range(1, len(paper.passages) + 1)), path.name
        for passage, following in pairwise(paper.passages):
            assert 0 < len(passage.text) <= 1500, (path.name, passage.ordinal)
            assert passage.text == passage.text.strip()
            total += 1
            # Within one kind and section a passage is short only before what may be a title.
            alike = passage.section == following.section and passage.kind == following.kind == "text"
            short += alike and len(passage.text) < 1000
            shortest += alike and len(passage.text) < 300
    # Most in appendices of prompts, and in papers whose paragraphs have titles: 7.1 % and 2.3 % on 112 PDFs.
    assert short < 0.08 * total
    assert shortest < 0.03 * total


def test_passages_name_their_section_and_never_leave_it(read_papers):
    """Every passage names a section that exists; in a list of references stand floats and notes only."""
    for path, paper in read_papers.items():
        names = {" > ".join(section.path) for section in paper.sections} | {""}
        assert all(passage.section in names for passage in paper.passages), path.name
        listed = {" > ".join(s.path) for s in paper.sections if s.kind == "references"}
        beside = {"caption", "table", "footnote"}
        assert {p.kind for p in paper.passages if p.section in listed} <= beside, path.name


def test_boxes_lie_on_pages_and_hold_the_words(read_papers):
    """The words of a passage are found inside its boxes, on the pages that they name."""
    words = found = 0
    for path, paper in list(read_papers.items())[::9]:
        document = pymupdf.open(path)
        for passage in paper.passages:
            assert passage.boxes[0].page == passage.page
            text = ""
            for box in passage.boxes:
                page = document[box.page - 1]
                assert box.x0 < box.x1
                assert box.y0 < box.y1
                text += " " + page.get_text(clip=pymupdf.Rect(box.x0 - 2, box.y0 - 2, box.x1 + 2, box.y1 + 2))
            there = re.sub(r"\W", "", expand(text)).casefold()
            for word in re.findall(r"[A-Za-z]{5,}", passage.text):
                words += 1
                found += word.casefold() in there
    assert words > 30_000
    assert found / words > 0.99


def test_no_stamp_no_ligature_no_mathematical_letter(read_papers):
    """arXiv's margin stamp is in no passage; ligatures and mathematical letters are written out."""
    for path, paper in read_papers.items():
        for passage in paper.passages:
            assert not STAMP.search(passage.text), (path.name, passage.ordinal)
            assert not LIGATURES.search(passage.text), (path.name, passage.ordinal)
        assert not LIGATURES.search(paper.title), path.name


def test_the_text_is_readable(read_papers):
    """At least 99 % of the characters are letters, digits, punctuation, signs or space."""
    for path, paper in read_papers.items():
        assert paper.quality.readable > 0.99, path.name


def test_columns_are_not_interleaved(read_papers):
    """In two-column papers a box is no wider than its column, but for what spans both."""
    paper = next(p for path, p in read_papers.items() if path.name == "1512.03385v1.pdf")
    wide = [b for p in paper.passages if p.kind == "text" for b in p.boxes if b.x1 - b.x0 > 300]
    boxes = [b for p in paper.passages if p.kind == "text" for b in p.boxes]
    assert len(wide) < 0.1 * len(boxes)


def test_most_papers_have_their_references(read_papers):
    """At least nine of ten arXiv papers give reference entries, with years in most of them."""
    papers = [paper for path, paper in read_papers.items() if path.parent.name == "arxiv"]
    assert sum(bool(paper.references) for paper in papers) >= 0.95 * len(papers)
    entries = [entry for paper in papers for entry in paper.references]
    assert sum(entry.year is not None for entry in entries) > 0.85 * len(entries)


def test_known_titles(read_papers):
    """Titles as printed, over one line or several, without the stamp and the running head."""
    titles = {path.name: paper.title for path, paper in read_papers.items()}
    assert titles["1512.03385v1.pdf"] == "Deep Residual Learning for Image Recognition"
    assert titles["1412.6980v9.pdf"] == "ADAM: A METHOD FOR STOCHASTIC OPTIMIZATION"
    assert titles["2004.04906v3.pdf"] == "Dense Passage Retrieval for Open-Domain Question Answering"
