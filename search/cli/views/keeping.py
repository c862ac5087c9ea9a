"""The views of what takes papers out and brings them up to date: remove --tombstone, update."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from search.cli.text import counted, line
from search.cli.views.parts import bullets, failure, heading
from search.cli.views.stages import show_build
from search.ingest.takedown import TakedownReport
from search.ingest.versions import Change, UpdateReport

WITHDRAWALS = {"yes": "withdrawn", "suspected": "perhaps withdrawn", "no": "no longer withdrawn"}


def show_takedowns(console: Console, reports: Sequence[TakedownReport]) -> None:
    """Print for each paper what is gone, what is left and why, and the copies that only a person deletes."""
    for report in reports:
        _show_takedown(console, report)


def show_update(console: Console, report: UpdateReport) -> None:
    """Print which papers have changed and how, and which pinned ones have a newer version."""
    news = counted(len(report.changes), "paper") if report.changes else "no paper"
    console.print(Text(f"Asked for {counted(report.asked, 'paper')}: {news} changed", style="bold"))
    if report.changes:
        console.print(bullets(_change(change) for change in report.changes))
    if report.behind:
        console.print(heading("Pinned, and arXiv has a newer version"))
        console.print(
            bullets(f"{line(c.work_id)}v{c.now}, newest v{c.newest}: {line(c.title)}" for c in report.behind)
        )
        console.print("`citewell update ID --unpin` lets one follow the newest.")
    failed = [*report.failed, *(failed for stage in report.stages for failed in stage.failed)]
    if failed:
        console.print(heading(f"Failed ({len(failed):,})"))
        console.print(bullets(failure(paper) for paper in failed))
    if report.build:
        show_build(console, report.build)


def _change(change: Change) -> str:
    """Return what is new of one paper, on one line."""
    said = []
    if change.now != change.before:
        said.append(f"version {change.before} → {change.now}")
    if change.withdrawn != change.withdrawn_before:
        said.append(
            {"yes": "withdrawn", "suspected": "perhaps withdrawn", "no": "no longer withdrawn"}[
                change.withdrawn
            ]
        )
    said += [name.replace("_", " ") for name in change.fields if name != "pinned"]
    if "pinned" in change.fields:
        said.append("pinned" if change.pinned else "no longer pinned")
    return f"{line(change.work_id)} ({', '.join(said)}): {line(change.title)}"


def _show_takedown(console: Console, report: TakedownReport) -> None:
    name = line(report.work_id)
    if report.left:
        console.print(Text(f"{name} is out of sight, and not all of it is gone yet", style="bold red"))
    else:
        console.print(Text(f"Nothing is left of {name}", style="bold"))
    console.print(
        f"{counted(len(report.rewritten), 'file')} written anew without it, {len(report.deleted):,} deleted; "
        f"{counted(len(report.generations), 'index generation')} cleared"
    )
    if report.to_embed_again:
        again = f"not computed again yet ({line(report.build_failed)}): run `citewell index build`"
        done = "computed again" if report.build else again
        console.print(
            f"{counted(report.to_embed_again, 'paper')} shared a file of vectors with it: those are {done}"
        )
    if report.left:
        console.print(heading("Left"))
        console.print(bullets(map(line, report.left)))
        console.print(f"Then run `citewell remove --tombstone {name}` once more.")
    if report.copies:
        console.print(heading("Snapshots that still hold it"))
        console.print(bullets(f"{line(c.name)} of {c.made:%Y-%m-%d %H:%M} UTC: {line(c.command)}"
                              for c in report.copies))  # fmt: skip
