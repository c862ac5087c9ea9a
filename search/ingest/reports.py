"""What the stages report: how much, how fast, and every paper that did not make it, with the reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import TYPE_CHECKING

from pydantic import Field

from search.models import Model

if TYPE_CHECKING:  # the lake's file systems are not loaded for a search
    from search.lake.batch import Outcome


class FailedPaper(Model):
    """One paper that a stage could not do."""

    work_id: str
    version: int | None = None
    stage: str
    error: str
    message: str
    #: How often it was tried so far.
    tries: int = 1
    #: Whether the next run tries again by itself.
    retryable: bool = False


class StageReport(Model):
    """What one stage did."""

    stage: str
    done: int = 0
    failed: tuple[FailedPaper, ...] = ()
    #: Papers left for a later run, because the same failure is too recent.
    waiting: int = 0
    seconds: float = 0.0


class HarvestReport(Model):
    """What one harvest brought."""

    base_url: str
    set: str | None = None
    from_: date | None = None
    until: date | None = None
    #: The server's clock when it began to answer; None for an empty harvest.
    response_date: datetime | None = None
    pages: int = 0
    records: int = 0
    #: Works that the lake did not know before.
    new: int = 0
    unreadable: tuple[FailedPaper, ...] = ()
    seconds: float = 0.0
    stages: tuple[StageReport, ...] = ()
    #: What a person should know, such as an answer that was no valid UTF-8.
    notes: tuple[str, ...] = ()


class BadLine(Model):
    """A line of a metadata snapshot that no fact could be made of."""

    #: From 1.
    line: int
    message: str


class SnapshotReport(Model):
    """What one import of a metadata snapshot brought."""

    file: str
    #: Lines read in this run, and those that an earlier run had brought into the lake.
    lines: int = 0
    resumed_lines: int = 0
    records: int = 0
    #: Works that the lake did not know before.
    new: int = 0
    #: The first of the lines that could not be read, and how many there are in the whole file.
    unreadable: tuple[BadLine, ...] = ()
    unreadable_lines: int = 0
    #: The newest update date in the whole file: the next harvest begins before it.
    newest: date | None = None
    seconds: float = 0.0


class Measured(Model):
    """One measure of the gate, taken on the new generation and, where it can be, on the live one."""

    #: Such as `known items, lexical` or `nDCG@10, hybrid`.
    measure: str
    queries: int
    #: Queries left out: what they ask for changed while the generation was examined.
    late: int = 0
    new: float
    #: None: there is no live generation, or this cannot be measured on it.
    live: float | None = None
    #: What the new generation must reach.
    least: float
    held: bool
    #: Queries that the live generation answers better, the most lost first.
    lost: tuple[str, ...] = ()


class GateReport(Model):
    """Whether a new generation finds what the live one finds."""

    held: bool
    measured: tuple[Measured, ...] = ()
    notes: tuple[str, ...] = ()


class PublishReport(Model):
    """What became of a generation that was to be published."""

    generation: str
    #: The live generation before; None: there was none.
    former: str | None = None
    published: bool
    #: Why it was not published; empty: it was.
    refused: tuple[str, ...] = ()
    gate: GateReport | None = None
    works: int = 0
    passages: int = 0
    vectors: int = 0
    #: Generations that were deleted, the refused one included where it is not kept.
    dropped: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class LinkReport(Model):
    """What `link` did, and what the lake now holds of citations."""

    stages: tuple[StageReport, ...] = ()
    #: Edges by where they come from: link, reference, title, semantic_scholar, crossref, openalex.
    edges: Mapping[str, int] = Field(default_factory=dict)


class BuildReport(Model):
    """What `index build` or `index rebuild` did, and what the index now holds."""

    generation: str
    #: Whether this run made the generation the live one.
    published: bool
    stages: tuple[StageReport, ...] = ()
    works: int = 0
    passages: int = 0
    vectors: int = 0
    #: Share of passages that the semantic leg covers, 0 to 1.
    semantic_coverage: float = 0.0
    #: Share of passages that were longer than the model reads when they were embedded. It is 0: what
    #: would be longer is split before; what is counted here is counted where the model is called.
    cut_off_share: float = 0.0
    model: str | None = None
    seconds: float = 0.0
    #: Seconds inside the embedding model.
    model_seconds: float = 0.0
    #: What a person should know or do next.
    notes: tuple[str, ...] = ()
    #: Of a rebuild: how the new generation was examined, and what became of it.
    publication: PublishReport | None = None


class Difference(Model):
    """One way in which the index is not what the lake says."""

    work_id: str
    #: `missing` from the index, `stale` (other content), `extra` (not in the lake), `stray` (passages beside
    #: those that count, which a writer that was held up brought back).
    kind: str


class CheckReport(Model):
    """The index beside the lake."""

    generation: str
    works: int
    passages: int
    vectors: int
    #: Works of the lake that are not removed.
    lake_works: int
    differences: tuple[Difference, ...] = ()
    #: Lake files whose facts the index does not hold yet.
    unapplied_files: int = 0
    #: Works whose vectors of the set model have not been computed.
    without_vectors: int = 0
    failures: tuple[FailedPaper, ...] = ()
    sound: bool
    notes: tuple[str, ...] = ()


def failed_papers(stage: str, outcomes: Iterable[Outcome], tries: dict[str, int]) -> tuple[FailedPaper, ...]:
    """Return the failures among outcomes, with how often each was tried (this time included)."""
    return tuple(
        FailedPaper(
            work_id=o.work_id, version=o.version, stage=stage, error=o.error, message=o.message,
            tries=tries.get(o.work_id, 0) + 1, retryable=o.retryable,
        )
        for o in outcomes
        if o.state == "failed"
    )  # fmt: skip
