"""The facts that the loopback arXiv knows of a paper, and the XML shapes in which arXiv gives them.

Shapes: http://arxiv.org/OAI/arXivRaw.xsd, http://arxiv.org/OAI/arXiv.xsd, and Dublin Core, which OAI-PMH
2.0 (section 3.4) asks of every repository.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import UTC, date, datetime
from email.utils import format_datetime
from typing import NamedTuple
from xml.sax.saxutils import escape

XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
NONEXCLUSIVE = "http://arxiv.org/licenses/nonexclusive-distrib/1.0/"
CC_BY = "http://creativecommons.org/licenses/by/4.0/"

#: Archives whose group is not their own name; every other archive is physics, or its own group.
_OWN_GROUP = frozenset({"cs", "econ", "eess", "math", "q-bio", "q-fin", "stat"})

_COMBINING = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307",
    "v": "\u030c", "c": "\u0327", "u": "\u0306", "H": "\u030b", "k": "\u0328", "r": "\u030a", "d": "\u0323",
}  # fmt: skip
_LETTERS = {"ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "aa": "å", "AA": "Å", "o": "ø", "O": "Ø",
            "l": "ł", "L": "Ł", "i": "i", "j": "j"}  # fmt: skip
_SYMBOL_ACCENT = re.compile(r"""\\(['`^"~=.])\s*(?:\{\\?([A-Za-z])\}|\\?([A-Za-z]))""")
_LETTER_ACCENT = re.compile(r"\\([vcuHkrd])\s*(?:\{\\?([A-Za-z])\}|(?<=\s)([A-Za-z]))")
_LETTER = re.compile(r"\\(ss|ae|AE|oe|OE|aa|AA|o|O|l|L|i|j)(?![A-Za-z])\s*(?:\{\})?")


class DemoVersion(NamedTuple):
    """One version of a paper, as arXivRaw lists it."""

    date: datetime
    #: As printed, for example "37kb".
    size: str = "10kb"
    #: arXiv's letters: "D" pdf made from TeX with figures, "I" withdrawn, ""; see arXivRaw.xsd.
    source_type: str = ""


@dataclass(frozen=True, slots=True)
class DemoRecord:
    """What arXiv would say of one paper. Strings are plain text, escaped only when they are served."""

    id: str
    title: str
    abstract: str
    #: As in arXivRaw: one string, TeX accents, affiliations in parentheses.
    authors: str = "The Citewell authors"
    #: Space-separated, the primary one first.
    categories: str = "cs.IR"
    #: From version 1 on, none missing.
    versions: tuple[DemoVersion, ...] = (DemoVersion(datetime(2024, 1, 15, 12, tzinfo=UTC)),)
    comments: str = ""
    licence: str = ""
    doi: str = ""
    journal_ref: str = ""
    report_no: str = ""
    submitter: str = ""
    #: Day of the last change; None: the day of the newest version.
    datestamp: date | None = None
    #: Where the facts come from.
    source: str = ""

    @property
    def stamp(self) -> date:
        """The OAI datestamp."""
        return self.datestamp or self.versions[-1].date.date()

    @property
    def identifier(self) -> str:
        """The OAI identifier."""
        return f"oai:arXiv.org:{self.id}"

    @property
    def sets(self) -> tuple[str, ...]:
        """The setSpecs that the paper belongs to, in the order of its categories."""
        return tuple(dict.fromkeys(set_spec(category) for category in self.categories.split()))


def set_spec(category: str) -> str:
    """Return the set that arXiv keeps a category in.

    >>> set_spec("cs.CL"), set_spec("hep-th"), set_spec("cond-mat.soft")
    ('cs:cs:CL', 'physics:hep-th', 'physics:cond-mat:soft')
    """
    archive, _, subject = category.partition(".")
    group = archive if archive in _OWN_GROUP else "physics"
    return ":".join(part for part in (group, archive, subject) if part)


def without_tex(text: str) -> str:
    r"""Return `text` with TeX accents as letters, as arXiv's structured formats print names.

    >>> without_tex(r"C. Bal\'azs and \O yvind {\L}o\v{s}")
    'C. Balázs and Øyvind Łoš'
    """

    def compose(match: re.Match[str]) -> str:
        letter = match.group(2) or match.group(3)
        return unicodedata.normalize("NFC", letter + _COMBINING[match.group(1)])

    text = _SYMBOL_ACCENT.sub(compose, text)
    text = _LETTER_ACCENT.sub(compose, text)
    text = _LETTER.sub(lambda match: _LETTERS[match.group(1)], text)
    return " ".join(text.replace("{", "").replace("}", "").replace("~", " ").split())


def names(authors: str) -> list[tuple[str, str]]:
    """Return (forenames, key name) for each author of an arXivRaw string; affiliations are left out."""
    bare = re.sub(r"\([^()]*(?:\([^()]*\)[^()]*)*\)", " ", authors)
    parts = re.split(r"\s*(?:,|;|\s+and\s+)\s*", without_tex(bare))
    split = [part.rsplit(" ", 1) for part in parts if part.strip()]
    return [(words[0], words[1]) if len(words) == 2 else ("", words[0]) for words in split]


def _element(name: str, text: str) -> str:
    return f"<{name}>{escape(text)}</{name}>" if text else ""


def _tail(record: DemoRecord) -> str:
    """Return the elements that both of arXiv's own formats end with."""
    return (
        _element("categories", record.categories)
        + _element("comments", record.comments)
        + _element("report-no", record.report_no)
        + _element("journal-ref", record.journal_ref)
        + _element("doi", record.doi)
        + _element("license", record.licence)
        + f"<abstract>  {escape(record.abstract)}\n</abstract>"
    )


def arxiv_raw(record: DemoRecord) -> str:
    """Return the `arXivRaw` metadata: the version history and everything as the submitter typed it."""
    versions = "".join(
        f'<version version="v{number}">'
        f"<date>{format_datetime(version.date.astimezone(UTC), usegmt=True)}</date>"
        f"<size>{escape(version.size)}</size>{_element('source_type', version.source_type)}</version>"
        for number, version in enumerate(record.versions, 1)
    )
    return (
        f'<arXivRaw xmlns="http://arxiv.org/OAI/arXivRaw/" {XSI} xsi:schemaLocation='
        '"http://arxiv.org/OAI/arXivRaw/ http://arxiv.org/OAI/arXivRaw.xsd">\n'
        f" <id>{record.id}</id>{_element('submitter', record.submitter)}{versions}"
        f"{_element('title', record.title)}{_element('authors', record.authors)}{_tail(record)}</arXivRaw>"
    )


def arxiv(record: DemoRecord) -> str:
    """Return the `arXiv` metadata: structured names; `created` is of version 1, `updated` of the newest."""
    authors = "".join(
        f"<author>{_element('keyname', key)}{_element('forenames', fore)}</author>"
        for fore, key in names(record.authors)
    )
    updated = f"{record.versions[-1].date:%Y-%m-%d}" if len(record.versions) > 1 else ""
    return (
        f'<arXiv xmlns="http://arxiv.org/OAI/arXiv/" {XSI} xsi:schemaLocation='
        '"http://arxiv.org/OAI/arXiv/ http://arxiv.org/OAI/arXiv.xsd">\n'
        f" <id>{record.id}</id><created>{record.versions[0].date:%Y-%m-%d}</created>"
        f"{_element('updated', updated)}<authors>{authors}</authors>"
        f"{_element('title', record.title)}{_tail(record)}</arXiv>"
    )


def oai_dc(record: DemoRecord) -> str:
    """Return the Dublin Core metadata."""
    creators = "".join(
        _element("dc:creator", f"{key}, {fore}" if fore else key) for fore, key in names(record.authors)
    )
    subjects = "".join(_element("dc:subject", category) for category in record.categories.split())
    dates = "".join(f"<dc:date>{version.date:%Y-%m-%d}</dc:date>" for version in record.versions)
    comment = _element("dc:description", f"Comment: {record.comments}" if record.comments else "")
    return (
        '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/" {XSI} xsi:schemaLocation='
        '"http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd">\n'
        f" {_element('dc:title', record.title)}{creators}{subjects}"
        f"{_element('dc:description', record.abstract)}"
        f"{comment}{dates}<dc:type>text</dc:type>"
        f"<dc:identifier>http://arxiv.org/abs/{record.id}</dc:identifier>"
        "</oai_dc:dc>"
    )
