"""Batch files into the catalogue's tables: what the facts of a file change, and what follows for its works.

Folding is the same in whatever order files arrive: every table keeps the fact that counts, by the order
that `search.lake.facts` states. Nothing is held but a few lines at a time, and what follows from the facts
is computed in SQL for all works that a transaction has touched: 500,000 records fold in less than a minute
(evals/results.md). Records that we wrote ourselves are not validated again, only read.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import orjson

from search.errors import LakeDamaged
from search.lake import barred
from search.lake.batch import Batch, damaged, read_outcomes, read_records, stamp_of
from search.lake.facts import FORMATS
from search.lake.files import LakeFiles

#: Raised whenever a table or its meaning changes: an older catalogue is then thrown away and folded again.
SCHEMA_VERSION = 8
#: Orders to take a work down come first: all that is folded after them obeys.
KINDS = ("tombstones", "works", "fetched", "papers", "edges", "vectors", "windows")

#: Seconds after which a transaction ends with the file that it is at: others wait for it to write.
TRANSACTION = 1.0
#: Rows given to SQLite at a time.
ROWS = 1_000

# A work's `changed` rises with everything that is folded of it, above all others: whoever remembers a number
# sees what came after it. Numbers are those of one folding of the lake, told from others by `made`.
SCHEMA = """
CREATE TABLE made (folding TEXT);
INSERT INTO made VALUES (hex(randomblob(8)));
CREATE TABLE files (
    id INTEGER PRIMARY KEY, name TEXT UNIQUE, stamp INT, holder INT, base INT);
CREATE INDEX files_by_stamp ON files (stamp);
CREATE TABLE merged (name TEXT, replaced TEXT, PRIMARY KEY (name, replaced)) WITHOUT ROWID;
CREATE TABLE folders (name TEXT PRIMARY KEY, changed INT) WITHOUT ROWID;
CREATE TABLE arxiv_facts (
    work_id TEXT, format TEXT, rank INT, version INT, datestamp TEXT, response_date TEXT, stamp INT,
    newest INT, published TEXT, record BLOB, UNIQUE (work_id, format));
CREATE TABLE user_facts (
    work_id TEXT, topic TEXT, stamp INT, writer TEXT, sequence INT, value INT,
    PRIMARY KEY (work_id, topic)) WITHOUT ROWID;
CREATE TABLE pdfs (
    work_id TEXT, version INT, name TEXT, sha256 TEXT, stamp INT,
    PRIMARY KEY (work_id, version)) WITHOUT ROWID;
CREATE TABLE papers (
    work_id TEXT, version INT, file INT, start INT, length INT, reader TEXT, stamp INT,
    PRIMARY KEY (work_id, version)) WITHOUT ROWID;
CREATE TABLE edges (
    work_id TEXT, version INT, source TEXT, stamp INT, paper INT, edges BLOB,
    UNIQUE (work_id, version, source));
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
    work_id TEXT PRIMARY KEY, version INT, known INT, removed INT, pin INT, stamp INT, text_stamp INT,
    published TEXT, fetch INT, read INT, link INT, changed INT) WITHOUT ROWID;
CREATE INDEX works_changed ON works (changed);
CREATE INDEX works_removed ON works (work_id) WHERE removed;
CREATE INDEX works_to_fetch ON works (published, work_id, version) WHERE fetch;
CREATE INDEX works_to_read ON works (work_id) WHERE read;
CREATE INDEX works_to_link ON works (work_id) WHERE link;
CREATE TABLE models (fingerprint TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE to_embed (
    fingerprint TEXT, work_id TEXT, PRIMARY KEY (fingerprint, work_id)) WITHOUT ROWID;
"""

#: Whether the fact that arrives counts more than the one that is there.
#: Moments are compared as text, without the Z: with it `12:00:00Z` would be later than `12:00:00.5Z`.
_COUNTS = """(excluded.version, excluded.datestamp, excluded.response_date)
           > (version, datestamp, response_date)"""
# The stamp also rises by a fact that does not count: what an index holds of a work never gets older.
_ARXIV = f"""
INSERT INTO arxiv_facts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    stamp = max(stamp, excluded.stamp),
    version = iif({_COUNTS}, excluded.version, version),
    datestamp = iif({_COUNTS}, excluded.datestamp, datestamp),
    response_date = iif({_COUNTS}, excluded.response_date, response_date),
    newest = iif({_COUNTS}, excluded.newest, newest),
    published = iif({_COUNTS}, excluded.published, published),
    record = iif({_COUNTS}, excluded.record, record)
"""  # noqa: S608
_USER = """
INSERT INTO user_facts VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    stamp = excluded.stamp, writer = excluded.writer, sequence = excluded.sequence, value = excluded.value
    WHERE (excluded.stamp, excluded.writer, excluded.sequence) > (stamp, writer, sequence)
"""
_PDF = """
INSERT INTO pdfs VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    name = excluded.name, sha256 = excluded.sha256, stamp = excluded.stamp
    WHERE excluded.stamp > stamp AND excluded.sha256 != sha256
"""
# As new counts as newer: a file that stands in for another holds the same reading at another place.
_PAPER = """
INSERT INTO papers VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    file = excluded.file, start = excluded.start, length = excluded.length, reader = excluded.reader,
    stamp = excluded.stamp WHERE excluded.stamp >= stamp
"""
_EDGES = """
INSERT INTO edges VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    stamp = excluded.stamp, edges = excluded.edges, paper = excluded.paper WHERE excluded.stamp > stamp
"""
_EMBEDDED = """
INSERT INTO embedded VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    text_stamp = max(text_stamp, excluded.text_stamp), stamp = max(stamp, excluded.stamp)
"""
_FAILED = """
INSERT INTO failures VALUES (?, ?, ?, 1, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    tries = CASE WHEN version IS excluded.version THEN tries + 1 ELSE 1 END,
    version = excluded.version, stamp = max(stamp, excluded.stamp), error = excluded.error,
    message = excluded.message, retryable = excluded.retryable, tool = excluded.tool
"""
# A work that only failed has no facts, and no row. Versions and dates come from the first format, in the
# order of `FORMATS`, that tells them, as in `search.lake.facts.merge`. Stamps of papers and edges are those
# of all versions: when a pin goes back to an older one, what the index holds must not get older.
_DERIVE = """
INSERT OR REPLACE INTO works
SELECT d.work_id, d.version, d.known, d.removed, d.pin, max(d.text_stamp, d.edge_stamp), d.text_stamp,
    d.published, d.known AND NOT d.removed AND p.name IS NULL,
    NOT d.removed AND coalesce(p.stamp > coalesce(r.stamp, 0), 0),
    NOT d.removed AND coalesce(r.stamp > coalesce(e.paper, 0), 0), :changed + row_number() OVER ()
FROM (
    SELECT work_id, known, removed, pin, published, edge_stamp, iif(known, coalesce(pin, newest, 1), NULL)
        AS version, max(paper_stamp, coalesce(fact_stamp, 0), coalesce(user_stamp, 0)) AS text_stamp
    FROM (
        SELECT t.work_id,
            (SELECT max(stamp) FROM arxiv_facts f WHERE f.work_id = t.work_id) AS fact_stamp,
            (SELECT max(stamp) FROM user_facts u WHERE u.work_id = t.work_id) AS user_stamp,
            (SELECT coalesce(max(stamp), 0) FROM papers x WHERE x.work_id = t.work_id) AS paper_stamp,
            (SELECT coalesce(max(stamp), 0) FROM edges y WHERE y.work_id = t.work_id) AS edge_stamp,
            EXISTS (SELECT 1 FROM arxiv_facts f WHERE f.work_id = t.work_id) AS known,
            EXISTS (SELECT 1 FROM user_facts u
                WHERE u.work_id = t.work_id AND topic IN ('removed', 'tombstone')
                AND value != 0) AS removed,
            nullif((SELECT value FROM user_facts u WHERE u.work_id = t.work_id AND topic = 'pin'), 0) AS pin,
            (SELECT newest FROM arxiv_facts f WHERE f.work_id = t.work_id AND newest IS NOT NULL
                ORDER BY rank LIMIT 1) AS newest,
            (SELECT published FROM arxiv_facts f WHERE f.work_id = t.work_id AND published IS NOT NULL
                ORDER BY rank LIMIT 1) AS published
        FROM touched t)
    WHERE known OR user_stamp IS NOT NULL) d
LEFT JOIN pdfs p ON p.work_id = d.work_id AND p.version = d.version
LEFT JOIN papers r ON r.work_id = d.work_id AND r.version = d.version
LEFT JOIN edges e ON e.work_id = d.work_id AND e.version = d.version AND e.source = 'paper'
"""
#: Works of `{works}` whose text is newer than their vectors of model m.
UNEMBEDDED = """
INSERT OR IGNORE INTO to_embed
SELECT m.fingerprint, w.work_id FROM {works} CROSS JOIN models m
LEFT JOIN embedded e ON e.work_id = w.work_id AND e.fingerprint = m.fingerprint
WHERE NOT w.removed AND coalesce(e.text_stamp, 0) < w.text_stamp
"""


def fold(db: sqlite3.Connection, files: LakeFiles, names: Iterable[str]) -> bool:
    """Fold files that are not folded yet. A file is in whole or not at all.

    Returns whether one had gone since it was listed: it was merged with others, or taken down.

    Raises:
        LakeDamaged: a file is no batch; those before it are in.
    """
    db.execute("CREATE TEMP TABLE IF NOT EXISTS touched (work_id TEXT PRIMARY KEY) WITHOUT ROWID")
    began, gone = 0.0, False
    with db:
        for name in names:
            if not db.in_transaction:
                db.execute("BEGIN IMMEDIATE")
                began = time.monotonic()
            db.execute("SAVEPOINT file")
            try:
                _fold_file(db, files, name)
            except BaseException as error:
                if db.in_transaction:  # a full disk may have ended it
                    db.execute("ROLLBACK TO file")
                if not isinstance(error, LakeDamaged) or files.exists(name):
                    if db.in_transaction:
                        _derive(db)
                        db.execute("COMMIT")
                    raise
                gone = True
            db.execute("RELEASE file")
            if time.monotonic() - began > TRANSACTION:
                _derive(db)
                db.execute("COMMIT")
        if db.in_transaction:
            _derive(db)
    return gone


def _fold_file(db: sqlite3.Connection, files: LakeFiles, name: str) -> None:
    if _id(db, name) is not None:
        return  # another process folded it in the meantime, or a file that stands in for it
    batch = read_outcomes(files, name)
    (holder,) = db.execute(
        "INSERT INTO files (name, stamp) VALUES (?, ?) RETURNING id", [name, stamp_of(name)]
    ).fetchone()
    _held_by(db, name, holder, 0)
    for part in batch.parts or [batch]:
        is_new = not batch.parts or _id(db, part.name) is None
        file = _held_by(db, part.name, holder, part.start)
        if is_new:
            _fold_batch(db, files, part, file)
    for gone, base in (*batch.former.items(), *batch.replaces.items()):
        _held_by(db, gone, holder, base)
    merged = [(name, gone) for gone in batch.replaces]
    db.executemany("INSERT OR IGNORE INTO merged VALUES (?, ?)", merged)


def _id(db: sqlite3.Connection, name: str) -> int | None:
    row = db.execute("SELECT id FROM files WHERE name = ?", [name]).fetchone()
    return row[0] if row else None


def _held_by(db: sqlite3.Connection, name: str, holder: int, base: int) -> int:
    """Note that what a file held now lies in another, from byte `base` on; return the former one's id."""
    (number,) = db.execute(
        """INSERT INTO files (name, stamp, holder, base) VALUES (?, ?, ?, ?)
           ON CONFLICT DO UPDATE SET holder = excluded.holder, base = excluded.base RETURNING id""",
        [name, stamp_of(name), holder, base],
    ).fetchone()
    return int(number)


def _fold_batch(db: sqlite3.Connection, files: LakeFiles, batch: Batch, file: int) -> None:
    """Fold one batch; `file` is the id of the name under which it was written."""
    kind = batch.name.split("/", 1)[0]
    batch, records = barred.obeyed(db, kind, batch, read_records(files, batch))
    try:
        _FOLDS[kind](db, batch, records, file)
    except (KeyError, TypeError, ValueError) as error:
        raise damaged(
            batch.name, f"has a line that says something else than a {kind} line: {error}"
        ) from None
    _fold_outcomes(db, kind, batch)
    db.executemany("INSERT OR IGNORE INTO touched VALUES (?)", ([o.work_id] for o in batch.outcomes))


Records = barred.Records


def _fold_works(db: sqlite3.Connection, batch: Batch, records: Records, file: int) -> None:  # noqa: ARG001
    user: list[Sequence[Any]] = []

    def arxiv() -> Iterator[Sequence[Any]]:
        for sequence, (_, _, line) in enumerate(records):
            if line["fact"] == "user":
                user.append(
                    (line["work_id"], line["topic"], batch.stamp, batch.writer, sequence, line["value"])
                )
                continue
            record = line["record"]
            yield (
                line["work_id"], record["format"], FORMATS.index(record["format"]), line["version"],
                line["datestamp"], line["response_date"].rstrip("Z"), batch.stamp, *_newest(record),
                orjson.dumps(record),
            )  # fmt: skip

    _many(db, _ARXIV, arxiv())
    db.executemany(_USER, user)


def _newest(record: dict[str, Any]) -> tuple[int | None, str | None]:
    """Return the number of the newest version and the date of the first, where the record tells them."""
    newest, published = None, None
    for version in record.get("versions") or ():
        if newest is None or version["number"] > newest:
            newest = version["number"]
        if version["number"] == 1 and version.get("date"):
            published = version["date"][:10]
    return newest, published or record.get("created")


def _fold_fetched(db: sqlite3.Connection, batch: Batch, records: Records, file: int) -> None:  # noqa: ARG001
    rows = ((r["work_id"], r["version"], r["name"], r["sha256"], batch.stamp) for _, _, r in records)
    _many(db, _PDF, rows)


def _fold_papers(db: sqlite3.Connection, batch: Batch, records: Records, file: int) -> None:
    for start, length, r in records:  # one at a time: papers are large
        row = r["work_id"], r["version"], file, start, length, r["paper"]["reader"], batch.stamp
        db.execute(_PAPER, row)


def _fold_edges(db: sqlite3.Connection, batch: Batch, records: Records, file: int) -> None:  # noqa: ARG001
    """Keep the newest edges of each source: of a version's own paper, and of services (version 0)."""
    rows = (
        (
            r["work_id"], r["version"], r.get("source", "paper"), batch.stamp, r["paper"],
            orjson.dumps(r["edges"]),
        )
        for _, _, r in records
    )  # fmt: skip
    _many(db, _EDGES, rows)


def _fold_vectors(db: sqlite3.Connection, batch: Batch, records: Records, file: int) -> None:  # noqa: ARG001
    fingerprint = ""
    for _, _, r in records:
        fingerprint = r["fingerprint"]
        rows = ((fingerprint, bytes.fromhex(key), r["shard"], row) for row, key in enumerate(r["keys"]))
        _many(db, "INSERT OR IGNORE INTO vectors VALUES (?, ?, ?, ?)", rows)
    done = ((o.work_id, fingerprint, o.stamp, batch.stamp) for o in batch.outcomes if o.state == "done")
    _many(db, _EMBEDDED, done)


def _fold_windows(db: sqlite3.Connection, batch: Batch, records: Records, file: int) -> None:  # noqa: ARG001
    rows = (
        (
            batch.name, r["base_url"], r["set"], r["from"], r["until"], r["response_date"],
            r.get("purpose", ""),
        )
        for _, _, r in records
    )  # fmt: skip
    _many(db, "INSERT OR IGNORE INTO windows VALUES (?, ?, ?, ?, ?, ?, ?)", rows)


def _fold_tombstones(db: sqlite3.Connection, batch: Batch, records: Records, file: int) -> None:
    _fold_works(db, batch, records, file)
    barred.forget(db, (outcome.work_id for outcome in batch.outcomes))


_FOLDS = {
    "tombstones": _fold_tombstones,
    "works": _fold_works,
    "fetched": _fold_fetched,
    "papers": _fold_papers,
    "edges": _fold_edges,
    "vectors": _fold_vectors,
    "windows": _fold_windows,
}


def _many(db: sqlite3.Connection, statement: str, rows: Iterator[Sequence[Any]]) -> None:
    while part := list(islice(rows, ROWS)):
        db.executemany(statement, part)


def _fold_outcomes(db: sqlite3.Connection, stage: str, batch: Batch) -> None:
    if db.execute("SELECT 1 FROM failures WHERE stage = ? LIMIT 1", [stage]).fetchone():
        db.executemany(
            "DELETE FROM failures WHERE stage = ? AND work_id = ? AND stamp < ?",
            ((stage, o.work_id, batch.stamp) for o in batch.outcomes if o.state == "done"),
        )
    db.executemany(
        _FAILED,
        (
            (stage, o.work_id, o.version, batch.stamp, o.error, o.message, o.retryable, o.tool)
            for o in batch.outcomes
            if o.state == "failed"
        ),
    )


def _derive(db: sqlite3.Connection) -> None:
    """Compute what follows for each work that this transaction has touched."""
    (changed,) = db.execute("SELECT coalesce(max(changed), 0) FROM works").fetchone()
    db.execute(_DERIVE, {"changed": changed})
    db.execute(
        """DELETE FROM to_embed WHERE (fingerprint, work_id) IN (
               SELECT m.fingerprint, t.work_id FROM touched t CROSS JOIN models m)"""
    )
    db.execute(UNEMBEDDED.format(works="touched t CROSS JOIN works w USING (work_id)"))
    db.execute("DELETE FROM touched")
