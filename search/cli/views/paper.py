"""The view of `parse`: what the reader made of one PDF."""

from __future__ import annotations

from collections import Counter

from rich.console import Console
from rich.table import Table
from rich.text import Text

from search.cli.text import counted, line, shorten
from search.cli.views.parts import bullets, heading, indented
from search.models import ReadPaper, Reference

#: References shown before the rest is counted; JSON has them all.
REFERENCES_SHOWN = 10


def show_paper(console: Console, paper: ReadPaper) -> None:
    """Print the outline with the passages of each section, the references, and how far to trust it all."""
    quality = paper.quality
    console.print(Text(line(paper.title) or "(no title found)", style="bold"))
    console.print(
        Text(
            f"{counted(quality.pages, 'page')} · {counted(quality.characters, 'character')} · "
            f"{quality.readable:.0%} readable · read by {line(paper.reader)}",
            style="dim",
        )
    )
    if quality.notes:
        console.print(bullets(quality.notes))
    console.print(
        heading(
            f"Outline ({counted(len(paper.sections), 'section')}, {counted(len(paper.passages), 'passage')})"
        )
    )
    console.print(_outline(paper))
    if paper.references:
        console.print(heading(f"References ({len(paper.references):,})"))
        for reference in paper.references[:REFERENCES_SHOWN]:
            console.print(indented(_reference(reference)))
        more = len(paper.references) - REFERENCES_SHOWN
        if more > 0:
            console.print(indented(Text(f"and {more:,} more (--json has all)", style="dim")))


def _outline(paper: ReadPaper) -> Table:
    """One line for each section: page, title, passages that begin in it."""
    passages = Counter(passage.section for passage in paper.passages)
    grid = Table.grid(padding=(0, 2))
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column()
    grid.add_column(justify="right", no_wrap=True)
    for section in paper.sections:
        title = " ".join(p for p in (section.number, line(section.title)) if p)
        text = Text("  " * (section.level - 1) + title, style="bold" if section.level == 1 else "")
        count = passages[" > ".join(section.path or (section.title,))]
        grid.add_row(
            Text(f"  p. {section.page}", style="dim"),
            text,
            Text(counted(count, "passage") if count else "", style="dim"),
        )
    return grid


def _reference(reference: Reference) -> Text:
    text = Text(f"[{line(reference.label or str(reference.ordinal))}] ", style="cyan").append(
        shorten(reference.raw, 160)
    )
    known = reference.arxiv_id or reference.doi or reference.url
    return text.append(f" → {line(known)}", style="green") if known else text
