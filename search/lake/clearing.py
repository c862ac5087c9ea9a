"""Clearing the lake of a work: each file that holds it is written anew without it.

A file keeps its name, and in a batch a blank takes the place of each line that goes, so that the places of
other works' lines in it, which catalogues remember, stay true. Everything here can be killed at any moment
and done again: what is clear already is left as it is.
"""

from __future__ import annotations

import gzip
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from search.arxiv.oai_pages import without_records
from search.lake.batch import Batch, read_batch, read_outcomes, read_records, stamp_of
from search.lake.facts import LONGEST_TITLE
from search.lake.files import LakeFiles
from search.lake.takedown import KIND

#: Log files whose last line names every work that the file says something of: all others are read whole.
TOLD_BY_OUTCOMES = frozenset({"works", "fetched", "papers", "edges", "vectors"})
#: Seconds after which an unfinished file, or a shard that no batch names, was left by a writer that is dead:
#: one that lives finishes it in far less.
LEFT_BEHIND = 60.0
#: Fields by which records of other kinds name the work that they are about.
NAMES = ("work_id", "id")


@dataclass(slots=True)
class Cleared:
    """What was done to the lake's files."""

    rewritten: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    #: Files that another process was writing at that moment, of which nothing can be told yet.
    unfinished: list[str] = field(default_factory=list)
    #: Works whose vectors lay in one file with the cleared work's, and went with them.
    to_embed_again: set[str] = field(default_factory=set)


def clear(files: LakeFiles, work_id: str, *, titles: Callable[[], dict[str, str]] = dict) -> Cleared:
    """Write every file of the lake anew that holds something of a work, and delete those that hold no more.

    Vectors are kept under the hash of the text that they were made of, so a shard does not say which of its
    vectors are whose: shards made for this work go whole, and the other works in them are embedded again.

    Args:
        files: the lake.
        work_id: what to clear it of.
        titles: returns the titles of all works, by id. Works of one title can share a vector, and are
            embedded again too. Asked for only where a shard goes.
    """
    cleared = Cleared()
    _clear_vectors(files, work_id, titles, cleared)  # first: it asks the works log for the work's title
    for name in files.names(""):
        folder = name.split("/", 1)[0]
        if folder in {KIND, "vectors", "shards"}:
            continue
        if folder == "pdf":
            if _is_of(work_id, name):
                _delete(files, name, cleared)
        elif folder not in TOLD_BY_OUTCOMES or _tells_of(files, name, work_id):
            _rewrite(files, name, work_id, cleared)
    _clear_unfinished(files, work_id, cleared)
    return cleared


def without(record: Any, work_id: str) -> Any:
    """Return a JSON value without the objects in it that are about a work; None where it is itself about it.

    >>> without({"papers": [{"work_id": "a"}, {"work_id": "b"}]}, "a")
    {'papers': [{'work_id': 'b'}]}
    """
    if isinstance(record, dict):
        if any(record.get(name) == work_id for name in NAMES):
            return None
        changed = {name: without(value, work_id) for name, value in record.items()}
        return {name: value for name, value in changed.items() if value is not None or record[name] is None}
    if isinstance(record, list):
        return [kept for value in record if (kept := without(value, work_id)) is not None or value is None]
    return record


# ---------------------------------------------------------------- files of facts
def _rewrite(files: LakeFiles, name: str, work_id: str, cleared: Cleared) -> None:
    kept = files.read(name)
    content = gzip.decompress(kept) if name.endswith(".gz") else kept
    if work_id.encode() not in content:
        return
    if ".xml" in name:
        changed = without_records(content, {work_id})
    elif ".jsonl" in name:
        told = name.split("/", 1)[0] in TOLD_BY_OUTCOMES
        changed = _without_lines(content, work_id, whole_lines=told)
    elif ".json" in name:
        changed = _without_objects(content, work_id)
    else:
        changed = b""  # nothing of ours has another form: what names the work goes
    if changed == content:
        return
    if not changed:
        _delete(files, name, cleared)
        return
    files.write(name, gzip.compress(changed, compresslevel=5, mtime=0) if name.endswith(".gz") else changed)
    cleared.rewritten.append(name)


def _without_lines(content: bytes, work_id: str, *, whole_lines: bool) -> bytes:
    """Return JSON lines, a blank in place of each that is about the work, and the last line without it.

    With `whole_lines` a line is about one work, and stays whole where that is another: it may cite this one.
    """
    *lines, last = content.rstrip(b"\n").split(b"\n")
    needle = work_id.encode()
    for position, line in enumerate(lines):
        if needle in line:
            record = orjson.loads(line)
            if not whole_lines:
                record = without(record, work_id)
            elif record.get("work_id") == work_id:
                record = None
            lines[position] = (b"" if record is None else _dumped(record, line)).ljust(len(line))
    if needle in last:
        last = _dumped(without(orjson.loads(last), work_id) or {}, last)
    return b"\n".join([*lines, last]) + b"\n"


def _dumped(record: Any, line: bytes) -> bytes:
    """Return a record as a line; the line that it came from where nothing has changed."""
    return line if orjson.loads(line) == record else orjson.dumps(record)


def _without_objects(content: bytes, work_id: str) -> bytes:
    record = orjson.loads(content)
    kept = without(record, work_id)
    return content if kept == record else b"" if kept is None else orjson.dumps(kept)


# ---------------------------------------------------------------- vectors
def _clear_vectors(
    files: LakeFiles, work_id: str, titles: Callable[[], dict[str, str]], cleared: Cleared
) -> None:
    """Delete the shards that were made for a work, and the completions that relied on them."""
    # Shards are listed before batches: one that no batch names by then waits for none but a dead writer's.
    shards, began = files.names("shards"), time.time()
    batches = [name for name in files.names("vectors") if name.endswith(".jsonl")]
    doomed, named = _shards(files, batches, work_id)
    if doomed:
        neighbours = {o.work_id for part, _ in doomed for o in part.outcomes}
        known = {**titles(), work_id: ""}
        wanted = {known[other] for other in neighbours if other in known} | _own_titles(files, work_id)
        cleared.to_embed_again = neighbours | {other for other, title in known.items() if title in wanted}
        cleared.to_embed_again -= {work_id}
    for name in batches:
        _incomplete(files, name, cleared)
    for shard in shards:
        if shard not in named and began - stamp_of(shard) / 1e6 > LEFT_BEHIND:
            _delete(files, shard, cleared)
    for part, its_shards in doomed:
        for shard in its_shards:
            if files.exists(shard):
                _delete(files, shard, cleared)
        # Last: until it is empty, a run that was killed finds from it what it had not done. It stays as a
        # file, because generations of the index remember which files they have applied.
        _empty(files, part, cleared)
    left = {name for name in shards if files.exists(name)} - named
    cleared.unfinished += sorted(left)


def _shards(
    files: LakeFiles, batches: Sequence[str], work_id: str
) -> tuple[list[tuple[Batch, set[str]]], set[str]]:
    """Return the batches that tell of a work, with the shards they name; and the shards that others name."""
    doomed: list[tuple[Batch, set[str]]] = []
    named: set[str] = set()
    for name in batches:
        batch = read_outcomes(files, name)
        for part in batch.parts or (batch,):
            shards = {record["shard"] for _, _, record in read_records(files, part)}
            if any(outcome.work_id == work_id for outcome in part.outcomes):
                doomed.append((part, shards))
            else:
                named |= shards
    return doomed, named


def _empty(files: LakeFiles, part: Batch, cleared: Cleared) -> None:
    """Put blanks in place of a batch's records, be it one of several in a file, and forget its outcomes."""
    content = files.read(part.file)
    body, _, last = content.rstrip(b"\n").rpartition(b"\n")
    blank = re.sub(rb"[^\n]", b" ", content[part.start : part.end])
    body = (content[: part.start] + blank + content[part.end :])[: len(body)]
    record = orjson.loads(last)
    for said in [record, *record.get("parts", ())]:
        if said.get("name", part.name) == part.name:
            said["outcomes"] = []
    files.write(
        part.file, b"\n".join([body, orjson.dumps(record)] if body else [orjson.dumps(record)]) + b"\n"
    )
    cleared.rewritten.append(part.file)


def _own_titles(files: LakeFiles, work_id: str) -> set[str]:
    """Return the titles that the works log has of a work."""
    return {
        record["record"]["title"][:LONGEST_TITLE]
        for name in files.names("works")
        if name.endswith(".jsonl") and _tells_of(files, name, work_id)
        for record in read_batch(files, name).records
        if record["work_id"] == work_id and record["fact"] == "arxiv"
    }


def _incomplete(files: LakeFiles, name: str, cleared: Cleared) -> None:
    """Take the works that are to be embedded again out of a batch's outcomes; its vectors stay."""
    ids = cleared.to_embed_again
    if ids.isdisjoint(outcome.work_id for outcome in read_outcomes(files, name).outcomes):
        return
    body, newline, last = files.read(name).rstrip(b"\n").rpartition(b"\n")
    record = orjson.loads(last)
    for said in [record, *record.get("parts", ())]:
        said["outcomes"] = [outcome for outcome in said["outcomes"] if outcome["work_id"] not in ids]
    files.write(name, body + newline + orjson.dumps(record) + b"\n")
    cleared.rewritten.append(name)


# ---------------------------------------------------------------- what killed writers left
def _clear_unfinished(files: LakeFiles, work_id: str, cleared: Cleared) -> None:
    """Delete unfinished files that hold the work, or may, their writers being dead."""
    for name, age in files.unfinished():
        if age > LEFT_BEHIND or work_id.encode() in files.read(name):
            _delete(files, name, cleared)
        else:
            cleared.unfinished.append(name)


def _delete(files: LakeFiles, name: str, cleared: Cleared) -> None:
    files.delete(name)
    cleared.deleted.append(name)


def _is_of(work_id: str, name: str) -> bool:
    """Whether a PDF's name is one of the work's, of any version."""
    return bool(re.match(rf"{re.escape(work_id.replace('/', '_'))}v\d+\.", name.rsplit("/", 1)[-1]))


def _tells_of(files: LakeFiles, name: str, work_id: str) -> bool:
    return any(outcome.work_id == work_id for outcome in read_outcomes(files, name).outcomes)
