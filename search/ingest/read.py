"""PDFs of the lake into read papers."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from search.documents import reader_version
from search.documents.reading_pool import ReadingPool
from search.ingest.reports import StageReport, failed_papers
from search.lake.batch import Outcome
from search.lake.lake import Lake
from search.lake.shares import Share
from search.models import ReadPaper
from search.progress import Progress, ProgressSink, silent

#: Papers per batch: about 15 seconds of reading on one core, and 4 MB of file.
BATCH = 25


def read(
    lake: Lake,
    *,
    share: Share | None = None,
    readers: Callable[[], ReadingPool] = ReadingPool,
    progress: ProgressSink = silent,
) -> StageReport:
    """Read every fetched PDF that has not been read; one that cannot be read is recorded with its reason.

    Args:
        lake: where PDFs come from and read papers go to.
        share: only these works.
        readers: makes the processes that read, with their limits.
        progress: told after each paper.
    """
    started = time.monotonic()
    lake.catalogue.refresh()
    if not lake.catalogue.to_read("", share):
        return StageReport(stage="read")  # a library of abstracts needs no PDF reader
    reader = reader_version()
    due = lake.catalogue.to_read(reader, share)
    tries = {f.work_id: f.tries for f in lake.catalogue.failures() if f.stage == "papers"}
    jobs = (((work_id, version), partial(lake.files.read, name)) for work_id, version, name in due)
    papers: list[tuple[str, int, ReadPaper]] = []
    outcomes: list[Outcome] = []
    all_outcomes: list[Outcome] = []
    progress(Progress("read", 0, len(due)))
    with readers() as pool:
        for position, ((work_id, version), found) in enumerate(pool.read_all(jobs), start=1):
            if isinstance(found, ReadPaper):
                papers.append((work_id, version, found))
                outcomes.append(Outcome(work_id, version))
            else:
                outcomes.append(Outcome.failed(work_id, version, found, tool=reader))
            if len(outcomes) == BATCH or position == len(due):
                lake.write_papers(papers, outcomes)
                all_outcomes += outcomes
                papers, outcomes = [], []
            progress(Progress("read", position, len(due), f"{work_id}v{version}"))
    lake.catalogue.refresh()
    failed = failed_papers("papers", all_outcomes, tries)
    return StageReport(
        stage="read", done=len(all_outcomes) - len(failed), failed=failed, seconds=time.monotonic() - started
    )
