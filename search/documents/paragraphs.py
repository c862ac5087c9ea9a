"""Paragraphs: printed lines that belong together, and what sort of text they are."""

# ruff: noqa: RUF001 - the characters are meant as they are
from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from search.documents.lines import TextLine
from search.models import PassageKind

_CAPTION = re.compile(
    r"(?:Fig(?:ure|s?\.)|FIG(?:URE|S?\.)|Table|TABLE|Tab\.|Algorithm|Listing|Scheme|Box)\s*"
    r"(?:[A-Z]?\.?\d+(?:\.\d+)*|[IVX]+)(?:\s*[(]?[a-z][)]?)?\s*(?P<mark>[.:|–—-]|$)?"
)
_THEOREM = re.compile(
    r"(?:Theorem|Lemma|Proposition|Corollary|Definition|Remark|Claim|Conjecture|Assumption|Example|Hypothesis"
    r"|Observation|Fact)\b[^a-z]{0,12}[.:(]"
)
_FOOTNOTE_START = re.compile(r"(?:\d{1,2}|[*∗†‡§¶])\s*\S")
_PROSE_WORD = re.compile(r"[^\W\d_]{3,}")
_SENTENCE_END = re.compile(r"[.!?:][\"'”’)\]]*$")

#: Footnotes and captions are set smaller than the body by at least this ratio (9 on 10 points).
_SMALLER = 0.93


@dataclass(slots=True)
class Paragraph:
    """Lines that make one paragraph, in reading order."""

    lines: list[TextLine]
    kind: PassageKind = "text"


@dataclass(frozen=True, slots=True)
class LineAt:
    """Where a line's text went: `text[start:end]` of the whole."""

    start: int
    end: int
    line: TextLine


def footnotes(lines: Sequence[TextLine], body_size: float) -> set[int]:
    """Return the indices of lines that are footnotes: small print at the bottom of a column, after a mark."""
    found: set[int] = set()
    end = len(lines)
    while end:
        start = end - 1
        while start and (lines[start - 1].page, lines[start - 1].column) == (
            lines[end - 1].page,
            lines[end - 1].column,
        ):
            start -= 1
        first = end
        while first > start and lines[first - 1].size <= _SMALLER * body_size:
            first -= 1
        if first > start or first == end:
            while first < end and not _opens_footnote(lines[first]):
                first += 1
            found.update(range(first, end))
        end = start
    return found


def _opens_footnote(line: TextLine) -> bool:
    """Return whether a line begins with a raised mark, or with one on the line and small."""
    first = next((span for span in line.spans if span.text.strip()), None)
    if first is None:
        return False
    raised = first.size < 0.9 * line.size or first.raised_hint
    return raised and bool(_FOOTNOTE_START.match(first.text.strip() + "x"))


def paragraphs(lines: Sequence[TextLine], body_size: float) -> list[Paragraph]:
    """Return the paragraphs of consecutive lines: the running text, then captions, footnotes and tables."""
    notes = footnotes(lines, body_size)
    flow: list[Paragraph] = []
    floats: list[Paragraph] = []
    last: Paragraph | None = None
    for index, line in enumerate(lines):
        if not line.text:
            continue
        if index in notes:
            if last and last.kind == "footnote" and index - 1 in notes and not _opens_footnote(line):
                last.lines.append(line)
            else:
                last = Paragraph([line], "footnote")
                floats.append(last)
            continue
        if last and _goes_on(last, line):
            last.lines.append(line)
            continue
        kind = _kind(line, body_size)
        if kind == "caption":
            last = Paragraph([line], kind)
            floats.append(last)
            continue
        if flow and kind == "text" and _continues(flow[-1], line):
            last = flow[-1]
            last.lines.append(line)
            continue
        last = Paragraph([line], kind)
        flow.append(last)
    return _tables_apart(flow, floats)


def _goes_on(last: Paragraph, line: TextLine) -> bool:
    """Return whether a line goes on with the paragraph right before it."""
    previous = last.lines[-1]
    if last.kind == "footnote":
        return False
    if _same_block(previous, line):
        return not _indented(previous, line)
    # A caption's lines often are blocks of their own.
    step = line.baseline - previous.baseline
    return (
        last.kind == "caption"
        and (previous.page, previous.column) == (line.page, line.column)
        and abs(previous.size - line.size) < 0.4
        and 0 < step < (1.4 if _SENTENCE_END.search(previous.text) else 2.2) * line.size
        and line.pieces <= 2
        and not _CAPTION.match(line.text)
    )


def _tables_apart(flow: list[Paragraph], floats: list[Paragraph]) -> list[Paragraph]:
    """Return the running text, then captions and footnotes, then tables; blocks of one table become one."""
    text: list[Paragraph] = []
    table: Paragraph | None = None
    for paragraph in flow:
        if paragraph.kind != "text" or not _is_table(paragraph):
            text.append(paragraph)
            table = None
            continue
        first = paragraph.lines[0]
        if table and (table.lines[-1].page, table.lines[-1].column) == (first.page, first.column):
            table.lines += paragraph.lines
            continue
        table = Paragraph(paragraph.lines, "table")
        floats.append(table)
    return text + floats


def _is_table(paragraph: Paragraph) -> bool:
    """Return whether most of the rows come in three cells or more, and hold little prose."""
    rows = paragraph.lines
    if sum(row.pieces >= 3 for row in rows) < 0.6 * len(rows):
        return False
    tokens = [token for row in rows for token in row.text.split()]
    prose = sum(token.strip(".,;:()").islower() and len(token) > 2 for token in tokens)
    return len(rows) >= 2 and prose < 0.5 * len(tokens)


def _same_block(previous: TextLine, line: TextLine) -> bool:
    return (previous.page, previous.column, previous.block) == (line.page, line.column, line.block)


def _indented(previous: TextLine, line: TextLine) -> bool:
    """Return whether a new paragraph begins inside the block: indented, after the end of a sentence."""
    return line.x0 > previous.x0 + 0.7 * line.size and bool(_SENTENCE_END.search(previous.text)) \
        and line.text[:1].isupper() and line.x0 < previous.x0 + 4 * line.size  # fmt: skip


def _kind(line: TextLine, body_size: float) -> PassageKind:
    caption = _CAPTION.match(line.text)
    if caption and (caption["mark"] or line.size <= _SMALLER * body_size or line.spans[0].bold):
        return "caption"
    if _THEOREM.match(line.text):
        return "theorem"
    return "text"


def _continues(paragraph: Paragraph, line: TextLine) -> bool:
    """Return whether a block goes on with the paragraph before it: over a column, a page or a formula."""
    last = paragraph.lines[-1]
    if abs(last.size - line.size) > 0.08 * last.size and len(line.text) > 30 and len(last.text) > 30:
        return False
    begins = line.text.lstrip("(")[:1]
    if _SENTENCE_END.search(last.text):
        return False
    if begins.islower():
        return True
    # A displayed formula belongs to the sentence around it.
    return not _PROSE_WORD.search(line.text) and (last.page, last.column) == (line.page, line.column)


def text_of(
    lines: Iterable[TextLine], vocabulary: frozenset[str], offset: int = 0
) -> tuple[str, list[LineAt]]:
    """Return the lines' text as one, words divided at line ends put together, and where each line went."""
    parts: list[str] = []
    places: list[LineAt] = []
    at = offset
    for line in lines:
        text = line.text
        if not text:
            continue
        if parts:
            parts[-1], joint = _joint(parts[-1], text, vocabulary)
            at = places[-1].start + len(parts[-1])
            places[-1] = LineAt(places[-1].start, at, places[-1].line)
            parts.append(joint)
            at += len(joint)
        parts.append(text)
        places.append(LineAt(at, at + len(text), line))
        at += len(text)
    return "".join(parts), places


_DIVIDED = re.compile(r"([^\W\d_]+)[-\u00ad‐]$")
_FIRST_WORD = re.compile(r"[^\W\d_]+")


def _joint(before: str, after: str, vocabulary: frozenset[str]) -> tuple[str, str]:
    """Return the text before, without a hyphen that only divides a word, and what to put between."""
    divided = _DIVIDED.search(before) if before[-1] in "-\u00ad\u2010" else None
    if not divided:
        return before, "" if before.endswith(("/", "—")) else " "
    following = _FIRST_WORD.match(after)
    if not following:
        return before, "" if before.endswith("\u00ad") else " "
    if before.endswith("\u00ad"):
        return before[:-1], ""
    first, second = divided[1].casefold(), following[0].casefold()
    if not following[0][0].islower():
        return before, ""
    if first + second not in vocabulary and f"{first}-{second}" in vocabulary:
        return before, ""
    return before[:-1], ""


def vocabulary_of(lines: Iterable[TextLine]) -> frozenset[str]:
    """Return the paper's words, hyphened ones too: they tell "self-attention" from "atten-tion"."""
    words: set[str] = set()
    for line in lines:
        words.update(_WORD.findall(line.text.casefold()))
    return frozenset(words)


_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)?(?!-$)")
