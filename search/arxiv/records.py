"""What arXiv says of a paper, whichever of its metadata formats said it."""

from __future__ import annotations

import re
from datetime import date
from typing import Literal

from search.models import Model, Version, Withdrawn

MetadataFormat = Literal["arXivRaw", "arXiv", "snapshot", "oai_dc", "atom"]


class ArxivRecord(Model):
    """One paper's metadata. Which fields are filled depends on `format`; only arXivRaw has the history."""

    work_id: str
    format: MetadataFormat
    title: str
    abstract: str = ""
    #: Names as printed, given name first.
    authors: tuple[str, ...] = ()
    #: Primary category first; empty for oai_dc, which only has the categories' English names.
    categories: tuple[str, ...] = ()
    #: By number. All of them (arXivRaw; snapshot, which lacks the source types), first and current (atom),
    #: none (arXiv, oai_dc).
    versions: tuple[Version, ...] = ()
    #: Licence URL.
    licence: str | None = None
    doi: str | None = None
    journal_ref: str | None = None
    comments: str | None = None
    report_no: str | None = None
    submitter: str | None = None
    #: Date of version 1.
    created: date | None = None
    #: Date of the newest version.
    updated: date | None = None

    @property
    def newest(self) -> int:
        """Number of the newest version; 1 where the format does not tell."""
        return max((version.number for version in self.versions), default=1)

    @property
    def published(self) -> date | None:
        """Date of version 1."""
        return self.created

    @property
    def withdrawn(self) -> Withdrawn:
        """Whether the newest version is withdrawn; see the function of this name."""
        return withdrawn(self)


_PAPER = r"(?:paper|article|manuscript|submission|preprint|work|version|letter|note|report|thesis|entry)s?"
_WITHDRAWN = r"(?:\w+ly\s+)?(?:withdrawn|retracted)"
_SAYS_WITHDRAWN = re.compile(
    rf"""\b(?:
        {_PAPER} \s+ (?:(?:has|have|had|is|was|were|are)\s+)? (?:been\s+)? {_WITHDRAWN}
      | (?:this|it) \s+ (?:has\s+been|is|was) \s+ {_WITHDRAWN}
      | {_WITHDRAWN} \s+ by \s+ (?:the\s+|an?\s+|its\s+)? (?:author|arxiv|submitter|editor|admin|moderat)
      | (?:authors?|we|i) \s+ (?:(?:have|has|hereby|wish\s+to|would\s+like\s+to)\s+)*
            (?:withdraw|withdrew|withdrawn|retract)s? \s+ (?:this|the|our|my)\b
    )""",
    re.IGNORECASE | re.VERBOSE,
)
#: A comment that begins with the word is about the paper itself.
_COMMENT_BEGINS = re.compile(r"\W*(?:temporarily\s+)?(?:withdrawn|retracted)\b", re.IGNORECASE)


def withdrawn(record: ArxivRecord) -> Withdrawn:
    """Return `yes` where the newest version's source type contains I, `suspected` where only words say so.

    An older version's withdrawal does not count: a newer one replaced it. The patterns ask for a paper
    that is withdrawn, because abstracts withdraw drugs, consent and troops.
    """
    newest = max(record.versions, key=lambda version: version.number, default=None)
    if newest is not None and "I" in (newest.source_type or ""):
        return "yes"
    comments = record.comments or ""
    said = _COMMENT_BEGINS.match(comments) or _SAYS_WITHDRAWN.search(f"{comments}\n{record.abstract}")
    return "suspected" if said else "no"
