"""The catalogue adds up to the same whatever the order of the files, and can be thrown away."""

from __future__ import annotations

import random
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest

from search.arxiv.records import ArxivRecord
from search.lake.batch import Outcome, Writer, stamp_of
from search.lake.catalogue import Catalogue
from search.lake.facts import ArxivFact, UserFact
from search.lake.folding import fold
from search.lake.lake import Lake
from search.lake.shares import Share
from search.lake.vectors import vector_key
from search.models import Passage, Quality, ReadPaper, Version

MOMENT = datetime(2024, 1, 15, 12, tzinfo=UTC)


@pytest.fixture
def lake(tmp_path):
    """An empty lake."""
    return Lake(str(tmp_path / "lake"), tmp_path / "cache")


def raw(work_id, versions=1, *, title="A title", day=0, source_type="", format_="arXivRaw", **fields):
    """One metadata fact, answered `day` days after the first."""
    history = tuple(
        Version(number=n, date=MOMENT + timedelta(days=n), source_type=source_type if n == versions else "")
        for n in range(1, versions + 1)
    )
    fields = {"abstract": "Words.", "authors": ("Ada Lovelace",), "categories": ("cs.CL",), **fields}
    record = ArxivRecord(
        work_id=work_id,
        format=format_,
        title=title,
        versions=history if format_ == "arXivRaw" else (),
        **fields,
    )
    return ArxivFact(
        work_id=work_id,
        version=record.newest,
        datestamp=date(2024, 1, 15) + timedelta(days=day),
        response_date=MOMENT + timedelta(days=day),
        record=record,
    )


def read_paper(text="Some text."):
    """A read paper of one passage."""
    return ReadPaper(
        title="A title",
        passages=(Passage(ordinal=1, page=1, text=text),),
        quality=Quality(pages=1, characters=10, readable=1.0, headings=0, structure="whole paper"),
        reader="test/1",
    )


def held(lake, work_id="2401.00001"):
    """The work as the catalogue has it after a refresh."""
    lake.catalogue.refresh()
    return lake.catalogue.state(work_id)


def test_newer_version_wins_whenever_it_arrives(lake):
    """An old record that is harvested late does not undo a newer version."""
    lake.write_facts([raw("2401.00001", 2, title="New", day=3)])
    lake.write_facts([raw("2401.00001", 1, title="Old", day=9)])
    state = held(lake)
    assert (state.work.title, state.work.version, state.work.published) == ("New", 2, date(2024, 1, 16))


def test_other_formats_only_fill(lake):
    """arXivRaw leads; the structured authors come from `arXiv`, and nothing else changes."""
    lake.write_facts([raw("2401.00001", 2, title="Raw", authors=("A. Lovelace",))])
    lake.write_facts(
        [raw("2401.00001", format_="arXiv", title="Other", day=5, authors=("Ada Lovelace",), doi="10.1/x")]
    )
    work = held(lake).work
    assert (work.title, work.authors, work.doi, work.version) == ("Raw", ("Ada Lovelace",), "10.1/x", 2)


def test_no_harvest_undoes_a_removal(lake):
    """A removed work stays removed through harvests until the user adds it again."""
    lake.write_facts([raw("2401.00001")])
    lake.write_facts([UserFact(work_id="2401.00001", topic="removed", value=1)])
    lake.write_facts([raw("2401.00001", 2, day=30)])
    assert held(lake).removed
    lake.write_facts([UserFact(work_id="2401.00001", topic="removed", value=0)])
    assert not held(lake).removed


def test_pin_keeps_an_older_version(lake):
    """A pinned version is the one held, also when newer ones arrive."""
    lake.write_facts([UserFact(work_id="2401.00001", topic="pin", value=1), raw("2401.00001", 3)])
    work = held(lake).work
    assert (work.version, work.pinned, work.updated) == (1, True, date(2024, 1, 16))


def test_withdrawn_is_a_source_type_on_the_newest_version(lake):
    """Source type I on the newest version: withdrawn."""
    lake.write_facts([raw("2401.00001", 2, source_type="I")])
    assert held(lake).work.withdrawn == "yes"


def test_full_text_of_a_superseded_version_does_not_count(lake):
    """When version 2 arrives, the reading of version 1 is no longer the paper's."""
    lake.write_facts([raw("2401.00001", 1)])
    lake.write_fetched([lake.write_pdf("2401.00001", 1, b"%PDF-")], [Outcome("2401.00001", 1)])
    lake.write_papers([("2401.00001", 1, read_paper())], [Outcome("2401.00001", 1)])
    assert lake.catalogue.paper(held(lake).paper).passages[0].text == "Some text."
    lake.write_facts([raw("2401.00001", 2, day=1)])
    assert held(lake).paper is None
    assert lake.catalogue.to_fetch() == [("2401.00001", 2)]


def test_each_stage_is_due_once(lake):
    """A paper is due for fetching, reading, linking and embedding until that is done."""
    catalogue = lake.catalogue
    lake.write_facts([raw("2401.00001")])
    catalogue.refresh()
    assert (catalogue.to_fetch(), catalogue.to_read("test/1")) == ([("2401.00001", 1)], [])
    lake.write_fetched([lake.write_pdf("2401.00001", 1, b"%PDF-")], [Outcome("2401.00001", 1)])
    catalogue.refresh()
    assert [row[:2] for row in catalogue.to_read("test/1")] == [("2401.00001", 1)]
    lake.write_papers([("2401.00001", 1, read_paper())], [Outcome("2401.00001", 1)])
    catalogue.refresh()
    assert catalogue.to_fetch() == catalogue.to_read("test/1") == []
    ((work_id, version, stamp, _),) = catalogue.to_link()
    edges = {"work_id": work_id, "version": version, "paper": stamp, "edges": [{"cited": "arxiv:0704.0001"}]}
    lake.write_edges([edges], [Outcome(work_id, version)])
    catalogue.refresh()
    assert catalogue.to_link() == []
    assert catalogue.to_embed("f") == ["2401.00001"]
    state = catalogue.state("2401.00001")
    key = vector_key("f", "text")
    done = [Outcome("2401.00001", stamp=state.text_stamp)]
    lake.write_vectors("f", [key], np.ones((1, 3), np.float32), done)
    catalogue.refresh()
    assert catalogue.to_embed("f") == []
    assert catalogue.to_embed("another") == ["2401.00001"]
    found, missing = lake.vectors("f", [key, vector_key("f", "other")])
    assert found.tolist() == [1, 1, 1]
    assert missing is None


def test_each_share_has_its_own_due_papers(lake):
    """What is due in all shares together is what is due, at every stage, and nothing twice."""
    ids = [f"2401.{n:05d}" for n in range(1, 30)]
    lake.write_facts([raw(work_id) for work_id in ids])
    lake.write_fetched(
        [lake.write_pdf(work_id, 1, b"%PDF-") for work_id in ids[:20]],
        [Outcome(work_id, 1) for work_id in ids[:20]],
    )
    lake.write_papers(
        [(work_id, 1, read_paper()) for work_id in ids[:10]], [Outcome(work_id, 1) for work_id in ids[:10]]
    )
    lake.catalogue.refresh()
    parts = [Share(number, 3) for number in range(3)]
    catalogue = lake.catalogue
    for expected, due in (
        (ids[20:], lambda share: [row[0] for row in catalogue.to_fetch(share=share)]),
        (ids[10:20], lambda share: [row[0] for row in catalogue.to_read("test/1", share)]),
        (ids[:10], lambda share: [row[0] for row in catalogue.to_link(share)]),
        (ids, lambda share: catalogue.to_embed("f", share)),
    ):
        assert sorted(work_id for share in parts for work_id in due(share)) == expected
        assert all(share.holds(work_id) for share in parts for work_id in due(share))
        assert sorted(due(None)) == expected


def test_due_works_are_counted(lake):
    """The counts are those of the lists, from the first time that a model is named."""
    ids = [f"2401.{n:05d}" for n in range(1, 8)]
    lake.write_facts([raw(work_id) for work_id in ids])
    lake.write_fetched([lake.write_pdf(ids[0], 1, b"%PDF-")], [Outcome(ids[0], 1)])
    lake.catalogue.refresh()
    assert lake.catalogue.due() == {"read": 1, "link": 0, "embed": 0}
    assert lake.catalogue.due("f") == {"read": 1, "link": 0, "embed": 7}
    lake.write_papers([(ids[0], 1, read_paper())], [Outcome(ids[0], 1)])
    lake.write_facts([raw("2402.00001")])
    lake.catalogue.refresh()
    assert lake.catalogue.due("f") == {"read": 0, "link": 1, "embed": 8}
    assert lake.catalogue.due("f", most=5) == {"read": 0, "link": 1, "embed": 5}
    assert lake.catalogue.to_fetch([ids[3], ids[3], ids[0], "unknown", "2402.00001"]) == [
        ("2402.00001", 1),
        (ids[3], 1),
    ]


def test_failures_count_their_tries_and_end_with_success(lake):
    """A failure carries stage, reason and number of tries; a later success clears it."""
    lake.write_facts([raw("2401.00001")])
    failed = Outcome("2401.00001", 1, "failed", "TruncatedPDF", "ends early", retryable=True)
    for _ in range(3):
        lake.write_fetched([], [failed])
    lake.catalogue.refresh()
    (failure,) = lake.catalogue.failures()
    assert (failure.stage, failure.error, failure.tries) == ("fetched", "TruncatedPDF", 3)
    lake.write_fetched([lake.write_pdf("2401.00001", 1, b"%PDF-")], [Outcome("2401.00001", 1)])
    lake.catalogue.refresh()
    assert lake.catalogue.failures() == []


def test_unreadable_pdf_waits_for_a_newer_reader(lake):
    """What one reader could not read is tried again by the next version, not by the same."""
    lake.write_facts([raw("2401.00001")])
    lake.write_fetched([lake.write_pdf("2401.00001", 1, b"%PDF-")], [Outcome("2401.00001", 1)])
    lake.write_papers([], [Outcome("2401.00001", 1, "failed", "EncryptedPDF", "locked", tool="reader/1")])
    lake.catalogue.refresh()
    assert lake.catalogue.to_read("reader/1") == []
    assert len(lake.catalogue.to_read("reader/2")) == 1


def test_order_of_files_does_not_matter(tmp_path):
    """Folding the same files in any order, or all at once, gives the same works."""
    lake = Lake(str(tmp_path / "lake"), tmp_path / "cache")
    lake.writer = Writer("one")
    other = Lake(str(tmp_path / "lake"), tmp_path / "cache2")
    other.writer = Writer("two")
    for n in range(1, 4):
        lake.write_facts([raw("2401.00001", n, title=f"v{n}", day=n), raw("hep-th/9901001", 1, day=n)])
        other.write_facts([UserFact(work_id="2401.00001", topic="removed", value=n % 2)])
        other.write_facts([raw("2401.00001", format_="arXiv", title="x", day=n, doi=f"10.1/{n}")])
    lake.catalogue.refresh()
    expected = [lake.catalogue.state("2401.00001"), lake.catalogue.state("hep-th/9901001")]
    names = lake.files.names("works")
    for seed in range(5):
        random.Random(seed).shuffle(names)
        catalogue = Catalogue(tmp_path / f"shuffled{seed}.sqlite", lake.files)
        for name in names:
            with closing(catalogue._connect()) as db:
                fold(db, lake.files, [name])
        assert [catalogue.state("2401.00001"), catalogue.state("hep-th/9901001")] == expected


def test_thrown_away_catalogue_comes_back(lake):
    """Deleting the cache loses nothing."""
    lake.write_facts([raw("2401.00001", 2)])
    before = held(lake)
    lake.catalogue.forget()
    assert lake.catalogue.refresh() == 1
    assert lake.catalogue.state("2401.00001") == before


def test_refresh_reads_only_new_files(lake):
    """A second refresh reads nothing, a third what was added in between."""
    lake.write_facts([raw("2401.00001")])
    assert lake.catalogue.refresh() == 1
    assert lake.catalogue.refresh() == 0
    lake.write_facts([raw("2401.00002")])
    assert lake.catalogue.refresh() == 1


def test_what_the_index_holds_never_gets_older(lake):
    """A newer version whose file was stamped before a late older record still raises the work's stamp."""
    lake.write_facts([raw("2401.00001", 2, day=3)])
    lake.write_papers([("2401.00001", 2, read_paper())], [Outcome("2401.00001", 2)])
    before = held(lake).stamp
    lake.write_facts([raw("2401.00001", 1, day=9)])
    late = held(lake)
    assert late.work.version == 2
    assert late.stamp > before
    behind = Lake(lake.files.url, lake.catalogue._path.parent / "another")
    behind.writer = Writer("behind")
    behind.writer.stamp = lambda: late.stamp - 1
    behind.write_facts([raw("2401.00001", 3, day=4)])
    state = held(lake)
    assert (state.work.version, state.paper) == (3, None)
    assert state.stamp == late.stamp


def test_writer_whose_clock_is_behind_stamps_above_what_it_has_seen(lake, monkeypatch):
    """A clock that was set back does not make new facts older than old ones."""
    first = lake.write_facts([raw("2401.00001")])
    lake.catalogue.refresh()
    later = Lake(lake.files.url, lake.catalogue._path.parent / "later")
    later.catalogue.refresh()
    monkeypatch.setattr("time.time_ns", lambda: 10**18)
    second = later.write_facts([raw("2401.00001", 2)])
    assert stamp_of(second) > stamp_of(first)


def test_replaced_pdf_is_read_again(lake):
    """Another PDF of a version that was read is due for reading; the same one is not."""
    lake.write_facts([raw("2401.00001")])
    lake.write_fetched([lake.write_pdf("2401.00001", 1, b"%PDF-")], [Outcome("2401.00001", 1)])
    lake.write_papers([("2401.00001", 1, read_paper())], [Outcome("2401.00001", 1)])
    lake.write_fetched([lake.write_pdf("2401.00001", 1, b"%PDF-")], [Outcome("2401.00001", 1)])
    lake.catalogue.refresh()
    assert lake.catalogue.to_read("test/1") == []
    lake.write_fetched([lake.write_pdf("2401.00001", 1, b"%PDF-2")], [Outcome("2401.00001", 1)])
    lake.catalogue.refresh()
    assert len(lake.catalogue.to_read("test/1")) == 1


def test_newest_papers_are_fetched_first(lake):
    """Old-style identifiers sort after all others as text, and are fetched last."""
    lake.write_facts([raw("2401.00001"), raw("hep-th/9901001")])
    old = raw("hep-th/9901001", versions=2)
    history = tuple(
        v.model_copy(update={"date": datetime(1999, 1, 1, tzinfo=UTC)}) for v in old.record.versions
    )
    record = old.record.model_copy(update={"versions": history})
    lake.write_facts([old.model_copy(update={"record": record})])
    lake.catalogue.refresh()
    assert lake.catalogue.to_fetch() == [("2401.00001", 1), ("hep-th/9901001", 2)]


def test_record_that_says_nothing_new_is_not_written(lake):
    """Harvested once more, an unchanged record leaves no file; a changed one and a decision do."""
    first = lake.write_facts([raw("2401.00001"), raw("2401.00002")])
    lake.catalogue.refresh()
    assert lake.write_facts([raw("2401.00001"), raw("2401.00002")]) == ""
    assert lake.files.names("works") == [first]
    changed = raw("2401.00001", title="Another title")
    assert lake.touched(lake.write_facts([changed, raw("2401.00002")])) == {"2401.00001"}
    decision = UserFact(work_id="2401.00002", topic="removed", value=0)
    assert lake.touched(lake.write_facts([decision, decision])) == {"2401.00002"}
    assert lake.touched(lake.write_facts([raw("2401.00002", day=1)])) == {"2401.00002"}


def test_old_record_that_can_be_read_again_ends_its_failure(lake):
    """A record that was unreadable in between and is again what it was is no failure any more."""
    lake.write_facts([raw("2401.00001"), raw("2401.00002")])
    lake.write_facts([], [Outcome("2401.00001", None, "failed", "MalformedResponse", "no title")])
    lake.catalogue.refresh()
    assert len(lake.catalogue.failures()) == 1
    lake.write_facts([raw("2401.00001"), raw("2401.00002")])
    lake.catalogue.refresh()
    assert lake.catalogue.failures() == []


def test_removed_work_has_no_failures(lake):
    """What failed for a paper is no trouble any more when the paper is removed."""
    lake.write_facts([raw("2401.00001")])
    lake.write_fetched([], [Outcome("2401.00001", 1, "failed", "PDFNotFound", "404")])
    lake.catalogue.refresh()
    assert len(lake.catalogue.failures()) == 1
    lake.write_facts([UserFact(work_id="2401.00001", topic="removed", value=1)])
    lake.catalogue.refresh()
    assert lake.catalogue.failures() == []


def test_half_of_a_surrogate_pair_does_not_stop_the_batch(lake):
    """Text that no UTF-8 can hold, from a broken font, is kept without the broken character."""
    lake.write_facts([raw("2401.00001")])
    lake.write_papers([("2401.00001", 1, read_paper("broken \ud835 letter"))], [Outcome("2401.00001", 1)])
    assert lake.catalogue.paper(held(lake).paper).passages[0].text == "broken ? letter"


@pytest.mark.parametrize("content", [b"no database at all" * 500, b""])
def test_damaged_catalogue_is_made_anew(lake, content):
    """A cache file that a power cut has spoilt is thrown away by itself."""
    lake.write_facts([raw("2401.00001")])
    path = lake.catalogue._path
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink()
    path.write_bytes(content)
    again = Catalogue(path, lake.files)
    assert again.refresh() == 1


def test_catalogue_of_another_version_is_folded_again_whoever_comes_first(lake, tmp_path):
    """Twenty threads that open an outdated catalogue at once all find a whole one."""
    lake.write_facts([raw("2401.00001")])
    path = tmp_path / "old.sqlite"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE files (name TEXT, more TEXT)")
        db.execute("PRAGMA user_version = 1")
    db.close()

    def ids(_number):
        catalogue = Catalogue(path, lake.files)
        catalogue.refresh()
        return catalogue.work_ids()

    with ThreadPoolExecutor(20) as pool:
        assert list(pool.map(ids, range(40))) == [["2401.00001"]] * 40


def test_relative_and_absolute_address_are_one_lake(tmp_path, monkeypatch):
    """One catalogue per lake, not per spelling: the same relative path elsewhere is another lake."""
    monkeypatch.chdir(tmp_path)
    here, same = Lake("lake", tmp_path / "cache"), Lake(str(tmp_path / "lake"), tmp_path / "cache")
    (tmp_path / "b").mkdir()
    monkeypatch.chdir(tmp_path / "b")
    there = Lake("lake", tmp_path / "cache")
    assert here.catalogue._path == same.catalogue._path != there.catalogue._path


def test_catalogue_that_another_process_threw_away_is_folded_whole(lake, tmp_path, monkeypatch):
    """Thrown away between two looks, or while folders are listed, it misses none of the files before that."""
    other = Lake(lake.files.url, tmp_path / "cache")
    ids = [f"2401.{n:05d}" for n in range(1, 5)]
    lake.write_facts([raw(ids[0])])
    lake.catalogue.refresh()
    other.catalogue.forget()
    lake.write_facts([raw(ids[1])])
    lake.catalogue.refresh()
    assert lake.catalogue.work_ids() == ids[:2]
    listed = lake.catalogue._new

    def and_then_forgotten(db):
        found = listed(db)
        other.catalogue.forget()
        monkeypatch.undo()
        return found

    monkeypatch.setattr("search.lake.files.TICK", -1)
    monkeypatch.setattr(lake.catalogue, "_new", and_then_forgotten)
    lake.write_facts([raw(ids[2])])
    lake.catalogue.refresh()
    lake.catalogue.refresh()
    assert lake.catalogue.work_ids() == ids[:3]
