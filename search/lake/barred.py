"""How the catalogue obeys orders to take a work down: nothing of it is folded, and what was is forgotten.

Orders are folded before all else. A file that holds something of a taken-down work all the same was written
after the lake was cleared of it, by a process that had not seen the order: the work is noted as left over,
and clearing it once more mends that.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from search.lake.batch import Batch, read_batch
from search.lake.files import LakeFiles
from search.lake.takedown import KIND, ORDERED, TOPIC

#: Records of a batch as they are read: where each begins in it, how long it is, and what it says.
Records = Iterator[tuple[int, int, dict[str, Any]]]
SCHEMA = """
CREATE INDEX user_topics ON user_facts (topic, work_id);
CREATE TABLE left_over (work_id TEXT PRIMARY KEY) WITHOUT ROWID;
"""
#: Tables that hold something of a work in rows of its own.
TABLES = ("arxiv_facts", "pdfs", "papers", "edges", "embedded", "failures")


def obeyed(db: sqlite3.Connection, kind: str, batch: Batch, records: Records) -> tuple[Batch, Records]:
    """Return a batch and its records without those of taken-down works, which are noted as left over."""
    taken = taken_down(db) if kind != KIND else set()
    if not taken:
        return batch, records
    if kind == "vectors":  # its records do not say whose vectors they are, its outcomes do
        for outcome in batch.outcomes:
            if outcome.work_id in taken:
                _left_over(db, outcome.work_id)
    outcomes = tuple(outcome for outcome in batch.outcomes if outcome.work_id not in taken)
    return replace(batch, outcomes=outcomes), _allowed(db, taken, records)


def _allowed(db: sqlite3.Connection, taken: set[str], records: Records) -> Records:
    for record in records:
        if (work_id := record[2].get("work_id")) in taken:
            _left_over(db, work_id)
        else:
            yield record


def _left_over(db: sqlite3.Connection, work_id: str) -> None:
    db.execute("INSERT OR IGNORE INTO left_over VALUES (?)", [work_id])


def forget(db: sqlite3.Connection, ids: Iterable[str]) -> None:
    """Delete what the catalogue holds of those of these works that are taken down."""
    for work_id in taken_down(db) & set(ids):
        for table in TABLES:
            db.execute(f"DELETE FROM {table} WHERE work_id = ?", [work_id])  # noqa: S608


def taken_down(db: sqlite3.Connection) -> set[str]:
    """Return the works whose newest order stands."""
    query = "SELECT work_id FROM user_facts WHERE topic = ? AND value > 0"
    return {work_id for (work_id,) in db.execute(query, [TOPIC])}


def unfinished(db: sqlite3.Connection) -> list[str]:
    """Return the taken-down works of which the lake may still hold something."""
    query = """SELECT work_id FROM user_facts WHERE topic = ? AND value = ?
               UNION SELECT work_id FROM left_over
                   JOIN user_facts USING (work_id) WHERE topic = ? AND value > 0 ORDER BY work_id"""
    return [work_id for (work_id,) in db.execute(query, [TOPIC, ORDERED, TOPIC])]


def outdates(files: LakeFiles, new: Iterable[str]) -> bool:
    """Return whether new files say that others were written anew, or that a work counts again.

    What a catalogue has folded before is then not what it would fold now.
    """
    batches = (read_batch(files, name) for name in new if name.startswith(f"{KIND}/"))
    return any(record["value"] != ORDERED for batch in batches for record in batch.records)
