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
        rich_progress.TextColumn("{task.fields[note]}", markup=False, style="dim"),
    )
    console = Console(file=stream, markup=False, highlight=False, emoji=False)
    tasks: dict[str, rich_progress.TaskID] = {}
    with rich_progress.Progress(*columns, console=console) as bars:

        def report(event: Progress) -> None:
            if event.stage not in tasks:
                tasks[event.stage] = bars.add_task(shorten(event.stage, 24), total=None, note="")
            bars.update(
                tasks[event.stage],
                completed=event.done,
                total=event.total,
                note=shorten(event.note, _NOTE_LENGTH),
            )

        yield report


def _lines(stream: TextIO) -> ProgressSink:
    """A line when a stage begins, when it is complete, and every `PLAIN_INTERVAL` seconds between."""
    last: dict[str, tuple[float, int]] = {}

    def report(event: Progress) -> None:
        now = time.monotonic()
        said, done = last.get(event.stage, (float("-inf"), -1))
        complete = event.total is not None and event.done >= event.total and done < event.total
        if not complete and now - said < PLAIN_INTERVAL:
            return
        last[event.stage] = (now, event.done)
        parts = [shorten(event.stage, 24), _count(event), shorten(event.note, _LINE_LENGTH)]
        print(" ".join(part for part in parts if part), file=stream, flush=True)

    return report


def _count(event: Progress) -> str:
    """Return how far a stage is; nothing for one that counts nothing, such as a wait."""
    if event.total is None:
        return str(event.done) if event.done else ""
    return f"{event.done}/{event.total}"
