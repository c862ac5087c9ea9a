"""Queries are data: what is sent reads like the request, and no server is needed to check it."""

from __future__ import annotations

import base64

import numpy as np
import orjson
import pytest
from index.papers import paper, unit

from search.index.documents import PassageDocument, WorkDocument
from search.index.elastic import bulk, queries
from search.index.mappings import mapping
from search.models import Filters


def test_filters_become_clauses():
    """Each condition is one clause; names are folded as the index's keys are."""
    filters = Filters(
        year_from=2001, categories=("cs.CL", "math"), authors=("J. Müller",), ids=("b", "a"),
        exclude_ids=("c",), licences=("open",), withdrawn="exclude",
    )  # fmt: skip
    assert queries.filter_clauses(filters) == [
        {"range": {"year": {"gte": 2001}}},
        {"terms": {"category_keys": ["cs.cl", "math"]}},
        {"term": {"author_keys": "j muller"}},
        {"terms": {"work_id": ["a", "b"]}},
        {"bool": {"must_not": [{"terms": {"work_id": ["c"]}}]}},
        {"terms": {"licence_class": ["open"]}},
        {"bool": {"must_not": [{"terms": {"withdrawn": ["yes"]}}]}},
    ]
    assert queries.filter_clauses(Filters()) == []
    assert queries.filter_clauses(Filters(ids=())) == [{"match_none": {}}]


def test_more_ids_than_elasticsearch_takes_in_one_clause():
    """A filter of 70,000 ids is spread over clauses of at most 65,536."""
    clause = queries.any_of("work_id", [f"{i:05d}" for i in range(70_000)])
    sizes = [len(part["terms"]["work_id"]) for part in clause["bool"]["should"]]
    assert sizes == [65_536, 4_464]


def test_lexical_leg():
    """Words are matched by OR, the filter stands where it adds nothing to the score, works are collapsed."""
    leg = queries.lexical_leg("graph networks", Filters(year_to=1999), size=7, collapse=True)
    assert leg["query"]["bool"] == {
        "must": [{"match": {"content": {"query": "graph networks", "operator": "or"}}}],
        "filter": [{"range": {"year": {"lte": 1999}}}],
    }
    assert (leg["size"], leg["collapse"]) == (7, {"field": "work_id"})
    assert "collapse" not in queries.lexical_leg("graph", Filters(), size=7, collapse=False)


def test_semantic_leg_filters_inside_the_search():
    """The filter is knn's own: beside it, it would drop passages after the nearest were chosen."""
    leg = queries.semantic_leg(unit(1), Filters(year_to=1999), size=100, k=500, collapse=True, beside=["a"])
    assert leg["knn"]["filter"] == [
        {"range": {"year": {"lte": 1999}}},
        {"bool": {"must_not": [{"terms": {"work_id": ["a"]}}]}},
    ]
    assert leg["knn"]["k"] == leg["knn"]["num_candidates"] == 500
    assert "query" not in leg
    assert "inner_hits" not in leg["collapse"]


def test_k_stays_within_what_elasticsearch_allows():
    """However many works are asked for, k and its candidates are at most 10,000."""
    knn = queries.semantic_leg(unit(1), Filters(), size=9_000, k=45_000, collapse=True)["knn"]
    assert (knn["k"], knn["num_candidates"]) == (10_000, 10_000)


@pytest.mark.parametrize(("score", "similarity"), [(1.0, 1.0), (0.5, 0.0), (0.0, -1.0)])
def test_cosine_is_restored(score, similarity):
    """Elasticsearch's (1 + cosine) / 2 becomes the cosine again."""
    assert queries.cosine(score) == similarity


def test_the_index_type_is_always_named():
    """The server's default changes between versions and licences, so the mapping names it."""
    assert queries.vector_field(384, "int8_hnsw") == {
        "type": "dense_vector", "dims": 384, "index": True, "similarity": "cosine",
        "index_options": {"type": "int8_hnsw"},
    }  # fmt: skip


def test_operations_carry_alias_version_and_route():
    """A passage is one action line and one document whose vector is big-endian base64."""
    (passage,) = paper("a/1", "text", revision=77).passages
    operation = bulk.put_passage("alias", passage, unit(1, 2))
    assert orjson.loads(operation.action) == {
        "index": {"_index": "alias", "_id": passage.passage_id, "version": 77,
                  "version_type": "external_gte", "routing": "a/1"},
    }  # fmt: skip
    source = orjson.loads(operation.source)
    sent = np.frombuffer(base64.b64decode(source.pop("vector")), dtype=">f4")
    np.testing.assert_array_equal(sent, unit(1, 2))
    assert PassageDocument.model_validate(source) == passage


def test_requests_are_cut_by_bytes(monkeypatch):
    """A request holds as many operations as fit, and at least one."""
    monkeypatch.setattr(bulk, "REQUEST_BYTES", 10)
    operations = [bulk.Operation(str(i), b"x" * size) for i, size in enumerate([4, 4, 4, 50, 1])]
    assert [[o.id for o in request] for request in bulk._requests(operations)] == [
        ["0", "1"],
        ["2"],
        ["3"],
        ["4"],
    ]


@pytest.mark.parametrize(("name", "model"), [("passages", PassageDocument), ("works", WorkDocument)])
def test_mappings_have_exactly_the_documents_fields(name, model):
    """The mappings are strict, so every field of a document is in them and nothing else but `content`."""
    body = mapping(name)["mappings"]
    assert body["dynamic"] == "strict"
    assert set(body["properties"]) - {"content"} == set(model.model_fields)
