"""What a page reader hands over: pages of lines of spans, as plain data.

Everything in this room works on these classes, so that another reader (an OCR engine, a reader under
another licence) needs one new module and nothing else.

All lengths are PDF points (1/72 inch); the origin is the page's top left corner, y grows downward.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(slots=True)
class Span:
    """Consecutive characters of one font, size and baseline."""

    text: str
    font: str
    size: float
    bold: bool
    italic: bool
    #: The reader's own opinion that this is raised text. One hint, not a decision.
    raised_hint: bool
    x0: float
    y0: float
    x1: float
    y1: float
    #: The y of the baseline.
    baseline: float


@dataclass(slots=True)
class Line:
    """What the reader calls a line. One printed line may come in several: "1" and "Introduction"."""

    spans: list[Span]
    x0: float
    y0: float
    x1: float
    y1: float
    #: Which of the page's blocks it belongs to, from 0 in the order of the page's content.
    block: int
    #: Whether the text runs from left to right; false for what stands in the margin on its side.
    horizontal: bool = True


@dataclass(slots=True)
class Link:
    """A rectangle that leads to an address on the web."""

    uri: str
    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(slots=True)
class Page:
    """One page; lines in the order in which the file draws them."""

    #: From 1.
    number: int
    width: float
    height: float
    lines: list[Line] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Bookmark:
    """One entry of the file's own outline."""

    #: From 1.
    level: int
    title: str
    #: From 1.
    page: int


@dataclass(frozen=True, slots=True)
class Destination:
    """A place in the file that has a name: hyperref gives one to each section."""

    name: str
    #: From 1.
    page: int
    #: How far below the page's top, in points.
    y: float


@dataclass(frozen=True, slots=True)
class Square:
    """A small square that is drawn and no character, as most end marks of proofs are."""

    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a page, and what a layout model takes it for."""

    #: "section-header", "text", "list-item", "table", "picture", "page-header" …
    kind: str
    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True, slots=True)
class Character:
    """One character and where it stands."""

    text: str
    x0: float
    x1: float
    #: The y of its baseline.
    baseline: float


class PageReader(Protocol):
    """An opened document."""

    #: Name and version, e.g. "pymupdf-2.0".
    name: str
    #: Whether the file's structure was broken and had to be rebuilt.
    repaired: bool

    @property
    def page_count(self) -> int:
        """Number of pages."""
        ...

    def pages(self) -> Iterator[Page]:
        """Yield the pages in order, without pictures.

        Raises:
            DamagedPDF: a page's content cannot be read.
        """
        ...

    def links(self, page: int) -> Sequence[Link]:
        """Return the links to the web on a page (from 1); asked for only where they matter."""
        ...

    def picture(self, page: int, dpi: int) -> NDArray[Any]:
        """Return what a page (from 1) looks like: `uint8[height, width, 3]`, red, green, blue."""
        ...

    def regions(self, page: int) -> Sequence[Region]:
        """Return what a layout model sees on a page (from 1), which takes it half a second."""
        ...

    def bookmarks(self) -> Sequence[Bookmark]:
        """Return the file's outline, in order; empty where it has none."""
        ...

    def destinations(self, wanted: Callable[[str], object]) -> Sequence[Destination]:
        """Return the file's named places whose names are wanted; empty where it has none."""
        ...

    def squares(self, page: int) -> Sequence[Square]:
        """Return the small squares drawn on a page (from 1); asked for only where they matter."""
        ...

    def characters(self, page: int) -> Sequence[Character]:
        """Return the characters of a page (from 1); asked for only where the place of a quote is."""
        ...

    def close(self) -> None:
        """Let go of the document."""
        ...
