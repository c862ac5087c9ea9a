"""Which days are closed, where the next harvest begins, and how long ranges are cut."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.errors import UsageError
from search.ingest.windows import (
    BACKFILL,
    LONGEST_PIECE,
    MOST_WINDOWS,
    Harvested,
    Window,
    backfill_windows,
    closed_days,
    merged,
    next_day,
    pieces,
)

TODAY = date(2026, 11, 22)


def day(number, month=11):
    return date(2026, month, number)


def harvested(first, until, answered, purpose=""):
    """A window of November harvested whole at noon of a day."""
    at = datetime(2026, 11, answered, 12, tzinfo=UTC)
    return Harvested(day(first), until and day(until), at, purpose)


def test_a_new_library_looks_back_a_week():
    """Without any harvest the first one begins a week ago."""
    assert next_day([], TODAY) == day(15)


def test_daily_harvests_follow_each_other():
    """Each begins on the day before the last closed one, also after the second of one day."""
    assert next_day([harvested(10, None, 17), harvested(15, None, 21)], TODAY) == day(19)
    assert next_day([harvested(10, None, 17), harvested(15, None, 22)], TODAY) == day(20)


def test_an_outage_is_harvested_whole():
    """After a week without a harvest the next one begins where the last one ended."""
    assert next_day([harvested(8, None, 14)], TODAY) == day(12)


@pytest.mark.parametrize("later", [harvested(20, 21, 22), harvested(21, None, 22), harvested(19, 20, 22)])
def test_a_later_window_hides_no_outage(later):
    """What was harvested by hand after an outage, bounded or open, does not close the days before it."""
    assert next_day([harvested(8, None, 14), later], TODAY) == day(12)


def test_a_hole_that_is_filled_is_none():
    """Once the missing days are closed, the next harvest goes on from the newest ones."""
    before = [harvested(8, None, 14), harvested(20, None, 22)]
    assert next_day([*before, harvested(14, 19, 22)], TODAY) == day(20)


def test_a_look_at_another_year_moves_nothing():
    """A window of 2019 harvested by hand does not send the daily harvest back to 2019."""
    old = Harvested(date(2019, 1, 1), date(2019, 1, 7), datetime(2026, 11, 22, 13, tzinfo=UTC))
    assert next_day([harvested(8, None, 22), old], TODAY) == day(20)


def test_a_backfill_decides_nothing_and_closes_its_days():
    """A backfill that was first does not make the daily harvest do its work; what it closed is closed."""
    first = Harvested(date(2005, 9, 16), date(2005, 9, 30), datetime(2026, 11, 1, tzinfo=UTC), BACKFILL)
    assert next_day([first], TODAY) == day(15)
    assert next_day([first, harvested(8, None, 14), harvested(14, 19, 21, BACKFILL)], TODAY) == day(18)


def test_a_snapshot_says_where_to_begin():
    """After a snapshot the harvest begins two days before its newest update; days it closes none."""
    assert next_day([], TODAY, snapshot=day(2)) == date(2026, 10, 31)
    recent = [harvested(20, None, 22)]
    assert next_day(recent, TODAY, snapshot=day(2)) == date(2026, 10, 31)
    assert next_day([*recent, harvested(1, 19, 22)], TODAY, snapshot=day(2)) == day(20)


def test_a_server_that_is_ahead_sends_nobody_into_the_future():
    """A responseDate of another year closes no day that has not come."""
    ahead = Harvested(day(1), None, datetime(2099, 1, 1, tzinfo=UTC))
    assert next_day([ahead], TODAY) == day(21)


def test_the_day_of_the_answer_stays_open():
    """Today's answer closes yesterday; a window that begins today closes nothing."""
    assert harvested(20, None, 22).closed == Window(day(20), day(21))
    assert harvested(20, 22, 22).closed == Window(day(20), day(21))
    assert harvested(22, None, 22).closed is None


@pytest.mark.parametrize("key", ["2026-01-05_2026-01-06", "2026-01-05_2026-01-05"])
def test_keys_are_read_as_they_are_written(key):
    """A window's key names it; a day alone is a window too."""
    assert str(Window.parse(key)) == key
    assert Window.parse("2026-01-05").days == 1


@pytest.mark.parametrize("key", ["", "today", "2026-01-06_2026-01-05", "2026-01-05_open", "2026-13-01"])
def test_keys_that_name_no_window(key):
    """What is no window is refused by name."""
    with pytest.raises(UsageError):
        Window.parse(key)


def test_years_are_cut_into_at_most_900_windows():
    """arXiv from its first datestamp on is 900 windows or fewer, without a gap; a month is days."""
    first = date(2005, 9, 16)
    windows = backfill_windows(first, TODAY)
    assert len(windows) <= MOST_WINDOWS
    assert (windows[0].first, windows[-1].last) == (first, TODAY)
    assert merged(windows) == [Window(first, TODAY)]
    assert [w.days for w in backfill_windows(day(1), day(30))] == [1] * 30


def test_closed_days_are_left_out():
    """A backfill that broke off goes on with the days that are open."""
    closed = closed_days([harvested(3, 5, 20, BACKFILL), harvested(6, 6, 20), harvested(29, None, 30)])
    assert [str(w) for w in backfill_windows(day(2), day(8), closed=closed)] == [
        "2026-11-02_2026-11-02", "2026-11-07_2026-11-07", "2026-11-08_2026-11-08",
    ]  # fmt: skip
    assert backfill_windows(day(3), day(6), closed=closed) == []
    with pytest.raises(UsageError):
        backfill_windows(day(6), day(3))


DAYS = st.dates(date(2020, 1, 1), date(2023, 1, 1))
RANGES = st.tuples(DAYS, DAYS).map(lambda ends: Window(min(ends), max(ends)))


def days_of(windows):
    return {w.first + timedelta(days=n) for w in windows for n in range(w.days)}


@given(RANGES, st.lists(RANGES.filter(lambda w: w.days < 200), max_size=12), st.integers(1, 40))
def test_no_open_day_is_lost(whole, closed, most):
    """However the range, what is closed and how few windows: every open day is in exactly one window."""
    windows = backfill_windows(whole.first, whole.last, closed=closed, most=most)
    assert len(windows) <= most
    assert sum(w.days for w in windows) == len(days_of(windows))
    assert days_of([whole]) - days_of(closed) <= days_of(windows) <= days_of([whole])


@given(DAYS, st.one_of(st.none(), DAYS), st.lists(RANGES, max_size=4))
def test_pieces_hold_every_open_day(first, until, closed):
    """A long harvest is cut without a gap; only pieces that are closed as a whole are left out."""
    today = date(2023, 1, 2)
    if until and until < first:
        return
    cut = pieces(first, until, today, closed=closed)
    assert cut[-1][1] == until
    bounded = [Window(start, end or today) for start, end in cut]
    assert all(w.days <= LONGEST_PIECE for w in bounded)
    wanted = Window(first, until or today)
    assert days_of([wanted]) - days_of(closed) <= days_of(bounded) <= days_of([wanted])
