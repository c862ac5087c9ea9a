"""The way of the papers through one share, as the daily run and a backfill both go it."""

from __future__ import annotations

from typing import Any

from airflow.sdk import task_group

from citewell_airflow.pools import ARXIV, PAPERS
from citewell_airflow.stage import stage


@stage(pool=ARXIV)
def fetch(share: str, run_id: str | None = None) -> dict[str, Any]:
    """Download the PDFs of this share that are not there yet, at most forty, the newest papers first.

    One PDF every 15 seconds, as arXiv asks. What does not arrive is recorded and tried again at a later run.
    """
    from search.ingest import stages

    return stages.fetch(share, run=run_id)


@stage(pool=PAPERS)
def read(share: str, run_id: str | None = None) -> dict[str, Any]:
    """Read the PDFs of this share: sections, passages with their places on the page, references."""
    from search.ingest import stages

    return stages.read(share, run=run_id)


@stage(pool=PAPERS)
def link(share: str, run_id: str | None = None) -> dict[str, Any]:
    """Turn the references of this share's papers into citation edges."""
    from search.ingest import stages

    return stages.link(share, run=run_id)


@stage(pool=PAPERS)
def embed(share: str, run_id: str | None = None) -> dict[str, Any]:
    """Compute the vectors that this share's passages lack."""
    from search.ingest import stages

    return stages.embed(share, run=run_id)


@task_group
def papers(share: str) -> None:
    """Fetch, read, link and embed one share of the papers; the shares go side by side."""
    fetch(share) >> read(share) >> link(share) >> embed(share)
