"""Progress on stderr: counts, rate and time left."""

from __future__ import annotations

import io

import pytest

from search.cli import progress as shown
from search.cli.progress import pace, showing
from search.progress import Progress


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still until it is set."""
    now = [100.0]
    monkeypatch.setattr(shown.time, "monotonic", lambda: now[0])
    return now


@pytest.mark.parametrize(
    ("done", "left", "seconds", "told"),
    [
        (240, 4800, 60.0, "4.0/s, 20 min left"),
        (1500, 300, 1.0, "1,500/s, 1 s left"),
        (30, 45, 60.0, "30/min, 2 min left"),
        (2, 4, 7200.0, "1.0/h, 4 h left"),
        (100, 90_000, 100.0, "1.0/s, 1 d 1 h left"),
        (100, 5_400, 100.0, "1.0/s, 1 h 30 min left"),
        (100, 0, 10.0, "10/s"),
        (0, 10, 10.0, ""),
    ],
)
def test_rate_and_time_left_are_told_in_fitting_units(done, left, seconds, told):
    """Fast work by the second, slow work by the minute or hour; nothing is left of what is done."""
    assert pace(done, left, seconds) == told


def test_a_log_says_how_fast_a_stage_goes_and_how_long_it_takes(clock):
    """Each plain line of a stage with a known end has its rate and the time left, once they say something."""
    stream = io.StringIO()
    with showing(stream) as report:
        report(Progress("read", 0, 1000))
        clock[0] += 60
        report(Progress("read", 120, 1000, "2401.00001v1"))
        clock[0] += 60
        report(Progress("read", 1000, 1000))
    assert stream.getvalue().splitlines() == [
        "read 0/1000",
        "read 120/1000 2.0/s, 7 min left 2401.00001v1",
        "read 1000/1000 8.3/s",
    ]


def test_what_was_done_before_does_not_count(clock):
    """A stage that goes on where it stopped is as fast as it is now; one that begins anew is counted anew."""
    stream = io.StringIO()
    with showing(stream) as report:
        report(Progress("index", 900, 1000))
        clock[0] += 20
        report(Progress("index", 920, 1000))
        clock[0] += 20
        report(Progress("index", 0, 50))
        clock[0] += 20
        report(Progress("index", 40, 50))
    assert stream.getvalue().splitlines() == [
        "index 900/1000",
        "index 920/1000 1.0/s, 1 min left",
        "index 0/50",
        "index 40/50 2.0/s, 5 s left",
    ]


def test_without_a_known_end_nothing_is_foretold(clock):
    """A wait or a harvest of unknown length has its count and its note alone."""
    stream = io.StringIO()
    with showing(stream) as report:
        report(Progress("harvest", 0, None))
        clock[0] += 60
        report(Progress("harvest", 500, None, "2026-01-01"))
    assert stream.getvalue().splitlines() == ["harvest", "harvest 500 2026-01-01"]


def test_a_terminal_shows_the_pace_beside_the_bar(clock):
    """On a terminal rate and time left stand in the bar's line."""

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    stream = Terminal()
    with showing(stream) as report:
        report(Progress("read", 0, 1000))
        clock[0] += 60
        report(Progress("read", 120, 1000))
    assert "2.0/s, 7 min left" in stream.getvalue()
