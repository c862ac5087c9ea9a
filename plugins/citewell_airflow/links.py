"""Buttons on a task's page: to the papers that it was about, and to its events in Kibana."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from airflow.sdk import BaseOperatorLink

if TYPE_CHECKING:
    from airflow.sdk import BaseOperator

#: One paper, and several of them as arXiv's API lists them.
ABS = "https://arxiv.org/abs/"
LISTING = "https://export.arxiv.org/api/query?id_list="


class PapersLink(BaseOperatorLink):
    """The papers that the task's result names, on arXiv."""

    name = "Papers on arXiv"

    def get_link(self, operator: BaseOperator, *, ti_key: Any) -> str:  # noqa: ARG002 - Airflow's signature
        """Return the address; empty where the task was about no paper."""
        from airflow.sdk.execution_time.xcom import XCom

        result = XCom.get_one(
            key="return_value",
            dag_id=ti_key.dag_id,
            task_id=ti_key.task_id,
            run_id=ti_key.run_id,
            map_index=ti_key.map_index,
        )
        return papers_url(result.get("papers", []) if isinstance(result, dict) else [])


class KibanaLink(BaseOperatorLink):
    """The ingest events of the task's run, in Kibana."""

    name = "Events in Kibana"

    def get_link(self, operator: BaseOperator, *, ti_key: Any) -> str:  # noqa: ARG002 - Airflow's signature
        """Return the address; empty where `CITEWELL_KIBANA_URL` is not set."""
        from search.settings import read_settings

        settings = read_settings()
        return events_url(settings.kibana_url, settings.index_prefix, ti_key.run_id)


def papers_url(ids: list[str]) -> str:
    """Return where these papers can be looked at; empty for none.

    >>> papers_url(["2401.00001"]), papers_url(["2401.00001", "math/0501170"])[-25:]
    ('https://arxiv.org/abs/2401.00001', '2401.00001,math/0501170')
    """
    if len(ids) < 2:
        return ABS + ids[0] if ids else ""
    return LISTING + quote(",".join(ids), safe=",/") + f"&max_results={len(ids)}"


def events_url(kibana: str, prefix: str, run: str) -> str:
    """Return Kibana's Discover page for the events of one run; empty where there is no Kibana."""
    if not kibana:
        return ""
    query = quote(f'run:"{run}"', safe="")
    return (
        f"{kibana.rstrip('/')}/app/discover#/?_g=(time:(from:now-90d,to:now))"
        f"&_a=(dataSource:(dataViewId:{prefix}-events,type:dataView),query:(language:kuery,query:'{query}'))"
    )
