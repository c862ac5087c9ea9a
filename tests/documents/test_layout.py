"""The layout tier, and pymupdf without what it loads for it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from search.documents import read_pdf
from search.documents.layout import HEADING, OTHER, evidence
from search.documents.lines import join
from search.documents.pages import Line, Region, Span
from search.documents.pymupdf_reader import PyMuPDFReader

pymupdf = pytest.importorskip("pymupdf", reason="reading PDFs needs the extra citewell[pdf]")

#: Reads the PDF on its input and prints the paper, then which modules were loaded on the way.
READ = """
import sys
for name in sys.argv[1:]:
    __import__(name)
from search.documents import read_pdf
print(read_pdf(sys.stdin.buffer.read()).model_dump_json())
print("onnxruntime" in sys.modules, "pymupdf.layout" in sys.modules, "pymupdf4llm" in sys.modules)
"""


def _line(y: float, page: int = 1):
    span = Span("A line", "Times", 10, False, False, False, 72, y - 8, 200, y + 2, y)
    return join([Line([span], 72, y - 8, 200, y + 2, 0)], page, 0)[0]


def _read_elsewhere(content: bytes, *first: str) -> tuple[dict, str]:
    done = subprocess.run(
        [sys.executable, "-c", READ, *first], input=content, capture_output=True, check=True
    )
    paper, loaded = done.stdout.decode().splitlines()
    return json.loads(paper), loaded


def test_a_line_has_the_evidence_of_the_smallest_region_around_it():
    """What the model takes for a heading speaks for one, anything else against it, silence for nothing."""
    regions = {
        1: [Region("text", 0, 0, 600, 400), Region("section-header", 60, 90, 300, 105)],
        2: [Region("table", 0, 0, 600, 400)],
    }
    asked = []

    def on_page(page):
        asked.append(page)
        return regions[page]

    lines = [_line(100), _line(200), _line(700), _line(100, page=2)]
    assert evidence(lines, on_page) == [HEADING, OTHER, 0.0, OTHER]
    assert asked == [1, 2]


def test_the_layout_tier_gives_the_same_kind_of_paper(two_column_paper):
    """With the model's evidence a clear paper is read as without it, and the reader's name says so."""
    fast, slow = read_pdf(two_column_paper), read_pdf(two_column_paper, layout=True)
    assert [s.title for s in slow.sections] == [s.title for s in fast.sections]
    assert [p.text for p in slow.passages] == [p.text for p in fast.passages]
    assert slow.reader == fast.reader + "+layout"


def test_the_model_sees_parts_of_a_page(two_column_paper):
    """Regions have a kind and lie on the page."""
    reader = PyMuPDFReader(two_column_paper)
    try:
        regions = reader.regions(1)
    finally:
        reader.close()
    assert regions
    assert all(0 <= r.x0 < r.x1 <= 612 and 0 <= r.y0 < r.y1 <= 792 and r.kind for r in regions)


def test_reading_loads_no_model(two_column_paper):
    """Neither pymupdf's layout model nor what runs it is loaded to read a paper in the fast tier."""
    assert _read_elsewhere(two_column_paper)[1] == "False False False"


def test_what_is_read_does_not_depend_on_what_else_is_loaded(two_column_paper):
    """pymupdf4llm changes how boxes are measured in the whole process; ours stay as they are."""
    pytest.importorskip("pymupdf4llm", reason="comes with pymupdf 2")
    alone, _ = _read_elsewhere(two_column_paper)
    beside, loaded = _read_elsewhere(two_column_paper, "pymupdf4llm")
    assert loaded == "True True True"
    assert beside == alone


def test_a_model_wanted_later_can_still_be_had(two_column_paper):
    """Keeping the model out of the first import does not keep it out for good."""
    code = (
        "from search.documents.pymupdf_reader import PyMuPDFReader; import sys\n"
        "PyMuPDFReader(sys.stdin.buffer.read()).close()\n"
        "import pymupdf, pymupdf.layout\nprint(callable(pymupdf._get_layout))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=two_column_paper, capture_output=True, check=True
    )
    assert done.stdout.strip() == b"True"


def test_links_lead_to_the_web_only():
    """Of a page's links those within the file, and to files, are left out; the others keep their place."""
    with pymupdf.open() as document:
        for _ in range(2):
            document.new_page()
        page = document[0]
        page.insert_text((72, 72), "words")
        for kind in (
            {"kind": pymupdf.LINK_GOTO, "page": 1, "to": pymupdf.Point(0, 0)},
            {"kind": pymupdf.LINK_URI, "uri": "https://example.org/a"},
            {"kind": pymupdf.LINK_LAUNCH, "file": "other.pdf"},
        ):
            page.insert_link({"from": pymupdf.Rect(10, 20, 30, 40), **kind})
        content = document.tobytes()
    reader = PyMuPDFReader(content)
    try:
        links = reader.links(1)
        assert reader.links(2) == []
    finally:
        reader.close()
    assert [(link.uri, link.x0, link.y0, link.x1, link.y1) for link in links] == [
        ("https://example.org/a", 10, 20, 30, 40)
    ]
