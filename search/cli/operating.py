"""Commands that run the machinery: demo, index build|rebuild|check|compact, eval, doctor."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from search.cli import views
from search.cli.surface import Surface


def demo(surface: Surface) -> None:
    """Try everything on a small collection."""
    from search.demo.run import demo as run_demo

    with surface.progress() as progress:
        report = run_demo(surface.settings(), progress=progress)
    surface.show(report, lambda console: views.show_demo(console, report))


def build(surface: Surface) -> None:
    """Bring the index up to the lake; publish a first one."""
    with surface.library() as library, surface.progress() as progress:
        report = library.build(progress=progress)
    surface.show(report, lambda console: views.show_build(console, report))


def rebuild(
    surface: Surface,
    no_gate: Annotated[
        bool, typer.Option("--no-gate", help="Publish it even where it finds less than the live one.")
    ] = False,
) -> None:
    """Build a new index from the lake alone; publish it if it is as good, else exit 1."""
    with surface.library() as library, surface.progress() as progress:
        report = library.rebuild(gate=not no_gate, progress=progress)
    surface.show(report, lambda console: views.show_build(console, report))
    if not report.published:
        raise typer.Exit(1)


def rollback(
    surface: Surface,
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="NAME", help="Which index (else the newest that is not live)."),
    ] = None,
) -> None:
    """Go back to the index before, brought up to date; again: forward."""
    with surface.library() as library, surface.progress() as progress:
        report = library.rollback(to=to, progress=progress)
    surface.show(report, lambda console: views.show_publication(console, report))
    if not report.published:
        raise typer.Exit(1)


def check(surface: Surface) -> None:
    """Compare the index with the lake; exit 1 where they differ."""
    with surface.library() as library, surface.progress() as progress:
        report = library.check(progress=progress)
    surface.show(report, lambda console: views.show_check(console, report))
    if not report.sound:
        raise typer.Exit(1)


def compact(surface: Surface) -> None:
    """Merge the lake's old files into fewer ones."""
    with surface.library() as library:
        report = library.compact()
    surface.show(report, lambda console: views.show_compaction(console, report))


def eval_(
    surface: Surface,
    folder: Annotated[
        Path,
        typer.Argument(metavar="FOLDER", exists=True, file_okay=False, help="A folder in the BEIR layout."),
    ],
    run_folder: Annotated[
        Path | None,
        typer.Option("--run-folder", metavar="DIR", file_okay=False, help="Keep the TREC runs here."),
    ] = None,
) -> None:
    """Measure retrieval on a BEIR-style folder."""
    from search.evaluation import evaluate

    with surface.library() as library, surface.progress() as progress:
        report = evaluate(
            folder, library.settings, library.embedder(), run_folder=run_folder, progress=progress
        )
    measured = report.flat()
    surface.show(measured, lambda console: views.show_evaluation(console, measured))


def serve(
    surface: Surface,
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="Address to listen on.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", metavar="N", min=0, max=65535, help="Port; 0 takes a free one.")
    ] = 8000,
) -> None:
    """Answer over HTTP until interrupted."""
    from search.web.serve import serve as run_server

    def ready(url: str) -> None:
        listening = {"url": url}
        surface.show(listening, lambda console: console.print(f"Citewell answers at {url}; Ctrl-C ends it."))

    with surface.library() as library:
        run_server(library, host=host, port=port, ready=ready)


def doctor(
    surface: Surface,
    fix: Annotated[bool, typer.Option("--fix", help="Mend what can be mended.")] = False,
) -> None:
    """Look for trouble; exit 1 where some is left."""
    with surface.library() as library, surface.progress() as progress:
        report = library.doctor(fix=fix, progress=progress)
    surface.show(report, lambda console: views.show_doctor(console, report))
    if not report.sound:
        raise typer.Exit(1)
