"""Merging old files changes what is listed, and nothing of what is known."""

from __future__ import annotations

import os
import random
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta

import pytest

from search.arxiv.records import ArxivRecord
from search.lake.batch import Outcome, read_outcomes
from search.lake.clearing import clear
from search.lake.compaction import KINDS, compact, groups
from search.lake.facts import ArxivFact, UserFact
from search.lake.lake import Lake
from search.models import Passage, Quality, ReadPaper, Version

NOW = timedelta(0)


class Killed(BaseException):
    """The process ends here."""


def fact(work_id, version=1, title="A title"):
    """One metadata fact."""
    moment = datetime(2024, 1, version, tzinfo=UTC)
    versions = tuple(Version(number=n, date=moment) for n in range(1, version + 1))
    record = ArxivRecord(
        work_id=work_id, format="arXivRaw", title=title, abstract="Words.", versions=versions
    )
    return ArxivFact(
        work_id=work_id,
        version=version,
        datestamp=date(2024, 1, version),
        response_date=moment,
        record=record,
    )


def paper(text):
    """A read paper of one passage."""
    quality = Quality(pages=1, characters=10, readable=1.0, headings=0, structure="whole paper")
    return ReadPaper(
        title="T", passages=(Passage(ordinal=1, page=1, text=text),), quality=quality, reader="r"
    )


def filled(folder, name="lake", cache="cache"):
    """A lake with a history: versions, decisions, failures, PDFs, readings, edges, windows."""
    lake = Lake(str(folder / name), folder / cache)
    ids = [f"2401.{n:05d}" for n in range(1, 13)]
    for n, work_id in enumerate(ids):
        lake.write_facts([fact(work_id), fact("2401.99999", 1 + n)])
        lake.write_fetched([lake.write_pdf(work_id, 1, b"%PDF-")], [Outcome(work_id, 1)])
        lake.write_papers([(work_id, 1, paper(f"Text {n}, an older reading."))], [Outcome(work_id, 1)])
        lake.write_papers([(work_id, 1, paper(f"Text {n}."))], [Outcome(work_id, 1)])
        edges = {"work_id": work_id, "version": 1, "paper": 1, "edges": [{"cited": f"arxiv:0704.{n:04d}"}]}
        lake.write_edges([edges], [Outcome(work_id, 1)])
        lake.write_fetched([], [Outcome(work_id, 9, "failed", "PDFNotFound", "404")])
        lake.write_window(
            base_url="b", set_=None, from_=date(2024, 1, 1 + n), until=None, response_date=datetime.now(UTC)
        )
    lake.write_facts([UserFact(work_id=ids[0], topic="removed", value=1)])
    lake.write_facts([UserFact(work_id=ids[1], topic="pin", value=1), fact(ids[1], 3)])
    lake.catalogue.refresh()
    return lake


def known(lake):
    """All that a catalogue says, the texts of papers too; where they lie does not matter."""
    lake.catalogue.refresh()
    catalogue = lake.catalogue
    ids = [*catalogue.work_ids(), *catalogue.work_ids(removed=True)]
    states = list(catalogue.states(ids))
    return [
        [(s.work_id, s.work, s.removed, s.stamp, s.text_stamp, s.edges, s.pdf) for s in states],
        [catalogue.paper(s.paper).passages[0].text if s.paper else None for s in states],
        catalogue.failures(),
        catalogue.windows("b", None),
        catalogue.to_fetch(),
        [row[:3] for row in catalogue.to_link()],
    ]


def anew(lake, folder):
    """The same lake seen by another machine, that has folded nothing yet."""
    return Lake(lake.files.url, folder / f"cache-{random.random()}")


def places(lake):
    """Where the papers that were read lie."""
    return [state.paper for state in lake.catalogue.states(lake.catalogue.work_ids()) if state.paper]


def files_of(lake):
    """How many files the mergeable kinds have."""
    return sum(len(lake.files.names(kind)) for kind in KINDS)


def test_merged_lake_says_the_same(tmp_path):
    """Fewer files; the catalogue that was there folds nothing anew, one of another machine sees the same."""
    lake = filled(tmp_path)
    before, count = known(lake), files_of(lake)
    papers = places(lake)
    done = lake.compact(older_than=NOW)
    assert (done.merged, done.into) == (count, 5)
    assert files_of(lake) == 5
    assert known(lake) == before
    assert known(anew(lake, tmp_path)) == before
    # What was found before the files were merged is found in the new ones.
    assert all(map(lake.catalogue.paper, papers))
    assert lake.compact(older_than=NOW).merged == 0


def test_merged_files_are_merged_again(tmp_path):
    """Year after year: merged files take in what came since, and old readers find their papers."""
    lake = filled(tmp_path)
    before = [
        place for work_id in lake.catalogue.work_ids() if (place := lake.catalogue.state(work_id).paper)
    ]
    lake.compact(older_than=NOW)
    between = [
        place for work_id in lake.catalogue.work_ids() if (place := lake.catalogue.state(work_id).paper)
    ]
    assert before != between
    for n in range(10):
        lake.write_papers([(f"2402.{n:05d}", 1, paper(f"New {n}"))], [Outcome(f"2402.{n:05d}", 1)])
        lake.write_facts([fact(f"2402.{n:05d}")])
    expected = known(lake)
    lake.compact(older_than=NOW)
    assert len(lake.files.names("papers")) == len(lake.files.names("works")) == 1
    assert known(lake) == expected == known(anew(lake, tmp_path))
    texts = [
        [lake.catalogue.paper(place).passages[0].text for place in places] for places in (before, between)
    ]
    assert texts[0] == texts[1]


def test_killed_at_any_step_it_ends_the_same(tmp_path, monkeypatch):
    """Killed after any number of writes and deletions, the lake says the same, and the next run ends it."""
    lake = filled(tmp_path)
    expected = known(lake)
    for left in (0, 1, 2, 7, 20, 50, 90):
        folder = tmp_path / f"copy{left}"
        shutil.copytree(tmp_path / "lake", folder)
        killed = Lake(str(folder), tmp_path / f"cache{left}")
        killed.catalogue.refresh()
        steps = iter(range(left))

        def counting(call, steps=steps):
            def count(*arguments):
                if next(steps, None) is None:
                    raise Killed
                return call(*arguments)

            return count

        with monkeypatch.context() as patch:
            for name in ("write", "delete"):
                patch.setattr(killed.files, name, counting(getattr(killed.files, name)))
            with pytest.raises(Killed):
                killed.compact(older_than=NOW)
        assert known(anew(killed, tmp_path)) == known(killed) == expected
        killed.compact(older_than=NOW)
        assert known(anew(killed, tmp_path)) == known(killed) == expected
        assert files_of(killed) == len(KINDS)


def test_what_is_young_or_large_stays(tmp_path):
    """Files of the last week, and those that are large enough, are left alone."""
    lake = filled(tmp_path)
    names = lake.files.names("works")
    assert lake.compact().merged == 0
    assert lake.files.names("works") == names
    sizes = {f"works/2024-01/{n}-w.jsonl": 10 for n in range(1, 20)}
    sizes["works/2024-01/7-w.jsonl"] = 60
    plan = list(groups(sizes, before=15, target=100, fewest=3))
    assert [len(group) for group in plan] == [10, 3]
    assert "works/2024-01/7-w.jsonl" not in plan[0]
    assert list(groups(sizes, before=3, target=100, fewest=3)) == []


def test_paper_taken_down_while_files_are_merged_does_not_come_back(tmp_path):
    """An order that was given while files were read leaves them as they are."""
    lake = filled(tmp_path)
    names = lake.files.names("papers")
    taken = "2401.00005"
    compact(lake.files, lambda: {taken}, older_than=NOW)
    assert lake.files.names("papers") == names
    assert len(lake.files.names("windows")) == 1


def test_merged_files_are_cleared_of_a_paper(tmp_path):
    """Of a paper that is taken down after merging, nothing is left, and all others stay where they are."""
    lake = filled(tmp_path)
    lake.compact(older_than=NOW)
    others = [i for i in lake.catalogue.work_ids() if i != "2401.00005"]
    before = [(s.work, s.edges, s.paper) for s in lake.catalogue.states(others)]
    clear(lake.files, "2401.00005")
    for kind in KINDS:
        for name in lake.files.names(kind):
            content = lake.files.read(name)
            assert b"2401.00005" not in content
            assert b'"Text 4."' not in content
    again = anew(lake, tmp_path)
    again.catalogue.refresh()
    assert [(s.work, s.edges, s.paper) for s in again.catalogue.states(others)] == before
    assert all(again.catalogue.paper(place) for _, _, place in before if place)


def test_works_of_a_merged_file_are_told(tmp_path):
    """A file that an index has not applied names its works, merged or not, and so does one that is gone."""
    lake = filled(tmp_path)
    (old, *_) = names = lake.files.names("papers")
    touched = {work_id for name in names for work_id in lake.touched(name)}
    lake.compact(older_than=NOW)
    (merged,) = lake.files.names("papers")
    assert lake.touched(merged) == lake.touched(old) == touched


def test_index_that_applied_the_parts_has_applied_the_whole(tmp_path):
    """Merged files are no news to an index that has all they were made of, however often they are merged."""
    lake = filled(tmp_path)
    applied = set(lake.indexed_files())
    lake.compact(older_than=NOW)
    assert len(lake.indexed_files()) == 3
    assert lake.unapplied(applied) == ([], lake.indexed_files())
    incomplete = applied - {min(name for name in applied if name.startswith("papers/"))}
    waiting, held = lake.unapplied(incomplete)
    assert [name.split("/")[0] for name in waiting] == ["papers"]
    applied = set(lake.indexed_files())
    for n in range(9):
        lake.write_facts([fact(f"2402.{n:05d}")])
    applied |= set(lake.indexed_files())
    lake.compact(older_than=NOW)
    assert lake.unapplied(applied)[0] == []
    assert len(held) == 2


def test_files_of_dead_writers_are_deleted_after_a_day(tmp_path):
    """What a killed writer left unfinished goes, what one may still be writing stays."""
    lake = filled(tmp_path)
    folder = tmp_path / "lake" / "works"
    old, young = folder / ".old.part", folder / ".young.part"
    for path in (old, young):
        path.write_bytes(b"half")
    yesterday = datetime.now(UTC).timestamp() - 90_000
    os.utime(old, (yesterday, yesterday))
    assert lake.compact().left_overs == 1
    assert (old.exists(), young.exists()) == (False, True)


def test_any_moment_of_folding(tmp_path):
    """Catalogues that folded some files before they were merged, and others after, agree with all others."""
    lake = filled(tmp_path)
    chance = random.Random(1)
    early = anew(lake, tmp_path)
    hidden = set(chance.sample(lake.files.names("works") + lake.files.names("papers"), 9))
    folders = early.files.folders

    def some(kind, before):
        return [(f, [n for n in names if n not in hidden], None) for f, names, _ in folders(kind, before)]

    early.files.folders = some
    early.catalogue.refresh()
    early.files.folders = folders
    expected = known(lake)
    lake.compact(older_than=NOW)
    assert known(early) == expected
    merged = lake.files.names("papers")[0]
    assert len(read_outcomes(lake.files, merged).parts) == 24


def test_beside_writers_and_readers(tmp_path):
    """While one process writes and another reads, a third merges all there is: nothing is lost or twice."""
    lake = Lake(str(tmp_path / "lake"), tmp_path / "cache")
    writer, merger = anew(lake, tmp_path), anew(lake, tmp_path)
    ids = [f"2401.{n:05d}" for n in range(1, 31)]
    ended = threading.Event()

    def merge():
        while not ended.is_set():
            compact(merger.files, set, older_than=NOW, fewest=2)

    def read():
        while not ended.is_set():
            lake.catalogue.refresh()
            for place in places(lake):
                lake.catalogue.paper(place)
            for name in lake.indexed_files():
                lake.touched(name)

    with ThreadPoolExecutor(2) as pool:
        others = [pool.submit(merge), pool.submit(read)]
        try:
            for work_id in ids:
                writer.write_facts([fact(work_id)])
                writer.write_papers([(work_id, 1, paper(work_id))], [Outcome(work_id, 1)])
        finally:
            ended.set()
        for other in others:
            other.result()
    lake.compact(older_than=NOW)
    assert [state.work_id for state in lake.catalogue.states(ids) if state.paper] == ids
    assert [lake.catalogue.paper(place).passages[0].text for place in places(lake)] == ids
    assert known(anew(lake, tmp_path)) == known(lake)


def test_file_that_goes_while_it_is_folded_is_found_in_the_merged_one(tmp_path, monkeypatch):
    """A catalogue that listed files which are merged before it reads them looks once more."""
    lake = filled(tmp_path)
    expected = known(lake)
    late = anew(lake, tmp_path)
    listed = late.catalogue._new

    def and_then_merged(db):
        found = listed(db)
        lake.compact(older_than=NOW)
        return found

    monkeypatch.setattr(late.catalogue, "_new", and_then_merged)
    assert known(late) == expected


def test_merged_files_that_came_and_went_unseen(tmp_path):
    """A catalogue that has seen the first merged files and the third, not those between, is led on."""
    lake, late = filled(tmp_path), anew(Lake(str(tmp_path / "lake"), tmp_path / "cache"), tmp_path)
    late.catalogue.refresh()
    applied = late.indexed_files()
    for turn in range(3):
        compact(lake.files, set, older_than=NOW)
        if turn == 0:
            late.catalogue.refresh()
            papers, names = places(late), late.indexed_files()
        for n in range(10):
            lake.write_facts([fact(f"240{turn + 2}.{n:05d}")])
            lake.write_papers([(f"240{turn + 2}.{n:05d}", 1, paper("New"))], [Outcome(f"x{n}", 1)])
    compact(lake.files, set, older_than=NOW)
    assert all(map(late.catalogue.paper, papers))
    assert {work_id for name in applied for work_id in late.touched(name)}
    assert not set(names) & set(late.files.names("works") + late.files.names("papers"))
    assert set(late.indexed_files()) <= {name for kind in KINDS for name in late.files.names(kind)}
    assert known(late) == known(anew(lake, tmp_path))
