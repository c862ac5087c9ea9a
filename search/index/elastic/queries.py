"""What is asked of Elasticsearch, as data. Nothing here does I/O."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

from search.embedding.protocol import Vector
from search.index.documents import PassageDocument, WorkDocument, fold
from search.models import Filters

Query = dict[str, Any]
#: How vectors are indexed: `int8_hnsw` (a quarter of the memory), `hnsw` (full precision), `flat` (exact).
VectorIndex = Literal["int8_hnsw", "hnsw", "flat"]

#: Exactly the fields of the documents: vectors stay on the server (1.5 KB each as base64).
PASSAGE_FIELDS = list(PassageDocument.model_fields)
WORK_FIELDS = list(WorkDocument.model_fields)

#: kNN finds passages, and a leg wants works. Over 47k passages of full papers the 100 nearest passages
#: belonged to 24.5 works, the 500 nearest to 100: five passages a work are asked for.
PASSAGES_PER_WORK = 5
#: Candidates per shard where k is smaller, so that short lists are as good as long ones. With 100 hits a
#: leg the recall@10 of int8_hnsw was 0.979 over 6,545 abstracts.
MIN_CANDIDATES = 150
#: Elasticsearch's own limits on k and `num_candidates`, on `size`, and on values in a `terms` query.
MAX_CANDIDATES = 10_000
MAX_RESULTS = 10_000
MAX_TERMS = 65_536

#: By falling score, ties by passage id: which passage stands for a work, and which works are cut off, is
#: then the same whatever the shards and segments.
_BY_SCORE = [{"_score": "desc"}, {"passage_id": "asc"}]


def vector_field(dimensions: int, index: VectorIndex) -> Query:
    """Return the mapping of the passages' vectors.

    The type of index is always named, because the server's default changes between versions and licences.
    """
    return {
        "type": "dense_vector",
        "dims": dimensions,
        "index": True,
        "similarity": "cosine",
        "index_options": {"type": index},
    }


# ---------------------------------------------------------------- filters
def filter_clauses(filters: Filters) -> list[Query]:
    """Return the conditions, all of which a passage must meet; none for filters that keep everything."""
    clauses: list[Query] = []
    years = {"gte": filters.year_from, "lte": filters.year_to}
    if bounds := {name: year for name, year in years.items() if year is not None}:
        clauses.append({"range": {"year": bounds}})
    if filters.categories:
        clauses.append(any_of("category_keys", [category.lower() for category in filters.categories]))
    clauses += [{"term": {"author_keys": fold(author)}} for author in filters.authors]
    if filters.ids is not None:
        clauses.append(any_of("work_id", filters.ids))
    if filters.exclude_ids:
        clauses.append(none_of("work_id", filters.exclude_ids))
    if filters.licences:
        clauses.append(any_of("licence_class", filters.licences))
    if filters.withdrawn == "only":
        clauses.append({"term": {"withdrawn": "yes"}})
    if filters.withdrawn == "exclude":
        clauses.append(none_of("withdrawn", ["yes"]))
    return clauses


def any_of(field: str, values: Collection[str]) -> Query:
    """Return the query for documents whose `field` is one of `values`; no values: no documents."""
    wanted = sorted(set(values))
    if not wanted:
        return {"match_none": {}}
    if len(wanted) <= MAX_TERMS:
        return {"terms": {field: wanted}}
    parts = [wanted[start : start + MAX_TERMS] for start in range(0, len(wanted), MAX_TERMS)]
    return {"bool": {"should": [{"terms": {field: part}} for part in parts]}}


def none_of(field: str, values: Collection[str]) -> Query:
    """Return the query for documents whose `field` is none of `values`."""
    return {"bool": {"must_not": [any_of(field, values)]}}


# ---------------------------------------------------------------- legs
def lexical_leg(text: str, filters: Filters, *, size: int, collapse: bool) -> Query:
    """Return the search for any of the words of `text`, ranked by BM25."""
    # Half of a broken emoji is no text, and can't be sent.
    text = text.encode("utf-8", "ignore").decode()
    words = {"match": {"content": {"query": text, "operator": "or"}}}
    return {
        "query": {"bool": {"must": [words], "filter": filter_clauses(filters)}},
        "track_total_hits": False,
        **_page(size, collapse=collapse),
    }


def semantic_leg(
    vector: Vector, filters: Filters, *, size: int, k: int, collapse: bool, beside: Collection[str] = ()
) -> Query:
    """Return the search for the nearest passages, works in `beside` left out.

    A sibling ``bool`` filter would drop passages after the k nearest are chosen; `knn.filter` keeps
    searching until k allowed ones are found. The total of hits says whether more exist: it is k then.
    """
    clauses = filter_clauses(filters)
    if beside:
        clauses.append(none_of("work_id", beside))
    k = min(k, MAX_CANDIDATES)
    return {
        "knn": {
            "field": "vector",
            "query_vector": vector.tolist(),
            "k": k,
            "num_candidates": min(max(MIN_CANDIDATES, k), MAX_CANDIDATES),
            "filter": clauses,
        },
        "track_total_hits": True,
        **_page(size, collapse=collapse),
    }


def _page(size: int, *, collapse: bool) -> Query:
    page: Query = {"size": min(size, MAX_RESULTS), "sort": _BY_SCORE, "_source": PASSAGE_FIELDS}
    return {**page, "collapse": {"field": "work_id"}} if collapse else page


def bm25(score: float) -> float:
    """Return BM25 as Lucene defines it; Elasticsearch still multiplies by k1 + 1, with k1 = 1.2."""
    return score / 2.2


def cosine(score: float) -> float:
    """Return the cosine similarity behind a kNN score, which Elasticsearch gives as (1 + cosine) / 2."""
    return 2.0 * score - 1.0


# ---------------------------------------------------------------- lookups
def passages_by_id(ids: Collection[str]) -> Query:
    """Return the search for passages by their ids, in the state that searches see."""
    return {"query": any_of("passage_id", ids), "size": len(ids), "_source": PASSAGE_FIELDS}


def passages_of(work_id: str, *, after: Sequence[Any] | None, vectors: bool = False) -> Query:
    """Return one page of a work's passages, in order; with their vectors as a field if asked."""
    page: Query = {
        "query": {"term": {"work_id": work_id}},
        "sort": [{"ordinal": "asc"}, {"passage_id": "asc"}],
        "_source": ["revision", "passage_id"] if vectors else PASSAGE_FIELDS,
        "size": PASSAGES_PAGE,
    }
    if vectors:
        page["fields"] = ["vector"]
    return {**page, "search_after": list(after)} if after else page


#: Passages per page when all of a work are fetched: of about 2 KB each, so that a page stays near 1 MB.
PASSAGES_PAGE = 500


def citing(ids: Collection[str], *, after: Sequence[Any] | None) -> Query:
    """Return one page of the works that cite any of `ids`, by work id."""
    page: Query = {
        "query": {"bool": {"filter": [any_of("references", ids), {"term": {"removed": False}}]}},
        "sort": [{"work_id": "asc"}],
        "_source": ["work_id", "references"],
        "size": WORKS_PAGE,
    }
    return {**page, "search_after": list(after)} if after else page


def all_works(*, after: Sequence[Any] | None) -> Query:
    """Return one page of all works, removed ones included, by work id."""
    page: Query = {
        "query": {"match_all": {}},
        "sort": [{"work_id": "asc"}],
        "_source": WORK_FIELDS,
        "size": WORKS_PAGE,
    }
    return {**page, "search_after": list(after)} if after else page


#: Works per page: with abstract, references and their details some KB each.
WORKS_PAGE = 500


def older_passages(bounds: Mapping[str, int], *, after: Sequence[Any] | None) -> Query:
    """Return one page of (id, work id) of the passages whose revision is below their work's bound."""
    below = [
        {"bool": {"filter": [{"term": {"work_id": work_id}}, {"range": {"revision": {"lt": bound}}}]}}
        for work_id, bound in sorted(bounds.items())
    ]
    page: Query = {
        "query": {"bool": {"filter": [{"bool": {"should": below, "minimum_should_match": 1}}]}},
        "sort": [{"passage_id": "asc"}],
        "_source": ["work_id"],
        "size": MAX_RESULTS,
    }
    return {**page, "search_after": list(after)} if after else page


def removed_works() -> Query:
    """Return the search for (work id, revision) of removed works, the latest first.

    It goes beside the legs in one request, so it fetches no documents.
    """
    return {
        "query": {"term": {"removed": True}},
        "sort": [{"revision": "desc"}],
        "_source": False,
        "docvalue_fields": ["work_id", "revision"],
        "track_total_hits": False,
        "size": REMOVED,
    }


#: Removed works that a search looks at. A passage that comes back after its work was removed comes within
#: hours, in which nobody removes more by hand.
REMOVED = 1_000


def revisions(*, after: Mapping[str, Any] | None) -> Query:
    """Return the search for one page of the works that have passages, with their first and last revision."""
    works: Query = {"size": BUCKETS, "sources": [{"work_id": {"terms": {"field": "work_id"}}}]}
    if after:
        works["after"] = dict(after)
    bounds = {"oldest": {"min": {"field": "revision"}}, "newest": {"max": {"field": "revision"}}}
    return {
        "size": 0,
        "track_total_hits": False,
        "aggs": {"works": {"composite": works, "aggs": bounds}},
    }


#: Works per page of `revisions`: three buckets each; the server allows 65,536 in one answer.
BUCKETS = 5_000


def count_of(condition: Query | None = None) -> Query:
    """Return the search that counts what meets the condition and fetches nothing."""
    return {"query": condition or {"match_all": {}}, "size": 0, "track_total_hits": True}
