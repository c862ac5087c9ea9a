"""Which papers' PDFs are to be fetched now, and why: the selection, the licence policy, and who must wait.

What is due is looked for in the order of the ranking, and no further than somebody wants to take: a run
costs what it takes, however many papers the lake knows. `explain` looks at all of them.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import chain, islice
from typing import TYPE_CHECKING

from search.arxiv.licences import STANDARD, Policy
from search.ingest.selection import Choice, Selection, SelectionReport, choose, read_selection
from search.ingest.verdicts import Found, Verdicts
from search.lake.lake import Lake
from search.lake.shares import WHOLE, Share

if TYPE_CHECKING:
    from search.arxiv.bulk import BulkPDFs
    from search.settings import Settings

#: How long a failure that the server means (404) is left alone, times the tries so far: arXiv makes PDFs
#: hours after the record, and of a withdrawn version never.
RETRY_REFUSED = timedelta(days=1)
MOST_DAYS = 30


@dataclass(frozen=True, slots=True)
class Due:
    """What is to be fetched."""

    #: (work id, version), the most wanted first.
    papers: tuple[tuple[str, int], ...]
    #: Papers that are left for later: a server refused them too recently, or they are beyond a limit.
    waiting: int = 0


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


def due(
    lake: Lake,
    selection: Selection | None = None,
    policy: Policy = STANDARD,
    *,
    share: Share = WHOLE,
    limit: int | None = None,
) -> Due:
    """Return the papers whose PDF is to be fetched now.

    Args:
        lake: the library's.
        selection: what is wanted; None wants everything.
        policy: of which licence classes full texts are kept.
        share: of the works. The ranking and its budget are those of all works.
        limit: how many at most. Of those beyond it as many again are counted as waiting, and no more.
    """
    late = waiting(lake)
    with _found(lake, selection, policy) as found:
        mine = (work_id for work_id in _chosen(found, selection, late) if share.holds(work_id))
        ids = list(mine if limit is None else islice(mine, 2 * limit))
    taken = ids[:limit]
    versions = dict(lake.catalogue.to_fetch(taken))
    papers = tuple((work_id, versions[work_id]) for work_id in taken if work_id in versions)
    return Due(papers, waiting=len(ids) - len(taken) + sum(map(share.holds, late)))


def count_due(lake: Lake, selection: Selection | None, policy: Policy, *, most: int) -> int:
    """Return how many papers are to be fetched now, up to `most`."""
    with _found(lake, selection, policy) as found:
        return sum(1 for _ in islice(_chosen(found, selection, waiting(lake)), most))


def waiting(lake: Lake) -> dict[str, str]:
    """Return the papers that a server refused too recently to be asked for again, and until when."""
    now, day = time.time_ns() // 1000, int(RETRY_REFUSED.total_seconds() * 1e6)
    lake.catalogue.refresh()
    late = {}
    for work_id, tries, stamp, message in lake.catalogue.refused():
        again = stamp + day * min(tries, MOST_DAYS)
        if again > now:
            when = datetime.fromtimestamp(again / 1e6, tz=UTC)
            late[work_id] = (
                f"refused {tries} times ({message}); asked for again after {when:%Y-%m-%d %H:%M} UTC"
            )
    return late


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
    late = waiting(lake)
    with _found(lake, selection, policy) as found:
        holding = found.holding()
        choices = [
            *choose(
                selection or Selection(),
                found.candidates(),
                today=_today(),
                holding=holding,
                asked_for=frozenset(found.asked_for()),
                waiting=late,
            )
        ]
    without = {choice.work_id for choice in choices}
    held = [one for one in (lake.catalogue.work_ids() if ids is None else ids) if one not in without]
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
        holding=holding,
        counts=dict(counts),
        choices=tuple(c for c in choices if named is None or c.work_id in named)[:limit],
    )


@contextmanager
def _found(lake: Lake, selection: Selection | None, policy: Policy) -> Iterator[Found]:
    lake.catalogue.refresh()
    with Verdicts(lake.cache, lake.catalogue, selection or Selection(), policy).opened() as found:
        yield found


def _chosen(found: Found, selection: Selection | None, late: dict[str, str]) -> Iterator[str]:
    """Yield the ids of the works that get full text, the most wanted first: those that `choose` chooses."""
    asked = [work_id for work_id in found.asked_for() if work_id not in late]
    ranked = (work_id for work_id in found.ranked(_today()) if work_id not in late)
    budget = selection.budget if selection else None
    places = None if budget is None else max(0, budget - found.holding() - len(asked))
    return chain(asked, islice(ranked, places))


def _today() -> date:
    return datetime.now(UTC).date()
