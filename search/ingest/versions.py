"""`update`: ask arXiv for the current records of papers that the library holds, and say what changed.

Harvests bring the same news in bulk. This is for libraries that are filled by hand, and for pinned papers,
of which a person wants to know what they miss. A new version replaces the old one: its PDF is fetched where
the old one was read, and the next build replaces passages, documents and edges. What was, stays in the lake.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from search.arxiv.identifiers import oai_identifier
from search.errors import CitewellError, MalformedResponse, NetworkUnreachable, WorkNotFound
from search.ingest.harvest import METADATA_PREFIX, record_fact
from search.ingest.reports import BuildReport, FailedPaper, StageReport, failed_papers
from search.lake.batch import Outcome
from search.lake.facts import ArxivFact, UserFact
from search.models import Model, Withdrawn, Work
from search.progress import Progress, ProgressSink, silent

if TYPE_CHECKING:
    from search.arxiv.oai import OAIClient
    from search.lake.lake import Lake

#: Records asked for before they are kept: at three seconds each, an interruption costs a minute.
BATCH = 20


class Change(Model):
    """What is new of one paper."""

    work_id: str
    title: str
    #: The version that the library held, the one that it holds now, and arXiv's newest.
    before: int
    now: int
    newest: int
    pinned: bool = False
    withdrawn_before: Withdrawn = "no"
    withdrawn: Withdrawn = "no"
    #: Other things that arXiv says differently now: "title", "licence", …
    fields: tuple[str, ...] = ()


class UpdateReport(Model):
    """What `update` found and did."""

    asked: int
    changes: tuple[Change, ...] = ()
    #: Pinned papers of which arXiv has a newer version than the one that is held fast.
    behind: tuple[Change, ...] = ()
    failed: tuple[FailedPaper, ...] = ()
    stages: tuple[StageReport, ...] = ()
    build: BuildReport | None = None
    #: Papers that were read in the version they had: the PDF of the one they have now is fetched.
    to_fetch: tuple[str, ...] = ()
    seconds: float = 0.0


#: What a person would want to know of, beside version and withdrawal.
COMPARED = (
    "pinned",
    "title",
    "abstract",
    "authors",
    "categories",
    "licence",
    "doi",
    "journal_ref",
    "comments",
)


def update(
    lake: Lake,
    client: OAIClient,
    ids: Sequence[str] | None = None,
    *,
    unpin: bool = False,
    progress: ProgressSink = silent,
) -> UpdateReport:
    """Bring the current records of works into the lake, and compare what it says before and after.

    Args:
        lake: the truth.
        client: asks arXiv, a record at a time.
        ids: works of the library; None: all of them, pinned ones included.
        unpin: let pinned ones follow the newest version again.
        progress: told how far it is.

    Raises:
        WorkNotFound: one of `ids` is not in the library.
        NetworkUnreachable: arXiv cannot be asked; what came before is kept.
    """
    started = time.monotonic()
    lake.catalogue.refresh()
    wanted = list(dict.fromkeys(ids)) if ids is not None else lake.catalogue.work_ids()
    states = [state for state in lake.catalogue.states(wanted) if not state.removed]
    known = {state.work_id: state.work for state in states if state.work}
    with_pdf = {state.work_id for state in states if state.pdf}
    for work_id in wanted if ids is not None else ():
        if work_id not in known:
            raise WorkNotFound(f"{work_id} is not in this library", advice=f"run `citewell add {work_id}`")
    facts: list[ArxivFact | UserFact] = []
    failed: list[Outcome] = []
    try:
        for position, (work_id, work) in enumerate(known.items()):
            progress(Progress("update", position, len(known), work_id))
            try:
                facts.append(_current(client, work_id))
            except NetworkUnreachable:
                raise
            except CitewellError as error:
                failed.append(Outcome.failed(work_id, None, error))
                continue
            if unpin and work.pinned:
                facts.append(UserFact(work_id=work_id, topic="pin", value=None))
            if len(facts) >= BATCH:
                lake.write_facts(facts)
                facts = []
    finally:
        # Also when interrupted: what arrived has been paid for with arXiv's patience.
        if facts:
            lake.write_facts(facts)
    lake.catalogue.refresh()
    progress(Progress("update", len(known), len(known)))
    found = [
        _change(known[state.work_id], state.work) for state in lake.catalogue.states(known) if state.work
    ]
    return UpdateReport(
        asked=len(known),
        changes=tuple(change for change in found if _is_news(change)),
        to_fetch=tuple(c.work_id for c in found if c.now != c.before and c.work_id in with_pdf),
        behind=tuple(change for change in found if change.pinned and change.now < change.newest),
        failed=failed_papers("update", failed, {}),
        seconds=time.monotonic() - started,
    )


def _current(client: OAIClient, work_id: str) -> ArxivFact:
    record = client.get_record(oai_identifier(work_id), metadata_prefix=METADATA_PREFIX)
    fact = record_fact(record, datetime.now(UTC))
    if fact is None:
        raise MalformedResponse(f"{work_id}: {record.problem or 'the record holds no metadata'}")
    return fact


def newest_version(work: Work) -> int:
    """Return the number of arXiv's newest version of a work, as far as the library knows."""
    return max((version.number for version in work.versions), default=work.version)


def _change(before: Work, now: Work) -> Change:
    return Change(
        work_id=now.work_id,
        title=now.title,
        before=before.version,
        now=now.version,
        newest=newest_version(now),
        pinned=now.pinned,
        withdrawn_before=before.withdrawn,
        withdrawn=now.withdrawn,
        fields=tuple(name for name in COMPARED if getattr(before, name) != getattr(now, name)),
    )


def _is_news(change: Change) -> bool:
    return bool(change.fields or change.before != change.now or change.withdrawn != change.withdrawn_before)
