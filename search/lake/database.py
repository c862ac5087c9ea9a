"""The SQLite file of the catalogue: made where it is not there, opened for each question or for a session."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from search.errors import DiskFull
from search.lake import barred
from search.lake.folding import SCHEMA, SCHEMA_VERSION
from search.lake.shares import crc32


@contextmanager
def disk_full_told(path: Path) -> Iterator[None]:
    """Say what to do where a disk has no room for what is written into an SQLite file.

    Raises:
        DiskFull: it has none; the transaction left nothing.
    """
    try:
        yield
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_FULL:
            raise
        raise DiskFull(
            f"no space left while updating {path}",
            advice="free some space and run the same command again; the lake is whole",
        ) from error


def throw_away(path: Path) -> None:
    """Delete an SQLite file and what SQLite keeps beside it."""
    for suffix in ("", "-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)


class Database:
    """A database that can be thrown away. One instance may be used from many threads.

    Args:
        path: of the file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._held = threading.local()
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._make()
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:  # no database (any more): a power cut can do that, and nothing is lost
            throw_away(path)
            self._make()

    def _make(self, *, anew: bool = False) -> None:
        """Make the tables where they are not there or another version's, in one step for other processes."""
        with closing(self._connect()) as db, db:
            if _is_made(db) and not anew:
                return
            db.execute("BEGIN IMMEDIATE")
            if _is_made(db) and not anew:
                return  # another process was faster
            for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                db.execute(f"DROP TABLE {table}")
            for statement in (SCHEMA + barred.SCHEMA).split(";"):
                db.execute(statement)
            db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")

    def _make_anew(self) -> None:
        """Make the tables anew, and leave no byte of the old ones."""
        self._make(anew=True)
        with closing(self._connect()) as db:
            # Dropped tables leave their pages, and the write-ahead log copies of them.
            db.execute("VACUUM")
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    @contextmanager
    def session(self) -> Iterator[None]:
        """Answer this thread's questions over one connection: to open one takes longer than to answer."""
        if getattr(self._held, "db", None) is not None:
            yield
            return
        with closing(self._connect()) as db:
            self._held.db = db
            try:
                yield
            finally:
                self._held.db = None

    @contextmanager
    def _database(self) -> Iterator[sqlite3.Connection]:
        held = getattr(self._held, "db", None)
        if held is not None:
            yield held
            return
        with closing(self._connect()) as db:
            yield db

    def _connect(self) -> sqlite3.Connection:
        db = sqlite3.connect(self._path, timeout=60, isolation_level=None, check_same_thread=False)
        db.create_function("crc32", 1, crc32, deterministic=True)
        # Two records a page of 4 KB would leave half of it empty. Counts only before the first table is made.
        db.execute("PRAGMA page_size = 16384")
        db.execute("PRAGMA journal_mode = WAL")
        # A lost transaction is only folded again: durability is the lake's business.
        db.execute("PRAGMA synchronous = OFF")
        return db

    def _rows(self, query: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> list[Any]:
        with self._database() as db:
            return db.execute(query, values).fetchall()

    def _column(self, query: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> list[str]:
        return [row[0] for row in self._rows(query, values)]


def _is_made(db: sqlite3.Connection) -> bool:
    (version,) = db.execute("PRAGMA user_version").fetchone()
    return bool(version == SCHEMA_VERSION)
