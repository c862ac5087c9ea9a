"""A store as readers see it: without works that were taken down and are still in the index.

Between the order and the index's being cleared of the work there is a moment, and after a kill there may be a
day. Once the live generation has applied every order, which is so nearly always, this passes each call on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from search.index.protocol import LegRequest, Legs

if TYPE_CHECKING:
    from search.embedding.protocol import Vector
    from search.index.documents import PassageDocument, WorkDocument
    from search.index.protocol import Generation, IndexStore
    from search.lake.takedown import Takedowns


class ObeyingStore:
    """An `IndexStore` whose reading methods know no taken-down work; all others are the store's own."""

    def __init__(self, store: IndexStore, takedowns: Takedowns) -> None:
        self._store = store
        self._takedowns = takedowns

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def live(self) -> Generation:
        """Return the published generation."""
        return self._store.live()

    def legs(self, request: LegRequest) -> Legs:
        """Run both legs, taken-down works excluded by the filter itself, so that they take nobody's place."""
        taken = self._taken()
        if taken:
            excluded = (*request.filters.exclude_ids, *sorted(taken))
            filters = request.filters.model_copy(update={"exclude_ids": excluded})
            request = replace(request, filters=filters)
        return self._store.legs(request)

    def works(self, ids: Sequence[str]) -> dict[str, WorkDocument]:
        """Return the works that are there, not removed and not taken down, by id."""
        return self._store.works(self._allowed(ids))

    def passages(self, ids: Sequence[str]) -> dict[str, PassageDocument]:
        """Return passages by passage id."""
        found, taken = self._store.passages(ids), self._taken()
        return {passage_id: p for passage_id, p in found.items() if p.work_id not in taken}

    def passages_of(self, work_id: str) -> tuple[PassageDocument, ...]:
        """Return a work's passages, in order."""
        return () if work_id in self._taken() else self._store.passages_of(work_id)

    def vectors_of(self, work_id: str) -> Vector | None:
        """Return the vectors of a work's passages."""
        return None if work_id in self._taken() else self._store.vectors_of(work_id)

    def citing(self, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Return, for each id that is cited, the works that cite it; what a taken-down work cited is gone."""
        found, taken = self._store.citing(ids), self._taken()
        kept = {cited: tuple(w for w in works if w not in taken) for cited, works in found.items()}
        return {cited: works for cited, works in kept.items() if works}

    def contents(self, generation: str | None = None) -> Iterator[WorkDocument]:
        """Iterate over all works."""
        taken = self._taken()
        return (work for work in self._store.contents(generation) if work.work_id not in taken)

    def _taken(self) -> frozenset[str]:
        return self._takedowns.pending(self._store.live().applied)

    def _allowed(self, ids: Sequence[str]) -> list[str]:
        taken = self._taken()
        return [work_id for work_id in ids if work_id not in taken]
