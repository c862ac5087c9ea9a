"""Which errors a task is run again for, and when: as the error itself says."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from airflow.sdk.definitions.retry_policy import RetryDecision, RetryPolicy

from search.errors import CitewellError

if TYPE_CHECKING:
    from airflow.sdk.definitions.context import Context

#: A server that asks for longer is asked again by the next run.
LONGEST = timedelta(hours=6)


class AsTheErrorSays(RetryPolicy):
    """Wait as long as the server asked, fail at once where trying again cannot help, else back off.

    An error that is none of Citewell's own (memory, a bug) is retried like any other task's.
    """

    def evaluate(
        self,
        exception: BaseException,
        try_number: int,  # noqa: ARG002 - Airflow's signature
        max_tries: int,  # noqa: ARG002
        context: Context | None = None,  # noqa: ARG002
    ) -> RetryDecision:
        """Decide by the error's own `retryable` and `retry_after`."""
        if not isinstance(exception, CitewellError):
            return RetryDecision.default()
        if not exception.retryable:
            return RetryDecision.fail(reason=f"{exception.code}: trying again cannot help")
        asked: float | None = getattr(exception, "retry_after", None)
        if asked is None:
            return RetryDecision.default()
        delay = timedelta(seconds=asked)
        if delay > LONGEST:
            return RetryDecision.fail(reason=f"the server asked to wait {delay}: the next run will ask again")
        return RetryDecision.retry(delay=delay, reason=f"the server asked to wait {asked:g} s")

    def serialize(self) -> dict[str, Any]:
        """Return nothing: there is only one."""
        return {}

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> AsTheErrorSays:  # noqa: ARG003 - Airflow's signature
        """Return the policy."""
        return cls()
