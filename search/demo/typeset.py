"""A small typesetter over pymupdf: justified text in one or two columns, formulas, tables, plots.

It sets raised and lowered runs as TeX does (smaller, off the baseline, no marks in the text), gives pages
running heads and numbers, and writes the same bytes for the same paper: nothing in the file depends on
the clock or on chance.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from search.demo.papers import AUTHORS, NOTICE, Block, Paper
from search.errors import MissingExtra

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

WIDTH = 612.0
#: Page heights by number of columns: letter paper, and a shorter journal page.
HEIGHTS = {1: 792.0, 2: 690.0}
#: Margins above and below the text; head, notice and page number stand in them.
TOP, BOTTOM = 84.0, 92.0
BODY = 12.0
#: Size of raised and lowered runs, and how far they leave the baseline, relative to the text size.
SCRIPT, RAISE, LOWER = 0.7, 0.36, -0.16
LEADING = 1.3

#: A line whose spaces would grow by more than this, relative to their width, stays ragged.
LOOSEST = 4.0

_FONTS = {"roman": "tiro", "bold": "tibo", "slanted": "tiit"}
_MARKUP = re.compile(r"\*([^*]+)\*|\^\{([^}]*)\}|_\{([^}]*)\}|([^*^_]+|.)")
#: A space at which no line may end: before per cent and on both sides of a multiplication sign.
TIE = "\u00a0"
_TIED = re.compile(r" (?=[%\u00d7])|(?<=\u00d7) ")


@dataclass(frozen=True, slots=True)
class Run:
    """Letters in one font, on one height."""

    text: str
    font: str
    size: float
    #: Above (positive) or below the baseline, in points.
    rise: float = 0.0


Word = tuple[Run, ...]


def typeset(paper: Paper) -> bytes:
    """Return the paper as a PDF.

    Raises:
        MissingExtra: pymupdf is not installed.
    """
    try:
        import pymupdf
    except ImportError:
        raise MissingExtra("pymupdf", "pdf", why="making the demo's papers") from None
    return _Setter(pymupdf, paper).document()


class _Setter:
    """The page being filled, and where on it the next line goes."""

    def __init__(self, pymupdf: Any, paper: Paper) -> None:
        self.pymupdf = pymupdf
        self.paper = paper
        self.fonts = {name: pymupdf.Font(code) for name, code in _FONTS.items()}
        self.pdf = pymupdf.open()
        self.height = HEIGHTS[paper.columns]
        margin = 120.0 if paper.columns == 1 else 66.0
        gap = 18.0
        self.width = (WIDTH - 2 * margin - gap * (paper.columns - 1)) / paper.columns
        self.lefts = [margin + index * (self.width + gap) for index in range(paper.columns)]
        self.column = 0
        self.top = TOP
        self.y = TOP
        self.formulas = 0
        self.counts = {"table": 0, "figure": 0}
        self.following: tuple[Block, ...] = ()
        self.toc: list[list[Any]] = []
        self.new_page()

    def document(self) -> bytes:
        self.front()
        for at, block in enumerate(self.paper.blocks):
            self.following = self.paper.blocks[at + 1 : at + 2]
            getattr(self, block.kind)(block)
        self.finish_page()
        self.pdf.set_metadata(
            {"title": self.paper.title, "author": AUTHORS, "creator": "Citewell typesetter"}
        )
        if self.paper.bookmarks:
            self.pdf.set_toc(self.toc)
        content: bytes = self.pdf.tobytes(garbage=3, deflate=True, no_new_id=True)
        self.pdf.close()
        return content

    # -------------------------------------------------------------- pages
    def new_page(self) -> None:
        self.page = self.pdf.new_page(width=WIDTH, height=self.height)
        self.writer = self.pymupdf.TextWriter(self.page.rect)
        self.column, self.top, self.y = 0, TOP, TOP
        number = len(self.pdf)
        self.put(self.words(str(number), 9), 0, WIDTH, self.height - 36, "centre")
        right = self.lefts[-1] + self.width
        self.put(self.words(NOTICE, 8), 0, WIDTH, self.height - 50, "centre")
        self.put(self.words(AUTHORS, 8), self.lefts[0], right, 48, "left")
        self.put(self.words(self.paper.short, 8, "slanted"), self.lefts[0], right, 48, "right")

    def finish_page(self) -> None:
        self.writer.write_text(self.page)

    def advance(self) -> None:
        """Go to the next column, or to a new page after the last one."""
        if self.column + 1 < self.paper.columns:
            self.column += 1
            self.y = self.top
        else:
            self.finish_page()
            self.new_page()

    def room(self, height: float) -> None:
        """Make sure that `height` points are free in this column."""
        if self.y + height > self.height - BOTTOM:
            self.advance()

    # -------------------------------------------------------------- text
    def words(self, text: str, size: float, font: str = "roman") -> list[Word]:
        """Split text with inline markup at its spaces; a word keeps its raised and slanted parts."""
        text = _TIED.sub(TIE, text)
        words: list[Word] = []
        current: list[Run] = []
        for match in _MARKUP.finditer(text):
            slanted, raised, lowered, other = match.groups()
            if raised is not None:
                current.append(Run(raised, font, size * SCRIPT, size * RAISE))
            elif lowered is not None:
                current.append(Run(lowered, font, size * SCRIPT, size * LOWER))
            else:
                pieces = re.split(r"( +)", slanted or other)
                for piece in pieces:
                    if piece.startswith(" "):
                        if current:
                            words.append(tuple(current))
                        current = []
                    elif piece:
                        shown = piece.replace(TIE, " ")
                        current.append(Run(shown, "slanted" if slanted else font, size))
        if current:
            words.append(tuple(current))
        return words

    def measure(self, word: Word) -> float:
        return sum(float(self.fonts[run.font].text_length(run.text, run.size)) for run in word)

    def space(self, size: float) -> float:
        return size * 0.25

    def lines(self, words: Sequence[Word], width: float, size: float, indent: float) -> Iterator[list[Word]]:
        line: list[Word] = []
        used = indent
        for word in words:
            length = self.measure(word)
            if line and used + length > width:
                yield line
                line, used = [], 0.0
            line.append(word)
            used += length + self.space(size)
        if line:
            yield line

    def put(self, line: Sequence[Word], left: float, right: float, y: float, align: str) -> None:
        """Write one line with its baseline at `y`; `align` is left, right, centre or justify."""
        size = max(run.size for word in line for run in word)
        lengths = [self.measure(word) for word in line]
        gap = self.space(size)
        free = right - left - sum(lengths) - gap * (len(line) - 1)
        x = left + {"right": free, "centre": free / 2}.get(align, 0.0)
        if align == "justify" and len(line) > 1 and free / (len(line) - 1) < LOOSEST * gap:
            gap += free / (len(line) - 1)
        for word, length in zip(line, lengths, strict=True):
            at = x
            for run in word:
                self.writer.append((at, y - run.rise), run.text, font=self.fonts[run.font], fontsize=run.size)
                at += float(self.fonts[run.font].text_length(run.text, run.size))
            x += length + gap

    def flow(self, words: Sequence[Word], size: float, *, indent: float = 0.0, hang: float = 0.0) -> None:
        """Set a paragraph in the columns, justified but for its last line."""
        lines = list(self.lines(words, self.width - hang, size, indent - hang))
        for index, line in enumerate(lines):
            self.room(size * LEADING)
            self.y += size * LEADING
            left = self.lefts[self.column] + (indent if index == 0 else hang)
            align = "left" if index == len(lines) - 1 else "justify"
            self.put(line, left, self.lefts[self.column] + self.width, self.y, align)

    def rule(self, left: float, right: float, y: float) -> None:
        self.page.draw_line((left, y), (right, y), width=0.5)

    # -------------------------------------------------------------- parts
    def front(self) -> None:
        """Set title, authors, date and abstract; the columns begin below them."""
        left, right = self.lefts[0], self.lefts[-1] + self.width
        self.y += 10
        for line in self.lines(self.words(self.paper.title, 17, "bold"), right - left, 17, 0):
            self.y += 21
            self.put(line, left, right, self.y, "centre")
        self.y += 24
        self.put(self.words(AUTHORS, 12), left, right, self.y, "centre")
        self.y += 16
        day = self.paper.dates[-1]
        revised = f" (version {self.paper.version})" if self.paper.version > 1 else ""
        self.put(self.words(f"{day:%B} {day.day}, {day.year}{revised}", 10), left, right, self.y, "centre")
        self.y += 26
        self.put(self.words("Abstract", 10.5, "bold"), left, right, self.y, "centre")
        self.y += 4
        inset = 30.0
        words = self.words(self.paper.abstract, 9)
        lines = list(self.lines(words, right - left - 2 * inset, 9, 0))
        for index, line in enumerate(lines):
            self.y += 9 * LEADING
            align = "left" if index == len(lines) - 1 else "justify"
            self.put(line, left + inset, right - inset, self.y, align)
        self.y += 14
        self.top = self.y

    def heading(self, block: Block) -> None:
        self._head(block.text, 14.0, above=12.0, level=1)

    def subheading(self, block: Block) -> None:
        self._head(block.text, 12.5, above=7.0, level=2)

    def _head(self, text: str, size: float, *, above: float, level: int) -> None:
        kept = {"table": 150.0, "figure": 230.0, "subheading": 70.0}  # points that must fit below it
        self.room(above + size + max([kept.get(block.kind, 42.0) for block in self.following], default=0.0))
        self.y += size + (0.0 if self.y == self.top else above)
        for line in self.lines(self.words(text, size, "bold"), self.width, size, 0):
            self.put(line, self.lefts[self.column], self.lefts[self.column] + self.width, self.y, "left")
            self.y += size * LEADING
        self.y -= size * LEADING - 2
        self.toc.append([level, text, len(self.pdf)])

    def paragraph(self, block: Block) -> None:
        self.y += 3
        self.flow(self.words(block.text, BODY), BODY, indent=12)

    def reference(self, block: Block) -> None:
        self.y += 2
        self.flow(self.words(block.text, 9), 9, hang=16)

    def formula(self, block: Block) -> None:
        self.formulas += 1
        self.room(34)
        self.y += 20
        left, right = self.lefts[self.column], self.lefts[self.column] + self.width
        self.put(self.words(block.text, BODY), left, right, self.y, "centre")
        self.put(self.words(f"({self.formulas})", BODY), left, right, self.y, "right")
        self.y += 8

    def _caption(self, kind: str, text: str) -> list[list[Word]]:
        self.counts[kind] += 1
        words = self.words(f"{kind.capitalize()} {self.counts[kind]}: {text}", 9)
        return list(self.lines(words, self.width - 20, 9, 0))

    def _set_caption(self, lines: list[list[Word]]) -> None:
        left, right = self.lefts[self.column] + 10, self.lefts[self.column] + self.width - 10
        for index, line in enumerate(lines):
            self.y += 9 * LEADING
            align = "justify" if index < len(lines) - 1 else "centre" if len(lines) == 1 else "left"
            self.put(line, left, right, self.y, align)

    def table(self, block: Block) -> None:
        caption = self._caption("table", block.text)
        self.room(10 + 9 * LEADING * len(caption) + 13 * len(block.rows) + 26)
        self.y += 10
        self._set_caption(caption)
        left, right = self.lefts[self.column] + 10, self.lefts[self.column] + self.width - 10
        step = (right - left) / len(block.rows[0])
        self.y += 7
        self.rule(left, right, self.y)
        for index, row in enumerate(block.rows):
            self.y += 12
            for cell, text in enumerate(row):
                if not text:
                    continue
                start = left + cell * step
                self.put(self.words(text, 9), start, start + step, self.y, "left" if cell == 0 else "centre")
            if index == 0:
                self.y += 4
                self.rule(left, right, self.y)
        self.y += 5
        self.rule(left, right, self.y)
        self.y += 10

    def figure(self, block: Block) -> None:
        text, x_label, y_label = (part.strip() for part in block.text.split("|"))
        caption = self._caption("figure", text)
        height = 130.0
        self.room(height + 60 + 9 * LEADING * len(caption))
        self.y += 22
        left, right = self.lefts[self.column] + 46, self.lefts[self.column] + self.width - 14
        points = [(math.log10(float(x)), math.log10(float(y))) for x, y in block.rows]
        self._plot(points, (left, right, self.y, self.y + height))
        self.y += height + 20
        self.put(self.words(x_label, 8), left, right, self.y, "centre")
        self.put(self.words(y_label, 8), self.lefts[self.column], right, self.y - height - 28, "left")
        self.y += 4
        self._set_caption(caption)
        self.y += 8

    def _plot(self, points: list[tuple[float, float]], frame: tuple[float, float, float, float]) -> None:
        """Draw points on logarithmic axes, with a tick at every power of ten."""
        left, right, top, bottom = frame
        low = [math.floor(min(point[axis] for point in points) + 1e-9) for axis in (0, 1)]
        high = [max(low[axis] + 1, math.ceil(max(p[axis] for p in points) - 1e-9)) for axis in (0, 1)]

        def at(x: float, y: float) -> tuple[float, float]:
            across = left + (x - low[0]) / (high[0] - low[0]) * (right - left)
            return across, bottom - (y - low[1]) / (high[1] - low[1]) * (bottom - top)

        self.page.draw_rect(self.pymupdf.Rect(left, top, right, bottom), width=0.5)
        for power in range(low[0], high[0] + 1):
            x, y = at(power, low[1])
            self.page.draw_line((x, y), (x, y - 3), width=0.5)
            self.put(self.words(f"10^{{{power}}}", 7), x - 12, x + 12, y + 9, "centre")
        for power in range(low[1], high[1] + 1):
            x, y = at(low[0], power)
            self.page.draw_line((x, y), (x + 3, y), width=0.5)
            label = f"10^{{\u2212{-power}}}" if power < 0 else f"10^{{{power}}}"
            self.put(self.words(label, 7), x - 30, x - 4, y + 2, "right")
        places = [at(*point) for point in points]
        self.page.draw_polyline(places, width=0.7)
        for place in places:
            self.page.draw_circle(place, 2, fill=(0, 0, 0), width=0.5)
