"""A metadata snapshot into the lake's works log: streamed, in large batches, resumable.

After each batch a small file in the lake says how far this snapshot has come; a run that is killed goes on
from the last of them. A batch that was written and not noted is written again, which changes nothing.
A snapshot closes no day, because its records lack what only a harvest tells (source types, and with them
withdrawals); the next harvest without dates begins two days before its newest update.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, date, datetime
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from search.arxiv.snapshot import LONGEST_LINE, Line, SnapshotRecord, fingerprint, lines, problem, read_record
from search.errors import CitewellError, UsageError
from search.ingest.reports import BadLine, SnapshotReport
from search.lake.lake import Lake
from search.progress import Progress, ProgressSink, silent

#: Lines a batch: 19 MB of works log and about a second of work, which is what an interruption costs.
BATCH = 10_000
#: Folder of the lake that says how far each snapshot has come.
FOLDER = "snapshots"
WHOLE = "whole.json"
#: Bad lines that a report lists; all are counted.
LISTED = 100
#: Lines at the beginning of a file that is no snapshot at all.
HOPELESS = 100


def newest_day(lake: Lake, base_url: str) -> date | None:
    """Return the newest update date of the snapshots that were imported whole; None: there are none."""
    days = []
    for name in lake.files.names(FOLDER):
        if name.endswith(f"/{WHOLE}"):
            whole = orjson.loads(lake.files.read(name))
            if whole["base_url"] == base_url and whole["newest"]:
                days.append(date.fromisoformat(whole["newest"]))
    return max(days, default=None)


def import_snapshot(
    lake: Lake, path: Path, *, base_url: str, progress: ProgressSink = silent
) -> SnapshotReport:
    """Bring the records of a snapshot into the lake; the same file again brings nothing and costs nothing.

    Its facts fill what a harvest leaves open and never replace what one says. Lines that cannot be read
    are reported by number.

    Args:
        lake: where the records go.
        path: the file, plain, gzip or zip.
        base_url: the OAI-PMH server whose records it holds: harvests of it go on where it ends.
        progress: told after every batch.

    Raises:
        UsageError: the file is not there, or no line at its beginning is a record of arXiv's.
        MalformedResponse: it is packed and breaks off; what came before is kept.
    """
    if not path.is_file():
        raise UsageError(f"there is no file {path}", advice="name the snapshot that you fetched")
    began = time.monotonic()
    lake.catalogue.refresh()
    folder = f"{FOLDER}/{fingerprint(path)}"
    state = _resumed(lake, folder)
    state["base_url"] = base_url
    resumed, new = state["lines"], 0
    whole = f"{folder}/{WHOLE}" in lake.files.names(folder)
    source = iter(()) if whole else lines(path, start=state["offset"], after=state["lines"])
    while batch := list(islice(source, BATCH)):
        records = list(_read(batch, state))
        if not state["records"] and not records and state["bad_lines"] >= HOPELESS:
            first = state["bad"][0]
            raise UsageError(
                f"{path} is no snapshot of arXiv's metadata: line {first[0]}: {first[1]}",
                advice="fetch arxiv-metadata-oai-snapshot.json from Kaggle or the public bucket",
            )
        if records:
            ids = {record.work_id for record in records}
            new += len(ids) - len(lake.catalogue.known(ids))
            lake.write_fact_lines([_line(record) for record in records])
        state |= {"lines": batch[-1].number, "offset": batch[-1].end}
        state["records"] += len(records)
        lake.files.write(f"{folder}/{state['lines']:010d}.json", orjson.dumps(state))
        lake.catalogue.refresh()
        progress(Progress("snapshot", state["lines"], None, f"{state['records']:,} records"))
    if not whole:
        lake.files.write(f"{folder}/{WHOLE}", orjson.dumps(state))
    return SnapshotReport(
        file=str(path),
        lines=state["lines"] - resumed,
        resumed_lines=resumed,
        records=state["records"],
        new=new,
        unreadable=tuple(BadLine(line=number, message=message) for number, message in state["bad"]),
        unreadable_lines=state["bad_lines"],
        newest=date.fromisoformat(state["newest"]) if state["newest"] else None,
        seconds=time.monotonic() - began,
    )


def _resumed(lake: Lake, folder: str) -> dict[str, Any]:
    """Return how far this file has come."""
    names = [name for name in lake.files.names(folder) if name.endswith(".json")]
    if names:  # `whole.json` sorts after the digits of the others
        state: dict[str, Any] = orjson.loads(lake.files.read(names[-1]))
        return state
    return {"lines": 0, "offset": 0, "records": 0, "newest": "", "bad_lines": 0, "bad": []}


def _read(batch: list[Line], state: dict[str, Any]) -> Iterator[SnapshotRecord]:
    """Yield the records of some lines, noting in `state` the newest day and the lines that are none."""
    today = datetime.now(UTC).date().isoformat()
    for line in batch:
        if line.content is not None and line.content.isspace():
            continue
        try:
            if line.content is None:
                message = f"longer than {LONGEST_LINE:,} bytes"
            else:
                record = read_record(line.content)
                if record.datestamp <= today:  # a day that has not come would hide the ones that have
                    state["newest"] = max(state["newest"], record.datestamp)
                yield record
                continue
        except CitewellError as error:
            message = problem(error)
        state["bad_lines"] += 1
        if len(state["bad"]) < LISTED:
            state["bad"].append([line.number, message])


def _line(record: SnapshotRecord) -> dict[str, Any]:
    """Return the works log's line: the JSON form of an `ArxivFact`.

    The answer's time is the record's own day, not that of the import: the same file makes the same facts.
    """
    return {
        "fact": "arxiv",
        "work_id": record.work_id,
        "version": record.version,
        "datestamp": record.datestamp,
        "response_date": f"{record.datestamp}T00:00:00Z",
        "record": record.record,
    }
