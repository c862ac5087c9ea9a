"""The 81 real PDFs and the recorded OAI answers through every stage, on both stores; nothing is lost."""

from __future__ import annotations

from datetime import date
from uuid import uuid4

import pytest
from real_papers import RECORDED, real_papers, serve

from search.library import Library

#: Real papers, real questions: each is about one of the 81, named with it.
QUESTIONS = {
    "What does the pebble game with colors decide about sparse graphs?": "0704.0002",
    "How are prompt photon pairs produced at hadron colliders?": "0704.0001",
}


@pytest.fixture(scope="module")
def papers(data):
    """The 81 papers."""
    return real_papers(data)


@pytest.fixture(scope="module")
def server(data, papers):
    """A loopback arXiv with all of it."""
    with serve(data, papers) as arxiv:
        yield arxiv


@pytest.fixture(scope="module")
def filled(server, tmp_path_factory):
    """A home into which everything was harvested and fetched, and the reports of that."""
    home = tmp_path_factory.mktemp("real")
    options = {"oai_base_url": server.oai_url, "pdf_base_url": server.pdf_url}
    with Library(home=home, oai_interval=0, pdf_interval=0, **options) as library:
        # The earliest is of 1991.
        reports = [library.harvest(from_=date(1990, 1, 1))]
        reports += [library.harvest(from_=date(1990, 1, 1), set_=set_) for set_ in RECORDED]
        yield library, reports, library.fetch()


@pytest.fixture(scope="module", params=["embedded", pytest.param("elastic", marks=pytest.mark.elastic)])
def library(request, filled):
    """The same lake under each store, its index built until the first vectors are in, as Ctrl-C leaves it."""
    first, _, _ = filled
    url = "embedded" if request.param == "embedded" else request.getfixturevalue("elasticsearch_url")
    prefix = f"real-{uuid4().hex[:8]}"

    def stop_after_one_shard(progress):
        if progress.stage == "embed" and progress.done:
            raise KeyboardInterrupt

    with Library(first.settings, index_url=url, index_prefix=prefix) as library:
        with pytest.raises(KeyboardInterrupt):
            library.build(progress=stop_after_one_shard)
        yield library
        library.store.destroy()


def test_everything_is_harvested_or_named(filled, papers):
    """Every record of every answer became a work, or is reported with the reason."""
    library, reports, _ = filled
    assert reports[0].records == len(papers) == 81
    assert reports[0].new == 81
    assert reports[0].unreadable == ()
    for report in reports[1:]:
        assert report.records > 0
        assert all(failed.message for failed in report.unreadable)
    lost = sum(report.records - len(report.unreadable) for report in reports)
    assert len(library.lake.catalogue.work_ids()) <= lost


def test_pdfs_arrive_or_are_named(filled, papers):
    """All 81 PDFs are in the lake; every other work answered 404 and is reported."""
    library, _, fetched = filled
    assert fetched.done == 81
    assert {failed.error for failed in fetched.failed} == {"PDFNotFound"}
    others = set(library.lake.catalogue.work_ids()) - {paper.record.id for paper in papers}
    assert {failed.work_id for failed in fetched.failed} == others
    assert others


def test_every_pdf_is_read_and_indexed(library, papers):
    """All 81 are read, and the index holds their passages under the version that was read."""
    holds = {work.work_id: work.holds for work in library.list()}
    assert [p.record.id for p in papers if holds[p.record.id] != "full text"] == []
    documents = library.store.works([paper.record.id for paper in papers])
    assert all(documents[p.record.id].full_text for p in papers)
    assert all(documents[p.record.id].version == len(p.record.versions) for p in papers)
    assert library.store.counts().works == len(holds)
    assert library.check().differences == ()


def test_papers_are_found_by_their_words(library, papers):
    """The words of a paper's title find it among the first three."""
    missed = []
    for paper in papers:
        hits = library.search(paper.record.title, limit=3, mode="lexical").hits
        if paper.record.id not in [hit.work_id for hit in hits]:
            missed.append(paper.record.id)
    assert missed == []


def test_share_of_the_semantic_leg_is_told(library):
    """A build that was interrupted says how much its vectors cover, and searches all the same."""
    result = library.search("sparse graphs")
    assert 0 < result.metrics.semantic_coverage < 1
    assert result.hits


@pytest.mark.parametrize("question", QUESTIONS)
def test_answers_quote_real_papers_verbatim(library, question):
    """Every quote stands, letter by letter, in a passage of the paper and page that it names."""
    answer = library.ask(question)
    assert QUESTIONS[question] in {reference.work_id for reference in answer.references}
    citations = [citation for claim in answer.claims for citation in claim.supporting_citations]
    assert citations
    passages = library.store.passages([citation.passage_id for citation in citations])
    for citation in citations:
        assert citation.quote in passages[citation.passage_id].text
        assert passages[citation.passage_id].work_id == citation.work_id
