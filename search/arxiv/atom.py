"""Single papers by id, over arXiv's Atom API.

Source: https://info.arxiv.org/help/api/user-manual.html
"""

from __future__ import annotations

from collections.abc import Sequence

from lxml import etree

from search.arxiv.formats import moment
from search.arxiv.identifiers import parse
from search.arxiv.markup import parse_document, text_of, texts_of
from search.arxiv.records import ArxivRecord
from search.arxiv.tex import to_unicode
from search.arxiv.transport import Transport
from search.errors import BadIdentifier, MalformedResponse
from search.models import Version

ATOM = "{http://www.w3.org/2005/Atom}"
ARXIV = "{http://arxiv.org/schemas/atom}"
BASE_URL = "https://export.arxiv.org/api/query"
#: Ids of one request: the address stays below 4 KB.
BATCH = 100


def fetch_atom(ids: Sequence[str], transport: Transport, base_url: str = BASE_URL) -> list[ArxivRecord]:
    """Return the records of these papers, in the server's order; unknown ones are missing.

    Raises:
        BadIdentifier: the server calls an id malformed.
    """
    records: list[ArxivRecord] = []
    for start in range(0, len(ids), BATCH):
        batch = [str(parse(name)) for name in ids[start : start + BATCH]]
        params = {"id_list": ",".join(batch), "max_results": str(len(batch))}
        # An unknown form is answered with 400 and a feed that says so.
        records += parse_feed(transport.get(base_url, params, accept={200, 400}).content)
    return records


def parse_feed(raw: bytes) -> list[ArxivRecord]:
    """Return the papers of a feed; an empty feed has none.

    Raises:
        BadIdentifier: the feed's only entry is an error.
        MalformedResponse: it is no feed, or an entry lacks what a paper cannot do without.
    """
    return [_entry(entry) for entry in parse_document(raw, f"{ATOM}feed").findall(f"{ATOM}entry")]


def _entry(entry: etree._Element) -> ArxivRecord:
    name, title = text_of(entry, f"{ATOM}id"), to_unicode(text_of(entry, f"{ATOM}title"))
    if "/api/errors" in name:
        words = text_of(entry, f"{ATOM}summary")
        raise BadIdentifier(f"arXiv says: {words or 'an error without words'}", advice="check the identifier")
    if not title:
        raise MalformedResponse(f"the entry {name!r} has no title")
    identifier = parse(name)
    published = moment(text_of(entry, f"{ATOM}published"))
    updated = moment(text_of(entry, f"{ATOM}updated"))
    number = identifier.version or 1
    first = () if number == 1 else (Version(number=1, date=published),)
    return ArxivRecord(
        work_id=identifier.work_id,
        format="atom",
        title=title,
        abstract=to_unicode(text_of(entry, f"{ATOM}summary")),
        authors=tuple(to_unicode(author) for author in texts_of(entry, f"{ATOM}author/{ATOM}name")),
        categories=_categories(entry),
        versions=(*first, Version(number=number, date=updated)),
        licence=next(
            (link.get("href") for link in entry.findall(f"{ATOM}link") if link.get("rel") == "license"), None
        ),
        doi=text_of(entry, f"{ARXIV}doi") or None,
        journal_ref=to_unicode(text_of(entry, f"{ARXIV}journal_ref")) or None,
        comments=to_unicode(text_of(entry, f"{ARXIV}comment")) or None,
        created=published.date() if published else None,
        updated=updated.date() if updated else None,
    )


def _categories(entry: etree._Element) -> tuple[str, ...]:
    """Return arXiv's categories, the primary one first; ACM and MSC classes stand beside them."""
    primary = entry.find(f"{ARXIV}primary_category")
    terms = [] if primary is None else [primary.get("term", "")]
    terms += [
        category.get("term", "")
        for category in entry.findall(f"{ATOM}category")
        if category.get("scheme") == "http://arxiv.org/schemas/atom"
    ]
    return tuple(dict.fromkeys(term for term in terms if term))
