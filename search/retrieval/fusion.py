"""Two scored lists into one: min-max normalisation and a weighted sum.

BM25 and cosine have nothing in common but their order. Each leg's scores are moved to 0 (its last hit)
to 1 (its first), and added up by weight. A hit that one leg does not have counts 0 there.
Source: Bruch, Gai and Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", ACM TOIS 42(1), 2023.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from search.index.documents import PassageDocument
    from search.index.protocol import LegHit, Legs


@dataclass(frozen=True, slots=True)
class Fused:
    """What both legs say of one work, or of one passage."""

    #: Work id or passage id.
    key: str
    #: Weighted sum of the normalised scores, 0 to 1.
    score: float
    lexical: LegHit | None = None
    semantic: LegHit | None = None
    #: The parts that `score` is the sum of.
    lexical_part: float = 0.0
    semantic_part: float = 0.0

    @property
    def best(self) -> LegHit:
        """The hit of the leg that gave the larger part; the lexical one if both gave the same."""
        if self.lexical is None or (self.semantic is not None and self.semantic_part > self.lexical_part):
            assert self.semantic is not None
            return self.semantic
        return self.lexical

    @property
    def passage(self) -> PassageDocument:
        """The passage of the better hit; it carries the work's card."""
        return self.best.passage


def min_max(scores: Sequence[float]) -> list[float]:
    """Return the scores moved to 0 to 1.

    Where they are all equal, a single one included, nothing tells them apart and each is 1: a hit
    counts more than none.
    """
    if not scores:
        return []
    low, high = min(scores), max(scores)
    if high <= low:
        return [1.0] * len(scores)
    # Rounding can leave the range by a last digit when the scores are huge.
    return [min(1.0, max(0.0, (score - low) / (high - low))) for score in scores]


def fuse(legs: Legs, *, dense: float, key: Callable[[PassageDocument], str]) -> list[Fused]:
    """Return the hits of both legs under one score, best first, ties by key.

    Args:
        legs: what the store found. A leg that was not run is empty, and the other has all the weight.
        dense: weight of the semantic leg, 0 to 1; the lexical leg has the rest.
        key: what is one hit: the work's id, or the passage's.
    """
    lexical, semantic = newest(legs.lexical, legs.semantic)
    if not semantic:
        dense = 0.0
    elif not lexical:
        dense = 1.0
    by_word = _scored(lexical, key)
    by_meaning = _scored(semantic, key)
    fused = []
    for name in by_word.keys() | by_meaning.keys():
        word_hit, word_score = by_word.get(name, (None, 0.0))
        meaning_hit, meaning_score = by_meaning.get(name, (None, 0.0))
        word_part, meaning_part = (1 - dense) * word_score, dense * meaning_score
        fused.append(Fused(name, word_part + meaning_part, word_hit, meaning_hit, word_part, meaning_part))
    return sorted(fused, key=lambda hit: (-hit.score, hit.key))


def newest(*legs: Sequence[LegHit]) -> tuple[list[LegHit], ...]:
    """Return each leg without the hits whose work another hit shows in a newer revision.

    While a paper is replaced, two legs of one request can see it before and after.
    """
    revisions: dict[str, int] = {}
    for hit in (hit for leg in legs for hit in leg):
        work_id, revision = hit.passage.work_id, hit.passage.revision
        revisions[work_id] = max(revision, revisions.get(work_id, revision))
    return tuple([h for h in leg if h.passage.revision == revisions[h.passage.work_id]] for leg in legs)


def _scored(leg: Sequence[LegHit], key: Callable[[PassageDocument], str]) -> dict[str, tuple[LegHit, float]]:
    """Return each hit and its normalised score; of several under one key the first, which is the best."""
    scored: dict[str, tuple[LegHit, float]] = {}
    for hit, score in zip(leg, min_max([hit.score for hit in leg]), strict=True):
        scored.setdefault(key(hit.passage), (hit, score))
    return scored
