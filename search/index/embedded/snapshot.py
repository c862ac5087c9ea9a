"""One moment of a generation, for reading: what one tantivy commit holds, words and vectors of it alike.

A snapshot never changes, so many threads may ask it at once.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import tantivy
from numpy.typing import NDArray
from tantivy import Query

from search.index.documents import PassageDocument, WorkDocument
from search.index.embedded import queries
from search.index.embedded.schema import Kind, stored_passage, stored_state, stored_work
from search.index.embedded.vectors import Rows, VectorReader
from search.index.protocol import Counts, LegHit
from search.models import Filters

if TYPE_CHECKING:
    from search.embedding.protocol import Vector

#: tantivy's BM25 is Lucene's times k1 + 1, with k1 = 1.2.
#: Lucene dropped the factor in version 8 (LUCENE-8563), because it changes no order.
TANTIVY_OVER_LUCENE = 2.2
#: First guess of how many passages hold the works that are asked for; too few are followed by more.
PASSAGES_PER_WORK = 5
#: Filters whose passages are remembered until the next commit: the sub-queries of one question share one.
#: A filter that keeps 100,000 passages takes 65 ms to read and 10 MB to remember.
FILTERS_KEPT = 4
#: Works fetched at a time while iterating over all of them.
BATCH = 256


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage that matched, not fetched yet."""

    score: float
    address: tantivy.DocAddress
    work_key: int


@dataclass(frozen=True, slots=True)
class Columns:
    """The passages with a vector that pass a filter: where they lie, in three columns of one length."""

    addresses: list[tantivy.DocAddress]
    rows: Rows
    work_keys: NDArray[np.uint64]


class Snapshot:
    """What a generation held at one commit."""

    def __init__(self, searcher: tantivy.Searcher, folder: Path) -> None:
        #: The generation's name.
        self.generation = folder.name
        self._searcher = searcher
        self._folder = folder / "vectors"
        self._lock = threading.Lock()
        self._reader: VectorReader | None = None
        self._columns: dict[Filters, Columns] = {}

    # -------------------------------------------------------------- legs
    def lexical(self, text: str, filters: Filters, size: int, *, collapse: bool) -> tuple[LegHit, ...]:
        """Return the best passages by BM25, at most one of a work if `collapse`."""
        words = queries.words(text)
        if words is None or size <= 0:
            return ()
        query = queries.under_filter(words, queries.allowed(filters))
        limit = PASSAGES_PER_WORK * size
        while True:
            found = self._searcher.search(query, limit=limit, count=False).hits
            candidates = self._candidates(
                [(round(score / TANTIVY_OVER_LUCENE, 5), at) for score, at in found]
            )
            # A tie that the limit cuts through would be decided by chance; ask for all of it.
            last = candidates[-1].score if candidates else 0.0
            hits = self._best(iter(candidates), size, collapse=collapse)
            if len(found) < limit or (len(hits) == size and hits[-1].score > last):
                return hits
            limit *= 4

    def semantic(self, query: Vector, filters: Filters, size: int, *, collapse: bool) -> tuple[LegHit, ...]:
        """Return the nearest passages by cosine, exactly, at most one of a work if `collapse`."""
        columns = self._with_vectors(filters)
        if not columns.addresses or size <= 0:
            return ()
        scores = self._vectors().scores(columns.rows, query)
        return self._best(_by_score(scores, columns, PASSAGES_PER_WORK * size), size, collapse=collapse)

    def _candidates(self, found: Sequence[tuple[float, tantivy.DocAddress]]) -> list[Candidate]:
        keys = self._searcher.fast_field_values("work_key", [address for _, address in found])
        return [Candidate(score, address, key) for (score, address), key in zip(found, keys, strict=True)]

    def _best(self, candidates: Iterator[Candidate], size: int, *, collapse: bool) -> tuple[LegHit, ...]:
        """Return the first `size` candidates, ties by passage id; fetches what it returns or what ties."""
        hits: list[LegHit] = []
        seen: set[int] = set()
        for score, group in groupby(candidates, key=lambda candidate: candidate.score):
            tied = [c for c in group if not collapse or c.work_key not in seen]
            fetched = [(self._passage(c.address), c.work_key) for c in tied]
            for passage, key in sorted(fetched, key=lambda pair: pair[0].passage_id):
                if collapse and key in seen:
                    continue
                seen.add(key)
                hits.append(LegHit(score, passage))
                if len(hits) == size:
                    return tuple(hits)
        return tuple(hits)

    def _with_vectors(self, filters: Filters) -> Columns:
        """Return the columns under a filter; the last filters' are remembered, and always those of none."""
        with self._lock:
            known = self._columns.get(filters)
        if known is not None:
            return known
        condition = queries.allowed(filters)
        columns = self._read_columns() if condition is None else self._read_columns(condition)
        with self._lock:
            kept = [other for other in self._columns if not other.keeps_everything()]
            if len(kept) >= FILTERS_KEPT:
                self._columns.pop(kept[0], None)
            self._columns[filters] = columns
        return columns

    def _read_columns(self, *conditions: Query) -> Columns:
        addresses = self._addresses(queries.of_kind(Kind.VECTOR, *conditions))
        rows = self._searcher.fast_field_values("row", addresses)
        keys = self._searcher.fast_field_values("work_key", addresses)
        return Columns(addresses, np.array(rows, dtype=np.int64), np.array(keys, dtype=np.uint64))

    def _vectors(self) -> VectorReader:
        with self._lock:
            if self._reader is None:
                self._reader = VectorReader(self._folder)
            return self._reader

    # -------------------------------------------------------------- documents
    def works(self, ids: Sequence[str]) -> dict[str, WorkDocument]:
        """Return the works that are there and not removed."""
        return {work.work_id: work for work in self._works(ids) if not work.removed}

    def passages(self, ids: Sequence[str]) -> dict[str, PassageDocument]:
        """Return passages by passage id."""
        found = (self._passage(at) for at in self._addresses(queries.any_of("passage_id", ids)))
        return {passage.passage_id: passage for passage in found}

    def passages_of(self, work_id: str) -> tuple[PassageDocument, ...]:
        """Return a work's passages, in order."""
        query = queries.of_kind(Kind.PASSAGE, queries.term("work_id", work_id))
        return tuple(sorted((self._passage(at) for at in self._addresses(query)), key=_ordinal))

    def vectors_of(self, work_id: str) -> Vector | None:
        """Return the vectors of a work's passages, in order; None if it has none."""
        columns = self._read_columns(queries.term("work_id", work_id))
        if not columns.addresses:
            return None
        passages = [self._passage(at) for at in columns.addresses]
        order = sorted(range(len(passages)), key=lambda i: _ordinal(passages[i]))
        return self._vectors().vectors(columns.rows[order])

    def passages_with_rows(self, work_id: str) -> tuple[tuple[PassageDocument, ...], list[int | None]]:
        """Return a work's passages, in order, and the row of each one's vector, None: it has none."""
        columns = self._read_columns(queries.term("work_id", work_id))
        held = {
            self._passage(address).passage_id: int(row)
            for address, row in zip(columns.addresses, columns.rows, strict=True)
        }
        passages = self.passages_of(work_id)
        return passages, [held.get(passage.passage_id) for passage in passages]

    def citing(self, cited: str) -> tuple[str, ...]:
        """Return the works that cite `cited`, by id."""
        query = queries.of_kind(Kind.WORK, queries.term("references", cited))
        limit = max(1, self._searcher.num_docs)
        found = self._searcher.search(
            query, limit, count=False, order_by_field="work_id", order=tantivy.Order.Asc
        )
        return tuple(work_id for work_id, _ in found.hits)

    def contents(self) -> Iterator[WorkDocument]:
        """Iterate over all works, removed ones included, by work id."""
        ids = sorted(term for term, _ in self._searcher.terms_with_prefix("work_id", ""))
        for start in range(0, len(ids), BATCH):
            yield from sorted(self._works(ids[start : start + BATCH]), key=lambda work: work.work_id)

    def state(self, work_id: str) -> tuple[int, str] | None:
        """Return a work's revision and content hash; None if it is not there."""
        # Asked for every paper of a write: plain terms are faster than sets of terms.
        query = queries.term("work_id", work_id)
        for kind in (Kind.WORK, Kind.REMOVED):
            for _, address in self._searcher.search(queries.of_kind(kind, query), limit=1, count=False).hits:
                return stored_state(self._searcher.doc(address))
        return None

    def counts(self) -> Counts:
        """Count what a reader can see."""
        return Counts(
            works=self._count(Kind.WORK),
            passages=self._count(Kind.PASSAGE),
            vectors=self._count(Kind.VECTOR),
        )

    def rows(self) -> Rows:
        """Return the rows of the matrix that passages refer to."""
        return self._read_columns().rows

    def _works(self, ids: Sequence[str]) -> list[WorkDocument]:
        return [stored_work(self._searcher.doc(address)) for address in self._heads(ids)]

    def _heads(self, ids: Sequence[str]) -> list[tantivy.DocAddress]:
        head = queries.any_of("kind", (Kind.WORK, Kind.REMOVED))
        return self._addresses(queries.all_of(head, queries.any_of("work_id", ids)))

    def _addresses(self, query: Query) -> list[tantivy.DocAddress]:
        """Return where every document lies that matches."""
        limit = max(1, self._searcher.num_docs)
        return [address for _, address in self._searcher.search(query, limit=limit, count=False).hits]

    def _count(self, kind: Kind) -> int:
        return int(self._searcher.search(queries.term("kind", kind), limit=1, count=True).count)

    def _passage(self, address: tantivy.DocAddress) -> PassageDocument:
        return stored_passage(self._searcher.doc(address))


def _ordinal(passage: PassageDocument) -> int:
    return passage.ordinal


def _by_score(scores: Vector, columns: Columns, first: int) -> Iterator[Candidate]:
    """Yield candidates by falling score: the best `first` (ties included) cheaply, all others if asked."""
    wanted = np.arange(len(scores))
    if first < len(scores):
        threshold = np.partition(scores, len(scores) - first)[len(scores) - first]
        best, others = np.flatnonzero(scores >= threshold), np.flatnonzero(scores < threshold)
        parts = [best, others]
    else:
        parts = [wanted]
    for part in parts:
        for i in part[np.argsort(-scores[part], kind="stable")]:
            yield Candidate(float(scores[i]), columns.addresses[i], int(columns.work_keys[i]))
