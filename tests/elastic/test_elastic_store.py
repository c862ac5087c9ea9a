"""What is particular to Elasticsearch: requests, aliases, versions, left-overs of killed writers."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import elastic_transport
import numpy as np
import pytest
from index.papers import DIMENSIONS, paper, random_units, tombstone, unit

from search.errors import IndexMissing, ModelMismatch, SchemaMismatch
from search.index.elastic import ElasticStore, generations
from search.index.elastic import store as store_module
from search.index.protocol import LegRequest
from search.models import Filters
from search.settings import Settings

pytestmark = pytest.mark.elastic


@pytest.fixture
def settings(elasticsearch_url, index_prefix):
    return Settings(index_url=elasticsearch_url, index_prefix=index_prefix)


@pytest.fixture
def store(settings):
    """A store as production makes it, with quantised vectors."""
    store = ElasticStore.from_settings(settings)
    yield store
    store.close()


@pytest.fixture
def live(store):
    """Name of an empty published generation with a model."""
    generation = store.create(fingerprint="model-1", dimensions=DIMENSIONS)
    store.publish(generation.name)
    return generation.name


@pytest.fixture
def requests(monkeypatch):
    """The method and path of every request sent from here on."""
    sent = []
    perform = elastic_transport.Transport.perform_request

    def recorded(self, method, target, **options):
        sent.append(f"{method} {target.partition('?')[0]}")
        return perform(self, method, target, **options)

    monkeypatch.setattr(elastic_transport.Transport, "perform_request", recorded)
    return sent


def both(store, text="common", vector=None, **request):
    """Return both legs as lists of work ids."""
    legs = store.legs(LegRequest(text=text, vector=unit(1) if vector is None else vector, **request))
    return [[hit.passage.work_id for hit in leg] for leg in (legs.lexical, legs.semantic)]


def ranking(leg):
    """Return passage ids and scores, rounded to where single precision ends."""
    return [(hit.passage.passage_id, round(hit.score, 3)) for hit in leg]


# ---------------------------------------------------------------- reading
def test_a_query_is_one_round_trip(store, live, requests):
    """Both legs come in one `_msearch`; which generation is live is not asked for every query."""
    store.write(live, [paper(f"p{i}", "common", vectors=[unit(1, i)]) for i in range(30)])
    store.live()
    requests.clear()
    for _ in range(3):
        lexical, semantic = both(store, size=10)
        assert (len(lexical), len(semantic)) == (10, 10)
    assert requests.count("POST /_msearch") == 3
    assert len(requests) <= 5  # the alias is looked at again after a second, on a slow machine in between


def test_filtered_legs_are_full(store, live):
    """A filter that keeps one paper in fifty leaves both lists as long as were asked for."""
    vectors = random_units(1000)
    store.write(
        live,
        (
            paper(f"p{i:04d}", "common", vectors=[v], categories=("hep-th" if i % 50 == 0 else "cs.CL",))
            for i, v in enumerate(vectors)
        ),
    )
    wanted = {f"p{i:04d}" for i in range(0, 1000, 50)}
    lexical, semantic = both(store, filters=Filters(categories=("hep-th",)), size=20, vector=vectors[7])
    assert set(lexical) == set(semantic) == wanted


def test_crowded_leg_of_five(store, live):
    """A leg of five works is full though 300 nearer passages belong to one: k grows past what is found."""
    crowd = random_units(300) * 0.01 + unit(1)
    crowd /= np.linalg.norm(crowd, axis=1, keepdims=True)
    big = paper("big", *(f"common number{i}" for i in range(300)), vectors=crowd)
    store.write(live, [big, *(paper(f"o{i}", "common", vectors=[unit(1, 1 + i / 10)]) for i in range(9))])
    assert both(store, size=5)[1] == ["big", "o0", "o1", "o2", "o3"]


def test_generation_dropped_under_a_reader(store, live, settings):
    """A reader whose generation was replaced and dropped meanwhile is answered by the new one."""
    reader = ElasticStore.from_settings(settings)
    assert reader.live().name == live
    new = store.create(fingerprint="model-1", dimensions=DIMENSIONS).name
    store.write(new, [paper("a", "common")])
    store.publish(new)
    store.drop(live)
    assert reader.legs(LegRequest(text="common", vector=None)).generation == new
    reader.close()


def test_other_mappings(store, live, monkeypatch):
    """An index that another version of the mappings made is neither read nor written."""
    monkeypatch.setattr(store_module, "schema_hash", lambda: "0123456789ab")
    for use in (lambda: store.works(["a"]), lambda: store.write(live, []), lambda: store.publish(live)):
        with pytest.raises(SchemaMismatch, match="citewell index rebuild"):
            use()


def test_several_shards_rank_as_one(elasticsearch_url, index_prefix):
    """Word statistics are those of all shards, and a work's passages lie on one of them."""
    rankings = []
    for shards in (1, 3):
        settings = Settings(
            index_url=elasticsearch_url, index_prefix=f"{index_prefix}-{shards}", index_shards=shards
        )
        store = ElasticStore.from_settings(settings, vector_index="flat")
        name = store.create(fingerprint="m", dimensions=DIMENSIONS).name
        texts = ["graph", "graph network", "network of networks", "graph graph theory", "noise " * 9]
        many = [(f"p{i}", texts[i % 5], random_units(2, seed=i)) for i in range(60)]
        store.write(
            name, (paper(work_id, text, "more graph text", vectors=two) for work_id, text, two in many)
        )
        store.publish(name)
        legs = store.legs(LegRequest(text="graph theory network", vector=unit(1), size=60))
        rankings.append([ranking(legs.lexical), ranking(legs.semantic)])
        store.close()
    assert rankings[0] == rankings[1]


# ---------------------------------------------------------------- generations
def test_aliases_move_in_one_request(store, live, requests):
    """Both aliases move together, and each names one index afterwards."""
    new = store.create(fingerprint="model-1", dimensions=DIMENSIONS).name
    requests.clear()
    store.publish(new)
    assert requests.count("POST /_aliases") == 1
    names = store._names
    for kind in generations.KINDS:
        (index,) = store._client.indices.get_alias(name=names.alias(kind))
        assert index.endswith(new)


def test_publishing_sets_replicas(store, live, elasticsearch_url, index_prefix):
    """While it loads a generation has no replicas; published, it has as many as the settings say."""
    asking = Settings(index_url=elasticsearch_url, index_prefix=index_prefix, index_replicas=1)
    other = ElasticStore.from_settings(asking)
    made = other.create(fingerprint=None, dimensions=None)

    def replicas() -> set[str]:
        found = other._client.indices.get_settings(index=f"{index_prefix}-*-{made.name}")
        return {index["settings"]["index"]["number_of_replicas"] for index in found.values()}

    assert replicas() == {"0"}
    other.publish(made.name)
    assert replicas() == {"1"}
    other.close()


def test_many_writers_of_one_bookkeeping_document(store, live):
    """What several processes mark as applied at once is all kept."""
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda i: store.mark_applied(live, [f"works/{i}"]), range(24)))
    assert store.live().applied == {f"works/{i}" for i in range(24)}


def test_dropped_generation_does_not_come_back(store, live):
    """A writer whose generation is dropped fails; no unmapped index arises in its place."""
    building = store.create(fingerprint=None, dimensions=None)

    def papers():
        yield paper("a", "text")
        store.drop(building.name)

    with pytest.raises(IndexMissing):
        store.write(building.name, papers())
    assert not store._client.indices.exists(index=store._names.index("works", building))
    assert not store._client.indices.exists(index=store._names.index("passages", building))


def test_builder_killed_before_its_indices(store, live):
    """A generation of which only the document was made can be written, published and dropped."""
    made = [store.create(fingerprint="m", dimensions=DIMENSIONS) for _ in range(2)]
    for generation in made:
        store._client.indices.delete(
            index=[store._names.index(kind, generation) for kind in generations.KINDS]
        )
    store.drop(made[0].name)
    assert store.write(made[1].name, [paper("a", "common", vectors=[unit(1)])]).written == 1
    store.publish(made[1].name)
    assert both(store) == [["a"], ["a"]]
    assert [g.name for g in store.generations()] == [live, made[1].name]


# ---------------------------------------------------------------- writing
def test_late_write_to_a_removed_paper(store, live):
    """An old write after the removal is refused, also when the deleted passages' versions are forgotten."""
    store._client.indices.put_settings(
        index=f"{store._names.prefix}-*", settings={"index": {"gc_deletes": "0s"}}
    )
    old = paper("a", "common", revision=5, vectors=[unit(1)])
    store.write(live, [old])
    store.write(live, [tombstone("a", revision=9)])
    assert both(store) == [[], []]
    assert store.write(live, [paper("a", "common text", revision=7, vectors=[unit(1)])]).stale == ["a"]
    assert both(store) == [[], []]
    assert store.works(["a"]) == {}
    assert [work.removed for work in store.contents()] == [True]
    assert store.counts().works == 0


def killed_after(store: ElasticStore, monkeypatch: pytest.MonkeyPatch, requests: int) -> None:
    """Let the store send so many bulk requests, and nothing after that, the refresh included."""
    bulk, refresh = store._client.bulk, store_module.Writing._refresh
    left = [requests]

    def dying_bulk(**options):
        if not left[0]:
            raise KeyboardInterrupt
        left[0] -= 1
        return bulk(**options)

    def dying_refresh(writing):
        if writing._unseen:
            raise KeyboardInterrupt
        refresh(writing)

    monkeypatch.setattr(store._client, "bulk", dying_bulk)
    monkeypatch.setattr(store_module.Writing, "_refresh", dying_refresh)


@pytest.mark.parametrize("requests_sent", [0, 1, 2])
@pytest.mark.parametrize("refreshed", [False, True])
def test_killed_writer(store, live, monkeypatch, requests_sent, refreshed):
    """Wherever a writer dies, a reader sees one edition, and writing again leaves the new one alone."""
    old = paper("a", "common apple", "common banana", revision=1, vectors=[unit(1), unit(1, 0.1)])
    new = paper("a", "common cherry", "common dates", revision=2, version=2, vectors=[unit(1), unit(1, 0.1)])
    store.write(live, [old])
    with monkeypatch.context() as patch:
        killed_after(store, patch, requests_sent)
        with pytest.raises(KeyboardInterrupt):
            store.write(live, [new])
    if refreshed:
        store._client.indices.refresh(index=f"{store._names.prefix}-*")
    legs = store.legs(LegRequest(text="common", vector=unit(1), collapse=False, size=10))
    for leg in (legs.lexical, legs.semantic):
        assert len({hit.passage.revision for hit in leg}) == 1
        assert len(leg) == 2
    assert store.passages_of("a") in (old.passages, new.passages)
    store.write(live, [new])
    assert store.passages_of("a") == new.passages
    assert store.counts().passages == 2
    assert both(store, text="apple banana", size=10)[0] == []


def test_overtaken_writer_takes_its_passages_back(store, live, settings, monkeypatch):
    """Of two writers the newer revision stays, though the older one's passages were written after it."""
    older = paper("a", "common old one", "common old two", revision=5, vectors=[unit(1), unit(1)])
    newer = paper("a", "common new", revision=6, version=2, vectors=[unit(1)])
    other = ElasticStore.from_settings(settings)
    held = store_module.Writing._held

    def overtaken(self, ids):
        found = held(self, ids)
        monkeypatch.setattr(store_module.Writing, "_held", held)
        other.write(live, [newer])
        return found

    monkeypatch.setattr(store_module.Writing, "_held", overtaken)
    assert store.write(live, [older]).stale == ["a"]
    assert store.passages_of("a") == newer.passages
    assert store.counts().passages == 1
    other.close()


def test_unchanged_papers_are_not_sent(store, live, requests):
    """Writing the same papers again sends no document."""
    papers = [paper(f"p{i}", "text", vectors=[unit(1, i)]) for i in range(10)]
    store.write(live, papers)
    requests.clear()
    assert store.write(live, papers).unchanged == 10
    assert not [request for request in requests if "_bulk" in request]


def test_vectors_of_another_length(store, live):
    """A vector that is not the model's is refused before anything of the paper is written."""
    with pytest.raises(ModelMismatch):
        store.write(live, [paper("a", "common", vectors=[np.ones(3, dtype=np.float32)])])
    assert both(store)[0] == []


def test_hostile_names(store, live):
    """An author's name longer than any index term, and one of signs, fail no paper."""
    store.write(live, [paper("a", "common", authors=("x" * 40_000, '"; DROP *')), paper("b", "common")])
    assert both(store)[0] == ["a", "b"]
    assert store.works(["a"])["a"].authors[0] == "x" * 40_000
