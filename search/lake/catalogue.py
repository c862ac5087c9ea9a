"""The catalogue: what the lake's files add up to, in a SQLite file that can be thrown away.

It knows which files it has read, and reads only the others, so that a day's cost depends on the day.
Folding is the same in whatever order files arrive: every table keeps the fact that counts, by the
order that `search.lake.facts` states.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from search.arxiv.records import ArxivRecord
from search.errors import DiskFull
from search.lake import barred
from search.lake.batch import Batch, read_batch, stamp_of
from search.lake.facts import merge
from search.lake.files import LakeFiles
from search.lake.shares import WHOLE, Share, crc32
from search.lake.titles import forget as forget_titles
from search.lake.titles import titles_path
from search.models import ReadPaper, Work

#: Raised whenever a table or its meaning changes: an older catalogue is then thrown away and folded again.
SCHEMA_VERSION = 5
#: Orders to take a work down come first: all that is folded after them obeys.
KINDS = ("tombstones", "works", "fetched", "papers", "edges", "vectors", "windows")

SCHEMA = """
CREATE TABLE files (name TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE arxiv_facts (
    work_id TEXT, format TEXT, version INT, datestamp TEXT, response_date TEXT, stamp INT, record BLOB,
    PRIMARY KEY (work_id, format)) WITHOUT ROWID;
CREATE TABLE user_facts (
    work_id TEXT, topic TEXT, stamp INT, writer TEXT, sequence INT, value INT,
    PRIMARY KEY (work_id, topic)) WITHOUT ROWID;
CREATE TABLE pdfs (
    work_id TEXT, version INT, name TEXT, sha256 TEXT, stamp INT,
    PRIMARY KEY (work_id, version)) WITHOUT ROWID;
CREATE TABLE papers (
    work_id TEXT, version INT, file TEXT, start INT, length INT, reader TEXT, stamp INT,
    PRIMARY KEY (work_id, version)) WITHOUT ROWID;
CREATE TABLE edges (
    work_id TEXT, version INT, source TEXT, stamp INT, edges BLOB, paper INT,
    PRIMARY KEY (work_id, version, source)) WITHOUT ROWID;
CREATE TABLE vectors (
    fingerprint TEXT, key BLOB, shard TEXT, row INT, PRIMARY KEY (fingerprint, key)) WITHOUT ROWID;
CREATE TABLE embedded (
    work_id TEXT, fingerprint TEXT, text_stamp INT, stamp INT,
    PRIMARY KEY (work_id, fingerprint)) WITHOUT ROWID;
CREATE TABLE failures (
    stage TEXT, work_id TEXT, version INT, tries INT, stamp INT, error TEXT, message TEXT, retryable INT,
    tool TEXT, PRIMARY KEY (stage, work_id)) WITHOUT ROWID;
CREATE TABLE windows (
    name TEXT PRIMARY KEY, base_url TEXT, set_ TEXT, from_ TEXT, until TEXT,
    response_date TEXT, purpose TEXT) WITHOUT ROWID;
CREATE TABLE works (
    work_id TEXT PRIMARY KEY, version INT, removed INT, stamp INT, text_stamp INT,
    work BLOB) WITHOUT ROWID;
"""


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


class Catalogue:
    """Answers questions about the lake. One instance may be used from many threads."""

    def __init__(self, path: Path, files: LakeFiles) -> None:
        self._path = path
        self._files = files
        #: Newest stamp of any batch seen so far, in microseconds since 1970.
        self.newest = 0
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._make()
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:  # no database (any more): a power cut can do that, and nothing is lost
            for suffix in ("", "-wal", "-shm"):
                Path(f"{path}{suffix}").unlink(missing_ok=True)
            self._make()

    def forget(self) -> None:
        """Throw the cache away, bytes and all; the next `refresh` folds the whole lake again."""
        self._make(anew=True)
        with closing(self._connect()) as db:
            # Dropped tables leave their pages, and the write-ahead log copies of them.
            db.execute("VACUUM")
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        forget_titles(titles_path(self._path))

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

    # ------------------------------------------------------------------ folding
    def refresh(self) -> int:
        """Fold the files that are new since the last time; return how many there were."""
        names = [name for kind in KINDS for name in self._files.names(kind) if name.endswith(".jsonl")]
        with closing(self._connect()) as db:
            known = {name for (name,) in db.execute("SELECT name FROM files")}
            new = [name for name in names if name not in known]
            if known and barred.outdates(self._files, new):
                self.forget()
                new = names
            try:
                for name in new:
                    self._fold(db, name)
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_FULL:
                    raise
                raise DiskFull(
                    f"no space left while updating {self._path}",
                    advice="free some space and run the same command again; the lake is whole",
                ) from error
        self.newest = max([self.newest, *map(stamp_of, names)])
        return len(new)

    def _fold(self, db: sqlite3.Connection, name: str) -> None:
        """Fold a file in one transaction: it is in whole or not at all. One at a time: papers are large."""
        batch = read_batch(self._files, name)
        with db:
            db.execute("BEGIN IMMEDIATE")
            if db.execute("SELECT 1 FROM files WHERE name = ?", [name]).fetchone():
                return  # another process folded it in the meantime
            kind = name.split("/", 1)[0]
            batch = barred.obeyed(db, kind, batch)
            getattr(self, f"_fold_{kind}")(db, batch)
            self._fold_outcomes(db, kind, batch)
            db.execute("INSERT INTO files VALUES (?)", [name])
            _derive(db, {outcome.work_id for outcome in batch.outcomes})

    def _fold_works(self, db: sqlite3.Connection, batch: Batch) -> None:
        for sequence, line in enumerate(batch.records):
            if line["fact"] == "user":
                db.execute(
                    """INSERT INTO user_facts VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
                       stamp = excluded.stamp, writer = excluded.writer, sequence = excluded.sequence,
                       value = excluded.value
                       WHERE (excluded.stamp, excluded.writer, excluded.sequence)
                           > (stamp, writer, sequence)""",
                    [line["work_id"], line["topic"], batch.stamp, batch.writer, sequence, line["value"]],
                )
                continue
            record = line["record"]
            db.execute(
                """INSERT INTO arxiv_facts VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
                   version = excluded.version, datestamp = excluded.datestamp,
                   response_date = excluded.response_date, record = excluded.record
                   WHERE (excluded.version, excluded.datestamp, excluded.response_date)
                       > (version, datestamp, response_date)""",
                [
                    line["work_id"], record["format"], line["version"], line["datestamp"],
                    line["response_date"], batch.stamp, orjson.dumps(record),
                ],
            )  # fmt: skip
            # Also for a fact that does not count: what an index holds of a work never gets older.
            db.execute(
                "UPDATE arxiv_facts SET stamp = max(stamp, ?) WHERE work_id = ? AND format = ?",
                [batch.stamp, line["work_id"], record["format"]],
            )

    def _fold_tombstones(self, db: sqlite3.Connection, batch: Batch) -> None:
        self._fold_works(db, batch)
        barred.forget(db, (line["work_id"] for line in batch.records))

    def _fold_fetched(self, db: sqlite3.Connection, batch: Batch) -> None:
        for line in batch.records:
            db.execute(
                "INSERT INTO pdfs VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET name = excluded.name, "
                "sha256 = excluded.sha256, stamp = excluded.stamp "
                "WHERE excluded.stamp > stamp AND excluded.sha256 != sha256",
                [line["work_id"], line["version"], line["name"], line["sha256"], batch.stamp],
            )

    def _fold_papers(self, db: sqlite3.Connection, batch: Batch) -> None:
        for line, (start, length) in zip(batch.records, batch.places, strict=True):
            db.execute(
                "INSERT INTO papers VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
                "file = excluded.file, start = excluded.start, length = excluded.length, "
                "reader = excluded.reader, stamp = excluded.stamp WHERE excluded.stamp > stamp",
                [
                    line["work_id"], line["version"], batch.name, start, length,
                    line["paper"]["reader"], batch.stamp,
                ],
            )  # fmt: skip

    def _fold_edges(self, db: sqlite3.Connection, batch: Batch) -> None:
        """Keep the newest edges of each source: of a version's own paper, and of services (version 0)."""
        for line in batch.records:
            db.execute(
                "INSERT INTO edges VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
                "stamp = excluded.stamp, edges = excluded.edges, paper = excluded.paper "
                "WHERE excluded.stamp > stamp",
                [
                    line["work_id"], line["version"], line.get("source", "paper"), batch.stamp,
                    orjson.dumps(line["edges"]), line["paper"],
                ],
            )  # fmt: skip

    def _fold_vectors(self, db: sqlite3.Connection, batch: Batch) -> None:
        fingerprint = ""
        for line in batch.records:
            fingerprint = line["fingerprint"]
            db.executemany(
                "INSERT OR IGNORE INTO vectors VALUES (?, ?, ?, ?)",
                [
                    (fingerprint, bytes.fromhex(key), line["shard"], row)
                    for row, key in enumerate(line["keys"])
                ],
            )
        db.executemany(
            "INSERT INTO embedded VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
            "text_stamp = max(text_stamp, excluded.text_stamp), stamp = max(stamp, excluded.stamp)",
            [(o.work_id, fingerprint, o.stamp, batch.stamp) for o in batch.outcomes if o.state == "done"],
        )

    def _fold_windows(self, db: sqlite3.Connection, batch: Batch) -> None:
        for line in batch.records:
            db.execute(
                "INSERT OR IGNORE INTO windows VALUES (?, ?, ?, ?, ?, ?, ?)",
                [
                    batch.name,
                    line["base_url"],
                    line["set"],
                    line["from"],
                    line["until"],
                    line["response_date"],
                    line.get("purpose", ""),
                ],
            )

    def _fold_outcomes(self, db: sqlite3.Connection, stage: str, batch: Batch) -> None:
        for o in batch.outcomes:
            if o.state == "done":
                db.execute(
                    "DELETE FROM failures WHERE stage = ? AND work_id = ? AND stamp < ?",
                    [stage, o.work_id, batch.stamp],
                )
                continue
            db.execute(
                """INSERT INTO failures VALUES (?, ?, ?, 1, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
                   tries = CASE WHEN version IS excluded.version THEN tries + 1 ELSE 1 END,
                   version = excluded.version, stamp = max(stamp, excluded.stamp), error = excluded.error,
                   message = excluded.message, retryable = excluded.retryable, tool = excluded.tool""",
                [stage, o.work_id, o.version, batch.stamp, o.error, o.message, o.retryable, o.tool],
            )

    # ------------------------------------------------------------------ questions
    def states(self, ids: Iterable[str], fingerprint: str | None = None) -> Iterator[WorkState]:
        """Yield what is known of each of these works, in order; unknown ones are left out."""
        with closing(self._connect()) as db:
            for work_id in ids:
                row = db.execute(_STATE, {"id": work_id, "fingerprint": fingerprint}).fetchone()
                if row:
                    yield _state(row)

    def state(self, work_id: str, fingerprint: str | None = None) -> WorkState | None:
        """Return what is known of one work."""
        return next(self.states([work_id], fingerprint), None)

    def work_ids(self, *, removed: bool = False) -> list[str]:
        """Return the ids of all works, with `removed` those of removed ones only."""
        return self._column("SELECT work_id FROM works WHERE removed = ? ORDER BY work_id", [int(removed)])

    def half_taken_down(self) -> list[str]:
        """Return the ids of taken-down works of which the lake may still hold something."""
        with closing(self._connect()) as db:
            return barred.unfinished(db)

    def works(self) -> Iterator[Work]:
        """Yield all works that are not removed, by id."""
        with closing(self._connect()) as db:
            query = "SELECT work FROM works WHERE NOT removed AND work IS NOT NULL ORDER BY work_id"
            for (work,) in db.execute(query):
                yield Work.model_validate_json(work)

    def to_fetch(self, ids: Sequence[str] | None = None, share: Share | None = None) -> list[tuple[str, int]]:
        """Return (work id, version) of works whose PDF is not in the lake, newest papers first."""
        newest = "json_extract(w.work, '$.published') DESC, w.work_id DESC"
        found = self._rows(
            f"""SELECT w.work_id, w.version FROM works w LEFT JOIN pdfs p USING (work_id, version)
                WHERE p.name IS NULL AND NOT w.removed AND w.work IS NOT NULL AND {_IN_SHARE}
                ORDER BY {newest}""",  # noqa: S608
            _share(share),
        )
        wanted = None if ids is None else set(ids)
        return [(work_id, version) for work_id, version in found if wanted is None or work_id in wanted]

    def to_read(self, reader: str, share: Share | None = None) -> list[tuple[str, int, str]]:
        """Return (work id, version, PDF name) of works whose PDF has not been read, or was replaced since.

        A PDF that this very reader could not read is not tried again; a newer reader tries it.
        """
        return self._rows(
            f"""SELECT w.work_id, w.version, p.name FROM works w JOIN pdfs p USING (work_id, version)
               LEFT JOIN papers r USING (work_id, version)
               LEFT JOIN failures f ON f.stage = 'papers' AND f.work_id = w.work_id AND f.version = w.version
                   AND NOT f.retryable AND f.stamp > p.stamp AND f.tool = :reader
               WHERE coalesce(r.stamp, 0) < p.stamp AND f.error IS NULL AND NOT w.removed AND {_IN_SHARE}
               ORDER BY w.work_id""",  # noqa: S608
            {"reader": reader, **_share(share)},
        )

    def to_link(self, share: Share | None = None) -> list[tuple[str, int, int, tuple[str, int, int]]]:
        """Return (work id, version, stamp, place) of read papers that are newer than their edges."""
        rows = self._rows(
            f"""SELECT r.work_id, r.version, r.stamp, r.file, r.start, r.length
               FROM papers r JOIN works w USING (work_id, version)
               LEFT JOIN edges e
                   ON e.work_id = r.work_id AND e.version = r.version AND e.source = 'paper'
               WHERE coalesce(e.paper, 0) < r.stamp AND NOT w.removed AND {_IN_SHARE}
               ORDER BY r.work_id""",  # noqa: S608
            _share(share),
        )
        return [(work_id, version, stamp, tuple(place)) for work_id, version, stamp, *place in rows]

    def to_embed(self, fingerprint: str, share: Share | None = None) -> list[str]:
        """Return ids of works whose text is newer than their vectors of this model."""
        return self._column(
            f"""SELECT w.work_id FROM works w
               LEFT JOIN embedded e ON e.work_id = w.work_id AND e.fingerprint = :fingerprint
               WHERE coalesce(e.text_stamp, 0) < w.text_stamp AND NOT w.removed AND {_IN_SHARE}
               ORDER BY w.work_id""",  # noqa: S608
            {"fingerprint": fingerprint, **_share(share)},
        )

    def vectors(self, fingerprint: str, keys: Sequence[bytes]) -> dict[bytes, tuple[str, int]]:
        """Return where each vector lies, as (shard, row), for the keys that have one."""
        found: dict[bytes, tuple[str, int]] = {}
        with closing(self._connect()) as db:
            for start in range(0, len(keys), 500):  # SQLite's default limit of variables was once 999
                part = keys[start : start + 500]
                marks = ",".join("?" * len(part))
                query = f"SELECT key, shard, row FROM vectors WHERE fingerprint = ? AND key IN ({marks})"  # noqa: S608
                found.update({k: (shard, row) for k, shard, row in db.execute(query, [fingerprint, *part])})
        return found

    def failures(self) -> list[Failure]:
        """Return what failed and has not been mended since, by stage and work; removed works have none."""
        rows = self._rows(
            """SELECT f.stage, f.work_id, f.version, error, message, tries, f.stamp, retryable
               FROM failures f LEFT JOIN works w USING (work_id)
               WHERE NOT coalesce(w.removed, 0) ORDER BY f.stage, f.work_id"""
        )
        return [Failure(*row) for row in rows]

    def windows(self, base_url: str, set_: str | None) -> list[tuple[str, str, str]]:
        """Return (from, until, responseDate) of the windows harvested whole from this server."""
        return self._rows(
            "SELECT from_, until, response_date FROM windows WHERE base_url = ? AND set_ = ?",
            [base_url, set_ or ""],
        )

    def harvested(self, base_url: str, set_: str | None) -> list[tuple[str, str, str, str]]:
        """Return (from, until, responseDate, purpose) of those windows, in the order of their answers."""
        return self._rows(
            "SELECT from_, until, response_date, purpose FROM windows WHERE base_url = ? AND set_ = ? "
            "ORDER BY response_date, name",
            [base_url, set_ or ""],
        )

    def linkable(self, ids: Iterable[str]) -> list[tuple[str, int, int, tuple[str, int, int]]]:
        """Return the rows of `to_link` for those of these works that were read, linked before or not."""
        rows = self._rows(
            """SELECT r.work_id, r.version, r.stamp, r.file, r.start, r.length
               FROM json_each(?) j JOIN works w ON w.work_id = j.value
               JOIN papers r ON r.work_id = w.work_id AND r.version = w.version
               WHERE NOT w.removed ORDER BY r.work_id""",
            [orjson.dumps(list(ids)).decode()],
        )
        return [(work_id, version, stamp, tuple(place)) for work_id, version, stamp, *place in rows]

    def cards(self, ids: Iterable[str]) -> list[tuple[str, str, str, int | None, str | None]]:
        """Return (work id, title, authors as JSON, year, DOI) of these works, removed ones left out."""
        return self._rows(
            """SELECT w.work_id, json_extract(w.work, '$.title'), json_extract(w.work, '$.authors'),
                      CAST(substr(json_extract(w.work, '$.published'), 1, 4) AS INT),
                      json_extract(w.work, '$.doi')
               FROM json_each(?) j JOIN works w ON w.work_id = j.value
               WHERE NOT w.removed AND w.work IS NOT NULL""",
            [orjson.dumps(list(ids)).decode()],
        )

    def to_ask(self, source: str, before: int, share: Share | None = None) -> list[str]:
        """Return works of which a service was not asked since `before`, in microseconds since 1970."""
        values = {**_share(share), "source": source, "before": before}
        return self._column(
            f"""SELECT w.work_id FROM works w
                LEFT JOIN edges e ON e.work_id = w.work_id AND e.version = 0 AND e.source = :source
                WHERE coalesce(e.stamp, 0) < :before AND NOT w.removed AND w.work IS NOT NULL
                    AND {_IN_SHARE} ORDER BY w.work_id""",  # noqa: S608
            values,
        )

    def known(self, ids: Iterable[str]) -> set[str]:
        """Return those of these ids that the catalogue has a work of, removed ones included."""
        wanted = orjson.dumps(list(ids)).decode()
        query = "SELECT w.work_id FROM json_each(?) j JOIN works w ON w.work_id = j.value"
        return set(self._column(query, [wanted]))

    def named_files(self) -> list[str]:
        """Return the names of all PDFs, papers and shards that anything refers to."""
        return self._column(
            "SELECT name FROM pdfs UNION SELECT file FROM papers UNION SELECT shard FROM vectors ORDER BY 1"
        )

    def paper(self, place: tuple[str, int, int]) -> ReadPaper:
        """Return the read paper at a place that a `WorkState` named."""
        name, start, length = place
        line = orjson.loads(self._files.read(name, start, start + length))
        return ReadPaper.model_validate(line["paper"])

    # ------------------------------------------------------------------ SQLite
    def _connect(self) -> sqlite3.Connection:
        db = sqlite3.connect(self._path, timeout=60, isolation_level=None, check_same_thread=False)
        db.create_function("crc32", 1, crc32, deterministic=True)
        db.execute("PRAGMA journal_mode = WAL")
        # A lost transaction is only folded again: durability is the lake's business.
        db.execute("PRAGMA synchronous = OFF")
        return db

    def _rows(self, query: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> list[Any]:
        with closing(self._connect()) as db:
            return db.execute(query, values).fetchall()

    def _column(self, query: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> list[str]:
        return [row[0] for row in self._rows(query, values)]


def _is_made(db: sqlite3.Connection) -> bool:
    (version,) = db.execute("PRAGMA user_version").fetchone()
    return bool(version == SCHEMA_VERSION)


#: Whether work w belongs to the share that a question is about.
_IN_SHARE = "(:of = 1 OR crc32(w.work_id) % :of = :number)"


def _share(share: Share | None) -> dict[str, int]:
    share = share or WHOLE
    return {"number": share.number, "of": share.of}


_STATE = """
SELECT w.work_id, w.work, w.removed, w.stamp, w.text_stamp, coalesce(v.stamp, 0), (
    SELECT group_concat(CAST(edges AS TEXT), char(10)) FROM (
        SELECT edges FROM edges WHERE work_id = w.work_id AND version IN (0, w.version) ORDER BY source)),
       r.file, r.start, r.length, p.name
FROM works w
LEFT JOIN embedded v ON v.work_id = w.work_id AND v.fingerprint = :fingerprint
LEFT JOIN papers r ON r.work_id = w.work_id AND r.version = w.version
LEFT JOIN pdfs p ON p.work_id = w.work_id AND p.version = w.version
WHERE w.work_id = :id
"""


def _state(row: Sequence[Any]) -> WorkState:
    work_id, work, removed, stamp, text_stamp, vector_stamp, edges, file, start, length, pdf = row
    return WorkState(
        work_id=work_id,
        work=Work.model_validate_json(work) if work else None,
        removed=bool(removed),
        stamp=stamp,
        text_stamp=text_stamp,
        vector_stamp=vector_stamp,
        edges=tuple(edge for part in (edges or "[]").split("\n") for edge in orjson.loads(part)),
        paper=(file, start, length) if file else None,
        pdf=pdf,
    )


def _derive(db: sqlite3.Connection, ids: Iterable[str]) -> None:
    """Compute the `works` row of each work that a fold has touched."""
    for work_id in ids:
        facts = db.execute(
            "SELECT format, stamp, record FROM arxiv_facts WHERE work_id = ?", [work_id]
        ).fetchall()
        user = {
            topic: (stamp, value)
            for topic, stamp, value in db.execute(
                "SELECT topic, stamp, value FROM user_facts WHERE work_id = ?", [work_id]
            )
        }
        if not facts and not user:
            continue  # a record that could not be parsed: the failure says so
        records = {format_: ArxivRecord.model_validate_json(record) for format_, _, record in facts}
        work = merge(records, {topic: value for topic, (_, value) in user.items()})
        version = work.version if work else None
        # Of all versions: when a pin goes back to an older one, what the index holds must not get older.
        (paper,) = db.execute(
            "SELECT coalesce(max(stamp), 0) FROM papers WHERE work_id = ?", [work_id]
        ).fetchone()
        (edge,) = db.execute(
            "SELECT coalesce(max(stamp), 0) FROM edges WHERE work_id = ?", [work_id]
        ).fetchone()
        text = max([paper, *(stamp for _, stamp, _ in facts), *(stamp for stamp, _ in user.values())])
        removed = any(user.get(topic, (0, 0))[1] for topic in ("removed", "tombstone"))
        db.execute(
            "INSERT OR REPLACE INTO works VALUES (?, ?, ?, ?, ?, ?)",
            [work_id, version, removed, max(text, edge), text, work.model_dump_json() if work else None],
        )
