"""Commands about saved searches: watch add, list, run, remove."""

from __future__ import annotations

from typing import Annotated

import typer

from search.cli import options as o
from search.cli import views
from search.cli.surface import Surface
from search.cli.text import line

Name = Annotated[str, typer.Argument(metavar="NAME", help="What to call it.")]
Names = Annotated[list[str] | None, typer.Argument(metavar="NAME…", help="Which ones (else all).")]


def watch_add(
    surface: Surface,
    name: Name,
    query: o.Query,
    mode: o.ModeOption = "hybrid",
    threshold: Annotated[
        float,
        typer.Option("--threshold", metavar="T", help="Lowest score; 1 is the library's best paper for it."),
    ] = 0.6,
    year_from: o.YearFrom = None,
    year_to: o.YearTo = None,
    category: o.Categories = None,
    author: o.Authors = None,
    licence: o.Licences = None,
    withdrawn: o.WithdrawnOption = "include",
) -> None:
    """Save a search, to be told what is new; replaces one of its name."""
    from search.models import Filters

    filters = Filters(
        year_from=year_from,
        year_to=year_to,
        categories=tuple(category or ()),
        authors=tuple(author or ()),
        licences=tuple(chosen.value for chosen in licence or ()),
        withdrawn=withdrawn,
    )
    with surface.library() as library:
        watch = library.watch_add(name, " ".join(query), filters=filters, mode=mode, threshold=threshold)
    surface.show(watch, lambda console: views.show_watches(console, [watch]))


def watch_list(surface: Surface) -> None:
    """List the saved searches."""
    with surface.library() as library:
        watches = library.watches()
    surface.show(watches, lambda console: views.show_watches(console, watches))


def watch_remove(surface: Surface, name: Name) -> None:
    """Forget a saved search."""
    with surface.library() as library:
        library.watch_remove(name)
    surface.show({"removed": name}, lambda console: console.print(f"Forgot {line(name)}."))


def watch_run(
    surface: Surface,
    names: Names = None,
    reader: Annotated[
        str, typer.Option("--reader", metavar="R", help="Who is told: what one was told is new to another.")
    ] = "me",
) -> None:
    """Show what is new since the last run; nothing is shown twice."""
    with surface.library() as library, surface.progress() as progress:
        library.watch_run(
            names or None,
            reader=reader,
            deliver=lambda reports: surface.show(
                list(reports), lambda console: views.show_news(console, reports)
            ),
            progress=progress,
        )
