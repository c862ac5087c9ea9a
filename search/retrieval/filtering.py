"""The hard filters, for works that the graph brings in: the same conditions that a store applies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from search.index.documents import fold

if TYPE_CHECKING:
    from search.index.documents import WorkDocument
    from search.models import Filters


def passes(work: WorkDocument, filters: Filters) -> bool:
    """Whether a work meets every condition. A removed work never does; one without a year no range."""
    return not work.removed and all(
        (
            filters.year_from is None or (work.year is not None and work.year >= filters.year_from),
            filters.year_to is None or (work.year is not None and work.year <= filters.year_to),
            not filters.categories or bool({c.lower() for c in filters.categories} & set(work.category_keys)),
            {fold(author) for author in filters.authors} <= set(work.author_keys),
            filters.ids is None or work.work_id in filters.ids,
            work.work_id not in filters.exclude_ids,
            not filters.licences or work.licence_class in filters.licences,
            filters.withdrawn == "include" or (work.withdrawn == "yes") == (filters.withdrawn == "only"),
        )
    )
