"""What the licences that arXiv offers let a reader do.

Source: https://info.arxiv.org/help/license/index.html, which lists today's choices, and the licences
that older records state.
"""

from __future__ import annotations

import re

from search.models import LicenceClass

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
