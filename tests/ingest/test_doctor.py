"""Each kind of damage is done, found, mended and gone, on both stores."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import time
from contextlib import closing
from datetime import UTC, date, datetime

import pytest
import tantivy
from ingest.small_library import BOTH_STORES, Noise, harvested, held, opened, record, work_id

from search.cli.run import run
from search.demo.papers import own_pdfs
from search.demo.server import Fault, LoopbackArxiv
from search.index.documents import PaperDocuments
from search.index.elastic.generations import Names
from search.ingest import examining
from search.ingest.build import rebuild
from search.lake.batch import Outcome


@pytest.fixture
def arxiv():
    """A loopback arXiv of twelve papers, the first two with a PDF."""
    pdfs = list(own_pdfs().values())
    two = {f"{work_id(n)}v1": pdfs[n] for n in (1, 2)}
    with LoopbackArxiv([record(n) for n in range(1, 13)], two) as server:
        yield server


@pytest.fixture(params=BOTH_STORES)
def library(request, tmp_path, arxiv):
    """A library that holds them, on either store."""
    with opened(request.param, tmp_path, arxiv, request) as library:
        yield harvested(library)


@pytest.fixture
def embedded(request, tmp_path, arxiv):
    """The same without a server, and with the two PDFs read: for damage to the lake."""
    pytest.importorskip("pymupdf")
    with opened("embedded", tmp_path, arxiv, request) as library:
        library.harvest(from_=date(2024, 1, 1))
        library.fetch([work_id(1), work_id(2)])
        library.build()
        yield library


def bad(report):
    """The names of what is bad, with what is said of it."""
    return {finding.name: finding.message for finding in report.findings if finding.state == "bad"}


def mended(library, *names):
    """What `--fix` did about damage that is found under just these names; the library is sound after it."""
    assert set(bad(library.doctor())) == set(names)
    report = library.doctor(fix=True)
    assert report.sound, bad(report)
    assert report.left == ()
    assert library.check().sound
    return " ".join(report.mended)


def lake_of(library):
    """The folder of the lake."""
    return library.settings.home / "lake"


def on_elasticsearch(library):
    """The client and the names of the live indices; None for the other store."""
    if library.settings.index_url == "embedded":
        return None
    live, names = library.store.live(), Names(library.settings.index_prefix)
    return library.store._client, names.index("works", live), names.index("passages", live)


def lose_document(library, work):
    """Delete what the index holds of a work behind the store's back."""
    if found := on_elasticsearch(library):
        client, works, passages = found
        # Under its own version: a plain deletion would keep the same revision out for a minute.
        revision = client.get(index=works, id=work)["_source"]["revision"]
        under = {"version": revision, "version_type": "external_gte", "refresh": True}
        client.delete(index=works, id=work, **under)
        hits = client.search(index=passages, query={"term": {"work_id": work}}, size=100)["hits"]["hits"]
        for hit in hits:
            client.delete(index=passages, id=hit["_id"], routing=hit.get("_routing"), **under)
        return
    folder = library.settings.home / "index" / library.store.live().name / "words"
    from search.index.embedded.analysis import ANALYZER, analyzer

    index = tantivy.Index.open(str(folder))
    index.register_tokenizer(ANALYZER, analyzer())
    writer = index.writer(heap_size=15_000_000, num_threads=1)
    writer.delete_documents_by_term("work_id", work)
    writer.commit()
    writer.wait_merging_threads()


# ------------------------------------------------------------------ the index
def test_sound_library_is_left_alone(library):
    """Where nothing is wrong, nothing is done."""
    live = library.store.live().name
    report = library.doctor(fix=True)
    assert report.sound
    assert (report.mended, report.fixed) == ((), None)
    assert library.store.live().name == live


def test_missing_work_is_written(library):
    """A work that the index has lost is written again, without a new index."""
    before, live = held(library), library.store.live().name
    lose_document(library, work_id(3))
    assert work_id(3) not in held(library)
    assert "1 missing" in mended(library, "index")
    assert held(library) == before
    assert library.store.live().name == live


def test_stale_work_is_written(library):
    """A work that says something else than the lake is written again."""
    before, live = held(library), library.store.live().name
    (work,) = (w for w in library.store.contents() if w.work_id == work_id(3))
    passages = library.store.passages_of(work_id(3))
    wrong = work.model_copy(update={"title": "Something else", "content_hash": "x"})
    library.store.write(live, [PaperDocuments(wrong, passages, (None,) * len(passages))])
    assert "1 stale" in mended(library, "index")
    assert held(library) == before
    assert library.store.live().name == live


def test_work_that_the_lake_never_had_goes(library):
    """An extra work is taken out, without a new index."""
    live = library.store.live().name
    (stray, *_) = library.store.contents()
    stray = stray.model_copy(update={"work_id": "2402.77777", "content_hash": "x"})
    passages = tuple(
        p.model_copy(update={"work_id": "2402.77777", "passage_id": "2402.77777v1:0:00000000"})
        for p in library.store.passages_of(work_id(1))[:1]
    )
    library.store.write(live, [PaperDocuments(stray, passages, (None,) * len(passages))])
    assert "1 extra" in mended(library, "index")
    assert "2402.77777" not in held(library)
    assert library.store.live().name == live


def test_work_that_claims_to_be_newer_makes_a_new_index(library):
    """What no write can replace is mended by building the index anew."""
    before, live = held(library), library.store.live()
    (work,) = (w for w in library.store.contents() if w.work_id == work_id(3))
    wrong = work.model_copy(update={"revision": work.revision + 10**9, "content_hash": "x"})
    library.store.write(live.name, [PaperDocuments(wrong)])
    assert "built the index anew" in mended(library, "index")
    assert held(library) == before
    assert library.store.live().name != live.name


def test_index_of_another_model_is_built_anew(library):
    """An index of a model that is not set is replaced by one of the model that is."""
    rebuild(library.lake, library.store, Noise(), gate=None)
    assert "another model" in mended(library, "index")
    assert library.search("prime number gaps", mode="semantic").hits[0].work_id == work_id(12)


def test_changed_fingerprint_is_found(library):
    """A generation whose record names another model than its vectors are of is built anew."""
    live = library.store.live()
    if found := on_elasticsearch(library):
        name = Names(library.settings.index_prefix).bookkeeping
        found[0].update(index=name, id=live.name, doc={"fingerprint": "changed"}, refresh=True)
        library.store._generations.forget_live()
    else:
        file = library.settings.home / "index" / live.name / "generation.json"
        file.write_text(file.read_text().replace(live.fingerprint, "changed"))
    assert "another model" in mended(library, "index")


def test_index_that_is_gone_is_built_anew(library):
    """Indices that somebody has deleted are made from the lake again."""
    before = held(library)
    if found := on_elasticsearch(library):
        found[0].indices.delete(index=[found[1], found[2]])
        library.store._generations.forget_live()
    else:
        library.store.close()
        shutil.rmtree(library.settings.home / "index")
    mended(library, "index")
    assert held(library) == before


def test_half_an_index_that_is_gone_is_built_anew(library):
    """An index that has lost its passages, or its files, is replaced."""
    before = held(library)
    if found := on_elasticsearch(library):
        found[0].indices.delete(index=found[2])
    else:
        library.store.close()
        folder = library.settings.home / "index" / library.store.live().name / "words"
        for file in folder.glob("*.store"):
            file.unlink()
    mended(library, "index")
    assert held(library) == before


def test_passages_that_are_gone_are_counted(library):
    """Passages that vanished under a work that is still there are missed, and made again."""
    found = on_elasticsearch(library)
    if not found:
        pytest.skip("words and passages of one paper lie in one commit there")
    before = held(library)
    client, _, passages = found
    (hit, *_) = client.search(index=passages, query={"term": {"work_id": work_id(4)}})["hits"]["hits"]
    client.delete(index=passages, id=hit["_id"], routing=hit.get("_routing"), refresh=True)
    assert "12 papers" not in mended(library, "index")
    assert held(library) == before


# ------------------------------------------------------------------ the catalogue
@pytest.mark.parametrize("left", [0, 1000, 0.5], ids=["nothing", "a piece", "half"])
def test_truncated_catalogue_is_folded_anew(embedded, left):
    """A catalogue that a power cut has cut is thrown away; nothing was in it alone."""
    before = held(embedded)
    path = embedded.lake.catalogue.paths()[0]
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    size = path.stat().st_size
    os.truncate(path, left if isinstance(left, int) else int(size * left))
    report = embedded.doctor(fix=True)
    assert report.sound, bad(report)
    assert held(embedded) == before
    assert embedded.check().sound


def test_catalogue_that_lies_is_folded_anew(embedded):
    """Rows that are missing from the catalogue, though it has folded every file, are found by folding."""
    with closing(sqlite3.connect(embedded.lake.catalogue.paths()[0])) as db, db:
        db.execute("DELETE FROM works WHERE work_id = ?", [work_id(5)])
        db.execute("DELETE FROM arxiv_facts WHERE work_id = ?", [work_id(5)])
    report = embedded.doctor()
    assert "1 works" in bad(report)["catalogue"]
    assert "folded the catalogue anew" in " ".join(embedded.doctor(fix=True).mended)
    assert embedded.info(work_id(5)).work.title == "On protein folding landscapes"
    assert embedded.check().sound


@pytest.mark.parametrize("kind", ["works", "papers", "edges", "vectors", "fetched", "windows"])
def test_log_files_that_are_gone_are_made_again(embedded, kind):
    """Whichever log a lake has lost, the library ends as it was: from the catalogue, the PDFs, the model."""
    before = held(embedded)
    embedded.lake.writer.seen(0)
    embedded.remove(work_id(7))
    (lake_of(embedded) / kind).rename(lake_of(embedded).parent / f"gone-{kind}")
    report = embedded.doctor()
    assert "catalogue" in bad(report)
    report = embedded.doctor(fix=True)
    assert embedded.check().sound
    del before[work_id(7)]
    if kind == "fetched":  # a PDF that no log speaks of may not be the lake's: what was read of it goes on
        assert counted(held(embedded)) == counted(before)
    else:
        assert passages(held(embedded)) == passages(before)
    assert work_id(7) not in held(embedded)
    assert report.sound, bad(report)


def passages(contents):
    """Passage ids by work."""
    return {work: ids for work, (_, ids) in contents.items()}


def counted(contents):
    """Number of passages by work."""
    return {work: len(ids) for work, (_, ids) in contents.items()}


# ------------------------------------------------------------------ the lake
def test_shard_that_is_gone_is_computed_again(embedded):
    """Vectors that are gone are computed, and lie where the log says; nothing else is embedded."""
    shards = sorted((lake_of(embedded) / "shards").rglob("*.npy"))
    assert shards
    for shard in shards:
        shard.unlink()
    embedded.lake.shards = type(embedded.lake.shards)(embedded.lake.files)
    did = mended(embedded, "lake files", "index")
    assert "vectors again" in did
    assert sorted((lake_of(embedded) / "shards").rglob("*.npy")) == shards
    assert embedded.rebuild().published
    assert embedded.search("prime number gaps", mode="semantic").hits[0].work_id == work_id(12)


def test_pdf_that_is_gone_is_downloaded_again(embedded, arxiv):
    """A PDF that somebody deleted comes back from where it came, and is not read again."""
    (pdf, _) = sorted((lake_of(embedded) / "pdf").rglob("*.pdf"))
    content = pdf.read_bytes()
    pdf.unlink()
    assert "downloaded 1 PDFs that were gone" in mended(embedded, "lake files")
    assert pdf.read_bytes() == content


def test_pdf_that_cannot_be_had_again_is_left_and_said(embedded, arxiv):
    """What arXiv does not give either stays in the report."""
    (pdf, _) = sorted((lake_of(embedded) / "pdf").rglob("*.pdf"))
    pdf.unlink()
    arxiv.faults.extend([Fault(path="/pdf", status=404)] * 5)
    report = embedded.doctor(fix=True)
    assert not report.sound
    (left,) = report.left
    assert "is gone" in left
    assert "404" in left


def test_half_written_files_are_deleted_when_nobody_writes_them(embedded):
    """What a killed writer left goes; what is a minute old may be somebody's."""
    folder = lake_of(embedded) / "works" / "2026-01"
    folder.mkdir(exist_ok=True)
    old, young = folder / ".a.part", folder / ".b.part"
    for file in (old, young):
        file.write_bytes(b"half")
    os.utime(old, (time.time() - 7200,) * 2)
    assert "deleted 1 half-written files" in mended(embedded, "left-overs")
    assert not old.exists()
    assert young.exists()


def test_hole_between_two_harvests_is_harvested(embedded, arxiv):
    """Days that no harvest has closed, between days that one has, are harvested."""
    late = record(20)
    arxiv.put(late)
    shutil.rmtree(lake_of(embedded) / "windows")
    embedded.lake.catalogue.forget()
    url = embedded.settings.oai_base_url
    for first, last in ((date(2024, 1, 1), date(2024, 1, 31)), (date(2024, 3, 1), date(2024, 3, 31))):
        answered = datetime(2024, 6, 1, tzinfo=UTC)
        embedded.lake.write_window(base_url=url, set_=None, from_=first, until=last, response_date=answered)
    did = mended(embedded, "harvest")
    assert "harvested 2024-02-01_2024-02-29" in did
    assert examining.holes(embedded.lake, url) == []
    assert work_id(20) in held(embedded)


def test_downloads_that_keep_failing_are_named_and_tried_again(embedded, arxiv):
    """Three failures are worth a note; `--fix` asks once more."""
    for _ in range(3):
        embedded.lake.write_fetched([], [Outcome(work_id(9), 1, "failed", "PDFNotFound", "none")])
    report = embedded.doctor()
    assert report.sound
    (note,) = [f for f in report.findings if f.name == "downloads"]
    assert work_id(9) in note.message
    report = embedded.doctor(fix=True)
    assert any(work_id(9) in left and "after 4 tries" in left for left in report.left)
    arxiv.pdfs[f"{work_id(9)}v1"] = next(iter(own_pdfs().values()))
    assert "failed again and again" in " ".join(embedded.doctor(fix=True).mended)
    assert embedded.info(work_id(9)).holds == "full text"


def test_damage_that_lost_works_is_not_mended_by_forgetting_them(embedded):
    """Where lake and catalogue have both lost works, the index that still has them is left alone."""
    embedded.build()
    shutil.rmtree(lake_of(embedded) / "works")
    embedded.lake.catalogue.forget()
    before = held(embedded)
    report = embedded.doctor(fix=True)
    assert not report.sound
    assert "restore them from a copy" in " ".join(report.left)
    assert set(held(embedded)) == set(before)


def test_command(embedded, capsys):
    """The command says what it did, and exits 0 once all is well."""
    shutil.rmtree(embedded.settings.home / "index")
    home = ["--home", str(embedded.settings.home)]
    assert run([*home, "doctor", "--json"]) == 1
    capsys.readouterr()
    assert run([*home, "doctor", "--fix", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sound"]
