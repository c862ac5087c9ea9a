"""The citation graph around the best hits: what they cite and what cites them.

Each of the best hits, the seeds, votes with its fused score for the works one or two citation steps
away. A work's graph score is the sum of the votes it got, divided by the largest sum:

    votes(w) = sum over seeds s != w with d(s, w) <= hops of fused(s) * DECAY[d(s, w)] * AGAINST ** a(s, w)
    graph_score(w) = votes(w) / the votes of the work that got most

d is the number of steps, and a how many of them lead against the citation, from a work to one that
cites it, on the shortest way with the fewest of these. A seed stands at distance 0 and its own score
counts in full already, in the blend: it gets votes from other seeds only. Every work on the way passes
the filters: an excluded one is no bridge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from search.retrieval.filtering import passes

if TYPE_CHECKING:
    import networkx as nx

    from search.index.documents import WorkDocument
    from search.index.protocol import IndexStore
    from search.models import Filters

#: The best hits that vote, as in the baseline beside which evals/results.md shows what the graph gains.
#: Other numbers were not tried.
SEEDS = 10
#: Weight of a vote by citation steps.
DECAY = (1.0, 0.6, 0.3)
#: Factor of a step from a work to one that cites it. Of 200 NeurIPS/ICML papers outside the evaluation set,
#: with the lexical leg and a graph weight of 0.5, nDCG@10 for what they cite was 0.202 without the graph;
#: over one step 0.280 with a factor of 1, 0.291 with 0.5, 0.294 with 0.25, 0.298 with 0; over two steps
#: 0.287 with 0.5. A factor of 0 would serve that task, which asks for cited works only, and never find
#: the follow-up to an old paper. A seed's vote for itself cost 0.036.
AGAINST = 0.5
#: Works that one step may add, those with the most votes first: a paper that ten thousand cite must not
#: bring them all.
NEW_WORKS = 200


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """Works around the seeds."""

    #: Sum of votes divided by the largest, 0 to 1; only works that got one.
    scores: dict[str, float] = field(default_factory=dict)
    #: Citation steps from the nearest seed; 0 for the seeds.
    distances: dict[str, int] = field(default_factory=dict)
    #: Cards of the works in it.
    works: dict[str, WorkDocument] = field(default_factory=dict)


def expand(store: IndexStore, seeds: Mapping[str, float], filters: Filters, *, hops: int) -> Neighbourhood:
    """Return the neighbourhood of the seeds, `hops` citation steps wide.

    Asks the store for works and citing works once a step, and only for what is new.

    Args:
        store: where references and citing works are read.
        seeds: fused score by work id.
        filters: what every work of the neighbourhood passes.
        hops: 1 or 2; 0 returns the seeds alone.
    """
    works = _allowed(store, list(seeds), filters)
    edges: set[tuple[str, str]] = set()
    frontier = [work_id for work_id in seeds if work_id in works]
    for _ in range(hops):
        found = _edges(store, {work_id: works[work_id] for work_id in frontier})
        support: dict[str, int] = {}
        for citing, cited in found:
            for end in (citing, cited):
                if end not in works:
                    support[end] = support.get(end, 0) + 1
        wanted = sorted(support, key=lambda work_id: (-support[work_id], work_id))[:NEW_WORKS]
        fresh = (
            {i: work for i, work in store.works(wanted).items() if passes(work, filters)} if wanted else {}
        )
        works.update(fresh)
        edges.update(edge for edge in found if edge[0] in works and edge[1] in works)
        frontier = sorted(fresh)
    return vote(seeds, sorted(edges), works, hops=hops)


def vote(
    seeds: Mapping[str, float],
    edges: Sequence[tuple[str, str]],
    works: Mapping[str, WorkDocument],
    *,
    hops: int,
) -> Neighbourhood:
    """Return scores and distances over a graph given as (citing, cited) pairs. Touches no store."""
    # Imported here because a search without the graph should not wait for it.
    import networkx as nx

    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(seed for seed in seeds if seed in works)
    graph.add_edges_from(edge for edge in edges if edge[0] != edge[1])
    votes: dict[str, float] = {}
    distances: dict[str, int] = {}
    for seed, score in sorted(seeds.items()):
        if seed not in graph:
            continue
        for work_id, (distance, factor) in reach(graph, seed, hops=hops).items():
            distances[work_id] = min(distance, distances.get(work_id, distance))
            if distance:
                votes[work_id] = votes.get(work_id, 0.0) + score * DECAY[distance] * factor
    largest = max(votes.values(), default=0.0)
    scores = {work_id: value / largest for work_id, value in votes.items()} if largest > 0 else {}
    return Neighbourhood(scores, distances, dict(works))


def reach(graph: nx.DiGraph[str], seed: str, *, hops: int) -> dict[str, tuple[int, float]]:
    """Return the works around a seed: citation steps, and the best factor of a way that short."""
    found = {seed: (0, 1.0)}
    frontier = [seed]
    for distance in range(1, hops + 1):
        layer: dict[str, float] = {}
        for work_id in frontier:
            factor = found[work_id][1]
            ways = [(cited, factor) for cited in graph.successors(work_id)]
            ways += [(citing, factor * AGAINST) for citing in graph.predecessors(work_id)]
            for end, value in ways:
                if end not in found:
                    layer[end] = max(value, layer.get(end, 0.0))
        found.update((end, (distance, value)) for end, value in layer.items())
        frontier = sorted(layer)
    return found


def _allowed(store: IndexStore, ids: Sequence[str], filters: Filters) -> dict[str, WorkDocument]:
    """Return those of these works that the index holds and that pass the filters."""
    found = store.works(ids) if ids else {}
    return {work_id: work for work_id, work in found.items() if passes(work, filters)}


def _edges(store: IndexStore, frontier: Mapping[str, WorkDocument]) -> set[tuple[str, str]]:
    """Return (citing, cited) for every edge at the frontier, inside the library or out of it."""
    if not frontier:
        return set()
    edges = {(work_id, cited) for work_id, work in frontier.items() for cited in work.references}
    for cited, citing in store.citing(list(frontier)).items():
        edges.update((work_id, cited) for work_id in citing)
    return edges
