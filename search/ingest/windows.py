"""Windows of days: which are harvested, which are still open, and how a long range is cut.

A day is closed once a window that holds it was answered after it had ended. Everything here is a function
of dates; what was harvested comes from the lake's catalogue (`Catalogue.harvested`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from search.errors import UsageError

DAY = timedelta(days=1)
#: Days that a first harvest without dates looks back: a week is what a newcomer can watch arrive.
FIRST_HARVEST = timedelta(days=7)
#: A harvest goes back to the day before the last closed one: a server's datestamps may come late.
OVERLAP = timedelta(days=2)
#: Days in one piece of a long harvest. arXiv changes some 30,000 records a month, 12 pages: an
#: interruption, or a token that dies at midnight, costs no more than that.
LONGEST_PIECE = 31
#: Windows of one backfill: an Airflow task maps over at most 1,024 (`core.max_map_length`).
MOST_WINDOWS = 900
#: The purpose under which a backfill's windows are kept.
BACKFILL = "backfill"


@dataclass(frozen=True, slots=True, order=True)
class Window:
    """Days from `first` to `last`, both included."""

    first: date
    last: date

    @classmethod
    def parse(cls, key: str) -> Window:
        """Return the window that is written `2026-01-05_2026-01-06`; a day alone is a window too.

        Raises:
            UsageError: it is not written so, or ends before it begins.
        """
        first, _, last = key.partition("_")
        try:
            window = cls(date.fromisoformat(first), date.fromisoformat(last or first))
        except ValueError:
            raise UsageError(f"{key!r} is no window", advice="write 2026-01-05_2026-01-06") from None
        if window.last < window.first:
            raise UsageError(f"the window {key} ends before it begins", advice="swap the dates")
        return window

    def __str__(self) -> str:
        """Return the form that `parse` reads."""
        return f"{self.first.isoformat()}_{self.last.isoformat()}"

    @property
    def days(self) -> int:
        """How many days it has, at least 1."""
        return (self.last - self.first).days + 1


@dataclass(frozen=True, slots=True)
class Harvested:
    """One window that was harvested whole."""

    first: date
    #: None: to the newest record that there was.
    until: date | None
    response_date: datetime
    purpose: str = ""

    @property
    def closed(self) -> Window | None:
        """The days that this harvest closed; None for none, as when it began on the day it was asked."""
        before_answer = self.response_date.date() - DAY
        last = min(self.until, before_answer) if self.until else before_answer
        return Window(self.first, last) if last >= self.first else None


def harvested_window(row: tuple[str, str, str, str]) -> Harvested:
    """Return what a row of the catalogue says."""
    first, until, response_date, purpose = row
    return Harvested(
        date.fromisoformat(first),
        date.fromisoformat(until) if until else None,
        datetime.fromisoformat(response_date),
        purpose,
    )


def merged(windows: Iterable[Window]) -> list[Window]:
    """Return the same days as windows that neither overlap nor touch, in order."""
    whole: list[Window] = []
    for window in sorted(windows):
        if whole and window.first <= whole[-1].last + DAY:
            whole[-1] = Window(whole[-1].first, max(whole[-1].last, window.last))
        else:
            whole.append(window)
    return whole


def closed_days(harvested: Iterable[Harvested]) -> list[Window]:
    """Return all closed days."""
    return merged(window for one in harvested if (window := one.closed))


def next_day(harvested: Sequence[Harvested], today: date, *, snapshot: date | None = None) -> date:
    """Return where the next harvest without dates begins.

    A library is whole from the day on which its first harvest began, or its metadata snapshot ended if
    that was earlier. The first day since then that no harvest has closed is the hole to fill, whatever was
    harvested after it. A backfill closes days and moves nothing; neither does a look at earlier years.

    Args:
        harvested: what was harvested, in the order of the answers.
        today: the day it is.
        snapshot: the newest day in a metadata snapshot that was imported; it closes no day.
    """
    began = [window.first for one in harvested if one.purpose != BACKFILL and (window := one.closed)][:1]
    origin = min([*began, *([snapshot] if snapshot else [])], default=None)
    if origin is None:
        return today - FIRST_HARVEST
    closed = closed_days(harvested)
    hole = next((w.last + DAY for w in closed if w.first <= origin <= w.last), origin)
    # A server whose clock is ahead must not send us into the future.
    return min(hole - OVERLAP, today - DAY)


def pieces(
    first: date, until: date | None, today: date, *, closed: Sequence[Window] = ()
) -> list[tuple[date, date | None]]:
    """Cut a range into pieces that are harvested one after the other; the last is open where the range is.

    Args:
        first: its first day.
        until: its last day; None: to the newest record.
        today: the day it is.
        closed: days that need not be harvested again; a piece is left out if all of it is closed.
    """
    last = until or today
    cut: list[tuple[date, date | None]] = []
    while (last - first).days >= LONGEST_PIECE:
        end = first + timedelta(days=LONGEST_PIECE - 1)
        if not _covered(Window(first, end), closed):
            cut.append((first, end))
        first = end + DAY
    return [*cut, (first, until)]


def backfill_windows(
    first: date, until: date, *, closed: Sequence[Window] = (), most: int = MOST_WINDOWS
) -> list[Window]:
    """Cut a range into at most `most` windows: of a day where that is enough, else of equal length.

    Args:
        first: its first day.
        until: its last day, inclusive.
        closed: days to leave out; none to harvest everything again.
        most: how many windows at most.

    Raises:
        UsageError: the range ends before it begins, or no window is allowed.
    """
    if until < first or most < 1:
        raise UsageError(f"no window fits into {first} to {until}", advice="give the earlier day first")
    stretches = _stretches(Window(first, until), closed)
    while len(stretches) > most:  # more holes than windows: the shortest closed stretch is harvested again
        gap = min(range(1, len(stretches)), key=lambda i: stretches[i].first - stretches[i - 1].last)
        stretches[gap - 1 : gap + 1] = [Window(stretches[gap - 1].first, stretches[gap].last)]
    length = max(1, math.ceil(sum(s.days for s in stretches) / most))
    while sum(math.ceil(s.days / length) for s in stretches) > most:
        length += 1
    return [window for stretch in stretches for window in _cut(stretch, length)]


def _stretches(window: Window, closed: Sequence[Window]) -> list[Window]:
    """Return the parts of a window that are not closed."""
    left, first = [], window.first
    for done in merged(closed):
        if done.last < first or done.first > window.last:
            continue
        if done.first > first:
            left.append(Window(first, done.first - DAY))
        first = done.last + DAY
    return [*left, Window(first, window.last)] if first <= window.last else left


def _cut(window: Window, length: int) -> list[Window]:
    starts = [window.first + timedelta(days=n) for n in range(0, window.days, length)]
    return [Window(start, min(start + timedelta(days=length - 1), window.last)) for start in starts]


def _covered(window: Window, closed: Sequence[Window]) -> bool:
    return any(done.first <= window.first and window.last <= done.last for done in merged(closed))
