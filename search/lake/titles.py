"""The library's titles and DOIs, ready to be recognised in references: a cache beside the catalogue.

Like the catalogue it knows which files of the lake it has read and reads only the others, and it can be
thrown away. It also remembers which papers cite what the library does not hold: when such a paper comes
in later, those that cite it are linked once more, so that the edges do not depend on who came first.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from search.citations.titles import TitledWork, TitleMatch, key_of, match, reference_keys, title_keys
from search.lake.batch import read_batch, read_outcomes, stamp_of
from search.lake.database import throw_away

if TYPE_CHECKING:
    from search.lake.catalogue import Catalogue
    from search.lake.files import LakeFiles

#: Raised whenever a table or its meaning changes, `search.citations.titles.title_keys` among them.
SCHEMA_VERSION = 2
SCHEMA = """
CREATE TABLE files (name TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE works (
    work_id TEXT PRIMARY KEY, stamp INT, title TEXT, authors BLOB, year INT, doi TEXT) WITHOUT ROWID;
CREATE INDEX works_by_stamp ON works (stamp);
CREATE TABLE keys (key INT, work_id TEXT, PRIMARY KEY (key, work_id)) WITHOUT ROWID;
CREATE TABLE wanted (key INT, work_id TEXT, PRIMARY KEY (key, work_id)) WITHOUT ROWID;
CREATE TABLE wanting (work_id TEXT PRIMARY KEY, keys BLOB) WITHOUT ROWID;
CREATE TABLE again (work_id TEXT PRIMARY KEY) WITHOUT ROWID;
"""
#: SQLite's default limit of variables was once 999.
VARIABLES = 500


@dataclass(frozen=True, slots=True)
class _Card:
    work_id: str
    title: str
    authors: tuple[str, ...]
    year: int | None
    doi: str | None

    def hashes(self) -> tuple[int, ...]:
        return (*title_keys(self.title), *((key_of(f"doi:{self.doi.lower()}"),) if self.doi else ()))


class TitleIndex:
    """Finds works of the library by what a reference prints of them.

    Args:
        catalogue: of the same lake; it must be refreshed before this is.
        files: the lake's files.
        path: of the cache.
    """

    def __init__(self, catalogue: Catalogue, files: LakeFiles, path: Path) -> None:
        self._catalogue = catalogue
        self._files = files
        self._path = path
        #: Newest stamp of the works that it knows, in microseconds since 1970.
        self.newest = 0

    # ------------------------------------------------------------------ folding
    def refresh(self) -> None:
        """Take in the lake's files that are new since the last time; the cost is theirs, not the lake's."""
        with self._database() as db:
            known = {name for (name,) in db.execute("SELECT name FROM files")}
            merged: dict[str, list[str]] | None = None
            for kind in ("works", "tombstones", "edges"):
                for name in self._catalogue.files([kind]):
                    if name not in known:
                        merged = self._catalogue.merged() if merged is None else merged
                        self._fold(db, kind, name, merged.get(name, ()))
            (self.newest,) = db.execute("SELECT coalesce(max(stamp), 0) FROM works").fetchone()

    def _fold(self, db: sqlite3.Connection, kind: str, name: str, made_of: Sequence[str]) -> None:
        with db:
            db.execute("BEGIN IMMEDIATE")
            if _is_folded(db, name):
                return  # another process folded it in the meantime
            if made_of and all(_is_folded(db, one) for one in made_of):
                pass  # merged files hold nothing new, and their last lines are long
            elif kind == "edges":
                for line in read_batch(self._files, name).records:
                    if line.get("source", "paper") == "paper":
                        _fold_wanted(db, line)
            else:
                touched = {o.work_id for o in read_outcomes(self._files, name).outcomes if o.state == "done"}
                self._fold_works(db, touched, stamp_of(name))
            db.execute("INSERT INTO files VALUES (?)", [name])

    def _fold_works(self, db: sqlite3.Connection, ids: Iterable[str], stamp: int) -> None:
        ids = sorted(ids)
        now = {row[0]: _card(row) for row in self._catalogue.cards(ids)}
        for work_id in ids:
            card, before = now.get(work_id), _known(db, work_id)
            if card == before:
                continue
            if before:
                db.execute("DELETE FROM works WHERE work_id = ?", [work_id])
                _each(db, "DELETE FROM keys WHERE key = ? AND work_id = ?", before.hashes(), work_id)
            if card is None:
                continue
            authors = orjson.dumps(card.authors)
            db.execute(
                "INSERT INTO works VALUES (?, ?, ?, ?, ?, ?)",
                [work_id, stamp, card.title, authors, card.year, card.doi],
            )
            _each(db, "INSERT OR IGNORE INTO keys VALUES (?, ?)", card.hashes(), work_id)
            for key in card.hashes():
                db.execute("INSERT OR IGNORE INTO again SELECT work_id FROM wanted WHERE key = ?", [key])

    # ------------------------------------------------------------------ questions
    def find(self, raw: str) -> TitleMatch | None:
        """Return the work whose title a reference prints, None where none is or it could be several."""
        return match(raw, self._with_keys(reference_keys(raw)))

    def by_doi(self, doi: str) -> str | None:
        """Return the work that states this DOI as its own; None where none or several do."""
        found = [
            work_id
            for work_id, stated in self._cards(
                [key_of(f"doi:{doi.lower()}")], "w.work_id, w.doi", "w.doi IS NOT NULL"
            )
            if stated.lower() == doi.lower()
        ]
        return found[0] if len(found) == 1 else None

    def to_link_again(self) -> list[str]:
        """Return the papers that cite a work which came in after they were linked."""
        with self._database() as db:
            return [work_id for (work_id,) in db.execute("SELECT work_id FROM again ORDER BY work_id")]

    def _with_keys(self, keys: Sequence[int]) -> list[TitledWork]:
        columns = "DISTINCT w.work_id, w.title, w.authors, w.year"
        rows = self._cards(keys, columns, "1")
        # The same work under several parts of the keys.
        return list(
            {row[0]: TitledWork(row[0], row[1], tuple(orjson.loads(row[2])), row[3]) for row in rows}.values()
        )

    def _cards(self, keys: Sequence[int], columns: str, condition: str) -> list[Any]:
        found: list[Any] = []
        with self._database() as db:
            for start in range(0, len(keys), VARIABLES):
                part = keys[start : start + VARIABLES]
                marks = ",".join("?" * len(part))
                found += db.execute(
                    f"SELECT {columns} FROM keys k JOIN works w USING (work_id) "  # noqa: S608
                    f"WHERE k.key IN ({marks}) AND {condition}",
                    part,
                )
        return found

    # ------------------------------------------------------------------ SQLite
    @contextmanager
    def _database(self) -> Iterator[sqlite3.Connection]:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        try:
            db = self._open()
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:  # no database (any more); nothing is lost
            throw_away(self._path)
            db = self._open()
        with closing(db):
            yield db

    def _open(self) -> sqlite3.Connection:
        db = sqlite3.connect(self._path, timeout=60, isolation_level=None, check_same_thread=False)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = OFF")
        db.execute("PRAGMA secure_delete = ON")
        if db.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,):
            return db
        with db:
            db.execute("BEGIN IMMEDIATE")
            if db.execute("PRAGMA user_version").fetchone() != (SCHEMA_VERSION,):
                for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                    db.execute(f"DROP TABLE {table}")
                for statement in SCHEMA.split(";"):
                    db.execute(statement)
                db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        return db


def _is_folded(db: sqlite3.Connection, name: str) -> bool:
    return db.execute("SELECT 1 FROM files WHERE name = ?", [name]).fetchone() is not None


def titles_path(catalogue: Path) -> Path:
    """Return where the titles of a catalogue's lake are kept."""
    return catalogue.with_name(f"titles-{catalogue.name.removeprefix('catalogue-')}")


def _fold_wanted(db: sqlite3.Connection, line: dict[str, Any]) -> None:
    """Remember what a paper cites that the library did not hold when it was linked."""
    work_id, keys = line["work_id"], line.get("wanted", [])
    row = db.execute("SELECT keys FROM wanting WHERE work_id = ?", [work_id]).fetchone()
    if row:
        _each(db, "DELETE FROM wanted WHERE key = ? AND work_id = ?", orjson.loads(row[0]), work_id)
    db.execute("INSERT OR REPLACE INTO wanting VALUES (?, ?)", [work_id, orjson.dumps(keys)])
    _each(db, "INSERT OR IGNORE INTO wanted VALUES (?, ?)", keys, work_id)
    db.execute("DELETE FROM again WHERE work_id = ?", [work_id])
    for key in keys:
        newer = "SELECT 1 FROM keys k JOIN works w USING (work_id) WHERE k.key = ? AND w.stamp > ?"
        if db.execute(newer, [key, line.get("titles", 0)]).fetchone():
            db.execute("INSERT OR IGNORE INTO again VALUES (?)", [work_id])
            break


def _known(db: sqlite3.Connection, work_id: str) -> _Card | None:
    row = db.execute(
        "SELECT work_id, title, authors, year, doi FROM works WHERE work_id = ?", [work_id]
    ).fetchone()
    return _card(row) if row else None


def _card(row: Sequence[Any]) -> _Card:
    work_id, title, authors, year, doi = row
    return _Card(work_id, title, tuple(orjson.loads(authors)), year, doi)


def _each(db: sqlite3.Connection, statement: str, keys: Iterable[int], work_id: str) -> None:
    db.executemany(statement, [(key, work_id) for key in keys])
