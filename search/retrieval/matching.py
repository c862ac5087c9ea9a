"""Whether single works match a query: scores beside the library's best, not beside each other.

A ranking always has a first, and its scores say how hits compare among themselves. Whether one of today's
papers is worth telling somebody is another question: it is held against the best that the whole library has
for the query, in each leg by itself, so that 1 is "as good as the best paper that there is".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from search.index.protocol import LegRequest
from search.retrieval.fusion import newest
from search.retrieval.meaning import query_vector
from search.retrieval.plan import words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from search.embedding.protocol import Embedder
    from search.index.documents import PassageDocument
    from search.index.protocol import IndexStore, LegHit, Legs
    from search.models import Filters, Mode

#: Works asked for at a time. Each leg returns all of them that match, so that no score is missing; five
#: times as many passages stay far below the 10,000 that Elasticsearch looks at.
PART = 500


@dataclass(frozen=True, slots=True)
class Match:
    """One work that matches a query."""

    work_id: str
    #: 0 to 1; 1: as good as the library's best in every leg.
    score: float
    bm25_score: float | None
    vector_score: float | None
    #: The passage that matches best; it carries the work's card.
    passage: PassageDocument


def matches(
    store: IndexStore,
    embedder: Callable[[], Embedder],
    query: str,
    among: Sequence[str],
    *,
    filters: Filters,
    mode: Mode = "hybrid",
    dense: float,
    threshold: float,
) -> list[Match]:
    """Return those of some works that match a query, best first, ties by id.

    Args:
        store: the index.
        embedder: returns the model; called only where the mode wants a vector.
        query: words, or a question.
        among: ids of the works in question.
        filters: hard conditions, on them and on the library's best that they are compared with.
        mode: both legs, or one of them.
        dense: weight of the semantic leg, 0 to 1; where a leg has nothing to say, the other has all of it.
        threshold: lowest score to return.

    Raises:
        EmptyQuery, ModelMismatch, IndexMissing: as for a search.
    """
    text = words(query)
    vector = query_vector(text, mode, store.live(), embedder).vector

    def legs(conditions: Filters, size: int) -> Legs:
        given = None if mode == "semantic" else text
        return store.legs(LegRequest(given, vector, conditions, size=size))

    best = legs(filters, 1)
    top_words, top_meaning = _top(best.lexical), _top(best.semantic)
    weight = dense if top_words and top_meaning else float(bool(top_meaning))
    found = []
    for part in _parts([work_id for work_id in among if _may(filters, work_id)]):
        answer = legs(filters.model_copy(update={"ids": tuple(part)}), len(part))
        lexical, semantic = newest(answer.lexical, answer.semantic)
        by_word = {hit.passage.work_id: hit for hit in lexical}
        by_meaning = {hit.passage.work_id: hit for hit in semantic}
        for work_id in by_word.keys() | by_meaning.keys():
            word, meaning = by_word.get(work_id), by_meaning.get(work_id)
            said = (1 - weight) * _share(word, top_words), weight * _share(meaning, top_meaning)
            shown = word if word and (meaning is None or said[0] >= said[1]) else meaning
            if sum(said) >= threshold and shown:
                found.append(
                    Match(
                        work_id, round(sum(said), 6),
                        word.score if word else None, meaning.score if meaning else None, shown.passage,
                    )
                )  # fmt: skip
    return sorted(found, key=lambda match: (-match.score, match.work_id))


def _may(filters: Filters, work_id: str) -> bool:
    return filters.ids is None or work_id in filters.ids


def _top(leg: Sequence[LegHit]) -> float:
    return max(0.0, leg[0].score) if leg else 0.0


def _share(hit: LegHit | None, top: float) -> float:
    """Return a hit's score as a share of the best; an approximate leg may find a better one on the way."""
    return min(1.0, max(0.0, hit.score) / top) if hit and top else 0.0


def _parts(ids: Sequence[str]) -> Iterable[Sequence[str]]:
    return (ids[start : start + PART] for start in range(0, len(ids), PART))
