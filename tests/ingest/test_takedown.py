"""Taking a paper down: nothing of it is left anywhere, nothing brings it back, a kill changes neither."""

from __future__ import annotations

import gzip
import json
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from datetime import UTC, date, datetime

import pytest

from search.demo.papers import papers
from search.demo.server import DemoRecord, DemoVersion, LoopbackArxiv
from search.demo.typeset import typeset
from search.documents import read_pdf
from search.documents.sentences import sentences
from search.errors import WorkNotFound, WorkTakenDown
from search.index.documents import PaperDocuments
from search.lake.batch import Outcome, write_batch
from search.lake.clearing import clear, without
from search.lake.takedown import CARRIED_OUT, LIFTED, ORDERED, Takedowns
from search.library import Library
from search.models import Filters

pytest.importorskip("pymupdf")

TAKEN, OTHER, CITING = "2402.00001", "2402.00002", "2402.00003"
START = date(2024, 1, 1)


def record(work_id, title, abstract, **fields):
    """One paper of the small arXiv."""
    versions = (DemoVersion(datetime(2024, 2, 1, 8, tzinfo=UTC)),)
    fields = {"title": title, "abstract": abstract, "categories": "cs.IR", **fields}
    return DemoRecord(id=work_id, versions=versions, **fields)


@pytest.fixture(scope="module")
def manuscripts():
    """Two of our own papers, as PDFs, and how the reader takes the first."""
    first, second, *_ = {paper.id: paper for paper in papers()}.values()  # two works, not two versions
    return typeset(first), typeset(second), read_pdf(typeset(first))


@pytest.fixture(scope="module")
def arxiv(manuscripts):
    """A loopback arXiv: a paper to take down, another one, and one that cites it."""
    records = [
        record(TAKEN, "Quokkas counted twice", "We count quokkas on Rottnest twice."),
        record(OTHER, "Numbats counted once", "We count numbats once, in the Dryandra woodland."),
        record(CITING, "What was said of counts", f"We discuss arXiv:{TAKEN} and how it counts."),
    ]
    pdfs = {f"{TAKEN}v1": manuscripts[0], f"{OTHER}v1": manuscripts[1]}
    with LoopbackArxiv(records, pdfs) as server:
        yield server


@pytest.fixture(scope="module")
def filled(tmp_path_factory, arxiv):
    """A home in which all of it was harvested, read and indexed, and an older generation is kept."""
    home = tmp_path_factory.mktemp("filled") / "home"
    with opened(home, arxiv) as library:
        library.harvest(from_=START, full_text=True)
        library.build()
        library.rebuild()
    return home


@pytest.fixture
def home(tmp_path, filled):
    """A copy of that home, its catalogue folded anew: a lake is known by its address."""
    return shutil.copytree(filled, tmp_path / "home")


def opened(home, arxiv, **options):
    """The library of a home."""
    options |= {"oai_base_url": arxiv.oai_url, "pdf_base_url": arxiv.pdf_url}
    return Library(home=home, oai_interval=0, pdf_interval=0, **options)


@pytest.fixture
def library(home, arxiv):
    """The library of that copy."""
    with opened(home, arxiv) as library:
        yield library


def traces_of(home, needles):
    """Which needles are found in which files: as they are, unpacked, and in databases' rows."""
    found = set()
    for path in home.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            if content[:2] == b"\x1f\x8b":
                content += gzip.decompress(content)
            if content[:15] == b"SQLite format 3":
                with sqlite3.connect(path) as db:
                    tables = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
                    content += repr([db.execute(f"SELECT * FROM {t}").fetchall() for (t,) in tables]).encode()
                db.close()
            found |= {(needle, path.name) for needle in needles if needle in content}
    return found


def sentences_of(paper):
    """Twenty beginnings of its sentences, of sixty characters."""
    texts = [p.text for p in paper.passages]
    found = {t[a:b][:60] for t in texts for a, b in sentences(t) if b - a >= 60}
    return sorted(s for s in found if not set(s) & set('"\\\n'))[:20]


def needles_of(library, manuscripts):
    """Twenty sentences of the paper, its title, its PDF's middle and its vectors."""
    plain = sentences_of(manuscripts[2])
    vectors = library.store.vectors_of(TAKEN)
    assert len(plain) == 20
    assert vectors is not None
    # The two share their fonts.
    pieces = (manuscripts[0][at : at + 64] for at in range(0, len(manuscripts[0]), 64))
    own_piece = next(piece for piece in pieces if len(piece) == 64 and piece not in manuscripts[1])
    return [
        *(s.encode() for s in plain),
        b"Quokkas counted twice",
        own_piece,
        *(row.tobytes() for row in vectors),
    ]


def answers_of(library):
    """What the other papers' documents are, in every generation."""
    return {
        generation.name: {
            work.work_id: (work.content_hash, [p.passage_id for p in library.store.passages_of(work.work_id)])
            for work in library.store.contents(generation.name)
            if work.work_id != TAKEN
        }
        for generation in library.store.generations()
    }


# ---------------------------------------------------------------- what is left
def test_nothing_is_left_of_it(library, home, manuscripts):
    """Its sentences, title, PDF and vectors are in no file, generation or row; other papers stay whole."""
    needles = needles_of(library, manuscripts)
    before = answers_of(library)
    for name, text in {
        "traces/one.json": json.dumps({"work_id": TAKEN, "quote": needles[0].decode()}),
        "exports/refs.bib": f"eprint = {{{TAKEN}}}, title = {{Quokkas counted twice}}",
        "cache/catalogue-of-another-lake.sqlite": "Quokkas counted twice",
        "lake/works/2026-01/.0123.part": f'{{"work_id":"{TAKEN}","title":"Quokkas counted twice"}}',
    }.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text)
    assert len({needle for needle, _ in traces_of(home, needles)}) > 20
    report = library.take_down(TAKEN)
    assert report.left == ()
    assert traces_of(home, needles) == set()
    assert answers_of(library) == before
    assert len(report.generations) == len(before) == 2
    assert library.check().sound
    assert [work.work_id for work in library.list()] == [OTHER, CITING]
    assert TAKEN not in {hit.work_id for hit in library.search("quokkas counted twice").hits}


def test_what_others_say_of_it_is_theirs(library):
    """The paper that cites it keeps its words and its place in the index."""
    library.take_down(TAKEN)
    assert f"arXiv:{TAKEN}" in library.info(CITING).work.abstract


def test_once_more_changes_nothing(library):
    """The same command again rewrites and deletes nothing."""
    library.take_down(TAKEN)
    again = library.take_down(TAKEN)
    assert (again.rewritten, again.deleted, again.left) == ((), (), ())


def test_what_the_library_never_held_is_not_taken_down(library):
    """A mistyped id is refused, so that it bars no other paper."""
    with pytest.raises(WorkNotFound):
        library.take_down("2402.00009")
    assert library.lake.takedowns.ids() == frozenset()


def test_a_paper_that_was_only_removed_can_be_taken_down(library, home, manuscripts):
    """Removal keeps the paper in the lake; taking it down after that clears it."""
    needles = needles_of(library, manuscripts)
    library.remove(TAKEN)
    assert traces_of(home, needles)
    assert library.take_down(TAKEN).left == ()
    assert traces_of(home, needles) == set()


# ---------------------------------------------------------------- the order
def test_the_order_alone_hides_it_everywhere(library, home, arxiv):
    """Killed right after the order, before the index is cleared: no reader finds the paper any more."""
    passage = library.store.passages_of(TAKEN)[0]
    library.lake.write_order(TAKEN, ORDERED)
    assert TAKEN in library.store.works([TAKEN]), "the index still holds it"
    with opened(home, arxiv) as reader:
        for mode in ("lexical", "semantic", "hybrid"):
            hits = reader.search("quokkas counted twice", mode=mode, hops=1).hits
            assert TAKEN not in {hit.work_id for hit in hits}
        assert reader.search("quokkas", filters=Filters(ids=(TAKEN,))).hits == ()
        assert reader.readable.passages([passage.passage_id]) == {}
        assert reader.readable.passages_of(TAKEN) == ()
        assert reader.readable.vectors_of(TAKEN) is None
        assert TAKEN not in {work.work_id for work in reader.list()}
        answer = reader.ask("How often are quokkas on Rottnest counted?")
        cited = {c.work_id for claim in answer.claims for c in claim.supporting_citations}
        assert TAKEN not in cited | {reference.work_id for reference in answer.references}
        for method in (reader.info, reader.similar):
            with pytest.raises(WorkTakenDown, match="was taken down on"):
                method(TAKEN)


def test_a_build_carries_the_order_out_in_its_index(library, manuscripts, home):
    """A home that only builds, on another machine, clears its own index of the paper."""
    vectors = [row.tobytes() for row in library.store.vectors_of(TAKEN)]
    library.lake.write_order(TAKEN, ORDERED)
    library.build()
    live = library.store.live().name
    index = {name for _, name in traces_of(home / "index" / live, vectors)}
    assert index == set()
    assert library.store.works([TAKEN]) == {}


def test_orders_are_read_the_same_with_and_without_fsspec(library, home):
    """A lake on disk is read by path; both ways see the same orders, and the newest one of a work counts."""
    library.lake.write_order(TAKEN, ORDERED)
    library.lake.write_order(OTHER, ORDERED)
    library.lake.write_order(OTHER, LIFTED)
    plain, by_url = Takedowns(str(home / "lake")), Takedowns(f"file://{home}/lake")
    assert plain.orders() == by_url.orders() == library.lake.takedowns.orders()
    assert plain.ids() == {TAKEN}
    assert plain.pending(()) == {TAKEN}
    assert plain.pending(library.lake.files.names("tombstones")) == frozenset()


# ---------------------------------------------------------------- nothing brings it back
def test_neither_harvest_nor_build_nor_rebuild_brings_it_back(library, home):
    """The server still has the record: it reaches neither the raw answers, nor the log, nor the index."""
    library.take_down(TAKEN)
    report = library.harvest(from_=START, full_text=True)
    library.build()
    library.rebuild()
    assert report.records == 3
    assert traces_of(home, [b"Quokkas counted twice"]) == set()
    assert library.lake.catalogue.half_taken_down() == []
    assert library.lake.catalogue.state(TAKEN).work is None
    assert TAKEN not in {hit.work_id for hit in library.search("quokkas counted twice").hits}
    assert library.check().sound


def test_a_snapshot_does_not_bring_it_back(library, home, tmp_path):
    """Metadata imported after the order holds the paper: nothing of it reaches lake, catalogue or index."""
    library.take_down(TAKEN)
    entries = [
        {
            "id": work_id, "submitter": "Ada", "authors": "Ada Lovelace", "title": title,
            "comments": None, "journal-ref": None, "doi": None, "report-no": None, "categories": "cs.IR",
            "license": None, "abstract": "From the snapshot.", "update_date": "2026-11-01",
            "authors_parsed": [["Lovelace", "Ada", ""]],
            "versions": [
                {"version": f"v{n}", "created": f"Thu, {n} Feb 2024 08:00:00 GMT"} for n in (1, 2)
            ],
        }
        for work_id, title in ((TAKEN, "Quokkas counted twice"), ("2402.00010", "Woylies counted thrice"))
    ]  # fmt: skip
    file = tmp_path / "snapshot.json"
    file.write_text("".join(json.dumps(one) + "\n" for one in entries))
    assert library.import_snapshot(file).records == 2
    library.fetch()
    library.build()
    library.rebuild()
    assert traces_of(home, [b"Quokkas counted twice"]) == set()
    assert library.lake.catalogue.state(TAKEN).work is None
    assert library.lake.catalogue.half_taken_down() == []
    assert [work.work_id for work in library.list()] == [OTHER, CITING, "2402.00010"]
    assert TAKEN not in {hit.work_id for hit in library.search("quokkas counted twice").hits}
    assert library.check().sound


def test_adding_it_is_refused_until_that_is_lifted(library):
    """`add` says when it was taken down, adds the others of a list, and with `lift` brings it back."""
    library.take_down(TAKEN)
    with pytest.raises(WorkTakenDown, match="--lift"):
        library.add([f"{TAKEN}v1"])
    report = library.add([TAKEN, OTHER])
    assert report.added == (OTHER,)
    assert [failed.error for failed in report.stages[0].failed] == ["WorkTakenDown"]
    report = library.add([TAKEN], lift=True)
    assert report.added == (TAKEN,)
    assert library.info(TAKEN).holds == "full text"
    assert library.search("quokkas counted twice").hits[0].work_id == TAKEN
    library.lake.catalogue.forget()
    assert library.info(TAKEN).holds == "full text", "a catalogue that is folded anew says the same"


def test_a_stage_that_began_before_keeps_nothing_of_it(library, manuscripts):
    """What a reader, linker, fetcher or embedder brings after the order is left out or refused."""
    lake = library.lake
    facts = [lake.catalogue.state(TAKEN)]
    library.take_down(TAKEN)
    lake.write_papers([(TAKEN, 1, manuscripts[2])], [Outcome(TAKEN, 1)])
    lake.write_edges([{"work_id": TAKEN, "version": 1, "paper": 1, "edges": []}], [Outcome(TAKEN, 1)])
    for refused in (
        lambda: lake.write_pdf(TAKEN, 1, manuscripts[0]),
        lambda: lake.write_vectors("model", [], None, [Outcome(TAKEN), Outcome(OTHER)]),
    ):
        with pytest.raises(WorkTakenDown):
            refused()
    lake.catalogue.refresh()
    assert lake.catalogue.half_taken_down() == []
    assert facts


def test_what_a_blind_writer_brings_is_noticed_and_cleared(library, home, manuscripts):
    """A machine that had not seen the order writes the paper: nobody reads it, and once more clears it."""
    library.take_down(TAKEN)
    lake = library.lake
    line = {"work_id": TAKEN, "version": 1, "paper": manuscripts[2].model_dump(mode="json")}
    write_batch(lake.files, lake.writer, "papers", [line], [Outcome(TAKEN, 1)])
    lake.catalogue.refresh()
    assert lake.catalogue.state(TAKEN).paper is None
    assert lake.catalogue.half_taken_down() == [TAKEN]
    sentence = needles = [manuscripts[2].passages[1].text[:40].encode()]
    assert traces_of(home, sentence)
    assert library.take_down(TAKEN).left == ()
    assert lake.catalogue.half_taken_down() == []
    assert traces_of(home, needles) == set()


def test_a_late_write_to_the_index_is_refused(library):
    """Documents computed before the order are older than its tombstone, however late they come."""
    store, live = library.store, library.store.live().name
    work, passages = store.works([TAKEN])[TAKEN], store.passages_of(TAKEN)
    library.take_down(TAKEN)
    written = store.write(live, [PaperDocuments(work, passages)])
    assert written.stale == [TAKEN]
    assert store.passages_of(TAKEN) == ()


# ---------------------------------------------------------------- other homes, other files
def test_another_home_on_the_lake_follows(library, home, tmp_path, arxiv):
    """Its catalogue folds the rewritten files anew, and what it reads of other papers stays right."""
    with Library(home=tmp_path / "second", lake_url=str(home / "lake")) as second:
        text = second.info(OTHER)
        library.take_down(TAKEN)
        time.sleep(1.1)  # an order that another process gave is seen within a second
        assert second.info(OTHER) == text
        with pytest.raises(WorkTakenDown):
            second.info(TAKEN)
        assert traces_of(tmp_path / "second", [b"Quokkas counted twice"]) == set()


def test_lines_of_others_keep_their_places(library):
    """A batch is rewritten with a blank in place of the paper's line, so that remembered places stay true."""
    library.lake.catalogue.refresh()
    place = library.lake.catalogue.state(OTHER).paper
    library.lake.write_order(TAKEN, ORDERED)
    clear(library.lake.files, TAKEN)
    assert library.lake.catalogue.paper(place).passages
    library.lake.catalogue.forget()
    library.lake.catalogue.refresh()
    assert library.lake.catalogue.state(OTHER).paper == place


def test_papers_whose_vectors_went_with_it_get_them_again(library):
    """A shard is no paper's own: the others in it, and those of the same title, are embedded once more."""
    vectors = library.store.vectors_of(OTHER)
    library.lake.write_order(TAKEN, ORDERED)
    cleared = clear(library.lake.files, TAKEN, titles=lambda: {CITING: "Quokkas counted twice"})
    assert cleared.to_embed_again == {OTHER, CITING}
    library.lake.write_order(TAKEN, CARRIED_OUT)
    library.build()
    assert library.check().sound
    assert (library.store.vectors_of(OTHER) == vectors).all()


def test_objects_about_it_go_and_others_stay():
    """In files of other kinds each object that is about the work goes, however deep it lies."""
    value = {"a": [{"id": "x", "t": 1}, {"id": "y"}], "b": {"work_id": "x"}, "c": None, "d": ["x"]}
    assert without(value, "x") == {"a": [{"id": "y"}], "c": None, "d": ["x"]}
    assert without({"work_id": "x"}, "x") is None


def killed_takedown(home, seconds, **options):
    """Begin the takedown in a process of its own, and kill it with SIGKILL after so many seconds."""
    code = (
        "import sys; from search.library import Library\n"
        f"library = Library(home={str(home)!r}, **{options!r}); library.lake, library.store\n"
        f"print('ready', flush=True)\nlibrary.take_down({TAKEN!r})"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    process.stdout.readline()
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()


def taken_down_again(library, home):
    """Run the takedown after a killed one: no reader finds the paper, and nothing is left to do."""
    if library.lake.takedowns.ids():
        assert TAKEN not in {hit.work_id for hit in library.search("quokkas counted twice").hits}
    report = library.take_down(TAKEN)
    if report.left:  # an unfinished file of the killed run is too young to be anybody's
        for path in home.rglob("*.part"):
            path.unlink()
        report = library.take_down(TAKEN)
    library.build()
    assert report.left == ()


@pytest.mark.crash
@pytest.mark.parametrize("seed", range(6))
def test_killed_at_any_moment_and_run_again_it_ends_the_same(filled, tmp_path, arxiv, manuscripts, seed):
    """SIGKILL during the takedown: no reader finds the paper, and the next run leaves nothing of it."""
    home = shutil.copytree(filled, tmp_path / "home")
    with opened(home, arxiv) as library:
        needles = needles_of(library, manuscripts)
        before = answers_of(library)
    killed_takedown(home, random.Random(seed).uniform(0.0, 2.5))
    with opened(home, arxiv) as library:
        taken_down_again(library, home)
        assert traces_of(home, needles) == set()
        assert answers_of(library) == before
        assert library.check().sound


def documents(url, prefix):
    """Every document of every index of a prefix, as text."""
    from elasticsearch import Elasticsearch
    from elasticsearch.helpers import scan

    with Elasticsearch(url) as client:
        client.indices.refresh(index=f"{prefix}-*")
        return "\n".join(
            json.dumps(hit["_source"], ensure_ascii=False) for hit in scan(client, index=f"{prefix}-*")
        )


@pytest.mark.crash
@pytest.mark.elastic
@pytest.mark.parametrize("seed", [1, 5, 0])  # after 1.1, 5.0 and 6.8 s; all of range(6) ended the same
def test_killed_on_elasticsearch_it_ends_the_same(
    filled, tmp_path, arxiv, manuscripts, elasticsearch_url, index_prefix, seed
):
    """The same on Elasticsearch: afterwards no document of any index holds the paper's text."""
    home = shutil.copytree(filled, tmp_path / "home")
    where = {"index_url": elasticsearch_url, "index_prefix": index_prefix}
    with opened(home, arxiv, **where) as library:
        library.build()
        library.rebuild()
        before = answers_of(library)
        sentence = max(sentences_of(manuscripts[2]), key=len)
        assert sentence in documents(elasticsearch_url, index_prefix)
    # Undisturbed it takes this small library 4 to 10 s.
    killed_takedown(home, random.Random(seed).uniform(0.0, 8.0), **where)
    with opened(home, arxiv, **where) as library:
        taken_down_again(library, home)
        left = documents(elasticsearch_url, index_prefix)
        assert not any(one in left for one in sentences_of(manuscripts[2]))
        assert "Quokkas counted twice" not in left
        assert traces_of(home / "lake", [sentence.encode(), b"Quokkas counted twice"]) == set()
        assert answers_of(library) == before
        assert library.check().sound


def test_the_doctor_notices_a_takedown_that_was_broken_off_and_finishes_it(library, home):
    """Killed after the order: the doctor says that something is left, and mends it; then all is sound."""
    library.lake.write_order(TAKEN, ORDERED)
    found = {finding.name: finding.state for finding in library.doctor().findings}
    assert found["taken down"] == "bad"
    report = library.doctor(fix=True)
    assert any(TAKEN in said for said in report.mended)
    assert report.left == ()
    assert {f.name for f in report.findings if f.state == "bad"} == set()
    assert traces_of(home, [b"Quokkas counted twice"]) == set()
