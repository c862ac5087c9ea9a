"""Queries as tantivy objects, built from terms: nothing that a user types is ever parsed.

Pure functions: no index is touched here.
"""

from __future__ import annotations

from collections.abc import Iterable

import tantivy
from tantivy import Occur, Query

from search.index.documents import fold
from search.index.embedded.analysis import terms
from search.index.embedded.schema import Kind, schema
from search.models import Filters


def term(field: str, value: str) -> Query:
    """Return the query for documents whose `field` is exactly `value`."""
    return Query.term_query(schema(), field, value, index_option="basic")


def any_of(field: str, values: Iterable[str]) -> Query:
    """Return the query for documents whose `field` is one of `values`; no values: no documents."""
    wanted = list(values)
    if len(wanted) == 1:
        return term(field, wanted[0])
    return Query.term_set_query(schema(), field, wanted) if wanted else Query.empty_query()


def all_of(*queries: Query) -> Query:
    """Return the query for documents that meet every one."""
    return Query.boolean_query([(Occur.Must, query) for query in queries])


def of_kind(kind: Kind, *conditions: Query) -> Query:
    """Return the query for documents of one kind that meet all conditions."""
    return all_of(term("kind", kind), *conditions)


def words(text: str) -> Query | None:
    """Return the query for any of the words of `text`; None if nothing is left of it after analysis.

    A word said twice counts twice, as Lucene adds up equal clauses.
    """
    clauses = []
    for word, times in terms(text).items():
        clause = Query.term_query(schema(), "content", word, index_option="freq")
        clauses.append((Occur.Should, Query.boost_query(clause, float(times)) if times > 1 else clause))
    return Query.boolean_query(clauses) if clauses else None


def allowed(filters: Filters) -> Query | None:
    """Return the query for passages that pass the filters; None if every one does."""
    if filters.keeps_everything():
        return None
    must: list[Query] = []
    must_not: list[Query] = []
    if filters.year_from is not None or filters.year_to is not None:
        must.append(_years(filters.year_from, filters.year_to))
    if filters.categories:
        must.append(any_of("category_keys", (category.lower() for category in filters.categories)))
    must.extend(term("author_keys", fold(author)) for author in filters.authors)
    if filters.ids is not None:
        must.append(any_of("work_id", filters.ids))
    if filters.licences:
        must.append(any_of("licence_class", filters.licences))
    if filters.withdrawn == "only":
        must.append(term("withdrawn", "yes"))
    if filters.withdrawn == "exclude":
        must_not.append(term("withdrawn", "yes"))
    if filters.exclude_ids:
        must_not.append(any_of("work_id", filters.exclude_ids))
    # tantivy finds nothing for a query of exclusions only, so every passage is asked for first.
    clauses = [(Occur.Must, term("kind", Kind.PASSAGE))]
    clauses += [(Occur.Must, query) for query in must] + [(Occur.MustNot, query) for query in must_not]
    return Query.boolean_query(clauses)


def _years(first: int | None, last: int | None) -> Query:
    return Query.range_query(schema(), "year", tantivy.FieldType.Integer, lower_bound=first, upper_bound=last)


def under_filter(query: Query, condition: Query | None) -> Query:
    """Return `query` among the documents that meet the condition, which adds nothing to the score."""
    if condition is None:
        return query
    return Query.boolean_query([(Occur.Must, query), (Occur.Must, Query.const_score_query(condition, 0.0))])
