"""What services say becomes edges, kept request by request."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from search.arxiv.records import ArxivRecord
from search.errors import RateLimited, SettingsError
from search.ingest.citations import ask, configured, open_source
from search.ingest.papers import documents_of
from search.lake.batch import Outcome
from search.lake.facts import ArxivFact
from search.lake.lake import Lake
from search.lake.shares import Share
from search.library import Library
from search.models import Version
from search.settings import Settings

MOMENT = datetime(2024, 3, 1, tzinfo=UTC)
IDS = [f"2403.0000{n}" for n in range(1, 8)]


class Scripted:
    """A service that knows what it is told, and fails at the request it is told to fail at."""

    name, batch, confidence = "semantic_scholar", 3, 0.9

    def __init__(self, known, fails_at=None):
        self.known = known
        self.fails_at = fails_at
        self.requests = []

    def cited(self, works):
        self.requests.append([work.work_id for work in works])
        if len(self.requests) == self.fails_at:
            raise RateLimited("the service answered 429", retry_after=60.0)
        return {work.work_id: self.known.get(work.work_id) for work in works}


@pytest.fixture
def lake(tmp_path):
    """A lake of seven works; the last states a DOI."""
    lake = Lake(str(tmp_path / "lake"), tmp_path / "cache")
    facts = []
    for work_id in IDS:
        record = ArxivRecord(
            work_id=work_id, format="arXivRaw", title=f"Paper {work_id}", authors=("Ada Lovelace",),
            versions=(Version(number=1, date=MOMENT),), doi="10.1000/Last" if work_id == IDS[-1] else None,
        )  # fmt: skip
        facts.append(
            ArxivFact(
                work_id=work_id, version=1, datestamp=date(2024, 3, 1), response_date=MOMENT, record=record
            )
        )
    lake.write_facts(facts)
    return lake


def test_each_request_is_kept_before_the_next(lake):
    """A service that fails at the third request costs nothing of the first two; the next run goes on."""
    known = dict.fromkeys(IDS, ("arxiv:1402.0030",))
    failing = Scripted(known, fails_at=3)
    with pytest.raises(RateLimited):
        ask(lake, failing)
    lake.catalogue.refresh()
    assert [bool(state.edges) for state in lake.catalogue.states(IDS)] == [True] * 6 + [False]
    again = Scripted(known)
    assert ask(lake, again).done == 1
    assert again.requests == [[IDS[-1]]]
    assert ask(lake, again).done == 0


def test_unknown_works_are_not_asked_for_again(lake):
    """That the service does not know a work is an answer; it is asked again only after months."""
    assert ask(lake, Scripted({})).done == 7
    assert ask(lake, Scripted({})).done == 0
    assert all(not state.edges for state in lake.catalogue.states(IDS))


def test_shares_and_limit(lake):
    """Each task asks for its own works; a limit ends a run early."""
    assert ask(lake, Scripted({}), limit=2).done == 2
    first, second = Scripted({}), Scripted({})
    ask(lake, first, share=Share(0, 2))
    ask(lake, second, share=Share(1, 2))
    assert sorted(i for request in first.requests + second.requests for i in request) == IDS[2:]


def test_edges_name_the_librarys_works(lake):
    """A DOI that a work of the library states leads to it; a work does not cite itself."""
    told = {IDS[0]: ("doi:10.1000/last", "doi:10.2/other", f"arxiv:{IDS[0]}", f"arxiv:{IDS[-1]}")}
    ask(lake, Scripted(told))
    edges = lake.catalogue.state(IDS[0]).edges
    assert [edge["cited"] for edge in edges] == [f"arxiv:{IDS[-1]}", "doi:10.2/other"]
    assert {edge["source"] for edge in edges} == {"semantic_scholar"}


def test_an_index_gets_each_cited_work_once_and_all_its_sources(lake):
    """`references` holds a work once; `reference_details` says everything that speaks for it."""
    line = {"cited": f"arxiv:{IDS[1]}", "source": "reference", "confidence": 1.0, "sentence": "As in [1]."}
    lake.write_edges([{"work_id": IDS[0], "version": 1, "paper": 1, "edges": [line]}], [Outcome(IDS[0], 1)])
    ask(lake, Scripted({IDS[0]: (f"arxiv:{IDS[1]}", "doi:10.2/other")}))
    document = documents_of(lake.catalogue.state(IDS[0]), lake, None).work
    assert document.references == (IDS[1], "doi:10.2/other")
    assert [(d.cited, d.source) for d in document.reference_details] == [
        (f"arxiv:{IDS[1]}", "reference"),
        (f"arxiv:{IDS[1]}", "semantic_scholar"),
        ("doi:10.2/other", "semantic_scholar"),
    ]
    assert document.reference_details[0].sentence == "As in [1]."


def test_services_are_named_in_the_settings():
    """Both ways of writing a name are understood; an unknown one is refused, by name."""
    assert configured(Settings(citation_sources="semantic-scholar, crossref")) == (
        "semantic_scholar",
        "crossref",
    )
    assert configured(Settings()) == ()
    with pytest.raises(SettingsError, match="scopus"):
        configured(Settings(citation_sources="scopus"))
    with pytest.raises(SettingsError, match="scopus"):
        open_source("scopus", Settings(), lambda kind, interval: None)


def test_library_links(tmp_path):
    """An empty library links nothing and says so; a service that does not exist is refused."""
    with Library(home=tmp_path) as library:
        report = library.link()
        assert [stage.stage for stage in report.stages] == ["link"]
        assert report.edges == {}
        with pytest.raises(SettingsError):
            library.link(sources=["scopus"])
