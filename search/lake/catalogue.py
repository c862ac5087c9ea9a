"""The catalogue: what the lake's files add up to, in a SQLite file that can be thrown away.

It knows which files it has read, and reads only the others, so that a day's cost depends on the day.
Folding is the same in whatever order files arrive: every table keeps the fact that counts, by the
order that `search.lake.facts` states.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import orjson

from search.errors import LakeDamaged
from search.lake import barred
from search.lake.database import Database, disk_full_told, throw_away
from search.lake.files import LakeFiles
from search.lake.folding import KINDS, UNEMBEDDED, fold
from search.lake.shares import WHOLE, Share
from search.lake.states import STATE, Failure, WorkState, state_of, work_of
from search.lake.titles import titles_path
from search.models import ReadPaper, Work

#: Bytes of pages kept in memory while files are folded; SQLite's own 2 MB make 500,000 works a third slower.
FOLDING_MEMORY = 64 << 20

#: Files that are looked up one by one; of more, all of a folder's are read at once.
FEW = 50

#: How often, and after how many seconds, a file that is gone is looked for in a folder that stays as it is.
LOOKS, LOOK_AGAIN = 5, 0.05


class Catalogue(Database):
    """Answers questions about the lake. One instance may be used from many threads."""

    def __init__(self, path: Path, files: LakeFiles) -> None:
        self._files = files
        #: Files that this folding of the lake is known to hold, so that nobody asks for them again.
        self._seen: tuple[str, set[str]] = ("", set())
        #: Newest stamp of any batch seen so far, in microseconds since 1970.
        self.newest = 0
        super().__init__(path)

    def paths(self) -> tuple[Path, Path]:
        """Return the files that are this cache."""
        return self._path, titles_path(self._path)

    def forget(self) -> None:
        """Throw the cache away, bytes and all; the next `refresh` folds the whole lake again."""
        self._make_anew()
        throw_away(titles_path(self._path))

    # ------------------------------------------------------------------ folding
    def refresh(self) -> int:
        """Fold the files that are new since the last time; return how many there were."""
        with closing(self._connect()) as db:
            new, folders = self._new(db)
            if barred.outdates(self._files, new) and db.execute("SELECT 1 FROM files LIMIT 1").fetchone():
                self.forget()
                new, folders = self._new(db)
            if new:
                db.execute(f"PRAGMA cache_size = -{FOLDING_MEMORY // 1024}")
                with disk_full_told(self._path):
                    if fold(db, self._files, new):
                        return self.refresh()
            # Not where another process has thrown the catalogue away meanwhile: nothing of them is folded.
            settled = "INSERT OR REPLACE INTO folders SELECT ?, ? FROM made WHERE folding = ?"
            db.executemany(settled, ((name, *said) for name, said in folders.items()))
            (newest,) = db.execute("SELECT max(stamp) FROM files").fetchone()
        self.newest = max(self.newest, newest or 0)
        return len(new)

    def _new(self, db: sqlite3.Connection) -> tuple[list[str], dict[str, tuple[int, str]]]:
        """Return the files that are not folded, and the folders that need no other look in this folding."""
        before = dict(db.execute("SELECT name, changed FROM folders").fetchall())
        (folding,) = db.execute("SELECT folding FROM made").fetchone()
        if folding != self._seen[0]:
            self._seen = folding, set()
        new: list[str] = []
        settled: dict[str, tuple[int, str]] = {}
        seen = self._seen[1]
        for kind in KINDS:
            for folder, names, changed in self._files.folders(kind, before):
                unseen = [name for name in names if name.endswith(".jsonl") and name not in seen]
                if len(unseen) > FEW:
                    query = "SELECT name FROM files WHERE name > ? AND name < ?"
                    seen.update(name for (name,) in db.execute(query, [f"{folder}/", f"{folder}0"]))
                else:
                    known = "SELECT name FROM files WHERE name = ?"
                    seen.update(name for name in unseen if db.execute(known, [name]).fetchone())
                new += [name for name in unseen if name not in seen]
                if changed is not None:
                    settled[folder] = changed, folding
        return new, settled

    # ------------------------------------------------------------------ questions
    def states(self, ids: Iterable[str], fingerprint: str | None = None) -> Iterator[WorkState]:
        """Yield what is known of each of these works, in order; unknown ones are left out."""
        with self._database() as db:
            for work_id in ids:
                row = db.execute(STATE, {"id": work_id, "fingerprint": fingerprint}).fetchone()
                if row:
                    query = "SELECT format, record FROM arxiv_facts WHERE work_id = ?"
                    yield state_of(row, db.execute(query, [work_id]).fetchall())

    def state(self, work_id: str, fingerprint: str | None = None) -> WorkState | None:
        """Return what is known of one work."""
        return next(self.states([work_id], fingerprint), None)

    def work_ids(self, *, removed: bool = False) -> list[str]:
        """Return the ids of all works, with `removed` those of removed ones only."""
        return self._column("SELECT work_id FROM works WHERE removed = ? ORDER BY work_id", [int(removed)])

    def half_taken_down(self) -> list[str]:
        """Return the ids of taken-down works of which the lake may still hold something."""
        with self._database() as db:
            return barred.unfinished(db)

    def works(self) -> Iterator[Work]:
        """Yield all works that are not removed, by id."""
        query = """SELECT w.work_id, w.pin, f.format, f.record
                   FROM works w JOIN arxiv_facts f USING (work_id) WHERE NOT w.removed ORDER BY w.work_id"""
        with self._database() as db:
            for (_, pin), rows in groupby(db.execute(query), itemgetter(0, 1)):
                work = work_of([row[2:] for row in rows], pin)
                if work:
                    yield work

    def to_fetch(self, ids: Sequence[str] | None = None, share: Share | None = None) -> list[tuple[str, int]]:
        """Return (work id, version) of works whose PDF is not in the lake, newest papers first."""
        works = "works w"
        if ids is not None:
            works = "(SELECT DISTINCT value FROM json_each(:ids)) j CROSS JOIN works w ON w.work_id = j.value"
        return self._rows(
            f"""SELECT w.work_id, w.version FROM {works} WHERE w.fetch AND {_IN_SHARE}
                ORDER BY w.published DESC, w.work_id DESC""",  # noqa: S608
            {**_share(share), "ids": orjson.dumps(list(ids or ())).decode()},
        )

    def due(self, fingerprint: str | None = None, *, most: int = 100_000) -> dict[str, int]:
        """Return how many works wait for read, link and (of this model) embed, up to `most`."""
        if fingerprint:
            self._follow(fingerprint)
        waiting = {stage: f"works WHERE {stage}" for stage in ("read", "link")}
        waiting["embed"] = "to_embed WHERE fingerprint = :fingerprint"
        values = {"fingerprint": fingerprint, "most": most}
        return {
            stage: self._rows(f"SELECT count(*) FROM (SELECT 1 FROM {works} LIMIT :most)", values)[0][0]  # noqa: S608
            for stage, works in waiting.items()
        }

    def to_read(self, reader: str, share: Share | None = None) -> list[tuple[str, int, str]]:
        """Return (work id, version, PDF name) of works whose PDF has not been read, or was replaced since.

        A PDF that this very reader could not read is not tried again; a newer reader tries it.
        """
        return self._rows(
            f"""SELECT w.work_id, w.version, p.name FROM works w JOIN pdfs p USING (work_id, version)
               LEFT JOIN failures f ON f.stage = 'papers' AND f.work_id = w.work_id AND f.version = w.version
                   AND NOT f.retryable AND f.stamp > p.stamp AND f.tool = :reader
               WHERE w.read AND f.error IS NULL AND {_IN_SHARE}
               ORDER BY w.work_id""",  # noqa: S608
            {"reader": reader, **_share(share)},
        )

    def to_link(self, share: Share | None = None) -> list[tuple[str, int, int, tuple[str, int, int]]]:
        """Return (work id, version, stamp, place) of read papers that are newer than their edges."""
        rows = self._rows(
            f"{_READ} WHERE w.link AND {_IN_SHARE} ORDER BY w.work_id",
            _share(share),
        )
        return [(work_id, version, stamp, tuple(place)) for work_id, version, stamp, *place in rows]

    def to_embed(self, fingerprint: str, share: Share | None = None) -> list[str]:
        """Return ids of works whose text is newer than their vectors of this model."""
        self._follow(fingerprint)
        return self._column(
            f"SELECT w.work_id FROM to_embed w WHERE w.fingerprint = :fingerprint AND {_IN_SHARE}",  # noqa: S608
            {"fingerprint": fingerprint, **_share(share)},
        )

    def _follow(self, fingerprint: str) -> None:
        """Have folding keep the list of what waits for a model; the first time it looks at all works."""
        with self._database() as db:
            if db.execute("SELECT 1 FROM models WHERE fingerprint = ?", [fingerprint]).fetchone():
                return
            with db:
                db.execute("BEGIN IMMEDIATE")
                db.execute("INSERT OR IGNORE INTO models VALUES (?)", [fingerprint])
                db.execute(UNEMBEDDED.format(works="works w"))

    def vectors(self, fingerprint: str, keys: Sequence[bytes]) -> dict[bytes, tuple[str, int]]:
        """Return where each vector lies, as (shard, row), for the keys that have one."""
        found: dict[bytes, tuple[str, int]] = {}
        with self._database() as db:
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

    def refused(self) -> list[tuple[str, int, int, str]]:
        """Return (work id, tries, stamp, message) of works whose PDF a server refused, and that is still due.

        A refusal is of a version: one that came since has not been refused yet.
        """
        return self._rows(
            """SELECT f.work_id, f.tries, f.stamp, f.message
               FROM failures f JOIN works w USING (work_id, version)
               WHERE f.stage = 'fetched' AND NOT f.retryable AND w.fetch"""
        )

    def tries(self, stage: str, ids: Iterable[str]) -> dict[str, int]:
        """Return how often a stage has failed for those of these works for which it has."""
        query = """SELECT f.work_id, f.tries FROM json_each(?) j
                   JOIN failures f ON f.stage = ? AND f.work_id = j.value"""
        return dict(self._rows(query, [orjson.dumps(list(ids)).decode(), stage]))

    def folding(self) -> str:
        """Return what tells this folding of the lake from others: the numbers of `changed` are its own."""
        return self._column("SELECT folding FROM made")[0]

    def changed(self, after: int, most: int) -> list[tuple[str, int, bool, bool]]:
        """Return (work id, number, is there, has no PDF) of the works that changed after a number, in order.

        Args:
            after: the last number seen; 0: all works.
            most: works at a time.
        """
        rows = self._rows(
            """SELECT work_id, changed, removed, fetch FROM works WHERE changed > ?
               ORDER BY changed LIMIT ?""",
            [after, most],
        )
        return [(work_id, number, not removed, bool(fetch)) for work_id, number, removed, fetch in rows]

    def asked_for(self, ids: Iterable[str]) -> set[str]:
        """Return those of these works that somebody added by name and has not removed since."""
        query = """SELECT u.work_id FROM json_each(?) j JOIN user_facts u ON u.work_id = j.value
                   WHERE u.topic = 'removed' AND u.value = 0"""
        return set(self._column(query, [orjson.dumps(list(ids)).decode()]))

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
            f"""{_READ} JOIN json_each(?) j ON j.value = w.work_id WHERE NOT w.removed ORDER BY w.work_id""",
            [orjson.dumps(list(ids)).decode()],
        )
        return [(work_id, version, stamp, tuple(place)) for work_id, version, stamp, *place in rows]

    def cards(self, ids: Iterable[str]) -> list[tuple[str, str, str, int | None, str | None]]:
        """Return (work id, title, authors as JSON, year, DOI) of these works, removed ones left out."""
        rows = self._rows(
            """SELECT w.pin, f.work_id, f.format, f.record
               FROM json_each(?) j JOIN works w ON w.work_id = j.value JOIN arxiv_facts f USING (work_id)
               WHERE NOT w.removed ORDER BY w.work_id""",
            [orjson.dumps(list(ids)).decode()],
        )
        works = (
            work_of([row[2:] for row in facts], pin) for (pin, _), facts in groupby(rows, itemgetter(0, 1))
        )
        return [
            (work.work_id, work.title, orjson.dumps(work.authors).decode(), work.year, work.doi)
            for work in works
            if work
        ]

    def edge_counts(self) -> dict[str, int]:
        """Return how many edges the works have, by where they come from; reads every edge."""
        return dict(
            self._rows(
                """SELECT json_extract(j.value, '$.source'), count(*)
                   FROM works w JOIN edges e ON e.work_id = w.work_id AND e.version IN (0, w.version),
                        json_each(CAST(e.edges AS TEXT)) j
                   WHERE NOT w.removed GROUP BY 1"""
            )
        )

    def to_ask(self, source: str, before: int, share: Share | None = None) -> list[str]:
        """Return works of which a service was not asked since `before`, in microseconds since 1970."""
        values = {**_share(share), "source": source, "before": before}
        return self._column(
            f"""SELECT w.work_id FROM works w
                LEFT JOIN edges e ON e.work_id = w.work_id AND e.version = 0 AND e.source = :source
                WHERE coalesce(e.stamp, 0) < :before AND NOT w.removed AND w.known
                    AND {_IN_SHARE} ORDER BY w.work_id""",  # noqa: S608
            values,
        )

    def added_since(self, stamp: int) -> set[str]:
        """Return the works that somebody added by name after this moment, in microseconds since 1970."""
        query = "SELECT work_id FROM user_facts WHERE topic = 'removed' AND value = 0 AND stamp > ?"
        return set(self._column(query, [stamp]))

    def known(self, ids: Iterable[str]) -> set[str]:
        """Return those of these ids that the catalogue has a work of, removed ones included."""
        wanted = orjson.dumps(list(ids)).decode()
        query = "SELECT w.work_id FROM json_each(?) j JOIN works w ON w.work_id = j.value"
        return set(self._column(query, [wanted]))

    def news(self, lines: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return those lines of the works log that say something else than the fact that counts.

        A user's decision is always news; so is a record under another datestamp, whatever it says.
        """
        asked = orjson.dumps([line["work_id"] for line in lines if line["fact"] == "arxiv"]).decode()
        query = """SELECT f.work_id, f.format, f.version, f.datestamp, f.record
                   FROM json_each(?) j JOIN arxiv_facts f ON f.work_id = j.value"""
        known = {row[:2]: row[2:] for row in self._rows(query, [asked])}
        return [line for line in lines if not _is_known(line, known)]

    def failed(self, stage: str, ids: Iterable[str]) -> set[str]:
        """Return those of these works that a stage could not do."""
        query = """SELECT f.work_id FROM json_each(?) j
                   JOIN failures f ON f.stage = ? AND f.work_id = j.value"""
        return set(self._column(query, [orjson.dumps(list(ids)).decode(), stage]))

    def files(self, kinds: Iterable[str]) -> list[str]:
        """Return the names of the folded files of these kinds by the time of their writing.

        Files that others stand in for are left out.
        """
        names: list[tuple[int, str]] = []
        with self._database() as db:
            for kind in kinds:
                query = "SELECT stamp, name FROM files WHERE name > ? AND name < ? AND holder = id"
                names += db.execute(query, [f"{kind}/", f"{kind}0"])
        return [name for _, name in sorted(names)]

    def merged(self) -> dict[str, list[str]]:
        """Return which files each merged one was made of."""
        made: dict[str, list[str]] = {}
        for name, replaced in self._rows("SELECT name, replaced FROM merged"):
            made.setdefault(name, []).append(replaced)
        return made

    def moved(self, name: str) -> tuple[str, int]:
        """Return the file that holds what one that is gone held, and where its first byte lies in it.

        Raises:
            LakeDamaged: it was not merged with others, it is missing.
        """
        listed: list[str] = []
        looks = 0
        while True:
            self.refresh()
            row = self._rows(_HOLDER, [name])
            if row and row[0][0] != name:
                return row[0][0], row[0][1]
            # What is merged once more while a folder is being listed may be in no listing but the next: only
            # a folder in which nothing happens any more tells that it is not there.
            names = self._files.names(name.split("/", 1)[0])
            looks = looks + 1 if names == listed else 1
            if looks == LOOKS:
                raise LakeDamaged(
                    f"{name} is missing from the lake {self._files.url}",
                    advice="run `citewell doctor` to see what else is",
                )
            listed = names
            time.sleep(LOOK_AGAIN)

    def holder(self, name: str) -> str:
        """Return the file that holds what this one held, itself where it was not merged."""
        return next(iter(self._column(_HOLDER, [name])), name)

    def named_files(self) -> list[str]:
        """Return the names of all PDFs, papers and shards that anything refers to."""
        return self._column(
            """SELECT name FROM pdfs UNION SELECT shard FROM vectors
               UNION SELECT h.name FROM papers r JOIN files o ON o.id = r.file JOIN files h ON h.id = o.holder
               ORDER BY 1"""
        )

    def paper(self, place: tuple[str, int, int]) -> ReadPaper:
        """Return the read paper at a place that a `WorkState` named."""
        name, start, length = place
        while True:
            try:
                content = self._files.read(name, start, start + length)
                break
            except LakeDamaged:
                name, base = self.moved(name)
                start += base
        line = orjson.loads(content)
        return ReadPaper.model_validate(line["paper"])


def _is_known(line: dict[str, Any], known: Mapping[tuple[str, str], tuple[int, str, bytes]]) -> bool:
    if line["fact"] != "arxiv":
        return False
    record = line["record"]
    held = known.get((line["work_id"], record["format"]))
    return held == (line["version"], line["datestamp"], orjson.dumps(record))


#: Whether work w belongs to the share that a question is about.
_IN_SHARE = "(:of = 1 OR crc32(w.work_id) % :of = :number)"


def _share(share: Share | None) -> dict[str, int]:
    share = share or WHOLE
    return {"number": share.number, "of": share.of}


#: The file that holds what one held, and from which byte on.
_HOLDER = "SELECT h.name, o.base FROM files o JOIN files h ON h.id = o.holder WHERE o.name = ?"

#: Works w that were read, and where the reading lies.
_READ = """
SELECT w.work_id, w.version, r.stamp, h.name, o.base + r.start, r.length
FROM works w JOIN papers r USING (work_id, version)
JOIN files o ON o.id = r.file JOIN files h ON h.id = o.holder
"""
