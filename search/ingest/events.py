"""Ingest events: what each run of a stage did, for those who look after a library.

An event is one small file in the lake, written when a stage ends, well or not. Where the index is on
Elasticsearch it goes into `<prefix>-events` as well, which Kibana shows. Events are told, never relied on:
no stage fails for want of one, and nothing is computed from them. A process that is killed tells nothing;
what it had done is in the lake's other files.

They hold counts and names of errors, never text of papers.
"""

from __future__ import annotations

import logging
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, TypeVar

from pydantic import Field, ValidationError

from search.errors import CitewellError, EngineUnavailable, LakeError, UsageError
from search.ingest.reports import BuildReport, CheckReport, FailedPaper, HarvestReport, StageReport
from search.lake.batch import batch_name
from search.lake.lake import Lake
from search.models import Model
from search.settings import Settings

logger = logging.getLogger(__name__)

Report = TypeVar("Report", StageReport, HarvestReport, BuildReport, CheckReport)

#: Folders of the lake that a stage writes to: the bytes there are its own, whatever else runs beside it.
WRITES = {
    "harvest": ("raw", "works", "windows"),
    "fetch": ("pdf", "fetched"),
    "read": ("papers",),
    "link": ("edges",),
    "embed": ("shards", "vectors"),
    "index": (),
    "check": (),
    "publish": (),
    "compact": ("works", "fetched", "papers", "edges", "windows"),
}
#: Stages that end a run: after them whatever Elasticsearch still lacks is sent, not only their own event.
#: Once a day is enough, and looking takes four requests.
LAST = frozenset({"build", "publish"})
#: How far before the newest event that Elasticsearch has others are looked for that it lacks: a machine
#: that could not reach it for so long has sent its events late.
LOOK_BACK = timedelta(days=31)
LONGEST_MESSAGE = 500


class Event(Model):
    """One run of one stage."""

    event_id: str
    #: When it ended.
    time: datetime
    stage: str
    #: `failed` where an error ended the stage; papers that could not be done do not make it that.
    state: Literal["done", "failed"] = "done"
    #: Papers that it did.
    papers: int = 0
    #: Papers that it could not do, by the name of the error; for `check`, differences by kind.
    failures: dict[str, int] = Field(default_factory=dict)
    #: Papers left for a later run.
    waiting: int = 0
    seconds: float = 0.0
    #: Written into the lake.
    bytes: int = 0
    #: The index generation that it worked on.
    generation: str = ""
    host: str = ""
    #: The process, as it also names the lake's files that it wrote.
    writer: str = ""
    #: The share of the ids that this was about ("3/8"); empty: all of them.
    share: str = ""
    #: The scheduler's name of the run, where there is a scheduler.
    run: str = ""
    #: The error that ended the stage, and what it said.
    error: str = ""
    message: str = ""


class Recorder:
    """Gathers the events of one run of a stage; `recorded` makes it."""

    def __init__(self, lake: Lake, stage: str, share: str, run: str) -> None:
        self._lake = lake
        self._stage = stage
        self._common = {"share": share, "run": run}
        self._began = time.monotonic()
        self._written_before = lake.files.written.copy()
        self.events: list[Event] = []

    def report(self, report: Report) -> Report:
        """Take note of what a stage reports, and return it."""
        match report:
            case StageReport():
                self._add_stage(report)
            case HarvestReport():
                failures = _by_error(report.unreadable)
                self._add(self._stage, papers=report.records, failures=failures, seconds=report.seconds)
            case BuildReport():
                for stage in report.stages:
                    self._add_stage(stage, generation=report.generation)
            case CheckReport():
                kinds = Counter(difference.kind for difference in report.differences)
                self._add(
                    self._stage,
                    papers=report.works,
                    failures=dict(kinds),
                    seconds=self._seconds(),
                    generation=report.generation,
                )
        return report

    def counted(
        self, papers: int, *, failures: Mapping[str, int] | None = None, generation: str = ""
    ) -> None:
        """Take note of a stage that has no report of its own (publish)."""
        self._add(
            self._stage,
            papers=papers,
            failures=dict(failures or {}),
            seconds=self._seconds(),
            generation=generation,
        )

    def failed(self, error: BaseException) -> None:
        """Take note of the error that ended the stage."""
        told = str(error)[:LONGEST_MESSAGE] if isinstance(error, CitewellError) else ""
        name = type(error).__name__
        self._add(self._stage, state="failed", error=name, message=told, seconds=self._seconds())

    def _add_stage(self, report: StageReport, *, generation: str = "") -> None:
        self._add(
            report.stage,
            papers=report.done,
            failures=_by_error(report.failed),
            waiting=report.waiting,
            seconds=report.seconds,
            generation=generation,
        )

    def _add(self, stage: str, **fields: Any) -> None:
        writer = self._lake.writer
        self.events.append(
            Event(
                event_id=f"{writer.stamp()}-{writer.name}",
                time=datetime.now(UTC),
                stage=stage,
                bytes=self._bytes(stage),
                host=socket.gethostname().split(".")[0],
                writer=writer.name,
                **self._common,
                **fields,
            )
        )

    def _bytes(self, stage: str) -> int:
        written = self._lake.files.written - self._written_before
        return sum(written[folder] for folder in WRITES.get(stage, written))

    def _seconds(self) -> float:
        return time.monotonic() - self._began


@contextmanager
def recorded(
    lake: Lake, settings: Settings, stage: str, *, share: str = "", run: str = ""
) -> Iterator[Recorder]:
    """Record what a stage does inside the block: into the lake, and into Elasticsearch where that is set.

    Give the stage's report to `Recorder.report`, or its count to `Recorder.counted`. An error is recorded
    and goes on its way, but for a `UsageError`: then nothing was tried.
    """
    recorder = Recorder(lake, stage, share, run)
    try:
        yield recorder
    except UsageError:
        raise
    except BaseException as error:
        recorder.failed(error)
        keep(lake, recorder.events)
        if isinstance(error, Exception) and not isinstance(error, EngineUnavailable):
            ship(lake, settings, recorder.events)
        raise
    keep(lake, recorder.events)
    ship(lake, settings, None if stage in LAST else recorder.events)


def keep(lake: Lake, events: Iterable[Event]) -> None:
    """Write events into the lake, a file each; one that cannot be written is told as a warning."""
    for event in events:
        try:
            lake.files.write(event_name(event.event_id), event.model_dump_json().encode() + b"\n")
        except (LakeError, OSError) as error:
            logger.warning("the event of stage %s was not kept: %s", event.stage, error)


def ship(lake: Lake, settings: Settings, events: Sequence[Event] | None = None) -> int:
    """Send events to Elasticsearch: these, or None: all that it lacks. Return how many were new there.

    Nothing happens on the embedded store. A server that does not answer is told as a warning; the events
    stay in the lake and go with a later run's.
    """
    if settings.index_url == "embedded" or events == []:
        return 0
    from search.index.elastic.events import EventIndex

    try:
        with EventIndex(settings) as index:
            index.prepare()
            if events is None:
                events = tuple(_lacking(lake, index.newest(), index.missing))
            # Failures first: an event whose own document is there is whole, and never looked at again.
            index.create(dict(part for event in events for part in failure_documents(event)))
            return index.create({event.event_id: run_document(event) for event in events})
    except CitewellError as error:
        logger.warning("ingest events wait in the lake, Elasticsearch did not take them: %s", error.message)
        return 0


def last_events(lake: Lake, limit: int = 20) -> list[Event]:
    """Return the newest events, newest first."""
    names = sorted(lake.files.names("events"), key=_event_id, reverse=True)
    return list(_read(lake, names[:limit]))


def event_name(event_id: str) -> str:
    """Return the file of an event: by month, so that folders can be listed."""
    stamp, _, writer = event_id.partition("-")
    return batch_name("events", int(stamp), writer)


def run_document(event: Event) -> dict[str, Any]:
    """Return the document of a run: everything but the failures one by one, which it counts."""
    fields = event.model_dump(mode="json", exclude={"time", "failures"})
    failures = sum(event.failures.values())
    return {"@timestamp": event.time.isoformat(), "kind": "run", **fields, "failures": failures}


def failure_documents(event: Event) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield id and document of each kind of failure in a run.

    They count in a field of their own, so that a sum over all documents counts nothing twice.
    """
    shared = event.model_dump(
        mode="json", include={"event_id", "stage", "generation", "host", "writer", "share", "run"}
    )
    for error, papers in event.failures.items():
        document = {"@timestamp": event.time.isoformat(), "kind": "failure", **shared}
        yield f"{event.event_id}:{error}", {**document, "error": error, "failed": papers}


def _lacking(
    lake: Lake, newest: datetime | None, missing: Callable[[Sequence[str]], set[str]]
) -> Iterator[Event]:
    """Yield the lake's events that Elasticsearch does not have."""
    folders = ["events"] if newest is None else _months(newest - LOOK_BACK, datetime.now(UTC))
    names = {_event_id(name): name for folder in folders for name in lake.files.names(folder)}
    yield from _read(lake, [names[event_id] for event_id in sorted(missing(sorted(names)))])


def _months(first: datetime, last: datetime) -> list[str]:
    """Return the folders of all months from the first moment's to the last one's."""
    numbers = range(first.year * 12 + first.month - 1, last.year * 12 + last.month)
    return [f"events/{number // 12:04d}-{number % 12 + 1:02d}" for number in numbers]


def _read(lake: Lake, names: Iterable[str]) -> Iterator[Event]:
    for name in names:
        try:
            yield Event.model_validate_json(lake.files.read(name))
        except (LakeError, ValidationError) as error:
            logger.warning("%s holds no event: %s", name, error)


def _event_id(name: str) -> str:
    return name.rsplit("/", 1)[-1].removesuffix(".jsonl")


def _by_error(failed: Iterable[FailedPaper]) -> dict[str, int]:
    return dict(Counter(paper.error for paper in failed))
