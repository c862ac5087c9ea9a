"""PDFs into the lake, politely; what does not arrive is recorded and tried again at a later run."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from search.arxiv.licences import STANDARD, Policy
from search.arxiv.pdf import PDFDownload, download_pdf
from search.arxiv.transport import Transport
from search.errors import CitewellError, FetchError, NetworkUnreachable, NotPermitted, WorkTakenDown
from search.ingest import wanted
from search.ingest.reports import StageReport, failed_papers
from search.ingest.selection import Selection
from search.ingest.wanted import Due
from search.lake.batch import Outcome
from search.lake.lake import Lake
from search.progress import Progress, ProgressSink, silent

if TYPE_CHECKING:
    from search.arxiv.bulk import BulkPDFs

log = logging.getLogger(__name__)

#: Papers per batch: at arXiv's 15 s a PDF, an interruption costs at most two minutes of downloads.
BATCH = 8
#: The same from a bucket, which takes well below a second for each.
BULK_BATCH = 100
#: Connections refused in a row after which the network, not the paper, is to blame.
UNREACHABLE_IN_A_ROW = 3


def fetch(
    lake: Lake,
    transport: Transport,
    *,
    base_url: str,
    due: Due | None = None,
    ids: Sequence[str] | None = None,
    limit: int | None = None,
    selection: Selection | None = None,
    bulk: BulkPDFs | None = None,
    policy: Policy = STANDARD,
    progress: ProgressSink = silent,
) -> StageReport:
    """Download the PDF of every work that has none and is selected, or of `ids` only.

    Works that were asked for by id are tried whatever the selection says and however recent their last
    failure is. What fails is recorded with its reason and tried again at later runs: at the next one where
    the network or a broken file was to blame, after days where the server means it.

    Args:
        lake: where the PDFs go.
        transport: the way to arXiv.
        base_url: PDFs are at `<base_url>/<id>v<version>`.
        due: what `search.ingest.wanted.due` said of this selection and policy; None asks it.
        ids: these works only.
        limit: how many at most; the others are told of as waiting.
        selection: which works get full text; None: all of them.
        bulk: a copy of the public bucket, asked before arXiv.
        policy: of which licence classes full texts are kept; others are left out, those in `ids` reported.
        progress: told before every paper.

    Raises:
        NetworkUnreachable: three papers in a row could not be asked for; what came before is kept.
    """
    started = time.monotonic()
    if ids is not None:
        lake.catalogue.refresh()
        missing = lake.catalogue.to_fetch(ids)
        due = Due(tuple(missing[:limit]), waiting=len(missing) - len(missing[:limit]))
    elif due is None:
        due = wanted.due(lake, selection, policy, limit=limit)
    tries = lake.catalogue.tries("fetched", [work_id for work_id, _ in due.papers])
    taken = _Taken(lake, BATCH if bulk is None else BULK_BATCH)

    def download(work_id: str, version: int) -> PDFDownload:
        permit(lake, policy, work_id)
        return _download(transport, base_url, bulk, work_id, version)

    try:
        for position, (work_id, version) in enumerate(due.papers):
            progress(Progress("fetch", position, len(due.papers), f"{work_id}v{version}"))
            taken.take(work_id, version, download)
    finally:
        # Also when interrupted: what arrived has been paid for with arXiv's patience.
        taken.write()
    lake.catalogue.refresh()
    progress(Progress("fetch", len(due.papers), len(due.papers)))
    failed = failed_papers("fetched", taken.all_outcomes, tries)
    return StageReport(
        stage="fetch",
        done=len(taken.all_outcomes) - len(failed),
        failed=failed,
        waiting=due.waiting,
        seconds=time.monotonic() - started,
    )


def permit(lake: Lake, policy: Policy, work_id: str) -> None:
    """Look whether a work's full text may be kept.

    Raises:
        NotPermitted: its licence class is not among those that the policy keeps.
    """
    state = None if policy.keeps_everything else lake.catalogue.state(work_id)
    if state and state.work and not policy.stores(state.work.licence_class):
        raise NotPermitted(work_id, state.work.licence_class, policy.name)


def _download(
    transport: Transport, base_url: str, bulk: BulkPDFs | None, work_id: str, version: int
) -> PDFDownload:
    """Return a PDF from the bucket where it has a whole one, else from arXiv."""
    if bulk is not None:
        try:
            return bulk.download(work_id, version)
        except FetchError as error:
            log.info("%s; arXiv is asked", error.message)
    return download_pdf(transport, base_url, work_id, version)


class _Taken:
    """What arrived and what did not, written batch by batch."""

    def __init__(self, lake: Lake, batch: int) -> None:
        self._lake = lake
        self._batch = batch
        self._lines: list[dict[str, Any]] = []
        self._outcomes: list[Outcome] = []
        self.all_outcomes: list[Outcome] = []
        self._unreachable = 0

    def take(self, work_id: str, version: int, download: Callable[[str, int], PDFDownload]) -> None:
        """Fetch one paper and note what became of it.

        Raises:
            NetworkUnreachable: so it went with the papers before, too.
        """
        try:
            pdf = download(work_id, version)
        except CitewellError as error:
            self._outcomes.append(Outcome.failed(work_id, version, error))
            self._unreachable = self._unreachable + 1 if isinstance(error, NetworkUnreachable) else 0
            if self._unreachable == UNREACHABLE_IN_A_ROW:
                raise
        else:
            self._unreachable = 0
            self._keep(work_id, version, pdf)
        if len(self._outcomes) >= self._batch:
            self.write()

    def _keep(self, work_id: str, version: int, pdf: PDFDownload) -> None:
        try:
            self._lines.append(self._lake.write_pdf(work_id, version, pdf.content))
        except WorkTakenDown as error:  # while it was on its way
            self._outcomes.append(Outcome.failed(work_id, version, error))
        else:
            self._outcomes.append(Outcome(work_id, version))

    def write(self) -> None:
        """Write what has come since the last batch."""
        if self._outcomes:
            self._lake.write_fetched(self._lines, self._outcomes)
            self.all_outcomes += self._outcomes
            self._lines, self._outcomes = [], []


def keep_pdf(lake: Lake, work_id: str, version: int, content: bytes) -> None:
    """Put a PDF that somebody already has into the lake."""
    lake.write_fetched([lake.write_pdf(work_id, version, content)], [Outcome(work_id, version)])
    lake.catalogue.refresh()
