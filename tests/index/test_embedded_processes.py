"""The embedded store between processes: a reader beside a writer, locks, and writers that are killed."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from index.embedded_writer import PAPERS, PASSAGES, papers, vector
from index.papers import DIMENSIONS, paper, unit

from search.errors import WriterBusy
from search.index.embedded import EmbeddedStore
from search.index.embedded.vectors import MERGE_ABOVE
from search.index.protocol import LegRequest

SCRIPT = Path(__file__).with_name("embedded_writer.py")


@pytest.fixture
def store(tmp_path):
    """An embedded store with a published, empty generation."""
    store = EmbeddedStore(tmp_path / "index")
    store.publish(store.create(fingerprint="model-1", dimensions=DIMENSIONS).name)
    yield store
    store.close()


def writer(store, folder, first, last):
    """Start a writer process."""
    environment = {**os.environ, "PYTHONPATH": str(SCRIPT.parent.parent)}
    command = [sys.executable, str(SCRIPT), str(folder), store.live().name, str(first), str(last)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def editions(store):
    """Return the edition of each paper, having checked that its words and vectors are whole and agree."""
    found = {}
    for work in store.contents():
        passages = store.passages_of(work.work_id)
        assert [p.ordinal for p in passages] == list(range(PASSAGES))
        assert {p.revision for p in passages} == {work.revision}
        number = int(work.work_id[1:])
        expected = [vector(number, work.revision, i) for i in range(PASSAGES)]
        np.testing.assert_array_equal(store.vectors_of(work.work_id), expected)
        found[work.work_id] = work.revision
    counts = store.counts()
    assert (counts.works, counts.passages, counts.vectors) == (len(found), *[len(found) * PASSAGES] * 2)
    return found


def test_a_reader_beside_a_writing_process(store, tmp_path):
    """While another process replaces papers, both legs of each search show the same editions, whole."""
    process = writer(store, tmp_path / "index", 1, 30)
    searches, seen = 0, set()
    request = LegRequest(text="common", vector=unit(1, 1, 1, 1), size=PAPERS * PASSAGES, collapse=False)
    while process.poll() is None:
        legs = store.legs(request)
        words = sorted(hit.passage.passage_id for hit in legs.lexical)
        assert words == sorted(hit.passage.passage_id for hit in legs.semantic)
        assert len(words) in {0, PAPERS * PASSAGES // 2, PAPERS * PASSAGES}
        for half in (range(PAPERS // 2), range(PAPERS // 2, PAPERS)):
            revisions = {h.passage.revision for h in legs.lexical if int(h.passage.work_id[1:]) in half}
            assert len(revisions) <= 1
            seen |= revisions
        for hit in legs.semantic:
            number = int(hit.passage.work_id[1:])
            assert hit.score == vector(number, hit.passage.revision, hit.passage.ordinal) @ unit(1, 1, 1, 1)
        searches += 1
    process.stdout.close()
    assert process.wait() == 0
    assert searches > 10
    assert len(seen) > 3
    assert set(editions(store).values()) == {30}


def test_a_second_writer_is_told_who_writes(store):
    """While one writer is at work another is refused, and told the process; readers go on."""
    live = store.live().name

    def input_with_a_guest():
        yield paper("a", "text")
        with pytest.raises(WriterBusy, match=f"process {os.getpid()} "):
            store.write(live, [paper("b", "text")])
        assert store.counts().works == 0

    store.write(live, input_with_a_guest())
    assert store.write(live, [paper("b", "text")]).written == 1


@pytest.mark.crash
def test_killed_writers_leave_a_whole_index(store, tmp_path):
    """After kill -9 at random moments the index holds whole papers, takes writes and has no rubbish."""
    chance = random.Random(20261122)
    durable = 0
    for _ in range(12):
        process = writer(store, tmp_path / "index", durable + 1, durable + 1000)
        reached = process.stdout.readline()
        time.sleep(chance.uniform(0, 0.3))
        process.send_signal(signal.SIGKILL)
        reached = (reached + process.stdout.read()).split()
        process.stdout.close()
        assert process.wait() == -signal.SIGKILL
        durable = int(reached[-1])
        now = EmbeddedStore(tmp_path / "index")
        found = editions(now)
        assert len(found) == PAPERS
        assert set(found.values()) <= {durable, durable + 1}
        durable = max(found.values())
    last = durable + 1
    assert store.write(store.live().name, papers(last)).written == PAPERS
    assert set(editions(store).values()) == {last}
    files = sorted(p.name for p in (tmp_path / "index" / store.live().name / "vectors").iterdir())
    assert all(name.endswith(".npy") for name in files)
    assert len(files) <= MERGE_ABOVE + 1


@pytest.mark.crash
def test_a_writer_killed_in_its_first_moments(store, tmp_path):
    """Killed anywhere between start and first commit, a writer leaves whole papers or none, and no lock."""
    chance = random.Random(7)
    for _ in range(5):
        process = writer(store, tmp_path / "index", 1, 1)
        time.sleep(chance.uniform(0.1, 1.0))
        process.send_signal(signal.SIGKILL)
        process.stdout.close()
        process.wait()
        assert len(editions(store)) in {0, PAPERS // 2, PAPERS}
    store.write(store.live().name, papers(2))
    assert set(editions(store).values()) == {2}


@pytest.mark.parametrize("registered", [True, False], ids=["killed", "power cut"])
def test_a_commit_that_stopped_before_its_last_step(store, tmp_path, registered):
    """Lists of deletions that a stopped commit left do not keep the next writer from committing."""
    live = store.live().name
    store.write(live, papers(1))
    words = tmp_path / "index" / live / "words"
    before = tmp_path / "before"
    shutil.copytree(words, before)
    store.write(live, papers(2)[:3])
    left = list(words.glob("*.del"))
    assert left
    for path in left + [words / ".managed.json"] * registered:
        shutil.copy(path, before)
    store.close()
    shutil.rmtree(words)
    before.rename(words)
    assert set(editions(store).values()) == {1}
    assert store.write(live, papers(2)[:3]).written == 3
    assert sorted(editions(store).values()) == [1] * (PAPERS - 3) + [2] * 3
