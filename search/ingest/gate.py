"""The gate before a new generation is published: it must find what the live one finds.

Known items: works drawn from the lake, asked for by their titles, each leg by itself, so that a leg that
is broken is not hidden by the other. And where an operator names a folder of queries and judgments over
works of the library, a measure of retrieval on it. Why so: docs/decisions/0015-rebuild-gate.md.
"""

from __future__ import annotations

import heapq
import zlib
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from search.errors import EmptyQuery, IndexFailure, UsageError
from search.evaluation import Query, read_judgments, run_queries
from search.index.documents import fold
from search.ingest.index import on_their_way
from search.ingest.reports import GateReport, Measured
from search.progress import Progress, ProgressSink, silent
from search.retrieval.retriever import Retriever, Weights

if TYPE_CHECKING:
    from search.embedding.protocol import Embedder
    from search.index.protocol import Generation, IndexStore
    from search.lake.lake import Lake
    from search.models import Mode, Work
    from search.settings import Settings

#: Works asked for by title. With 500, two hundredths are ten titles, which no chance of a draw explains:
#: the draw is the same for both generations.
KNOWN_ITEMS = 500
#: A title of fewer words ("Errata", "Reply") names no paper.
FEWEST_WORDS = 3
#: Hits among which the paper must be.
TOP = 10
#: Least share of titles to find where no live generation can be compared with. Of 6,545 real papers words
#: find 0.994 and vectors 0.990 (evals/results.md); a leg that is broken finds next to nothing.
LEAST_KNOWN = 0.8
#: Queries named in the report.
NAMED = 5
#: Score of each query, by the query's id.
Scores = dict[str, float]


@dataclass(frozen=True, slots=True)
class Gate:
    """What a new generation must pass."""

    #: A folder in the BEIR layout without a corpus; None: known items only.
    folder: Path | None = None
    #: An ir_measures name.
    measure: str = "nDCG@10"
    #: How far a measure may fall below the live generation's, in points of 1.
    fall: float = 0.02
    weights: Weights = field(default_factory=Weights)

    @classmethod
    def from_settings(cls, settings: Settings) -> Gate:
        """Return the gate that the settings name."""
        return cls(settings.gate, settings.gate_measure, settings.gate_fall, Weights.from_settings(settings))

    def judgments(self, lake: Lake) -> tuple[list[Query], dict[str, dict[str, int]]]:
        """Return the folder's queries and judgments; nothing where no folder is named.

        Raises:
            UsageError: it is not of the layout, or judges no work of the lake.
        """
        if self.folder is None:
            return [], {}
        queries, qrels = read_judgments(self.folder)
        judged = {work_id for scores in qrels.values() for work_id in scores}
        if not any(state.work and not state.removed for state in lake.catalogue.states(sorted(judged))):
            raise UsageError(
                f"the gate's folder {self.folder} judges no work of this library",
                advice="corpus-id in qrels/test.tsv must be a work's id, such as 2101.00001",
            )
        return queries, qrels


def examine(
    gate: Gate,
    lake: Lake,
    store: IndexStore,
    new: Generation,
    live: Generation | None,
    embedder: Embedder | None,
    *,
    progress: ProgressSink = silent,
) -> GateReport:
    """Run the gate's queries on both generations and compare.

    Where the live generation holds another model's vectors, it answers by words only, and the new one is
    held to that by words and as a whole. Where it cannot be read at all, the known items have a floor.

    Another process may write into the lake and the live generation meanwhile. What is on its way into the
    new one is asked for by no query; where that leaves fewer than half of them, nothing was examined, and
    the verdict is no.
    """
    sides = Sides.of(gate, store, new, live, embedder)
    asked = _known_items(lake, sides, progress)
    queries, qrels = gate.judgments(lake)
    if queries:
        asked += _judged(gate, queries, qrels, sides, progress)
    # After the queries: what came while they were asked must not pass for lost.
    late = on_their_way(lake, new)
    found = [_compared(gate, one, late) for one in asked]
    return GateReport(held=all(m.held for m in found), measured=tuple(found), notes=sides.notes)


@dataclass(frozen=True, slots=True)
class Sides:
    """The two generations as they can be asked."""

    new: Retriever
    #: None: there is none, or it cannot be read.
    live: Retriever | None
    #: Whether the new generation holds vectors, and whether the live one holds the same model's.
    vectors: bool
    same_model: bool
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        gate: Gate,
        store: IndexStore,
        new: Generation,
        live: Generation | None,
        embedder: Embedder | None,
    ) -> Sides:
        """Return both sides, and notes on what cannot be compared."""

        def asked(name: str) -> Retriever:
            return Retriever(store.at(name), lambda: _given(embedder), gate.weights)

        vectors = embedder is not None and new.fingerprint is not None
        same = vectors and live is not None and live.fingerprint == new.fingerprint
        before: Retriever | None = None
        notes = []
        if live is not None:
            try:
                before = asked(live.name)
                store.counts(live.name)
            except IndexFailure as unreadable:
                before = None
                notes.append(f"not compared with the live index, which cannot be read: {unreadable.message}")
            else:
                if live.fingerprint and not same:
                    notes.append("the live index holds another model's vectors: compared with it by words")
        return cls(asked(new.name), before, vectors, same, tuple(notes))

    def modes(self) -> list[tuple[Mode, Mode | None]]:
        """Return the modes to measure on whole queries, each with the live generation's counterpart."""
        if not self.vectors:
            return [("lexical", "lexical")]
        return [("hybrid", "hybrid")] if self.same_model else [("lexical", "lexical"), ("hybrid", "lexical")]


def _given(embedder: Embedder | None) -> Embedder:
    assert embedder is not None, "no mode that wants a vector is run without a model"
    return embedder


# ------------------------------------------------------------------ known items
def known_items(lake: Lake) -> list[Work]:
    """Return works drawn from the lake, the same ones each time while the lake is the same."""
    drawn = heapq.nsmallest(
        2 * KNOWN_ITEMS,
        lake.catalogue.work_ids(),
        key=lambda work_id: (zlib.crc32(work_id.encode()), work_id),
    )
    states = lake.catalogue.states(drawn)
    titled = [s.work for s in states if s.work and len(fold(s.work.title).split()) >= FEWEST_WORDS]
    return titled[:KNOWN_ITEMS]


def _known_items(lake: Lake, sides: Sides, progress: ProgressSink) -> list[Asked]:
    works = known_items(lake)
    about = {work.work_id: frozenset([work.work_id]) for work in works}
    asked = []
    modes: list[tuple[Mode, bool]] = [("lexical", True)]
    if sides.vectors:
        modes.append(("semantic", sides.same_model))
    for mode, comparable in modes if works else []:
        live = _found(sides.live, works, mode, progress) if sides.live and comparable else None
        new = _found(sides.new, works, mode, progress)
        asked.append(Asked(f"known items, {mode}", about, new, live, floor=LEAST_KNOWN))
    return asked


def _found(retriever: Retriever, works: Sequence[Work], mode: Mode, progress: ProgressSink) -> Scores:
    """Return 1 for each work whose title finds it, or another of the same title, and 0 for the others."""
    scores: Scores = {}
    for position, work in enumerate(works):
        progress(Progress("gate", position, len(works), mode))
        try:
            hits = retriever.search(work.title, mode=mode, limit=TOP, passages=1).hits
        except EmptyQuery:  # a title of signs only
            hits = ()
        title = fold(work.title)
        scores[work.work_id] = float(any(h.work_id == work.work_id or fold(h.title) == title for h in hits))
    return scores


# ------------------------------------------------------------------ judged queries
def _judged(
    gate: Gate,
    queries: Sequence[Query],
    qrels: dict[str, dict[str, int]],
    sides: Sides,
    progress: ProgressSink,
) -> list[Asked]:
    def scores(retriever: Retriever, mode: Mode) -> Scores:
        run, _ = run_queries(retriever, queries, mode=mode, name="gate", progress=progress)
        return _per_query(gate.measure, qrels, run)

    about = {name: frozenset(work for work in judged if judged[work]) for name, judged in qrels.items()}
    texts = {query.query_id: query.text for query in queries}
    asked = []
    for mode, counterpart in sides.modes():
        live = scores(sides.live, counterpart) if sides.live and counterpart else None
        asked.append(Asked(f"{gate.measure}, {mode}", about, scores(sides.new, mode), live, texts))
    return asked


def _per_query(measure: str, qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]) -> Scores:
    import ir_measures

    wanted = ir_measures.parse_measure(measure)
    found = {m.query_id: float(m.value) for m in ir_measures.iter_calc([wanted], qrels, run)}
    return {query_id: found.get(query_id, 0.0) for query_id in qrels}


# ------------------------------------------------------------------ comparing
@dataclass(frozen=True, slots=True)
class Asked:
    """One measure's queries, and how each side answered them."""

    measure: str
    #: The works that each query asks for, by the query's id.
    about: dict[str, frozenset[str]]
    new: Scores
    #: None: there is no live generation, or this cannot be measured on it.
    live: Scores | None
    #: The words of the queries; None: they name a paper, whose title may have to go one day, and the
    #: verdict is kept.
    texts: dict[str, str] | None = None
    #: What must be reached where nothing can be compared with.
    floor: float = 0.0

    def without(self, late: Collection[str]) -> list[str]:
        """Return the queries that ask for nothing that is on its way into the new generation."""
        return [name for name in self.new if self.about[name].isdisjoint(late)]


def _compared(gate: Gate, asked: Asked, late: Collection[str]) -> Measured:
    """Return the verdict on one measure."""
    counted = asked.without(late)
    live = asked.live
    value = _mean(asked.new[name] for name in counted)
    before = None if live is None else _mean(live[name] for name in counted)
    least = asked.floor if before is None else max(0.0, before - gate.fall)
    fell: Callable[[str], float] = lambda name: (live or {}).get(name, 0.0) - asked.new[name]  # noqa: E731
    lost = sorted((name for name in counted if fell(name) > 0), key=fell, reverse=True)
    return Measured(
        measure=asked.measure,
        queries=len(counted),
        late=len(asked.new) - len(counted),
        new=round(value, 4),
        live=None if before is None else round(before, 4),
        least=round(least, 4),
        # To 4 digits on both sides: what is printed is what was compared.
        held=2 * len(counted) >= len(asked.new) and round(value, 4) >= round(least, 4),
        lost=tuple(f"{name}: {asked.texts[name]}" if asked.texts else name for name in lost[:NAMED]),
    )


def _mean(values: Iterable[float]) -> float:
    held = list(values)
    return sum(held) / len(held) if held else 0.0
