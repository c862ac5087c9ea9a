"""The view of the demo: a tour in the order in which it went."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from search.cli.text import counted, line
from search.cli.views.answer import show_answer
from search.cli.views.parts import bullets, heading
from search.cli.views.search import show_result
from search.cli.views.stages import show_build, show_harvest
from search.demo.run import HOPS, SHOWN, DemoReport


def show_demo(console: Console, report: DemoReport) -> None:
    """Print what was harvested, read and indexed, the searches, the answers, and what to do next."""
    console.print(heading("1  Harvest: records over OAI-PMH, from a small arXiv on this machine"))
    show_harvest(console, report.harvest)
    console.print(heading("2  Fetch, read, link, index"))
    console.print(
        Text(
            f"{counted(report.own_papers, 'demo paper')} of our own, read in full, with "
            f"{counted(report.citations, 'citation')} inside the collection; "
            f"{counted(report.real_papers, 'real paper')}, each known by a summary, which is no evidence"
        )
    )
    show_build(console, report.build)
    console.print(heading("3  Search: by words, by meaning, along citations"))
    for result in report.searches:
        _command(console, "search", result.query, f" --limit {SHOWN} --hops {HOPS}")
        show_result(console, result)
    console.print(heading("4  Ask: every sentence is quoted from a paper, and the quote was checked"))
    for answer in report.answers:
        _command(console, "ask", answer.question)
        show_answer(console, answer)
    console.print(heading("What next"))
    console.print(bullets(report.next_steps))
    console.print(Text(f"\nThe demo took {report.seconds:.0f} s.", style="dim"))


def _command(console: Console, name: str, words: str, flags: str = "") -> None:
    console.print(Text(f'\n$ citewell {name} "{line(words)}"{flags}', style="bold cyan"))
