"""Ingest events: what runs did, in the lake always and in Elasticsearch where it answers."""

from __future__ import annotations

import logging
from datetime import UTC, date, datetime, timedelta

import pytest

from search.demo.server import DemoRecord, DemoVersion, LoopbackArxiv
from search.errors import EngineUnavailable, NetworkUnreachable, UsageError
from search.index.mappings import mapping
from search.ingest.events import (
    Event,
    event_name,
    failure_documents,
    keep,
    last_events,
    recorded,
    run_document,
    ship,
)
from search.ingest.reports import CheckReport, Difference, FailedPaper, StageReport
from search.lake.lake import Lake
from search.library import Library
from search.settings import read_settings


def record(number):
    """One paper of a small arXiv, without a PDF."""
    version = DemoVersion(datetime(2024, 2, 1, 8, tzinfo=UTC))
    fields = {"title": f"Paper {number}", "abstract": "On graphs.", "categories": "math.CO"}
    return DemoRecord(id=f"2402.{number:05d}", versions=(version,), **fields)


@pytest.fixture
def lake(tmp_path):
    """An empty lake."""
    return Lake(str(tmp_path / "lake"), tmp_path / "cache")


@pytest.fixture
def settings(tmp_path):
    """Settings on the embedded store."""
    return read_settings(home=tmp_path)


def failure(number, error="PDFNotFound"):
    """One paper that could not be had."""
    return FailedPaper(work_id=f"2402.{number:05d}", stage="fetched", error=error, message="a secret title")


def event(number, *, when=None, **fields):
    """An event of a made-up writer."""
    when = when or datetime(2026, 11, 20, tzinfo=UTC)
    stamp = int(when.timestamp() * 1e6) + number
    return Event(event_id=f"{stamp}-host-1-ab", time=when, stage="fetch", **fields)


# ------------------------------------------------------------------ in the lake
def test_every_stage_of_a_real_run_leaves_an_event(tmp_path):
    """Harvest, fetch and build each record papers, failures by error, bytes and generation."""
    with LoopbackArxiv([record(n) for n in (1, 2, 3)]) as arxiv:
        urls = {"oai_base_url": arxiv.oai_url, "pdf_base_url": arxiv.pdf_url}
        with Library(home=tmp_path, oai_interval=0, pdf_interval=0, **urls) as library:
            library.harvest(from_=date(2024, 1, 1))
            library.fetch()
            report = library.build()
            events = {e.stage: e for e in last_events(library.lake)}
    assert {"harvest", "fetch", "read", "link", "index"} <= set(events)
    assert events["harvest"].papers == 3
    assert events["harvest"].bytes > 500
    assert events["fetch"].failures == {"PDFNotFound": 3}
    assert events["fetch"].papers == 0
    assert events["index"].papers == 3
    assert events["index"].generation == report.generation
    assert {e.state for e in events.values()} == {"done"}
    assert len({e.event_id for e in events.values()}) == len(events)


def test_bytes_are_those_of_the_stage(lake, settings):
    """A stage counts what went into its own folders, not what ran beside it."""
    with recorded(lake, settings, "read") as recording:
        lake.files.write("papers/2026-11/1-a.jsonl", b"x" * 100)
        lake.files.write("pdf/00/1.pdf", b"y" * 1000)
        recording.report(StageReport(stage="read", done=1))
    assert last_events(lake)[0].bytes == 100


def test_an_error_that_ends_a_stage_is_recorded_and_raised(lake, settings):
    """The event names the error and what it said; whoever called gets the error itself."""
    error = NetworkUnreachable("no route to arXiv", url="http://127.0.0.1:1/oai")
    with pytest.raises(NetworkUnreachable), recorded(lake, settings, "harvest", run="manual", share="3/8"):
        raise error
    (told,) = last_events(lake)
    assert (told.state, told.error, told.message) == ("failed", "NetworkUnreachable", "no route to arXiv")
    assert (told.run, told.share) == ("manual", "3/8")


def test_a_fault_of_the_program_is_recorded_without_its_words(lake, settings):
    """An unforeseen exception may carry text of a paper: only its name is kept."""
    with pytest.raises(KeyError), recorded(lake, settings, "read"):
        raise KeyError("the paper's own words")
    (told,) = last_events(lake)
    assert (told.error, told.message) == ("KeyError", "")


def test_wrong_usage_is_no_event(lake, settings):
    """A call that was refused before anything was tried leaves nothing."""
    with pytest.raises(UsageError), recorded(lake, settings, "harvest"):
        raise UsageError("dates swapped")
    assert last_events(lake) == []


def test_messages_of_papers_are_not_kept(lake, settings):
    """Of papers that failed only counts by error are kept, so that a removed paper leaves no words here."""
    with recorded(lake, settings, "fetch") as recording:
        recording.report(StageReport(stage="fetch", failed=(failure(1), failure(2), failure(3, "NotAPDF"))))
    (name,) = lake.files.names("events")
    assert last_events(lake)[0].failures == {"PDFNotFound": 2, "NotAPDF": 1}
    assert b"secret" not in lake.files.read(name)
    assert b"2402." not in lake.files.read(name)


def test_a_check_records_differences_by_kind(lake, settings):
    """Differences between lake and index count as failures, by their kind."""
    differences = (Difference(work_id="a", kind="missing"), Difference(work_id="b", kind="missing"))
    report = CheckReport(
        generation="g1", works=5, passages=9, vectors=0, lake_works=7, differences=differences, sound=False
    )
    with recorded(lake, settings, "check") as recording:
        recording.report(report)
    (told,) = last_events(lake)
    assert (told.papers, told.failures, told.generation) == (5, {"missing": 2}, "g1")


def test_events_are_newest_first_and_damaged_ones_left_out(lake, caplog):
    """A file that is no event is named in a warning and does not hide the others."""
    keep(lake, [event(1), event(2, when=datetime(2026, 12, 1, tzinfo=UTC))])
    lake.files.write("events/2026-12/1796083200000009-x.jsonl", b'{"cut o')
    found = [e.time.month for e in last_events(lake)]
    assert found == [12, 11]
    assert "1796083200000009-x" in caplog.text


def test_an_event_that_cannot_be_written_fails_no_stage(lake, settings, monkeypatch, caplog):
    """A full disk costs the event, and a warning says so."""

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(lake.files, "write", full)
    with recorded(lake, settings, "link") as recording:
        recording.report(StageReport(stage="link", done=4))
    assert recording.events[0].papers == 4
    assert "was not kept" in caplog.text


# ------------------------------------------------------------------ as documents
def test_documents_hold_exactly_the_fields_of_the_mapping():
    """The mapping is strict: a field more would be refused, and each of its fields is filled by one kind."""
    told = event(1, failures={"NotAPDF": 2}, papers=1)
    fields = set(run_document(told)).union(*(document for _, document in failure_documents(told)))
    assert fields == set(mapping("events")["mappings"]["properties"])


def test_a_sum_over_all_documents_counts_nothing_twice():
    """Papers and failures of a run stand in its own document only; each failure's count in another field."""
    told = event(1, failures={"NotAPDF": 2, "PDFNotFound": 3}, papers=7)
    documents = [run_document(told), *(document for _, document in failure_documents(told))]
    sums = {f: sum(d.get(f, 0) for d in documents) for f in ("papers", "failures", "failed")}
    assert sums == {"papers": 7, "failures": 5, "failed": 5}


# ------------------------------------------------------------------ to Elasticsearch
@pytest.fixture
def elastic(tmp_path, elasticsearch_url, index_prefix):
    """Settings on a real Elasticsearch, under a prefix of this test."""
    return read_settings(home=tmp_path, index_url=elasticsearch_url, index_prefix=index_prefix)


def documents_of(settings):
    """All documents of the events index."""
    from search.index.elastic.connection import connect

    with connect(settings) as client:
        client.indices.refresh(index=f"{settings.index_prefix}-events")
        found = client.search(index=f"{settings.index_prefix}-events", size=1000)
    return {hit["_id"]: hit["_source"] for hit in found["hits"]["hits"]}


@pytest.mark.elastic
def test_shipping_twice_writes_once(lake, elastic):
    """Events go into the strict index with ids of their own: a retry finds them there."""
    events = [event(n, failures={"NotAPDF": n}, papers=n) for n in range(1, 6)]
    keep(lake, events)
    assert ship(lake, elastic, events) == 5
    assert ship(lake, elastic, events) == 0
    assert ship(lake, elastic) == 0
    documents = documents_of(elastic)
    assert len(documents) == 10
    assert sum(d.get("papers", 0) for d in documents.values()) == 15
    assert sum(d.get("failed", 0) for d in documents.values()) == 15


@pytest.mark.elastic
def test_events_of_an_outage_are_sent_afterwards(lake, elastic):
    """What was recorded while the server was away goes with the last stage of a later run."""
    now = datetime.now(UTC)
    keep(lake, [event(n, when=now - timedelta(days=40 * n)) for n in range(5)])
    with recorded(lake, elastic, "publish") as recording:
        recording.counted(3, generation="g2")
    assert len(documents_of(elastic)) == 6
    keep(lake, [event(9, when=now - timedelta(days=20))])
    assert ship(lake, elastic) == 1


@pytest.mark.elastic
def test_a_stage_sends_its_own_event_only(lake, elastic):
    """Stages in the middle of a run do not look for what others have left."""
    keep(lake, [event(1)])
    with recorded(lake, elastic, "fetch") as recording:
        recording.report(StageReport(stage="fetch", done=1))
    assert [d["papers"] for d in documents_of(elastic).values()] == [1]


def test_a_server_that_is_away_fails_no_stage(lake, tmp_path, caplog):
    """The stage ends well, the event stays in the lake, and a warning says why it went no further."""
    caplog.set_level(logging.WARNING)
    pytest.importorskip("elasticsearch")
    settings = read_settings(home=tmp_path, index_url="http://127.0.0.1:9")
    with recorded(lake, settings, "fetch") as recording:
        recording.report(StageReport(stage="fetch", done=2))
    assert last_events(lake)[0].papers == 2
    assert "wait in the lake" in caplog.text


def test_an_engine_that_failed_the_stage_is_not_asked_again(lake, tmp_path, monkeypatch):
    """Where Elasticsearch is why the stage failed, nobody waits for it a second time."""
    asked = []
    monkeypatch.setattr("search.ingest.events.ship", lambda *given: asked.append(given))
    with pytest.raises(EngineUnavailable), recorded(lake, read_settings(home=tmp_path), "index"):
        raise EngineUnavailable("gone")
    assert asked == []
    assert last_events(lake)[0].error == "EngineUnavailable"


def test_event_files_stand_in_their_month():
    """Folders stay small enough to list: an event's file is named by the month of its stamp."""
    told = event(1)
    assert event_name(told.event_id) == f"events/2026-11/{told.event_id}.jsonl"
