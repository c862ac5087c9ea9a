"""The view of `ask`: the answer, each claim with its verbatim quotes, and how sure we are."""

from __future__ import annotations

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from search.cli.text import counted, line
from search.cli.views.parts import CONFIDENCE_STYLES, bullets, card, heading, indented, place, quoted
from search.models import Answer, Citation, Claim, DroppedClaim


def show_answer(console: Console, answer: Answer, *, explain: bool = False) -> None:
    """Print the answer; with `explain` also the dropped claims, the plan and what confidence rests on."""
    numbers = {r.work_id: r.rank for r in answer.references}
    parts: list[RenderableType] = [Text(line(answer.answer_summary), style="bold")]
    if answer.claims:
        parts.append(heading("Claims"))
        parts += [_claim(claim, numbers) for claim in answer.claims]
    parts += [Text(""), _confidence(answer)]
    if answer.dropped_claims and not explain:
        parts.append(Text(_dropped_count(answer), style="dim"))
    for name, items in (
        ("Limitations", answer.limitations),
        ("Gaps", answer.gaps),
        ("Contradictions", [f"{c.about}: {c.claims[0]} / {c.claims[1]}" for c in answer.contradictions]),
        (
            "Cited, but not in the library",
            [f"{d.cited} (by {', '.join(d.cited_by)})" for d in answer.discoveries],
        ),
        ("Try instead", answer.refinements),
    ):
        if items:
            parts += [heading(name), bullets(items)]
    if explain:
        parts += _explained(answer)
    if answer.references:
        parts += [heading("References" if answer.claims else "Closest papers"), _references(answer)]
    console.print(Group(*parts))


def _claim(claim: Claim, numbers: dict[str, int]) -> Group:
    """A claim with its marks, and under it what each mark stands for; a verbatim claim is its own quote."""
    cited = [_citation(citation, numbers) for citation in claim.supporting_citations]
    if any(citation.quote == claim.text for citation in claim.supporting_citations):
        return Group(*map(indented, cited))
    marks = "".join(dict.fromkeys(_mark(c, numbers) for c in claim.supporting_citations))
    text = Text(f"{line(claim.text)} ").append(marks, style="cyan")
    if claim.support == "partial":
        text.append(" (partly supported)", style="yellow")
    return Group(indented(text), *(indented(quote, 4) for quote in cited))


def _mark(citation: Citation, numbers: dict[str, int]) -> str:
    return f"[{numbers.get(citation.work_id) or line(citation.work_id)}]"


def _citation(citation: Citation, numbers: dict[str, int]) -> Text:
    where = place(citation.section, citation.page)
    pinned = ", pinned version" if citation.status == "pinned" else ""
    source = f"{line(citation.work_id)}v{citation.version}, {where}{pinned}"
    return (
        Text(f"{_mark(citation, numbers)} ", style="cyan")
        .append_text(quoted(citation.quote))
        .append(f" {source}", style="dim")
    )


def _confidence(answer: Answer) -> Text:
    word = answer.confidence.replace("_", " ")
    return Text("Confidence: ", style="bold").append(word, style=CONFIDENCE_STYLES[answer.confidence])


def _dropped_count(answer: Answer) -> str:
    return f"{counted(len(answer.dropped_claims), 'claim')} dropped by the verifier (--explain lists them)"


def _explained(answer: Answer) -> list[RenderableType]:
    parts: list[RenderableType] = []
    if answer.dropped_claims:
        parts += [heading("Dropped claims"), *(indented(_dropped(d)) for d in answer.dropped_claims)]
    if answer.confidence_factors:
        factors = ", ".join(f"{line(k)} {_number(v)}" for k, v in answer.confidence_factors.items())
        parts += [heading("Confidence rests on"), indented(Text(factors))]
    if answer.plan:
        parts += [heading("Plan"), bullets(answer.plan)]
    cost = answer.cost
    usd = "unknown price" if cost.usd is None else f"${cost.usd:.4f}"
    bill = f"{cost.prompt_tokens:,} + {cost.completion_tokens:,} tokens, {usd}"
    made = f"{answer.route} · {bill} · generation {line(answer.generation)} · trace {line(answer.trace_id)}"
    return [*parts, Text(""), Text(made, style="dim")]


def _dropped(claim: DroppedClaim) -> Text:
    text = Text(f"{claim.reason}: ", style="red").append(line(claim.text))
    return text.append(f" ({line(claim.evidence)})", style="dim") if claim.evidence else text


def _number(value: float | str) -> str:
    return f"{value:.2f}" if isinstance(value, float) else line(str(value))


def _references(answer: Answer) -> Table:
    grid = Table.grid(padding=(0, 1))
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column()
    for reference in answer.references:
        lines: list[RenderableType] = [Text(line(reference.title)), card(reference)]
        if reference.url:
            lines.append(Text(line(reference.url), style="dim"))
        grid.add_row(Text(f"  [{reference.rank}]", style="cyan"), Group(*lines))
    return grid
