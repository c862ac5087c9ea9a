"""`Retriever`: from a query to ranked, explained works. Policy only; the store does the searching."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from search.arxiv.licences import STANDARD, Policy
from search.errors import WorkNotFound
from search.index.protocol import LegRequest, Legs
from search.models import Filters, SearchMetrics, SearchResult
from search.retrieval import explain
from search.retrieval.blend import Ranked, Weights, blend
from search.retrieval.fusion import Fused, fuse
from search.retrieval.graph import SEEDS, expand
from search.retrieval.meaning import QueryVector, query_vector
from search.retrieval.permitted import permitted, quotable
from search.retrieval.plan import Plan, make_plan, words

if TYPE_CHECKING:
    from search.embedding.protocol import Embedder
    from search.index.documents import PassageDocument
    from search.index.protocol import Counts, Generation, IndexStore
    from search.models import MatchedPassage, Mode

__all__ = ["Retriever", "Weights"]

#: Passages fetched for each that may be shown: a paper whose passages all match must leave room for those
#: of the others.
PASSAGES_FETCHED = 5
Outcome = Literal["hits", "no match", "filtered out", "empty index"]
_EVERYTHING = Filters()


class Retriever:
    """Ranks the works of an index. Safe to call from many threads; holds nothing but a cache of counts.

    Args:
        store: the index.
        embedder: returns the embedding model; called only when a query needs a vector.
        weights: how much each signal counts.
        policy: how much of a full text is shown, by licence class.
    """

    def __init__(
        self,
        store: IndexStore,
        embedder: Callable[[], Embedder],
        weights: Weights | None = None,
        policy: Policy = STANDARD,
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._weights = weights or Weights()
        self._policy = policy
        self._counts: tuple[tuple[str, frozenset[str]], Counts] | None = None

    # ------------------------------------------------------------------ what callers use
    def search(
        self,
        query: str,
        *,
        filters: Filters = _EVERYTHING,
        limit: int = 10,
        mode: Mode = "hybrid",
        hops: int = 0,
        threshold: float | None = None,
        passages: int = 3,
    ) -> SearchResult:
        """Return the works that match a query, best first, each with why it is there.

        Args:
            query: words, or a question.
            filters: hard conditions, applied in both legs and at every step of the graph.
            limit: how many works at most.
            mode: both legs, or one of them.
            hops: citation steps to expand by, 0 to 2.
            threshold: lowest `final_score` to return, 0 to 1. Scores are relative to the query's own
                hits: 1 is the best of them.
            passages: how many matched passages to show of each work.

        Raises:
            EmptyQuery: no word in the query.
            BadFilter: a filter that nothing can pass.
            IndexMissing: nothing was built yet.
            ModelMismatch: the index was built with another embedding model.
            ModelUnavailable: mode "semantic", and no source has the model.
            EngineUnavailable: the search engine does not answer.
        """
        clock = Clock()
        with clock("plan"):
            plan = make_plan(
                query, filters, mode=mode, limit=limit, hops=hops, threshold=threshold, passages=passages
            )
            generation = self._store.live()
        with clock("embed"):
            vector = query_vector(plan.text, mode, generation, self._embedder)
        text = None if mode == "semantic" else plan.text
        return self._run(query, plan, text, vector, generation, clock, asked=filters, unfiltered=_EVERYTHING)

    def similar(
        self, work_id: str, *, filters: Filters = _EVERYTHING, limit: int = 10, hops: int = 0
    ) -> SearchResult:
        """Return the works most like one of the index's own, itself left out.

        The work's own first vector and the words of its title and abstract are the query, so no model
        is loaded; where it has no vector yet, the words alone.

        Raises:
            WorkNotFound: the index does not hold it.
            IndexMissing: nothing was built yet.
        """
        clock = Clock()
        with clock("plan"):
            generation = self._store.live()
            work = self._store.works([work_id]).get(work_id)
            if work is None:
                raise WorkNotFound(
                    f"the index does not hold {work_id}", advice=f"add it with `citewell add {work_id}`"
                )
            text = f"{work.title} {work.abstract}"
            plan = make_plan(text, without(filters, work_id), limit=limit, hops=hops)
        with clock("embed"):
            vectors = self._store.vectors_of(work_id)
            vector = (
                QueryVector(vectors[0])
                if vectors is not None and len(vectors)
                else QueryVector(None, f"{work_id} has no vector yet: compared by words only")
            )
        itself = Filters(exclude_ids=(work_id,))
        return self._run(
            work_id, plan, plan.text, vector, generation, clock, asked=filters, unfiltered=itself
        )

    def evidence(
        self, question: str, work_ids: Sequence[str], *, size: int
    ) -> list[tuple[float, PassageDocument]]:
        """Return the best passages of these works, both legs fused, scores 0 to 1, best first.

        Raises:
            EmptyQuery: no word in the question.
            ModelMismatch: the index was built with another embedding model.
        """
        if size <= 0 or not work_ids:
            words(question)
            return []
        text = words(question)
        vector = query_vector(text, "hybrid", self._store.live(), self._embedder)
        chosen = Filters(ids=tuple(dict.fromkeys(work_ids)))
        fused = self._passages(text, vector, chosen, size)
        return [(hit.score, quotable(hit.passage, self._policy)) for hit in fused[:size]]

    # ------------------------------------------------------------------ the stages
    def _run(
        self,
        query: str,
        plan: Plan,
        text: str | None,
        vector: QueryVector,
        generation: Generation,
        clock: Clock,
        *,
        asked: Filters,
        unfiltered: Filters,
    ) -> SearchResult:
        with clock("legs"):
            legs = self._legs(text, vector, plan.filters, plan.size)
        with clock("fusion"):
            fused = fuse(legs, dense=self._weights.dense, key=_work_id)
        with clock("graph"):
            seeds = {hit.key: hit.score for hit in fused[:SEEDS]}
            around = expand(self._store, seeds, plan.filters, hops=plan.hops) if plan.hops and seeds else None
            ranked = blend(fused, around, self._weights, today=datetime.now(UTC).date())
            above = [work for work in ranked if plan.threshold is None or work.final_score >= plan.threshold]
            shown = above[: plan.limit]
        with clock("fetch"):
            counts = self._count(generation)
            passages = self._matched(shown, text, vector, plan, counts)
            outcome, message = self._outcome(plan, shown, bool(ranked), text, vector, unfiltered)
        found = explain.hits(shown, permitted(shown, passages, self._policy))
        coverage = counts.vectors / counts.passages if counts.passages else 0.0
        return SearchResult(
            query=query,
            mode=plan.mode,
            filters=asked,
            outcome=outcome,
            message=message
            or vector.why_not
            or _wordless(text, legs, plan.filters)
            or _partial(vector, coverage),
            hits=found,
            metrics=SearchMetrics(
                hits=len(found),
                average_score=sum(h.final_score for h in found) / len(found) if found else None,
                top_score=found[0].final_score if found else None,
                milliseconds=clock.milliseconds(),
                works=counts.works,
                semantic_coverage=coverage,
            ),
            generation=legs.generation or generation.name,
        )

    def _legs(
        self, text: str | None, vector: QueryVector, filters: Filters, size: int, *, collapse: bool = True
    ) -> Legs:
        if text is None and vector.vector is None:
            return Legs("")
        return self._store.legs(LegRequest(text, vector.vector, filters, size=size, collapse=collapse))

    def _passages(self, text: str | None, vector: QueryVector, filters: Filters, size: int) -> list[Fused]:
        """Return passages, not works, of both legs, best first."""
        legs = self._legs(text, vector, filters, size, collapse=False)
        return fuse(legs, dense=self._weights.dense, key=_passage_id)

    def _matched(
        self, shown: Sequence[Ranked], text: str | None, vector: QueryVector, plan: Plan, counts: Counts
    ) -> dict[str, list[MatchedPassage]]:
        """Return the passages to show of each work; asks the store only where there can be more of them."""
        if not shown or not plan.passages:
            return {}
        found = explain.best_passages(shown, limit=plan.passages)
        if plan.passages == 1 or counts.passages <= counts.works:
            return found
        ids = tuple(work.work_id for work in shown)
        more = self._passages(
            text,
            vector,
            plan.filters.model_copy(update={"ids": ids}),
            PASSAGES_FETCHED * plan.passages * len(ids),
        )
        return explain.merged(found, more, limit=plan.passages)

    def _outcome(
        self,
        plan: Plan,
        shown: Sequence[Ranked],
        matched: bool,
        text: str | None,
        vector: QueryVector,
        unfiltered: Filters,
    ) -> tuple[Outcome, str]:
        """Say what came of the search. Asks once more, without filters, only where nothing came back."""
        if shown:
            return "hits", ""
        if matched:
            return "no match", f"no hit scores {plan.threshold:g} or more"
        if not self._store.counts().works:
            return "empty index", "the index holds no paper yet: add some, then run `citewell index build`"
        if plan.filters != unfiltered and any_hit(self._legs(text, vector, unfiltered, 1)):
            nobody = self._nobody(plan.filters, text, vector)
            return (
                "filtered out",
                f"papers match the query, but none of them {nobody or 'passes the filters'}",
            )
        return "no match", vector.why_not or "nothing in the index resembles the query"

    def _nobody(self, filters: Filters, text: str | None, vector: QueryVector) -> str:
        """Return the category or id that by itself leaves nothing; empty: it is the filters together."""
        for category in filters.categories if len(filters.categories) == 1 else ():
            if not any_hit(self._legs(text, vector, Filters(categories=(category,)), 1)):
                return f"is in the category {category}"
        missing = [] if filters.ids is None else [i for i in filters.ids if i not in self._store.works([i])]
        return f"is {missing[0]}, which the index does not hold" if missing else ""

    def _count(self, generation: Generation) -> Counts:
        """Count once for each state of the live generation, not once for each query."""
        state = (generation.name, generation.applied)
        cached = self._counts
        if cached is None or cached[0] != state:
            cached = self._counts = (state, self._store.counts())
        return cached[1]


class Clock:
    """Wall time by stage, in milliseconds."""

    def __init__(self) -> None:
        self._began = time.perf_counter()
        self._stages: dict[str, float] = {}

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        """Add what the block takes to a stage."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self._stages[stage] = self._stages.get(stage, 0.0) + (time.perf_counter() - began) * 1000

    def milliseconds(self) -> dict[str, float]:
        """Return every stage and the total since the clock was made."""
        stages = {**self._stages, "total": (time.perf_counter() - self._began) * 1000}
        return {stage: round(spent, 3) for stage, spent in stages.items()}


def without(filters: Filters, work_id: str) -> Filters:
    """Return the filters with one work more left out."""
    return filters.model_copy(update={"exclude_ids": (*filters.exclude_ids, work_id)})


def any_hit(legs: Legs) -> bool:
    """Whether either leg found anything."""
    return bool(legs.lexical or legs.semantic)


def _wordless(text: str | None, legs: Legs, filters: Filters) -> str:
    """Return a sentence where words were looked for and none was found, but hits are shown all the same."""
    if text is None or legs.lexical or not legs.semantic:
        return ""
    best = legs.semantic[0].score
    unfiltered = filters == Filters(exclude_ids=filters.exclude_ids)
    among = "" if unfiltered else " that passes the filters"
    return f"no paper{among} holds these words: what is shown is nearest in meaning, at best {best:.2f} of 1"


def _partial(vector: QueryVector, coverage: float) -> str:
    """Return a sentence where the semantic leg ran on a part of the passages only."""
    if vector.vector is None or coverage >= 1:
        return ""
    # Rounded down: 99.9 % is not all.
    return f"the semantic leg covers {int(coverage * 100)} % of the passages; `citewell index build` goes on"


def _work_id(passage: PassageDocument) -> str:
    return passage.work_id


def _passage_id(passage: PassageDocument) -> str:
    return passage.passage_id
