"""Bring in arXiv's past.

Harvests a range of days, window by window, and takes its papers the same way as the daily run. Start it by
hand with the first and the last day: **Trigger**, or

    airflow dags trigger citewell_backfill --conf '{"from": "2007-04-01", "until": "2007-12-31"}'

A window that was harvested whole is not asked for again, so a backfill that was stopped goes on where it
was. It shares arXiv's one slot with the daily run, which goes first. A run fetches forty PDFs of each of at
most a thousand shares; start it again for more.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from airflow.sdk import Param, TriggerRule, chain, dag

from citewell_airflow.assets import INDEX
from citewell_airflow.papers import papers
from citewell_airflow.pools import ARXIV
from citewell_airflow.stage import stage


@stage()
def windows(params: dict[str, Any] | None = None) -> list[str]:
    """Cut the range into windows, a thousand at most, without those that were harvested whole before."""
    from search.ingest import stages

    return stages.windows(params["from"], params["until"])


@stage(pool=ARXIV)
def harvest(window: str, run_id: str | None = None) -> dict[str, Any]:
    """Harvest one window of days."""
    from search.ingest import stages

    return stages.harvest_window(window, run=run_id)


@stage(trigger_rule=TriggerRule.ALL_DONE)
def split(run_id: str | None = None) -> list[str]:
    """Return the shares in which work is due."""
    from search.ingest import stages

    return stages.split(run=run_id)


@stage(trigger_rule=TriggerRule.ALL_DONE)
def index(run_id: str | None = None) -> str:
    """Bring the live index to what the lake says; the first time, a new one. Returns its name."""
    from search.ingest import stages

    return stages.index(run=run_id)


@stage()
def check(generation: str, run_id: str | None = None) -> str:
    """Compare what the last two days brought with the index, paper by paper."""
    from search.ingest import stages

    return stages.check(generation, run=run_id)


@stage(outlets=[INDEX])
def publish(generation: str, run_id: str | None = None) -> str:
    """Make the index the live one where it is new, and apply what came meanwhile."""
    from search.ingest import stages

    return stages.publish(generation, run=run_id)


@stage(trigger_rule=TriggerRule.NONE_FAILED)
def report(run_id: str | None = None) -> dict[str, Any]:
    """Count what is held and what waits. Runs when all else went well: if not, the run shows as failed."""
    from search.ingest import stages

    return stages.report(run=run_id)


@dag(
    schedule=None,
    start_date=datetime(2026, 1, 1, tzinfo=UTC),
    max_active_runs=1,
    params={
        "from": Param(type="string", format="date", title="First day"),
        "until": Param(type="string", format="date", title="Last day, inclusive"),
    },
    default_args={"priority_weight": 1, "weight_rule": "absolute"},
    tags=["citewell"],
    doc_md=__doc__,
)
def citewell_backfill() -> None:
    """Put the stages in their order."""
    harvested = harvest.expand(window=windows())
    shares = split()
    each = papers.expand(share=shares)
    generation = index()
    checked = check(generation)
    published = publish(checked)
    chain(harvested, shares)
    chain(each, generation)
    chain([harvested, each, published], report())


citewell_backfill()
