"""What `link` prints on a terminal."""

from __future__ import annotations

from rich.console import Console

from search.ingest.reports import LinkReport


def show_link(console: Console, report: LinkReport) -> None:
    """Print what was done and what the lake now holds of citations."""
    for stage in report.stages:
        console.print(f"{stage.stage}: {stage.done:,} papers in {stage.seconds:.1f} s")
    held = ", ".join(f"{source} {count:,}" for source, count in sorted(report.edges.items()))
    console.print(f"Edges by source: {held}" if held else "No paper of the library cites anything yet.")
    console.print("`citewell index build` brings them into the index.")
