"""SQLite files that can be thrown away: a disk without room is told of, and nothing is half-written."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from search.errors import DiskFull
from search.lake.database import disk_full_told, throw_away


def test_a_full_disk_says_what_to_do_and_leaves_the_database_whole(tmp_path):
    """A database that may not grow is a disk without room: what was there before stays, and can be read."""
    path = tmp_path / "catalogue.sqlite"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE works (work_id TEXT)")
        db.execute("INSERT INTO works VALUES ('2401.00001')")
        db.commit()
        db.execute("PRAGMA max_page_count = 4")
        with pytest.raises(DiskFull, match="free some space"), disk_full_told(path), db:
            db.executemany("INSERT INTO works VALUES (?)", ((f"{n:09}" * 100,) for n in range(100)))
        assert db.execute("SELECT work_id FROM works").fetchall() == [("2401.00001",)]


def test_other_troubles_keep_their_name(tmp_path):
    """A missing table is no full disk."""
    with (
        closing(sqlite3.connect(tmp_path / "one.sqlite")) as db,
        pytest.raises(sqlite3.OperationalError, match="no such table"),
        disk_full_told(tmp_path),
    ):
        db.execute("SELECT * FROM works")


def test_nothing_is_left_of_what_is_thrown_away(tmp_path):
    """The write-ahead log and its index go with the file, and what is not there is no error."""
    path = tmp_path / "one.sqlite"
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("CREATE TABLE works (work_id TEXT)")
        throw_away(path)
        assert list(tmp_path.iterdir()) == []
    throw_away(path)
