"""From a ranked work to a hit that says why it is there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from search.models import Hit, MatchedPassage

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from search.index.documents import PassageDocument
    from search.index.protocol import LegHit
    from search.retrieval.blend import Ranked
    from search.retrieval.fusion import Fused

Leg = Literal["lexical", "semantic"]


def hits(works: Sequence[Ranked], passages: Mapping[str, Sequence[MatchedPassage]]) -> tuple[Hit, ...]:
    """Return the hits in this order, ranks from 1, with their matched passages by work id."""
    return tuple(_hit(rank, work, passages.get(work.work_id, ())) for rank, work in enumerate(works, start=1))


def _hit(rank: int, work: Ranked, passages: Sequence[MatchedPassage]) -> Hit:
    card, fused = work.card, work.fused
    return Hit(
        rank=rank,
        work_id=work.work_id,
        version=card.version,
        title=card.title,
        authors=card.authors,
        year=card.year,
        categories=card.categories,
        withdrawn=card.withdrawn,
        pinned=card.pinned,
        url=card.url,
        bm25_score=fused.lexical.score if fused and fused.lexical else None,
        vector_score=fused.semantic.score if fused and fused.semantic else None,
        graph_distance=work.graph_distance,
        graph_score=work.graph_score,
        recency_score=work.recency_score,
        final_score=work.final_score,
        passages=tuple(passages),
    )


def best_passages(works: Sequence[Ranked], *, limit: int) -> dict[str, list[MatchedPassage]]:
    """Return what the legs themselves matched: each work's best passage in either, at most `limit`."""
    found: dict[str, list[MatchedPassage]] = {}
    for work in works:
        if work.fused is None:
            continue
        first = matched(work.fused)
        both = [first]
        legs: tuple[tuple[Leg, LegHit | None], ...] = (
            ("lexical", work.fused.lexical),
            ("semantic", work.fused.semantic),
        )
        for leg, hit in legs:
            if hit is not None and hit.passage.passage_id != first.passage_id:
                both.append(_matched(leg, hit.score, hit.passage))
        found[work.work_id] = both[:limit]
    return found


def merged(
    first: Mapping[str, Sequence[MatchedPassage]], more: Iterable[Fused], *, limit: int
) -> dict[str, list[MatchedPassage]]:
    """Return `first` filled up to `limit` passages a work with others, best first, none twice."""
    passages = {work_id: list(found) for work_id, found in first.items()}
    for fused in more:
        own = passages.setdefault(fused.passage.work_id, [])
        if len(own) < limit and all(fused.passage.passage_id != known.passage_id for known in own):
            own.append(matched(fused))
    return passages


def matched(fused: Fused) -> MatchedPassage:
    """Return the passage of the leg that said more for it."""
    leg: Leg = "lexical" if fused.best is fused.lexical else "semantic"
    return _matched(leg, fused.best.score, fused.passage)


def _matched(leg: Leg, score: float, passage: PassageDocument) -> MatchedPassage:
    return MatchedPassage(
        passage_id=passage.passage_id,
        leg=leg,
        score=score,
        section=passage.section,
        page=passage.page,
        boxes=passage.boxes,
        text=passage.text,
    )
