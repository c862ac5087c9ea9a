"""The demo's arXiv is harvested by the client that asks arXiv, and the demo answers from our own papers."""

from __future__ import annotations

from datetime import date

import pytest

from search.arxiv.oai import OAIClient
from search.arxiv.transport import Transport
from search.demo.records import DemoRecord
from search.demo.run import DEMO_QUESTIONS, DEMO_SEARCHES, PAGE_SIZE, UNANSWERABLE, demo, demo_records
from search.demo.server import LoopbackArxiv
from search.embedding import open_embedder
from search.errors import IdDoesNotExist, ModelUnavailable
from search.library import Library
from search.models import SUMMARY_PREFIX
from search.settings import Settings


@pytest.fixture(scope="module")
def records():
    pytest.importorskip("pymupdf")
    return demo_records()


@pytest.mark.parametrize("metadata_prefix", ["arXivRaw", "arXiv"])
def test_our_client_harvests_all_of_it(records, metadata_prefix):
    """Following the resumption tokens brings every record, whole, in either format."""
    with (
        LoopbackArxiv(records, page_size=PAGE_SIZE) as server,
        Transport(contact=None, interval=0.0) as transport,
    ):
        pages = list(
            OAIClient(server.oai_url, transport).list_records(
                from_=date(1991, 1, 1), until=None, metadata_prefix=metadata_prefix
            )
        )
    harvested = {record.metadata.work_id: record for page in pages for record in page.records}
    assert len(pages) == -(-len(records) // PAGE_SIZE)
    assert set(harvested) == {record.id for record in records}
    for record in records:
        metadata = harvested[record.id].metadata
        assert metadata.title == record.title
        assert metadata.abstract == record.abstract
        assert " ".join(metadata.categories) == record.categories


def test_our_client_reads_versions_and_sets(records):
    """History, withdrawal and sets come through; an unknown id is the protocol's error."""
    withdrawn = next(record for record in records if record.versions[-1].source_type == "I")
    with LoopbackArxiv(records) as server, Transport(contact=None, interval=0.0) as transport:
        client = OAIClient(server.oai_url, transport)
        metadata = client.get_record(withdrawn.identifier).metadata
        assert [version.number for version in metadata.versions] == list(
            range(1, len(withdrawn.versions) + 1)
        )
        assert metadata.versions[-1].source_type == "I"
        assert "cs:cs:IR" in {entry.spec for entry in client.list_sets()}
        with pytest.raises(IdDoesNotExist):
            client.get_record("oai:arXiv.org:2401.99999")


def test_own_papers_have_abstracts_of_their_own(records):
    """Only the real papers carry summaries; our own papers' abstracts are theirs."""
    own = [record for record in records if record.id.startswith("2401.99")]
    others: list[DemoRecord] = [record for record in records if record not in own]
    assert not any(record.abstract.startswith(SUMMARY_PREFIX) for record in own)
    assert all(record.abstract.startswith(SUMMARY_PREFIX) for record in others)


@pytest.fixture(scope="module")
def settings(tmp_path_factory, records):
    settings = Settings(home=tmp_path_factory.mktemp("demo"))
    try:
        open_embedder(settings)
    except ModelUnavailable as error:
        pytest.skip(str(error))
    return settings


@pytest.fixture(scope="module")
def report(settings):
    return demo(settings)


def test_the_demo_harvests_reads_and_links(report, records):
    """Every record is harvested page by page, every own PDF read, and every citation becomes an edge."""
    assert report.real_papers + report.own_papers == len(records) == report.build.works
    assert report.harvest.pages == -(-len(records) // PAGE_SIZE)
    assert (report.fetch.done, report.fetch.failed) == (report.own_papers, ())
    assert report.citations == sum(len(paper.cited) for paper in _newest())


def test_the_demo_searches_over_several_fields(report):
    """Each search finds what it is about, and together they visit at least four fields."""
    assert [result.query for result in report.searches] == list(DEMO_SEARCHES)
    assert all(result.outcome == "hits" for result in report.searches)
    hits = [hit for result in report.searches for hit in result.hits]
    assert len({hit.categories[0].split(".")[0] for hit in hits}) >= 4
    assert {result.hits[0].work_id for result in report.searches} & {"0704.0094", "0704.0381", "0704.0261"}


def test_the_demo_answers_from_our_own_papers(report):
    """The answer quotes our own papers only, without an arXiv link; what nobody knows is not answered."""
    star, unanswerable = report.answers
    assert star.question == DEMO_QUESTIONS[0]
    assert star.confidence in {"high", "medium"}
    cited = [citation for claim in star.claims for citation in claim.supporting_citations]
    assert {"2401.99002", "2401.99006"} <= {citation.work_id for citation in cited}
    assert all(citation.work_id.startswith("2401.99") and citation.url is None for citation in cited)
    assert unanswerable.question == UNANSWERABLE
    assert unanswerable.confidence == "insufficient_evidence"
    assert any("citewell add" in step for step in report.next_steps)


def test_summaries_are_found_and_never_quoted(report, settings):
    """A question that only summaries speak of finds their papers and gets no claim from them."""
    with Library(settings.model_copy(update={"home": settings.home / "demo"})) as library:
        question = "At what speed did the subhalo of the Bullet cluster collide?"
        found = library.search(question).hits
        assert found[0].work_id in {"0704.0094", "0704.0381", "0704.0261"}
        claims = library.ask(question).claims
        quoted = {citation.work_id for claim in claims for citation in claim.supporting_citations}
        assert all(work_id.startswith("2401.99") for work_id in quoted)


def test_the_demo_can_run_again(report, settings):
    """A second run finds everything there and ends in the same library."""
    second = demo(settings)
    assert second.harvest.new == 0
    assert (second.build.works, second.build.passages) == (report.build.works, report.build.passages)
    assert second.citations == report.citations


def _newest():
    from search.demo.papers import papers

    return {paper.id: paper for paper in papers()}.values()
