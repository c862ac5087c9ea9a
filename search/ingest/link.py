"""References of read papers into citation edges."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

from search.ingest.reports import StageReport
from search.lake.batch import Outcome
from search.lake.lake import Lake
from search.lake.shares import Share
from search.models import Reference
from search.progress import Progress, ProgressSink, silent

#: Papers per batch: edges are small, and making them costs a read of the paper.
BATCH = 200
#: An id printed in the reference list is what the authors cite.
PRINTED = 1.0


def link(lake: Lake, *, share: Share | None = None, progress: ProgressSink = silent) -> StageReport:
    """Write the edges of every read paper whose edges are older than its reading."""
    started = time.monotonic()
    lake.catalogue.refresh()
    due = lake.catalogue.to_link(share)
    for start in range(0, len(due), BATCH):
        part = due[start : start + BATCH]
        progress(Progress("link", start, len(due)))
        lines: list[dict[str, Any]] = []
        for work_id, version, stamp, place in part:
            references = lake.catalogue.paper(place).references
            edges = list(edges_of(work_id, references))
            lines.append({"work_id": work_id, "version": version, "paper": stamp, "edges": edges})
        lake.write_edges(lines, [Outcome(work_id, version) for work_id, version, _, _ in part])
    lake.catalogue.refresh()
    progress(Progress("link", len(due), len(due)))
    return StageReport(stage="link", done=len(due), seconds=time.monotonic() - started)


def edges_of(work_id: str, references: Iterable[Reference]) -> Iterable[dict[str, Any]]:
    """Yield one edge per cited paper: by arXiv id where one is printed, else by DOI."""
    seen = {f"arxiv:{work_id}"}  # a paper that prints its own id does not cite itself
    for reference in references:
        cited = f"arxiv:{reference.arxiv_id}" if reference.arxiv_id else ""
        if not cited and reference.doi:
            cited = f"doi:{reference.doi.lower()}"
        if cited and cited not in seen:
            seen.add(cited)
            yield {"cited": cited, "source": "pdf", "confidence": PRINTED, "sentence": ""}
