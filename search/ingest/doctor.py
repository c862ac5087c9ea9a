"""`doctor`: is everything there that Citewell needs, and does the index say what the lake says?"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from typing import Literal

from search.embedding.protocol import Embedder
from search.errors import CitewellError, IndexMissing, install
from search.index.protocol import IndexStore
from search.ingest import examining
from search.ingest.check import check
from search.ingest.reports import BuildReport
from search.lake.lake import Lake
from search.models import Model
from search.progress import ProgressSink, silent
from search.settings import Settings

#: What to do about most things.
FIX = "run `citewell doctor --fix`"
#: Free space under which a person should know: a day of arXiv's PDFs is about 3 GB.
LITTLE_SPACE = 3 << 30
#: Optional packages: what each is for, and the extra that brings it.
EXTRAS = {
    "pymupdf": ("pdf", "reading PDFs"),
    "elasticsearch": ("elastic", "an Elasticsearch index"),
    "litellm": ("llm", "answers written by a language model"),
}


class Finding(Model):
    """One thing that was looked at."""

    name: str
    state: Literal["good", "note", "bad"]
    message: str
    #: What to do about it.
    advice: str = ""


class DoctorReport(Model):
    """Everything that was looked at, and what was mended."""

    findings: tuple[Finding, ...]
    #: What `--fix` did, one sentence each, and what it could not do.
    mended: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    #: The build that `--fix` ran.
    fixed: BuildReport | None = None
    sound: bool


def examine(
    settings: Settings,
    lake: Lake,
    store: Callable[[], IndexStore],
    embedder: Callable[[], Embedder],
    *,
    progress: ProgressSink = silent,
) -> DoctorReport:
    """Look at everything and change nothing."""
    findings = [
        *_surroundings(settings),
        *_model(embedder),
        *_contents(lake, store, embedder, settings.oai_base_url, progress),
    ]
    return DoctorReport(findings=tuple(findings), sound=all(f.state != "bad" for f in findings))


def _surroundings(settings: Settings) -> Iterator[Finding]:
    """Look at the packages, the disk and the settings."""
    for package, (extra, why) in EXTRAS.items():
        if find_spec(package):
            yield Finding(name=package, state="good", message=f"installed, for {why}")
        else:
            needed = package == "elasticsearch" and settings.index_url != "embedded"
            yield Finding(
                name=package,
                state="bad" if needed else "note",
                message=f"not installed; it is for {why}",
                advice=install(extra),
            )
    free = shutil.disk_usage(settings.home if settings.home.exists() else settings.home.anchor).free
    state: Literal["good", "note"] = "note" if free < LITTLE_SPACE else "good"
    yield Finding(name="disk", state=state, message=f"{free / (1 << 30):.1f} GB free beside {settings.home}")
    if not settings.contact:
        yield Finding(
            name="contact",
            state="note",
            message="arXiv cannot reach you if your harvest troubles it",
            advice="set CITEWELL_CONTACT to a mail address",
        )


def _model(embedder: Callable[[], Embedder]) -> Iterator[Finding]:
    try:
        model = embedder()
    except CitewellError as error:
        yield Finding(name="embedding model", state="bad", message=error.message, advice=error.advice)
        return
    yield Finding(
        name="embedding model",
        state="good",
        message=f"{model.name}, {model.dimensions} dimensions, {model.max_tokens} tokens",
    )


def _catalogue(lake: Lake) -> Iterator[Finding]:
    """Compare the catalogue with the files that it was made of."""
    gone = examining.gone_logs(lake)
    lies = [] if gone else examining.catalogue_lies(lake)
    if gone:
        message = f"{len(gone):,} log files that it was made of are gone from the lake: {_first(gone)}"
        yield Finding(name="catalogue", state="bad", message=message, advice=FIX)
    elif lies:
        message = f"it differs from what the lake says: {', '.join(lies)}"
        yield Finding(name="catalogue", state="bad", message=message, advice=FIX)
    else:
        yield Finding(name="catalogue", state="good", message="just what the lake says")


def _files(lake: Lake) -> Iterator[Finding]:
    """Look for files that are gone, and for some that should not be there."""
    gone = lake.missing_files()
    if gone:
        yield Finding(
            name="lake files",
            state="bad",
            message=f"{len(gone):,} files that the lake speaks of are not there: {_first(gone)}",
            advice="restore them from a copy of the lake, or run `citewell doctor --fix`: it downloads PDFs "
            "again and computes the rest",
        )
    half = lake.catalogue.half_taken_down()
    if half:
        yield Finding(
            name="taken down",
            state="bad",
            message=f"something of {_first(half)} may still be in the lake; no reader finds it",
            advice=FIX,
        )
    left = examining.left_overs(lake)
    if left:
        message = f"{len(left):,} half-written files were left by killed writers"
        yield Finding(name="left-overs", state="bad", message=message, advice=FIX)


def _arrivals(lake: Lake, oai_base_url: str) -> Iterator[Finding]:
    """Look for days that were passed over, and for downloads that never succeed."""
    holes = examining.holes(lake, oai_base_url)
    if holes:
        days = sum(window.days for window in holes)
        message = f"{days:,} days between harvests were never harvested: {_first(list(map(str, holes)))}"
        yield Finding(name="harvest", state="bad", message=message, advice=FIX)
    stubborn = examining.stubborn_downloads(lake)
    if stubborn:
        yield Finding(
            name="downloads",
            state="note",
            message=f"{len(stubborn):,} PDFs failed {examining.MANY_TRIES} times or more: {_first(stubborn)}",
            advice="`citewell info ID` says why; `citewell doctor --fix` tries them once more",
        )


def _first(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (", …" if names[3:] else "")


def _contents(
    lake: Lake,
    store: Callable[[], IndexStore],
    embedder: Callable[[], Embedder],
    oai_base_url: str,
    progress: ProgressSink,
) -> Iterator[Finding]:
    """Look at the lake and its catalogue, and compare the index with them."""
    if not examining.is_readable(lake):
        yield Finding(name="catalogue", state="bad", message="it is no whole database any more", advice=FIX)
        return
    try:
        lake.catalogue.refresh()
        yield from _catalogue(lake)
    except CitewellError as error:
        yield Finding(name="lake", state="bad", message=error.message, advice=error.advice)
        return
    works = len(lake.catalogue.work_ids())
    yield Finding(name="lake", state="good", message=f"{works:,} works in {lake.files.url}")
    yield from _files(lake)
    yield from _arrivals(lake, oai_base_url)
    try:
        model = embedder()
    except CitewellError:
        model = None  # said before
    try:
        report = check(lake, store(), model, progress=progress)
    except IndexMissing as error:
        yield Finding(
            name="index", state="bad" if works else "note", message=error.message, advice=error.advice
        )
        return
    except CitewellError as error:
        yield Finding(name="index", state="bad", message=error.message, advice=error.advice)
        return
    found = f"{report.works:,} works, {report.passages:,} passages, {report.vectors:,} vectors"
    if report.sound:
        yield Finding(name="index", state="good", message=f"{found}; just what the lake says")
    else:
        kinds = [d.kind for d in report.differences]
        wrong = ", ".join(f"{kinds.count(kind):,} {kind}" for kind in sorted(set(kinds))) or "not up to date"
        wrong += f", {report.without_vectors:,} works without vectors" if report.without_vectors else ""
        advice = report.notes[0] if report.notes else ""
        yield Finding(name="index", state="bad", message=f"{found}; {wrong}", advice=advice)
    for stage in sorted({failure.stage for failure in report.failures}):
        count = sum(failure.stage == stage for failure in report.failures)
        yield Finding(
            name=f"failures: {stage}",
            state="note",
            message=f"{count:,} papers, each with its reason in `citewell info ID`",
        )
