"""The command that turns references into citation edges: link."""

from __future__ import annotations

from typing import Annotated

import typer

from search.cli import views
from search.cli.surface import Surface


def link(
    surface: Surface,
    source: Annotated[
        list[str] | None,
        typer.Option(
            "--source",
            metavar="NAME",
            help="Ask a service too: semantic-scholar, crossref, openalex (repeatable).",
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option("--limit", metavar="N", min=1, help="Ask each service for at most N works."),
    ] = None,
) -> None:
    """Turn the references of read papers into citation edges."""
    with surface.library() as library, surface.progress() as progress:
        report = library.link(sources=source or (), limit=limit, progress=progress)
    surface.show(report, lambda console: views.show_link(console, report))
