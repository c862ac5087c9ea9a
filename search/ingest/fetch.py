"""PDFs into the lake, politely; what does not arrive is recorded and tried again at a later run."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from search.arxiv.licences import STANDARD, Policy
from search.arxiv.pdf import PDFDownload, download_pdf
from search.arxiv.transport import Transport
from search.errors import CitewellError, FetchError, NetworkUnreachable, NotPermitted, WorkTakenDown
from search.ingest.reports import StageReport, failed_papers
from search.ingest.selection import Choice, Selection, SelectionReport, choose, read_selection
from search.ingest.verdicts import candidates, selection_key
from search.lake.batch import Outcome
from search.lake.lake import Lake
from search.lake.shares import Share
from search.progress import Progress, ProgressSink, silent

if TYPE_CHECKING:
    from search.arxiv.bulk import BulkPDFs
    from search.settings import Settings

log = logging.getLogger(__name__)

#: Papers per batch: at arXiv's 15 s a PDF, an interruption costs at most two minutes of downloads.
BATCH = 8
#: The same from a bucket, which takes well below a second for each.
BULK_BATCH = 100
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
        ids: these works only.
        limit: how many at most; the others are told of as waiting.
        share: works of this share only.
        selection: which works get full text; None: all of them.
        bulk: a copy of the public bucket, asked before arXiv.
        policy: of which licence classes full texts are kept; others are left out, those in `ids` reported.
        progress: told before every paper.

    Raises:
        NetworkUnreachable: three papers in a row could not be asked for; what came before is kept.
    """
    started = time.monotonic()
    lake.catalogue.refresh()
    wanted = lake.catalogue.to_fetch(ids, share)
    tries = {f.work_id: f.tries for f in lake.catalogue.failures() if f.stage == "fetched"}
    if ids is None:
        late = {**waiting(lake), **forbidden(lake, policy)}
        chosen = None if selection is None else _chosen(lake, selection, late)
        if chosen is not None:
            # In the order of the ranking: what a limit or an interruption leaves over is the least wanted.
            versions = dict(wanted)
            wanted = [(work_id, versions[work_id]) for work_id in chosen if work_id in versions]
        due = [paper for paper in wanted if paper[0] not in late][:limit]
    else:
        due = wanted[:limit]
    taken = _Taken(lake, BATCH if bulk is None else BULK_BATCH)

    def download(work_id: str, version: int) -> PDFDownload:
        permit(lake, policy, work_id)
        return _download(transport, base_url, bulk, work_id, version)

    try:
        for position, (work_id, version) in enumerate(due):
            progress(Progress("fetch", position, len(due), f"{work_id}v{version}"))
            taken.take(work_id, version, download)
    finally:
        # Also when interrupted: what arrived has been paid for with arXiv's patience.
        taken.write()
    lake.catalogue.refresh()
    progress(Progress("fetch", len(due), len(due)))
    failed = failed_papers("fetched", taken.all_outcomes, tries)
    return StageReport(
        stage="fetch",
        done=len(taken.all_outcomes) - len(failed),
        failed=failed,
        waiting=len(wanted) - len(due),
        seconds=time.monotonic() - started,
    )


def wanted_from(settings: Settings) -> tuple[Selection | None, BulkPDFs | None]:
    """Return which papers get full text and the bucket they may come from, as a library's owner has set it.

    Raises:
        SettingsError: the selection's file or the bucket's address cannot be.
        MissingExtra: the package that reads the bucket is not installed.
    """
    selection = read_selection(settings.selection)
    if not settings.pdf_bulk_url:
        return selection, None
    from search.arxiv.bulk import BulkPDFs

    return selection, BulkPDFs(settings.pdf_bulk_url)


def explain(
    lake: Lake,
    selection: Selection | None,
    *,
    ids: Sequence[str] | None = None,
    file: str | None = None,
    limit: int | None = None,
    policy: Policy = STANDARD,
) -> SelectionReport:
    """Return for each paper whether it gets full text and why; fetch nothing.

    Args:
        lake: the library's.
        selection: what is wanted; None wants everything.
        ids: these papers only; the ranking is that of all.
        file: where the selection comes from, for the report.
        limit: how many papers to tell of; the counts are of all.
        policy: of which licence classes full texts are kept.
    """
    lake.catalogue.refresh()
    everything = lake.catalogue.work_ids()
    without = lake.catalogue.missing_pdfs()
    late = {**waiting(lake), **forbidden(lake, policy)}
    choices = [*_choices(lake, selection or Selection(), late, every=True)]
    held = [work_id for work_id in (everything if ids is None else ids) if work_id not in without]
    choices += [
        Choice(
            work_id=state.work_id,
            title=state.work.title,
            standing="has full text",
            fetch=False,
            why="its PDF is in the lake",
        )
        for state in lake.catalogue.states(held)
        if state.work and state.pdf
    ]
    choices.sort(key=lambda choice: not choice.fetch)
    counts = Counter(choice.standing for choice in choices)
    named = None if ids is None else set(ids)
    return SelectionReport(
        file=file,
        budget=selection.budget if selection else None,
        holding=len(everything) - len(without),
        counts=dict(counts),
        choices=tuple(c for c in choices if named is None or c.work_id in named)[:limit],
    )


def waiting(lake: Lake) -> dict[str, str]:
    """Return the papers that a server refused too recently to be asked for again, and until when."""
    now, day = time.time_ns() // 1000, int(RETRY_REFUSED.total_seconds() * 1e6)
    refused = [f for f in lake.catalogue.failures() if f.stage == "fetched" and not f.retryable]
    versions = dict(lake.catalogue.to_fetch([f.work_id for f in refused])) if refused else {}
    late = {}
    for f in refused:
        again = f.stamp + day * min(f.tries, MOST_DAYS)
        # A version that came since has not been refused yet.
        if versions.get(f.work_id) == f.version and again > now:
            when = datetime.fromtimestamp(again / 1e6, tz=UTC)
            late[f.work_id] = (
                f"refused {f.tries} times ({f.message}); asked for again after {when:%Y-%m-%d %H:%M} UTC"
            )
    return late


def forbidden(lake: Lake, policy: Policy) -> dict[str, str]:
    """Return the papers without a PDF whose full text the policy does not let us keep, and why."""
    if policy.keeps_everything:
        return {}
    missing = [work_id for work_id, _ in lake.catalogue.to_fetch()]
    works = (state.work for state in lake.catalogue.states(missing) if state.work)
    return {
        work.work_id: NotPermitted(work.work_id, work.licence_class, policy.name).message
        for work in works
        if not policy.stores(work.licence_class)
    }


def permit(lake: Lake, policy: Policy, work_id: str) -> None:
    """Look whether a work's full text may be kept.

    Raises:
        NotPermitted: its licence class is not among those that the policy keeps.
    """
    state = None if policy.keeps_everything else lake.catalogue.state(work_id)
    if state and state.work and not policy.stores(state.work.licence_class):
        raise NotPermitted(work_id, state.work.licence_class, policy.name)


def _chosen(lake: Lake, selection: Selection, late: dict[str, str]) -> list[str]:
    """Return the ids of the works that get full text, the most wanted first; those that wait are left out."""
    return [choice.work_id for choice in _choices(lake, selection, late, every=False) if choice.fetch]


def _choices(lake: Lake, selection: Selection, late: dict[str, str], *, every: bool) -> Iterator[Choice]:
    path = lake.cache.with_name(f"{lake.cache.stem}-selection-{selection_key(selection)}.sqlite")
    return choose(
        selection,
        candidates(path, lake.catalogue, selection, every=every),
        today=datetime.now(UTC).date(),
        holding=len(lake.catalogue.work_ids()) - len(lake.catalogue.missing_pdfs()),
        asked_for=frozenset(lake.catalogue.asked_for()),
        waiting=late,
    )


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
