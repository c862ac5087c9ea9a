"""Saved searches: what is new since somebody looked the last time.

A watch, and what was delivered of it to whom, are facts in the lake, one batch a change, in `watches/`.
New are papers, and versions of papers, whose date is recent when the lake hears of them, and papers that
somebody added by name; not old papers that a backfill brings or whose metadata were touched. Which of them
match, `search.retrieval.matching` says. Why so: docs/decisions/0016-watches.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from search.errors import UsageError
from search.lake.batch import read_batch, stamp_of, write_batch
from search.models import Filters, MatchedPassage, Mode, Model, Withdrawn
from search.progress import Progress, ProgressSink, silent
from search.retrieval.matching import Match, matches
from search.retrieval.plan import check_filters, words

if TYPE_CHECKING:
    from search.embedding.protocol import Embedder
    from search.index.protocol import IndexStore
    from search.lake.lake import Lake
    from search.lake.states import WorkState

KIND = "watches"
#: Who has read what, where nobody else is named.
READER = "me"
#: Lowest score by default. Of 200 titles of real papers asked for, papers that they cite reach it 28 times
#: as often as others do (evals/results.md).
THRESHOLD = 0.6
#: Days that a version may be old when the lake first hears of it: arXiv dates a version by its submission,
#: and moderation can hold it for weeks.
RECENT = timedelta(days=30)
#: What came so shortly before the last run is looked at once more: its PDF or its vectors may have come
#: after that run. Nothing is delivered twice for it.
OVERLAP = timedelta(days=7)
#: Papers of one watch in one delivery.
MOST = 100


class Watch(Model):
    """One saved search."""

    name: str
    query: str
    mode: Mode = "hybrid"
    filters: Filters = Filters()
    #: Lowest score to tell of, 0 to 1; 1 is as good as the library's best paper for the query.
    threshold: float = THRESHOLD
    #: What came after this moment is new.
    added: datetime


class NewPaper(Model):
    """A paper, or a version of one, that a watch found."""

    work_id: str
    version: int
    title: str
    authors: tuple[str, ...] = ()
    #: Date of this version.
    updated: date | None = None
    categories: tuple[str, ...] = ()
    withdrawn: Withdrawn = "no"
    url: str | None = None
    score: float
    bm25_score: float | None = None
    vector_score: float | None = None
    passage: MatchedPassage


class WatchReport(Model):
    """What one run of one watch found."""

    name: str
    query: str
    reader: str
    #: What came after this moment was looked at; the time before was delivered before.
    since: datetime
    papers: tuple[NewPaper, ...] = ()
    #: Papers above the threshold that are not listed, because there are too many.
    more: int = 0
    #: New papers that were compared with the query.
    compared: int = 0
    #: Where the next run begins, in microseconds since 1970.
    until: int


Deliver = Callable[[Sequence[WatchReport]], None]


# ------------------------------------------------------------------ what the lake says
class Watches:
    """The saved searches of a lake and what was delivered of them, as the lake says at this moment."""

    def __init__(self, lake: Lake) -> None:
        self._lake = lake
        self._watches: dict[str, Watch] = {}
        #: By watch and reader: where the next run begins, and what was delivered.
        self._until: dict[tuple[str, str], int] = {}
        self._delivered: dict[tuple[str, str], dict[tuple[str, int], float]] = {}
        names = sorted(lake.files.names(KIND), key=stamp_of)
        for name in names:
            batch = read_batch(lake.files, name)
            for line in batch.records:
                self._fold(line, batch.stamp)
        lake.writer.seen(max(map(stamp_of, names), default=0))

    def _fold(self, line: dict[str, Any], stamp: int) -> None:
        name = line["watch"]
        if line["act"] == "delivered":
            key = name, line["reader"]
            if name in self._watches:  # a late word about a watch that is gone
                self._until[key] = max(self._until.get(key, 0), line["until"])
                for paper in line["papers"]:
                    told = self._delivered.setdefault(key, {})
                    told[paper["work_id"], paper["version"]] = stamp / 1e6
            return
        self._watches.pop(name, None)
        for known in (self._until, self._delivered):
            for key in [key for key in known if key[0] == name]:
                del known[key]
        if line["act"] == "add":
            moment = datetime.fromtimestamp(stamp / 1e6, tz=UTC)
            self._watches[name] = Watch(name=name, added=moment, **line["search"])

    def all(self) -> list[Watch]:
        """Return all saved searches, by name."""
        return [self._watches[name] for name in sorted(self._watches)]

    def named(self, names: Iterable[str] | None) -> list[Watch]:
        """Return these saved searches, or all.

        Raises:
            UsageError: there is none of this name.
        """
        if names is None:
            return self.all()
        for name in (wanted := list(names)):
            if name not in self._watches:
                known = ", ".join(sorted(self._watches)) or "none"
                raise UsageError(f"there is no watch {name!r}", advice=f"there are: {known}")
        return [self._watches[name] for name in wanted]

    def since(self, watch: Watch, reader: str) -> int:
        """Return the moment after which a reader has not been told, in microseconds since 1970."""
        return self._until.get((watch.name, reader), int(watch.added.timestamp() * 1e6))

    def delivered(self, watch: Watch, reader: str) -> dict[tuple[str, int], float]:
        """Return what a reader was told of, as (work id, version), and when, in seconds since 1970."""
        return self._delivered.get((watch.name, reader), {})


def add_watch(
    lake: Lake,
    name: str,
    query: str,
    *,
    filters: Filters | None = None,
    mode: Mode = "hybrid",
    threshold: float = THRESHOLD,
) -> Watch:
    """Save a search; one of the same name is replaced, and begins anew.

    Raises:
        EmptyQuery, BadFilter, UsageError: it could never find anything.
    """
    if not name.strip() or len(name) > 100 or not name.isprintable():
        raise UsageError("a watch needs a name of 1 to 100 printable characters", advice="give a short one")
    if not 0 <= threshold <= 1:
        raise UsageError(f"threshold is {threshold}", advice="give 0 to 1")
    words(query)
    check_filters(filters or Filters())
    search = {
        "query": query,
        "mode": mode,
        "threshold": threshold,
        "filters": (filters or Filters()).model_dump(mode="json"),
    }
    _write(lake, [{"watch": name, "act": "add", "search": search}])
    return Watches(lake).named([name])[0]


def remove_watch(lake: Lake, name: str) -> None:
    """Forget a saved search.

    Raises:
        UsageError: there is none of this name.
    """
    Watches(lake).named([name])
    _write(lake, [{"watch": name, "act": "remove"}])


def _write(lake: Lake, lines: Sequence[dict[str, Any]]) -> None:
    Watches(lake)  # a writer never stamps below what is there, whichever machine's clock wrote it
    write_batch(lake.files, lake.writer, KIND, lines, [])


# ------------------------------------------------------------------ running
def run_watches(
    lake: Lake,
    store: IndexStore,
    embedder: Callable[[], Embedder],
    deliver: Deliver,
    *,
    names: Sequence[str] | None = None,
    reader: str = READER,
    dense: float = 0.6,
    progress: ProgressSink = silent,
) -> list[WatchReport]:
    """Find what is new, deliver it, and then note that it was delivered.

    A run that is interrupted before the note delivers the same again at the next run: at least once, and
    no second time after that.

    Args:
        lake: the truth.
        store: the index.
        embedder: returns the model; called only where a watch wants vectors.
        deliver: is given all reports; if it raises, nothing counts as delivered.
        names: the watches to run; None: all.
        reader: who is told. What one reader was told is new to another.
        dense: weight of the semantic leg.
        progress: told how far it is.

    Raises:
        UsageError: there is no watch of such a name.
        IndexMissing: nothing was built yet.
    """
    lake.catalogue.refresh()
    watches = Watches(lake)
    wanted = watches.named(names)
    if not wanted:
        deliver([])
        return []
    news = News(lake, store)
    reports = []
    for position, watch in enumerate(wanted):
        progress(Progress("watch", position, len(wanted), watch.name))
        since, told = watches.since(watch, reader), watches.delivered(watch, reader)
        papers = {
            work_id: state
            for work_id, state in news.since(since, watch.added).items()
            if state.work and (work_id, state.work.version) not in told
        }
        found = matches(
            store, embedder, watch.query, sorted(papers),
            filters=watch.filters, mode=watch.mode, dense=dense, threshold=watch.threshold,
        )  # fmt: skip
        # A hit of another version than the lake's: the index is about to follow.
        current = [m for m in found if m.passage.version == papers[m.work_id].work.version]  # type: ignore[union-attr]
        reports.append(
            WatchReport(
                name=watch.name,
                query=watch.query,
                reader=reader,
                since=datetime.fromtimestamp(since / 1e6, tz=UTC),
                papers=tuple(_paper(match, papers[match.work_id]) for match in current[:MOST]),
                more=max(0, len(current) - MOST),
                compared=len(papers),
                until=max(since, news.until),
            )
        )
    deliver(reports)
    _write(lake, [_delivered(report) for report in reports])
    return reports


class News:
    """Which works the lake heard of lately, as far as the live index has them."""

    def __init__(self, lake: Lake, store: IndexStore) -> None:
        self._lake = lake
        self._names = lake.files.names("works")
        applied = store.live().applied
        waiting = [stamp_of(name) for name in self._names if name not in applied]
        #: What came before this moment is in the index, in microseconds since 1970.
        self.until = min(waiting) - 1 if waiting else max(map(stamp_of, self._names), default=0)
        self._touched: dict[str, set[str]] = {}

    def since(self, moment: int, begin: datetime) -> dict[str, WorkState]:
        """Return the works that became known, or got a new version, after a moment, and not before `begin`.

        What came up to `OVERLAP` before the moment is among them.
        """
        first = max(moment - int(OVERLAP.total_seconds() * 1e6), int(begin.timestamp() * 1e6))
        heard: dict[str, int] = {}
        for name in self._names:
            if (stamp := stamp_of(name)) > first:
                heard.update(dict.fromkeys(self._works(name), stamp))
        added = self._lake.catalogue.added_since(first)
        states = self._lake.catalogue.states(sorted(heard))
        return {
            state.work_id: state
            for state in states
            if not state.removed and (state.work_id in added or _is_recent(state, heard[state.work_id]))
        }

    def _works(self, name: str) -> set[str]:
        if name not in self._touched:
            self._touched[name] = self._lake.touched(name)
        return self._touched[name]


def _is_recent(state: WorkState, stamp: int) -> bool:
    """Return whether the version held was young when the lake heard of it; without a date it may be."""
    if state.work is None:
        return False
    day = state.work.updated or state.work.published
    return day is None or day >= (datetime.fromtimestamp(stamp / 1e6, tz=UTC) - RECENT).date()


def _paper(match: Match, state: WorkState) -> NewPaper:
    work, passage = state.work, match.passage
    assert work is not None
    lexical = match.vector_score is None or match.bm25_score is not None
    return NewPaper(
        work_id=match.work_id,
        version=work.version,
        title=work.title,
        authors=work.authors,
        updated=work.updated,
        categories=work.categories,
        withdrawn=work.withdrawn,
        url=work.url,
        score=match.score,
        bm25_score=match.bm25_score,
        vector_score=match.vector_score,
        passage=MatchedPassage(
            passage_id=passage.passage_id,
            leg="lexical" if lexical else "semantic",
            score=match.bm25_score if lexical and match.bm25_score is not None else match.vector_score or 0.0,
            section=passage.section,
            page=passage.page,
            boxes=passage.boxes,
            text=passage.text,
        ),
    )


def _delivered(report: WatchReport) -> dict[str, Any]:
    """Return the line that notes a delivery. Ids only: a title may have to go one day."""
    return {
        "watch": report.name,
        "act": "delivered",
        "reader": report.reader,
        "until": report.until,
        "papers": [{"work_id": paper.work_id, "version": paper.version} for paper in report.papers],
    }
