"""What a selection makes of each paper without full text, kept between runs: a cache in SQLite.

Looking at the metadata of half a million papers takes a minute, and on the next day all but a few hundred
are the same. A paper is looked at again when the lake has a newer fact of it; another selection has another
file. It can be thrown away.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import date
from itertools import islice
from pathlib import Path

from search.ingest.selection import Candidate, Selection, candidate
from search.lake.catalogue import Catalogue

SCHEMA = """CREATE TABLE IF NOT EXISTS verdicts (
    work_id TEXT PRIMARY KEY, stamp INT, title TEXT, published TEXT, withdrawn TEXT, pinned INT,
    matches INT, why TEXT, relevance REAL) WITHOUT ROWID"""
#: Rows in one transaction.
BATCH = 5_000
#: Raised whenever `candidate` says something else of the same paper: older files are then left alone.
VERSION = 1


def selection_key(selection: Selection) -> str:
    """Return 12 hex digits that tell this selection from another."""
    said = f"{VERSION} {selection.model_dump_json()}"
    return hashlib.sha256(said.encode()).hexdigest()[:12]


def candidates(path: Path, catalogue: Catalogue, selection: Selection, *, every: bool) -> Iterator[Candidate]:
    """Yield the papers without a PDF, with what the selection makes of each.

    Args:
        path: of the cache.
        catalogue: of the lake, refreshed.
        selection: what is wanted.
        every: also those that do not match and that nobody asked for by name.
    """
    due = catalogue.missing_pdfs()
    asked = catalogue.asked_for()
    with closing(sqlite3.connect(path, timeout=60, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = OFF")
        db.execute(SCHEMA)
        known = dict(db.execute("SELECT work_id, stamp FROM verdicts").fetchall())
        changed = iter([work_id for work_id, stamp in due.items() if known.get(work_id) != stamp])
        while part := list(islice(changed, BATCH)):
            rows = [
                _row(candidate(selection, state.work), due[state.work_id])
                for state in catalogue.states(part)
                if state.work
            ]
            with db:
                db.execute("BEGIN IMMEDIATE")
                db.executemany("INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        gone = [(work_id,) for work_id in known if work_id not in due]
        if gone:
            with db:
                db.executemany("DELETE FROM verdicts WHERE work_id = ?", gone)
        query = "SELECT work_id, title, published, withdrawn, pinned, matches, why, relevance FROM verdicts"
        for work_id, title, published, withdrawn, pinned, matches, why, relevance in db.execute(query):
            if every or matches or pinned or work_id in asked:
                day = date.fromisoformat(published) if published else None
                yield Candidate(work_id, title, day, withdrawn, bool(pinned), bool(matches), why, relevance)


def _row(one: Candidate, stamp: int) -> tuple[object, ...]:
    day = one.published.isoformat() if one.published else None
    return (
        one.work_id, stamp, one.title, day, one.withdrawn, one.pinned, one.matches, one.why, one.relevance,
    )  # fmt: skip
