"""The functions that a scheduler calls: keys in, keys out, and each of them may be called again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from search import Library
from search.demo.papers import own_pdfs, own_records
from search.demo.server import LoopbackArxiv
from search.errors import IndexFailure, UsageError
from search.ingest import stages
from search.ingest.recent import recent_differences
from search.lake.facts import UserFact

FIRST, SECOND = own_records()[2:4]


@pytest.fixture
def arxiv(tmp_path, monkeypatch) -> Iterator[LoopbackArxiv]:
    """A loopback arXiv with one of our papers, and an environment that names it and an empty home."""
    with LoopbackArxiv([FIRST], own_pdfs()) as server:
        for name, value in {
            "HOME": tmp_path, "OAI_BASE_URL": server.oai_url, "PDF_BASE_URL": server.pdf_url,
            "OAI_INTERVAL": 0, "PDF_INTERVAL": 0,
        }.items():  # fmt: skip
            monkeypatch.setenv(f"CITEWELL_{name}", str(value))
        yield server


def a_day() -> str:
    """One daily run, as the DAG calls it; returns the generation's name."""
    for share in stages.harvest(run="a day"):
        for stage in (stages.fetch, stages.read, stages.link, stages.embed):
            result = stage(share, run="a day")
            assert json.loads(json.dumps(result)) == result
            assert result["failed"] == 0
    return stages.publish(stages.check(stages.index(run="a day"), run="a day"), run="a day")


def begin_before(record) -> None:
    """Say where the library begins: else the first harvest looks a week back."""
    with Library() as library:
        library.harvest(from_=record.stamp - timedelta(days=1))


def test_a_day_from_harvest_to_publication(arxiv):
    """What arXiv has is in the published index after one run, and a second run changes nothing."""
    begin_before(FIRST)
    generation = a_day()
    with Library() as library:
        assert library.check().sound
        before = [work.model_dump() for work in library.store.contents()]
        assert [work["full_text"] for work in before] == [True]
    assert a_day() == generation
    with Library() as library:
        assert [work.model_dump() for work in library.store.contents()] == before
    assert stages.report() == {
        "generation": generation, "works": 1, "passages": before[0]["passages"],
        "vectors": before[0]["passages"], "failed": {},
    }  # fmt: skip


def test_events_name_the_run(arxiv):
    """Each stage of a run has left an event with the run's name and its share."""
    from search.ingest.events import last_events

    begin_before(FIRST)
    a_day()
    with Library() as library:
        events = [event for event in last_events(library.lake, 50) if event.run == "a day"]
    assert {e.stage for e in events} == {
        "harvest", "fetch", "read", "link", "embed", "index", "check", "publish"
    }  # fmt: skip
    assert {e.share for e in events if e.stage == "fetch"} == {"0/1"}


def test_an_empty_day_has_one_share(arxiv):
    """Where nothing is due there is one share all the same, so that the index is brought up to date."""
    assert stages.split() == ["0/1"]


def test_windows_leave_out_what_was_harvested(arxiv):
    """A backfill's windows are days; those that were harvested whole are not asked for again."""
    day = FIRST.stamp
    found = stages.windows(str(day - timedelta(days=1)), str(day + timedelta(days=1)))
    assert found == [f"{day + timedelta(days=n)}_{day + timedelta(days=n)}" for n in (-1, 0, 1)]
    assert stages.harvest_window(found[1])["records"] == 1
    again = stages.windows(str(day - timedelta(days=1)), str(day + timedelta(days=1)))
    assert again == [found[0], found[2]]
    assert len(stages.windows("1991-08-14", "2026-12-31")) <= 1000


@pytest.mark.parametrize("days", [("yesterday", "2026-01-01"), ("2026-01-02", "2026-01-01")])
def test_windows_refuse_what_is_no_range(arxiv, days):
    """A range that cannot be meant is the caller's fault, and said so."""
    with pytest.raises(UsageError):
        stages.windows(*days)


def test_the_check_finds_what_is_not_as_the_lake_has_it(arxiv):
    """A paper that lost its documents behind our back fails the check by name."""
    begin_before(FIRST)
    generation = a_day()
    with Library() as library:
        held = next(iter(library.store.contents()))
        from search.index.papers import tombstone

        library.store.write(generation, [tombstone(FIRST.id, held.revision + 10**9)])
    with pytest.raises(IndexFailure, match=rf"{FIRST.id} \(missing\)"):
        stages.check(generation)


def test_the_check_lets_pass_what_is_on_its_way(arxiv):
    """What another run brought after the index was brought up to date is no difference."""
    begin_before(FIRST)
    generation = a_day()
    with Library() as library:
        library.lake.write_facts([UserFact(work_id=FIRST.id, topic="removed", value=1)])
        since = datetime.now(UTC) - timedelta(days=1)
        compared, found = recent_differences(
            library.lake, library.store, library.embedder(), generation, since=since
        )
    assert (compared, found) == (1, [])
    assert stages.check(stages.index()) == generation
    with Library() as library:
        assert library.store.counts().works == 0


def test_a_rebuild_takes_the_live_ones_place(arxiv):
    """A rebuilt generation is published beside what came meanwhile; a daily run fills it from then on."""
    begin_before(FIRST)
    old = a_day()
    new = stages.begin_rebuild()
    assert stages.begin_rebuild() == new != old
    stages.fill(new)
    arxiv.put(SECOND)
    with Library() as library:
        library.harvest(from_=SECOND.stamp)
    assert stages.publish_rebuilt(new) == new
    with Library() as library:
        assert library.store.live().name == new
    assert a_day() == new
    with Library() as library:
        assert {work.work_id for work in library.list()} == {FIRST.id, SECOND.id}
        assert library.check().sound


def test_old_files_are_merged_beside_a_run(arxiv, monkeypatch):
    """Merging returns counts, leaves an event, and the index has nothing to apply and nothing amiss."""
    from search.ingest.events import last_events
    from search.lake import lake as lakes

    begin_before(FIRST)
    generation = a_day()
    for _ in range(8):
        stages.harvest()
    assert stages.compact(run="weekly") == {"merged": 0, "into": 0, "megabytes": 0.0}
    monkeypatch.setattr(lakes, "OLD", timedelta(0))
    done = stages.compact(run="weekly")
    assert (done["merged"], done["into"]) >= (8, 1)
    with Library() as library:
        assert library.lake.unapplied(library.store.live().applied) == ([], [])
        assert library.check().sound
        (event, *_) = last_events(library.lake, 1)
        assert (event.stage, event.run, event.state) == ("compact", "weekly", "done")
    assert a_day() == generation


def test_saved_searches_leave_a_file(arxiv, tmp_path):
    """What a saved search finds is a file in the home, told once to the scheduler, and still to a person."""
    begin_before(FIRST)
    with Library() as library:
        library.watch_add("fusion", FIRST.title)
        library.add([FIRST.id])
    assert stages.watch(run="after a day") == {"searches": 1, "found": 1, "papers": [FIRST.id]}
    (file,) = (tmp_path / "news").glob("*.json")
    told = json.loads(file.read_text())
    assert told["run"] == "after a day"
    assert [paper["work_id"] for search in told["searches"] for paper in search["papers"]] == [FIRST.id]
    assert stages.watch() == {"searches": 1, "found": 0, "papers": []}
    with Library() as library:
        assert [paper.work_id for report in library.watch_run() for paper in report.papers] == [FIRST.id]
