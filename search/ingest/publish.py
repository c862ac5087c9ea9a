"""Publishing a generation: what slipped in, what it must hold, what it must find; then the aliases move."""

from __future__ import annotations

from heapq import merge
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import orjson

from search.errors import IndexFailure, WriterBusy
from search.ingest.embed import embed
from search.ingest.examining import lost_files
from search.ingest.gate import Gate, examine
from search.ingest.index import (
    apply,
    building_generation,
    drop_old,
    find_generation,
    live_generation,
    on_their_way,
)
from search.ingest.papers import documents_of
from search.ingest.reports import GateReport, PublishReport
from search.progress import Progress, ProgressSink, silent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from search.embedding.protocol import Embedder
    from search.index.documents import WorkDocument
    from search.index.protocol import Generation, IndexStore
    from search.lake.lake import Lake

#: Where in the lake the gate's verdict on each generation is kept, `<folder>/<generation>.json`.
VERDICTS = "gates"


def publish(
    lake: Lake,
    store: IndexStore,
    generation: str,
    embedder: Embedder | None,
    *,
    gate: Gate | None,
    progress: ProgressSink = silent,
) -> PublishReport:
    """Make a generation the live one, if it holds what it should and finds what the live one finds.

    The two steps are `judge` and `go_live`. Killed anywhere, the same call ends the same.
    """
    report = judge(lake, store, generation, embedder, gate=gate, progress=progress)
    return report if report.refused or report.published else go_live(lake, store, report, embedder)


def judge(
    lake: Lake,
    store: IndexStore,
    generation: str,
    embedder: Embedder | None,
    *,
    gate: Gate | None,
    progress: ProgressSink = silent,
) -> PublishReport:
    """Bring a generation up to date and say whether it may be published; `refused` says why not.

    A generation whose counts do not hold is deleted: it is not what the lake says. One that the gate
    refuses is kept, so that it can be published all the same without being built again.

    Args:
        lake: the truth.
        store: where the generation is.
        generation: its name.
        embedder: the model of its vectors; None: it holds words only.
        gate: what it must pass; None: nothing, but its counts must hold all the same.
        progress: told how far it is.

    Raises:
        IndexMissing: there is no such generation (any more).
        UsageError: the gate's folder is not of the layout, or judges no work of the library.
    """
    _catch_up(lake, store, generation, embedder, progress)
    live = live_generation(store)
    new = find_generation(store, generation)
    counts = store.counts(generation)
    report = PublishReport(
        generation=generation, former=live.name if live else None, published=False,
        works=counts.works, passages=counts.passages, vectors=counts.vectors,
    )  # fmt: skip
    if live and live.name == generation:
        notes = ("it was the live one already",)
        return report.model_copy(update={"published": True, "notes": notes})
    wrong, unread = shortfalls(lake, store, new, live, embedder, progress=progress)
    report = report.model_copy(update={"refused": wrong, "notes": unread})
    if wrong:
        store.drop(generation)
        return report.model_copy(update={"dropped": (generation,)})
    if gate:
        verdict = examine(gate, lake, store, new, live, embedder, progress=progress)
        report = report.model_copy(update={"gate": verdict, "refused": _failed(verdict)})
        _keep_verdict(lake, report)
    return report


def go_live(lake: Lake, store: IndexStore, report: PublishReport, embedder: Embedder | None) -> PublishReport:
    """Move the aliases to a generation that was found good, and clear away what nobody goes back to.

    What other processes write into the lake meanwhile is applied before and after the move; were this
    process killed in between, the next `index` would apply it.
    """
    notes = report.notes
    apply(store, report.generation, lake, embedder)
    live = live_generation(store)
    store.publish(report.generation)
    try:
        apply(store, report.generation, lake, embedder)
    except WriterBusy as busy:  # a daily run at work on it: that one, or the next, applies the same files
        notes = (*notes, busy.message)
    dropped = drop_old(store, former=live.name if live else None)
    counts = store.counts(report.generation)
    return report.model_copy(
        update={
            "published": True, "dropped": tuple(dropped), "notes": notes,
            "works": counts.works, "passages": counts.passages, "vectors": counts.vectors,
        }
    )  # fmt: skip


def _catch_up(
    lake: Lake, store: IndexStore, generation: str, embedder: Embedder | None, progress: ProgressSink
) -> None:
    """Apply what came since it was filled, vectors of new papers included."""
    apply(store, generation, lake, embedder, progress)
    if embedder and lake.catalogue.to_embed(embedder.fingerprint):
        for _ in embed(lake, embedder):
            pass
        apply(store, generation, lake, embedder, progress)


def _failed(verdict: GateReport) -> tuple[str, ...]:
    return tuple(
        f"{m.measure}: {m.new:.4f} over {m.queries:,} queries, and it must reach {m.least:.4f}"
        + (f" (the live index: {m.live:.4f})" if m.live is not None else "")
        + (f"; {m.late:,} more asked for what changed meanwhile" if m.late else "")
        for m in verdict.measured
        if not m.held
    )


# ------------------------------------------------------------------ verdicts
def _keep_verdict(lake: Lake, report: PublishReport) -> None:
    """Keep what the gate said, so that a later rebuild knows which generation it refused."""
    content = orjson.dumps(report.model_dump(mode="json"), option=orjson.OPT_INDENT_2)
    lake.files.write(f"{VERDICTS}/{report.generation}.json", content + b"\n")


def new_generation(
    lake: Lake, store: IndexStore, embedder: Embedder | None, *, retry: bool = False
) -> Generation:
    """Return an empty generation beside the live one, or one that an interrupted rebuild left half-filled.

    One that the gate refused is deleted and begun anew, unless it is to be tried again as it is.
    """
    for generation in store.generations():
        if generation.state == "building" and not retry and was_refused(lake, generation.name):
            store.drop(generation.name)
    return building_generation(store, embedder)


def was_refused(lake: Lake, generation: str) -> bool:
    """Return whether the gate's last word on a generation was no."""
    name = f"{VERDICTS}/{generation}.json"
    return lake.files.exists(name) and bool(orjson.loads(lake.files.read(name))["refused"])


# ------------------------------------------------------------------ counts
def shortfalls(
    lake: Lake,
    store: IndexStore,
    new: Generation,
    live: Generation | None,
    embedder: Embedder | None,
    *,
    progress: ProgressSink = silent,
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what a generation lacks that the lake or the live one holds, and notes on what was not compared.

    Works, passages and vectors are compared one work at a time, in constant memory. What only an
    unapplied file speaks of (another process is writing) is nobody's fault, and what the live generation
    holds beyond the new one must have a reason in the lake: removed, or newer facts.
    """
    notes: tuple[str, ...] = ()
    if live is not None:
        try:
            store.counts(live.name)
        except IndexFailure as unreadable:
            notes = (f"not compared with the live index, which cannot be read: {unreadable.message}",)
            live = None
    tally = _Tally(
        lake,
        embedder,
        same_model=live is not None and live.fingerprint == new.fingerprint,
        files_gone=live is not None and bool(lost_files(lake, live)),
    )
    for position, (work_id, held) in enumerate(_side_by_side(lake, store, new, live)):
        progress(Progress("compare", position, None, work_id))
        tally.take(work_id, held)
    counts = store.counts(new.name)
    # After the comparison and in this order: what came while it ran must pass for missing nowhere.
    without = set(lake.catalogue.to_embed(embedder.fingerprint)) if embedder else set()
    late = on_their_way(lake, new)
    found = tally.reasons(late, counts.passages)
    missing = counts.passages - counts.vectors
    coming = store.at(new.name).works(sorted(late | without))
    if embedder and missing > sum(work.passages for work in coming.values()):
        found = (*found, f"{missing:,} of its {counts.passages:,} passages have no vector")
    return found, notes


def _side_by_side(
    lake: Lake, store: IndexStore, new: Generation, live: Generation | None
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every work that any side knows, by id, with what each side has of it."""
    sides = [
        ((work.work_id, "new", work) for work in store.contents(new.name) if not work.removed),
        ((work.work_id, "lake", True) for work in lake.catalogue.works()),
    ]
    if live is not None:
        sides.append((work.work_id, "live", work) for work in store.contents(live.name) if not work.removed)
    for work_id, found in groupby(merge(*sides, key=itemgetter(0)), key=itemgetter(0)):
        yield work_id, {side: held for _, side, held in found}


class _Tally:
    """What does not hold, by kind, with the works that it is about."""

    def __init__(self, lake: Lake, embedder: Embedder | None, *, same_model: bool, files_gone: bool) -> None:
        self._lake = lake
        self._embedder = embedder
        self._same_model = same_model
        #: Whether the live generation has applied files that are not in the lake any more: only then can
        #: the lake have lost what it holds. What the lake never spoke of, somebody else has put there.
        self._files_gone = files_gone
        self._wrong: dict[str, list[str]] = {}
        self._passages = 0

    def take(self, work_id: str, held: dict[str, Any]) -> None:
        """Look at one work on all sides."""
        new, live = held.get("new"), held.get("live")
        self._passages += new.passages if new is not None else 0
        if new is None and "lake" in held:
            self._note("works of the lake are missing from it", work_id)
        elif new is not None and "lake" not in held:
            self._note("works are in it that the lake does not have", work_id)
        elif new is None and self._files_gone and not self._is_removed(work_id):
            self._note("works of the live index are not in the lake", work_id)
        elif new is not None and live is not None and self._has_lost(new, live):
            self._note("works lost text that the live index has, without a reason in the lake", work_id)

    def reasons(self, late: set[str], passages: int) -> tuple[str, ...]:
        """Return everything that does not hold as sentences, works left out that are on their way."""
        found = []
        for what, ids in sorted(self._wrong.items()):
            named = [work_id for work_id in ids if work_id not in late]
            if named:
                found.append(f"{len(named):,} {what}, such as {', '.join(named[:3])}")
        if passages != self._passages:
            found.append(f"it holds {passages:,} passages, and its works say {self._passages:,}")
        return tuple(found)

    def _note(self, what: str, work_id: str) -> None:
        self._wrong.setdefault(what, []).append(work_id)

    def _is_removed(self, work_id: str) -> bool:
        state = self._lake.catalogue.state(work_id)
        return state is not None and state.removed

    def _has_lost(self, new: WorkDocument, live: WorkDocument) -> bool:
        """Return whether a work has less text than before, and the lake does not say so."""
        if new.passages >= live.passages or not self._same_model:
            return False
        state = self._lake.catalogue.state(new.work_id)
        if state is None:
            return True
        if live.full_text and live.version == new.version and state.paper is None:
            return True  # what was read of this very version is gone from the lake
        return documents_of(state, self._lake, self._embedder).work.content_hash != new.content_hash
