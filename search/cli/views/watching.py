"""The views of saved searches and of what they found."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from search.cli.text import counted, line
from search.cli.views.parts import heading, indented
from search.ingest.watch import NewPaper, Watch, WatchReport

#: Characters of the passage that is shown of each paper.
SHOWN = 300


def show_watches(console: Console, watches: Sequence[Watch]) -> None:
    """Print each saved search with what it asks for."""
    if not watches:
        console.print("No search is saved: `citewell watch add NAME QUERY` saves one")
    for watch in watches:
        console.print(Text(line(watch.name), style="bold"))
        filters = watch.filters.model_dump(exclude_defaults=True)
        said = ", ".join(
            f"{name.replace('_', ' ')} {_value(value)}"
            for name, value in {"mode": watch.mode, "threshold": f"{watch.threshold:g}", **filters}.items()
        )
        console.print(indented(Text(line(watch.query)), 2))
        console.print(indented(Text(f"{said} · since {watch.added:%Y-%m-%d %H:%M} UTC", style="dim"), 2))


def show_news(console: Console, reports: Sequence[WatchReport]) -> None:
    """Print what each saved search found."""
    if not reports:
        console.print("No search is saved: `citewell watch add NAME QUERY` saves one")
    for report in reports:
        found = counted(len(report.papers), "new paper") if report.papers else "nothing new"
        console.print(heading(f"{line(report.name)}: {found} since {report.since:%Y-%m-%d %H:%M} UTC"))
        for paper in report.papers:
            _show(console, paper)
        if report.more:
            console.print(f"{report.more:,} more at the next run")


def _show(console: Console, paper: NewPaper) -> None:
    withdrawn = " (withdrawn)" if paper.withdrawn == "yes" else ""
    title = Text(f"{line(paper.title)}{withdrawn}", style="bold")
    console.print(Text.assemble(f"{paper.score:.2f}  ", title))
    authors = ", ".join(map(line, paper.authors[:3])) + (" et al." if paper.authors[3:] else "")
    card = [f"{paper.work_id}v{paper.version}", authors, str(paper.updated or ""), line(paper.url or "")]
    console.print(indented(Text(" · ".join(part for part in card if part), style="dim"), 6))
    text = line(paper.passage.text)
    console.print(indented(Text(text[:SHOWN] + ("…" if text[SHOWN:] else "")), 6))


def _value(value: object) -> str:
    return ", ".join(map(line, value)) if isinstance(value, tuple | list) else line(str(value))
