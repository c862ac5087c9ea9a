"""References of read papers into citation edges.

An edge is what a reference says: an arXiv id or a DOI that is printed or linked, else a title that the
library holds. Edges to papers that the library does not hold are kept: answers name them as discoveries.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from search.arxiv.identifiers import find_all
from search.citations.titles import key_of, title_keys
from search.documents.citation_marks import bibliography_of, marks
from search.documents.sentences import sentences
from search.ingest.reports import StageReport
from search.lake.batch import Outcome
from search.lake.lake import Lake
from search.lake.shares import Share
from search.lake.titles import TitleIndex
from search.models import ReadPaper, Reference
from search.progress import Progress, ProgressSink, silent

#: Papers per batch: edges are small, and making them costs a read of the paper.
BATCH = 200
#: An identifier in the reference list is what the authors cite: of 108 that six papers print, none was
#: read wrongly (evals/results.md, "Edges").
PRINTED = 1.0
#: Longest sentence that is kept with an edge, in characters: the start of one that never ends says enough.
LONGEST_SENTENCE = 1_000

Edge = dict[str, Any]


def link(lake: Lake, *, share: Share | None = None, progress: ProgressSink = silent) -> StageReport:
    """Write the edges of every read paper whose edges are older than its reading.

    Papers that cite a work which has come into the library since are linked again.
    """
    started = time.monotonic()
    lake.catalogue.refresh()
    if not lake.catalogue.to_link(share) and not lake.files.names("edges"):
        return StageReport(stage="link")  # a library of abstracts needs no index of titles
    lake.titles.refresh()
    due = due_papers(lake, share)
    for start in range(0, len(due), BATCH):
        part = due[start : start + BATCH]
        lines: list[dict[str, Any]] = []
        for position, (work_id, version, stamp, place) in enumerate(part, start=start):
            progress(Progress("link", position, len(due), f"{work_id}v{version}"))
            edges, wanted = edges_of(work_id, lake.catalogue.paper(place), lake.titles)
            line = {"work_id": work_id, "version": version, "paper": stamp, "edges": edges}
            lines.append({**line, "wanted": wanted, "titles": lake.titles.newest})
        lake.write_edges(lines, [Outcome(work_id, version) for work_id, version, _, _ in part])
    lake.catalogue.refresh()
    lake.titles.refresh()
    progress(Progress("link", len(due), len(due)))
    return StageReport(stage="link", done=len(due), seconds=time.monotonic() - started)


def due_papers(lake: Lake, share: Share | None) -> list[tuple[str, int, int, tuple[str, int, int]]]:
    """Return (work id, version, stamp, place) of the papers to link, by id; both caches must be fresh."""
    new = lake.catalogue.to_link(share)
    known = {work_id for work_id, *_ in new}
    again = [i for i in lake.titles.to_link_again() if i not in known and (share is None or share.holds(i))]
    return sorted([*new, *lake.catalogue.linkable(again)])


def edges_of(work_id: str, paper: ReadPaper, titles: TitleIndex) -> tuple[list[Edge], list[int]]:
    """Return a paper's edges, each cited work once, and the keys of what it cites and the library lacks.

    Args:
        work_id: the citing paper: one that prints its own id does not cite itself.
        paper: as read, by this reader or an older one.
        titles: the library.
    """
    quotes = citing_sentences(paper)
    found: dict[str, Edge] = {}
    wanted: dict[int, None] = {}
    for reference in paper.references:
        named = list(_identified(reference, titles))
        if not any(cited.startswith("arxiv:") for cited, _, _ in named):
            match = titles.find(_bare(reference))
            if match:
                # The same paper: its DOI says nothing more.
                named = [(f"arxiv:{match.work_id}", "title", match.confidence)]
            else:
                wanted.update(dict.fromkeys(_keys(reference)))
        for cited, source, confidence in named:
            if cited != f"arxiv:{work_id}" and cited not in found:
                sentence = quotes.get(reference.ordinal, "")
                found[cited] = _edge(cited, source, confidence, sentence)
    return list(found.values()), list(wanted)


def _edge(cited: str, source: str, confidence: float, sentence: str) -> Edge:
    return {"cited": cited, "source": source, "confidence": confidence, "sentence": sentence}


def _identified(reference: Reference, titles: TitleIndex) -> Iterator[tuple[str, str, float]]:
    """Yield (cited, source, confidence) of the identifiers in a reference: arXiv's, else DOIs.

    An entry may name several papers ("[5] A, Phys. Rev. 1 [hep-th/…]; B, Phys. Rev. 2 [hep-th/…]").
    """
    printed = [identifier.work_id for identifier in find_all(_bare(reference))]
    more = [name.removeprefix("arxiv:") for name in reference.more if name.startswith("arxiv:")]
    ids = dict.fromkeys([*printed, *filter(None, [reference.arxiv_id]), *more])
    for work_id in ids:
        yield f"arxiv:{work_id}", "reference" if work_id in printed else "link", PRINTED
    if ids:
        return
    dois = [*filter(None, [reference.doi]), *(n.removeprefix("doi:") for n in reference.more)]
    for doi in dict.fromkeys(doi.lower() for doi in dois):
        source = "reference" if doi in reference.raw.replace(" ", "").lower() else "link"
        held = titles.by_doi(doi)
        yield f"arxiv:{held}" if held else f"doi:{doi}", source, PRINTED


def _bare(reference: Reference) -> str:
    """Return an entry without its label: "[2101.00001]" would be an identifier."""
    label = reference.label
    return reference.raw.removeprefix(f"[{label}]") if label else reference.raw


def _keys(reference: Reference) -> Iterable[int]:
    """Return what the work would be found by if it came into the library."""
    if reference.title:
        yield from title_keys(reference.title)
    if reference.doi:
        yield key_of(f"doi:{reference.doi.lower()}")


def citing_sentences(paper: ReadPaper) -> Mapping[int, str]:
    """Return the first sentence that cites each entry, by ordinal; running text before captions and notes."""
    bibliography = bibliography_of(paper.references, [passage.text for passage in paper.passages])
    first: dict[int, str] = {}
    flow = [p for p in paper.passages if p.kind not in {"caption", "table", "footnote"}]
    apart = [p for p in paper.passages if p.kind in {"caption", "table", "footnote"}]
    for passage in (*flow, *apart):
        found = marks(passage.text, bibliography)
        spans = sentences(passage.text) if found else []
        for mark in found:
            new = [ordinal for ordinal in mark.cites if ordinal not in first]
            if new:
                sentence = _around(passage.text, spans, mark.start)
                first.update(dict.fromkeys(new, sentence))
    return first


def _around(text: str, spans: Sequence[tuple[int, int]], at: int) -> str:
    """Return the sentence that a place is in."""
    start, end = next(((a, b) for a, b in spans if a <= at < b), (at, at))
    return text[start:end][:LONGEST_SENTENCE]
