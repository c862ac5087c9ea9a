"""Citewell: search arXiv papers and ask them questions; every sentence of an answer can be checked.

    from search import search, ask, Library

    for hit in search("dense retrieval").hits:
        print(hit.title)
    print(ask("Does hard negative mining help dense retrieval?").answer_summary)

Names are loaded when they are first used, so that `import search` stays fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from search._api import ask, search
    from search.errors import CitewellError
    from search.library import Library
    from search.models import Answer, Filters, Hit, SearchResult, Work
    from search.settings import Settings

__version__ = "0.1.0"

_HOMES = {
    "Answer": "search.models",
    "CitewellError": "search.errors",
    "Filters": "search.models",
    "Hit": "search.models",
    "Library": "search.library",
    "SearchResult": "search.models",
    "Settings": "search.settings",
    "Work": "search.models",
    "ask": "search._api",
    "search": "search._api",
}

__all__ = [
    "Answer",
    "CitewellError",
    "Filters",
    "Hit",
    "Library",
    "SearchResult",
    "Settings",
    "Work",
    "__version__",
    "ask",
    "search",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'search' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
