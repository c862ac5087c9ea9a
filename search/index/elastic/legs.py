"""From a request to both legs, and from answers to hits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from search.index.documents import PassageDocument
from search.index.elastic import queries
from search.index.elastic.queries import Query
from search.index.protocol import LegHit, LegRequest, Legs

if TYPE_CHECKING:
    from search.index.protocol import Generation

Answer = dict[str, Any]
#: How many times more passages are asked for where a tie reaches the cut. Only equal texts have equal
#: vectors; more copies than 40 for each work asked for are not expected.
TIED = 8
#: How often both legs are asked until they saw the index in one state. While a paper was replaced five
#: times a second, 10 of 3,329 queries were asked a second time and none a third.
ATTEMPTS = 4
#: Sends searches in one request and returns their answers.
Ask = Callable[[Sequence[Query]], list[Answer]]


def run_legs(
    ask: Ask, generation: Generation, request: LegRequest, removed: Mapping[str, int] = MappingProxyType({})
) -> Legs:
    """Return both legs, of each work only hits of the newest revision that either leg saw.

    Passages of a removed work are no hits. There are none, but where a writer that was held up brings some
    back after Elasticsearch has forgotten that it deleted them, and dies before it takes them back. `removed`
    holds the revisions of removal by work; asking fills it.

    The two searches of one request may see the index before and after a refresh. Where they show a work
    in two revisions they are asked again; if that goes on, a killed writer left both, and the newest counts.
    An index without vectors has an empty semantic leg.
    """
    for _ in range(ATTEMPTS):
        lexical, semantic = (_still_there(leg, removed) for leg in _both(ask, generation, request))
        newest = _newest_revisions([*lexical, *semantic])
        if all(_is_newest(hit, newest) for hit in [*lexical, *semantic]):
            break
    return Legs(
        generation.name,
        _ranked(lexical, newest, queries.bm25),
        _ranked(semantic, newest, queries.cosine),
    )


def _both(ask: Ask, generation: Generation, request: LegRequest) -> tuple[list[Answer], list[Answer]]:
    if request.size < 1:
        return [], []
    bodies = []
    if request.text is not None:
        bodies.append(
            queries.lexical_leg(request.text, request.filters, size=request.size, collapse=request.collapse)
        )
    has_vector = request.vector is not None and generation.dimensions is not None
    k = queries.PASSAGES_PER_WORK * request.size
    if has_vector:
        bodies.append(_semantic(request, k=k))
    answers = ask(bodies) if bodies else []
    lexical = _hits(answers[0]) if request.text is not None else []
    semantic = _nearest(ask, request, answers[-1], k) if has_vector else []
    return lexical, semantic


def _nearest(ask: Ask, request: LegRequest, answer: Answer, k: int) -> list[Answer]:
    """Return the semantic leg's hits; asks again in the two cases where the k nearest do not settle them.

    A paper with hundreds of near-identical passages could fill any k. Works that are found already are
    left out when more passages are asked for: each request brings at least one new work, and doubling k
    makes it few requests (none for 300 such passages in a leg of 100 works, four in a leg of 5).
    """
    hits = _hits(answer)
    if _is_cut_in_a_tie(hits, request.size) and _more_exist(answer, k):
        # Which of the equally near ones are among the k is chance; TIED times k holds the whole tie.
        (answer,) = ask([_semantic(request, k=TIED * k)])
        return _hits(answer)[: request.size]
    while request.collapse and hits and len(hits) < request.size and _more_exist(answer, k):
        k *= 2
        (answer,) = ask([_semantic(request, k=k, beside=[hit["_source"]["work_id"] for hit in hits])])
        hits += _hits(answer)
    return hits[: request.size]


def _is_cut_in_a_tie(hits: Sequence[Answer], size: int) -> bool:
    """Whether the first hit that is not returned is as near as the last one that is."""
    return len(hits) > size and bool(hits[size - 1]["_score"] == hits[size]["_score"])


def _more_exist(answer: Answer, k: int) -> bool:
    """Whether there may be passages besides those found: if there were fewer than k, these are all."""
    return int(answer["hits"]["total"]["value"]) >= min(k, queries.MAX_CANDIDATES)


def _semantic(request: LegRequest, *, k: int, beside: Sequence[str] = ()) -> Query:
    assert request.vector is not None
    return queries.semantic_leg(
        request.vector,
        request.filters,
        # One more than is returned shows a tie at the cut.
        size=request.size + 1,
        k=k,
        collapse=request.collapse,
        beside=beside,
    )


def _hits(answer: Answer) -> list[Answer]:
    hits: list[Answer] = answer["hits"]["hits"]
    return list(hits)


def _still_there(hits: Sequence[Answer], removed: Mapping[str, int]) -> list[Answer]:
    return [hit for hit in hits if hit["_source"]["revision"] > removed.get(hit["_source"]["work_id"], -1)]


def _newest_revisions(hits: Sequence[Answer]) -> dict[str, int]:
    newest: dict[str, int] = {}
    for hit in hits:
        source = hit["_source"]
        newest[source["work_id"]] = max(source["revision"], newest.get(source["work_id"], 0))
    return newest


def _is_newest(hit: Answer, newest: dict[str, int]) -> bool:
    return bool(hit["_source"]["revision"] == newest[hit["_source"]["work_id"]])


def _ranked(
    hits: Sequence[Answer], newest: dict[str, int], scale: Callable[[float], float]
) -> tuple[LegHit, ...]:
    kept = [
        LegHit(scale(hit["_score"]), PassageDocument.model_validate(hit["_source"]))
        for hit in hits
        if _is_newest(hit, newest)
    ]
    return tuple(sorted(kept, key=lambda hit: (-hit.score, hit.passage.passage_id)))
