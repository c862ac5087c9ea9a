"""What only the embedded store has: files, full disks, snapshots, a schema."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import textwrap

import numpy as np
import orjson
import pytest
from index.papers import DIMENSIONS, paper, random_units, unit

from search.errors import DiskFull, IndexFailure, IndexMissing, SchemaMismatch
from search.index.embedded import EmbeddedStore, unlocked, writing
from search.index.embedded import vectors as matrix
from search.index.embedded.analysis import terms
from search.index.embedded.snapshot import Snapshot
from search.index.protocol import LegRequest
from search.models import Filters


@pytest.fixture
def store(tmp_path):
    """An embedded store with a published, empty generation."""
    store = EmbeddedStore(tmp_path / "index")
    store.publish(store.create(fingerprint="model-1", dimensions=DIMENSIONS).name)
    yield store
    store.close()


def found(store, **request):
    """Return the works that the semantic leg finds."""
    request = {"text": None, "vector": unit(1), **request}
    return [hit.passage.work_id for hit in store.legs(LegRequest(**request)).semantic]


def test_nothing_is_created_by_reading(tmp_path):
    """Looking for an index where there is none leaves no trace."""
    with pytest.raises(IndexMissing, match="citewell index build"):
        EmbeddedStore(tmp_path / "none").live()
    assert not (tmp_path / "none").exists()


def test_another_schema_is_refused(store, tmp_path):
    """A generation made with other mappings is listed, and neither read nor written."""
    name = store.live().name
    path = tmp_path / "index" / name / "generation.json"
    path.write_bytes(path.read_bytes().replace(store.live().schema_hash.encode(), b"0" * 12))
    other = EmbeddedStore(tmp_path / "index")
    assert other.generations()[0].schema_hash == "0" * 12
    for call in (
        other.counts,
        lambda: found(other),
        lambda: other.write(name, []),
        lambda: other.publish(name),
    ):
        with pytest.raises(SchemaMismatch, match="index rebuild"):
            call()


@pytest.mark.parametrize("damaged", ["words/meta.json", "live.json", "generation.json"])
def test_damaged_files_are_named(store, tmp_path, damaged):
    """A file that is not what was written ends in an error that names the next step."""
    store.write(store.live().name, [paper("a", "text")])
    folder = tmp_path / "index"
    path = folder / damaged if damaged == "live.json" else folder / store.live().name / damaged
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(IndexFailure) as failure:
        EmbeddedStore(folder).counts()
    assert str(folder) in failure.value.message
    assert "citewell index" in failure.value.advice


def test_a_full_disk_keeps_what_was_there(store, monkeypatch):
    """When the disk is full the old documents stay, and the write succeeds once there is space."""
    live = store.live().name
    store.write(live, [paper("a", "old", vectors=[unit(1)])])

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(matrix, "_write", full)
        with pytest.raises(DiskFull, match="no space"):
            store.write(live, [paper("a", "new", revision=2, vectors=[unit(1)])])
    assert store.passages_of("a")[0].text == "old"
    assert store.write(live, [paper("a", "new", revision=2, vectors=[unit(1)])]).written == 1
    assert store.passages_of("a")[0].text == "new"


@pytest.mark.skipif(os.name == "nt", reason="limits of a process are POSIX")
def test_a_write_that_tantivy_cannot_finish(store, tmp_path):
    """When a file of tantivy's cannot be written the error is ours, and the index goes on as it was."""
    live = store.live().name
    store.write(live, [paper("a", "old")])
    script = f"""
        import resource
        from pathlib import Path
        from index.papers import paper
        from search.errors import IndexFailure
        from search.index.embedded import EmbeddedStore
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
        long = " ".join(f"word{{i}}" for i in range(20_000))
        try:
            EmbeddedStore(Path({str(tmp_path / "index")!r})).write({live!r}, [paper("a", long, revision=2)])
        except IndexFailure as failure:
            print(failure.code)
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", textwrap.dedent(script)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "IndexFailure", done.stderr
    assert store.passages_of("a")[0].text == "old"
    assert store.write(live, [paper("a", "new", revision=3)]).written == 1
    assert store.passages_of("a")[0].text == "new"


def test_legs_are_of_one_moment(store, tmp_path):
    """A reader whose vector files were cleaned away under it answers from a newer snapshot."""
    live = store.live().name
    store.write(live, [paper("a", "text", vectors=[unit(1)])])
    reader = EmbeddedStore(tmp_path / "index")
    assert reader.counts().vectors == 1  # words are open now, vectors are not
    snapshot = reader._reader(live).snapshot()
    for revision in range(2, 14):
        store.write(live, [paper("a", f"text {revision}", revision=revision, vectors=[unit(1)])])
    with pytest.raises(matrix.VectorsGone):
        snapshot.semantic(unit(1), Filters(), 1, collapse=True)
    assert found(reader) == ["a"]


def test_batches_are_committed_as_they_fill(store, monkeypatch):
    """A long input is committed in batches: what came first is found before the last paper was made."""
    monkeypatch.setattr(writing, "BATCH_PAPERS", 10)
    seen = []

    def papers():
        for i in range(35):
            seen.append(store.counts().works)
            yield paper(f"p{i:02d}", "text", vectors=[unit(1, i)])

    store.write(store.live().name, papers())
    assert seen == [i // 10 * 10 for i in range(35)]
    assert len(found(store, size=100)) == 35


def test_remembered_filters_follow_commits(store):
    """More filters than are remembered, asked again after a commit, see what was committed."""
    live, years = store.live().name, range(2000, 2010)
    for name in "ab":
        vectors = random_units(10, seed=ord(name))
        store.write(
            live,
            [paper(f"{name}{y}", "text", year=y, vectors=[v]) for y, v in zip(years, vectors, strict=True)],
        )
        for _ in range(2):
            for year in years:
                wanted = {f"{other}{year}" for other in "ab" if other <= name}
                assert set(found(store, filters=Filters(year_from=year, year_to=year))) == wanted


def test_the_generations_files_are_readable(store, tmp_path):
    """Pointer and generation are JSON that a person can read."""
    live = store.live().name
    assert orjson.loads((tmp_path / "index" / "live.json").read_bytes())["live"] == live
    facts = orjson.loads((tmp_path / "index" / live / "generation.json").read_bytes())
    assert facts["fingerprint"] == "model-1"
    assert facts["dimensions"] == DIMENSIONS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("O'Neil e.g. U.S.A. foo_bar ___ a1b2", ["o'neil", "e.g", "u.s.a", "foo_bar", "a1b2"]),
        ("3.5% of 1,000; 10^4 x_{i}", ["3.5", "1,000", "10", "4", "x_", "i"]),
        ("GPT-4: state-of-the-art", ["gpt", "4", "state", "art"]),
        ("日本語 テスト", ["日", "本", "語", "テスト"]),
        ("Poincare\u0301 na\u00efve", ["poincare\u0301", "naiv"]),
        ("models modelling model's", ["model", "model", "model"]),
    ],
)
def test_terms_are_those_of_the_standard_tokenizer(text, expected):
    """Words are cut as Lucene's StandardTokenizer cuts them, then folded, stopped and stemmed."""
    assert sorted(terms(text).elements()) == sorted(expected)


def test_terms_leave_out_half_a_character():
    """A lone surrogate is no text, and no error."""
    assert terms("word\ud83d") == {"word": 1}
    assert np.sum(list(terms("word Words WORD").values())) == 3


def test_links_are_made_anew_where_a_writer_was_faster(store, tmp_path, monkeypatch):
    """A reader without a lock that finds files gone after a commit opens the newer commit instead."""
    name = store.live().name
    words = tmp_path / "index" / name / "words"
    store.write(name, [paper("a", "first text")])
    whole = unlocked._open

    def late(folder):
        monkeypatch.setattr(unlocked, "_open", whole)
        store.write(name, [paper("b", "second text")])
        raise ValueError("a file does not exist")

    monkeypatch.setattr(unlocked, "_open", late)
    with_links = Snapshot(unlocked.searcher(words), words.parent)
    assert [work.work_id for work in with_links.contents()] == ["a", "b"]
    assert with_links.lexical("second", Filters(), 5, collapse=True)[0].passage.text == "second text"


def test_damage_is_not_taken_for_a_faster_writer(store, tmp_path):
    """A file that is missing though no commit came is an error at once."""
    name = store.live().name
    store.write(name, [paper("a", "first text")])
    words = tmp_path / "index" / name / "words"
    next(words.glob("*.term")).unlink()
    with pytest.raises(ValueError, match="term"):
        unlocked.searcher(words)
