"""A metadata snapshot into the lake's works log: streamed, in large batches, resumable."""

from __future__ import annotations

from datetime import date

import orjson

from search.lake.lake import Lake

#: Folder of the lake that says how far each snapshot has come.
FOLDER = "snapshots"
WHOLE = "whole.json"


def newest_day(lake: Lake, base_url: str) -> date | None:
    """Return the newest update date of the snapshots that were imported whole; None: there are none."""
    days = []
    for name in lake.files.names(FOLDER):
        if name.endswith(f"/{WHOLE}"):
            whole = orjson.loads(lake.files.read(name))
            if whole["base_url"] == base_url and whole["newest"]:
                days.append(date.fromisoformat(whole["newest"]))
    return max(days, default=None)
