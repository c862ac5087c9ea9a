"""The metadata formats that arXiv's OAI-PMH server offers, each read into an `ArxivRecord`.

Source: http://arxiv.org/OAI/arXivRaw.xsd, http://arxiv.org/OAI/arXiv.xsd and Dublin Core 1.1.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime

from lxml import etree

from search.arxiv.authors import from_inverted, from_parts, split_authors
from search.arxiv.identifiers import parse
from search.arxiv.markup import text_of, texts_of
from search.arxiv.records import ArxivRecord
from search.arxiv.tex import to_unicode
from search.errors import BadIdentifier, MalformedResponse
from search.models import Version

#: How arXiv writes the time of a version; other forms of RFC 2822 take the long way.
_USUAL_TIME = re.compile(
    r"[A-Z][a-z]{2}, (\d{1,2}) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT", re.ASCII
)
_MONTHS = {
    name: number
    for number, name in enumerate(
        ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"), start=1
    )
}
DC = "{http://purl.org/dc/elements/1.1/}"
#: Dublin Core's identifiers are the address, the DOI and, unmarked, the journal reference.
_ADDRESS = re.compile(r"https?:|doi:", re.IGNORECASE)


def read_metadata(element: etree._Element, identifier: str) -> ArxivRecord:
    """Return what a `<metadata>` child says; `identifier` is the record's OAI name.

    Formats are told by the element's name: mirrors and aggregators rename the namespaces, or lose them.

    Raises:
        MalformedResponse: the format is unknown, or what a record cannot do without is missing.
        BadIdentifier: the record is not of an arXiv paper.
    """
    name = etree.QName(element)
    reader = _READERS.get(name.localname)
    if reader is None:
        raise MalformedResponse(f"{identifier} has metadata of an unknown format, {element.tag}")
    record = reader(element, f"{{{name.namespace}}}" if name.namespace else "", identifier)
    if not record.title:
        raise MalformedResponse(f"{identifier} has no title")
    return record


def _fields(
    element: etree._Element, ns: str, parts: str = "", found: list[etree._Element] | None = None
) -> dict[str, str]:
    """Return the stripped text of each child by its local name, of several the first's.

    One walk over the children: a search for each field is what parsing took most of its time for. Children
    of the name `parts` are put into `found` instead.
    """
    fields: dict[str, str] = {}
    start = len(ns)
    for child in element:
        name = str(child.tag)[start:]
        if name == parts and found is not None:
            found.append(child)
            continue
        text = "".join(map(str, child.itertext())) if len(child) else child.text or ""
        fields.setdefault(name, text.strip())
    return fields


def _raw(element: etree._Element, ns: str, identifier: str) -> ArxivRecord:
    entries: list[etree._Element] = []
    fields = _fields(element, ns, "version", entries)
    versions = tuple(sorted(_versions(entries, ns), key=lambda version: version.number))
    first, last = (versions[0], versions[-1]) if versions else (None, None)
    return ArxivRecord(
        format="arXivRaw",
        authors=split_authors(fields.get("authors", "")),
        versions=versions,
        submitter=to_unicode(fields.get("submitter", "")) or None,
        created=first.date.date() if first and first.number == 1 and first.date else None,
        updated=last.date.date() if last and last.date else None,
        **_shared(fields, identifier),
    )


def _versions(entries: list[etree._Element], ns: str) -> list[Version]:
    versions = []
    for entry in entries:
        number = (entry.get("version") or "").removeprefix("v")
        if not number.isdecimal() or int(number) < 1:
            raise MalformedResponse(f"a version is numbered {entry.get('version')!r}")
        fields = _fields(entry, ns)
        versions.append(
            Version(
                number=int(number),
                date=moment(fields.get("date", "")),
                size=fields.get("size") or None,
                source_type=fields.get("source_type") or None,
            )
        )
    return versions


def _arxiv(element: etree._Element, ns: str, identifier: str) -> ArxivRecord:
    authors = (_fields(author, ns) for author in element.findall(f"{ns}authors/{ns}author"))
    names = (
        from_parts(parts.get("forenames", ""), parts.get("keyname", ""), parts.get("suffix", ""))
        for parts in authors
    )
    fields = _fields(element, ns)
    created = day(fields.get("created", ""))
    return ArxivRecord(
        format="arXiv",
        # A collaboration's colon ("LHCb Collaboration: R. Aaij, ...") arrives as an author.
        authors=tuple(name for name in names if re.search(r"\w", name)),
        created=created,
        updated=day(fields.get("updated", "")) or created,
        **_shared(fields, identifier),
    )


def _shared(fields: dict[str, str], identifier: str) -> dict[str, object]:
    """Return the fields that arXivRaw and arXiv write alike."""

    def field(name: str) -> str:
        return fields.get(name, "")

    return {
        "work_id": parse(field("id") or identifier).work_id,
        "title": to_unicode(field("title")),
        "abstract": to_unicode(field("abstract")),
        "categories": tuple(field("categories").split()),
        "licence": field("license") or None,
        "doi": first_word(field("doi")),
        "journal_ref": to_unicode(field("journal-ref")) or None,
        "comments": to_unicode(field("comments")) or None,
        "report_no": to_unicode(field("report-no")) or None,
    }


def _dublin_core(element: etree._Element, _: str, identifier: str) -> ArxivRecord:
    names = texts_of(element, f"{DC}identifier")
    dates = sorted(found for text in texts_of(element, f"{DC}date") if (found := day(text)))
    # The abstract comes first; the comments follow, on the former server after "Comment:".
    descriptions = [to_unicode(text) for text in texts_of(element, f"{DC}description")]
    return ArxivRecord(
        format="oai_dc",
        work_id=_work_id(identifier, names),
        title=to_unicode(text_of(element, f"{DC}title")),
        abstract=descriptions[0] if descriptions else "",
        authors=tuple(from_inverted(name) for name in texts_of(element, f"{DC}creator")),
        comments=descriptions[1].removeprefix("Comment: ") if len(descriptions) > 1 else None,
        doi=next((first_word(name[4:]) for name in names if name.lower().startswith("doi:")), None),
        journal_ref=next((to_unicode(name) for name in names if not _ADDRESS.match(name)), None),
        licence=next((text for text in texts_of(element, f"{DC}rights") if text.startswith("http")), None),
        created=dates[0] if dates else None,
        updated=dates[-1] if dates else None,
    )


def _work_id(identifier: str, names: list[str]) -> str:
    for name in (identifier, *names):
        try:
            return parse(name).work_id
        except BadIdentifier:
            continue
    raise BadIdentifier(f"{identifier} is not of arXiv", advice="harvest an arXiv server")


_READERS: dict[str, Callable[[etree._Element, str, str], ArxivRecord]] = {
    "arXivRaw": _raw,
    "arXiv": _arxiv,
    "dc": _dublin_core,
}


def first_word(text: str) -> str | None:
    """Return the first of several DOIs; authors write more than one into the field."""
    words = text.split(maxsplit=1)
    return words[0].rstrip(",;") if words else None


def moment(text: str) -> datetime | None:
    """Return an RFC 2822 or ISO 8601 time in UTC; None where it is neither."""
    if usual := _USUAL_TIME.fullmatch(text):
        number, name, year, hour, minute, second = usual.groups()
        try:
            return datetime(
                int(year), _MONTHS.get(name, 0), int(number), int(hour), int(minute), int(second), tzinfo=UTC
            )
        except ValueError:
            return None
    for read in (parsedate_to_datetime, datetime.fromisoformat):
        try:
            found = read(text)
        except ValueError:
            continue
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    return None


def day(text: str) -> date | None:
    """Return the day that an ISO date or time begins with; None where it does not."""
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None
