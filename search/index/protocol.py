"""`IndexStore`: exactly what retrieval and ingestion need of a search engine, and nothing more.

Two stores implement it, `embedded` and `elastic`; tests/index/conformance.py is what both must pass.
A generation is one pair of indices (works, passages) built from the lake. Readers see the live one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

from search.embedding.protocol import Vector
from search.index.documents import PaperDocuments, PassageDocument, WorkDocument
from search.models import Filters


@dataclass(frozen=True, slots=True)
class Generation:
    """One build of the index and what it knows of itself."""

    name: str
    #: `building` until first published; one is `live`; the others are `old`.
    state: Literal["building", "live", "old"]
    created: datetime
    #: Hash of the mappings it was made with.
    schema_hash: str
    #: Fingerprint of the embedding model whose vectors it holds; None: no vectors yet.
    fingerprint: str | None
    dimensions: int | None
    #: Names of the lake files whose facts it holds.
    applied: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class LegRequest:
    """One query for both legs. A leg whose input is None is not run."""

    #: Words for the lexical leg.
    text: str | None
    #: Query vector for the semantic leg, `float32[dimensions]`, unit length.
    vector: Vector | None
    filters: Filters = field(default_factory=Filters)
    #: How many works to return per leg (passages, with `collapse` off).
    size: int = 100
    #: Keep only the best passage of each work.
    collapse: bool = True


@dataclass(frozen=True, slots=True)
class LegHit:
    """A work and its best passage in one leg."""

    #: BM25 as Lucene scales it, or cosine similarity.
    score: float
    passage: PassageDocument


@dataclass(frozen=True, slots=True)
class Legs:
    """What the two legs found, each by falling score; ties by passage id."""

    generation: str
    lexical: tuple[LegHit, ...] = ()
    semantic: tuple[LegHit, ...] = ()


@dataclass(frozen=True, slots=True)
class Counts:
    """How much a generation holds. Removed works are not counted."""

    works: int
    passages: int
    #: Passages that have a vector.
    vectors: int


@dataclass(slots=True)
class Written:
    """What a `write` did, in papers."""

    written: int = 0
    unchanged: int = 0
    #: Work ids whose documents in the index are newer than those given.
    stale: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy of indices that an operator has made: an Elasticsearch snapshot."""

    #: What to call it: repository and snapshot.
    name: str
    made: datetime
    indices: tuple[str, ...]
    #: What a person runs to delete it.
    command: str


class IndexStore(Protocol):
    """A place for works and passages. Readers are safe from many threads; writers are one per generation.

    Every method raises `EngineUnavailable` when the engine cannot be asked. Methods that read raise
    `IndexMissing` when nothing is published. `generation=None` means the live one.
    """

    # -------------------------------------------------------------- reading
    def at(self, generation: str) -> IndexStore:
        """Return a view of this store for which that generation is the live one, published or not.

        Only reads differ; the view shares connections and files with the store, which is what to close.
        An unknown generation raises `IndexMissing`.
        """

    def legs(self, request: LegRequest) -> Legs:
        """Run both legs in one round trip under one hard filter.

        Of each work only hits of its newest revision are kept. A leg returns `size` works if that many
        match. Dimensions other than the index's raise `ModelMismatch`.
        """

    def works(self, ids: Sequence[str]) -> dict[str, WorkDocument]:
        """Return the works that are there and not removed, by id."""

    def passages(self, ids: Sequence[str]) -> dict[str, PassageDocument]:
        """Return passages by passage id; those of a superseded revision are not there."""

    def passages_of(self, work_id: str) -> tuple[PassageDocument, ...]:
        """Return a work's passages, in order."""

    def vectors_of(self, work_id: str) -> Vector | None:
        """Return the vectors of a work's passages, `float32[n, dimensions]`; None if it has none."""

    def citing(self, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Return, for each id, the works of the index that cite it (missing: none)."""

    def counts(self, generation: str | None = None) -> Counts:
        """Count what a reader can see."""

    def generations(self) -> tuple[Generation, ...]:
        """Return all generations, oldest first; an empty tuple if there are none."""

    def live(self) -> Generation:
        """Return the published generation, or raise `IndexMissing`. Cheap enough for every query."""

    def contents(self, generation: str | None = None) -> Iterator[WorkDocument]:
        """Iterate over all works, removed ones included, by work id."""

    # -------------------------------------------------------------- writing
    def create(self, *, fingerprint: str | None, dimensions: int | None) -> Generation:
        """Make an empty generation in state `building`."""

    def set_model(self, generation: str, *, fingerprint: str, dimensions: int) -> None:
        """Name the model of a generation that has none yet; the same again is harmless.

        Raises:
            ModelMismatch: it holds vectors of another model.
        """

    def write(self, generation: str, papers: Iterable[PaperDocuments]) -> Written:
        """Bring each paper's documents to what is given. Idempotent; older than the index: skipped.

        A reader sees a paper's old documents or its new ones, never both, never neither. When this
        returns, what was written is durable and searches find it.
        """

    def strays(self) -> tuple[str, ...]:
        """Return the works of the live generation that have passages beside those that count.

        No answer rests on them; writing the work once more, even unchanged, deletes them.
        """

    def refuse_late_writes(self, generation: str) -> None:
        """Refuse what writers that have begun before still send, however late it comes: `WriterBusy`."""

    def expunge(self, generation: str) -> None:
        """Leave nothing on disk of documents that were deleted or replaced. As slow as writing all anew."""

    def copies(self) -> tuple[Copy, ...]:
        """Return the copies of these indices that the engine keeps elsewhere, which nothing here changes."""

    def mark_applied(self, generation: str, files: Collection[str], gone: Collection[str] = ()) -> None:
        """Record that the facts of these lake files are in. Called after `write` returned.

        Files in `gone` were merged into others and are not listed any more: they are forgotten.
        """

    def publish(self, generation: str) -> None:
        """Make it the live one, in one step for all readers; the former live one becomes `old`."""

    def drop(self, generation: str) -> None:
        """Delete a generation that is not live; an unknown one is no error."""

    def destroy(self) -> None:
        """Delete all generations and everything else the store has made: for throw-away indices."""

    def close(self) -> None:
        """Let go of connections, files and locks."""
