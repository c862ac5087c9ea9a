"""Commands that find papers and answer questions: search, semantic, similar, ask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from search.cli import options as o
from search.cli import views
from search.cli.surface import Surface

if TYPE_CHECKING:
    from search.models import Filters


def search(
    surface: Surface,
    query: o.Query,
    *,
    limit: o.Limit = 10,
    threshold: o.Threshold = None,
    year_from: o.YearFrom = None,
    year_to: o.YearTo = None,
    category: o.Categories = None,
    author: o.Authors = None,
    id_: o.Ids = None,
    licence: o.Licences = None,
    withdrawn: o.WithdrawnOption = "include",
    mode: o.ModeOption = "hybrid",
    hops: o.Hops = 0,
    explain: o.Explain = False,
) -> None:
    """Find papers by words and by meaning."""
    filters = _filters(
        year_from=year_from,
        year_to=year_to,
        categories=category,
        authors=author,
        ids=id_,
        licences=licence,
        withdrawn=withdrawn,
    )
    _search(
        surface,
        " ".join(query),
        limit=limit,
        threshold=threshold,
        filters=filters,
        mode=mode,
        hops=hops,
        explain=explain,
    )


def semantic(
    surface: Surface,
    query: o.Query,
    *,
    limit: o.Limit = 10,
    threshold: o.Threshold = None,
    year_from: o.YearFrom = None,
    year_to: o.YearTo = None,
    category: o.Categories = None,
    author: o.Authors = None,
    id_: o.Ids = None,
    licence: o.Licences = None,
    withdrawn: o.WithdrawnOption = "include",
    hops: o.Hops = 0,
    explain: o.Explain = False,
) -> None:
    """Find papers by meaning alone (search --mode semantic)."""
    filters = _filters(
        year_from=year_from,
        year_to=year_to,
        categories=category,
        authors=author,
        ids=id_,
        licences=licence,
        withdrawn=withdrawn,
    )
    _search(
        surface,
        " ".join(query),
        limit=limit,
        threshold=threshold,
        filters=filters,
        mode="semantic",
        hops=hops,
        explain=explain,
    )


def similar(
    surface: Surface,
    id_: o.WorkId,
    *,
    limit: o.Limit = 10,
    year_from: o.YearFrom = None,
    year_to: o.YearTo = None,
    category: o.Categories = None,
    author: o.Authors = None,
    licence: o.Licences = None,
    withdrawn: o.WithdrawnOption = "include",
    hops: o.Hops = 0,
    explain: o.Explain = False,
) -> None:
    """Find papers like one that the library holds."""
    filters = _filters(
        year_from=year_from,
        year_to=year_to,
        categories=category,
        authors=author,
        ids=None,
        licences=licence,
        withdrawn=withdrawn,
    )
    with surface.library() as library:
        result = library.similar(id_, limit=limit, filters=filters, hops=hops)
    surface.show(result, lambda console: views.show_result(console, result, explain=explain))


def ask(
    surface: Surface,
    question: o.Question,
    *,
    year_from: o.YearFrom = None,
    year_to: o.YearTo = None,
    category: o.Categories = None,
    author: o.Authors = None,
    id_: o.Ids = None,
    licence: o.Licences = None,
    withdrawn: o.WithdrawnOption = "include",
    llm: Annotated[
        str | None,
        typer.Option(
            "--llm",
            metavar="MODEL",
            help="Language model in litellm's notation (else CITEWELL_LLM_MODEL, else verbatim sentences).",
        ),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show the plan and the claims that were dropped.")
    ] = False,
) -> None:
    """Answer a question with quotes that were checked."""
    filters = _filters(
        year_from=year_from,
        year_to=year_to,
        categories=category,
        authors=author,
        ids=id_,
        licences=licence,
        withdrawn=withdrawn,
    )
    with surface.library() as library:
        answer = library.ask(" ".join(question), filters=filters, llm=llm)
    surface.show(answer, lambda console: views.show_answer(console, answer, explain=explain))


def _search(
    surface: Surface,
    query: str,
    *,
    limit: int,
    threshold: float | None,
    filters: Filters,
    mode: o.Mode,
    hops: int,
    explain: bool,
) -> None:
    with surface.library() as library:
        result = library.search(
            query, limit=limit, filters=filters, mode=mode, hops=hops, threshold=threshold
        )
    surface.show(result, lambda console: views.show_result(console, result, explain=explain))


def _filters(
    *,
    year_from: int | None,
    year_to: int | None,
    categories: list[str] | None,
    authors: list[str] | None,
    ids: list[str] | None,
    licences: list[o.Licence] | None,
    withdrawn: o.Withdrawn,
) -> Filters:
    from search.arxiv.identifiers import parse
    from search.models import Filters

    return Filters(
        year_from=year_from,
        year_to=year_to,
        categories=tuple(categories or ()),
        authors=tuple(authors or ()),
        ids=tuple(parse(text).work_id for text in ids) if ids else None,
        licences=tuple(licence.value for licence in licences or ()),
        withdrawn=withdrawn,
    )
