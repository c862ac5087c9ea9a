"""`EmbeddedStore`: an `IndexStore` in a folder, without a server. Any number of readers, one writer."""

from __future__ import annotations

import copy
import shutil
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

import tantivy

from search.errors import IndexFailure, IndexMissing, ModelMismatch
from search.index.embedded import unlocked
from search.index.embedded.failures import index_errors, schema_mismatch
from search.index.embedded.generations import Generations, Stamp, stamp
from search.index.embedded.snapshot import Snapshot
from search.index.embedded.vectors import VectorsGone
from search.index.mappings import schema_hash
from search.index.protocol import Copy, Counts, Generation, LegHit, LegRequest, Legs, Written

if TYPE_CHECKING:
    from search.embedding.protocol import Vector
    from search.index.documents import PaperDocuments, PassageDocument, WorkDocument

T = TypeVar("T")
#: How often a reader starts over because a writer deleted old files under it, with a newer snapshot.
ATTEMPTS = 10


class EmbeddedStore:
    """Works and passages in `path/<generation>/`; see `search.index.protocol` for what each method promises.

    Nothing is opened or created before it is needed. What another process commits or publishes is seen
    by the next call: tantivy's meta.json and the live pointer are looked at each time.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._generations = Generations(path)
        self._readers: dict[str, _Reader] = {}
        self._lock = threading.Lock()
        #: The generation that this view reads; None: whichever is live.
        self._chosen: str | None = None

    # -------------------------------------------------------------- reading
    def at(self, generation: str) -> Self:
        """Return a view that reads this generation, published or not."""
        self._generations.folder(generation)
        view = copy.copy(self)
        view._chosen = generation  # noqa: SLF001 - of its own class
        return view

    def legs(self, request: LegRequest) -> Legs:
        """Run both legs on one snapshot under one hard filter."""

        def both(snapshot: Snapshot) -> Legs:
            live = self._generations.get(snapshot.generation)
            if request.vector is not None and live.dimensions not in {None, len(request.vector)}:
                msg = f"the query vector has {len(request.vector)} dimensions, the index {live.dimensions}"
                raise ModelMismatch(
                    msg, advice="search with the model that the index was built with, or rebuild it"
                )
            lexical: tuple[LegHit, ...] = ()
            semantic: tuple[LegHit, ...] = ()
            if request.text is not None:
                lexical = snapshot.lexical(
                    request.text, request.filters, request.size, collapse=request.collapse
                )
            if request.vector is not None and live.dimensions is not None:
                semantic = snapshot.semantic(
                    request.vector, request.filters, request.size, collapse=request.collapse
                )
            return Legs(live.name, lexical, semantic)

        return self._read(None, both)

    def works(self, ids: Sequence[str]) -> dict[str, WorkDocument]:
        """Return the works that are there and not removed, by id."""
        return self._read(None, lambda snapshot: snapshot.works(ids))

    def passages(self, ids: Sequence[str]) -> dict[str, PassageDocument]:
        """Return passages by passage id."""
        return self._read(None, lambda snapshot: snapshot.passages(ids))

    def passages_of(self, work_id: str) -> tuple[PassageDocument, ...]:
        """Return a work's passages, in order."""
        return self._read(None, lambda snapshot: snapshot.passages_of(work_id))

    def vectors_of(self, work_id: str) -> Vector | None:
        """Return the vectors of a work's passages, `float32[n, dimensions]`; None if it has none."""
        return self._read(None, lambda snapshot: snapshot.vectors_of(work_id))

    def citing(self, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Return, for each id that is cited, the works that cite it."""
        found = self._read(None, lambda snapshot: {cited: snapshot.citing(cited) for cited in ids})
        return {cited: works for cited, works in found.items() if works}

    def counts(self, generation: str | None = None) -> Counts:
        """Count what a reader can see."""
        return self._read(generation, Snapshot.counts)

    def contents(self, generation: str | None = None) -> Iterator[WorkDocument]:
        """Iterate over all works, removed ones included, by work id; all of one snapshot."""
        return self._read(generation, Snapshot.contents)

    def generations(self) -> tuple[Generation, ...]:
        """Return all generations, oldest first."""
        return self._generations.all()

    def live(self) -> Generation:
        """Return the published generation, or raise `IndexMissing`."""
        return self._generations.get(self._chosen or self._generations.live_name())

    # -------------------------------------------------------------- writing
    def create(self, *, fingerprint: str | None, dimensions: int | None) -> Generation:
        """Make an empty generation in state `building`."""
        return self._generations.create(fingerprint=fingerprint, dimensions=dimensions)

    def set_model(self, generation: str, *, fingerprint: str, dimensions: int) -> None:
        """Name the model of a generation that has none yet; another one raises `ModelMismatch`."""
        self._generations.set_model(generation, fingerprint=fingerprint, dimensions=dimensions)

    def write(self, generation: str, papers: Iterable[PaperDocuments]) -> Written:
        """Bring each paper's documents to what is given.

        Raises:
            WriterBusy: another process or thread writes to this generation.
            DiskFull: what was committed before stays; nothing half-written is seen.
        """
        folder = self._generations.folder(generation)
        self._check_schema(generation)
        # Searching needs neither locks (filelock imports asyncio: 40 ms) nor anything else of a writer.
        from search.index.embedded import writing

        return writing.write(folder, self._generations.get(generation).dimensions, papers)

    def strays(self) -> tuple[str, ...]:
        """Return nothing: a work and its passages are replaced in one commit."""
        return ()

    def refuse_late_writes(self, generation: str) -> None:
        """Do nothing: a writer holds the lock until it has ended, and the next one sees what it did."""

    def expunge(self, generation: str) -> None:
        """Leave nothing on disk of documents that were deleted or replaced.

        Raises:
            WriterBusy: another process or thread writes to this generation.
        """
        folder = self._generations.folder(generation)
        self._check_schema(generation)
        from search.index.embedded import expunging

        expunging.expunge(folder)

    def copies(self) -> tuple[Copy, ...]:
        """Return nothing: copies of a folder are not known to it."""
        return ()

    def mark_applied(self, generation: str, files: Collection[str], gone: Collection[str] = ()) -> None:
        """Record that the facts of these lake files are in; `gone` ones need not be remembered any more."""
        self._generations.mark_applied(generation, files, gone)

    def publish(self, generation: str) -> None:
        """Make it the live one, in one step for all readers."""
        self._check_schema(generation)
        self._generations.publish(generation)

    def drop(self, generation: str) -> None:
        """Delete a generation that is not live; an unknown one is no error."""
        with self._lock:
            self._readers.pop(generation, None)
        self._generations.drop(generation)

    def destroy(self) -> None:
        """Delete the whole folder; nothing of the store is left."""
        self.close()
        shutil.rmtree(self._path, ignore_errors=True)

    def close(self) -> None:
        """Let go of files; the store can be used again afterwards."""
        with self._lock:
            self._readers.clear()

    # -------------------------------------------------------------- inside
    def _read(self, generation: str | None, read: Callable[[Snapshot], T]) -> T:
        """Return what `read` makes of the newest snapshot of a generation, None: of the live one."""
        generation = generation or self._chosen
        for _ in range(ATTEMPTS):
            name = generation or self._generations.live_name()
            try:
                with index_errors(self._generations.folder(name)):
                    return read(self._reader(name).snapshot())
            except VectorsGone:
                continue
            except IndexMissing:
                # Another generation may have been published, and this one dropped, in between.
                if generation or self._generations.live_name() == name:
                    raise
        msg = f"vectors that generation {name} refers to are missing"
        raise IndexFailure(msg, advice="run `citewell index rebuild`: the index is a copy of the lake")

    def _reader(self, name: str) -> _Reader:
        with self._lock:
            reader = self._readers.get(name)
            if reader is None:
                folder = self._generations.folder(name)
                self._check_schema(name)
                self._readers = {other: kept for other, kept in self._readers.items() if kept.exists()}
                reader = self._readers[name] = _Reader(folder)
            return reader

    def _check_schema(self, name: str) -> None:
        if self._generations.get(name).schema_hash != schema_hash():
            raise schema_mismatch(self._generations.folder(name))


class _Reader:
    """A generation that is open for reading, and its newest snapshot."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._meta = folder / "words" / "meta.json"
        self._lock = threading.Lock()
        self._stamp: Stamp | None = None
        self._snapshot: Snapshot | None = None
        self._index: tantivy.Index | None = None

    def exists(self) -> bool:
        """Return whether the generation has not been dropped."""
        return self._meta.is_file()

    def snapshot(self) -> Snapshot:
        """Return the snapshot of the newest commit."""
        with self._lock:
            now = stamp(self._meta)
            if now is None:
                msg = f"the index in {self._folder} was dropped"
                raise IndexMissing(msg, advice="ask again")
            if self._snapshot is None or now != self._stamp:
                with index_errors(self._folder):
                    self._snapshot = self._load()
                self._stamp = now
            return self._snapshot

    def _load(self) -> Snapshot:
        try:
            if self._index is None:
                self._index = tantivy.Index.open(str(self._folder / "words"))
                # tantivy would start a thread that watches the folder; looking at the file is cheaper and
                # sooner.
                self._index.config_reader("manual")
            self._index.reload()
        except ValueError as failure:
            if not unlocked.is_refused(failure):
                raise
            return Snapshot(unlocked.searcher(self._folder / "words"), self._folder)
        return Snapshot(self._index.searcher(), self._folder)
