"""Harvesting and fetching over real HTTP on loopback: nothing is lost, everything may be repeated."""

from __future__ import annotations

import gzip
import time
from datetime import UTC, date, datetime, timedelta

import pytest

from search.arxiv.identifiers import Identifier
from search.arxiv.oai import OAIClient, parse_page
from search.arxiv.transport import Transport
from search.demo.server import DemoRecord, DemoVersion, Fault, LoopbackArxiv
from search.errors import (
    IdDoesNotExist,
    MalformedResponse,
    NetworkUnreachable,
    ServerUnavailable,
    UsageError,
)
from search.ingest import harvest as harvesting
from search.ingest.fetch import fetch
from search.ingest.harvest import backfill_keys, harvest, harvest_ids, harvest_window, next_from
from search.ingest.windows import Window
from search.lake.lake import Lake

TODAY = datetime(2024, 3, 10, 12, tzinfo=UTC)
PDF = b"%PDF-1.5\n" + b"x" * 2000 + b"\n%%EOF\n"


def record(number, day=1, versions=1, **fields):
    """A paper of February 2024."""
    history = tuple(DemoVersion(datetime(2024, 2, day, 8, n, tzinfo=UTC)) for n in range(versions))
    fields = {"title": f"Paper {number}", "abstract": "On something.", **fields}
    return DemoRecord(id=f"2402.{number:05d}", versions=history, **fields)


@pytest.fixture
def lake(tmp_path):
    """An empty lake."""
    return Lake(str(tmp_path / "lake"), tmp_path / "cache")


@pytest.fixture
def arxiv():
    """A loopback arXiv with 120 papers, 50 a page; every third has a PDF."""
    records = [record(n, day=1 + n % 28) for n in range(1, 121)]
    pdfs = {f"2402.{n:05d}v1": PDF for n in range(1, 121, 3)}
    with LoopbackArxiv(records, pdfs, page_size=50, clock=lambda: TODAY) as server:
        yield server


@pytest.fixture
def client(arxiv):
    """A client of that server which waits for nothing."""
    with Transport(contact=None, interval=0, sleep=lambda _: None) as transport:
        yield OAIClient(arxiv.oai_url, transport)


def run(lake, client, arxiv, **window):
    """Harvest a window of the server."""
    window = {"from_": date(2024, 2, 1), "today": date(2024, 3, 1)} | window
    return harvest(lake, client, base_url=arxiv.oai_url, **window)


def test_window_is_harvested_whole_and_kept_as_received(lake, client, arxiv):
    """All pages arrive, in the lake as they came and in the catalogue as works."""
    report = run(lake, client, arxiv)
    assert (report.pages, report.records, report.new) == (3, 120, 120)
    assert len(lake.catalogue.work_ids()) == 120
    raws = lake.files.names("raw")
    assert len(raws) == 3
    assert sum(len(parse_page(gzip.decompress(lake.files.read(name))).records) for name in raws) == 120


def test_harvesting_again_changes_nothing(lake, client, arxiv):
    """The same window twice gives the same works, none of them new."""
    run(lake, client, arxiv)
    before = list(lake.catalogue.works())
    assert run(lake, client, arxiv).new == 0
    assert list(lake.catalogue.works()) == before


def test_next_window_overlaps_the_last_closed_day(lake, client, arxiv):
    """Today's answer closes yesterday; the next harvest begins a day before that."""
    assert next_from(lake, arxiv.oai_url, None, TODAY.date()) == date(2024, 3, 3)
    run(lake, client, arxiv)
    assert next_from(lake, arxiv.oai_url, None, TODAY.date()) == date(2024, 3, 8)
    assert next_from(lake, arxiv.oai_url, "cs:cs:IR", TODAY.date()) == date(2024, 3, 3)


def test_interrupted_window_is_not_closed(lake, client, arxiv):
    """When page two never comes, page one is kept and the window is still open."""
    arxiv.faults.extend([Fault("/oai", delay=0)] + [Fault("/oai", reset=True)] * 20)
    with pytest.raises(NetworkUnreachable):
        run(lake, client, arxiv)
    lake.catalogue.refresh()
    assert len(lake.catalogue.work_ids()) == 50
    assert lake.catalogue.windows(arxiv.oai_url, None) == []
    arxiv.faults.clear()
    assert run(lake, client, arxiv).new == 70


def test_empty_window_is_no_failure(lake, client, arxiv):
    """A day without papers is harvested, closed, and holds nothing."""
    report = run(lake, client, arxiv, from_=date(2023, 1, 1), until=date(2023, 1, 2))
    assert (report.records, report.new) == (0, 0)
    assert len(lake.catalogue.windows(arxiv.oai_url, None)) == 1


def test_unreadable_record_is_reported_not_dropped(lake, client, arxiv):
    """A record without a title is named with its reason; the others arrive."""
    arxiv.put(record(500, day=2, title=" "))
    report = run(lake, client, arxiv)
    assert [failed.work_id for failed in report.unreadable] == ["2402.00500"]
    assert report.new == 120
    assert [f.stage for f in lake.catalogue.failures()] == ["works"]


def test_new_version_replaces_the_old(lake, client, arxiv):
    """A second version is what the lake holds after the next harvest."""
    run(lake, client, arxiv)
    arxiv.put(record(7, day=9, versions=2, title="Paper 7, corrected"))
    run(lake, client, arxiv)
    work = lake.catalogue.state("2402.00007").work
    assert (work.version, work.title) == (2, "Paper 7, corrected")


def test_single_paper_by_identifier(lake, client, arxiv):
    """One record can be had by its name; an unknown one is the protocol's own error."""
    harvest_ids(lake, client, [Identifier("2402.00003")])
    assert lake.catalogue.work_ids() == ["2402.00003"]
    with pytest.raises(IdDoesNotExist):
        harvest_ids(lake, client, [Identifier("2402.99999")])


def test_version_in_the_identifier_pins(lake, client, arxiv):
    """`IDv1` holds version 1 fast, `ID` follows the newest again, a version that is not there is refused."""
    arxiv.put(record(9, versions=3))
    harvest_ids(lake, client, [Identifier("2402.00009", 1)])
    work = lake.catalogue.state("2402.00009").work
    assert (work.version, work.pinned) == (1, True)
    harvest_ids(lake, client, [Identifier("2402.00009")])
    work = lake.catalogue.state("2402.00009").work
    assert (work.version, work.pinned) == (3, False)
    with pytest.raises(UsageError, match="no version 4"):
        harvest_ids(lake, client, [Identifier("2402.00009", 4)])


def test_missing_pdfs_are_reported_and_wait_a_day(lake, client, arxiv):
    """PDFs arrive; what answers 404 is named, counted, and left alone for a day."""
    run(lake, client, arxiv)
    with Transport(contact=None, interval=0, kind="pdf", sleep=lambda _: None) as transport:
        report = fetch(lake, transport, base_url=arxiv.pdf_url)
        assert (report.done, len(report.failed)) == (40, 80)
        assert {failed.error for failed in report.failed} == {"PDFNotFound"}
        again = fetch(lake, transport, base_url=arxiv.pdf_url)
        assert (again.done, again.failed, again.waiting) == (0, (), 80)
        asked = fetch(lake, transport, base_url=arxiv.pdf_url, ids=["2402.00002"])
    assert [(failed.work_id, failed.tries) for failed in asked.failed] == [("2402.00002", 2)]


def test_paper_without_a_pdf_is_asked_for_ever_more_seldom(lake, client, arxiv, monkeypatch):
    """After one 404 a day passes, after two of them two days."""
    harvest_ids(lake, client, [Identifier("2402.00002")])
    began = time.time_ns()
    with Transport(contact=None, interval=0, kind="pdf", sleep=lambda _: None) as transport:
        for days, failed in ((0, 1), (0.9, 0), (1.1, 1), (2.9, 0), (3.2, 1), (6.1, 0)):
            later = began + int(timedelta(days=days).total_seconds() * 1e9)
            monkeypatch.setattr("time.time_ns", lambda later=later: later)
            report = fetch(lake, transport, base_url=arxiv.pdf_url)
            assert (len(report.failed), report.waiting) == (failed, 1 - failed)


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Fault("/pdf", truncate=1000, announce=False), "TruncatedPDF"),
        (Fault("/pdf", body=b"<html><title>Sorry</title></html>"), "NotAPDF"),
    ],
)
def test_broken_pdf_never_enters_the_lake(lake, client, arxiv, fault, error):
    """A truncated file or a page in place of a PDF is a failure that the next run tries again."""
    harvest_ids(lake, client, [Identifier("2402.00001")])
    arxiv.faults.append(fault)
    with Transport(contact=None, interval=0, kind="pdf", tries=1, sleep=lambda _: None) as transport:
        report = fetch(lake, transport, base_url=arxiv.pdf_url)
        assert [failed.error for failed in report.failed] == [error]
        assert lake.files.names("pdf") == []
        assert fetch(lake, transport, base_url=arxiv.pdf_url).done == 1


def test_unreachable_server_ends_the_stage_and_keeps_what_came(lake, client, arxiv):
    """Three papers in a row without a connection: the network is to blame, and says so."""
    run(lake, client, arxiv)
    with Transport(contact=None, interval=0, kind="pdf", tries=1, sleep=lambda _: None) as transport:
        arxiv.faults.extend([Fault("/pdf")] + [Fault("/pdf", reset=True)] * 9)
        with pytest.raises(NetworkUnreachable):
            fetch(lake, transport, base_url=arxiv.pdf_url)
    lake.catalogue.refresh()
    assert len([f for f in lake.catalogue.failures() if f.error == "NetworkUnreachable"]) == 3


def test_window_that_begins_today_closes_no_day(lake, client, arxiv):
    """After an outage a harvest of today alone does not make yesterday look harvested."""
    run(lake, client, arxiv, until=date(2024, 3, 1))
    assert next_from(lake, arxiv.oai_url, None, TODAY.date()) == date(2024, 2, 29)
    run(lake, client, arxiv, from_=TODAY.date())
    run(lake, client, arxiv, from_=date(2024, 3, 20))
    assert next_from(lake, arxiv.oai_url, None, TODAY.date()) == date(2024, 2, 29)


def test_server_whose_clock_is_ahead_does_not_send_us_into_the_future(lake, arxiv):
    """A responseDate of another year closes days, but none that has not come yet."""
    lake.write_window(
        base_url=arxiv.oai_url,
        set_=None,
        from_=date(2024, 3, 1),
        until=None,
        response_date=datetime(2099, 1, 1, tzinfo=UTC),
    )
    lake.catalogue.refresh()
    assert next_from(lake, arxiv.oai_url, None, TODAY.date()) == date(2024, 3, 9)


def test_window_that_ends_before_the_last_harvest_asks_for_its_beginning(lake, client, arxiv):
    """`--until` in the past, without `--from`, is refused here and not by the server."""
    run(lake, client, arxiv)
    with pytest.raises(UsageError, match="say where it begins"):
        run(lake, client, arxiv, from_=None, until=date(2024, 2, 2))
    with pytest.raises(UsageError, match="swap the dates"):
        run(lake, client, arxiv, from_=date(2024, 2, 3), until=date(2024, 2, 2))


def test_record_that_becomes_readable_is_no_failure_any_more(lake, client, arxiv):
    """The failure of a record stands under the paper's id, and ends with the first harvest that reads it."""
    arxiv.put(record(1, title=" "))
    run(lake, client, arxiv)
    assert [f.work_id for f in lake.catalogue.failures()] == ["2402.00001"]
    arxiv.put(record(1))
    run(lake, client, arxiv)
    assert lake.catalogue.failures() == []


def test_outage_before_a_later_window_is_harvested(lake, client, arxiv):
    """A week is missing and a later day was harvested by hand: the next harvest brings the week."""
    run(lake, client, arxiv, until=date(2024, 2, 5))
    run(lake, client, arxiv, from_=date(2024, 2, 20), until=date(2024, 2, 22))
    report = run(lake, client, arxiv, from_=None, today=TODAY.date())
    assert report.from_ == date(2024, 2, 4)
    assert len(lake.catalogue.work_ids()) == 120
    assert next_from(lake, arxiv.oai_url, None, TODAY.date()) == date(2024, 3, 8)


def test_backfill_by_keys_is_whole_and_goes_on(lake, client, arxiv):
    """Each key harvests and closes its days; what is closed is not in the next list of keys."""
    url = arxiv.oai_url
    span = {"base_url": url, "from_": date(2024, 2, 1), "until": date(2024, 2, 29)}
    keys = backfill_keys(lake, **span, most=10)
    assert keys[0] == "2024-02-01_2024-02-03"
    assert len(keys) == 10
    for key in keys[::2]:
        harvest_window(lake, client, base_url=url, key=key)
    left = backfill_keys(lake, **span)
    assert len(left) == sum(Window.parse(key).days for key in keys[1::2])
    assert next_from(lake, url, None, TODAY.date()) == date(2024, 3, 3)
    for key in left:
        harvest_window(lake, client, base_url=url, key=key)
    assert backfill_keys(lake, **span) == []
    assert len(backfill_keys(lake, **span, skip_closed=False)) == 29
    assert len(lake.catalogue.work_ids()) == 120


def test_years_of_few_records_are_one_list(lake, client, arxiv):
    """A range of years whose list is short is asked for as a whole, not month by month."""
    report = run(lake, client, arxiv, from_=date(1991, 8, 1), today=TODAY.date())
    assert (report.pages, report.records) == (3, 120)
    assert len(arxiv.requests("/oai")) == 3


def test_long_list_is_closed_month_by_month(lake, client, arxiv, monkeypatch):
    """A long harvest that breaks off goes on after the last month that came whole."""
    monkeypatch.setattr(harvesting, "LONG_LIST", 1)
    arxiv.faults.extend([Fault("/oai")] * 10 + [Fault("/oai", reset=True)] * 20)
    with pytest.raises(NetworkUnreachable):
        run(lake, client, arxiv, from_=date(2023, 6, 1), today=TODAY.date())
    lake.catalogue.refresh()
    closed = lake.catalogue.windows(arxiv.oai_url, None)
    assert len(closed) == 8
    arxiv.faults.clear()
    report = run(lake, client, arxiv, from_=None, today=TODAY.date())
    assert report.from_ == date(2024, 2, 2)
    assert len(lake.catalogue.work_ids()) == 120


def test_incomplete_list_closes_no_day(lake, client, arxiv):
    """A server that leaves out the last page is found out by the size it states; nothing is closed."""
    first = arxiv.repository.answer(
        [("verb", "ListRecords"), ("metadataPrefix", "arXivRaw"), ("from", "2024-02-01")], arxiv.oai_url
    )
    head, _, tail = first.partition(b'completeListSize="120">')
    arxiv.recorded.append(
        ({"verb": "ListRecords"}, head + b'completeListSize="120">' + tail[tail.index(b"<") :])
    )
    with pytest.raises(MalformedResponse, match="50 of 120 records arrived"):
        run(lake, client, arxiv)
    lake.catalogue.refresh()
    assert lake.catalogue.windows(arxiv.oai_url, None) == []
    arxiv.recorded.clear()
    assert run(lake, client, arxiv).new == 70


@pytest.mark.parametrize("until", [None, date(2024, 2, 29)])
def test_record_that_changes_between_pages_hides_none(lake, client, arxiv, until):
    """A record of page one gets a new version before page two is asked for: all 120 arrive."""
    changed = []

    def change(progress):
        if not changed:
            changed.append(progress)
            arxiv.put(record(28, day=1, versions=2, title="Changed", datestamp=date(2024, 3, 9)))

    run(lake, client, arxiv, until=until, progress=change)
    assert len(lake.catalogue.work_ids()) == 120
    run(lake, client, arxiv, from_=date(2024, 3, 1))
    assert lake.catalogue.state("2402.00028").work.title == "Changed"


def test_broken_bytes_are_noted(lake, client, arxiv):
    """An answer that stays no UTF-8 is harvested, kept as received, and named in the report."""
    raw = arxiv.repository.answer(
        [("verb", "ListRecords"), ("metadataPrefix", "arXivRaw"), ("from", "2024-02-28")], arxiv.oai_url
    ).replace(b"something", b"s\xf6mething")
    arxiv.recorded.append(({"verb": "ListRecords"}, raw))
    report = run(lake, client, arxiv)
    assert "no valid UTF-8" in report.notes[0]
    assert report.new == 4
    assert gzip.decompress(lake.files.read(lake.files.names("raw")[0])) == raw


def test_retry_after_is_in_the_error(lake, client, arxiv):
    """A server that asks for hours is believed at once; a scheduler finds the seconds in the error."""
    arxiv.faults.append(Fault("/oai", status=503, headers={"Retry-After": "7200"}))
    with pytest.raises(ServerUnavailable) as caught:
        harvest_window(lake, client, base_url=arxiv.oai_url, key="2024-02-01_2024-02-02")
    assert (caught.value.retry_after, caught.value.retryable) == (7200, True)
