"""The starter collection: facts of real arXiv papers, each with a summary in our own words.

`collection.jsonl` holds one paper a line: arXiv's facts of it, the `source` that they were taken from,
and a `summary`. No abstract is in it: what is served in its place begins with `SUMMARY_PREFIX`, so that
it is found and never quoted as evidence.
"""

from __future__ import annotations

from datetime import date, datetime
from importlib.resources import files
from typing import Any

import orjson

from search.demo.records import DemoRecord, DemoVersion
from search.models import SUMMARY_PREFIX


def collection() -> list[DemoRecord]:
    """Return the real papers of the starter collection, oldest first."""
    text = (files("search.demo") / "collection.jsonl").read_text(encoding="utf-8")
    return [_record(orjson.loads(line)) for line in text.splitlines()]


def _record(row: dict[str, Any]) -> DemoRecord:
    return DemoRecord(
        id=row["id"],
        title=row["title"],
        abstract=SUMMARY_PREFIX + row["summary"],
        authors=row["authors"],
        categories=row["categories"],
        versions=tuple(
            DemoVersion(datetime.fromisoformat(day), size, source_type)
            for day, size, source_type in row["versions"]
        ),
        comments=row.get("comments", ""),
        licence=row.get("licence", ""),
        doi=row.get("doi", ""),
        journal_ref=row.get("journal_ref", ""),
        report_no=row.get("report_no", ""),
        datestamp=date.fromisoformat(row["datestamp"]),
        source=row["source"],
    )
