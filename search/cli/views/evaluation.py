"""The view of `eval`: what was measured, one row a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from search.cli.text import counted, line


def show_evaluation(console: Console, report: Mapping[str, Any]) -> None:
    """Print an evaluation in its documented JSON form."""
    sizes = f"{counted(report['documents'], 'document')}, {counted(report['queries'], 'query', 'queries')}"
    console.print(Text(sizes, style="bold"))
    made = f"{line(report['model'])} · {line(report['store'])} · built in {report['build_seconds']:.1f} s"
    console.print(Text(made, style="dim"))
    runs: Mapping[str, Mapping[str, float]] = report["runs"]
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    table.add_column("run")
    names = list(dict.fromkeys(name for run in runs.values() for name in run))
    for name in names:
        table.add_column(line(name), justify="right")
    for run, measured in runs.items():
        table.add_row(line(run), *(_shown(name, measured.get(name)) for name in names))
    console.print(table)
    for note in report.get("notes", ()):
        console.print(Text(f"Note: {line(note)}", style="yellow"))


def _shown(name: str, value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.1f}" if name.endswith("_ms") else f"{value:.4f}"
