"""The first stage: OAI-PMH records into the lake's raw answers and works log."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta

from search.arxiv.identifiers import Identifier, oai_identifier, parse
from search.arxiv.oai import OAIClient, Page, Record
from search.errors import BadIdentifier, MalformedResponse, OAIError, UsageError
from search.ingest.reports import FailedPaper, HarvestReport, StageReport, failed_papers
from search.lake.batch import Outcome
from search.lake.facts import ArxivFact, UserFact
from search.lake.lake import Lake
from search.progress import Progress, ProgressSink, silent

#: Days that a first harvest without dates looks back: a week is what a newcomer can watch arrive.
FIRST_HARVEST = timedelta(days=7)
METADATA_PREFIX = "arXivRaw"


def next_from(lake: Lake, base_url: str, set_: str | None, today: date) -> date:
    """Return where the next harvest begins: the last closed day minus one, or a week ago.

    A day is closed once a window that holds it was answered after it had ended, so that an outage of any
    length leaves no hole and today's incomplete answer never passes for the whole day.
    """
    closed: list[date] = []
    for first, until, response_date in lake.catalogue.windows(base_url, set_):
        before_answer = datetime.fromisoformat(response_date).date() - timedelta(days=1)
        last = min(date.fromisoformat(until), before_answer) if until else before_answer
        if last >= date.fromisoformat(first):  # a window that begins today has closed no day yet
            closed.append(last)
    # A server whose clock is ahead must not send us into the future.
    return min(max(closed), today) - timedelta(days=1) if closed else today - FIRST_HARVEST


def harvest(
    lake: Lake,
    client: OAIClient,
    *,
    base_url: str,
    from_: date | None = None,
    until: date | None = None,
    set_: str | None = None,
    progress: ProgressSink = silent,
) -> HarvestReport:
    """Bring one window of records into the lake, page by page; harvesting it again is harmless.

    Each page is kept as received, then its facts are written. The window counts as done only after its
    last page, so an interrupted one is harvested again from its beginning: tokens die, windows do not.

    Raises:
        UsageError: the window ends before it begins.
    """
    started = time.monotonic()
    lake.catalogue.refresh()
    known = set(lake.catalogue.work_ids()) | set(lake.catalogue.work_ids(removed=True))
    start = from_ or next_from(lake, base_url, set_, datetime.now(UTC).date())
    if until and start > until:
        advice = "swap the dates" if from_ else "say where it begins: the last harvest went further"
        raise UsageError(f"the window ends before it begins: {start} to {until}", advice=advice)
    window = f"{start.isoformat()}_{until.isoformat() if until else 'open'}"
    window += f"_{set_.replace(':', '-')}" if set_ else ""
    pages = records = 0
    found: set[str] = set()
    unreadable: list[FailedPaper] = []
    first_answer: datetime | None = None
    for page in client.list_records(from_=start, until=until, set_=set_, metadata_prefix=METADATA_PREFIX):
        first_answer = first_answer or page.response_date
        lake.write_raw(window, first_answer, pages, page.raw)
        facts, failed = page_facts(page)
        if facts or failed:
            lake.write_facts(facts, failed)
        pages += 1
        records += len(page.records)
        found.update(fact.work_id for fact in facts)
        unreadable += [
            FailedPaper(work_id=o.work_id, stage="works", error=o.error, message=o.message) for o in failed
        ]
        progress(Progress("harvest", records, page.complete_list_size, window))
    if first_answer:
        lake.write_window(base_url=base_url, set_=set_, from_=start, until=until, response_date=first_answer)
    lake.catalogue.refresh()
    return HarvestReport(
        base_url=base_url,
        set=set_,
        from_=start,
        until=until,
        response_date=first_answer,
        pages=pages,
        records=records,
        new=len(found - known),
        unreadable=tuple(unreadable),
        seconds=time.monotonic() - started,
    )


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
