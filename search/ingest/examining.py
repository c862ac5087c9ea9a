"""What can be wrong with a lake and its catalogue: files gone, left-overs, holes, a cache that lies."""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from search.ingest.windows import BACKFILL, Window, closed_days, harvested_window
from search.lake.catalogue import Catalogue
from search.lake.folding import KINDS, SCHEMA_VERSION

if TYPE_CHECKING:
    from collections.abc import Sequence

    from search.index.protocol import Generation
    from search.lake.lake import Lake

#: Seconds after which a file that is being written is a killed writer's: the largest takes seconds.
LEFT_OVER = 3600.0
#: Tries after which a download is worth a person's look.
MANY_TRIES = 3
#: What two catalogues of one lake have in common, whatever order the files came in.
_SAME = {
    "works": "SELECT work_id, version, known, removed, pin, stamp, text_stamp FROM {}.works",
    "records": "SELECT work_id, format, version, datestamp, stamp, record FROM {}.arxiv_facts",
    "decisions": "SELECT work_id, topic, value, stamp FROM {}.user_facts",
    "PDFs": "SELECT work_id, version, name FROM {}.pdfs",
    "readings": "SELECT work_id, version, reader, stamp FROM {}.papers",
    "edges": "SELECT work_id, version, source, stamp FROM {}.edges",
    "vectors": "SELECT fingerprint, key FROM {}.vectors",
    "embedded works": "SELECT work_id, fingerprint, text_stamp FROM {}.embedded",
    "windows": "SELECT base_url, set_, from_, until, response_date FROM {}.windows",
}


def left_overs(lake: Lake) -> list[str]:
    """Return half-written files that no living writer can be at."""
    return [name for name, age in lake.files.unfinished() if age > LEFT_OVER]


def is_readable(lake: Lake) -> bool:
    """Return whether the catalogue is a whole database with its tables."""
    try:
        with closing(sqlite3.connect(lake.catalogue.paths()[0])) as db:
            (verdict,) = db.execute("PRAGMA quick_check(1)").fetchone()
            (version,) = db.execute("PRAGMA user_version").fetchone()
    except sqlite3.OperationalError:
        raise  # busy, or no right to read: no sign of damage
    except sqlite3.DatabaseError:
        return False
    return bool(verdict == "ok" and version == SCHEMA_VERSION)


def catalogue_lies(lake: Lake) -> list[str]:
    """Return in what the catalogue differs from one that is folded from the lake's files now.

    Raises:
        LakeDamaged: a file of the lake is no batch.
    """
    with tempfile.TemporaryDirectory(prefix="citewell-fold-") as folder:
        fresh = Catalogue(Path(folder) / "catalogue.sqlite", lake.files)
        lies: list[str] = []
        for _ in range(2):  # another process may write between the two: then they agree the second time
            fresh.refresh()
            lake.catalogue.refresh()
            lies = _differences(lake.catalogue.paths()[0], fresh.paths()[0])
            if not lies:
                break
        return lies


def _differences(held: Path, fresh: Path) -> list[str]:
    found = []
    with closing(sqlite3.connect(held, timeout=60)) as db:
        db.execute("ATTACH ? AS fresh", [str(fresh)])
        for what, query in _SAME.items():
            count = 0
            for one, other in (("main", "fresh"), ("fresh", "main")):
                both = f"{query.format(one)} EXCEPT {query.format(other)}"
                (number,) = db.execute(f"SELECT count(*) FROM ({both})").fetchone()  # noqa: S608
                count = max(count, number)
            if count:
                found.append(f"{count:,} {what}")
    return found


def gone_logs(lake: Lake) -> list[str]:
    """Return the log files that the catalogue has folded and that the lake has no more."""
    there = {name for kind in KINDS for name in lake.files.names(kind)}
    return [name for name in lake.catalogue.files(KINDS) if name not in there]


def lost_files(lake: Lake, generation: Generation) -> list[str]:
    """Return the files that a generation has applied and that the lake has lost; merged ones are not lost."""
    known = set(lake.indexed_files())
    return [
        name
        for name in sorted(generation.applied)
        if name not in known and lake.catalogue.holder(name) == name
    ]


def holes(lake: Lake, base_url: str) -> list[Window]:
    """Return the stretches of days between harvests that no harvest has closed.

    Only harvests that are meant to leave none count: from the first day of the first one on. What lies
    before it, or was backfilled, has holes on purpose.
    """
    harvested = [harvested_window(row) for row in lake.catalogue.harvested(base_url, None)]
    daily = closed_days(one for one in harvested if one.purpose != BACKFILL)
    closed = closed_days(harvested)
    if not daily:
        return []
    day = timedelta(days=1)
    return [
        Window(before.last + day, after.first - day)
        for before, after in pairwise(closed)
        if before.last >= daily[0].first
    ]


def stubborn_downloads(lake: Lake) -> list[str]:
    """Return the works whose PDF has failed to come again and again."""
    return [f.work_id for f in lake.catalogue.failures() if f.stage == "fetched" and f.tries >= MANY_TRIES]


def pdfs_named(lake: Lake, names: Sequence[str]) -> list[tuple[str, int]]:
    """Return the (work id, version) of PDFs by the name of their file."""
    found = []
    with closing(sqlite3.connect(lake.catalogue.paths()[0], timeout=60)) as db:
        for name in names:
            found += db.execute("SELECT work_id, version FROM pdfs WHERE name = ?", [name]).fetchall()
    return found


def keys_of_shard(lake: Lake, shard: str) -> dict[bytes, tuple[str, int]]:
    """Return the keys of the vectors in a shard, each with its model's fingerprint and its row."""
    query = "SELECT key, fingerprint, row FROM vectors WHERE shard = ?"
    with closing(sqlite3.connect(lake.catalogue.paths()[0], timeout=60)) as db:
        return {key: (fingerprint, row) for key, fingerprint, row in db.execute(query, [shard])}


def facts_written(lake: Lake, stamps: Sequence[int]) -> list[dict[str, object]]:
    """Return the lines of the works log that these batches wrote, as far as the catalogue keeps them."""
    import orjson

    lines: list[dict[str, object]] = []
    with closing(sqlite3.connect(lake.catalogue.paths()[0], timeout=60)) as db:
        for stamp in stamps:
            for work_id, version, datestamp, answered, record in db.execute(
                "SELECT work_id, version, datestamp, response_date, record FROM arxiv_facts WHERE stamp = ?",
                [stamp],
            ):
                fact = {"version": version, "datestamp": datestamp, "response_date": answered}
                lines.append({"fact": "arxiv", "work_id": work_id, **fact, "record": orjson.loads(record)})
            for work_id, topic, value in db.execute(
                "SELECT work_id, topic, value FROM user_facts WHERE stamp = ? ORDER BY sequence", [stamp]
            ):
                lines.append({"fact": "user", "work_id": work_id, "topic": topic, "value": value})
    return lines
