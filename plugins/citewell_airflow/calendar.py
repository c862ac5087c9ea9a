"""When arXiv announces, and when what it announced can be harvested.

Announcements are at 20:00 US Eastern from Sunday to Thursday, but for holidays; the OAI datestamps follow
at about 22:30, so 23:30 finds all of them. A holiday is a weekday on which nothing is taken in: there is
no announcement that evening, and after a Friday none on Sunday.
Sources: https://info.arxiv.org/help/availability.html; arXiv's `is_publish_day` in its own code.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo

#: arXiv's offices are in Ithaca, New York. Both changes of time are at 2 in the morning: 23:30 is there
#: once on every day.
EASTERN = ZoneInfo("America/New_York")
HARVEST = time(23, 30)
DAY = timedelta(days=1)
FRIDAY, SATURDAY, SUNDAY = 4, 5, 6


@cache
def holidays() -> frozenset[date]:
    """Return the published holidays."""
    return frozenset(date.fromisoformat(f"{year}-{day}") for year, days in _years().items() for day in days)


def known_until() -> date:
    """Return the last day for which holidays are known.

    After it every day of the week counts as it usually does: a run on a holiday finds an empty window, and
    is over in seconds.
    """
    return date(max(int(year) for year in _years()), 12, 31)


def announces(day: date) -> bool:
    """Return whether arXiv announces on the evening of a day (US Eastern)."""
    if day.weekday() in {FRIDAY, SATURDAY} or day in holidays():
        return False
    return not (day.weekday() == SUNDAY and day - 2 * DAY in holidays())


def harvest_at(day: date) -> datetime:
    """Return the moment of a day (US Eastern) at which its announcement can be harvested, in UTC."""
    return datetime.combine(day, HARVEST, EASTERN).astimezone(UTC)


def first_from(moment: datetime) -> datetime:
    """Return the first harvest at or after a moment, in UTC."""
    day = moment.astimezone(EASTERN).date()
    while not announces(day) or harvest_at(day) < moment:
        day += DAY
    return harvest_at(day)


def last_until(moment: datetime) -> datetime:
    """Return the last harvest at or before a moment, in UTC."""
    day = moment.astimezone(EASTERN).date()
    while not announces(day) or harvest_at(day) > moment:
        day -= DAY
    return harvest_at(day)


@cache
def _years() -> Mapping[str, list[str]]:
    table = json.loads(Path(__file__).with_name("holidays.json").read_text(encoding="utf-8"))
    years: Mapping[str, list[str]] = table["years"]
    return years
