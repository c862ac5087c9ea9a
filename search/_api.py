"""`search()` and `ask()`: one-shot calls over `Library`."""

from __future__ import annotations

from pathlib import Path

from search.library import Library
from search.models import Answer, Filters, Mode, SearchResult


def search(
    query: str,
    *,
    limit: int = 10,
    filters: Filters | None = None,
    mode: Mode = "hybrid",
    hops: int = 0,
    threshold: float | None = None,
    home: str | Path | None = None,
) -> SearchResult:
    """Search the library at `home` (None: the set one). See `Library.search`.

    Whoever asks more than once keeps a `Library`: it loads the embedding model once.
    """
    with _library(home) as library:
        return library.search(query, limit=limit, filters=filters, mode=mode, hops=hops, threshold=threshold)


def ask(
    question: str,
    *,
    filters: Filters | None = None,
    llm: str | None = None,
    home: str | Path | None = None,
) -> Answer:
    """Ask the library at `home` (None: the set one) a question. See `Library.ask`."""
    with _library(home) as library:
        return library.ask(question, filters=filters, llm=llm)


def _library(home: str | Path | None) -> Library:
    return Library(home=Path(home)) if home is not None else Library()
