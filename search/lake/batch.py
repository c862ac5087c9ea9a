"""The form of every log file in the lake: JSON lines, the last of which says what became of what.

A batch is named by the microsecond of its writing and by its writer, so that writers never share a
file and names sort by time. A file without its last line is no batch: it was not written by us.

A file may hold the records of several batches one after the other (`search.lake.compaction`): its last line
then says of each what its own last line said, and where it lies, and which files this one stands in for.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Literal

import orjson

from search.errors import CitewellError, LakeDamaged
from search.lake.files import LakeFiles

#: Bytes of the file's end that usually hold the last line: 300 outcomes of about 50 bytes each.
TAIL = 16_384


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a stage made of one paper."""

    work_id: str
    version: int | None = None
    state: Literal["done", "failed"] = "done"
    #: The error's class name, where it failed.
    error: str = ""
    message: str = ""
    #: Whether trying again later can help.
    retryable: bool = False
    #: What did it, with its version, where a newer one may do better (the PDF reader).
    tool: str = ""
    #: Newest text fact that the stage worked from; only `embed` needs it.
    stamp: int = 0

    @classmethod
    def failed(cls, work_id: str, version: int | None, error: CitewellError, *, tool: str = "") -> Outcome:
        """Return the outcome that records this error."""
        return cls(work_id, version, "failed", error.code, str(error), error.retryable, tool)

    def line(self) -> dict[str, Any]:
        """Return what a batch's last line says of it: what differs from a plain success."""
        said: dict[str, Any] = {"work_id": self.work_id}
        if self.version is not None:
            said["version"] = self.version
        if self.stamp:
            said["stamp"] = self.stamp
        if self.tool:
            said["tool"] = self.tool
        if self.state == "failed":
            said |= {
                "state": self.state, "error": self.error, "message": self.message, "retryable": self.retryable
            }  # fmt: skip
        return said


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch as read: its last line, or all of it."""

    #: Under which it was written.
    name: str
    stage: str
    #: Microseconds since 1970 when it was written.
    stamp: int
    writer: str
    #: Of all the batches that the file holds.
    outcomes: tuple[Outcome, ...]
    #: Where its records lie: a file, the first byte, and the one after them.
    file: str
    start: int
    end: int
    #: The batches that the file holds, where it holds several.
    parts: tuple[Batch, ...] = ()
    #: Files that this one stands in for, with where the first byte of each lies in it: whoever has applied
    #: all of them has applied this one.
    replaces: Mapping[str, int] = field(default_factory=dict)
    #: Merged files that went into those, one after the other, and where the first byte of each would lie:
    #: whoever has seen any of them is led on.
    former: Mapping[str, int] = field(default_factory=dict)
    #: Its records, where it was read whole, and where each one's line begins, in bytes, and how long it is.
    records: tuple[dict[str, Any], ...] = ()
    places: tuple[tuple[int, int], ...] = ()


@dataclass
class Writer:
    """Names the batches of one process; stamps rise even when the clock does not.

    What follows from facts must be newer than they are, whichever machine's clock they were written by:
    a writer that is told what is there never stamps below it (a hybrid logical clock: Kulkarni et al.,
    "Logical Physical Clocks", 2014).
    """

    #: The random end tells two containers apart whose host and process have the same names.
    name: str = field(
        default_factory=lambda: f"{socket.gethostname().split('.')[0]}-{os.getpid()}-{secrets.token_hex(2)}"
    )
    _last: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def stamp(self) -> int:
        """Return microseconds since 1970, larger than any returned before."""
        with self._lock:
            self._last = max(time.time_ns() // 1000, self._last + 1)
            return self._last

    def seen(self, stamp: int) -> None:
        """Take note of a stamp that somebody has given: the next one is larger."""
        with self._lock:
            self._last = max(self._last, stamp)


def batch_name(kind: str, stamp: int, writer: str) -> str:
    """Return `<kind>/<month>/<stamp>-<writer>.jsonl`; months keep folders listable."""
    month = datetime.fromtimestamp(stamp / 1e6, tz=UTC).strftime("%Y-%m")
    return f"{kind}/{month}/{stamp}-{writer}.jsonl"


def stamp_of(name: str) -> int:
    """Return the stamp in a batch's name; 0 for a name that no writer gives."""
    digits = name.rsplit("/", 1)[-1].split("-", 1)[0]
    return int(digits) if digits.isascii() and digits.isdigit() else 0


def write_batch(
    files: LakeFiles,
    writer: Writer,
    kind: str,
    records: Iterable[dict[str, Any] | bytes],
    outcomes: Sequence[Outcome],
) -> str:
    """Write one batch and return its name. A record may be given as its JSON."""
    stamp = writer.stamp()
    name = batch_name(kind, stamp, writer.name)
    lines = [record if isinstance(record, bytes) else _line(record) for record in records]
    last = {"batch": kind, "stamp": stamp, "writer": writer.name, "outcomes": [o.line() for o in outcomes]}
    lines.append(_line(last))
    files.write(name, b"\n".join(lines) + b"\n")
    return name


def _line(record: dict[str, Any]) -> bytes:
    try:
        return orjson.dumps(record)
    except TypeError:
        # A broken font maps glyphs to halves of UTF-16 pairs, which no UTF-8 can hold.
        return json.dumps(record, ensure_ascii=False).encode("utf-8", "replace")


def read_outcomes(files: LakeFiles, name: str) -> Batch:
    """Read a batch's last line only.

    Raises:
        LakeDamaged: it is not there.
    """
    size = files.size(name)
    reach = TAIL
    while True:
        start = max(0, size - reach)
        tail = files.read(name, start, size)
        body = tail.rstrip(b"\n")
        cut = body.rfind(b"\n")
        if cut >= 0 or start == 0:
            return _last_line(name, body[cut + 1 :], start + cut + 1)
        reach *= 8


def read_records(files: LakeFiles, batch: Batch) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Yield each record of a batch with where its line begins, in bytes, and how long it is.

    The place is the one in the file that the batch was written as. Reads in blocks: a batch may be larger
    than memory.

    Raises:
        LakeDamaged: a line is no JSON.
    """
    start = 0
    for line in files.lines(batch.file, batch.start, batch.end):
        if not line.isspace():  # what was taken down left blanks, so that the places of others stay
            try:
                record = orjson.loads(line)
            except orjson.JSONDecodeError:
                how = f"has a line that is no JSON, at byte {batch.start + start} of {batch.file}"
                raise damaged(batch.name, how) from None
            yield start, len(line), record
        start += len(line) + 1


def read_batch(files: LakeFiles, name: str) -> Batch:
    """Read a whole batch.

    Raises:
        LakeDamaged: its last line is not there or a line is no JSON.
    """
    batch = read_outcomes(files, name)
    found = list(read_records(files, batch))
    return replace(
        batch,
        records=tuple(record for _, _, record in found),
        places=tuple((start, length) for start, length, _ in found),
    )


def _last_line(name: str, line: bytes, end: int) -> Batch:
    try:
        last = orjson.loads(line)
        parts = tuple(_part(name, last["batch"], part) for part in last.get("parts", ()))
        outcomes = _outcomes(last["outcomes"]) or tuple(o for part in parts for o in part.outcomes)
        return Batch(
            name, last["batch"], last["stamp"], last["writer"], outcomes, name, 0, end, parts,
            last.get("replaces", {}), last.get("former", {}),
        )  # fmt: skip
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError):
        raise damaged(name, "does not end as a batch ends") from None


def _part(file: str, stage: str, part: dict[str, Any]) -> Batch:
    name, outcomes = part["name"], _outcomes(part["outcomes"])
    return Batch(name, stage, part["stamp"], part["writer"], outcomes, file, part["start"], part["end"])


def _outcomes(lines: Iterable[dict[str, Any]]) -> tuple[Outcome, ...]:
    return tuple(Outcome(**line) for line in lines)


def damaged(name: str, how: str) -> LakeDamaged:
    """Return the error that says so of a batch."""
    return LakeDamaged(
        f"{name} {how}",
        advice="something else than Citewell changed it; restore it, or delete it and run again",
    )
