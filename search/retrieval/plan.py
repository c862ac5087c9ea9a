"""What a caller asked for, checked: words, hard filters, limits. No I/O, no model, nothing guessed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from search.errors import BadFilter, EmptyQuery, UsageError
from search.index.documents import fold

if TYPE_CHECKING:
    from search.models import Filters, Mode

#: Works asked of each leg. The first 100 of each are what the measured fusion was made of.
LEG_WORKS = 100
#: arXiv's notation: an archive ("math", "hep-th"), or an archive and a subject ("cs.CL",
#: "cond-mat.str-el", "q-bio.NC").
_CATEGORY = re.compile(r"[a-z]+(-[a-z]+)?(\.[a-z]+(-[a-z]+)?)?", re.IGNORECASE | re.ASCII)
#: Citation steps that have a weight.
MAX_HOPS = 2


@dataclass(frozen=True, slots=True)
class Plan:
    """One search, ready to be run."""

    #: The words, with single spaces.
    text: str
    filters: Filters
    mode: Mode
    #: How many works to return at most.
    limit: int
    #: Citation steps to expand by, 0 to 2.
    hops: int
    #: Lowest final score to return, 0 to 1; None: every one.
    threshold: float | None
    #: Matched passages to show of each work.
    passages: int

    @property
    def size(self) -> int:
        """How many works to ask of each leg."""
        return max(LEG_WORKS, self.limit)


def make_plan(
    query: str,
    filters: Filters,
    *,
    mode: Mode = "hybrid",
    limit: int = 10,
    hops: int = 0,
    threshold: float | None = None,
    passages: int = 3,
) -> Plan:
    """Check what was asked for.

    Raises:
        EmptyQuery: no letter and no digit in the query.
        BadFilter: a filter that nothing can pass, or that is not in arXiv's notation.
        UsageError: a number out of its range, or an unknown mode.
    """
    check_filters(filters)
    if mode not in {"hybrid", "lexical", "semantic"}:
        raise UsageError(f"there is no search mode {mode!r}", advice="use hybrid, lexical or semantic")
    for name, value, least, most in (
        ("limit", limit, 1, None),
        ("hops", hops, 0, MAX_HOPS),
        ("passages", passages, 0, None),
        ("threshold", threshold, 0, 1),
    ):
        if value is None:
            continue
        # Written so that a threshold which is not a number fails as well.
        if not value >= least or (most is not None and not value <= most):
            allowed = f"{least} to {most}" if most is not None else f"{least} or more"
            raise UsageError(f"{name} is {value}", advice=f"give {allowed}")
    return Plan(words(query), filters, mode, limit, hops, threshold, passages)


def words(query: str) -> str:
    """Return the query with single spaces.

    Raises:
        EmptyQuery: it holds no letter and no digit.
        UsageError: it is no string.
    """
    if not isinstance(query, str):
        raise UsageError(f"a query is a string, not {type(query).__name__}", advice="give words")
    # A shell or JSON may hand over halves of surrogate pairs, which no tokenizer takes.
    text = " ".join(query.encode("utf-8", "replace").decode().split())
    if not any(character.isalnum() for character in text):
        raise EmptyQuery(
            f"the query {text!r} holds no word" if text else "the query is empty",
            advice="say in a few words what the papers should be about",
        )
    return text


def check_filters(filters: Filters) -> None:
    """Refuse filters that cannot be meant as written.

    Raises:
        BadFilter: an empty range of years, a category outside arXiv's notation, a name without letters.
    """
    first, last = filters.year_from, filters.year_to
    if first is not None and last is not None and first > last:
        raise BadFilter(f"no year is from {first} to {last}", advice="swap the two years")
    for category in filters.categories:
        if not _CATEGORY.fullmatch(category):
            raise BadFilter(
                f"{category!r} is no arXiv category", advice='write it as "cs.CL", or "cs" for all of cs'
            )
    for author in filters.authors:
        if not fold(author):
            raise BadFilter(f"the author {author!r} holds no letter", advice="give a name or a surname")
