"""What the licences that arXiv offers let a reader do, and what a library makes of that.

Source: https://info.arxiv.org/help/license/index.html, which lists today's choices, and the licences
that older records state. LICENSE_MATRIX.md holds the same as a table, with the reasons; a test compares them.

A policy is about full text. Metadata, the abstract among it, is CC0 at arXiv, and is always kept and shown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from search.models import LicenceClass

PolicyName = Literal["standard", "cautious", "open"]
#: Characters of a passage, and of a quote, that are short by any reading: two or three sentences.
SHORT = 300


@dataclass(frozen=True, slots=True)
class Terms:
    """What is done with the full text of one class."""

    #: Whether PDF and text are kept, searched and embedded.
    store: bool
    #: Characters of a passage that are shown at most; None: all of it, 0: none.
    show: int | None
    #: Whether whole pages may be shown.
    page: bool = False


_WHOLE, _SHORT = Terms(store=True, show=None), Terms(store=True, show=SHORT)
_PAGES, _NOTHING = Terms(store=True, show=None, page=True), Terms(store=False, show=0)


@dataclass(frozen=True, slots=True)
class Policy:
    """What a library keeps and shows of full texts, by licence class."""

    name: PolicyName
    terms: Mapping[LicenceClass, Terms]

    def stores(self, licence: LicenceClass) -> bool:
        """Whether full texts of this class are kept."""
        return self.terms[licence].store

    def shows(self, licence: LicenceClass, page: int | None) -> int | None:
        """Return how many characters of a passage are shown; None: all. Without a page it is metadata."""
        return None if page is None else self.terms[licence].show

    def shows_pages(self, licence: LicenceClass) -> bool:
        """Whether whole pages of this class may be shown."""
        return self.terms[licence].page

    @property
    def keeps_everything(self) -> bool:
        """Whether no class is left out."""
        return all(terms.store for terms in self.terms.values())


POLICIES: Mapping[PolicyName, Policy] = MappingProxyType(
    {
        "standard": Policy(
            "standard", {"open": _PAGES, "restricted": _PAGES, "arxiv": _WHOLE, "unknown": _WHOLE}
        ),
        "cautious": Policy(
            "cautious", {"open": _PAGES, "restricted": _SHORT, "arxiv": _SHORT, "unknown": _NOTHING}
        ),
        "open": Policy(
            "open", {"open": _PAGES, "restricted": _NOTHING, "arxiv": _NOTHING, "unknown": _NOTHING}
        ),
    }
)
STANDARD = POLICIES["standard"]


def shortened(text: str, limit: int) -> str:
    """Return at most `limit` characters of a text, ended between words: still a verbatim part of it."""
    if len(text) <= limit:
        return text
    head = text[: limit + 1]
    return head[: head.rfind(" ")] if " " in head else text[:limit]


_CREATIVE_COMMONS = re.compile(r"(?:www\.)?creativecommons\.org/(?P<kind>[a-z-]+)/(?P<terms>[a-z-]+)?/?")


def licence_class(url: str | None) -> LicenceClass:
    """Return what a licence URL allows; `unknown` for None, for arXiv's `No license` and for strangers.

    >>> licence_class("https://creativecommons.org/licenses/by-nc-sa/4.0/")
    'restricted'
    """
    address = re.sub(r"^https?://", "", (url or "").strip().lower())
    if re.match(r"(?:www\.)?arxiv\.org/licenses/(?:nonexclusive-distrib|assumed-1991-2003)\b", address):
        return "arxiv"
    match = _CREATIVE_COMMONS.match(address)
    if match is None:
        return "unknown"
    kind, terms = match["kind"], match["terms"] or ""
    if kind == "publicdomain" or (kind == "licenses" and terms == "publicdomain"):
        return "open"
    if kind != "licenses":
        return "unknown"
    words = set(terms.split("-"))
    if "by" not in words:
        return "unknown"
    return "restricted" if words & {"nc", "nd"} else "open"
