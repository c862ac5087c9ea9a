"""arXiv identifiers in every form they ever had.

Source: https://info.arxiv.org/help/arxiv_identifier.html. Since April 2007 `YYMM.NNNN`, from January
2015 on `YYMM.NNNNN`; before that `archive/YYMMNNN`, sometimes written with a subject class
(`math.GT/0309136`) that is no part of the identifier.
"""

from __future__ import annotations

import re
import unicodedata
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from urllib.parse import unquote

from search.errors import BadIdentifier

#: Every archive that ever issued old-style identifiers, those later merged into others included.
OLD_ARCHIVES = frozenset(
    {
        "acc-phys", "adap-org", "alg-geom", "ao-sci", "astro-ph", "atom-ph", "bayes-an", "chao-dyn",
        "chem-ph", "cmp-lg", "comp-gas", "cond-mat", "cs", "dg-ga", "funct-an", "gr-qc", "hep-ex",
        "hep-lat", "hep-ph", "hep-th", "math", "math-ph", "mtrl-th", "nlin", "nucl-ex", "nucl-th",
        "patt-sol", "physics", "plasm-ph", "q-alg", "q-bio", "quant-ph", "solv-int", "supr-con",
    }
)  # fmt: skip
#: Archives that exist today and never issued old-style identifiers; they stand in `[stat.ML]`.
NEW_ARCHIVES = frozenset({"econ", "eess", "q-fin", "stat"})

#: arXiv issued some 17,000 identifiers in January 2024; from here on they belong to the demo.
DEMO_MONTH, FIRST_DEMO_NUMBER = "2401", 99001

_NEW = r"(?P<new>\d{4}\.\d{4,5})"
_OLD = r"(?P<archive>[a-z]+(?:-[a-z]+)?)(?:\.[A-Za-z]{2,6}(?:-[A-Za-z]{2,4})?)?/(?P<old>\d{7})"
_VERSION = r"(?:v(?P<version>[1-9]\d{0,3}))?"
_IDENTIFIER = re.compile(rf"(?:{_NEW}|{_OLD}){_VERSION}", re.IGNORECASE)

#: What may stand before an identifier. Applied again and again, so that `https://doi.org/10.48550/arXiv.`
#: and `arXiv:oai:arXiv.org:` come off whole.
_PREFIX = re.compile(
    r"""^(?:
        https?:// | doi: \s* | (?:dx\.)?doi\.org/ | 10\.48550/
      | (?:www\.|export\.|browse\.|[a-z]{2}\.)?arxiv\.org/(?:abs|pdf|html|format|ps|src|e-print|tb)/
      | ar5iv(?:\.labs\.arxiv)?\.org/(?:abs|html)/
      | oai:arxiv\.org: | arxiv \s* [:.] \s*
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_SUFFIX = re.compile(r"(?:[?\#].*|\.pdf|/|\s*\[[A-Za-z.-]+\].*)$", re.IGNORECASE | re.DOTALL)

ADVICE = "write it like 2401.01234, 2401.01234v2 or hep-th/9901001"


@dataclass(frozen=True, slots=True)
class Identifier:
    """A work and, where one was named, its version."""

    #: Without version and subject class: `2401.01234`, `math/0309136`.
    work_id: str
    version: int | None = None

    def __str__(self) -> str:
        return self.work_id if self.version is None else f"{self.work_id}v{self.version}"


def parse(text: str) -> Identifier:
    """Return the identifier that `text` is: bare, prefixed, a URL, a DOI or an OAI name.

    Raises:
        BadIdentifier: it is none; `advice` says what is wrong where that can be told.
    """
    bare = unquote(unicodedata.normalize("NFKC", text)).strip()
    while (shorter := _PREFIX.sub("", bare)) != bare:
        bare = shorter
    while (shorter := _SUFFIX.sub("", bare)) != bare:
        bare = shorter
    match = _IDENTIFIER.fullmatch(bare)
    if match is None:
        raise BadIdentifier(f"{text.strip()[:80]!r} is no arXiv identifier", advice=ADVICE)
    if fault := _fault(match):
        raise BadIdentifier(f"{text.strip()[:80]!r} is no arXiv identifier", advice=fault)
    return _identifier(match)


def _identifier(match: re.Match[str]) -> Identifier:
    version = int(match["version"]) if match["version"] else None
    return Identifier(match["new"] or f"{match['archive'].lower()}/{match['old']}", version)


def _fault(match: re.Match[str]) -> str:  # noqa: PLR0911 - one return for each thing that can be wrong
    """Say why arXiv cannot have issued what the pattern matched; empty: it can."""
    digits = match["new"] or match["old"]
    yymm, number = digits[:4], digits[4:].removeprefix(".")
    if not 1 <= int(yymm[2:]) <= 12:
        return f"its third and fourth digit are a month, and {yymm[2:]} is none"
    if not int(number):
        return "numbers begin at 1"
    if match["old"]:
        if match["archive"].lower() not in OLD_ARCHIVES:
            return f"there never was an archive called {match['archive']!r}"
        # The oldest identifiers are of 1991; the scheme ended with March 2007.
        return "" if yymm >= "9101" or yymm <= "0703" else "archive names left the identifiers in April 2007"
    if yymm < "0704":
        return "identifiers of this form begin with April 2007 (0704)"
    if len(number) != (width := 4 if yymm <= "1412" else 5):
        return f"identifiers of month {yymm} have {width} digits after the dot"
    return ""


# A reference's text names identifiers among page ranges, prices and DOIs (`10.1109/VISUAL.2005.1532772`).
# So a new-style number counts only beside a sign that it is arXiv's, alone in brackets (`[1009.2714]`, as
# the high-energy physics styles print it) or as the last word after a comma; an old-style one only with a
# known archive.
_EDGE = r"(?![\w]|\.\d|-\d)"
_SIGN = (
    r"(?:(?<![A-Za-z])ar\s?x\s?iv(?:\.org)?[\s:.,;()\[\]/]*(?:(?:e-?prints?|preprints?|pre-prints?|no\.?|id|"
    r"identifier|abs|pdf|html|\d{4})[\s:.,;()\[\]/]*)?(?:ar\s?xiv\s?[:.]?\s?)?(?:/?(?:abs|pdf|html|format)/)?"
    r"|(?<![A-Za-z])(?:abs|pdf)/|ar5iv\.org/(?:abs|html)/)"
)
_NUMBER = r"\d{4}\.\d{4,5}"
_IN_TEXT = re.compile(
    rf"{_SIGN}\s?(?P<new>\d{{4}}\.\s?\d{{4,5}}){_VERSION}(?:\.pdf)?{_EDGE}"
    rf"|(?<![\w.-])(?P<tagged>{_NUMBER})(?:v(?P<tagged_version>[1-9]\d?))?"
    rf"(?=\s?\[(?P<class>[a-z]+(?:-[a-z]+)?)(?:\.[A-Za-z-]{{2,7}})?\])"
    rf"|(?:\[\s?(?P<alone>{_NUMBER})(?:v(?P<alone_version>[1-9]\d?))?\s?\]"
    rf"|[,;)]\s(?P<last>{_NUMBER})(?:v(?P<last_version>[1-9]\d?))?\s?\.?\s*$)"
    rf"|(?:(?<![\w./-])|(?<=abs/)|(?<=pdf/)|(?<=arxiv\.)|(?<=html/)|(?<=\s-))"
    rf"(?P<archive>[a-z]+(?:-\s?[a-z]+)?)(?:\.[A-Z]{{2,6}}(?:-[A-Z]{{2,4}})?)?"
    rf"/\s?(?P<old>\d{{7}})(?:v(?P<old_version>[1-9]\d?))?(?:\.pdf)?{_EDGE}",
    re.IGNORECASE,
)


#: Characters of an identifier in its longest form, an address with its query.
_LONGEST = 200
#: Every identifier has one of these; most references have none, and this is the faster look.
_DIGITS = re.compile(r"\d{4}\.\s?\d{4}|/\s?\d{7}")


def find_all(text: str) -> list[Identifier]:
    """Return the identifiers that one reference's text names, in order, each work once.

    Made for precision: a number counts only with a sign that it is arXiv's (`arXiv`, `abs/`, a
    following `[hep-th]`, a known old archive), alone in brackets, as the last word after a comma, or if
    it is all there is. A test holds it to the bibliographies of 49 papers.
    """
    text = unicodedata.normalize("NFKC", text)
    if "%" not in text and not _DIGITS.search(text):
        return []
    if len(text) <= _LONGEST:
        try:
            return [parse(text)]
        except BadIdentifier:
            pass
    found: dict[str, Identifier] = {}
    for match in _IN_TEXT.finditer(text):
        if match["class"] and match["class"].lower() not in OLD_ARCHIVES | NEW_ARCHIVES:
            continue
        new = match["new"] or match["tagged"] or match["alone"] or match["last"]
        number = new or f"{match['archive']}/{match['old']}"
        versions = ("version", "tagged_version", "alone_version", "last_version", "old_version")
        version = next((match[name] for name in versions if match[name]), None)
        candidate = re.sub(r"\s", "", number) + (f"v{version}" if version else "")
        try:
            identifier = parse(candidate)
        except BadIdentifier:
            continue
        # `hep-th/9711200 [arXiv:hep-th/9711200v3]`: the one with a version says more.
        if identifier.work_id not in found or found[identifier.work_id].version is None:
            found[identifier.work_id] = identifier
    return list(found.values())


def is_demo(work_id: str) -> bool:
    """Whether this is one of the demo's own papers, under a number that arXiv never issued."""
    month, _, number = work_id.partition(".")
    return month == DEMO_MONTH and number.isdigit() and int(number) >= FIRST_DEMO_NUMBER


def abs_url(work_id: str, version: int | None = None) -> str | None:
    """Return the page where a person can look at the paper; None for the demo's own."""
    return None if is_demo(work_id) else f"https://arxiv.org/abs/{Identifier(work_id, version)}"


def pdf_url(base: str, work_id: str, version: int | None) -> str:
    """Return `<base>/<id>v<version>`, or without version the newest's address."""
    return f"{base.rstrip('/')}/{Identifier(work_id, version)}"


def oai_identifier(work_id: str) -> str:
    """Return the work's name in OAI-PMH, which knows no versions."""
    return f"oai:arXiv.org:{work_id}"


def first_month(work_id: str) -> date:
    """Return the first day of the month in which the identifier was issued.

    Raises:
        BadIdentifier: `work_id` is no arXiv identifier.
    """
    bare = parse(work_id).work_id
    yymm = bare.rpartition("/")[2][:4]
    year = int(yymm[:2])
    return date(year + (1900 if year >= 91 else 2000), int(yymm[2:]), 1)


def from_bibtex(text: str) -> list[Identifier]:
    """Return the identifiers that a BibTeX file names, each work once, in the file's order.

    An `eprint` field holds a bare identifier, which `find_all` would not believe; anything else has to
    look like one by itself.
    """
    found: dict[str, Identifier] = {}
    for entry in text.split("\n@"):
        eprint = _EPRINT.search(entry)
        named = []
        if eprint:
            with suppress(BadIdentifier):  # an eprint of another archive
                named.append(parse(eprint.group(1)))
        for identifier in named or find_all(entry):
            found.setdefault(identifier.work_id, identifier)
    return list(found.values())


_EPRINT = re.compile(r"""\beprint\s*=\s*[{"]\s*([^}"]+?)\s*[}"]""", re.IGNORECASE)
