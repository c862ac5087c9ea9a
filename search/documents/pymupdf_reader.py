"""The page reader over pymupdf (AGPL-3.0, an optional extra). The only module that knows it."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from search.documents.pages import Bookmark, Character, Destination, Line, Link, Page, Region, Span, Square
from search.errors import DamagedPDF, EncryptedPDF, MissingExtra

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: MuPDF has one context per process and no locks of its own: all calls take turns.
_TURN = threading.RLock()

_BOLD_FONT = re.compile(r"bold|black|heavy|demi|cmbx|cmb\d|sfbx|ecbx|medi\b|-bd|ptmb|phvb", re.IGNORECASE)
_ITALIC_FONT = re.compile(r"ital|obli|slant|cmti|cmsl|sfti|ecti|cmmi|regu?ital", re.IGNORECASE)

# Bits of a span's `flags` (pymupdf documentation, "Font flags").
_SUPERSCRIPT, _ITALIC, _BOLD = 1, 2, 16

#: Bits of smoothing in pictures, MuPDF's default. The layout model turns it off for the whole process.
_SMOOTH = 8

_DAMAGED = "download it again; a file that stays like this cannot be read"


def _pymupdf() -> ModuleType:
    """Import pymupdf and silence MuPDF's messages on stderr: what goes wrong is raised or noted by us."""
    with _IMPORTING, _without_model():
        try:
            import pymupdf
        except ImportError as error:
            raise _missing() from error
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    # Boxes as fonts have them. pymupdf4llm sets this for the whole process: one reading with or without it.
    pymupdf.TOOLS.unset_quad_corrections(True)
    module: ModuleType = pymupdf
    return module


_IMPORTING = threading.Lock()
#: What pymupdf 2 imports by itself where it is installed, to load its layout model: 0.7 s and 90 MB in every
#: process, for what nobody has asked for.
_MODEL_MODULES = ("pymupdf.layout", "pymupdf4llm")


@contextmanager
def _without_model() -> Iterator[None]:
    """Keep the first import of pymupdf from importing its model; whoever wants that imports it by name."""
    kept_out = [] if "pymupdf" in sys.modules else [m for m in _MODEL_MODULES if m not in sys.modules]
    sys.modules.update(dict.fromkeys(kept_out))  # type: ignore[arg-type] # None: "no such module"
    try:
        yield
    finally:
        for name in kept_out:
            del sys.modules[name]


def _missing() -> MissingExtra:
    return MissingExtra("pymupdf", "pdf", why="reading PDF files")


@lru_cache(maxsize=1)
def reader_name() -> str:
    """Return the library and its version, without the second that its import takes.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        return f"pymupdf-{version('pymupdf')}"
    except PackageNotFoundError as error:
        raise _missing() from error


class PyMuPDFReader:
    """A `PageReader` over one PDF, from a path or from its bytes.

    Raises:
        MissingExtra: pymupdf is not installed.
        EncryptedPDF: the file wants a password.
        DamagedPDF: no PDF, cut off, or without a page.
        FileNotFoundError: there is no such file.
    """

    def __init__(self, source: Path | bytes) -> None:
        self._pymupdf = _pymupdf()
        self.name = reader_name()
        self._label = source.name if isinstance(source, Path) else "the PDF"
        content = source.read_bytes() if isinstance(source, Path) else source
        with _TURN:
            self._document = self._open(content)
        #: A table of contents that had to be rebuilt in a file without its last line: it was cut off.
        self.repaired = bool(self._document.is_repaired)
        if self.repaired and b"%%EOF" not in content[-2048:]:
            self.close()
            raise DamagedPDF(f"{self._label} ends before its end", advice=_DAMAGED)
        if not self._document.page_count:
            self.close()
            raise DamagedPDF(f"{self._label} has no pages", advice=_DAMAGED)

    def _open(self, content: bytes) -> Any:
        if b"%PDF-" not in content[:1024]:
            what = "is empty" if not content else "is no PDF"
            raise DamagedPDF(f"{self._label} {what}", advice=_DAMAGED)
        try:
            document = self._pymupdf.open(stream=content, filetype="pdf")
            if document.needs_pass:
                document.close()
                raise EncryptedPDF(
                    f"{self._label} is encrypted", advice="remove the password (qpdf --decrypt) and try again"
                )
            _ = document.page_count
        except (self._pymupdf.FileDataError, *self._failures()) as error:
            raise DamagedPDF(f"{self._label} cannot be opened ({error})", advice=_DAMAGED) from error
        return document

    def _failures(self) -> tuple[type[BaseException], ...]:
        """Return what MuPDF raises: its own tree, and the plain errors that pymupdf turns some into."""
        return (self._pymupdf.mupdf.FzErrorBase, RuntimeError, ValueError)

    @property
    def page_count(self) -> int:
        """Number of pages."""
        with _TURN:
            return int(self._document.page_count)

    def pages(self) -> Iterator[Page]:
        """Yield the pages in order, without their pictures."""
        flags = self._pymupdf.TEXTFLAGS_DICT & ~self._pymupdf.TEXT_PRESERVE_IMAGES
        for number in range(1, self.page_count + 1):
            try:
                with _TURN:
                    page = self._document.load_page(number - 1)
                    raw = page.get_text("dict", flags=flags)
            except self._failures() as error:
                raise DamagedPDF(
                    f"page {number} of {self._label} cannot be read ({error})", advice=_DAMAGED
                ) from error
            yield Page(
                number=number,
                width=raw["width"],
                height=raw["height"],
                lines=_lines(raw["blocks"]),
            )

    def links(self, page: int) -> list[Link]:
        """Return the links to the web on a page; broken ones count as none."""
        try:
            with _TURN:
                return list(_web_links(self._pymupdf.mupdf, self._document.load_page(page - 1)))
        except self._failures():
            return []

    def picture(self, page: int, dpi: int) -> NDArray[Any]:
        """Return what a page looks like: `uint8[height, width, 3]`."""
        import numpy as np

        try:
            with _TURN:
                self._pymupdf.TOOLS.set_aa_level(_SMOOTH)
                drawn = self._document.load_page(page - 1).get_pixmap(dpi=dpi, alpha=False)
                return np.frombuffer(drawn.samples, np.uint8).reshape(drawn.height, drawn.width, 3).copy()
        except self._failures() as error:
            raise DamagedPDF(
                f"page {page} of {self._label} cannot be drawn ({error})", advice=_DAMAGED
            ) from error

    def regions(self, page: int) -> list[Region]:
        """Return what pymupdf's layout model sees on a page; its import loads the model, 0.7 s and 90 MB."""
        with _TURN:
            try:
                import pymupdf.layout  # noqa: F401 - its import gives pages their `get_layout`
            except ImportError as error:  # one of what pymupdf requires was left out
                raise MissingExtra(f"pymupdf's layout model ({error})", "pdf", why="--layout") from error
            # The model looks at unsmoothed pages; its import says so for the whole process.
            self._pymupdf.TOOLS.set_aa_level(0)
            try:
                drawn = self._document.load_page(page - 1)
                drawn.get_layout()
            except self._failures() as error:
                raise DamagedPDF(
                    f"page {page} of {self._label} cannot be looked at ({error})", advice=_DAMAGED
                ) from error
            finally:
                self._pymupdf.TOOLS.set_aa_level(_SMOOTH)
        return [Region(kind, *place) for *place, kind in drawn.layout_information or ()]

    def bookmarks(self) -> list[Bookmark]:
        """Return the outline; a broken one counts as none."""
        try:
            with _TURN:
                outline = self._document.get_toc(simple=True)
        except self._failures():
            return []
        return [Bookmark(level, " ".join(title.split()), page) for level, title, page in outline if page > 0]

    def destinations(self, wanted: Callable[[str], object]) -> list[Destination]:
        """Return the named places whose names are wanted; broken ones count as none."""
        try:
            with _TURN:
                names = [name for name in self._names() if wanted(name)]
                found = [(name, *self._document.resolve_link(f"#nameddest={name}")) for name in names]
        except self._failures():
            return []
        return [Destination(name, page + 1, y) for name, page, _, y in found if page >= 0]

    def _names(self) -> list[str]:
        """Return the names of all places: pymupdf's own list resolves each, thousands in some papers."""
        mupdf = self._pymupdf.mupdf
        kind = mupdf.pdf_new_name("Dests")
        document = mupdf.pdf_document_from_fz_document(self._document)
        catalogue = mupdf.pdf_dict_gets(mupdf.pdf_trailer(document), "Root")
        found: dict[str, None] = {}
        for names in (mupdf.pdf_dict_get(catalogue, kind), mupdf.pdf_load_name_tree(document, kind)):
            if mupdf.pdf_is_dict(names):
                keys = (mupdf.pdf_dict_get_key(names, i) for i in range(mupdf.pdf_dict_len(names)))
                found.update((mupdf.pdf_to_name(key), None) for key in keys)
        return list(found)

    def squares(self, page: int) -> list[Square]:
        """Return the small squares drawn on a page: of four strokes, as one rectangle, or filled."""
        try:
            with _TURN:
                drawn = [path["rect"] for path in self._document.load_page(page - 1).get_cdrawings()]
        except self._failures():
            return []
        return _squares(drawn)

    def characters(self, page: int) -> list[Character]:
        """Return the characters of a page in the order in which the file draws them."""
        flags = self._pymupdf.TEXTFLAGS_RAWDICT & ~self._pymupdf.TEXT_PRESERVE_IMAGES
        try:
            with _TURN:
                raw = self._document.load_page(page - 1).get_text("rawdict", flags=flags)
        except self._failures() as error:
            raise DamagedPDF(
                f"page {page} of {self._label} cannot be read ({error})", advice=_DAMAGED
            ) from error
        return [
            Character(char["c"], char["bbox"][0], char["bbox"][2], char["origin"][1])
            for block in raw["blocks"]
            for line in block["lines"]
            for span in line["spans"]
            for char in span["chars"]
        ]

    def close(self) -> None:
        """Close the file."""
        with _TURN:
            self._document.close()


#: Sides of end marks in points: amsthm's is 0.6 em, in 9 to 12 points.
_SIDE = (4.0, 9.5)


def _squares(drawn: list[tuple[float, float, float, float]]) -> list[Square]:
    """Return the squares among the rectangles around a page's drawings; sides may be drawn one by one."""
    low, high = _SIDE
    found = [
        Square(*r) for r in drawn if low <= r[2] - r[0] <= high and abs((r[2] - r[0]) - (r[3] - r[1])) < 1.5
    ]
    flat = [r for r in drawn if low <= r[2] - r[0] <= high and r[3] - r[1] < 1.0]
    upright = [r for r in drawn if low <= r[3] - r[1] <= high and r[2] - r[0] < 1.0]
    for top in flat:
        bottom = any(abs(r[0] - top[0]) < 1 and low <= r[1] - top[1] <= high for r in flat)
        sides = [
            r
            for r in upright
            if abs(r[1] - top[1]) < 1.5 and min(abs(r[0] - top[0]), abs(r[0] - top[2])) < 1.5
        ]
        if bottom and len(sides) >= 2:
            found.append(Square(top[0], top[1], top[2], top[1] + top[2] - top[0]))
    return found


def _web_links(mupdf: ModuleType, page: Any) -> Iterator[Link]:
    """Yield the links to the web: `get_links` resolves all names of the document for those within it."""
    link = mupdf.fz_load_links(page.this)
    while link.m_internal:
        uri = link.uri()
        if mupdf.fz_is_external_link(uri) and ":" in uri and not uri.startswith("file:"):
            place = link.rect()
            yield Link(uri, place.x0, place.y0, place.x1, place.y1)
        link = link.next()


@lru_cache(maxsize=4096)
def _look(font: str, flags: int) -> tuple[bool, bool, bool]:
    """Return bold, italic (many fonts of TeX say it in their name only) and the reader's hint of raised."""
    return (
        bool(flags & _BOLD) or bool(_BOLD_FONT.search(font)),
        bool(flags & _ITALIC) or bool(_ITALIC_FONT.search(font)),
        bool(flags & _SUPERSCRIPT),
    )


def _lines(blocks: list[dict[str, Any]]) -> list[Line]:
    """Return the page's lines; spans that differ in nothing but a space that MuPDF put in are one."""
    lines: list[Line] = []
    for index, block in enumerate(blocks):
        for raw in block.get("lines", ()):
            spans = _spans(raw["spans"])
            if spans:
                x0, y0, x1, y1 = raw["bbox"]
                cosine, sine = raw["dir"]
                lines.append(Line(spans, x0, y0, x1, y1, index, cosine > 0.99 and abs(sine) < 0.1))
    return lines


def _spans(raw_spans: list[dict[str, Any]]) -> list[Span]:
    """Return the spans; MuPDF begins a new one at each space that it puts in, two of three all told."""
    spans: list[Span] = []
    last: Span | None = None
    flags = 0
    for raw in raw_spans:
        text = raw["text"]
        if not text:
            continue
        baseline = raw["origin"][1]
        if last and last.baseline == baseline and last.size == raw["size"] and last.font == raw["font"] \
                and flags == raw["flags"]:  # fmt: skip
            last.text += text
            last.x1 = raw["bbox"][2]
            continue
        flags = raw["flags"]
        bold, italic, raised = _look(raw["font"], flags)
        x0, y0, x1, y1 = raw["bbox"]
        last = Span(text, raw["font"], raw["size"], bold, italic, raised, x0, y0, x1, y1, baseline)
        spans.append(last)
    return spans
