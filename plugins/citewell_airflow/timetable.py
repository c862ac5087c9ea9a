"""The timetable of arXiv's announcements."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from airflow.timetables.base import DagRunInfo, DataInterval, Timetable
from pendulum import DateTime, instance

from citewell_airflow.calendar import first_from, known_until, last_until

if TYPE_CHECKING:
    from airflow.timetables.base import TimeRestriction

INSTANT = timedelta(microseconds=1)


class ArxivAnnouncements(Timetable):
    """A run after each of arXiv's announcements: 23:30 US Eastern, Sunday to Thursday, but for holidays.

    The data interval is the moment itself: what a run harvests is decided by the lake, which knows its
    closed days, so that a run that was missed leaves no hole and one started by hand is as good.
    Without catch-up the newest announcement is run at once, when the DAG is switched on or comes back from
    an outage, and those before it not at all.
    """

    description = "After each announcement of arXiv: 23:30 US Eastern, Sunday to Thursday, but for holidays"

    @property
    def summary(self) -> str:
        """What the list of DAGs shows."""
        return "arXiv announcements"

    def serialize(self) -> dict[str, Any]:
        """Return nothing: the calendar stands in a file beside this module."""
        return {}

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> ArxivAnnouncements:  # noqa: ARG003 - Airflow's signature
        """Return a timetable; there is only one."""
        return cls()

    def infer_manual_data_interval(self, *, run_after: DateTime) -> DataInterval:
        """Return the moment for which a run was asked."""
        return DataInterval.exact(run_after)

    def next_dagrun_info(
        self, *, last_automated_data_interval: DataInterval | None, restriction: TimeRestriction
    ) -> DagRunInfo | None:
        """Return the run after the last one, or with `catchup` off the newest that is due."""
        earliest: list[datetime] = []
        if last_automated_data_interval is not None:
            earliest.append(first_from(last_automated_data_interval.end + INSTANT))
        if restriction.earliest is not None:
            earliest.append(first_from(restriction.earliest))
        if not restriction.catchup or not earliest:
            earliest.append(last_until(datetime.now(UTC)))
        run_at = max(earliest)
        if restriction.latest is not None and run_at > restriction.latest:
            return None
        return DagRunInfo.exact(instance(run_at))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}, holidays known until {known_until()}>"
