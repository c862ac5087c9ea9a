"""Commands that bring papers in, show them, keep them current and take them out; and parse."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from search.cli import options as o
from search.cli import views
from search.cli.surface import Surface
from search.cli.text import line
from search.errors import UsageError


def harvest(
    surface: Surface,
    from_: o.From = None,
    until: o.Until = None,
    set_: Annotated[
        str | None, typer.Option("--set", metavar="S", help="OAI-PMH set, such as cs or physics:hep-th.")
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option("--base-url", metavar="U", help="OAI-PMH endpoint (else CITEWELL_OAI_BASE_URL)."),
    ] = None,
    full_text: Annotated[
        bool, typer.Option("--full-text", help="Also fetch the PDFs that are missing (15 s each).")
    ] = False,
    snapshot: Annotated[
        Path | None,
        typer.Option(
            "--snapshot",
            metavar="FILE",
            exists=True,
            dir_okay=False,
            readable=True,
            help="Import arXiv's metadata snapshot (JSON lines, also .gz or .zip) instead.",
        ),
    ] = None,
) -> None:
    """Bring in new and changed metadata over OAI-PMH, or a snapshot of it from a file."""
    if snapshot:
        if from_ or until or set_ or base_url or full_text:
            raise typer.BadParameter("--snapshot goes with no other option: a file has no window")
        with surface.library() as library, surface.progress() as progress:
            taken = library.import_snapshot(snapshot, progress=progress)
        surface.show(taken, lambda console: views.show_snapshot(console, taken))
        return
    with surface.library() as library, surface.progress() as progress:
        report = library.harvest(
            from_=from_, until=until, set_=set_, base_url=base_url, full_text=full_text, progress=progress
        )
    surface.show(report, lambda console: views.show_harvest(console, report))


def fetch(
    surface: Surface,
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ID…]", help="Only these papers, whatever the selection says."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", metavar="N", min=1, help="Papers to fetch, or to tell of.")
    ] = None,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Say of each paper whether it gets full text and why; fetch none."),
    ] = False,
) -> None:
    """Fetch the PDFs that are missing and selected (15 s each)."""
    with surface.library() as library, surface.progress() as progress:
        if explain:
            choices = library.explain_selection(ids or None, limit=limit)
            surface.show(choices, lambda console: views.show_selection(console, choices))
            return
        report = library.fetch(ids or None, limit=limit, progress=progress)
    surface.show(report, lambda console: views.show_fetch(console, report))


def add(
    surface: Surface,
    ids: o.WorkIds,
    pdf: Annotated[
        Path | None,
        typer.Option(
            "--pdf",
            metavar="FILE",
            exists=True,
            dir_okay=False,
            readable=True,
            help="Take this PDF, fetch none (one ID only).",
        ),
    ] = None,
    lift: Annotated[
        bool, typer.Option("--lift", help="Let in again what was taken down by `remove --tombstone`.")
    ] = False,
) -> None:
    """Add papers by id; exit 1 where one could not be had."""
    if pdf and len(ids) != 1:
        raise typer.BadParameter("--pdf belongs to one paper: give one ID")
    with surface.library() as library, surface.progress() as progress:
        report = library.add(ids, pdf=pdf, lift=lift, progress=progress)
    surface.show(report, lambda console: views.show_add(console, report))
    stages = report.build.stages if report.build else ()
    named = {failed.work_id for stage in stages for failed in stage.failed}
    if named & set(report.added) or any(stage.failed for stage in report.stages):
        raise typer.Exit(1)


def list_(surface: Surface) -> None:
    """List the papers of the library."""
    with surface.library() as library:
        works = library.list()
    surface.show(works, lambda console: views.show_list(console, works))


def info(surface: Surface, id_: o.WorkId) -> None:
    """Show everything known of one paper."""
    with surface.library() as library:
        known = library.info(id_)
    surface.show(known, lambda console: views.show_info(console, known))


def update(
    surface: Surface,
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="ID…", help="Papers of the library; none: all of them.")
    ] = None,
    unpin: Annotated[
        bool, typer.Option("--unpin", help="Let pinned papers follow the newest version again (with IDs).")
    ] = False,
) -> None:
    """Ask arXiv for new versions of papers; exit 1 where one could not be asked for."""
    if unpin and not ids:
        raise typer.BadParameter("--unpin wants to know which papers: give their IDs")
    with surface.library() as library, surface.progress() as progress:
        report = library.update(ids or None, unpin=unpin, progress=progress)
    surface.show(report, lambda console: views.show_update(console, report))
    if report.failed or any(stage.failed for stage in report.stages):
        raise typer.Exit(1)


def remove(
    surface: Surface,
    ids: o.WorkIds,
    tombstone: Annotated[
        bool,
        typer.Option("--tombstone", help="Take down: delete every trace, for good; again: finish it."),
    ] = False,
) -> None:
    """Take papers out, against harvests too; `add` undoes it."""
    if tombstone:
        _take_down(surface, ids)
        return
    with surface.library() as library:
        for work_id in ids:
            library.remove(work_id)
    surface.show(
        {"removed": list(ids)}, lambda console: console.print(f"Removed {', '.join(map(line, ids))}.")
    )


def _take_down(surface: Surface, ids: list[str]) -> None:
    """Take papers down one after the other; exit 1 where something of one is left."""
    with surface.library() as library, surface.progress() as progress:
        reports = [library.take_down(work_id, progress=progress) for work_id in ids]
    surface.show({"taken_down": reports}, lambda console: views.show_takedowns(console, reports))
    if any(report.left for report in reports):
        raise typer.Exit(1)


def parse(
    surface: Surface,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE.pdf",
            exists=True,
            dir_okay=False,
            readable=True,
            help="A PDF on disk; nothing is stored.",
        ),
    ],
    picture: Annotated[
        Path | None,
        typer.Option(
            "--picture",
            metavar="OUT.png",
            dir_okay=False,
            help="Draw the first pages with the passages' boxes.",
        ),
    ] = None,
    page: Annotated[
        list[int] | None, typer.Option("--page", metavar="N", help="Draw this page; may be given again.")
    ] = None,
    quote: Annotated[
        str, typer.Option("--quote", metavar="TEXT", help="Draw the page that says this, and mark it.")
    ] = "",
    layout: Annotated[
        bool,
        typer.Option("--layout", help="Ask pymupdf's layout model about each page as well: 1-3 pages/s."),
    ] = False,
) -> None:
    """Show what the reader makes of one PDF."""
    from search.documents import read_pdf

    if (page or quote) and not picture:
        raise UsageError("--page and --quote say what to draw", advice="say where with --picture OUT.png")
    paper = read_pdf(file, layout=layout)
    if picture:
        from search.documents.pictures import draw

        draw(file, paper, picture, pages=page or (), quote=quote)
    surface.show(paper, lambda console: views.show_paper(console, paper))
