"""On Elasticsearch: what a held-up writer sends late, what is left on disk, and which snapshots hold it."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from elasticsearch import Elasticsearch
from index.papers import DIMENSIONS, paper, random_units, tombstone

from search.errors import WriterBusy
from search.index.elastic import ElasticStore, bulk
from search.index.protocol import LegRequest
from search.settings import Settings

pytestmark = pytest.mark.elastic

VECTORS = random_units(20)
PAPERS = [
    paper(
        f"p{i}",
        f"common alpha{i}",
        f"zyxquorvandelay{i} words",
        revision=5,
        vectors=VECTORS[2 * i : 2 * i + 2],
    )
    for i in range(10)
]


@pytest.fixture
def client(elasticsearch_url):
    with Elasticsearch(elasticsearch_url) as client:
        yield client


@pytest.fixture
def store(elasticsearch_url, index_prefix, client):
    """Ten papers in a live generation whose server forgets deletions after a second."""
    store = ElasticStore.from_settings(Settings(index_url=elasticsearch_url, index_prefix=index_prefix))
    live = store.create(fingerprint="model-1", dimensions=DIMENSIONS)
    store.write(live.name, PAPERS)
    store.publish(live.name)
    client.indices.put_settings(index=f"{index_prefix}-*-*", settings={"index.gc_deletes": "1s"})
    yield store
    store.close()


def passages_index(store):
    """Name of the live generation's index of passages."""
    return store._names.index("passages", store.live())


def forget_deletions(store, client):
    """Wait until the server's delete memory has run out, and write something, which makes it look."""
    time.sleep(2.5)
    store.write(store.live().name, [paper("p9", "common changed", revision=50)])
    client.indices.refresh(index=passages_index(store))


def found(store, number):
    """Works that words and meaning of one paper find."""
    legs = store.legs(LegRequest(f"alpha{number} zyxquorvandelay{number}", VECTORS[2 * number], size=10))
    return {hit.passage.work_id for hit in (*legs.lexical, *legs.semantic)}


def sent_late(store, client, number):
    """Write a paper's passages by the index's own name, as it was before; return how many are there."""
    for passage, vector in zip(PAPERS[number].passages, PAPERS[number].vectors, strict=True):
        client.index(
            index=passages_index(store),
            id=passage.passage_id,
            routing=passage.work_id,
            version=passage.revision,
            version_type="external_gte",
            document={**passage.model_dump(mode="json"), "vector": vector.tolist()},
        )
    client.indices.refresh(index=passages_index(store))
    return client.count(index=passages_index(store), query={"term": {"work_id": f"p{number}"}})["count"]


def test_a_write_held_up_for_longer_than_the_delete_memory_is_refused(store, client):
    """A writer that had asked before the takedown sends its passages after deletions are forgotten."""
    live = store.live().name
    held_up = store._begun(store.live())
    store.refuse_late_writes(live)
    store.write(live, [tombstone("p1", revision=99)])
    forget_deletions(store, client)
    late = [
        bulk.put_passage(held_up._passages_alias, passage, vector)
        for passage, vector in zip(PAPERS[1].passages, PAPERS[1].vectors, strict=True)
    ]
    with pytest.raises(WriterBusy, match="cleared of a taken-down paper"):
        held_up._send(late)
    assert client.count(index=passages_index(store), query={"term": {"work_id": "p1"}})["count"] == 0
    assert store.write(live, [PAPERS[1]]).stale == ["p1"], "a writer that begins now is told by the tombstone"
    assert "p1" not in found(store, 1)


def test_what_came_back_all_the_same_is_not_found_and_is_cleared(store, client):
    """Passages written past us, after deletions are forgotten, are no hits; the next write deletes them."""
    live = store.live().name
    store.write(live, [tombstone("p1", revision=99)])
    forget_deletions(store, client)
    assert sent_late(store, client, 1) == 2
    assert "p1" not in found(store, 1)
    assert store.passages_of("p1") == ()
    assert store.passages([PAPERS[1].passages[0].passage_id]) == {}
    assert store.vectors_of("p1") is None
    assert store.strays() == ("p1",)
    store.write(live, [tombstone("p1", revision=99)])
    assert store.strays() == ()
    assert client.count(index=passages_index(store), query={"term": {"work_id": "p1"}})["count"] == 0


def test_passages_of_a_version_that_was_replaced_are_strays_too(store, client):
    """After version 2, version 1's passages that come back late are named, and go with the next write."""
    live = store.live().name
    second = paper("p1", "common beta", "second words", revision=99, version=2, vectors=VECTORS[:2])
    store.write(live, [second])
    forget_deletions(store, client)
    assert sent_late(store, client, 1) == 4
    assert store.strays() == ("p1",)
    assert {p.version for p in store.passages_of("p1")} == {2}
    store.write(live, [second])
    assert store.strays() == ()
    assert store.counts().passages == 2 + 2 * 8 + 1


def test_a_work_that_is_added_again_is_found(store):
    """A removal's tombstone hides no newer passages."""
    live = store.live().name
    store.write(live, [tombstone("p1", revision=99)])
    store.write(live, [paper("p1", "common alpha1", revision=100, vectors=VECTORS[2:3])])
    assert "p1" in found(store, 1)


def test_nothing_is_left_on_disk(store, client):
    """After expunging, no file of the server holds the paper's words or vectors; settings are back."""
    (node,) = client.nodes.info()["nodes"].values()
    data = node["settings"]["path"]["data"]
    folder = Path(data if isinstance(data, str) else data[0])
    if not folder.is_dir():
        pytest.skip("the server's files are not on this machine")
    needles = [b"quorvandelay1", VECTORS[2].tobytes()]

    def places():
        name = client.indices.get(index=passages_index(store))[passages_index(store)]
        files = (folder / "indices" / name["settings"]["index"]["uuid"]).rglob("*")
        contents = [path.read_bytes() for path in files if path.is_file()]
        return [sum(needle in content for content in contents) for needle in needles]

    client.indices.flush(index=passages_index(store), force=True)
    assert all(places())
    store.write(store.live().name, [tombstone("p1", revision=99)])
    store.expunge(store.live().name)
    assert places() == [0, 0]
    settings = client.indices.get_settings(index=passages_index(store), flat_settings=True)
    assert not any("expunge" in name for name in settings[passages_index(store)]["settings"])


def test_snapshots_that_hold_the_index_are_named(store, client, tmp_path, index_prefix):
    """Each snapshot with an index of ours is listed with the command that deletes it; others are not."""
    (node,) = client.nodes.info()["nodes"].values()
    allowed = node["settings"]["path"].get("repo")
    if not allowed:
        pytest.skip("this server allows no snapshots on its disk")
    room = allowed[0] if isinstance(allowed, list) else allowed
    repository = f"{index_prefix}-backup"
    assert store.copies() == () or all(index_prefix not in copy.name for copy in store.copies())
    client.snapshot.create_repository(
        name=repository,
        repository={"type": "fs", "settings": {"location": f"{room}/{repository}"}},
    )
    try:
        for name, kind in {"ours": "passages", "others": "none"}.items():
            client.snapshot.create(
                repository=repository,
                snapshot=name,
                wait_for_completion=True,
                indices=f"{index_prefix}-{kind}-*",
                include_global_state=False,
            )
        (copy,) = store.copies()
        assert copy.name == f"{repository}/ours"
        assert copy.command == f"DELETE /_snapshot/{repository}/ours"
        assert passages_index(store) in copy.indices
    finally:
        client.snapshot.delete(repository=repository, snapshot="*")
        client.snapshot.delete_repository(name=repository)
