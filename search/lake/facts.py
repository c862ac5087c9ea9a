"""What counts when facts about one work disagree.

arXiv facts are ordered by (version, datestamp, responseDate), within one format. `arXivRaw` has the
history, the source type and the licence, so it leads; other formats only fill what it leaves open.
User facts (remove, add, pin) are ordered by (time, writer, sequence), and no harvest undoes one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, Literal

from search.arxiv.identifiers import abs_url
from search.arxiv.licences import licence_class
from search.arxiv.records import ArxivRecord, withdrawn
from search.models import Model, Work

#: Formats in the order in which they are believed.
FORMATS = ("arXivRaw", "arXiv", "snapshot", "atom", "oai_dc", "pdf")


#: Longest title that a work has, in characters. arXiv's own end before 300; each passage carries a copy.
LONGEST_TITLE = 2_000


class ArxivFact(Model):
    """One metadata record as a server gave it at one moment."""

    work_id: str
    version: int
    datestamp: date
    response_date: datetime
    record: ArxivRecord

    def line(self) -> dict[str, Any]:
        """Return the works log's line."""
        return {"fact": "arxiv", **self.model_dump(mode="json")}


class UserFact(Model):
    """One decision of the person who keeps this library."""

    work_id: str
    #: `removed` (value 1 or 0), `pin` (value: the version, or None for none), or `tombstone` (the work is
    #: taken down: `search.lake.takedown` says what its values mean, and where these facts are kept).
    topic: Literal["removed", "pin", "tombstone"]
    value: int | None

    def line(self) -> dict[str, Any]:
        """Return the works log's line."""
        return {"fact": "user", **self.model_dump(mode="json")}


def merge(records: Mapping[str, ArxivRecord], user: Mapping[str, int | None]) -> Work | None:
    """Return the work that these facts describe; None where there is no record of it at all.

    Args:
        records: the newest record of each format.
        user: the newest value of each user topic.
    """
    known = [records[name] for name in FORMATS if name in records]
    if not known:
        return None
    first = known[0]
    versions = _first(known, "versions")
    newest = max((v.number for v in versions), default=1)
    pin = user.get("pin")
    held = pin or newest
    dates = {v.number: v.date.date() for v in versions if v.date}
    published = dates.get(1) or _first(known, "created")
    licence = _first(known, "licence")
    return Work(
        work_id=first.work_id,
        version=held,
        versions=versions,
        title=_first(known, "title")[:LONGEST_TITLE],
        abstract=_first(known, "abstract"),
        authors=_authors(known),
        categories=_first(known, "categories"),
        published=published,
        updated=dates.get(held) or published,
        licence=licence,
        licence_class=licence_class(licence),
        doi=_first(known, "doi"),
        journal_ref=_first(known, "journal_ref"),
        comments=_first(known, "comments"),
        withdrawn=withdrawn(first),
        pinned=pin is not None,
        url=abs_url(first.work_id, held),
    )


def _first(records: Sequence[ArxivRecord], field: str) -> Any:
    """Return the first value that says something, else the leading record's."""
    return next((value for r in records if (value := getattr(r, field))), getattr(records[0], field))


def _authors(records: Sequence[ArxivRecord]) -> tuple[str, ...]:
    """Return the structured names where they are known: arXivRaw has one string for all.

    A snapshot may be weeks old: its names count only where nobody knows of a newer version.
    """
    newest = max(r.newest for r in records)
    structured = next(
        (
            r.authors
            for r in records
            if r.authors and (r.format == "arXiv" or (r.format == "snapshot" and r.newest == newest))
        ),
        (),
    )
    return structured or _first(records, "authors")
