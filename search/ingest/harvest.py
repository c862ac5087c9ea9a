"""The first stage: OAI-PMH records into the lake's raw answers and works log."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime

from search.arxiv.identifiers import Identifier, oai_identifier, parse
from search.arxiv.oai import OAIClient, Page, Record
from search.errors import BadIdentifier, MalformedResponse, OAIError, UsageError
from search.ingest.reports import FailedPaper, HarvestReport, StageReport, failed_papers
from search.ingest.snapshot import newest_day
from search.ingest.windows import (
    BACKFILL,
    MOST_WINDOWS,
    Harvested,
    Window,
    backfill_windows,
    closed_days,
    harvested_window,
    next_day,
    pieces,
)
from search.lake.batch import Outcome
from search.lake.facts import ArxivFact, UserFact
from search.lake.lake import Lake
from search.progress import Progress, ProgressSink, silent

METADATA_PREFIX = "arXivRaw"
#: Pages that are worth reading again when a list breaks off: a minute of asking. A longer list is cut.
LONG_LIST = 20


def next_from(lake: Lake, base_url: str, set_: str | None, today: date) -> date:
    """Return where the next harvest begins: before the first day that is not closed, or a week ago.

    The rules are `search.ingest.windows.next_day`'s: an outage of any length leaves no hole, a window that
    was harvested after it hides none, and today's incomplete answer never passes for the whole day.
    """
    return next_day(_harvested(lake, base_url, set_), today, snapshot=newest_day(lake, base_url))


def backfill_keys(
    lake: Lake,
    *,
    base_url: str,
    from_: date,
    until: date,
    set_: str | None = None,
    skip_closed: bool = True,
    most: int = MOST_WINDOWS,
) -> list[str]:
    """Return the windows of a backfill as strings for `harvest_window`, at most `most`.

    With `skip_closed`, days that were harvested whole are left out: a backfill that broke off goes on.

    Raises:
        UsageError: the range ends before it begins.
    """
    lake.catalogue.refresh()
    closed = closed_days(_harvested(lake, base_url, set_)) if skip_closed else []
    return [str(window) for window in backfill_windows(from_, until, closed=closed, most=most)]


def harvest(
    lake: Lake,
    client: OAIClient,
    *,
    base_url: str,
    from_: date | None = None,
    until: date | None = None,
    set_: str | None = None,
    today: date | None = None,
    progress: ProgressSink = silent,
) -> HarvestReport:
    """Bring a range of days into the lake; harvesting it again is harmless.

    A long list is harvested month by month, each a window that is closed on its own: an interrupted
    harvest of years goes on where it was. Without `from_`, months that are closed already are left out.

    Args:
        lake: where the records go.
        client: the server.
        base_url: under which name its windows are kept.
        from_: first day; None: `next_from`.
        until: last day, inclusive; None: to the newest record.
        set_: an OAI-PMH set.
        today: the day it is in UTC; None: ask the clock.
        progress: told after every page.

    Raises:
        UsageError: the range ends before it begins.
        MalformedResponse: a window did not come whole; those before it are closed, it is not.
        TransportError: the server cannot be asked; likewise.
    """
    began = time.monotonic()
    lake.catalogue.refresh()
    now = today or datetime.now(UTC).date()
    start = from_ or next_from(lake, base_url, set_, now)
    if until and start > until:
        advice = "swap the dates" if from_ else "say where it begins: the last harvest went further"
        raise UsageError(f"the window ends before it begins: {start} to {until}", advice=advice)
    closed = [] if from_ else closed_days(_harvested(lake, base_url, set_))
    cut = pieces(start, until, now, closed=closed)
    whole = _Peeked(_list(client, start, until, set_)) if len(cut) > 1 else None
    if whole is not None and not _is_long(whole):
        reports = [_harvest(lake, whole, base_url, start, until, set_, progress=progress)]
    else:
        reports = [
            _harvest(lake, _list(client, *piece, set_), base_url, *piece, set_, progress=progress)
            for piece in cut
        ]
    return HarvestReport(
        base_url=base_url,
        set=set_,
        from_=start,
        until=until,
        response_date=reports[0].response_date,
        pages=sum(report.pages for report in reports),
        records=sum(report.records for report in reports),
        new=sum(report.new for report in reports),
        unreadable=tuple(failed for report in reports for failed in report.unreadable),
        seconds=time.monotonic() - began,
        notes=tuple(note for report in reports for note in report.notes),
    )


def harvest_window(
    lake: Lake,
    client: OAIClient,
    *,
    base_url: str,
    key: str,
    set_: str | None = None,
    progress: ProgressSink = silent,
) -> HarvestReport:
    """Harvest one window of a backfill, named as `2026-01-05_2026-01-06`; the same again is harmless.

    It closes its days, and does not decide where the daily harvest begins.

    Raises:
        UsageError: the key names no window.
        MalformedResponse: the window did not come whole.
        TransportError: the server cannot be asked; `retry_after` says how long it wants to be left alone.
    """
    window = Window.parse(key)
    lake.catalogue.refresh()
    return _harvest(
        lake,
        _list(client, window.first, window.last, set_),
        base_url,
        window.first,
        window.last,
        set_,
        purpose=BACKFILL,
        progress=progress,
    )


def _list(client: OAIClient, first: date, last: date | None, set_: str | None) -> Iterator[Page]:
    return client.list_records(from_=first, until=last, set_=set_, metadata_prefix=METADATA_PREFIX)


class _Peeked:
    """Pages of which the first has been looked at."""

    def __init__(self, pages: Iterator[Page]) -> None:
        self.first = next(pages)
        self._rest = pages

    def __iter__(self) -> Iterator[Page]:
        yield self.first
        yield from self._rest


def _is_long(pages: _Peeked) -> bool:
    """Return whether a list is so long that it had better be cut."""
    page = pages.first
    if page.complete_list_size is None:
        return page.resumption_token is not None
    return page.complete_list_size > LONG_LIST * max(1, len(page.records))


def _harvest(
    lake: Lake,
    answers: Iterable[Page],
    base_url: str,
    first: date,
    last: date | None,
    set_: str | None,
    *,
    purpose: str = "",
    progress: ProgressSink,
) -> HarvestReport:
    """Bring one window of records into the lake, page by page.

    Each page is kept as received, then its facts are written. The window counts as done only after its
    last page, so an interrupted one is harvested again from its beginning: tokens die, windows do not.
    """
    began = time.monotonic()
    window = f"{first.isoformat()}_{last.isoformat() if last else 'open'}"
    window += f"_{set_.replace(':', '-')}" if set_ else ""
    pages = records = 0
    found: set[str] = set()
    unreadable: list[FailedPaper] = []
    notes: list[str] = []
    first_answer: datetime | None = None
    for page in answers:
        first_answer = first_answer or page.response_date
        name = lake.write_raw(window, first_answer, pages, page.raw)
        facts, failed = page_facts(page)
        if facts or failed:
            lake.write_facts(facts, failed)
        pages += 1
        records += len(page.records)
        found.update(fact.work_id for fact in facts)
        unreadable += [
            FailedPaper(work_id=o.work_id, stage="works", error=o.error, message=o.message) for o in failed
        ]
        if page.mended:
            notes.append(f"{name} was no valid UTF-8; what could not be decoded is \N{REPLACEMENT CHARACTER}")
        progress(Progress("harvest", records, page.complete_list_size, window))
    new = found - lake.catalogue.known(found)
    if first_answer:
        lake.write_window(
            base_url=base_url,
            set_=set_,
            from_=first,
            until=last,
            response_date=first_answer,
            purpose=purpose,
        )
    lake.catalogue.refresh()
    return HarvestReport(
        base_url=base_url,
        set=set_,
        from_=first,
        until=last,
        response_date=first_answer,
        pages=pages,
        records=records,
        new=len(new),
        unreadable=tuple(unreadable),
        seconds=time.monotonic() - began,
        notes=tuple(notes),
    )


def _harvested(lake: Lake, base_url: str, set_: str | None) -> list[Harvested]:
    return [harvested_window(row) for row in lake.catalogue.harvested(base_url, set_)]


def page_facts(page: Page) -> tuple[list[ArxivFact], list[Outcome]]:
    """Return the facts of a page, and an outcome for each record that holds none."""
    facts, failed = [], []
    for record in page.records:
        fact = record_fact(record, page.response_date)
        if fact is None:
            failed.append(_unreadable(record))
        else:
            facts.append(fact)
    return facts, failed


def record_fact(record: Record, response_date: datetime) -> ArxivFact | None:
    """Return the fact that one record states; None where it could not be read."""
    if record.metadata is None:
        return None
    return ArxivFact(
        work_id=record.metadata.work_id,
        version=record.metadata.newest,
        datestamp=record.datestamp,
        response_date=response_date,
        record=record.metadata,
    )


def bring_back(lake: Lake, identifiers: Sequence[Identifier]) -> list[Identifier]:
    """Take back the removal of papers whose record the lake has; return the identifiers left to ask for.

    No network: what was taken out by one word comes back by one word.
    """
    left = []
    for wanted in identifiers:
        state = lake.catalogue.state(wanted.work_id)
        if state is None or not state.removed or state.work is None or wanted.version:
            left.append(wanted)
            continue
        lake.write_facts(
            [
                UserFact(work_id=wanted.work_id, topic="removed", value=0),
                UserFact(work_id=wanted.work_id, topic="pin", value=None),
            ]
        )
    lake.catalogue.refresh()
    return left


def harvest_ids(lake: Lake, client: OAIClient, identifiers: Sequence[Identifier]) -> StageReport:
    """Bring single records into the lake, each as it comes, and with them the wish to have them.

    An identifier with a version pins the work to it, one without lets it follow the newest. Of several,
    one that cannot be had is reported and the others arrive.

    Raises:
        OAIError: the server does not know the only one that was asked for (`IdDoesNotExist`), or refuses.
        UsageError: there is no such version of the only one.
        TransportError: the server cannot be asked; what came before is kept.
    """
    started = time.monotonic()
    failed = []
    for wanted in identifiers:
        try:
            lake.write_facts(_wished(client, wanted))
        except (OAIError, MalformedResponse, UsageError) as error:
            if len(identifiers) == 1:
                raise
            outcome = Outcome.failed(wanted.work_id, wanted.version, error)
            lake.write_facts([], [outcome])
            failed.append(outcome)
    lake.catalogue.refresh()
    return StageReport(
        stage="harvest",
        done=len(identifiers) - len(failed),
        failed=failed_papers("works", failed, {}),
        seconds=time.monotonic() - started,
    )


def _wished(client: OAIClient, wanted: Identifier) -> list[ArxivFact | UserFact]:
    """Return the facts of one paper that somebody asked for by its name."""
    record = client.get_record(oai_identifier(wanted.work_id), metadata_prefix=METADATA_PREFIX)
    fact = record_fact(record, datetime.now(UTC))
    if fact is None:
        raise MalformedResponse(f"{wanted.work_id}: {_unreadable(record).message}")
    if wanted.version and wanted.version > fact.version:
        raise UsageError(
            f"{wanted.work_id} has no version {wanted.version}, its newest is {fact.version}",
            advice="leave the version out to get the newest",
        )
    return [
        fact,
        UserFact(work_id=fact.work_id, topic="removed", value=0),
        UserFact(work_id=fact.work_id, topic="pin", value=wanted.version),
    ]


def _unreadable(record: Record) -> Outcome:
    """Return the outcome of a record without a fact, under the work's own id where that can be told."""
    try:
        work_id = parse(record.identifier).work_id
    except BadIdentifier:
        work_id = record.identifier
    if record.deleted:
        return Outcome(work_id, None, "failed", "Deleted", "the server says that the record is deleted")
    problem = record.problem or "the record holds no metadata"
    return Outcome(work_id, None, "failed", "MalformedResponse", problem)
