r"""Our own demo papers: from readable manuscripts to records and PDFs.

A manuscript (`manuscripts/*.txt`) is a header of `name: value` lines, an abstract, and a body:

    # Heading            ## Subheading
    = formula            set apart and numbered
    !table Caption       then rows of `cell | cell` until an empty line
    !figure Caption | x label | y label      then rows of `x y`, drawn on logarithmic axes
    10^{4}, x_{i}, *slanted*, [@0704.0062], [@0704.0062;2401.99002]
    {v1:text}{v2:text}   what differs between versions

References are numbered in the order in which they are cited, and printed with their arXiv ids from the
collection's facts, so that our own reader can turn them into citation edges.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.resources import files

from search.demo.collection import collection
from search.demo.records import CC_BY, DemoRecord, DemoVersion, names

AUTHORS = "The Citewell authors"
NOTICE = "Demo paper of Citewell, made for trying it out. arXiv never issued its identifier. CC BY 4.0."

_CITATION = re.compile(r"\[@([^\]]+)\]")
_VERSION_TEXT = re.compile(r"\{v(\d+):([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}")


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of a paper's body."""

    #: heading, subheading, paragraph, formula, table, figure or reference.
    kind: str
    #: Heading, paragraph or formula text, or the caption, with inline markup.
    text: str
    #: Rows of a table, or the points of a figure as strings.
    rows: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Paper:
    """One version of one of our papers, ready to be set."""

    id: str
    version: int
    title: str
    #: What stands at the head of each page after the first.
    short: str
    categories: str
    columns: int
    bookmarks: bool
    dates: tuple[datetime, ...]
    abstract: str
    blocks: tuple[Block, ...]
    #: arXiv ids, in the order of the reference list.
    cited: tuple[str, ...]

    @property
    def key(self) -> str:
        """Id with version, as PDFs are named."""
        return f"{self.id}v{self.version}"


@cache
def papers() -> tuple[Paper, ...]:
    """Return every version of every paper of our own, by id and version."""
    folder = files("search.demo") / "manuscripts"
    texts = sorted((entry.name, entry.read_text(encoding="utf-8")) for entry in folder.iterdir())
    heads = {
        header["id"]: header for name, text in texts if name.endswith(".txt") for header in [_header(text)]
    }
    return tuple(
        _paper(text, version, heads)
        for name, text in texts
        if name.endswith(".txt")
        for version in range(1, len(_header(text)["dates"].split(",")) + 1)
    )


def own_records() -> list[DemoRecord]:
    """Return the records of our own papers, for the newest version of each."""
    newest = {paper.id: paper for paper in papers()}
    return [
        DemoRecord(
            id=paper.id,
            title=paper.title,
            abstract=plain(paper.abstract),
            authors=AUTHORS,
            categories=paper.categories,
            versions=tuple(DemoVersion(day, "60kb", "") for day in paper.dates),
            comments="Demo paper of Citewell; not on arXiv",
            licence=CC_BY,
            submitter=AUTHORS,
            source="search/demo/manuscripts",
        )
        for paper in newest.values()
    ]


def own_pdfs() -> dict[str, bytes]:
    """Return the PDF of every version of our own papers, by `<id>v<n>`; the same bytes each time.

    Raises:
        MissingExtra: pymupdf is not installed.
    """
    from search.demo.typeset import typeset

    return {paper.key: typeset(paper) for paper in papers()}


def plain(text: str) -> str:
    """Return `text` without inline markup, raised and lowered runs as `10^4` and `x_{i}` are read.

    >>> plain("about 10^{4} of *n* and x_{i}")
    'about 10^4 of n and x_{i}'
    """
    text = re.sub(r"\^\{(\w|[-\u2212]?\d+)\}", r"^\1", text)
    return text.replace("*", "")


# ------------------------------------------------------------------ reading a manuscript
def _header(text: str) -> dict[str, str]:
    head = text.split("\n\n", 1)[0]
    return {name: value.strip() for name, _, value in (line.partition(":") for line in head.splitlines())}


def _paper(text: str, version: int, heads: dict[str, dict[str, str]]) -> Paper:
    header = _header(text)
    body = _VERSION_TEXT.sub(
        lambda match: match[2] if int(match[1]) == version else "", text.split("\n\n", 1)[1]
    )
    cited: list[str] = []

    def number(match: re.Match[str]) -> str:
        for work_id in match[1].split(";"):
            if work_id not in cited:
                cited.append(work_id)
        return "[" + ", ".join(str(cited.index(work_id) + 1) for work_id in match[1].split(";")) + "]"

    abstract, *blocks = _blocks(_CITATION.sub(number, body))
    references = [
        Block("reference", f"[{at}] {_entry(work_id, heads)}") for at, work_id in enumerate(cited, 1)
    ]
    dates = tuple(
        datetime.fromisoformat(day.strip()).replace(tzinfo=UTC) + timedelta(hours=12)
        for day in header["dates"].split(",")
    )
    return Paper(
        id=header["id"],
        version=version,
        title=header["title"],
        short=header["short"],
        categories=header["categories"],
        columns=int(header["columns"]),
        bookmarks=header.get("bookmarks") == "yes",
        dates=dates[:version],
        abstract=abstract.text,
        blocks=(*blocks, Block("heading", "References"), *references),
        cited=tuple(cited),
    )


def _blocks(body: str) -> list[Block]:
    blocks = []
    section = subsection = 0
    for part in re.split(r"\n\s*\n", body.strip()):
        lines = part.strip().splitlines()
        if lines[0].startswith("# "):
            section, subsection = section + 1, 0
            blocks.append(Block("heading", f"{section} {lines[0][2:]}"))
        elif lines[0].startswith("## "):
            subsection += 1
            blocks.append(Block("subheading", f"{section}.{subsection} {lines[0][3:]}"))
        elif lines[0].startswith("= "):
            blocks.append(Block("formula", lines[0][2:]))
        elif match := re.match(r"!(table|figure) (.*)", lines[0]):
            split = "|" if match[1] == "table" else None
            rows = tuple(tuple(cell.strip() for cell in line.split(split)) for line in lines[1:])
            blocks.append(Block(match[1], match[2], rows))
        else:
            blocks.append(Block("paragraph", " ".join(line.strip() for line in lines)))
    return blocks


@cache
def _facts() -> dict[str, DemoRecord]:
    return {record.id: record for record in collection()}


def _entry(work_id: str, heads: dict[str, dict[str, str]]) -> str:
    """Return a reference list entry: authors, title, arXiv id and year."""
    if work_id in heads:
        year = heads[work_id]["dates"][:4]
        return f"{AUTHORS}. {heads[work_id]['title']}. arXiv:{work_id} ({year})."
    record = _facts()[work_id]
    people = [" ".join(part for part in name if part) for name in names(record.authors)]
    shown = people[0] + " et al." if len(people) > 3 else ", ".join(people) + "."
    title = record.title.replace("$", "")
    return f"{shown} {title}. arXiv:{work_id} ({record.versions[0].date.year})."
