"""The views of `list` and `info`: the library's papers, and one of them whole."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from search.cli.text import counted, line
from search.cli.views.parts import bullets, failure, heading, indented, marks, names
from search.library import WorkInfo, WorkSummary
from search.models import Work


def show_list(console: Console, works: Sequence[WorkSummary]) -> None:
    """Print one line for each paper, then how many there are and what the library holds of them."""
    if not works:
        console.print("The library is empty: `citewell harvest` or `citewell add ID` brings papers in.")
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("id", no_wrap=True)
    table.add_column("year", justify="right", no_wrap=True)
    table.add_column("holds", no_wrap=True)
    table.add_column("title and authors", ratio=1)
    for work in works:
        title = Text(line(work.title))
        for mark, style in marks(work):
            title.append(f" [{mark}]", style=style)
        for failed in work.failed:
            title.append(f" [{line(failed)}]", style="yellow")
        if work.authors:
            title.append(f" · {names(work.authors)}", style="dim")
        version = f"{line(work.work_id)}v{work.version}"
        table.add_row(Text(version, style="bold"), str(work.year or "-"), work.holds, title)
    console.print(table)
    full = sum(work.holds == "full text" for work in works)
    console.print(Text(f"{counted(len(works), 'paper')}, {full:,} with full text", style="dim"))


def show_info(console: Console, info: WorkInfo) -> None:
    """Print the paper's card, its abstract, outline, citations in both directions, and what went wrong."""
    work = info.work
    console.print(Text(line(work.title), style="bold"))
    console.print(Text(", ".join(line(author) for author in work.authors), style="dim"))
    if info.note:
        console.print(Text(line(info.note), style="yellow"))
    console.print(_facts(info))
    if work.abstract:
        console.print(heading("Abstract"))
        console.print(indented(Text(line(work.abstract))))
    if info.sections:
        console.print(heading(f"Outline ({counted(info.passages, 'passage')})"))
        for section in info.sections:
            title = " ".join(part for part in (section.number, line(section.title)) if part)
            console.print(indented(Text(f"{title} · p. {section.page}"), 2 * section.level))
    for name, ids in (("Cites", info.cites), ("Cited by", info.cited_by)):
        if ids:
            console.print(heading(f"{name} ({len(ids):,} in the library)"))
            console.print(indented(Text(", ".join(line(work_id) for work_id in ids))))
    if info.failures:
        console.print(heading("What failed"))
        console.print(bullets(failure(failed) for failed in info.failures))


def _facts(info: WorkInfo) -> Table:
    """Name and value of each fact that is known."""
    work = info.work
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column()
    for name, value in _named(info, work):
        if value:
            grid.add_row(name, Text(line(value)))
    for mark, style in marks(work):
        grid.add_row("mark", Text(mark, style=style))
    return grid


def _named(info: WorkInfo, work: Work) -> list[tuple[str, str]]:
    versions = f" of {len(work.versions)}" if len(work.versions) > 1 else ""
    return [
        ("id", f"{work.work_id}, version {work.version}{versions}"),
        ("published", str(work.published or "")),
        ("updated", str(work.updated or "")),
        ("categories", " ".join(work.categories)),
        ("licence", " ".join(part for part in (work.licence_class, work.licence or "") if part)),
        ("journal", work.journal_ref or ""),
        ("doi", work.doi or ""),
        ("comments", work.comments or ""),
        ("url", work.url or ""),
        ("holds", info.holds),
        ("references", f"{len(info.references):,}" if info.references else ""),
    ]
