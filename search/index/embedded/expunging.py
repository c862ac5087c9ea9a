"""Leaving nothing of deleted documents on disk.

tantivy marks documents as deleted and keeps their bytes until it happens to merge their segment, and there is
no way to ask it to. So all documents that count are written again, in one commit: segments in which nothing
counts are dropped with it. A reader sees the same index before and after, and a kill in between leaves it
as it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import orjson

from search.index.documents import PaperDocuments
from search.index.embedded import vectors as matrix
from search.index.embedded.failures import index_errors
from search.index.embedded.generations import share
from search.index.embedded.schema import documents
from search.index.embedded.snapshot import Snapshot
from search.index.embedded.writing import Writing, writer_lock

#: Works read at a time.
BATCH = 256


def expunge(folder: Path) -> None:
    """Write a generation's files anew without what is deleted in them; where nothing is, none changes.

    Raises:
        WriterBusy: another process writes to this generation.
    """
    with writer_lock(folder), index_errors(folder):
        writing = Writing(folder, None)
        try:
            writer = writing.open_writer()
            if _holds_deleted(folder):
                for paper, rows in _papers(writing.snapshot):
                    writer.delete_documents_by_term("work_id", paper.work.work_id)
                    for document in documents(paper, rows):
                        writer.add_document(document)
                writer.commit()
            writer.garbage_collect_files()  # what a killed writer left, too
            writer.wait_merging_threads()
            share(folder)
            writing.clean()
            matrix.blank(folder / "vectors", writing.snapshot.rows())
        finally:
            writing.close()


def _holds_deleted(folder: Path) -> bool:
    segments = orjson.loads((folder / "words" / "meta.json").read_bytes())["segments"]
    return any(segment["deletes"] for segment in segments)


def _papers(snapshot: Snapshot) -> Iterator[tuple[PaperDocuments, list[int | None]]]:
    """Yield every paper of a snapshot, removed ones included, with the rows of its vectors."""
    for work in snapshot.contents():
        passages, rows = snapshot.passages_with_rows(work.work_id)
        yield PaperDocuments(work, passages), rows
