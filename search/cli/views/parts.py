"""Pieces that several views share: a paper's card line, its marks, a quoted stretch of text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from search.cli.text import line, shorten
from search.ingest.reports import FailedPaper

#: Authors that are named before the rest is counted.
AUTHORS_SHOWN = 3
CONFIDENCE_STYLES = {"high": "green", "medium": "yellow", "low": "red", "insufficient_evidence": "red"}


class Card(Protocol):
    """What a card line needs; hits, references and works have it."""

    @property
    def work_id(self) -> str:
        """The paper's id."""

    @property
    def version(self) -> int:
        """The version held."""

    @property
    def authors(self) -> tuple[str, ...]:
        """Names as printed."""

    @property
    def year(self) -> int | None:
        """Year of first publication."""


def names(authors: Sequence[str]) -> str:
    """Return the first authors and how many more there are."""
    shown = ", ".join(line(a) for a in authors[:AUTHORS_SHOWN])
    more = len(authors) - AUTHORS_SHOWN
    return f"{shown} and {more} more" if more > 0 else shown


def card(work: Card) -> Text:
    """Return the line under a title: id, year, authors, and the marks that a reader must see."""
    parts = [f"{line(work.work_id)}v{work.version}"]
    if work.year:
        parts.append(str(work.year))
    if work.authors:
        parts.append(names(work.authors))
    text = Text(" · ".join(parts), style="dim")
    for mark, style in marks(work):
        text.append(f" · {mark}", style=style)
    return text


def marks(work: object) -> list[tuple[str, str]]:
    """Return what sets a paper apart (withdrawn, pinned), each with its style."""
    found = []
    match getattr(work, "withdrawn", "no"):
        case "yes":
            found.append(("withdrawn", "bold red"))
        case "suspected":
            found.append(("perhaps withdrawn", "red"))
    if getattr(work, "pinned", False):
        found.append(("pinned", "cyan"))
    return found


def place(section: str, page: int | None) -> str:
    """Return where a passage stands: section and page; the metadata's abstract has no page."""
    parts = [line(section) or ("abstract" if page is None else "")]
    if page is not None:
        parts.append(f"p. {page}")
    return ", ".join(p for p in parts if p)


def quoted(text: str, length: int | None = None) -> Text:
    """Return the text in quotation marks, whole or cut at `length` characters."""
    return Text(f"“{line(text) if length is None else shorten(text, length)}”")


def heading(text: str) -> Text:
    """Return the name of a part of a view."""
    return Text(f"\n{text}", style="bold")


def indented(renderable: RenderableType, by: int = 2) -> Padding:
    """Return something moved to the right, wrapped lines too."""
    return Padding(renderable, (0, 0, 0, by), expand=False)


def bullets(items: Iterable[str]) -> Padding:
    """Return a list, each item wrapped under its own beginning."""
    grid = Table.grid(padding=(0, 1))
    grid.add_column(no_wrap=True)
    grid.add_column()
    for item in items:
        grid.add_row("-", Text(line(item)))
    return indented(grid)


def failure(failed: FailedPaper) -> str:
    """Return which paper failed where, why, and whether the next run tries again."""
    version = f"v{failed.version}" if failed.version else ""
    tries = f", tried {failed.tries} times" if failed.tries > 1 else ""
    again = "; tried again next time" if failed.retryable else ""
    return f"{failed.work_id}{version}, {failed.stage}: {failed.message} ({failed.error}{tries}{again})"
