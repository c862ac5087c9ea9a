"""`remove --tombstone`: take a work down, so that nothing of it is left but that it was.

The order comes first, and every reader obeys it at once. Then the index, the lake and the home's caches are
cleared of the work. Each step can be killed at any moment and is done again by the same command, on every
machine that has a home of its own beside the same lake.
"""

from __future__ import annotations

import gzip
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from search.errors import CitewellError, IndexMissing, WorkTakenDown
from search.index.mappings import schema_hash
from search.index.protocol import Generation, IndexStore
from search.ingest.index import write
from search.ingest.papers import documents_of
from search.ingest.reports import BuildReport, StageReport, failed_papers
from search.lake.batch import Outcome
from search.lake.clearing import clear
from search.lake.takedown import CARRIED_OUT, LIFTED, ORDERED
from search.models import Model
from search.progress import Progress, ProgressSink, silent

if TYPE_CHECKING:
    from search.arxiv.identifiers import Identifier
    from search.lake.lake import Lake

#: Folders of a home that other parts keep and clear, or that hold nothing of papers.
NOT_SEARCHED = frozenset({"lake", "index", "models", "demo"})
#: Folders of a home whose files are made from papers and can be made again: what names the work goes.
MADE_AGAIN = frozenset({"cache", "traces", "exports"})


class HeldCopy(Model):
    """A copy that an operator made before the work was taken down, and that still holds it."""

    name: str
    made: datetime
    command: str


class TakedownReport(Model):
    """What taking a work down has done."""

    work_id: str
    #: When it was ordered.
    ordered: datetime
    #: Index generations that were cleared of it, and those that were dropped: made with other mappings.
    generations: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    #: Files of the lake and of the home that were written anew without it, or deleted.
    rewritten: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    #: Other works whose vectors lay in one file with its own, and are computed again.
    to_embed_again: int = 0
    #: What may still hold it and could not be cleared now, each with the reason. Empty: all is done.
    left: tuple[str, ...] = ()
    #: The build that computed them.
    build: BuildReport | None = None
    #: Why it could not: the next one does.
    build_failed: str = ""
    #: Copies that nothing here may change.
    copies: tuple[HeldCopy, ...] = ()
    seconds: float = 0.0


def take_down(
    lake: Lake, store: IndexStore, home: Path, work_id: str, *, progress: ProgressSink = silent
) -> TakedownReport:
    """Order a work's takedown and carry it out; once more is harmless, and finishes what was interrupted.

    Returns what was done. What could not be done, because another process was writing or the engine did not
    answer, stands in `left`, and the order holds all the same.
    """
    started = time.monotonic()
    order = lake.takedowns.orders().get(work_id)
    if order is None or not order.stands:
        lake.write_order(work_id, ORDERED)
    progress(Progress("take down", 0, 3, f"{work_id}: the index"))
    lake.catalogue.refresh()
    index = _Index(lake, store, work_id)
    index.clear()
    progress(Progress("take down", 1, 3, f"{work_id}: the lake"))
    titles = {work.work_id: work.title for work in lake.catalogue.works()}
    cleared = clear(lake.files, work_id, titles=lambda: titles)
    left = [*index.left, *(f"{name}: another process was writing it" for name in cleared.unfinished)]
    rewritten, deleted = list(cleared.rewritten), list(cleared.deleted)
    progress(Progress("take down", 2, 3, f"{work_id}: the home"))
    lake.catalogue.refresh()
    if not cleared.unfinished and work_id in lake.catalogue.half_taken_down():
        # Catalogues that remember places in the old files fold the lake anew when they see this.
        index.mark(lake.write_order(work_id, CARRIED_OUT))
        lake.catalogue.refresh()
    for path, made_again in _home_files(home, work_id, lake.catalogue.paths()):
        if made_again:
            path.unlink(missing_ok=True)
            deleted.append(str(path))
        else:
            left.append(f"{path}: it names the work and is no file that can be made again; look at it")
    order = lake.takedowns.orders()[work_id]
    return TakedownReport(
        work_id=work_id,
        ordered=datetime.fromtimestamp(order.stamp / 1e6, tz=UTC),
        generations=tuple(index.cleared),
        dropped=tuple(index.dropped),
        rewritten=tuple(rewritten),
        deleted=tuple(deleted),
        to_embed_again=len(cleared.to_embed_again),
        left=tuple(left),
        copies=_copies(store, order.stamp, left),
        seconds=time.monotonic() - started,
    )


def lift_order(lake: Lake, work_id: str) -> bool:
    """Let a work in again that was taken down; return whether it was. What was cleared does not come back."""
    order = lake.takedowns.orders().get(work_id)
    if order is None or not order.stands:
        return False
    lake.write_order(work_id, LIFTED)
    lake.catalogue.refresh()
    return True


def admit(lake: Lake, identifiers: dict[str, Identifier], *, lift: bool) -> list[StageReport]:
    """Leave out of the identifiers (by work id) those of taken-down works, or let these in again.

    Returns one stage with what was left out, or none.

    Raises:
        WorkTakenDown: the only one.
    """
    orders = lake.takedowns.orders()
    barred = [work_id for work_id in identifiers if work_id in orders and orders[work_id].stands]
    if lift:
        for work_id in barred:
            lift_order(lake, work_id)
        return []
    errors = [WorkTakenDown(work_id, orders[work_id].stamp) for work_id in barred]
    if errors and len(identifiers) == 1:
        raise errors[0]
    for work_id in barred:
        del identifiers[work_id]
    outcomes = [Outcome.failed(error.work_id, None, error) for error in errors]
    return [StageReport(stage="add", failed=failed_papers("add", outcomes, {}))] if outcomes else []


class _Index:
    """What is done to the generations of a store."""

    def __init__(self, lake: Lake, store: IndexStore, work_id: str) -> None:
        self._lake = lake
        self._store = store
        self._work_id = work_id
        self.cleared: list[str] = []
        self.dropped: list[str] = []
        self.left: list[str] = []

    def clear(self) -> None:
        """Clear every generation: live, kept and building ones. One that cannot be is noted in `left`."""
        try:
            generations = self._store.generations()
        except CitewellError as error:
            self.left.append(f"the index: {error}")
            return
        for generation in generations:
            try:
                self._clear(generation)
            except IndexMissing:
                continue  # another process dropped it meanwhile
            except CitewellError as error:
                self.left.append(f"index generation {generation.name}: {error}")

    def _clear(self, generation: Generation) -> None:
        if generation.schema_hash != schema_hash():
            if generation.state == "live":
                self.left.append(
                    f"index generation {generation.name}: made with other mappings, and read by nobody; "
                    "run `citewell index rebuild`, then this once more"
                )
                return
            self._store.drop(generation.name)
            self.dropped.append(generation.name)
            return
        states = self._lake.catalogue.states
        self._store.refuse_late_writes(generation.name)
        write(
            self._store,
            generation.name,
            lambda: [documents_of(state, self._lake, None) for state in states([self._work_id])],
        )
        self._store.expunge(generation.name)
        self._store.mark_applied(generation.name, self._orders())
        self.cleared.append(generation.name)

    def mark(self, order: str) -> None:
        """Note that generations which were cleared hold another order about the same work."""
        for name in self.cleared:
            self._store.mark_applied(name, [order])

    def _orders(self) -> list[str]:
        """Return the files that say nothing but that this work is taken down."""
        return self._lake.takedowns.files_of(self._work_id)


def _home_files(home: Path, work_id: str, keep: Iterable[Path]) -> Iterator[tuple[Path, bool]]:
    """Yield the files of a home that hold something of a work, or may, and whether they can be made again."""
    kept = {f"{path}{suffix}" for path in keep for suffix in ("", "-wal", "-shm")}
    for path in sorted(home.rglob("*")):
        parts = path.relative_to(home).parts
        if parts[0] in NOT_SEARCHED or str(path) in kept or not path.is_file():
            continue
        # Caches of other lakes that this home once had.
        if (parts[0] == "cache" and ".sqlite" in path.name) or work_id.encode() in _bytes(path):
            yield path, parts[0] in MADE_AGAIN


def _bytes(path: Path) -> bytes:
    try:
        content = path.read_bytes()
        return gzip.decompress(content) if path.suffix == ".gz" else content
    except (FileNotFoundError, gzip.BadGzipFile, EOFError):
        return b""


def _copies(store: IndexStore, stamp: int, left: list[str]) -> tuple[HeldCopy, ...]:
    """Return the copies made before a moment (microseconds since 1970): later ones do not hold the work."""
    try:
        copies = store.copies()
    except CitewellError as error:
        left.append(f"snapshots of the index could not be listed: {error}")
        return ()
    return tuple(
        HeldCopy(name=copy.name, made=copy.made, command=copy.command)
        for copy in copies
        if copy.made.timestamp() * 1e6 < stamp
    )
