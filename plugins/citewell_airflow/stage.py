"""`@stage`: a task that is one call into `search.ingest.stages`, and what all of them have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from inspect import getdoc
from typing import Any, ClassVar

from airflow.providers.standard.operators.python import PythonOperator
from airflow.sdk.bases.decorator import DecoratedOperator, TaskDecorator, task_decorator_factory

from citewell_airflow.failures import write_failure
from citewell_airflow.links import KibanaLink, PapersLink
from citewell_airflow.retries import AsTheErrorSays

#: Where the error does not say when to try again, it is after Airflow's own pause
#: (AIRFLOW__CORE__DEFAULT_TASK_RETRY_DELAY, 5 minutes), then twice as long each time: 2.6 hours in all.
#: What lasts longer is for the next run.
COMMON: dict[str, Any] = {
    "retries": 5,
    "retry_exponential_backoff": 2.0,
    "max_retry_delay": timedelta(hours=2),
}


class StageOperator(DecoratedOperator, PythonOperator):
    """A Python task with links to the papers and to Kibana."""

    custom_operator_name = "stage"
    template_fields: Sequence[str] = ("op_args", "op_kwargs")
    template_fields_renderers: ClassVar[dict[str, str]] = {"op_args": "py", "op_kwargs": "py"}
    operator_extra_links = (PapersLink(), KibanaLink())

    def __init__(
        self,
        *,
        python_callable: Callable[..., Any],
        op_args: Sequence[Any],
        op_kwargs: dict[str, Any],
        **kwargs: Any,
    ) -> None:
        upstream = {"python_callable": python_callable, "op_args": op_args, "op_kwargs": op_kwargs}
        super().__init__(
            kwargs_to_upstream=upstream,
            python_callable=python_callable,
            op_args=op_args,
            op_kwargs=op_kwargs,
            **kwargs,
        )


def stage(**options: Any) -> Callable[[Callable[..., Any]], TaskDecorator]:
    """Make a function a task, with retries, failure record and its docstring as documentation.

    Args:
        **options: Airflow's own, over those that all stages have.
    """

    def decorate(function: Callable[..., Any]) -> TaskDecorator:
        return task_decorator_factory(
            python_callable=function,
            multiple_outputs=False,
            decorated_operator_class=StageOperator,
            retry_policy=AsTheErrorSays(),
            on_failure_callback=write_failure,
            doc_md=getdoc(function),
            **{**COMMON, **options},
        )

    return decorate
