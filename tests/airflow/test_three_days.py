"""arXiv for a fortnight in a real Airflow, over HTTP, into a real Elasticsearch.

The loopback arXiv's clock is what says which day it is: windows come from the moments of its answers.
The days lie in the past, so that Airflow makes the runs of these very evenings.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from search import Library
from search.demo.papers import own_pdfs, own_records
from search.demo.records import DemoRecord, DemoVersion
from search.demo.server import LoopbackArxiv

sys.path.insert(0, str(Path(__file__).parent))
from standalone import Airflow, airflow_standalone

pytestmark = [pytest.mark.airflow, pytest.mark.elastic]

DAY = timedelta(days=1)
#: Two versions; the second comes on day 2.
TWICE = "2401.99001"
#: Withdrawn on day 3.
WITHDRAWN = "2401.99002"


def first_monday(today: date) -> date:
    """Return a Monday that lies two to three weeks back, and begins three days of announcements."""
    from citewell_airflow.calendar import announces

    day = today - 14 * DAY
    while not (day.weekday() == 0 and all(announces(day + n * DAY) for n in range(3))):
        day -= DAY
    return day


class World:
    """An arXiv to which papers come day by day, and the library that follows it."""

    def __init__(self, arxiv: LoopbackArxiv, settings: dict[str, Any], first: date) -> None:
        self.arxiv = arxiv
        self.settings = settings
        self.first = first
        #: 1 is the first day, a Monday; 0 the Sunday before it.
        self.day = 0
        self._papers = {record.id: record for record in own_records()}

    def now(self) -> datetime:
        """The moment that it is on the loopback arXiv: 23:30 in New York."""
        from citewell_airflow.calendar import harvest_at

        return harvest_at(self.first + (self.day - 1) * DAY)

    def announce(self, work_id: str, versions: int = 1, **changes: Any) -> DemoRecord:
        """Let arXiv have a paper with so many versions, the newest of today."""
        stamps = [self.now() - (versions - n) * DAY for n in range(1, versions + 1)]
        record = dataclasses.replace(
            self._papers[work_id],
            versions=tuple(DemoVersion(stamp, "60kb", "") for stamp in stamps),
            datestamp=self.now().date(),
            **changes,
        )
        self.arxiv.put(record)
        return record

    def withdraw(self, work_id: str) -> None:
        """Let arXiv have a second version that says that the paper is withdrawn; it has no PDF."""
        record = self.announce(work_id, 2, comments="This paper has been withdrawn by its author.")
        newest = record.versions[-1]._replace(source_type="I", size="0kb")
        self.arxiv.put(dataclasses.replace(record, versions=(*record.versions[:-1], newest)))

    def library(self) -> Library:
        """Open the library."""
        return Library(**self.settings)

    def held(self) -> dict[str, tuple[int, str, bool]]:
        """Return version, withdrawn and full text of each work as the index has it, after comparing all of it
        with the lake, and every passage with its work."""
        with self.library() as library:
            report = library.check()
            assert report.sound, report
            works = {w.work_id: w for w in library.store.contents() if not w.removed}
            for work in works.values():
                passages = library.store.passages_of(work.work_id)
                assert {p.version for p in passages} == {work.version}
                assert {p.revision for p in passages} == {work.revision}
                assert len(passages) == work.passages
            counts = library.store.counts()
            assert counts.passages == sum(work.passages for work in works.values()) == counts.vectors
            return {i: (w.version, w.withdrawn, w.full_text) for i, w in sorted(works.items())}


@pytest.fixture
def world(
    plugins: Path, elasticsearch_url: str, index_prefix: str, tmp_path: Path
) -> Iterator[tuple[World, dict[str, str]]]:
    """An empty library, an arXiv whose clock stands on the evening before the first, and the environment."""
    first = first_monday(datetime.now(UTC).date())
    box: list[World] = []
    with LoopbackArxiv((), own_pdfs(), clock=lambda: box[0].now()) as arxiv:  # noqa: PLW0108 - the box is empty now
        settings = {
            "home": tmp_path / "library", "index_url": elasticsearch_url, "index_prefix": index_prefix,
            "oai_base_url": arxiv.oai_url, "pdf_base_url": arxiv.pdf_url,
            "oai_interval": 0, "pdf_interval": 0,
        }  # fmt: skip
        box.append(World(arxiv, settings, first))
        yield box[0], {f"CITEWELL_{name.upper()}": str(value) for name, value in settings.items()}


def evening(airflow: Airflow, world: World) -> str:
    """Run `citewell_daily` for this evening, as Airflow itself makes the run of its timetable."""
    before = {run["dag_run_id"] for run in airflow.runs("citewell_daily")}
    moment = world.now().isoformat()
    # One at a time: Airflow looks every half minute whether one is over.
    airflow.until(
        lambda: all(b["completed_at"] for b in airflow.ask("backfills?dag_id=citewell_daily")["backfills"]),
        "the evening before to be over",
        120,
    )
    airflow.begin_backfill("citewell_daily", moment)
    (run,) = [r for r in airflow.runs("citewell_daily") if r["dag_run_id"] not in before]
    assert run["logical_date"].startswith(world.now().strftime("%Y-%m-%dT%H:%M"))
    return green(airflow, "citewell_daily", run["dag_run_id"])


def green(airflow: Airflow, dag: str, run: str) -> str:
    """Wait for a run; every one of its tasks must have succeeded."""
    state = airflow.wait(dag, run)
    tasks = {(t["task_id"], t["map_index"]): t["state"] for t in airflow.tasks(dag, run)}
    assert state == "success", (tasks, airflow.log(200))
    assert set(tasks.values()) == {"success"}, tasks
    return run


def switched_on(airflow: Airflow, dag: str) -> str:
    """Switch a DAG on; what Airflow then starts by itself, for the newest moment of its timetable."""
    airflow.switch_on(dag)
    airflow.until(lambda: airflow.runs(dag), f"{dag} to be started", 120)
    run: str = airflow.runs(dag)[0]["dag_run_id"]
    assert run.startswith("scheduled__")
    return run


def test_a_fortnight(world: tuple[World, dict[str, str]], tmp_path: Path):
    """Three evenings, a week's outage, a run by hand, a rebuild beside a daily run: nothing is missing."""
    world_, environment = world
    world_.announce("2401.99003")
    with world_.library() as library:  # where to begin; without it the first run looks a week back
        library.harvest(from_=world_.now().date() - DAY)

    with airflow_standalone(tmp_path / "airflow", environment) as airflow:
        assert not airflow.ask("importErrors")["import_errors"]
        airflow.switch_on("citewell_watch")
        green(airflow, "citewell_daily", switched_on(airflow, "citewell_daily"))
        assert world_.held() == {"2401.99003": (1, "no", True)}

        world_.day = 1
        world_.announce(TWICE)
        world_.announce(WITHDRAWN)
        evening(airflow, world_)
        first = {TWICE: (1, "no", True), WITHDRAWN: (1, "no", True), "2401.99003": (1, "no", True)}
        assert world_.held() == first

        world_.day = 2
        world_.announce(TWICE, 2)
        evening(airflow, world_)
        assert world_.held() == {**first, TWICE: (2, "no", True)}

        world_.day = 3
        world_.withdraw(WITHDRAWN)
        evening(airflow, world_)
        third = {**first, TWICE: (2, "no", True), WITHDRAWN: (2, "yes", False)}
        assert world_.held() == third
        with world_.library() as library:
            found = {hit.work_id: hit for hit in library.search("error of a Monte Carlo estimate").hits}
            assert found[WITHDRAWN].withdrawn == "yes"
            answer = library.ask("How does the error of a Monte Carlo estimate fall with samples?")
            cited = {c.work_id for claim in answer.claims for c in claim.supporting_citations}
            assert WITHDRAWN not in cited

    # A week's outage: Airflow is down, papers go on coming.
    world_.day = 5
    world_.announce("2401.99004")
    world_.day = 8
    world_.announce("2401.99005")
    world_.day = 11
    world_.announce("2401.99006")
    with airflow_standalone(tmp_path / "airflow", environment) as airflow:
        green(airflow, "citewell_daily", airflow.trigger("citewell_daily"))
        later = {f"2401.9900{n}": (1, "no", True) for n in (4, 5, 6)}
        assert world_.held() == {**third, **later}

        # A rebuild, and beside it a daily run that brings two papers.
        with world_.library() as library:
            before = library.store.live().name
        world_.day = 12
        world_.announce("2401.99007")
        world_.announce("2401.99008")
        rebuild = switched_on(airflow, "citewell_rebuild")
        daily = airflow.trigger("citewell_daily")
        green(airflow, "citewell_daily", daily)
        green(airflow, "citewell_rebuild", rebuild)
        spans = [spent(airflow, "citewell_rebuild", rebuild), spent(airflow, "citewell_daily", daily)]
        assert max(start for start, _ in spans) < min(end for _, end in spans)
        # What the daily run brought last is applied by the next one at the latest.
        world_.day = 14
        evening(airflow, world_)
        with world_.library() as library:
            assert library.store.live().name != before
            assert [g.state for g in library.store.generations()] == ["old", "live"]
        more = {f"2401.9900{n}": (1, "no", True) for n in (7, 8)}
        assert world_.held() == {**third, **later, **more}


def spent(airflow: Airflow, dag: str, run: str) -> tuple[str, str]:
    """Return when a run began and ended."""
    (found,) = [r for r in airflow.runs(dag) if r["dag_run_id"] == run]
    return found["start_date"], found["end_date"]
