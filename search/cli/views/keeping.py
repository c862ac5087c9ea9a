"""The views of what takes papers out and brings them up to date: remove --tombstone, update."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from search.cli.text import counted, line
from search.cli.views.parts import bullets, heading
from search.ingest.takedown import TakedownReport


def show_takedowns(console: Console, reports: Sequence[TakedownReport]) -> None:
    """Print for each paper what is gone, what is left and why, and the copies that only a person deletes."""
    for report in reports:
        _show_takedown(console, report)


def _show_takedown(console: Console, report: TakedownReport) -> None:
    name = line(report.work_id)
    if report.left:
        console.print(Text(f"{name} is out of sight, and not all of it is gone yet", style="bold red"))
    else:
        console.print(Text(f"Nothing is left of {name}", style="bold"))
    console.print(
        f"{counted(len(report.rewritten), 'file')} written anew without it, {len(report.deleted):,} deleted; "
        f"{counted(len(report.generations), 'index generation')} cleared"
    )
    if report.to_embed_again:
        again = f"not computed again yet ({line(report.build_failed)}): run `citewell index build`"
        done = "computed again" if report.build else again
        console.print(
            f"{counted(report.to_embed_again, 'paper')} shared a file of vectors with it: those are {done}"
        )
    if report.left:
        console.print(heading("Left"))
        console.print(bullets(map(line, report.left)))
        console.print(f"Then run `citewell remove --tombstone {name}` once more.")
    if report.copies:
        console.print(heading("Snapshots that still hold it"))
        console.print(bullets(f"{line(c.name)} of {c.made:%Y-%m-%d %H:%M} UTC: {line(c.command)}"
                              for c in report.copies))  # fmt: skip
