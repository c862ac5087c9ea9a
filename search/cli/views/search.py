"""The view of `search`, `semantic` and `similar`: ranked papers, and why each is there."""

from __future__ import annotations

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from search.cli.text import counted, line
from search.cli.views.parts import card, indented, place, quoted
from search.models import Hit, MatchedPassage, SearchResult

#: A snippet of three lines on a terminal of 80 columns.
SNIPPET = 220
_SIGNALS = (
    ("words", "bm25_score", 2),
    ("meaning", "vector_score", 3),
    ("graph", "graph_score", 3),
    ("recency", "recency_score", 3),
    ("rerank", "rerank_score", 3),
)


def show_result(console: Console, result: SearchResult, *, explain: bool = False) -> None:
    """Print the hits, then one line on what the search did; with `explain` everything it knows."""
    if result.message:
        console.print(Text(line(result.message), style="yellow"))
    elif not result.hits:
        console.print(Text(f"{result.outcome.capitalize()}.", style="yellow"))
    if result.hits:
        width = len(str(result.hits[-1].rank))
        grid = Table.grid(padding=(0, 2))
        grid.add_column(justify="right", min_width=width, no_wrap=True)
        grid.add_column()
        for hit in result.hits:
            grid.add_row(Text(str(hit.rank), style="bold"), _hit(hit, explain=explain))
        console.print(grid)
    console.print(Text(_summary(result), style="dim"))
    if explain:
        console.print(Text(_stages(result), style="dim"))


def _hit(hit: Hit, *, explain: bool) -> Group:
    parts: list[RenderableType] = [
        Text(line(hit.title), style="bold"),
        card(hit),
        Text(why(hit), style="cyan"),
    ]
    if explain and hit.categories:
        parts.append(Text(" ".join(line(c) for c in hit.categories), style="dim"))
    if explain and hit.url:
        parts.append(Text(line(hit.url), style="dim"))
    shown = hit.passages if explain else hit.passages[:1]
    parts += [_passage(passage, explain=explain) for passage in shown]
    return Group(*parts, Text(""))


def why(hit: Hit) -> str:
    """Return the scores that put a hit where it is, those that had a part in it."""
    parts = [f"relative score {hit.final_score:.3f}"]
    for name, field, digits in _SIGNALS:
        score = getattr(hit, field)
        if score is not None:
            parts.append(f"{name} {score:.{digits}f}")
    if hit.graph_distance:
        parts.append(f"{counted(hit.graph_distance, 'citation step')} away")
    return " · ".join(parts)


def _passage(passage: MatchedPassage, *, explain: bool) -> RenderableType:
    where = place(passage.section, passage.page)
    if not explain:
        shown = Text(f"{where}: ", style="dim")
        return shown.append_text(quoted(passage.text, SNIPPET)) if passage.text else shown.append(passage.cut)
    leg = "words" if passage.leg == "lexical" else "meaning"
    head = Text(f"{line(passage.passage_id)} · {where} · {leg} {passage.score:.3f}", style="dim")
    note = [indented(Text(passage.cut, style="dim"))] if passage.cut else []
    return Group(head, indented(quoted(passage.text)), *note)


def _summary(result: SearchResult) -> str:
    metrics = result.metrics
    parts = [f"{counted(metrics.hits, 'hit')} in {counted(metrics.works, 'paper')}", result.mode]
    if "total" in metrics.milliseconds:
        parts.append(f"{metrics.milliseconds['total']:.0f} ms")
    if result.mode != "lexical" and metrics.semantic_coverage < 1 and metrics.works:
        share = f"{metrics.semantic_coverage:.0%}"
        parts.append(f"{share} of the passages are embedded (citewell index build does the rest)")
    return " · ".join(parts)


def _stages(result: SearchResult) -> str:
    times = " · ".join(f"{stage} {ms:.1f} ms" for stage, ms in result.metrics.milliseconds.items())
    return " · ".join(
        p for p in (times, f"generation {line(result.generation)}" if result.generation else "") if p
    )
