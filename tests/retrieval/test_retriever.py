"""The retriever over a real embedded index."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from search.errors import (
    BadFilter,
    EmptyQuery,
    EngineUnavailable,
    IndexMissing,
    ModelMismatch,
    ModelUnavailable,
    WorkNotFound,
)
from search.models import Filters
from search.retrieval.blend import Weights
from search.retrieval.retriever import Retriever


@pytest.fixture
def retriever(papers):
    return Retriever(papers.store, lambda: papers.model, Weights())


def ids(result):
    return [hit.work_id for hit in result.hits]


def no_model():
    raise ModelUnavailable("the embedding model is not on this machine", advice="get it")


# ------------------------------------------------------------------ hits and their explanation
def test_hybrid_hits_explain_themselves(papers, retriever):
    """A hybrid hit carries both legs' scores, its passages and a final score between 0 and 1."""
    result = retriever.search("deep networks for images")
    best = result.hits[0]
    assert result.outcome == "hits"
    assert (best.rank, best.work_id, best.title, best.year) == (
        1,
        "2001.00001",
        "Deep residual networks",
        2015,
    )
    assert best.bm25_score > 0
    assert 0 < best.vector_score <= 1.0001
    assert best.final_score == pytest.approx(1.0)
    assert best.graph_score is best.graph_distance is best.recency_score is best.rerank_score is None
    assert [hit.rank for hit in result.hits] == list(range(1, len(result.hits) + 1))
    assert sorted((h.final_score for h in result.hits), reverse=True) == [h.final_score for h in result.hits]


def test_matched_passages(retriever):
    """A hit shows up to `passages` different passages, each with the leg that found it and its place."""
    best = retriever.search("deep networks reach lower error on images", passages=3).hits[0]
    assert best.work_id == "2001.00001"
    assert len({p.passage_id for p in best.passages}) == len(best.passages) == 3
    assert best.passages[0].text == "On images the deep networks reach lower error."
    assert best.passages[0].page == 2
    assert {p.leg for p in best.passages} <= {"lexical", "semantic"}
    assert len(retriever.search("deep networks images", passages=1).hits[0].passages) == 1
    assert retriever.search("deep networks images", passages=0).hits[0].passages == ()


def test_one_leg(papers, retriever):
    """A lexical search needs no model and has no vector scores; a semantic one has no BM25 scores."""
    lexical = Retriever(papers.store, no_model).search("attention", mode="lexical")
    assert set(ids(lexical)) == {"2001.00002", "2001.00003"}
    assert all(hit.vector_score is None and hit.bm25_score > 0 for hit in lexical.hits)
    assert lexical.message == ""
    semantic = retriever.search("attention", mode="semantic")
    assert all(hit.bm25_score is None and hit.vector_score is not None for hit in semantic.hits)
    assert semantic.hits[0].work_id in {"2001.00002", "2001.00003"}


def test_metrics(papers, retriever):
    """Metrics count the index, cover each stage, and agree with the hits."""
    result = retriever.search("deep networks", limit=2)
    assert result.metrics.hits == len(result.hits) == 2
    assert result.metrics.works == 6
    assert result.metrics.semantic_coverage == 1.0
    assert result.metrics.top_score == result.hits[0].final_score
    assert set(result.metrics.milliseconds) == {"plan", "embed", "legs", "fusion", "graph", "fetch", "total"}
    assert result.generation == papers.generation
    assert result.metrics.milliseconds["total"] >= result.metrics.milliseconds["legs"]


def test_threshold(retriever):
    """Hits below the threshold are left out; where none reaches it, the message says so."""
    every = retriever.search("deep networks").hits
    half = retriever.search("deep networks", threshold=0.5).hits
    assert 0 < len(half) < len(every)
    assert all(hit.final_score >= 0.5 for hit in half)
    # Over the graph the best match shares its place with what has the votes: nobody reaches 1.
    none = retriever.search("handwriting", mode="lexical", hops=1, threshold=1.0)
    assert (none.outcome, none.hits) == ("no match", ())
    assert "1 or more" in none.message


def test_same_query_same_answer(retriever):
    """Eight threads asking at once get what one gets, hit by hit."""
    expected = retriever.search("deep attention networks", hops=2).model_copy(update={"metrics": None})
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: retriever.search("deep attention networks", hops=2), range(40)))
    assert all(r.model_copy(update={"metrics": None}) == expected for r in results)


# ------------------------------------------------------------------ filters
@pytest.mark.parametrize(
    ("filters", "allowed"),
    [
        (Filters(year_from=2017, year_to=2018), {"2001.00002", "2001.00003"}),
        (Filters(categories=("cs.CV",)), {"2001.00001"}),
        (Filters(categories=("CS",)), {"2001.00001", "2001.00002", "2001.00003", "2001.00004", "2001.00005"}),
        (Filters(authors=("shazeer",)), {"2001.00002"}),
        (Filters(authors=("K. von Frisch", "frisch")), set()),
        (Filters(ids=("2001.00003", "2001.00006")), {"2001.00003", "2001.00006"}),
        (Filters(ids=()), set()),
        (Filters(exclude_ids=("2001.00001", "2001.00002")),
         {"2001.00003", "2001.00004", "2001.00005", "2001.00006"}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("hops", [0, 2])
def test_filters_hold_everywhere(retriever, filters, allowed, hops):
    """No work that a filter forbids comes back, neither from a leg nor over the graph."""
    result = retriever.search("deep attention networks for images", filters=filters, hops=hops)
    assert set(ids(result)) <= allowed
    assert bool(result.hits) == bool(allowed)
    assert result.outcome == ("hits" if allowed else "filtered out")


def test_an_excluded_work_is_no_bridge(papers):
    """Over the graph a work is not reached through one that is left out."""
    retriever = Retriever(papers.store, no_model, Weights())
    reached = retriever.search("masked", mode="lexical", hops=2)
    assert ids(reached) == ["2001.00003", "2001.00002", "2001.00001", "2001.00005"]
    cut = retriever.search("masked", mode="lexical", hops=2, filters=Filters(exclude_ids=("2001.00002",)))
    assert ids(cut) == ["2001.00003"]


# ------------------------------------------------------------------ the graph
def test_graph_brings_works_by_distance(papers):
    """From one seed, one step brings its references, two steps theirs; nearer ones score higher."""
    retriever = Retriever(papers.store, no_model, Weights(graph=0.3))
    one = {h.work_id: h for h in retriever.search("masked", mode="lexical", hops=1).hits}
    assert {i: h.graph_distance for i, h in one.items()} == {"2001.00003": 0, "2001.00002": 1}
    two = {h.work_id: h for h in retriever.search("masked", mode="lexical", hops=2).hits}
    assert two["2001.00002"].graph_score == pytest.approx(1.0)
    assert two["2001.00001"].graph_score == pytest.approx(0.5)
    assert two["2001.00001"].graph_distance == 2
    assert two["2001.00001"].bm25_score is None
    assert two["2001.00001"].final_score == pytest.approx(0.3 * 0.5 / 1.3)
    assert two["2001.00001"].title == "Deep residual networks"


def test_graph_follows_citing_works_too(papers):
    """A step also leads from a work to those that cite it."""
    found = Retriever(papers.store, no_model).search("handwriting", mode="lexical", hops=1)
    assert ids(found) == ["2001.00004", "2001.00001"]


# ------------------------------------------------------------------ recency
def test_recency(papers):
    """With a weight for recency, of two equal matches the newer one comes first."""
    papers.write(
        {"id": "1", "title": "Zebra stripes", "text": "Stripes confuse flies.", "year": 1995},
        {"id": "2", "title": "Zebra stripes", "text": "Stripes confuse flies.", "year": 2024},
    )
    plain = Retriever(papers.store, no_model).search("zebra", mode="lexical")
    assert ids(plain) == ["1", "2"]
    newer = Retriever(papers.store, no_model, Weights(recency=0.2)).search("zebra", mode="lexical")
    assert ids(newer) == ["2", "1"]
    assert 0 < newer.hits[1].recency_score < newer.hits[0].recency_score <= 1


# ------------------------------------------------------------------ clear outcomes
@pytest.mark.parametrize("query", ["", "   ", "?!", "\n\t"])
def test_empty_query(retriever, query):
    """A query without a word is refused."""
    with pytest.raises(EmptyQuery):
        retriever.search(query)


def test_no_index(collection):
    """Without a published index, that is what is said."""
    with pytest.raises(IndexMissing):
        Retriever(collection.store, lambda: collection.model).search("anything")


def test_empty_index(collection):
    """An index without papers says so."""
    collection.create()
    collection.publish()
    result = Retriever(collection.store, lambda: collection.model).search("anything")
    assert (result.outcome, result.hits) == ("empty index", ())
    assert "index build" in result.message


def test_other_model(papers):
    """Another model than the index's is refused by name, but words need no model."""
    papers.model.fingerprint = "words-2"
    retriever = Retriever(papers.store, lambda: papers.model)
    for mode in ("hybrid", "semantic"):
        with pytest.raises(ModelMismatch, match=r"words-1.*words-2") as caught:
            retriever.search("attention", mode=mode)
        assert "rebuild" in caught.value.advice
    assert retriever.search("attention", mode="lexical").hits


def test_no_match(retriever):
    """Words that are nowhere give no match, not a filter's fault."""
    result = retriever.search("zymurgy", mode="lexical")
    assert (result.outcome, result.hits) == ("no match", ())
    result = retriever.search("zymurgy", mode="lexical", filters=Filters(year_from=2000))
    assert result.outcome == "no match"


def test_filtered_out(retriever):
    """Where works match and no filter lets them pass, the outcome names the filters."""
    result = retriever.search("attention", filters=Filters(year_from=2030))
    assert (result.outcome, result.hits) == ("filtered out", ())
    assert "filters" in result.message


def test_engine_down(papers):
    """An engine that does not answer is an error, never an empty result."""

    class Down:
        def live(self):
            raise EngineUnavailable("the engine does not answer", advice="start it")

    with pytest.raises(EngineUnavailable):
        Retriever(Down(), lambda: papers.model).search("attention")


def test_bad_filter(retriever):
    """An empty range of years is refused before anything is asked."""
    with pytest.raises(BadFilter, match="2020 to 2010"):
        retriever.search("attention", filters=Filters(year_from=2020, year_to=2010))


# ------------------------------------------------------------------ no model, no vectors
def test_model_missing(papers):
    """Without the model a hybrid search answers from words and says why; a semantic one raises."""
    retriever = Retriever(papers.store, no_model)
    result = retriever.search("attention")
    assert result.outcome == "hits"
    assert "words only" in result.message
    assert "not on this machine" in result.message
    with pytest.raises(ModelUnavailable):
        retriever.search("attention", mode="semantic")


def test_no_vectors_yet(collection):
    """An index of words alone is searched by words, without asking for the model."""
    collection.create(vectors=False)
    collection.write({"id": "1", "title": "Bees", "text": "Bees dance."}, vectors=False)
    collection.publish()
    retriever = Retriever(collection.store, no_model)
    result = retriever.search("bees")
    assert ids(result) == ["1"]
    assert result.metrics.semantic_coverage == 0.0
    assert "no vectors yet" in result.message
    semantic = retriever.search("bees", mode="semantic")
    assert (semantic.outcome, semantic.hits) == ("no match", ())
    assert "no vectors yet" in semantic.message


def test_partial_coverage(collection):
    """Where only some passages have vectors, the share is reported and words find the others."""
    collection.create()
    collection.write({"id": "1", "title": "Bees", "text": "Bees dance."})
    collection.write({"id": "2", "title": "Flowers", "text": "Flowers wait."}, vectors=False)
    collection.publish()
    result = Retriever(collection.store, lambda: collection.model).search("flowers wait")
    assert result.metrics.semantic_coverage == 0.5
    assert "50 %" in result.message
    assert "2" in ids(result)


def test_model_is_asked_once(papers, retriever):
    """One query vector serves both the legs and the passages that are shown."""
    retriever.search("deep networks", passages=3)
    assert papers.model.queries == 1


# ------------------------------------------------------------------ similar works
def test_a_filter_that_nothing_has_is_named(retriever):
    """A category that no paper is in, and an id that the index lacks, are named; a mere clash is not."""
    nowhere = retriever.search("attention", filters=Filters(categories=("foo.bar",)))
    assert "is in the category foo.bar" in nowhere.message
    unknown = retriever.search("attention", filters=Filters(ids=("2001.00003", "9999.1"), year_from=2030))
    assert "9999.1, which the index does not hold" in unknown.message
    assert "passes the filters" in retriever.search("attention", filters=Filters(year_from=2030)).message


def test_words_that_are_nowhere_are_said_to_be(retriever):
    """Hits by meaning alone, for words that no paper holds, come with a warning and the best cosine."""
    result = retriever.search("zymurgy")
    assert result.outcome == "hits"
    assert result.message.startswith("no paper holds these words")
    assert f"{max(hit.vector_score for hit in result.hits):.2f} of 1" in result.message
    assert retriever.search("zymurgy attention").message == ""


def test_similar(papers):
    """Similar works come without the work itself and without loading a model."""
    result = Retriever(papers.store, no_model).similar("2001.00003")
    assert result.outcome == "hits"
    assert "2001.00003" not in ids(result)
    assert ids(result)[-1] == "2001.00006"
    assert result.filters == Filters()


def test_similar_only_itself(papers):
    """Where the filters leave only the work itself, nothing comes back, and others would have."""
    result = Retriever(papers.store, no_model).similar("2001.00003", filters=Filters(ids=("2001.00003",)))
    assert (result.outcome, result.hits) == ("filtered out", ())


def test_similar_unknown(retriever):
    """A work that the index does not hold cannot be compared."""
    with pytest.raises(WorkNotFound, match=r"9999\.99999"):
        retriever.similar("9999.99999")


def test_similar_without_vectors(collection):
    """A work whose vector is not computed yet is compared by its words."""
    collection.create()
    collection.write({"id": "1", "title": "Bees", "text": "Bees dance on flowers."})
    collection.write({"id": "2", "title": "Flowers", "text": "Flowers wait."}, vectors=False)
    collection.publish()
    result = Retriever(collection.store, no_model).similar("2")
    assert ids(result) == ["1"]
    assert "words only" in result.message


# ------------------------------------------------------------------ evidence
def test_evidence(retriever):
    """Evidence is passages of the given works only, several of one work too, best first."""
    found = retriever.evidence(
        "residual blocks in deep networks for images", ["2001.00001", "2001.00004"], size=10
    )
    assert {p.work_id for _, p in found} == {"2001.00001", "2001.00004"}
    assert sum(p.work_id == "2001.00001" for _, p in found) == 3
    scores = [score for score, _ in found]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert len({p.passage_id for _, p in found}) == len(found)


def test_evidence_of_nothing(retriever):
    """No works, no evidence; at most `size` passages otherwise."""
    assert retriever.evidence("networks", [], size=5) == []
    assert len(retriever.evidence("networks", ["2001.00001"], size=2)) == 2


def test_shown_passages_are_of_the_newest_revision(papers, retriever):
    """After a paper was replaced, nothing of its old text is shown."""
    papers.write(
        {"id": "2001.00001", "title": "Deep residual networks", "text": "Skip connections, second edition."},
        revision=2,
    )
    hit = next(h for h in retriever.search("deep residual networks skip").hits if h.work_id == "2001.00001")
    assert [p.text for p in hit.passages] == ["Skip connections, second edition."]
