"""PDFs of the lake into read papers."""

from __future__ import annotations

import time

from search.documents import read_pdf, reader_version
from search.errors import LakeDamaged, ReadingError
from search.ingest.reports import StageReport, failed_papers
from search.lake.batch import Outcome
from search.lake.lake import Lake
from search.lake.shares import Share
from search.models import ReadPaper
from search.progress import Progress, ProgressSink, silent

#: Papers per batch: about 15 seconds of reading on one core, and 4 MB of file.
BATCH = 25


def read(lake: Lake, *, share: Share | None = None, progress: ProgressSink = silent) -> StageReport:
    """Read every fetched PDF that has not been read; one that cannot be read is recorded with its reason."""
    started = time.monotonic()
    lake.catalogue.refresh()
    if not lake.catalogue.to_read("", share):
        return StageReport(stage="read")  # a library of abstracts needs no PDF reader
    reader = reader_version()
    due = lake.catalogue.to_read(reader, share)
    tries = {f.work_id: f.tries for f in lake.catalogue.failures() if f.stage == "papers"}
    papers: list[tuple[str, int, ReadPaper]] = []
    outcomes: list[Outcome] = []
    all_outcomes: list[Outcome] = []
    for position, (work_id, version, name) in enumerate(due):
        progress(Progress("read", position, len(due), f"{work_id}v{version}"))
        try:
            papers.append((work_id, version, read_pdf(lake.files.read(name))))
            outcomes.append(Outcome(work_id, version))
        except (ReadingError, LakeDamaged) as error:  # a file that is gone must not stop the others
            outcomes.append(Outcome.failed(work_id, version, error, tool=reader))
        if len(outcomes) == BATCH or position == len(due) - 1:
            lake.write_papers(papers, outcomes)
            all_outcomes += outcomes
            papers, outcomes = [], []
    lake.catalogue.refresh()
    progress(Progress("read", len(due), len(due)))
    failed = failed_papers("papers", all_outcomes, tries)
    return StageReport(
        stage="read", done=len(all_outcomes) - len(failed), failed=failed, seconds=time.monotonic() - started
    )
