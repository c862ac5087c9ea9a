"""The form of every log file in the lake: JSON lines, the last of which says what became of what.

A batch is named by the microsecond of its writing and by its writer, so that writers never share a
file and names sort by time. A file without its last line is no batch: it was not written by us.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

import orjson

from search.errors import CitewellError, LakeDamaged
from search.lake.files import LakeFiles

#: Bytes of the file's end that usually hold the last line: 100 outcomes of about 150 bytes each.
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


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch file as read."""

    name: str
    stage: str
    #: Microseconds since 1970 when it was written.
    stamp: int
    writer: str
    outcomes: tuple[Outcome, ...]
    records: tuple[dict[str, Any], ...] = ()
    #: Where each record's line begins, in bytes, and how long it is.
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
    records: Iterable[dict[str, Any]],
    outcomes: Sequence[Outcome],
) -> str:
    """Write one batch and return its name."""
    stamp = writer.stamp()
    name = batch_name(kind, stamp, writer.name)
    lines = [_line(record) for record in records]
    last = {"batch": kind, "stamp": stamp, "writer": writer.name, "outcomes": list(outcomes)}
    lines.append(orjson.dumps(last))
    files.write(name, b"\n".join(lines) + b"\n")
    return name


def _line(record: dict[str, Any]) -> bytes:
    try:
        return orjson.dumps(record)
    except TypeError:
        # A broken font maps glyphs to halves of UTF-16 pairs, which no UTF-8 can hold.
        return json.dumps(record, ensure_ascii=False).encode("utf-8", "replace")


def read_outcomes(files: LakeFiles, name: str) -> Batch:
    """Read a batch's last line only."""
    reach = TAIL
    while True:
        tail = files.read(name, start=-reach if reach < files.size(name) else None)
        body = tail.rstrip(b"\n")
        cut = body.rfind(b"\n")
        if cut >= 0 or len(tail) < reach or reach >= files.size(name):
            return _last_line(name, body[cut + 1 :])
        reach *= 8


def read_batch(files: LakeFiles, name: str) -> Batch:
    """Read a whole batch.

    Raises:
        LakeDamaged: its last line is not there or a line is no JSON.
    """
    lines = files.read(name).split(b"\n")
    while lines and not lines[-1]:
        lines.pop()
    if not lines:
        raise _damaged(name)
    batch = _last_line(name, lines.pop())
    places, records, start = [], [], 0
    for line in lines:
        if not line.isspace():  # what was taken down left blanks, so that the places of others stay
            try:
                records.append(orjson.loads(line))
            except orjson.JSONDecodeError:
                raise _damaged(name) from None
            places.append((start, len(line)))
        start += len(line) + 1
    return Batch(name, batch.stage, batch.stamp, batch.writer, batch.outcomes, tuple(records), tuple(places))


def _last_line(name: str, line: bytes) -> Batch:
    try:
        last = orjson.loads(line)
        outcomes = tuple(Outcome(**outcome) for outcome in last["outcomes"])
        return Batch(name, last["batch"], last["stamp"], last["writer"], outcomes)
    except (orjson.JSONDecodeError, KeyError, TypeError):
        raise _damaged(name) from None


def _damaged(name: str) -> LakeDamaged:
    return LakeDamaged(
        f"{name} does not end as a batch ends",
        advice="something else than Citewell changed it; restore it, or delete it and run again",
    )
