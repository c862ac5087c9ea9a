"""Writing into a generation: one process at a time, in batches, each of them durable when it is committed.

The order within a batch is what makes kill -9 harmless: first the vectors, as a file of their own, then
tantivy's commit, which replaces papers and refers to the vectors in one step.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import orjson
import tantivy
from filelock import FileLock, Timeout

from search.embedding.protocol import Vector
from search.errors import ModelMismatch, WriterBusy
from search.index.documents import PaperDocuments
from search.index.embedded import vectors as matrix
from search.index.embedded.analysis import ANALYZER, analyzer
from search.index.embedded.failures import index_errors
from search.index.embedded.generations import share
from search.index.embedded.schema import documents, schema
from search.index.embedded.snapshot import Snapshot
from search.index.protocol import Written

#: A batch is committed at so many papers, or so many bytes of text and vectors, whichever comes first.
#: A commit takes 15 to 30 ms (several fsyncs), 250 ms on a busy disk, and leaves a segment to merge; a paper
#: takes 0.4 ms. CPU time of 4,000 abstracts: 0.47 ms each in batches of 500, 0.41 in batches of 2,000.
BATCH_PAPERS = 2_000
BATCH_BYTES = 32_000_000
#: tantivy's buffer in bytes, and its threads: analysis is 20 times faster than any embedding model feeds it.
HEAP = 64_000_000
THREADS = 1


@contextmanager
def writer_lock(folder: Path) -> Iterator[bool]:
    """Hold the generation's writer lock; yields whether the last holder was killed.

    The operating system frees the lock with its process, so nothing stale can be left.

    Raises:
        WriterBusy: another one holds it.
    """
    lock, holder = FileLock(folder / ".writer.lock"), folder / ".writer.pid"
    with index_errors(folder):
        try:
            lock.acquire(timeout=0)
        except Timeout as busy:
            pid = holder.read_text() if holder.is_file() else "unknown"
            msg = f"process {pid} is writing to the index in {folder}"
            raise WriterBusy(msg, advice="wait until it has finished, then try again") from busy
    try:
        killed = holder.is_file()
        holder.write_text(str(os.getpid()))
        yield killed
        holder.unlink(missing_ok=True)
    finally:
        lock.release()


def write(folder: Path, dimensions: int | None, papers: Iterable[PaperDocuments]) -> Written:
    """Bring each paper's documents to what is given; see `IndexStore.write`."""
    with writer_lock(folder) as killed:
        with index_errors(folder):
            writing = Writing(folder, dimensions)
            if killed:
                writing.clean()
        try:
            for paper in papers:
                writing.add(paper)
            writing.finish()
        finally:
            writing.close()
        return writing.written


class Writing:
    """One `write` call: papers are gathered, and committed batch by batch."""

    def __init__(self, folder: Path, dimensions: int | None) -> None:
        self.written = Written()
        self.folder = folder
        self._vectors = folder / "vectors"
        self._dimensions = dimensions
        self._index = tantivy.Index(schema(), path=str(folder / "words"))
        self._index.config_reader("manual")
        self._index.register_tokenizer(ANALYZER, analyzer())
        self._writer: tantivy.IndexWriter | None = None
        self._batch: dict[str, PaperDocuments] = {}
        self._bytes = 0
        self.snapshot = self._read()

    def add(self, paper: PaperDocuments) -> None:
        """Take a paper into the batch, unless the index has it or a newer one."""
        self._check(paper)
        state = self._state(paper.work.work_id)
        if state and state[1] == paper.work.content_hash:
            self.written.unchanged += 1
            return
        if state and state[0] > paper.work.revision:
            self.written.stale.append(paper.work.work_id)
            return
        self.written.written += 1
        if paper.work.work_id in self._batch:
            self._commit()
        self._batch[paper.work.work_id] = paper
        self._bytes += sum(len(p.text) for p in paper.passages) + sum(
            v.nbytes for v in paper.vectors if v is not None
        )
        if len(self._batch) >= BATCH_PAPERS or self._bytes >= BATCH_BYTES:
            self._commit()

    def finish(self) -> None:
        """Commit what is left and wait for tantivy's merges; keep the number of vector files small."""
        self._commit()
        if self._writer is None:
            return
        with index_errors(self.folder):
            self._writer.wait_merging_threads()
            self._writer = None
            share(self.folder)
            if len(matrix.vector_files(self._vectors)) > matrix.MERGE_ABOVE:
                self.clean()
                matrix.merge(self._vectors)

    def close(self) -> None:
        """Let go of tantivy's writer, and with it of its lock; what is not committed is forgotten."""
        self._writer = None

    def clean(self) -> None:
        """Delete vectors that no commit refers to."""
        self.snapshot = self._read()
        matrix.clean(self._vectors, self.snapshot.rows())

    def _check(self, paper: PaperDocuments) -> None:
        if paper.vectors and len(paper.vectors) != len(paper.passages):
            msg = f"{paper.work.work_id}: {len(paper.vectors)} vectors for {len(paper.passages)} passages"
            raise ValueError(msg)
        for vector in paper.vectors:
            if vector is not None and (self._dimensions is None or vector.shape != (self._dimensions,)):
                msg = f"{paper.work.work_id}: vector {vector.shape}, but the index has {self._dimensions}"
                raise ModelMismatch(
                    msg, advice="name the generation's model first, or run `citewell index rebuild`"
                )

    def _state(self, work_id: str) -> tuple[int, str] | None:
        """Return revision and content hash of what the index holds, or the batch not committed yet."""
        waiting = self._batch.get(work_id)
        if waiting is not None:
            return waiting.work.revision, waiting.work.content_hash
        return self.snapshot.state(work_id)

    def _commit(self) -> None:
        if not self._batch:
            return
        with index_errors(self.folder):
            if self._writer is None:
                self._writer = self.open_writer()
            known = [v for paper in self._batch.values() for v in paper.vectors if v is not None]
            row = matrix.append(self._vectors, known)
            for work_id, paper in self._batch.items():
                self._writer.delete_documents_by_term("work_id", work_id)
                rows, row = _rows(paper, row)
                for document in documents(paper, rows):
                    self._writer.add_document(document)
            self._writer.commit()
            share(self.folder)
            self.snapshot = self._read()
        self._batch.clear()
        self._bytes = 0

    def open_writer(self) -> tantivy.IndexWriter:
        """Return tantivy's writer, after clearing away what a killed one left.

        A writer killed during a commit leaves a list of deletions (`<segment>.<opstamp>.del`) that no
        meta.json names. The next writer counts its operations from the same number, would choose the
        same name, and stop at a file that exists already, for ever. (tantivy removes other left-overs.)
        """
        words = self.folder / "words"
        named = set()
        for segment in orjson.loads((words / "meta.json").read_bytes())["segments"]:
            if segment["deletes"]:
                name = segment["segment_id"].replace("-", "")
                named.add(f"{name}.{segment['deletes']['opstamp']}.del")
        for path in words.glob("*.del"):
            if path.name not in named:
                path.unlink()
        return self._index.writer(heap_size=HEAP, num_threads=THREADS)

    def _read(self) -> Snapshot:
        self._index.reload()
        return Snapshot(self._index.searcher(), self.folder)


def _rows(paper: PaperDocuments, row: int) -> tuple[list[int | None], int]:
    """Return each passage's row, counted from `row` on, and the row after them."""
    vectors: tuple[Vector | None, ...] = paper.vectors or (None,) * len(paper.passages)
    rows: list[int | None] = []
    for vector in vectors:
        rows.append(None if vector is None else row)
        row += vector is not None
    return rows, row
