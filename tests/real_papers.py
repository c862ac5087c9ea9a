"""The 81 real PDFs and the recorded OAI answers, served by a loopback arXiv as arXiv would serve them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pymupdf

from search.arxiv.oai import parse_page
from search.demo.server import DemoRecord, DemoVersion, LoopbackArxiv

#: Recorded answers with arXiv records, by the set under which the loopback gives them out as they are.
RECORDED = {
    "recorded:fatcat": "fatcat/arxivraw_1810.09584.xml",
    "recorded:atomiklabs": "atomiklabs/listrecords_oai_dc_cs_2024-01-25_trimmed.xml",
    "recorded:hep-ex": "hepcrawl/functional_arxiv_fixtures_http_server_records_arxiv-physics-hep-ex.xml",
    "recorded:hep-th": "hepcrawl/functional_arxiv_fixtures_http_server_records_arxiv-physics-hep-th.xml",
    "recorded:single": "hepcrawl/functional_arxiv_fixtures_http_server_records_arxiv-single.xml",
}


@dataclass(frozen=True)
class RealPaper:
    """One row of index.jsonl with what its first page says."""

    record: DemoRecord
    pdf: bytes

    @property
    def key(self) -> str:
        """Id with version, as the PDF is asked for."""
        return f"{self.record.id}v{len(self.record.versions)}"


def real_papers(data: Path) -> list[RealPaper]:
    """Return the 81 papers: facts from index.jsonl, title and abstract from the first page."""
    folder = data / "pdf" / "arxiv"
    rows = [json.loads(line) for line in (folder / "index.jsonl").read_text(encoding="utf-8").splitlines()]
    return [_paper(folder, row) for row in rows]


def _paper(folder: Path, row: dict) -> RealPaper:
    content = (folder / row["file"]).read_bytes()
    title, abstract = _first_page(content)
    newest = int(row["version"] or 1)
    stamp = datetime(2000, 1, 1, 12, tzinfo=UTC)
    for form in ("%d %b %Y", "%d %B %Y"):
        try:
            stamp = datetime.strptime(row.get("stamp_date") or "", form).replace(hour=12, tzinfo=UTC)
        except ValueError:
            continue
    versions = tuple(DemoVersion(stamp - timedelta(days=newest - n)) for n in range(1, newest + 1))
    record = DemoRecord(
        id=row["arxiv_id"],
        title=title or row["arxiv_id"],
        abstract=abstract or title or row["arxiv_id"],
        authors="Authors as printed",
        categories=row["primary_category"] or "cs.DL",
        versions=versions,
        source="pdf/arxiv/index.jsonl",
    )
    return RealPaper(record, content)


def _first_page(content: bytes) -> tuple[str, str]:
    """Return the largest text in the page's upper half, and what follows the word "Abstract"."""
    with pymupdf.open(stream=content, filetype="pdf") as document:
        page = document[0]
        spans = [
            span
            for block in page.get_text("dict")["blocks"]
            for line in block.get("lines", ())
            if line["dir"] == (1.0, 0.0)
            for span in line["spans"]
            if span["bbox"][1] < page.rect.height / 2 and len(span["text"].strip()) > 1
        ]
        text = page.get_text()
    largest = max((span["size"] for span in spans), default=0)
    # Small capitals are set at about 0.8 of the size of the capitals.
    title = " ".join(span["text"] for span in spans if span["size"] > 0.75 * largest)
    found = re.search(r"abstract[\s.:—-]*(.{200,1500})", text, re.IGNORECASE | re.DOTALL)
    return _clean(title)[:200], _clean(found.group(1) if found else text[:1200])


def _clean(text: str) -> str:
    """Return text on one line without the characters that XML cannot hold."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def serve(data: Path, papers: list[RealPaper]) -> LoopbackArxiv:
    """Return a loopback arXiv (not started) with the papers and the recorded answers."""
    server = LoopbackArxiv([p.record for p in papers], {p.key: p.pdf for p in papers}, page_size=25)
    last = (data / "oai" / RECORDED["recorded:single"]).read_bytes()
    for set_, name in RECORDED.items():
        # The recordings are trimmed and still say how long the whole list was.
        answer = re.sub(rb' completeListSize="\d+"', b"", (data / "oai" / name).read_bytes())
        server.recorded.append(({"set": set_}, answer))
        token = parse_page(answer).resumption_token
        if token:  # the page that followed was not recorded: another recorded answer ends the list
            server.recorded.append(({"resumptionToken": token}, last))
    return server
