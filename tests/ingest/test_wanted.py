"""What is due is looked for in the order of the ranking, share by share, and no further than is taken."""

from __future__ import annotations

import itertools
import random
import sqlite3
from contextlib import closing
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.arxiv.licences import POLICIES
from search.arxiv.records import ArxivRecord
from search.errors import PDFNotFound
from search.ingest import verdicts
from search.ingest.selection import Selection, best_first, candidate, choose
from search.ingest.wanted import count_due, due, explain
from search.lake.batch import Outcome
from search.lake.facts import ArxivFact, UserFact
from search.lake.lake import Lake
from search.lake.shares import Share
from search.models import Version, Work

TODAY = date(2026, 11, 22)
LICENCES = (
    "http://arxiv.org/licenses/nonexclusive-distrib/1.0/",
    "http://creativecommons.org/licenses/by/4.0/",
    None,
)


def selection(**entries):
    return Selection.model_validate(entries)


def fact(number, **fields):
    """One metadata fact about a paper of its own."""
    chance = random.Random(number)
    day = datetime(2020, 1, 1, tzinfo=UTC) + timedelta(days=chance.randrange(1500))
    fields = {
        "title": chance.choice(["Dense retrieval", "Knots", "A survey"]),
        "abstract": chance.choice(["On dense things.", "On words."]),
        "categories": tuple(chance.sample(["cs.IR", "cs.CL", "math.CO"], 2)),
        "licence": chance.choice(LICENCES),
        "versions": (Version(number=1, date=day, source_type="I" if number % 7 == 0 else "D"),),
    } | fields  # fmt: skip
    record = ArxivRecord(work_id=f"2401.{number:05d}", format="arXivRaw", **fields)
    return ArxivFact(
        work_id=record.work_id, version=1, datestamp=date(2024, 1, 1), response_date=day, record=record
    )


@pytest.fixture
def lake(tmp_path):
    """A lake of sixty papers: withdrawn, pinned, asked for, refused, removed and fetched ones among them."""
    lake = Lake(str(tmp_path / "lake"), tmp_path / "cache")
    lake.write_facts([fact(n) for n in range(1, 61)])
    names = [f"2401.{n:05d}" for n in range(61)]
    lake.write_facts([UserFact(work_id=names[n], topic="removed", value=0) for n in (3, 5, 14)])
    lake.write_facts([UserFact(work_id=names[8], topic="pin", value=1)])
    lake.write_facts([UserFact(work_id=names[9], topic="removed", value=1)])
    lake.write_fetched([lake.write_pdf(names[n], 1, b"%PDF-") for n in (10, 11)], [])
    refused = [Outcome.failed(names[n], 1, PDFNotFound("404")) for n in (5, 12, 13)]
    lake.write_fetched([], refused)
    return lake


def ids(papers):
    return [work_id for work_id, _ in papers]


SELECTIONS = [
    None,
    selection(),
    selection(budget=9),
    selection(budget=2),
    selection(keywords=[["dense"]], categories=["cs"], budget=12, half_life=0.5),
    selection(keywords=[["dense", "knots"]], **{"from": "2021-01-01"}),
]


@pytest.mark.parametrize("policy", list(POLICIES.values()), ids=lambda policy: policy.name)
@pytest.mark.parametrize("wanted", SELECTIONS)
def test_what_is_fetched_is_what_is_explained(lake, wanted, policy):
    """Without looking at all papers, `due` returns those that `explain` says are fetched, in its order."""
    told = [choice for choice in explain(lake, wanted, policy=policy).choices if choice.fetch]
    found = due(lake, wanted, policy)
    assert ids(found.papers) == [choice.work_id for choice in told]
    assert count_due(lake, wanted, policy, most=1000) == len(told)
    assert [due(lake, wanted, policy, limit=n).papers for n in (1, 4)] == [found.papers[:1], found.papers[:4]]


def test_a_share_has_its_part_of_the_whole_ranking(lake):
    """Shares divide what is due among them, each in the order of the whole, and tell what waits."""
    wanted = selection(keywords=[["dense"]], budget=20)
    whole = due(lake, wanted).papers
    parts = [due(lake, wanted, share=Share(n, 3)) for n in range(3)]
    assert sorted(itertools.chain(*(part.papers for part in parts))) == sorted(whole)
    for part in parts:
        assert list(part.papers) == [paper for paper in whole if paper in part.papers]
    assert sum(part.waiting for part in parts) == 3  # refused ones
    limited = [due(lake, wanted, share=Share(n, 3), limit=2) for n in range(3)]
    assert [one.papers for one in limited] == [part.papers[:2] for part in parts]
    beyond = sum(min(len(part.papers) - 2, 2) for part in parts)
    assert sum(one.waiting for one in limited) == 3 + beyond


def test_withdrawn_papers_are_not_asked_for_without_a_selection(lake):
    """Where everything is wanted, a withdrawn paper is not fetched either, as `explain` says."""
    assert not {f"2401.{n:05d}" for n in range(7, 61, 7)} & set(ids(due(lake).papers))
    standings = {choice.work_id: choice.standing for choice in explain(lake, None).choices}
    assert standings["2401.00014"] == "withdrawn"


PAPERS = st.tuples(st.sampled_from([0.5, 0.75, 1.0]), st.none() | st.integers(-3, 40000))


@given(st.lists(PAPERS, max_size=30, unique=True), st.sampled_from([1e-6, 0.3, 3.0, 1e12]))
def test_merged_lists_are_the_ranking(papers, half_life):
    """Merging the papers of each relevance gives what sorting all of them gives, ties and all."""
    wanted = selection(half_life=half_life, keywords=[["dense"], ["late"]])
    titles = {0.5: ("", "dense late"), 0.75: ("Dense", "late"), 1.0: ("Dense late", "")}
    works = [
        Work(
            work_id=f"{(n * 7) % 31:05}", title=titles[relevance][0], abstract=titles[relevance][1],
            published=None if age is None else TODAY - timedelta(days=age),
        )
        for n, (relevance, age) in enumerate(papers)
    ]  # fmt: skip
    expected = [c.work_id for c in choose(wanted, [candidate(wanted, w) for w in works], today=TODAY)]
    lists = []
    for relevance, said in titles.items():
        some = [w for w in works if (w.title, w.abstract) == said]
        some.sort(key=lambda w: (w.published or date.min, w.work_id), reverse=True)
        lists.append((relevance, [(w.published, w.work_id) for w in some]))
    assert list(best_first(lists, today=TODAY, half_life=half_life)) == expected


def test_no_more_is_looked_at_than_is_taken():
    """The first ten of a million papers are found by looking at little more than ten."""
    looked = itertools.count()

    def papers(first):
        for n in range(1_000_000):
            next(looked)
            yield first - timedelta(days=n % 700_000), f"{n:07}"

    lists = [(relevance, papers(TODAY)) for relevance in (0.5, 1.0)]
    assert len(list(itertools.islice(best_first(lists, today=TODAY, half_life=3), 10))) == 10
    assert next(looked) < 20


def test_only_what_changed_is_judged_again(lake, monkeypatch):
    """A paper is judged once; again when it changes, when the policy does, or all is forgotten."""
    judged = []

    def counted(wanted, work):
        judged.append(work.work_id)
        return candidate(wanted, work)

    monkeypatch.setattr(verdicts, "candidate", counted)
    wanted = selection(keywords=[["dense"]])
    before = due(lake, wanted)
    assert len(judged) == len(set(judged)) == 57
    assert due(lake, wanted) == before
    lake.write_facts([fact(20, title="Dense retrieval, once more")])
    lake.write_fetched([lake.write_pdf("2401.00021", 1, b"%PDF-")], [Outcome("2401.00021", 1)])
    lake.write_facts([UserFact(work_id="2401.00022", topic="removed", value=1)])
    lake.write_facts([UserFact(work_id="2401.00009", topic="removed", value=0)])
    del judged[:]
    after = due(lake, wanted)
    assert sorted(judged) == ["2401.00009", "2401.00020"]
    assert {"2401.00009", "2401.00020"} <= set(ids(after.papers))
    assert not {"2401.00021", "2401.00022"} & set(ids(after.papers))
    assert explain(lake, wanted).holding == 3
    assert len(due(lake, selection(keywords=[["dense"]], budget=9, half_life=1.0)).papers) == 9 - 3
    assert len(judged) == 2
    due(lake, wanted, POLICIES["open"])
    assert len(judged) == 2 + 56
    lake.catalogue.forget()
    assert due(lake, wanted) == after
    assert len(judged) == 2 + 2 * 56


def test_judging_goes_on_where_it_was_killed(lake, monkeypatch):
    """Killed between two batches, the next run judges the rest, and counts no paper twice."""
    wanted = selection(budget=40)
    expected = due(lake, wanted), explain(lake, wanted).holding
    for path in lake.cache.parent.glob("*-selection-*"):
        path.unlink()
    monkeypatch.setattr(verdicts, "BATCH", 7)
    seen = itertools.count(1)

    def killed(wanted, work):
        if next(seen) == 30:
            raise KeyboardInterrupt
        return candidate(wanted, work)

    monkeypatch.setattr(verdicts, "candidate", killed)
    with pytest.raises(KeyboardInterrupt):
        due(lake, wanted)
    assert (due(lake, wanted), explain(lake, wanted).holding) == expected
    assert next(seen) <= 30 + 57 - 21


def test_two_at_once_judge_everything_once(lake, tmp_path):
    """Two processes that look at the same time agree, and the papers with full text are counted once."""
    other = Lake(lake.files.url, tmp_path / "cache")
    other.catalogue.refresh()
    wanted = selection(budget=30)
    first = verdicts.Verdicts(lake.cache, lake.catalogue, wanted, POLICIES["standard"])
    second = verdicts.Verdicts(other.cache, other.catalogue, wanted, POLICIES["standard"])
    with first.opened() as one, second.opened() as two:
        assert one.holding() == two.holding() == 2
        assert list(one.ranked(TODAY)) == list(two.ranked(TODAY))


def test_a_cache_that_is_no_database_is_made_again(lake):
    """What a power cut left of the cache is thrown away."""
    expected = due(lake)
    (path,) = lake.cache.parent.glob("*-selection-*.sqlite")
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    path.write_bytes(b"no database" * 1000)
    assert due(lake) == expected
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA quick_check").fetchone() == ("ok",)
