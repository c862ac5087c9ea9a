"""PDFs into the lake, politely; what does not arrive is recorded and tried again at a later run."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from search.arxiv.pdf import download_pdf
from search.arxiv.transport import Transport
from search.errors import CitewellError, NetworkUnreachable
from search.ingest.reports import StageReport, failed_papers
from search.lake.batch import Outcome
from search.lake.lake import Lake
from search.lake.shares import Share
from search.progress import Progress, ProgressSink, silent

#: Papers per batch: at arXiv's 15 s a PDF, an interruption costs at most two minutes of downloads.
BATCH = 8
#: How long a failure that the server means (404) is left alone, times the tries so far: arXiv makes PDFs
#: hours after the record, and of a withdrawn version never.
RETRY_REFUSED = timedelta(days=1)
MOST_DAYS = 30
#: Connections refused in a row after which the network, not the paper, is to blame.
UNREACHABLE_IN_A_ROW = 3


def fetch(
    lake: Lake,
    transport: Transport,
    *,
    base_url: str,
    ids: Sequence[str] | None = None,
    limit: int | None = None,
    share: Share | None = None,
    progress: ProgressSink = silent,
) -> StageReport:
    """Download the PDF of every work that has none, or of `ids` only.

    Works that were asked for by id are tried however recent their last failure is.

    Raises:
        NetworkUnreachable: three papers in a row could not be asked for; what came before is kept.
    """
    started = time.monotonic()
    lake.catalogue.refresh()
    wanted = lake.catalogue.to_fetch(ids, share)
    tries = {f.work_id: f.tries for f in lake.catalogue.failures() if f.stage == "fetched"}
    recent = set() if ids is not None else _recently_refused(lake)
    due = [paper for paper in wanted if paper not in recent][:limit]
    lines: list[dict[str, Any]] = []
    outcomes: list[Outcome] = []
    all_outcomes: list[Outcome] = []
    unreachable = 0
    try:
        for position, (work_id, version) in enumerate(due):
            progress(Progress("fetch", position, len(due), f"{work_id}v{version}"))
            try:
                pdf = download_pdf(transport, base_url, work_id, version)
            except CitewellError as error:
                outcomes.append(Outcome.failed(work_id, version, error))
                unreachable = unreachable + 1 if isinstance(error, NetworkUnreachable) else 0
                if unreachable == UNREACHABLE_IN_A_ROW:
                    raise
            else:
                unreachable = 0
                lines.append(lake.write_pdf(work_id, version, pdf.content))
                outcomes.append(Outcome(work_id, version))
            if len(outcomes) == BATCH:
                lake.write_fetched(lines, outcomes)
                all_outcomes += outcomes
                lines, outcomes = [], []
    finally:
        # Also when interrupted: what arrived has been paid for with arXiv's patience.
        if outcomes:
            lake.write_fetched(lines, outcomes)
            all_outcomes += outcomes
    lake.catalogue.refresh()
    progress(Progress("fetch", len(due), len(due)))
    failed = failed_papers("fetched", all_outcomes, tries)
    return StageReport(
        stage="fetch",
        done=len(all_outcomes) - len(failed),
        failed=failed,
        waiting=len(wanted) - len(due),
        seconds=time.monotonic() - started,
    )


def keep_pdf(lake: Lake, work_id: str, version: int, content: bytes) -> None:
    """Put a PDF that somebody already has into the lake."""
    lake.write_fetched([lake.write_pdf(work_id, version, content)], [Outcome(work_id, version)])
    lake.catalogue.refresh()


def _recently_refused(lake: Lake) -> set[tuple[str, int | None]]:
    """Return the papers whose last answer was a refusal that an hour does not change."""
    now, day = time.time_ns() // 1000, int(RETRY_REFUSED.total_seconds() * 1e6)
    return {
        (f.work_id, f.version)
        for f in lake.catalogue.failures()
        if f.stage == "fetched" and not f.retryable and f.stamp > now - day * min(f.tries, MOST_DAYS)
    }
