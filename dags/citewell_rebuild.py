"""Make a new index, every week.

Builds a new generation of the index from the lake, beside the live one that goes on answering and goes on
being brought up to date. It takes the live one's place only where it holds as much as the lake says and
finds as well as the gate asks. The one before is kept: `citewell index rollback` goes back to it.

Beside it, and whether or not the new index is let through, the lake's old files of records are merged into
fewer, so that a lake of many years is looked through as fast as a new one.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from airflow.sdk import dag

from citewell_airflow.assets import INDEX
from citewell_airflow.stage import stage


@stage()
def begin(run_id: str | None = None) -> str:
    """Make a new generation, or take up one that an interrupted rebuild left. Returns its name."""
    from search.ingest import stages

    return stages.begin_rebuild(run=run_id)


@stage()
def fill(generation: str, run_id: str | None = None) -> str:
    """Write all of the lake's papers into it."""
    from search.ingest import stages

    return stages.fill(generation, run=run_id)


@stage(outlets=[INDEX])
def publish(generation: str, run_id: str | None = None) -> str:
    """Let it through where counts and gate hold: move the aliases, and drop what is too old."""
    from search.ingest import stages

    return stages.publish_rebuilt(generation, run=run_id)


@stage()
def compact(run_id: str | None = None) -> dict[str, Any]:
    """Merge the lake's files of records that are older than a week into fewer, larger ones."""
    from search.ingest import stages

    return stages.compact(run=run_id)


@dag(
    # Saturday morning in Europe and Friday night in America: arXiv announces nothing then.
    schedule="0 6 * * 6",
    start_date=datetime(2026, 1, 1, tzinfo=UTC),
    catchup=False,
    max_active_runs=1,
    default_args={"priority_weight": 1, "weight_rule": "absolute"},
    tags=["citewell"],
    doc_md=__doc__,
)
def citewell_rebuild() -> None:
    """Put the stages in their order; merging is not in it: neither waits for the other, or stops it."""
    publish(fill(begin()))
    compact()


citewell_rebuild()
