"""Merging old batch files: fewer files to list, the same facts.

The records of several batches are written one after the other into a new file, whose last line says what
each batch's own last line said; then the old files are deleted. Whoever reads the lake in between finds some
batches twice, which changes nothing. Killed at any moment, the next run ends what was begun. Files are only
ever merged with others of their kind, a paper keeps its place within its batch, and stamps stay those of the
batches: a catalogue that has folded the old files has nothing to fold.

Not merged: orders to take works down, of which there are few, and vectors, whose batches are deleted with
their shards when a work is taken down.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

import orjson

from search.lake.batch import Batch, batch_name, read_outcomes, stamp_of
from search.lake.files import LakeFiles
from search.models import Model

KINDS = ("works", "fetched", "papers", "edges", "windows")
#: How old a file must be, so that what is merged has long been applied everywhere.
OLD = timedelta(days=7)
#: Bytes at which a file is large enough. Files of half of it are left alone, so no byte is copied often.
TARGET = 32 << 20
#: Fewer small files than this are left for the next time.
FEWEST = 8
#: How old an unfinished file must be to be a dead writer's.
LEFT_BEHIND = timedelta(days=1)
#: Who wrote a merged file: nobody in particular. Two machines that merge the same files write the same one.
MERGED = "merged"


class Compaction(Model):
    """What merging did."""

    #: Files that were merged, and how many they became.
    merged: int = 0
    into: int = 0
    bytes: int = 0
    #: Unfinished files of dead writers that were deleted.
    left_overs: int = 0
    seconds: float = 0.0


def compact(
    files: LakeFiles,
    taken_down: Callable[[], Collection[str]],
    *,
    older_than: timedelta = OLD,
    target: int = TARGET,
    fewest: int = FEWEST,
) -> Compaction:
    """Merge old batch files; the same again is harmless, beside running stages too.

    Args:
        files: the lake.
        taken_down: returns the works that are taken down at this moment.
        older_than: age below which a file is left alone.
        target: bytes of a merged file.
        fewest: small files that are worth merging.
    """
    began = time.monotonic()
    before = time.time_ns() // 1000 - int(older_than.total_seconds() * 1e6)
    merged = into = size = 0
    for kind in KINDS:
        sizes = files.sizes(kind)
        merged += _finish(files, sizes)
        for group in groups(sizes, before=before, target=target, fewest=fewest):
            written = _merge(files, kind, group, taken_down)
            if written:
                merged, into, size = merged + len(group), into + 1, size + written
    gone = 0
    for name, age in files.unfinished():
        if age > LEFT_BEHIND.total_seconds():
            files.delete(name)
            gone += 1
    return Compaction(merged=merged, into=into, bytes=size, left_overs=gone, seconds=time.monotonic() - began)


def groups(sizes: Mapping[str, int], *, before: int, target: int, fewest: int) -> Iterator[list[str]]:
    """Yield the names of files that should become one, by their age.

    Args:
        sizes: bytes of each file of one kind.
        before: stamp, in microseconds since 1970, from which on files are left alone.
        target: bytes of a merged file.
        fewest: smaller groups are left for the next time, unless they fill a file.
    """
    group: list[str] = []
    held = 0
    for name in sorted(sizes, key=lambda name: (stamp_of(name), name)):
        if not 0 < stamp_of(name) < before or sizes[name] * 2 >= target or not name.endswith(".jsonl"):
            continue
        if group and held + sizes[name] > target:
            yield group
            group, held = [], 0
        group.append(name)
        held += sizes[name]
    if len(group) >= fewest:
        yield group


def _merge(
    files: LakeFiles, kind: str, names: Sequence[str], taken_down: Callable[[], Collection[str]]
) -> int:
    """Write one file in the place of several, then delete those; return its bytes, 0 where it cannot stay."""
    bodies: list[bytes] = []
    parts: list[dict[str, Any]] = []
    replaces: dict[str, int] = {}
    former: dict[str, int] = {}
    offset = 0
    for name in names:
        batch = read_outcomes(files, name)
        body = files.read(name, 0, batch.end) if batch.end else b""
        parts += [_part(part, offset) for part in batch.parts or (batch,)]
        replaces[name] = offset
        # All names that this one ever had: a reader may have seen any of them last. Those of the batches
        # themselves stand in `parts`.
        names_before = {**batch.former, **batch.replaces}
        former |= {gone: offset + base for gone, base in names_before.items() if _is_merged(gone)}
        bodies.append(body)
        offset += len(body)
    stamp = max(stamp_of(name) for name in names)
    digest = hashlib.sha256("\n".join(names).encode()).hexdigest()[:12]
    last = {
        "batch": kind, "stamp": stamp, "writer": MERGED, "outcomes": [], "parts": parts, "replaces": replaces,
        "former": former,
    }  # fmt: skip
    content = b"".join([*bodies, orjson.dumps(last), b"\n"])
    merged = batch_name(kind, stamp, f"{MERGED}-{digest}")
    files.write(merged, content)
    # An order that was given while we read has cleared the old files of the work, and did not see this one.
    taken = taken_down()
    if any(outcome["work_id"] in taken for part in parts for outcome in part["outcomes"]):
        files.delete(merged)
        return 0
    for name in names:
        files.delete(name)
    return len(content)


def _is_merged(name: str) -> bool:
    return f"-{MERGED}-" in name


def _part(batch: Batch, offset: int) -> dict[str, Any]:
    return {
        "name": batch.name, "stamp": batch.stamp, "writer": batch.writer, "start": offset + batch.start,
        "end": offset + batch.end, "outcomes": [outcome.line() for outcome in batch.outcomes],
    }  # fmt: skip


def _finish(files: LakeFiles, sizes: dict[str, int]) -> int:
    """Delete the files that a merged one stands in for, where a killed run has left them."""
    gone = 0
    for name in [name for name in sizes if _is_merged(name)]:
        for replaced in read_outcomes(files, name).replaces:
            if sizes.pop(replaced, None) is not None:
                files.delete(replaced)
                gone += 1
    return gone
