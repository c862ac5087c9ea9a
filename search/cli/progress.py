"""Progress on stderr: moving bars on a terminal, now and then a plain line elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from search.cli.text import shorten

if TYPE_CHECKING:
    from search.progress import Progress, ProgressSink

#: Seconds between two plain lines of one stage: a log of an hour's run stays readable.
PLAIN_INTERVAL = 10.0
#: What is left beside a bar on a terminal, and what a line of a log may hold.
_NOTE_LENGTH = 60
_LINE_LENGTH = 200
#: Seconds of a stage after which its pace says something.
_TELLING = 5.0


@contextmanager
def showing(stream: TextIO) -> Iterator[ProgressSink]:
    """Give a callback for `progress=` arguments; what it shows ends with the block."""
    if stream.isatty():
        with _bars(stream) as report:
            yield report
    else:
        yield _lines(stream)


@contextmanager
def _bars(stream: TextIO) -> Iterator[ProgressSink]:
    """One bar for each stage; a stage of unknown length pulses."""
    from rich import progress as rich_progress
    from rich.console import Console

    columns = (
        rich_progress.TextColumn("{task.description}", markup=False),
        rich_progress.BarColumn(bar_width=24),
        rich_progress.MofNCompleteColumn(),
        rich_progress.TimeElapsedColumn(),
        rich_progress.TextColumn("{task.fields[pace]}", markup=False),
        rich_progress.TextColumn("{task.fields[note]}", markup=False, style="dim"),
    )
    console = Console(file=stream, markup=False, highlight=False, emoji=False)
    tasks: dict[str, rich_progress.TaskID] = {}
    paces = _Paces()
    with rich_progress.Progress(*columns, console=console) as bars:

        def report(event: Progress) -> None:
            if event.stage not in tasks:
                tasks[event.stage] = bars.add_task(shorten(event.stage, 24), total=None, note="", pace="")
            bars.update(
                tasks[event.stage],
                completed=event.done,
                total=event.total,
                note=shorten(event.note, _NOTE_LENGTH),
                pace=paces.of(event, time.monotonic()),
            )

        yield report


def _lines(stream: TextIO) -> ProgressSink:
    """A line when a stage begins, when it is complete, and every `PLAIN_INTERVAL` seconds between."""
    last: dict[str, tuple[float, int]] = {}
    paces = _Paces()

    def report(event: Progress) -> None:
        now = time.monotonic()
        pace = paces.of(event, now)
        said, done = last.get(event.stage, (float("-inf"), -1))
        complete = event.total is not None and event.done >= event.total and done < event.total
        if not complete and now - said < PLAIN_INTERVAL:
            return
        last[event.stage] = (now, event.done)
        parts = [shorten(event.stage, 24), _count(event), pace, shorten(event.note, _LINE_LENGTH)]
        print(" ".join(part for part in parts if part), file=stream, flush=True)

    return report


def _count(event: Progress) -> str:
    """Return how far a stage is; nothing for one that counts nothing, such as a wait."""
    if event.total is None:
        return str(event.done) if event.done else ""
    return f"{event.done}/{event.total}"


class _Paces:
    """How fast each stage goes, from its first event on: a stage may begin in the middle of its work."""

    def __init__(self) -> None:
        self._began: dict[str, tuple[float, int]] = {}

    def of(self, event: Progress, now: float) -> str:
        """Return rate and time left at a moment, in seconds of any clock; nothing where they say little."""
        began, first = self._began.setdefault(event.stage, (now, event.done))
        if event.done < first:  # another round of the same stage
            began, first = self._began[event.stage] = (now, event.done)
        if event.total is None or now - began < _TELLING:
            return ""
        return pace(event.done - first, event.total - event.done, now - began)


def pace(done: int, left: int, seconds: float) -> str:
    """Return how fast work goes and how long the rest takes at that rate, in words.

    Args:
        done: pieces of work done in this time.
        left: pieces still to do.
        seconds: that they took.

    >>> pace(240, 4800, 60.0)
    '4.0/s, 20 min left'
    """
    if done <= 0 or seconds <= 0:
        return ""
    rate = done / seconds
    # Three digits at most before the point, and never 0.0.
    number, unit = (rate, "s") if rate >= 1 else (60 * rate, "min") if rate >= 1 / 60 else (3600 * rate, "h")
    told = f"{number:.1f}" if number < 10 else f"{number:,.0f}"
    return f"{told}/{unit}" + (f", {_duration(left / rate)} left" if left > 0 else "")


def _duration(seconds: float) -> str:
    """Return a duration in its two largest units."""
    whole = max(1, round(seconds))
    if whole < 60:
        return f"{whole} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 24:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    days, hours = divmod(hours, 24)
    return f"{days} d {hours} h" if hours else f"{days} d"
