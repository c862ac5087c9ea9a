"""The view of what became of a generation that was to be published: a rebuild, a rollback."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from search.cli.text import counted, line
from search.cli.views.parts import bullets
from search.ingest.reports import PublishReport


def show_publication(console: Console, report: PublishReport) -> None:
    """Print whether it is live, what it was measured by, and why it is not."""
    if report.published:
        console.print(Text(f"Generation {line(report.generation)} is live", style="bold green"))
    else:
        console.print(Text(f"Generation {line(report.generation)} was not published", style="bold red"))
        console.print(bullets([line(reason) for reason in report.refused]))
        stays = f"{line(report.former)} stays live" if report.former else "Nothing is live"
        gate_alone = bool(report.gate and not report.gate.held)
        console.print(stays + ("; `index rebuild --no-gate` publishes this one" if gate_alone else ""))
    console.print(
        f"{counted(report.works, 'paper')}, {counted(report.passages, 'passage')}, "
        f"{counted(report.vectors, 'vector')}"
    )
    for measured in report.gate.measured if report.gate else ():
        live = "" if measured.live is None else f", live {measured.live:.4f}"
        queries = counted(measured.queries, "query", "queries")
        console.print(f"{line(measured.measure)}: {measured.new:.4f}{live} ({queries})")
    notes = (*(report.gate.notes if report.gate else ()), *report.notes)
    if notes:
        console.print(bullets([line(note) for note in dict.fromkeys(notes)]), style="yellow")
