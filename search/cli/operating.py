"""Commands that run the machinery: demo, index build|rebuild|check, eval, doctor."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from search.cli.surface import Surface


def demo(surface: Surface) -> None:
    """Try everything on a small collection."""
    from search.cli.views.demo import show_demo
    from search.demo.run import demo as run_demo

    with surface.progress() as progress:
        report = run_demo(surface.settings(), progress=progress)
    surface.show(report, show_demo)


def build(surface: Surface) -> None:
    """Bring the index up to the lake; publish a first one."""
    from search.cli.views.stages import show_build

    with surface.library() as library, surface.progress() as progress:
        report = library.build(progress=progress)
    surface.show(report, show_build)


def rebuild(surface: Surface) -> None:
    """Build a new index from the lake alone, then publish it."""
    from search.cli.views.stages import show_build

    with surface.library() as library, surface.progress() as progress:
        report = library.rebuild(progress=progress)
    surface.show(report, show_build)


def check(surface: Surface) -> None:
    """Compare the index with the lake; exit 1 where they differ."""
    from search.cli.views.stages import show_check

    with surface.library() as library, surface.progress() as progress:
        report = library.check(progress=progress)
    surface.show(report, show_check)
    if not report.sound:
        raise typer.Exit(1)


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
    from search.cli.views.evaluation import show_evaluation
    from search.evaluation import evaluate

    with surface.library() as library, surface.progress() as progress:
        report = evaluate(
            folder, library.settings, library.embedder(), run_folder=run_folder, progress=progress
        )
    surface.show(report.flat(), show_evaluation)


def doctor(
    surface: Surface,
    fix: Annotated[bool, typer.Option("--fix", help="Mend what can be mended.")] = False,
) -> None:
    """Look for trouble; exit 1 where some is left."""
    from search.cli.views.stages import show_doctor

    with surface.library() as library, surface.progress() as progress:
        report = library.doctor(fix=fix, progress=progress)
    surface.show(report, show_doctor)
    if not report.sound:
        raise typer.Exit(1)
