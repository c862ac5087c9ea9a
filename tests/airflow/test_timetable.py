"""arXiv's calendar and the timetable over it: time changes, holidays, what Airflow asks of a timetable."""

from __future__ import annotations

import importlib
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytestmark = pytest.mark.filterwarnings("default::DeprecationWarning", "default::PendingDeprecationWarning")

MONDAY = date(2026, 5, 4)


@pytest.fixture(scope="module")
def calendar(plugins: Path) -> ModuleType:
    """The calendar, which needs nothing of Airflow."""
    return importlib.import_module("citewell_airflow.calendar")


@pytest.fixture(scope="module")
def timetable(plugins: Path) -> Any:
    """The timetable."""
    return importlib.import_module("citewell_airflow.timetable").ArxivAnnouncements()


def runs(timetable: Any, start: datetime, count: int) -> list[datetime]:
    """The next runs from a moment on, each asked for as Airflow does after the one before."""
    from airflow.timetables.base import TimeRestriction
    from pendulum import instance

    restriction = TimeRestriction(earliest=instance(start), latest=None, catchup=True)
    found, last = [], None
    for _ in range(count):
        info = timetable.next_dagrun_info(last_automated_data_interval=last, restriction=restriction)
        assert info is not None
        found.append(info.run_after)
        last = info.data_interval
    return found


# ---------------------------------------------------------------- the calendar
def test_a_week(calendar: ModuleType):
    """arXiv announces from Sunday to Thursday."""
    week = [MONDAY + timedelta(days=n) for n in range(7)]
    assert [calendar.announces(day) for day in week] == [True, True, True, True, False, False, True]


@pytest.mark.parametrize(
    ("day", "announced"),
    [
        (date(2025, 12, 25), False),  # Christmas Day, a Thursday
        (date(2025, 12, 28), True),  # the Sunday after it: the Friday between was none
        (date(2025, 7, 4), False),  # a Friday
        (date(2025, 7, 6), False),  # the Sunday after it
        (date(2026, 7, 3), False),  # a Friday
        (date(2026, 7, 5), False),  # the Sunday after it
        (date(2026, 7, 6), True),
        (date(2026, 11, 26), False),  # Thanksgiving
        (date(2026, 12, 27), False),  # Sunday after the Friday of the winter break
        (date(2027, 12, 23), True),  # beyond what is known, every week is an ordinary one
    ],
)
def test_holidays(calendar: ModuleType, day: date, announced: bool):
    """On a holiday nothing is announced, and after a holiday on a Friday nothing on Sunday."""
    assert calendar.announces(day) is announced


def test_holidays_are_days_on_which_arxiv_would_announce(calendar: ModuleType):
    """Each day of the table stands under its year, once, and none is a Saturday."""
    days = sorted(calendar.holidays())
    assert len(days) == len(set(days)) >= 28
    assert all(day.weekday() != 5 for day in days)
    assert days[-1] <= calendar.known_until() == date(days[-1].year, 12, 31)


@pytest.mark.parametrize(
    ("day", "utc"),
    [
        (date(2026, 3, 5), "2026-03-06T04:30"),  # the Thursday before the clocks go forward: 23:30 EST
        (date(2026, 3, 8), "2026-03-09T03:30"),  # the Sunday on which they did: 23:30 EDT
        (date(2026, 10, 29), "2026-10-30T03:30"),
        (date(2026, 11, 1), "2026-11-02T04:30"),
    ],
)
def test_time_changes(calendar: ModuleType, day: date, utc: str):
    """It stays 23:30 in New York when the clocks change, and becomes another hour in UTC."""
    assert calendar.harvest_at(day) == datetime.fromisoformat(f"{utc}+00:00")


@given(moment=st.datetimes(datetime(2023, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001
def test_before_and_after_any_moment(calendar: ModuleType, moment: datetime):
    """The harvests around a moment are on both sides of it, and the same where it is one itself."""
    before, after = calendar.last_until(moment), calendar.first_from(moment)
    assert before <= moment <= after
    assert calendar.first_from(before) == before == calendar.last_until(before)
    assert after - before <= timedelta(days=8)
    assert before == after or calendar.first_from(before + timedelta(microseconds=1)) == after


# ---------------------------------------------------------------- the timetable
def test_a_year_of_runs(timetable: Any, calendar: ModuleType):
    """Over a year Airflow gets every announcement once, in order, over both time changes and all holidays."""
    found = runs(timetable, datetime(2026, 1, 1, tzinfo=UTC), 240)
    days = [moment.in_timezone("America/New_York") for moment in found]
    assert all((day.hour, day.minute) == (23, 30) for day in days)
    expected = [date(2025, 12, 31) + timedelta(days=n) for n in range(400)]
    # 2025-12-31 at 23:30 in New York is the first moment after midnight UTC of the new year.
    assert [day.date() for day in days] == [d for d in expected if calendar.announces(d)][:240]
    assert all(first < second for first, second in pairwise(found))


def test_without_catch_up_the_newest_is_due(timetable: Any, calendar: ModuleType):
    """After an outage the newest announcement that was missed is run at once, and only that one."""
    from airflow.timetables.base import DataInterval, TimeRestriction
    from pendulum import instance

    now = datetime.now(UTC)
    restriction = TimeRestriction(earliest=instance(now - timedelta(days=400)), latest=None, catchup=False)
    long_ago = DataInterval.exact(instance(now - timedelta(days=30)))
    due = timetable.next_dagrun_info(last_automated_data_interval=long_ago, restriction=restriction)
    assert due.run_after == calendar.last_until(now) == due.logical_date
    coming = timetable.next_dagrun_info(
        last_automated_data_interval=due.data_interval, restriction=restriction
    )
    assert coming.run_after == calendar.first_from(now + timedelta(microseconds=1)) > now
    first = timetable.next_dagrun_info(last_automated_data_interval=None, restriction=restriction)
    assert first == due


def test_it_stops_where_the_dag_ends(timetable: Any):
    """After the DAG's end date there is no run."""
    from airflow.timetables.base import TimeRestriction
    from pendulum import instance

    start = instance(datetime(2026, 5, 2, tzinfo=UTC))
    for end, is_due in ((datetime(2026, 5, 3, tzinfo=UTC), False), (datetime(2026, 5, 5, tzinfo=UTC), True)):
        restriction = TimeRestriction(earliest=start, latest=instance(end), catchup=True)
        info = timetable.next_dagrun_info(last_automated_data_interval=None, restriction=restriction)
        assert (info is not None) is is_due


def test_a_run_by_hand_is_of_its_moment(timetable: Any):
    """A run by hand covers no days of its own: the lake knows what is missing."""
    from pendulum import datetime as moment

    at = moment(2026, 5, 4, 12)
    interval = timetable.infer_manual_data_interval(run_after=at)
    assert interval.start == interval.end == at


def test_it_survives_airflows_serialisation(timetable: Any):
    """Airflow stores it with a DAG and gets the same one back, found by the plugin that registers it."""
    from airflow.serialization.decoders import decode_timetable
    from airflow.serialization.encoders import encode_timetable
    from airflow.timetables.base import Timetable

    encoded = encode_timetable(timetable)
    assert encoded["__type"] == "citewell_airflow.timetable.ArxivAnnouncements"
    again = decode_timetable(encoded)
    assert type(again) is type(timetable)
    assert isinstance(again, Timetable)
    start = datetime(2026, 2, 1, tzinfo=UTC)
    assert runs(again, start, 60) == runs(timetable, start, 60)
