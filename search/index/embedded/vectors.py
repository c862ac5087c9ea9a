"""Vectors in immutable files: one endless matrix, of which each file holds the rows that its name says.

`vectors-<first>-<end>.npy` holds rows first to end - 1 as `float32[n, dimensions]`. A passage's document
in tantivy names its row, so the commit that makes the passage visible makes its vector visible with it,
and a reader's snapshot of tantivy decides which rows exist for it. A row is never used twice. Files are
written whole before the commit that refers to them; what a killed writer left is referred to by nothing.
Because row numbers stay, neighbouring files can be merged at any time without a commit.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from pathlib import Path

    from search.embedding.protocol import Vector

Rows = NDArray[np.int64]

_NAME = re.compile(r"vectors-(\d+)-(\d+)\.npy")
#: With more files than this the small ones are merged.
MERGE_ABOVE = 8
#: Where more than this share of a file's rows is wanted, scoring the whole file is faster than gathering
#: the rows first: of 100,000 x 384, all take 12 ms, gathering and scoring 2 % takes 3 ms, 10 % 27 ms.
SCAN_ABOVE = 0.05
#: Rows copied at a time while files are merged: 24 MB at 384 dimensions.
COPY_ROWS = 16_384


class VectorsGone(Exception):
    """A row's file was deleted since the snapshot was taken, because no newer snapshot needs it.

    No failure: the reader takes a newer snapshot and asks again.
    """


@dataclass(frozen=True, order=True, slots=True)
class VectorFile:
    """One file's place in the endless matrix."""

    first: int
    end: int
    path: Path


def vector_files(folder: Path) -> list[VectorFile]:
    """Return the files that make up the matrix, in order; those that a merged file covers are left out."""
    files: list[VectorFile] = []
    for file in sorted(_all_files(folder), key=lambda f: (f.first, -f.end)):
        if not files or file.end > files[-1].end or file.first == file.end > files[-1].end:
            files.append(file)
    return files


def _all_files(folder: Path) -> list[VectorFile]:
    named = ((_NAME.fullmatch(path.name), path) for path in folder.iterdir())
    return [VectorFile(int(match[1]), int(match[2]), path) for match, path in named if match]


class VectorReader:
    """The matrix as it was when the reader was made; its files stay readable after they are deleted.

    On Windows a mapped file cannot be deleted: the writer's clean-up then waits for a later one.
    """

    def __init__(self, folder: Path) -> None:
        files = vector_files(folder)
        try:
            self._matrices = [np.asarray(np.load(file.path, mmap_mode="r")) for file in files]
        except FileNotFoundError as gone:  # merged between listing and opening
            raise VectorsGone from gone
        self._firsts = np.array([file.first for file in files], dtype=np.int64)
        self._ends = np.array([file.end for file in files], dtype=np.int64)

    def scores(self, rows: Rows, query: Vector) -> Vector:
        """Return `float32[len(rows)]`: the inner product of each row with the query.

        Row by row (`vecdot`) and rounded to six decimals: the same vector gets the same score wherever it
        lies, and ties are ties. A matrix product would be no faster, the scan waits for memory; but BLAS
        would share it among threads and wait for each: on a busy machine 14 ms in place of 0.8 for 6,500
        rows (p50, 2 cores, load 5).
        """
        scores = np.empty(len(rows), dtype=np.float32)
        for matrix, wanted, places in self._by_file(rows):
            whole = len(places) > SCAN_ABOVE * len(matrix)
            scores[wanted] = np.vecdot(matrix, query)[places] if whole else np.vecdot(matrix[places], query)
        return np.round(scores, 6)

    def vectors(self, rows: Rows) -> Vector:
        """Return `float32[len(rows), dimensions]`."""
        parts = [(wanted, matrix[places]) for matrix, wanted, places in self._by_file(rows)]
        found = np.empty((len(rows), parts[0][1].shape[1]), dtype=np.float32)
        for wanted, part in parts:
            found[wanted] = part
        return found

    def _by_file(self, rows: Rows) -> list[tuple[Vector, Rows, Rows]]:
        """Return (matrix, positions in `rows`, rows inside the matrix) for each file that has any."""
        if not len(rows):
            return []
        files = np.searchsorted(self._firsts, rows, side="right") - 1
        if files.min() < 0 or (rows >= self._ends[files]).any():
            raise VectorsGone
        found = []
        for file in np.unique(files):
            wanted = np.flatnonzero(files == file)
            found.append((self._matrices[file], wanted, rows[wanted] - self._firsts[file]))
        return found


# ------------------------------------------------------------------ writing, under the generation's lock
def next_row(folder: Path) -> int:
    """Return the first row number that was never used. The newest file is kept to remember it."""
    return max((file.end for file in _all_files(folder)), default=0)


def append(folder: Path, vectors: Sequence[Vector]) -> int:
    """Write vectors as a new file, durably, and return the row of the first."""
    first = next_row(folder)
    if len(vectors):
        _write(folder, first, first + len(vectors), [np.stack(vectors).astype(np.float32, copy=False)])
    return first


def clean(folder: Path, live: Rows) -> None:
    """Delete what no commit refers to: files without live rows, merged parts, unfinished files."""
    for path in folder.glob("*.tmp"):
        path.unlink()
    newest = next_row(folder)
    needed = vector_files(folder)
    live = np.sort(live)
    for file in _all_files(folder):
        has_live = np.searchsorted(live, file.first) < np.searchsorted(live, file.end)
        if file not in needed or (not has_live and file.end != newest):
            _delete(file.path)


def blank(folder: Path, live: Rows) -> None:
    """Write zeros over the rows that no commit refers to; row numbers stay, and readers' open files too."""
    for file in vector_files(folder):
        matrix = np.load(file.path, mmap_mode="r")
        dead = np.ones(len(matrix), dtype=bool)
        dead[live[(live >= file.first) & (live < file.end)] - file.first] = False
        if matrix[dead].any():
            kept = np.array(matrix)
            kept[dead] = 0
            _write(folder, file.first, file.end, [kept])


def merge(folder: Path) -> None:
    """Merge the newest files into one, as far back as they are not larger than what they are merged with.

    So files grow in size from the newest to the oldest, and large ones are seldom copied.
    """
    files = vector_files(folder)
    if len(files) <= MERGE_ABOVE:
        return
    start = MERGE_ABOVE - 1
    while start > 0 and files[start - 1].end - files[start - 1].first <= files[-1].end - files[start].first:
        start -= 1
    parts = files[start:]
    matrices = [np.load(part.path, mmap_mode="r") for part in parts]
    blocks: list[Vector] = []
    for index, matrix in enumerate(matrices):
        if index and (hole := parts[index].first - parts[index - 1].end):
            blocks.append(np.zeros((hole, matrix.shape[1]), dtype=np.float32))
        blocks.append(matrix)
    _write(folder, parts[0].first, parts[-1].end, blocks)
    for part in parts:
        _delete(part.path)


def _write(folder: Path, first: int, end: int, blocks: Sequence[Vector]) -> None:
    path = folder / f"vectors-{first:012d}-{end:012d}.npy"
    unfinished = path.with_suffix(".tmp")
    header = {"descr": "<f4", "fortran_order": False, "shape": (end - first, blocks[0].shape[1])}
    with unfinished.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, header)
        for block in blocks:
            for start in range(0, len(block), COPY_ROWS):
                file.write(np.ascontiguousarray(block[start : start + COPY_ROWS], dtype="<f4").data)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)
    sync_folder(folder)


def _delete(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except PermissionError:  # Windows: a reader has it mapped; the next clean-up tries again
        return


def sync_folder(folder: Path) -> None:
    """Make the folder's entries durable, where the system can."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
