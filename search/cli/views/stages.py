"""The views of what fills, changes and examines a library: harvest, add, index build and check, doctor."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from search.cli.text import counted, line
from search.cli.views.parts import bullets, failure, heading, indented
from search.cli.views.publishing import show_publication
from search.ingest.doctor import DoctorReport
from search.ingest.reports import (
    BuildReport,
    CheckReport,
    FailedPaper,
    HarvestReport,
    SnapshotReport,
    StageReport,
)
from search.ingest.selection import SelectionReport
from search.lake.compaction import Compaction
from search.library import AddReport

#: Failures and differences listed before the rest is counted; JSON has them all.
LISTED = 20
FINDING_STYLES = {"good": "green", "note": "yellow", "bad": "bold red"}


def show_harvest(console: Console, report: HarvestReport) -> None:
    """Print what a harvest brought and which records could not be read."""
    window = f"{report.from_ or 'the beginning'} to {report.until or 'today'}"
    of = f", set {line(report.set)}" if report.set else ""
    console.print(
        Text(
            f"{counted(report.records, 'record')} ({report.new:,} new) from {line(report.base_url)}{of}",
            style="bold",
        )
    )
    console.print(
        Text(f"{window} · {counted(report.pages, 'page')} · {_seconds(report.seconds)}", style="dim")
    )
    if report.stages:
        console.print(_stages(report.stages))
    _failures(console, "Records that could not be read", report.unreadable)
    _notes(console, report.notes)
    for stage in report.stages:
        _failures(console, f"Failed: {stage.stage}", stage.failed)


def show_snapshot(console: Console, report: SnapshotReport) -> None:
    """Print what a metadata snapshot brought, and which of its lines could not be read."""
    console.print(
        Text(
            f"{counted(report.records, 'record')} ({report.new:,} new in this run) from {line(report.file)}",
            style="bold",
        )
    )
    before = f" · {report.resumed_lines:,} before" if report.resumed_lines else ""
    console.print(
        Text(f"{counted(report.lines, 'line')} read{before} · {_seconds(report.seconds)}", style="dim")
    )
    if report.newest:
        console.print(f"The newest update is of {report.newest}: `citewell harvest` goes on from there")
    if report.unreadable_lines:
        console.print(heading(f"Lines that could not be read ({report.unreadable_lines:,})"))
        listed = [f"line {bad.line:,}: {line(bad.message)}" for bad in report.unreadable[:LISTED]]
        more = report.unreadable_lines - len(listed)
        console.print(bullets([*listed, *([f"and {more:,} more"] if more else [])]))


def show_fetch(console: Console, report: StageReport) -> None:
    """Print how many PDFs came, which did not and why, and how many were left for later."""
    console.print(Text(f"{counted(report.done, 'PDF')} fetched in {_seconds(report.seconds)}", style="bold"))
    if report.waiting:
        console.print(
            f"{counted(report.waiting, 'paper')} left for later: `citewell fetch --explain` says why"
        )
    _failures(console, "Failed; tried again at later runs", report.failed)


def show_selection(console: Console, report: SelectionReport) -> None:
    """Print of each paper whether it gets full text, and why."""
    given = f"The selection {line(report.file)}" if report.file else "No selection is set: every paper"
    budget = "" if report.budget is None else f", a budget of {counted(report.budget, 'paper')}"
    console.print(Text(f"{given}{budget}; {counted(report.holding, 'paper')} with a PDF", style="bold"))
    console.print(" · ".join(f"{line(name)} {count:,}" for name, count in report.counts.items()))
    for choice in report.choices:
        mark = Text("+ " if choice.fetch else "  ", style="green")
        console.print(mark.append(f"{line(choice.work_id)} {line(choice.title)}", style="bold"))
        console.print(indented(Text(f"{line(choice.standing)}: {line(choice.why)}", style="dim"), 4))


def show_add(console: Console, report: AddReport) -> None:
    """Print which papers were asked for, what was fetched, and what the index holds now."""
    console.print(Text(f"Added {', '.join(line(work_id) for work_id in report.added)}", style="bold"))
    if report.stages:
        console.print(_stages(report.stages))
    for stage in report.stages:
        _failures(console, f"Failed: {stage.stage}", stage.failed)
    if report.build:
        show_build(console, report.build)


def show_build(console: Console, report: BuildReport) -> None:
    """Print what a build did, what the index holds now, and what did not make it."""
    up_to_date = "built" if report.publication else "brought up to date"
    state = "published" if report.published else up_to_date
    console.print(
        Text(f"Generation {line(report.generation)} {state} in {_seconds(report.seconds)}", style="bold")
    )
    model = (
        f" with {line(report.model)} ({_seconds(report.model_seconds)} in the model)" if report.model else ""
    )
    console.print(
        f"{counted(report.works, 'paper')}, {counted(report.passages, 'passage')}, "
        f"{counted(report.vectors, 'vector')}{model}"
    )
    if report.publication:
        show_publication(console, report.publication)
    if not report.works:
        console.print("The library is empty: add papers with `citewell add ID` or `citewell harvest`")
        return
    console.print(
        f"{report.semantic_coverage:.1%} of the passages have a vector; "
        f"{report.cut_off_share:.1%} were cut off before embedding"
    )
    if report.stages:
        console.print(_stages(report.stages))
    for stage in report.stages:
        _failures(console, f"Failed: {stage.stage}", stage.failed)
    _notes(console, report.notes)


def show_compaction(console: Console, report: Compaction) -> None:
    """Print what was merged."""
    if report.merged:
        console.print(
            f"{counted(report.merged, 'file')} merged into {report.into:,} ({report.bytes / 1e6:,.1f} MB)"
        )
    else:
        console.print("Nothing to merge: files of the last week and large ones stay as they are.")
    if report.left_overs:
        console.print(f"{counted(report.left_overs, 'unfinished file')} of dead writers deleted")


def show_check(console: Console, report: CheckReport) -> None:
    """Print how the index compares with the lake."""
    verdict = Text("The index holds what the lake says.", style="bold green")
    if not report.sound:
        verdict = Text("The index is not what the lake says: run `citewell index build`.", style="bold red")
    console.print(verdict)
    console.print(
        f"Generation {line(report.generation)}: {counted(report.works, 'paper')} "
        f"(lake: {report.lake_works:,}), "
        f"{counted(report.passages, 'passage')}, {counted(report.vectors, 'vector')}"
    )
    if report.unapplied_files:
        console.print(f"{counted(report.unapplied_files, 'lake file')} not applied yet")
    if report.without_vectors:
        console.print(f"{counted(report.without_vectors, 'paper')} without vectors")
    if report.differences:
        console.print(heading("Differences"))
        listed = [f"{d.work_id}: {d.kind}" for d in report.differences]
        console.print(bullets(_first(listed)))
    _failures(console, "Papers that failed", report.failures)
    _notes(console, report.notes)


def show_doctor(console: Console, report: DoctorReport) -> None:
    """Print what was looked at, what is wrong with it, and what to do."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column()
    for finding in report.findings:
        said = Text(line(finding.message))
        if finding.advice:
            said.append(f"\n→ {line(finding.advice)}", style="cyan")
        grid.add_row(Text(finding.state, style=FINDING_STYLES[finding.state]), line(finding.name), said)
    console.print(grid)
    if report.fixed:
        console.print(heading("Mended"))
        show_build(console, report.fixed)


def _stages(stages: Sequence[StageReport]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    table.add_column("stage")
    for name in ("done", "failed", "waiting", "time"):
        table.add_column(name, justify="right")
    for stage in stages:
        failed = Text(f"{len(stage.failed):,}", style="red" if stage.failed else "")
        table.add_row(
            line(stage.stage), f"{stage.done:,}", failed, f"{stage.waiting:,}", _seconds(stage.seconds)
        )
    return table


def _failures(console: Console, title: str, failures: Sequence[FailedPaper]) -> None:
    """Print failures by kind: a kind of many papers once, with their ids and the first one's message."""
    if not failures:
        return
    console.print(heading(f"{title} ({len(failures):,})"))
    kinds: dict[tuple[str, str], list[FailedPaper]] = {}
    for failed in failures:
        kinds.setdefault((failed.stage, failed.error), []).append(failed)
    for (_, error), papers in kinds.items():
        if len(papers) == 1:
            console.print(bullets([failure(papers[0])]))
            continue
        ids = ", ".join(_first([paper.work_id for paper in papers]))
        console.print(bullets([f"{counted(len(papers), 'paper')} with {error}: {ids}"]))
        console.print(indented(Text(f"such as {failure(papers[0])}", style="dim"), 4))


def _notes(console: Console, notes: Sequence[str]) -> None:
    if notes:
        console.print(bullets(notes), style="yellow")


def _first(items: Sequence[str]) -> list[str]:
    more = len(items) - LISTED
    return [*items[:LISTED], *([f"and {more:,} more (--json has all)"] if more > 0 else [])]


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 120 else f"{seconds / 60:.1f} min"
