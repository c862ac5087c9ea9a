"""Follow arXiv, every day.

After each announcement of arXiv (23:30 US Eastern, Sunday to Thursday): what has changed is harvested,
the PDFs are fetched, read, linked and embedded, and the index says it.

The days to harvest come from the lake, not from the run: from before the first day that is not closed to
now. So a run that was missed leaves no hole, a run may be started by hand at any time, and after an outage
of a week one run is enough. Whatever fails is tried again as the error asks, then by the next run; what
could not be done is in `failures/` of Citewell's home. A share that fails holds up no other, and the index
takes what there is; the run is then marked as failed.
"""

from __future__ import annotations

from datetime import UTC, datetime

from airflow.sdk import TriggerRule, chain, dag

from citewell_airflow.assets import INDEX
from citewell_airflow.papers import papers
from citewell_airflow.pools import ARXIV
from citewell_airflow.stage import stage
from citewell_airflow.timetable import ArxivAnnouncements


@stage(pool=ARXIV)
def harvest(run_id: str | None = None) -> list[str]:
    """Harvest what has changed since the days that are closed; return the shares in which work is due."""
    from search.ingest import stages

    return stages.harvest(run=run_id)


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


@stage()
def report(run_id: str | None = None) -> dict[str, object]:
    """Count what is held and what waits. Runs when all else went well: if not, the run shows as failed."""
    from search.ingest import stages

    return stages.report(run=run_id)


@dag(
    schedule=ArxivAnnouncements(),
    start_date=datetime(2026, 1, 1, tzinfo=UTC),
    catchup=False,
    max_active_runs=1,
    # Where a backfill wants the same slot of a pool, the day goes first.
    default_args={"priority_weight": 100, "weight_rule": "absolute"},
    tags=["citewell"],
    doc_md=__doc__,
)
def citewell_daily() -> None:
    """Put the stages in their order."""
    shares = harvest()
    each = papers.expand(share=shares)
    generation = index()
    checked = check(generation)
    published = publish(checked)
    chain(each, generation)
    chain([shares, each, published], report())


citewell_daily()
