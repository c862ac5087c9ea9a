"""What the catalogue says of one work: the rows of its tables, put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from search.arxiv.records import ArxivRecord
from search.lake.facts import merge
from search.models import Work


@dataclass(frozen=True, slots=True)
class WorkState:
    """All that the lake knows of one work."""

    work_id: str
    #: None where only user facts are known.
    work: Work | None
    removed: bool
    #: Newest fact of any kind but vectors, in microseconds since 1970.
    stamp: int
    #: Newest fact that passages are made from.
    text_stamp: int
    #: Newest vector fact under the fingerprint asked for; 0: none.
    vector_stamp: int = 0
    edges: tuple[dict[str, Any], ...] = ()
    #: File, start and length of the read paper of the version held.
    paper: tuple[str, int, int] | None = None
    pdf: str | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """Something that did not work out for one paper, as it stands now."""

    stage: str
    work_id: str
    version: int | None
    error: str
    message: str
    tries: int
    #: Microseconds since 1970 of the last try.
    stamp: int
    retryable: bool


#: All that the tables say of one work, but its records.
STATE = """
SELECT w.work_id, w.pin, w.removed, w.stamp, w.text_stamp, coalesce(v.stamp, 0), (
    SELECT group_concat(CAST(edges AS TEXT), char(10)) FROM (
        SELECT edges FROM edges WHERE work_id = w.work_id AND version IN (0, w.version) ORDER BY source)),
       h.name, o.base + r.start, r.length, p.name
FROM works w
LEFT JOIN embedded v ON v.work_id = w.work_id AND v.fingerprint = :fingerprint
LEFT JOIN papers r ON r.work_id = w.work_id AND r.version = w.version
LEFT JOIN files o ON o.id = r.file
LEFT JOIN files h ON h.id = o.holder
LEFT JOIN pdfs p ON p.work_id = w.work_id AND p.version = w.version
WHERE w.work_id = :id
"""


def state_of(row: Sequence[Any], records: Sequence[tuple[str, bytes]]) -> WorkState:
    """Return what a row of `STATE` and the records of its work say."""
    work_id, pin, removed, stamp, text_stamp, vector_stamp, edges, file, start, length, pdf = row
    return WorkState(
        work_id=work_id,
        work=work_of(records, pin),
        removed=bool(removed),
        stamp=stamp,
        text_stamp=text_stamp,
        vector_stamp=vector_stamp,
        edges=tuple(edge for part in (edges or "[]").split("\n") for edge in orjson.loads(part)),
        paper=(file, start, length) if file else None,
        pdf=pdf,
    )


def work_of(records: Sequence[tuple[str, bytes]], pin: int | None) -> Work | None:
    """Return the work that these records describe, held at this version."""
    return merge({name: ArxivRecord.model_validate_json(record) for name, record in records}, {"pin": pin})
