"""Saved searches tell what is new, once, and never lose it to an interruption."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta

import pytest
from ingest.small_library import BOTH_STORES, Noise, harvested, opened, record, same_lake, work_id

from search.cli.run import run
from search.demo.server import DemoRecord, DemoVersion, LoopbackArxiv
from search.errors import BadFilter, EmptyQuery, UsageError
from search.ingest import watch as watching
from search.models import Filters

TODAY = datetime.now(UTC)


def paper(number, subject, *, ages=(1,), **fields):
    """A paper about a subject whose versions are so many days old."""
    versions = tuple(DemoVersion(TODAY - timedelta(days=age)) for age in ages)
    fields = {"title": f"About {subject}", "abstract": f"We study {subject} at length.", **fields}
    return DemoRecord(id=work_id(number), versions=versions, categories="cs.IR", **fields)


@pytest.fixture
def arxiv():
    """A loopback arXiv of twelve papers of 2024."""
    with LoopbackArxiv([record(n) for n in range(1, 13)]) as server:
        yield server


@pytest.fixture(params=BOTH_STORES)
def library(request, tmp_path, arxiv):
    """A library that holds them, on either store."""
    with opened(request.param, tmp_path, arxiv, request) as library:
        yield harvested(library)


@pytest.fixture
def embedded(request, tmp_path, arxiv):
    """The same without a server."""
    with opened("embedded", tmp_path, arxiv, request) as library:
        yield harvested(library)


def news(library, **options):
    """The ids and versions that each watch tells of."""
    return {r.name: [(p.work_id, p.version) for p in r.papers] for r in library.watch_run(**options)}


def test_new_papers_that_match_are_told_once(library, arxiv):
    """What came since the watch was saved, and is about its query, is told; then it is not new any more."""
    library.watch_add("gaps", "prime number gaps")
    assert news(library) == {"gaps": []}, "what was there before is not new"
    arxiv.put(paper(20, "gaps between prime numbers"))
    arxiv.put(paper(21, "the diet of sea otters"))
    harvested(library)
    (report,) = library.watch_run()
    assert [(p.work_id, p.version) for p in report.papers] == [(work_id(20), 1)]
    assert report.compared == 2
    (found,) = report.papers
    assert found.score >= 0.6
    assert "prime numbers" in found.passage.text
    assert news(library) == {"gaps": []}
    arxiv.put(paper(22, "large gaps between primes, a number of results"))
    harvested(library)
    assert news(library) == {"gaps": [(work_id(22), 1)]}


def test_new_version_is_new_and_touched_metadata_is_not(library, arxiv):
    """Version 2 is told again; a journal reference that is added is not."""
    library.watch_add("gaps", "prime number gaps")
    arxiv.put(paper(20, "gaps between prime numbers"))
    harvested(library)
    assert news(library)["gaps"] == [(work_id(20), 1)]
    arxiv.put(paper(20, "gaps between prime numbers", journal_ref="J. Gaps 1 (2026) 1"))
    harvested(library)
    assert news(library)["gaps"] == []
    arxiv.put(paper(20, "gaps between prime numbers", ages=(1, 0)))
    harvested(library)
    assert news(library)["gaps"] == [(work_id(20), 2)]


def test_old_papers_of_a_backfill_are_not_new_unless_somebody_adds_them(library, arxiv):
    """A backfill tells nobody of ten years of papers; a paper added by name is told."""
    library.watch_add("gaps", "prime number gaps")
    arxiv.put(paper(20, "gaps between prime numbers", ages=(4000,)))
    arxiv.put(paper(21, "gaps among prime numbers", ages=(3000,)))
    harvested(library)
    assert news(library)["gaps"] == []
    library.add([work_id(21)])
    assert news(library)["gaps"] == [(work_id(21), 1)]


def test_what_is_not_in_the_index_yet_is_told_when_it_is(library, arxiv):
    """A run between harvest and build loses nothing."""
    library.watch_add("gaps", "prime number gaps")
    arxiv.put(paper(20, "gaps between prime numbers"))
    library.harvest(from_=date(2024, 1, 1))
    assert news(library)["gaps"] == []
    library.build()
    assert news(library)["gaps"] == [(work_id(20), 1)]


def test_nothing_counts_as_told_before_it_was_delivered(library, arxiv):
    """Killed while delivering, a run tells the same again; another reader is told for himself."""
    library.watch_add("gaps", "prime number gaps")
    arxiv.put(paper(20, "gaps between prime numbers"))
    harvested(library)

    def killed(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        library.watch_run(deliver=killed)
    assert news(library)["gaps"] == [(work_id(20), 1)]
    assert news(library)["gaps"] == []
    assert news(library, reader="dag")["gaps"] == [(work_id(20), 1)]


def test_filters_and_threshold_are_hard(library, arxiv):
    """A paper that does not pass the filters is not told, nor one that matches less than asked for."""
    library.watch_add("all", "prime number gaps", threshold=0.0)
    library.watch_add("none", "prime number gaps", filters=Filters(categories=("math",)), threshold=0.0)
    library.watch_add("strict", "prime number gaps", threshold=0.95)
    library.watch_add("words", "sea otters", mode="lexical")
    arxiv.put(paper(20, "gaps between prime numbers"))
    arxiv.put(paper(21, "the diet of sea otters"))
    harvested(library)
    found = news(library)
    assert found["all"][0] == (work_id(20), 1)
    assert len(found["all"]) == 2
    assert found["none"] == []
    assert (work_id(21), 1) not in found["strict"]
    assert found["words"] == [(work_id(21), 1)]


def test_more_than_a_delivery_holds_follows_at_the_next_run(embedded, arxiv, monkeypatch):
    """A flood is told in parts; nothing of it is passed over."""
    monkeypatch.setattr(watching, "MOST", 2)
    embedded.watch_add("gaps", "prime number gaps")
    for number in range(20, 25):
        arxiv.put(paper(number, f"gaps between prime numbers, part {number}"))
    harvested(embedded)
    (first,) = embedded.watch_run()
    assert (len(first.papers), first.more) == (2, 3)
    told = [*first.papers, *embedded.watch_run()[0].papers, *embedded.watch_run()[0].papers]
    assert {p.work_id for p in told} == {work_id(n) for n in range(20, 25)}
    assert len(told) == 5


def test_removed_papers_are_not_told(embedded, arxiv):
    """What was taken out before the run is not new."""
    embedded.watch_add("gaps", "prime number gaps")
    arxiv.put(paper(20, "gaps between prime numbers"))
    harvested(embedded)
    embedded.remove(work_id(20))
    assert news(embedded)["gaps"] == []


def test_watches_are_facts_of_the_lake(embedded, arxiv):
    """Another machine with the same lake has the same watches and knows what was told."""
    embedded.watch_add("gaps", "prime number gaps", filters=Filters(year_from=2000), threshold=0.5)
    arxiv.put(paper(20, "gaps between prime numbers"))
    harvested(embedded)
    assert news(embedded)["gaps"] == [(work_id(20), 1)]
    elsewhere = watching.Watches(same_lake(embedded))
    (watch,) = elsewhere.all()
    assert (watch.query, watch.filters.year_from, watch.threshold) == ("prime number gaps", 2000, 0.5)
    assert set(elsewhere.delivered(watch, "me")) == {(work_id(20), 1)}
    embedded.watch_remove("gaps")
    assert watching.Watches(same_lake(embedded)).all() == []
    embedded.watch_add("gaps", "prime number gaps")
    assert news(embedded) == {"gaps": []}, "a watch of the same name begins anew"


def test_a_watch_that_could_find_nothing_is_refused(embedded):
    """An empty query, an impossible filter, a threshold beyond 1 and an unknown name are told at once."""
    with pytest.raises(EmptyQuery):
        embedded.watch_add("a", " ? ")
    with pytest.raises(BadFilter):
        embedded.watch_add("a", "gaps", filters=Filters(year_from=2020, year_to=2010))
    with pytest.raises(UsageError, match="threshold"):
        embedded.watch_add("a", "gaps", threshold=2)
    with pytest.raises(UsageError, match="name"):
        embedded.watch_add("\n", "gaps")
    with pytest.raises(UsageError, match="no watch 'b'"):
        embedded.watch_run(["b"])
    with pytest.raises(UsageError, match="no watch 'b'"):
        embedded.watch_remove("b")
    assert embedded.watches() == []


def test_words_only_libraries_are_watched_by_words(embedded, arxiv):
    """Without vectors of its own a new paper is found by its words, and scored by them alone."""
    embedded.watch_add("gaps", "prime number gaps", mode="lexical")
    embedded._embedder = Noise()
    arxiv.put(paper(20, "gaps between prime numbers"))
    embedded.harvest(from_=date(2024, 1, 1))
    embedded._embedder = None
    embedded.build()
    (found,) = embedded.watch_run()[0].papers
    assert found.vector_score is None
    assert found.bm25_score > 0


def test_commands(embedded, arxiv, capsys):
    """The command line saves, lists, runs and forgets, as JSON and for people."""
    home = ["--home", str(embedded.settings.home)]
    assert run([*home, "watch", "add", "gaps", "prime", "number", "gaps", "--year-from", "2000"]) == 0
    assert json.loads(capsys.readouterr().out)["query"] == "prime number gaps"
    arxiv.put(paper(20, "gaps between prime numbers"))
    harvested(embedded)
    assert run([*home, "watch", "run", "--human", "--reader", "a person"]) == 0
    assert "About gaps between prime numbers" in capsys.readouterr().out
    assert run([*home, "watch", "run"]) == 0
    (report,) = json.loads(capsys.readouterr().out)
    assert [p["work_id"] for p in report["papers"]] == [work_id(20)]
    assert run([*home, "watch", "list", "--human"]) == 0
    assert "year from 2000" in capsys.readouterr().out
    assert run([*home, "watch", "remove", "gaps"]) == 0
    assert run([*home, "watch", "run", "gaps"]) == 2
