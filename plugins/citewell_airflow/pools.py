"""The pools that the DAGs need, and the check at the start of Airflow that they are there.

A task whose pool is missing is not an error for Airflow: it waits without end.
"""

from __future__ import annotations

import logging
from datetime import date, timedelta
from typing import Any

from airflow.listeners import hookimpl

from citewell_airflow.calendar import known_until

log = logging.getLogger(__name__)

#: One slot: arXiv wants one connection at a time, over all machines together.
ARXIV = "arxiv"
#: Reading and embedding take a core each.
PAPERS = "citewell"
#: Name, slots and description. The slots of `citewell` are for the operator to set.
POOLS = (
    (ARXIV, 1, "one request to arXiv at a time"),
    (PAPERS, 2, "papers being read, linked or embedded: one per core"),
)
#: The holidays of a year are published in December.
SOON = timedelta(days=14)


def commands(missing: set[str] | None = None) -> list[str]:
    """Return the commands that make the pools, or the missing ones of them."""
    return [
        f'airflow pools set {name} {slots} "{why}"'
        for name, slots, why in POOLS
        if missing is None or name in missing
    ]


def missing_pools() -> set[str]:
    """Return the names of the pools that Airflow's database does not have."""
    from airflow.models.pool import Pool
    from airflow.utils.session import create_session

    with create_session() as session:
        return {name for name, *_ in POOLS if Pool.get_pool(name, session=session) is None}


@hookimpl
def on_starting(component: Any) -> None:
    """Say what is missing when the scheduler, or another of Airflow's own processes, starts.

    Not where a task starts: workers have no way to the database.
    """
    from airflow.jobs.job import Job

    if not isinstance(component, Job):
        return
    if missing := missing_pools():
        log.error(
            "Citewell's tasks will wait without end: there is no pool %s. Run: %s",
            ", ".join(sorted(missing)),
            "; ".join(commands(missing)),
        )
    if date.today() + SOON > known_until():  # noqa: DTZ011 - a day more or less does not matter
        log.warning(
            "arXiv's holidays are known until %s only; after it runs on holidays find nothing. "
            "Add the new year's to plugins/citewell_airflow/holidays.json",
            known_until(),
        )
