"""Relevance, citation graph and recency under one final score, with every part kept for explanation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from search.retrieval.recency import recency_score

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from search.index.documents import PassageDocument, WorkDocument
    from search.retrieval.fusion import Fused
    from search.retrieval.graph import Neighbourhood
    from search.settings import Settings


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each signal counts."""

    #: Semantic leg in the fusion, 0 to 1; the lexical leg has the rest.
    dense: float = 0.6
    #: Graph score, beside relevance with 1.
    graph: float = 0.3
    #: Recency, beside relevance with 1; 0: age does not count.
    recency: float = 0.0
    #: Years after which the recency score has halved.
    half_life: float = 5.0

    @classmethod
    def from_settings(cls, settings: Settings) -> Weights:
        """Return the weights that the settings name."""
        return cls(
            dense=settings.dense_weight,
            graph=settings.graph_weight,
            recency=settings.recency_weight,
            half_life=settings.recency_half_life,
        )


@dataclass(frozen=True, slots=True)
class Ranked:
    """A work and all that was found out about it. A score is None where its signal had no part."""

    work_id: str
    #: The work's card, from one of its passages or from its own document.
    card: PassageDocument | WorkDocument
    fused: Fused | None
    graph_distance: int | None
    graph_score: float | None
    recency_score: float | None
    final_score: float


def blend(
    fused: Sequence[Fused], neighbourhood: Neighbourhood | None, weights: Weights, *, today: date
) -> list[Ranked]:
    """Return all works by falling final score, ties by work id.

    The final score is the weighted mean of the signals that take part, so it stays within 0 to 1:

        (fused + graph * graph_score + recency * recency_score) / (1 + graph + recency)

    with `graph` 0 where no neighbourhood was asked for. A work that only the graph found has 0 for
    `fused`; one that got no vote 0 for `graph_score`.
    """
    graph_weight = weights.graph if neighbourhood else 0.0
    whole = 1 + graph_weight + weights.recency
    by_id = {hit.key: hit for hit in fused}
    cards: dict[str, PassageDocument | WorkDocument] = {
        work_id: work
        for work_id, work in (neighbourhood.works if neighbourhood else {}).items()
        if work_id in (neighbourhood.scores if neighbourhood else {})
    }
    cards.update((hit.key, hit.passage) for hit in fused)
    ranked = []
    for work_id, card in cards.items():
        hit = by_id.get(work_id)
        distance = neighbourhood.distances.get(work_id) if neighbourhood else None
        graph = neighbourhood.scores.get(work_id, 0.0) if neighbourhood else None
        recency = (
            recency_score(card.published, today=today, half_life=weights.half_life)
            if weights.recency
            else None
        )
        total = (
            (hit.score if hit else 0.0) + graph_weight * (graph or 0.0) + weights.recency * (recency or 0.0)
        )
        ranked.append(Ranked(work_id, card, hit, distance, graph, recency, total / whole))
    return sorted(ranked, key=lambda work: (-work.final_score, work.work_id))
