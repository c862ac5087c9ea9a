"""A metadata snapshot into the lake: once, whole, and behind what a harvest says."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
from datetime import UTC, date, datetime

import orjson
import pytest

from search.arxiv.oai import OAIClient
from search.arxiv.transport import Transport
from search.demo.server import DemoRecord, DemoVersion, LoopbackArxiv
from search.errors import MalformedResponse, UsageError
from search.ingest import snapshot
from search.ingest.harvest import harvest, next_from
from search.ingest.snapshot import import_snapshot
from search.lake.lake import Lake

URL = "https://oaipmh.arxiv.org/oai"
TODAY = date(2026, 11, 22)


def entry(number, **changes):
    """One line of a snapshot."""
    fields = {
        "id": f"2402.{number:05}", "submitter": "Ada", "authors": "Ada Lovelace", "title": f"Paper {number}",
        "comments": None, "journal-ref": None, "doi": f"10.1/{number}", "report-no": None,
        "categories": "cs.IR", "license": "http://creativecommons.org/licenses/by/4.0/",
        "abstract": "From the snapshot.", "update_date": "2024-02-05",
        "authors_parsed": [["Lovelace", "Ada", "Jr."]],
        "versions": [{"version": "v1", "created": "Thu, 1 Feb 2024 08:00:00 GMT"}],
    }  # fmt: skip
    return orjson.dumps(fields | changes) + b"\n"


@pytest.fixture
def lake(tmp_path):
    """An empty lake."""
    return Lake(str(tmp_path / "lake"), tmp_path / "cache")


@pytest.fixture
def file(tmp_path, monkeypatch):
    """A snapshot of 25 papers, in batches of ten, with two bad lines and an empty one."""
    monkeypatch.setattr(snapshot, "BATCH", 10)
    rows = [entry(n, update_date=f"2024-02-{n:02}") for n in range(1, 26)]
    rows[3:3] = [b"nonsense\n", b"\n"]
    rows[20:20] = [entry(99, title="")]
    path = tmp_path / "snapshot.json"
    path.write_bytes(b"".join(rows))
    return path


def works(lake):
    return [work.model_dump() for work in lake.catalogue.works()]


def test_every_line_arrives_or_is_reported(lake, file):
    """Works are in the catalogue, bad lines are named by number, the newest day is known."""
    report = import_snapshot(lake, file, base_url=URL)
    assert (report.lines, report.records, report.new) == (28, 25, 25)
    assert [(bad.line, bad.message) for bad in report.unreadable] == [
        (4, "no JSON (invalid literal, expected 'null': line 1 column 1 (char 0))"),
        (21, "2402.00099 has no title"),
    ]
    assert report.newest == date(2024, 2, 25)
    assert len(lake.files.names("works")) == 3
    work = next(lake.catalogue.works())
    assert (work.work_id, work.version, work.authors, work.doi) == (
        "2402.00001", 1, ("Ada Lovelace Jr.",), "10.1/1",
    )  # fmt: skip


def test_the_same_file_again_brings_nothing(lake, file):
    """A second import writes no batch and still says what the file holds."""
    import_snapshot(lake, file, base_url=URL)
    before = (lake.files.names("works"), works(lake))
    report = import_snapshot(lake, file, base_url=URL)
    assert (report.lines, report.resumed_lines, report.records, report.new) == (0, 28, 25, 0)
    assert report.unreadable_lines == 2
    assert (lake.files.names("works"), works(lake)) == before


KILLED = """
import os, signal, sys
from pathlib import Path
from search.ingest import snapshot
from search.lake.lake import Lake
snapshot.BATCH = 10
lake = Lake(sys.argv[1], Path(sys.argv[2]))
write, left = lake.files.write, int(sys.argv[4])
def counted(*values):
    global left
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)
    left -= 1
    write(*values)
lake.files.write = counted
snapshot.import_snapshot(lake, Path(sys.argv[3]), base_url="https://oaipmh.arxiv.org/oai")
"""


@pytest.mark.parametrize("writes", range(7))
def test_a_killed_import_goes_on(tmp_path, file, writes):
    """Killed before any of its seven writes, and run again: the same works as without the kill."""
    home = tmp_path / "killed"
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(home / "lake"), str(home / "cache"), str(file), str(writes)],
        check=False, env=os.environ,
    )  # fmt: skip
    assert done.returncode == -signal.SIGKILL
    lake, undisturbed = (Lake(str(at / "lake"), at / "cache") for at in (home, tmp_path / "other"))
    report = import_snapshot(lake, file, base_url=URL)
    whole = import_snapshot(undisturbed, file, base_url=URL)
    assert report.resumed_lines == min(writes // 2 * 10, 28)
    assert (report.records, report.unreadable, report.newest) == (25, whole.unreadable, whole.newest)
    assert works(lake) == works(undisturbed)
    lake.catalogue.forget()
    lake.catalogue.refresh()
    assert works(lake) == works(undisturbed)


def test_a_harvest_counts_more(lake, file):
    """arXiv's own record leads, whichever came first; the snapshot fills the structured names."""
    versions = tuple(DemoVersion(datetime(2024, 2, day, 8, tzinfo=UTC)) for day in (1, 20))
    record = DemoRecord(id="2402.00001", title="Harvested", abstract="Anew.", versions=versions)
    same = DemoRecord(id="2402.00002", title="Harvested too", abstract="Anew.", versions=versions[:1])
    with LoopbackArxiv([record, same]) as server, Transport(contact=None, interval=0) as transport:
        client = OAIClient(server.oai_url, transport)
        harvest(lake, client, base_url=server.oai_url, from_=date(2024, 2, 1), until=date(2024, 2, 28))
    import_snapshot(lake, file, base_url=URL)
    first, second = (lake.catalogue.state(f"2402.0000{n}").work for n in (1, 2))
    assert (first.title, first.version, first.abstract) == ("Harvested", 2, "Anew.")
    assert first.authors == ("The Citewell authors",)  # the snapshot's names are of version 1
    assert (second.title, second.authors, second.doi) == ("Harvested too", ("Ada Lovelace Jr.",), "10.1/2")


def test_the_next_harvest_begins_where_the_snapshot_ends(lake, file, tmp_path):
    """Two days before the newest update; not for another server, and not before the file is whole."""
    assert next_from(lake, URL, None, TODAY) == date(2026, 11, 15)
    import_snapshot(lake, file, base_url=URL)
    assert next_from(lake, URL, None, TODAY) == date(2024, 2, 23)
    assert next_from(lake, "https://elsewhere.example/oai", None, TODAY) == date(2026, 11, 15)
    assert lake.catalogue.harvested(URL, None) == []
    later = tmp_path / "later.json"
    later.write_bytes(entry(1, update_date="2024-03-01") + entry(2, update_date="2999-01-01"))
    import_snapshot(lake, later, base_url=URL)
    assert next_from(lake, URL, None, TODAY) == date(2024, 2, 28)


def test_what_is_no_snapshot_is_refused(lake, tmp_path):
    """A file of another kind is refused by its first line, and leaves nothing in the lake."""
    other = tmp_path / "other.json"
    other.write_bytes(json.dumps([{"id": "2402.00001"}], indent=0).encode() * 100)
    with pytest.raises(UsageError, match="no snapshot of arXiv's metadata: line 1"):
        import_snapshot(lake, other, base_url=URL)
    assert lake.files.names("works") == []
    with pytest.raises(UsageError, match="there is no file"):
        import_snapshot(lake, tmp_path / "nothing", base_url=URL)


def test_a_cut_download_keeps_what_came(lake, file, tmp_path):
    """Of a packed file that breaks off, the whole batches are kept, and the error says where it broke."""
    packed = tmp_path / "cut.gz"
    rows = b"".join(entry(n, abstract=os.urandom(300).hex()) for n in range(1, 41))
    whole = gzip.compress(rows)
    packed.write_bytes(whole[: len(whole) * 3 // 4])
    with pytest.raises(MalformedResponse, match="breaks off after line"):
        import_snapshot(lake, packed, base_url=URL)
    assert len(works(lake)) in {10, 20, 30}
    assert next_from(lake, URL, None, TODAY) == date(2026, 11, 15)
