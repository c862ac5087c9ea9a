"""What a selection and a licence policy make of each paper without full text, kept between runs in SQLite.

Looking at the metadata of half a million papers takes a minute, and on the next day all but a few hundred
are the same. So only what the lake has changed since the last look is judged; another selection or another
policy has another file, and judges all. It is a cache that can be thrown away.

Papers are kept in the order of the ranking but for recency, which moves every day, by other amounts for old
papers than for new ones: by relevance, of which there are few different values, and by day within each. A
merge of these lists is the ranking, and whoever wants the first forty of it looks at little more.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path

from search.arxiv.licences import Policy
from search.errors import NotPermitted
from search.ingest.selection import Candidate, Selection, best_first, candidate
from search.lake.catalogue import Catalogue
from search.lake.database import disk_full_told, throw_away
from search.models import Work

#: `standing` is "asked for" where somebody wants the paper by name, "ranked" where it matches, "out" for all
#: that are not fetched. `holds` are the papers with full text, `looked` says up to where the lake is known.
SCHEMA = """
CREATE TABLE verdicts (
    work_id TEXT PRIMARY KEY, standing TEXT, title TEXT, published TEXT, withdrawn TEXT, pinned INT,
    matches INT, why TEXT, relevance REAL, refused TEXT) WITHOUT ROWID;
CREATE INDEX by_rank ON verdicts (relevance, published, work_id) WHERE standing = 'ranked';
CREATE INDEX by_name ON verdicts (work_id) WHERE standing = 'asked for';
CREATE TABLE holds (work_id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE looked (folding TEXT, number INT, holding INT);
"""
#: Works judged in one transaction.
BATCH = 5_000
#: Raised whenever `candidate` says something else of the same paper, or a table changes: older files are
#: then left alone.
VERSION = 2


class Verdicts:
    """The papers without full text, as one selection and one policy see them.

    Args:
        cache: the catalogue's path, which the file lies beside.
        catalogue: of the lake.
        selection: what is wanted.
        policy: of which licence classes full texts are kept.
    """

    def __init__(self, cache: Path, catalogue: Catalogue, selection: Selection, policy: Policy) -> None:
        # Neither budget nor half-life says anything of a single paper: another budget judges nothing anew.
        wanted = selection.model_dump_json(exclude={"budget", "half_life"})
        kept = sorted(name for name, terms in policy.terms.items() if terms.store)
        said = f"{VERSION} {wanted} {policy.name} {kept}"
        key = hashlib.sha256(said.encode()).hexdigest()[:12]
        self._path = cache.with_name(f"{cache.stem}-selection-{key}.sqlite")
        self._catalogue = catalogue
        self._selection = selection
        self._policy = policy

    @contextmanager
    def opened(self) -> Iterator[Found]:
        """Judge what has changed, and yield what may be asked; the catalogue must be refreshed."""
        try:
            with disk_full_told(self._path):
                db = self._judged()
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:  # no database (any more): a power cut can do that, and nothing is lost
            throw_away(self._path)
            db = self._judged()
        with closing(db):
            yield Found(db, self._selection)

    def _judged(self) -> sqlite3.Connection:
        """Open the file, and judge all that has changed since the last time."""
        db = sqlite3.connect(self._path, timeout=60, isolation_level=None)
        try:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = OFF")
            while self._judge_some(db):
                pass
        except BaseException:
            db.close()
            raise
        return db

    def _judge_some(self, db: sqlite3.Connection) -> bool:
        """Judge the next works that have changed; return whether there may be more."""
        folding = self._catalogue.folding()
        after = _looked(db, folding)
        if after is not None and not self._catalogue.changed(after, 1):
            return False
        with db:
            db.execute("BEGIN IMMEDIATE")
            after = _looked(db, folding)  # another process may have been here meanwhile
            if after is None:
                _make(db, folding)
                after = 0
            changed = self._catalogue.changed(after, BATCH)
            missing = [work_id for work_id, _, there, no_pdf in changed if there and no_pdf]
            asked = self._catalogue.asked_for(missing)
            rows = [
                self._row(state.work, state.work_id in asked)
                for state in self._catalogue.states(missing)
                if state.work
            ]
            ids = [(work_id,) for work_id, *_ in changed]
            db.executemany("DELETE FROM verdicts WHERE work_id = ?", ids)
            db.executemany(f"INSERT INTO verdicts VALUES ({','.join('?' * 10)})", rows)  # noqa: S608
            gone = db.executemany("DELETE FROM holds WHERE work_id = ?", ids).rowcount
            held = [(work_id,) for work_id, _, there, no_pdf in changed if there and not no_pdf]
            db.executemany("INSERT INTO holds VALUES (?)", held)
            number = changed[-1][1] if changed else after
            db.execute("UPDATE looked SET number = ?, holding = holding + ?", [number, len(held) - gone])
        return len(changed) == BATCH

    def _row(self, work: Work, asked: bool) -> tuple[object, ...]:
        one = candidate(self._selection, work)
        if not self._policy.stores(work.licence_class):
            one = replace(
                one, refused=NotPermitted(work.work_id, work.licence_class, self._policy.name).message
            )
        standing = "asked for" if asked or one.pinned else "ranked" if one.matches else "out"
        if one.withdrawn == "yes" or one.refused:
            standing = "out"
        day = one.published.isoformat() if one.published else None
        return (
            one.work_id, standing, one.title, day, one.withdrawn, one.pinned, one.matches, one.why,
            one.relevance, one.refused,
        )  # fmt: skip


class Found:
    """What the verdicts say at this moment."""

    def __init__(self, db: sqlite3.Connection, selection: Selection) -> None:
        self._db = db
        self._selection = selection

    def holding(self) -> int:
        """Return how many papers of the library have full text."""
        (holding,) = self._db.execute("SELECT coalesce(max(holding), 0) FROM looked").fetchone()
        return int(holding)

    def candidates(self) -> Iterator[Candidate]:
        """Yield all papers without full text, by id."""
        query = """SELECT work_id, title, published, withdrawn, pinned, matches, why, relevance, refused
                   FROM verdicts ORDER BY work_id"""
        for work_id, title, day, withdrawn, pinned, matches, *rest in self._db.execute(query):
            yield Candidate(work_id, title, _day(day), withdrawn, bool(pinned), bool(matches), *rest)

    def asked_for(self) -> list[str]:
        """Return the ids of papers that somebody wants by name, by id."""
        query = "SELECT work_id FROM verdicts WHERE standing = 'asked for' ORDER BY work_id"
        return [work_id for (work_id,) in self._db.execute(query)]

    def ranked(self, today: date) -> Iterator[str]:
        """Yield the ids of the papers that match, the most wanted first; the cost is that of those taken."""
        papers = [(relevance, self._newest_first(relevance)) for relevance in self._relevances()]
        return best_first(papers, today=today, half_life=self._selection.half_life)

    def _relevances(self) -> Iterator[float]:
        largest = "SELECT max(relevance) FROM verdicts WHERE standing = 'ranked' AND relevance < ?"
        below = 2.0
        while (below := self._db.execute(largest, [below]).fetchone()[0]) is not None:
            yield below

    def _newest_first(self, relevance: float) -> Iterator[tuple[date | None, str]]:
        query = """SELECT published, work_id FROM verdicts WHERE standing = 'ranked' AND relevance = ?
                   ORDER BY published DESC, work_id DESC"""
        return ((_day(published), work_id) for published, work_id in self._db.execute(query, [relevance]))


def _looked(db: sqlite3.Connection, folding: str) -> int | None:
    """Return up to which number the works of this folding are judged; None where none are."""
    if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'looked'").fetchone():
        return None
    row = db.execute("SELECT number FROM looked WHERE folding = ?", [folding]).fetchone()
    return int(row[0]) if row else None


def _make(db: sqlite3.Connection, folding: str) -> None:
    """Make the tables anew."""
    for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        db.execute(f"DROP TABLE {table}")
    for statement in SCHEMA.split(";"):
        db.execute(statement)
    db.execute("INSERT INTO looked VALUES (?, 0, 0)", [folding])


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None
