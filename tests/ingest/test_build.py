"""From the lake to a published index: resumable, idempotent, and never without what was there before."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from search.demo.server import DemoRecord, DemoVersion, LoopbackArxiv
from search.errors import IndexMissing, ModelMismatch, UsageError, WorkNotFound
from search.library import Library
from search.models import SUMMARY_PREFIX

FACTS = {
    1: ("Sparse graphs and pebbles", "Pebble games decide whether a graph is sparse."),
    2: ("Photon pairs at colliders", "Rates of photon pairs at hadron colliders are computed."),
    3: ("Retrieval with dense vectors", "Dense vectors find passages that share no word with a query."),
    4: ("A summary only", SUMMARY_PREFIX + "Says something about lattice fermions."),
}


def record(number, versions=1, **fields):
    """One paper of the small arXiv."""
    title, abstract = FACTS[number]
    history = tuple(DemoVersion(datetime(2024, 2, 1 + n, 8, tzinfo=UTC)) for n in range(versions))
    fields = {"title": title, "abstract": abstract, "categories": "cs.IR", **fields}
    return DemoRecord(id=f"2402.{number:05d}", versions=history, **fields)


@pytest.fixture
def arxiv():
    """A loopback arXiv of four papers without PDFs."""
    with LoopbackArxiv([record(n) for n in FACTS]) as server:
        yield server


@pytest.fixture
def library(tmp_path, arxiv):
    """A library that harvests from it."""
    options = {"oai_base_url": arxiv.oai_url, "pdf_base_url": arxiv.pdf_url}
    with Library(home=tmp_path, oai_interval=0, pdf_interval=0, **options) as library:
        yield library


def harvested(library):
    """The library after a harvest and a build."""
    library.harvest(from_=date(2024, 1, 1))
    library.build()
    return library


def contents(library):
    """What the index holds: content hashes and passage ids."""
    works = list(library.store.contents())
    return {
        work.work_id: (
            work.content_hash,
            tuple(p.passage_id for p in library.store.passages_of(work.work_id)),
        )
        for work in works
    }


def test_nothing_built_is_a_clear_error(library):
    """Before the first build a search says what to run."""
    with pytest.raises(IndexMissing, match="index build"):
        library.search("graphs")


def test_words_are_searchable_before_vectors(library):
    """An interruption while embedding leaves a published index that finds words."""
    library.harvest(from_=date(2024, 1, 1))

    def interrupt(progress):
        if progress.stage == "embed":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        library.build(progress=interrupt)
    result = library.search("pebble games")
    assert [hit.work_id for hit in result.hits] == ["2402.00001"]
    assert result.metrics.semantic_coverage == 0
    library.build()
    result = library.search("texts with no term in common", mode="semantic")
    assert result.hits[0].work_id == "2402.00003"
    assert result.metrics.semantic_coverage == 1


def test_building_again_changes_nothing_and_embeds_nothing(library):
    """A second build finds everything done."""
    harvested(library)
    before = contents(library)
    report = library.build()
    assert {stage.stage: stage.done for stage in report.stages} == {
        "read": 0,
        "link": 0,
        "index": 0,
        "embed": 0,
    }
    assert report.model_seconds == 0
    assert contents(library) == before
    assert library.check().sound


def test_rebuild_from_the_lake_gives_the_same_index(library):
    """A rebuilt generation holds what the first one held, and takes its place."""
    harvested(library)
    before, first = contents(library), library.store.live().name
    report = library.rebuild()
    assert report.published
    assert library.store.live().name == report.generation != first
    assert contents(library) == before
    assert report.model_seconds == 0, "nothing is embedded twice"


def test_only_the_newest_generations_are_kept(library):
    """After three rebuilds there is the live one and one to go back to."""
    harvested(library)
    for _ in range(3):
        library.rebuild()
    assert sorted(g.state for g in library.store.generations()) == ["live", "old"]


def test_new_version_replaces_passages(library, arxiv):
    """After version 2 the index holds its abstract only."""
    harvested(library)
    arxiv.put(record(1, versions=2, abstract="Matroids decide whether a graph is rigid."))
    harvested(library)
    assert library.search("matroids", mode="lexical").hits[0].version == 2
    assert library.search("pebble games decide", mode="lexical").hits == () or all(
        "pebble games decide" not in p.text.lower()
        for hit in library.search("pebble games decide", mode="lexical").hits
        for p in hit.passages
    )


def test_removed_paper_is_gone_until_it_is_added(library):
    """`remove` takes it out at once, harvests do not bring it back, `add` does."""
    harvested(library)
    library.remove("2402.00001")
    assert library.search("pebble games", mode="lexical").outcome == "no match"
    assert "2402.00001" not in [work.work_id for work in library.list()]
    harvested(library)
    assert library.search("pebble games", mode="lexical").outcome == "no match"
    with pytest.raises(WorkNotFound):
        library.info("2402.00001")
    library.add(["2402.00001"])
    assert [hit.work_id for hit in library.search("pebble games", mode="lexical").hits] == ["2402.00001"]


def test_summary_is_found_and_is_no_evidence(library):
    """A summary that is not the authors' own is searchable, and marked as no evidence."""
    harvested(library)
    assert library.search("lattice fermions", mode="lexical").hits[0].work_id == "2402.00004"
    (passage,) = library.store.passages_of("2402.00004")
    assert not passage.evidence


def test_other_model_is_refused_and_a_rebuild_mends_it(library, tmp_path):
    """A build with another length makes other vectors: it says so and names the way out."""
    harvested(library)
    with Library(library.settings, embedding_max_tokens=128) as other:
        with pytest.raises(ModelMismatch, match="rebuild"):
            other.build()
        with pytest.raises(ModelMismatch, match="rebuild"):
            other.search("graphs")
        assert other.search("graphs", mode="lexical").outcome == "hits"
        other.rebuild()
        assert other.search("graphs").outcome == "hits"


def test_without_a_model_words_are_indexed_and_vectors_follow(library, arxiv):
    """No model anywhere: the words are searchable, the report says why; with a model the rest follows."""
    library.harvest(from_=date(2024, 1, 1))
    with Library(library.settings, embedding_model="/no/such/folder", offline=True) as bare:
        report = bare.build()
        assert report.model is None
        assert "words only" in report.notes[0]
        assert bare.search("pebble games", mode="lexical").hits[0].work_id == "2402.00001"
    report = library.build()
    assert report.semantic_coverage == 1
    assert library.check().sound


def test_papers_are_added_from_a_bibliography(library, tmp_path):
    """`add FILE.bib` adds the papers that its entries name, and says where it names none."""
    bib = tmp_path / "refs.bib"
    bib.write_text(
        "@article{a,\n title={One}, eprint={2402.00001}, archivePrefix={arXiv}}\n"
        "@article{b,\n journal={arXiv preprint arXiv:2402.00003}}\n@book{c, title={None}}\n"
    )
    report = library.add([str(bib)])
    assert report.added == ("2402.00001", "2402.00003")
    assert [work.work_id for work in library.list()] == ["2402.00001", "2402.00003"]
    bib.write_text("@book{c, title={None}}\n")
    with pytest.raises(UsageError, match="names no arXiv identifier"):
        library.add([str(bib)])
