"""Paragraphs: printed lines that belong together, and what sort of text they are."""

# ruff: noqa: RUF001 - the characters are meant as they are
from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from search.documents.edges import Edges, edges_of
from search.documents.floats import CAPTION, Called, kinds_of, opens_footnote
from search.documents.formulas import is_display, is_flush, is_part
from search.documents.joining import LineAt, text_of, vocabulary_of
from search.documents.lines import TextLine
from search.documents.openings import may_open_section
from search.documents.statements import ends_proof, leaves_statement, mark_statements, opens_statement
from search.documents.style import BodyStyle
from search.models import PassageKind

__all__ = ["LineAt", "Paragraph", "paragraphs", "set_apart", "text_of", "vocabulary_of"]

#: A formula goes on: what no paragraph begins with, and what none ends with.
_GOES_ON, _UNFINISHED = frozenset("=≤≥≲≈∈_^"), frozenset("=≤≥≲≈∈×")
_SENTENCE_END = re.compile(r"[.!?:][\"'”’)\]]*$")
_ITEM = re.compile(r"(?:[•◦▪–∗*]|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]|\[\d+\])\s")
#: Leadings between two lines of one paragraph at most.
_FURTHEST = 1.2


@dataclass(slots=True)
class Paragraph:
    """Lines that make one paragraph, in reading order."""

    lines: list[TextLine]
    kind: PassageKind = "text"
    #: Whether a theorem, definition, remark or proof begins with it.
    opens: bool = False
    #: Whether another section may begin with it (see `search.documents.openings`).
    apart: bool = False


def paragraphs(
    lines: Sequence[TextLine],
    body: BodyStyle,
    called: Called = frozenset(),
    following: TextLine | None = None,
    *,
    front: bool = False,
) -> list[Paragraph]:
    """Return the paragraphs of consecutive lines: the running text, then captions, tables and footnotes.

    Args:
        lines: of one section.
        body: the style of the paper's text.
        called: the whole paper's raised marks (see `floats.called_notes`).
        following: the line after them, of the next heading.
        front: they stand before the first heading: a paragraph ends where it ends, whatever may begin there.
    """
    lines = [line for line in lines if line.text]
    kinds = kinds_of(lines, body.size, body.leading, called, following)
    furthest = _FURTHEST * body.leading
    text = [line for line, kind in zip(lines, kinds, strict=True) if kind == "text"]
    columns = edges_of(text)
    flow: list[Paragraph] = []
    last_display = False
    for at, line in enumerate(text):
        column = columns[line.page, line.column]
        display = is_display(line, column.left, column.right) or (
            bool(flow)
            and (
                is_part(line, flow[-1].lines[-1], column.left, column.right)
                or is_flush(line, flow[-1].lines[-1], column.left, column.right)
            )
        )
        apart = not display and may_open_section(text, at, columns, body)
        if (
            flow
            and (front or not apart)
            and _continues(flow[-1], line, columns, furthest, display=display, after_display=last_display)
        ):
            flow[-1].lines.append(line)
        else:
            flow.append(Paragraph([line], apart=apart))
        last_display = display
    mark_statements(flow)
    return flow + set_apart(lines, kinds, called)


def _continues(  # noqa: C901, PLR0911 - one return for each way in which text goes on
    paragraph: Paragraph,
    line: TextLine,
    columns: dict[tuple[int, int], Edges],
    furthest: float,
    *,
    display: bool,
    after_display: bool,
) -> bool:
    """Return whether a line goes on with the paragraph before it, over formulas, columns, pages, floats."""
    previous = paragraph.lines[-1]
    if leaves_statement(paragraph.lines[0], line):
        return False
    if line.text[0] in _GOES_ON or previous.text[-1] in _UNFINISHED:
        return True
    if display or after_display:
        return _formula_continues(line, columns, display=display)
    same_column = (previous.page, previous.column) == (line.page, line.column)
    if paragraph.apart and len(paragraph.lines) == 1 and _is_title(previous, line):
        return False
    ended = bool(_SENTENCE_END.search(previous.text)) or ends_proof(previous)
    column = columns[line.page, line.column]
    indented = column.left + 0.7 * line.size < line.x0 < column.left + 4 * line.size
    if same_column and previous.block == line.block:
        return not (_indented(previous, line) or (ended and opens_statement(line)))
    other_size = abs(previous.size - line.size) > 0.08 * previous.size
    if other_size and len(line.text) > 30 and len(previous.text) > 30:
        return False
    if ended and (indented or _ITEM.match(line.text)):
        return False
    begins = line.text.lstrip('(“"')[:1]
    if same_column:
        step = line.baseline - previous.baseline
        if step > max(1.8 * line.size, furthest) or step <= 0:
            return not ended and begins.islower()
        return not ended and (begins.islower() or not indented) and not _ITEM.match(line.text)
    if not ended:
        return not _ITEM.match(line.text) and not opens_statement(line)
    # After a full stop at the end of a column: a full line before and no indent now are one paragraph.
    before = columns[previous.page, previous.column]
    full = previous.x1 > before.right - 0.5 * previous.size
    return full and not indented and begins.isupper() and not opens_statement(line)


def _is_title(previous: TextLine, line: TextLine) -> bool:
    """Return whether a line that may open a section is all of a title, in another font than what follows."""
    return previous.font != line.font and line.text[0].isupper() and previous.text[-1] not in ".,;:"


def _formula_continues(line: TextLine, columns: dict[tuple[int, int], Edges], *, display: bool) -> bool:
    if display:
        return True
    if _ITEM.match(line.text) or opens_statement(line):
        return False
    column = columns[line.page, line.column]
    if line.text[:1].islower() or line.text[:1] in ",.;":
        return True
    return line.x0 < column.left + 0.7 * line.size


def _indented(previous: TextLine, line: TextLine) -> bool:
    """Return whether a new paragraph begins inside the block: indented, after the end of a sentence."""
    return line.x0 > previous.x0 + 0.7 * line.size and bool(_SENTENCE_END.search(previous.text)) \
        and line.text[:1].isupper() and line.x0 < previous.x0 + 4 * line.size  # fmt: skip


def set_apart(
    lines: Sequence[TextLine], kinds: Sequence[PassageKind], called: Called = frozenset()
) -> list[Paragraph]:
    """Return captions, tables and footnotes, each in its own paragraph, in reading order."""
    found: list[Paragraph] = []
    before: tuple[int, PassageKind] | None = None
    for index, (line, kind) in enumerate(zip(lines, kinds, strict=True)):
        if kind == "text":
            continue
        goes_on = before == (index - 1, kind) and not (
            (kind == "footnote" and opens_footnote(line, called))
            or (
                kind != "footnote"
                and (found[-1].lines[-1].page, found[-1].lines[-1].column) != (line.page, line.column)
            )
            or (kind == "caption" and _another_caption(found[-1].lines[-1], line))
        )
        if goes_on:
            found[-1].lines.append(line)
        else:
            found.append(Paragraph([line], kind))
        before = (index, kind)
    return found


def _another_caption(previous: TextLine, line: TextLine) -> bool:
    return bool(CAPTION.match(line.text)) and line.baseline - previous.baseline > 1.2 * line.size
