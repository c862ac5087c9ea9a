"""From the lake to a published index: resumable, idempotent, and never without what was there before."""

from __future__ import annotations

import threading
import time
from datetime import UTC, date, datetime

import pytest

from search.demo.server import DemoRecord, DemoVersion, LoopbackArxiv
from search.errors import IndexMissing, ModelMismatch, ModelUnavailable, UsageError, WorkNotFound
from search.index.documents import PaperDocuments
from search.index.embedded.writing import writer_lock
from search.ingest.index import apply
from search.lake.batch import Outcome
from search.lake.facts import LONGEST_TITLE, UserFact
from search.lake.lake import Lake
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
    """Before the first build of what was harvested a search says what to run."""
    library.harvest(from_=date(2024, 1, 1))
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


NO_MODEL = {"embedding_model": "/no/such/folder", "offline": True}


def same_lake(library):
    """The library's lake as another process has it."""
    return Lake(library.settings.lake, library.settings.home / "elsewhere")


def test_file_that_arrives_while_files_are_listed_is_applied_later(library, monkeypatch):
    """What another machine writes beside a build is not marked as applied before it was folded."""
    harvested(library)
    fold = library.lake.catalogue.refresh

    def fold_and_be_late():
        fold()
        monkeypatch.setattr(library.lake.catalogue, "refresh", fold)
        same_lake(library).write_facts([UserFact(work_id="2402.00001", topic="removed", value=1)])

    monkeypatch.setattr(library.lake.catalogue, "refresh", fold_and_be_late)
    apply(library.store, library.store.live().name, library.lake, library.embedder())
    library.build()
    assert library.search("pebble games", mode="lexical").outcome == "no match"
    assert library.check().sound


def test_vectors_reach_an_index_that_was_made_without_the_model(library):
    """The index is lost and made anew without a model; with the model its vectors come from the lake."""
    harvested(library)
    library.store.destroy()
    with Library(library.settings, **NO_MODEL) as bare:
        assert bare.build().vectors == 0
        assert bare.check().sound
    report = library.build()
    assert report.semantic_coverage == 1
    assert report.model_seconds == 0, "nothing is embedded twice"
    assert library.check().sound


def test_build_without_the_model_leaves_the_vectors_to_a_build_with_it(library, arxiv):
    """A model that is away for a day costs the vectors of that day's papers for that day."""
    harvested(library)
    arxiv.put(record(1, versions=2, abstract="Matroids decide whether a graph is rigid."))
    library.harvest(from_=date(2024, 1, 1))
    lines = [
        {"work_id": "2402.00002", "version": 1, "paper": 0, "edges": [{"cited": "doi:10.1/x", "source": "x"}]}
    ]
    library.lake.write_edges(lines, [Outcome("2402.00002", 1)])
    with Library(library.settings, **NO_MODEL) as bare:
        bare.build()
        assert bare.search("matroids", mode="lexical").hits[0].version == 2
        with pytest.raises(ModelUnavailable, match="compared"):
            bare.check()
        with pytest.raises(ModelUnavailable, match="lose the vectors"):
            bare.rebuild()
    assert library.build().semantic_coverage == 1
    assert library.check().sound


def test_removal_needs_no_model_and_costs_nobody_else_a_vector(library, arxiv):
    """With the model away `remove` takes out the one paper and leaves all others as they are."""
    harvested(library)
    arxiv.put(record(2, versions=2, abstract="Other rates."))
    library.harvest(from_=date(2024, 1, 1))
    before = library.store.counts()
    with Library(library.settings, **NO_MODEL) as bare:
        bare.remove("2402.00001")
        assert bare.store.counts().vectors == before.vectors - 1
    library.build()
    assert library.check().sound


def test_interrupted_removal_is_finished_by_the_same_command(library, monkeypatch):
    """Killed between the fact and the index, `remove` ends in the same state when it is run again."""
    harvested(library)

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(type(library.store), "write", killed)
        with pytest.raises(KeyboardInterrupt):
            library.remove("2402.00001")
    assert library.search("pebble games", mode="lexical").outcome == "hits"
    library.remove("2402.00001")
    assert library.search("pebble games", mode="lexical").outcome == "no match"
    library.build()
    assert library.check().sound
    with pytest.raises(WorkNotFound):
        library.remove("2402.09999")


def test_removal_waits_for_a_writer_that_is_about_to_finish(library):
    """A build that writes at this moment does not make a removal fail."""
    harvested(library)
    folder = library.settings.home / "index" / library.store.live().name
    holding = threading.Event()

    def hold():
        with writer_lock(folder):
            holding.set()
            time.sleep(0.3)

    thread = threading.Thread(target=hold)
    thread.start()
    holding.wait()
    library.remove("2402.00001")
    thread.join()
    assert library.search("pebble games", mode="lexical").outcome == "no match"


def test_paper_removed_during_the_first_build_is_not_published(library, monkeypatch):
    """What is removed after its words were written, and before they are published, is gone at the end."""
    library.harvest(from_=date(2024, 1, 1))
    publish = library.store.publish

    def remove_and_publish(generation):
        same_lake(library).write_facts([UserFact(work_id="2402.00001", topic="removed", value=1)])
        publish(generation)

    monkeypatch.setattr(library.store, "publish", remove_and_publish)
    with Library(library.settings, **NO_MODEL) as bare:
        monkeypatch.setattr(bare.store, "publish", remove_and_publish)
        bare.build()
        assert bare.search("pebble games", mode="lexical").outcome == "no match"


def test_shard_that_is_applied_after_the_removal_brings_nothing_back(library, monkeypatch):
    """Vectors of a paper that was removed while it was embedded do not bring it back."""
    harvested(library)
    state = library.lake.catalogue.state("2402.00001")
    library.remove("2402.00001")
    other = same_lake(library)
    other.catalogue.refresh()
    other.write_vectors(
        library.embedder().fingerprint, [], [], [Outcome("2402.00001", stamp=state.text_stamp)]
    )
    library.build()
    assert library.search("pebble games").outcome == "hits"
    assert "2402.00001" not in [hit.work_id for hit in library.search("pebble games").hits]
    assert library.check().sound


def test_generation_left_by_another_model_is_cleared_away(library):
    """What an interrupted rebuild left behind goes when a later one is published."""
    harvested(library)
    left = library.store.create(fingerprint="another model", dimensions=3)
    library.rebuild()
    assert left.name not in [g.name for g in library.store.generations()]
    assert sorted(g.state for g in library.store.generations()) == ["live", "old"]


def test_index_that_was_tampered_with_is_rebuilt_by_doctor(library):
    """A difference that no lake file explains is mended from the lake, not only reported."""
    harvested(library)
    (stray, *_) = library.store.contents()
    stray = stray.model_copy(update={"work_id": "2402.77777", "content_hash": "x"})
    library.store.write(library.store.live().name, [PaperDocuments(stray)])
    report = library.check()
    assert [(d.work_id, d.kind) for d in report.differences] == [("2402.77777", "extra")]
    assert report.notes == ("the index is not what was written to it; run `citewell index rebuild`",)
    assert library.doctor(fix=True).sound
    assert library.check().sound


def test_doctor_names_what_is_missing_from_the_lake(library):
    """A shard that is gone, and a batch that is cut, are findings, not crashes."""
    harvested(library)
    lake = library.settings.home / "lake"
    (shard,) = (lake / "shards").rglob("*.npy")
    shard.unlink()
    found = {finding.name: finding for finding in library.doctor().findings}
    assert found["lake files"].state == "bad"
    assert shard.name in found["lake files"].message
    (lake / "works" / "2024-01" / "1-x.jsonl").parent.mkdir(parents=True, exist_ok=True)
    (lake / "works" / "2024-01" / "1-x.jsonl").write_bytes(b'{"half":')
    found = {finding.name: finding for finding in library.doctor().findings}
    assert found["lake"].state == "bad"
    assert "1-x.jsonl" in found["lake"].message


def test_pdf_that_is_gone_does_not_stop_the_others(library):
    """A PDF deleted from the lake is one paper's failure."""
    pytest.importorskip("pymupdf")
    library.harvest(from_=date(2024, 1, 1))
    line = library.lake.write_pdf("2402.00001", 1, b"%PDF-")
    library.lake.write_fetched([line], [Outcome("2402.00001", 1)])
    (library.settings.home / "lake" / line["name"]).unlink()
    report = library.build()
    assert [(f.work_id, f.error) for f in report.stages[0].failed] == [("2402.00001", "LakeDamaged")]
    assert report.works == 4


def test_abstract_beside_a_pinned_older_version_is_no_evidence(library, arxiv):
    """arXiv gives the newest version's abstract only: a pinned older version is not quoted by it."""
    arxiv.put(record(1, versions=2, abstract="Matroids decide whether a graph is rigid."))
    library.add(["2402.00001v1", "2402.00002"])
    (pinned,) = library.store.passages_of("2402.00001")
    (newest,) = library.store.passages_of("2402.00002")
    assert (pinned.version, pinned.evidence) == (1, False)
    assert newest.evidence


def test_title_without_end_is_cut_and_leaves_room_for_the_text(library, arxiv):
    """A title of a megabyte, one token a letter, neither fills the index nor stops a build."""
    arxiv.put(record(1, title="\u4e2d\u6587" * 500_000))
    with Library(library.settings, embedding_max_tokens=64) as small:
        small.harvest(from_=date(2024, 1, 1))
        report = small.build()
        assert (report.works, report.semantic_coverage, report.cut_off_share) == (4, 1, 0)
        assert len(small.list()[0].title) == LONGEST_TITLE
        assert small.search("pebble games", mode="lexical").hits[0].work_id == "2402.00001"


def test_lake_may_be_in_another_file_system(arxiv, tmp_path):
    """Harvest, build, search, remove and rebuild on a lake that is not on the local disk."""
    options = {
        "oai_base_url": arxiv.oai_url,
        "pdf_base_url": arxiv.pdf_url,
        "lake_url": f"memory://{tmp_path.name}",
    }
    with Library(home=tmp_path, oai_interval=0, pdf_interval=0, **options) as library:
        harvested(library)
        library.remove("2402.00002")
        library.rebuild()
        assert library.search("pebble games").hits[0].work_id == "2402.00001"
        assert library.check().sound
        assert library.doctor().sound
    assert not (tmp_path / "lake").exists()


def test_build_that_a_rebuild_has_overtaken_serves_the_new_index(library, monkeypatch):
    """Vectors made by a build, while another process rebuilt and published, are in the published index."""
    library.harvest(from_=date(2024, 1, 1))
    embedder = library.embedder()
    embed_passages = type(embedder).embed_passages
    overtaken = []

    def rebuild_meanwhile(self, texts):
        monkeypatch.setattr(type(embedder), "embed_passages", embed_passages)
        bare = library.store.create(fingerprint=embedder.fingerprint, dimensions=embedder.dimensions)
        apply(library.store, bare.name, same_lake(library), embedder)
        library.store.publish(bare.name)
        overtaken.append(bare.name)
        return embed_passages(self, texts)

    monkeypatch.setattr(type(embedder), "embed_passages", rebuild_meanwhile)
    library.build()
    assert library.store.live().name == overtaken[0]
    assert library.check().sound


def test_what_was_removed_comes_back_without_a_network(library, arxiv):
    """`add` of a removed paper takes back the removal; the server is not asked."""
    harvested(library)
    library.remove("2402.00001")
    asked = len(arxiv.requests("/oai"))
    library.add(["2402.00001"])
    assert len(arxiv.requests("/oai")) == asked
    assert library.info("2402.00001").work.version == 1
    assert library.search("pebble games", mode="lexical").hits[0].work_id == "2402.00001"


def test_one_unknown_paper_does_not_keep_the_others_out(library):
    """Of several identifiers the unknown one is reported, and the rest is added."""
    report = library.add(["2402.00001", "2402.00999", "2402.00003"])
    assert report.added == ("2402.00001", "2402.00003")
    failed = [failed for stage in report.stages for failed in stage.failed if failed.work_id == "2402.00999"]
    assert [f.error for f in failed] == ["IdDoesNotExist"]
    assert [work.work_id for work in library.list()] == ["2402.00001", "2402.00003"]
