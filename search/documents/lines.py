"""Printed lines: what a reader hands over in pieces, joined where it stands on one baseline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from search.documents.characters import ACCENTS, compose_accents
from search.documents.pages import Line, Span
from search.documents.runs import line_text


@dataclass(slots=True)
class TextLine:
    """One printed line of one column."""

    #: From 1.
    page: int
    #: Number of the column piece on its page, in reading order, from 0.
    column: int
    #: The reader's block; lines of one block usually are one paragraph.
    block: int
    spans: list[Span]
    #: How many pieces the reader handed it over in; the cells of a table's row are pieces.
    pieces: int
    x0: float
    y0: float
    x1: float
    y1: float
    text: str
    #: Size, font and baseline of most of its characters.
    size: float
    font: str
    baseline: float
    #: Shares of the characters, 0 to 1.
    bold: float
    italic: float
    #: Raised citation numbers and footnote marks, which the text leaves out, each with its place in it.
    marks: tuple[tuple[int, str], ...] = ()

    @property
    def height(self) -> float:
        """From top to bottom, in points."""
        return self.y1 - self.y0


def join(lines: Sequence[Line], page: int, column: int) -> list[TextLine]:
    """Return the printed lines of one column piece, in the order given.

    A piece continues the line before it where it stands on its right and shares at least half of the
    height of the lower of the two: pymupdf splits "1" from "Introduction", and a table's row into cells.
    """
    rows: list[list[Line]] = []
    top = bottom = right = 0.0
    for line in lines:
        if rows:
            shared = min(bottom, line.y1) - max(top, line.y0)
            lower = min(bottom - top, line.y1 - line.y0)
            beside = lower > 0 and shared >= 0.5 * lower  # of most lines it is not
            if beside and (line.x0 >= right - 2.0 or _goes_on(rows[-1][-1], line)):
                rows[-1].append(line)
                top, bottom, right = min(top, line.y0), max(bottom, line.y1), max(right, line.x1)
                continue
        rows.append([line])
        top, bottom, right = line.y0, line.y1, line.x1
    return [text_line(row, page, column) for row in rows]


def _goes_on(before: Line, line: Line) -> bool:
    """Return whether a line begins under the end of the other one: a letter under its accent, an index."""
    accent = before.spans[-1]
    if accent.text in ACCENTS:
        return abs(line.x0 - accent.x0) < 0.6 * accent.size
    return _stands_under(before, line)


def _stands_under(before: Line, line: Line) -> bool:
    """Return whether a line begins with an index that stands under the exponent before it: x_i^2."""
    raised, lowered = before.spans[-1], line.spans[0]
    size = max(span.size for span in before.spans)
    return (
        raised.size <= 0.9 * size
        and abs(raised.size - lowered.size) < 0.2 * raised.size
        and lowered.baseline > raised.baseline + 0.2 * size
        and raised.x0 - 0.35 * size <= lowered.x0 <= raised.x1
    )


def text_line(pieces: Sequence[Line], page: int, column: int) -> TextLine:
    """Return one printed line, made of the reader's pieces from left to right."""
    first = pieces[0]
    spans, x0, y0, x1, y1 = first.spans, first.x0, first.y0, first.x1, first.y1
    if len(pieces) > 1:
        spans = [span for piece in pieces for span in piece.spans]
        x0, y0 = min([piece.x0 for piece in pieces]), min([piece.y0 for piece in pieces])
        x1, y1 = max([piece.x1 for piece in pieces]), max([piece.y1 for piece in pieces])
    size, font, baseline, bold, italic = _style(spans)
    marks: list[tuple[int, str]] = []
    text = " ".join(compose_accents(line_text(spans, size, baseline, marks)).split())
    return TextLine(
        page, column, first.block, spans, len(pieces), x0, y0, x1, y1, text, size, font, baseline, bold,
        italic, tuple(marks),
    )  # fmt: skip


def _style(spans: Sequence[Span]) -> tuple[float, str, float, float, float]:
    """Return size, font and baseline of most characters, and the shares of bold and italic."""
    if len(spans) == 1:
        span = spans[0]
        return span.size, span.font, span.baseline, float(span.bold), float(span.italic)
    styles: dict[tuple[float, str, float], int] = {}
    bold = italic = total = 0
    for span in spans:
        weight = len(span.text)
        style = (span.size, span.font, span.baseline)
        styles[style] = styles.get(style, 0) + weight
        total += weight
        if span.bold:
            bold += weight
        if span.italic:
            italic += weight
    size, font, baseline = max(styles, key=styles.__getitem__)
    return size, font, baseline, bold / total, italic / total


def split_line(line: TextLine, at: int) -> tuple[TextLine, TextLine]:
    """Return the line in two: its spans before `at`, and the rest."""
    halves = []
    for spans in (line.spans[:at], line.spans[at:]):
        piece = Line(
            spans,
            min(span.x0 for span in spans),
            line.y0,
            max(span.x1 for span in spans),
            line.y1,
            line.block,
        )
        halves.append(text_line([piece], line.page, line.column))
    return halves[0], halves[1]
