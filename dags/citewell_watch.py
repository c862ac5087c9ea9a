"""Run the saved searches.

Runs whenever the index has got something new, and searches it for what the saved searches ask
(`citewell watch add`). What they found is a file in `news/` of Citewell's home; a person who asks
`citewell watch run` is told of it all the same.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from airflow.sdk import dag

from citewell_airflow.assets import INDEX
from citewell_airflow.stage import stage


@stage()
def watch(run_id: str | None = None) -> dict[str, Any]:
    """Run all saved searches over what is new."""
    from search.ingest import stages

    return stages.watch(run=run_id)


@dag(
    schedule=[INDEX],
    start_date=datetime(2026, 1, 1, tzinfo=UTC),
    catchup=False,
    max_active_runs=1,
    tags=["citewell"],
    doc_md=__doc__,
)
def citewell_watch() -> None:
    """One task."""
    watch()


citewell_watch()
