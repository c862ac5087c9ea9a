"""What stands on the page beside the running text: footnotes, captions, tables.

They are told from the text line by line, before paragraphs are made, so that none ends up in the middle of
a sentence that goes on below it.
"""

# ruff: noqa: RUF001 - the characters are meant as they are
from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from search.documents.formulas import mathematical
from search.documents.lines import TextLine
from search.documents.runs import SAME_SIZE_RAISED
from search.models import PassageKind

CAPTION = re.compile(
    r"(?:(?:Supplementary|Extended Data)\s+)?"
    r"(?:Fig(?:ure|s?\.)?|FIG(?:URE|S?\.)?|Table|TABLE|Tab\.|Algorithm|ALGORITHM|Listing|Scheme|Box|Plate)\s*"
    r"(?:[A-Z]?\.?-?\d+(?:[.-]\d+)*|[IVXL]+)(?:\s*[(]?[a-z][)]?(?![a-z]))?\s*(?P<mark>[.:|–—-]|$)?"
)
_FOOTNOTE_START = re.compile(r"[\[(]?(?:\d{1,3}|[*∗⋆†‡§¶‖∥]{1,3}|[a-z])[\])]?\s*\S")
_NOTE_NUMBER = re.compile(r"(\d{1,3})[.)]?\s+\S")
#: Marks that open a note wherever they stand: some classes print them on the line and as large as the note.
_SYMBOL = re.compile("[*∗⋆†‡§¶‖∥]{1,3}")
_NUMBERED_FORMULA = re.compile(r"[=<>≤≥∼≈].*\([A-Z]?\d+[.\d]*\)$|^\([A-Z]?\d+[.\d]*\).*[=<>≤≥∼≈]")
_SENTENCE_END = re.compile(r"[.!?:][\"'”’)\]]*$")

#: Footnotes and captions are set smaller than the body by at least this ratio (9 on 10 points).
SMALLER = 0.93
#: A row of a table comes in so many pieces; two are a line with a wide gap.
_CELLS = 3
#: So many rows in two cells beside a caption are a table.
_ROWS = 2
#: Sizes between the baselines of two lines, from which on they are not one stretch of footnotes: TeX's notes
#: stand 1.2 to 1.6 apart, an abstract after its authors' addresses 4.
_NOTES_APART = 2.5
#: In the text's leadings: in wide spacing captions are set as wide as it, in any size (REVTeX's preprints).
_AS_THE_TEXT = 1.05
#: A character's width, as a share of the size.
_CHARACTER = 0.5
#: Lines that a note without a mark has at most; IEEE's, with its authors' addresses, has up to fifteen.
_LONGEST_UNMARKED = 20
#: Below a number alone on its line the caption's words are slanted, and a line may be left free between them.
_SLANTED, _BELOW_LABEL = 0.6, 2.6
#: Share of a list's lines that begin with raised numbers from which on those are its labels.
_LABELS = 0.1
#: Sizes between two rows of a table, from which on what is wider than the table is the text below it.
_TABLE_STEP = 2.5
#: Share of characters in fonts of formulas from which on a line is a formula, and no row of a table.
_FORMULA = 0.4


#: The raised marks of a paper, each with its page.
Called = AbstractSet[tuple[int, str]]


def kinds_of(
    lines: Sequence[TextLine],
    body_size: float,
    leading: float = 0.0,
    called: Called = frozenset(),
    following: TextLine | None = None,
) -> list[PassageKind]:
    """Return what each line is: "footnote", "caption", "table", or "text" for the running text.

    Args:
        lines: of one section.
        body_size: of the paper's text.
        leading: its usual distance of two baselines; 0 for single spacing.
        called: the paper's raised marks (see `called_notes`).
        following: the line after them, of a heading.
    """
    kinds: list[PassageKind] = ["text"] * len(lines)
    for index in footnotes(lines, body_size, called, following):
        kinds[index] = "footnote"
    _mark_captions(lines, kinds, body_size, leading)
    _mark_tables(lines, kinds, body_size)
    _mark_at_captions(lines, kinds)
    return kinds


def kinds_in_list(
    lines: Sequence[TextLine], called: Called = frozenset(), leading: float = 0.0
) -> list[PassageKind]:
    """Return what each line of a reference list is: floats and footnotes stand among its entries as well.

    A table's rows count beside its caption only: an entry with wide gaps looks like a row.
    """
    kinds: list[PassageKind] = ["text"] * len(lines)
    sizes = Counter(round(line.size, 1) for line in lines)
    if not sizes:
        return kinds
    size = sizes.most_common(1)[0][0]
    raised = sum(bool(line.marks) and line.marks[0][0] == 0 for line in lines)
    for index in footnotes(lines, size, called):
        # Where entries begin with raised numbers, the last one looks like a note as large as they are.
        if lines[index].size <= SMALLER * size or raised < _LABELS * len(lines):
            kinds[index] = "footnote"
    _mark_captions(lines, kinds, size, leading)
    _mark_at_captions(lines, kinds)
    return kinds


def _mark_captions(
    lines: Sequence[TextLine], kinds: list[PassageKind], body_size: float, leading: float
) -> None:
    index = 0
    while index < len(lines):
        if kinds[index] != "text" or not is_caption(lines, index, body_size, leading):
            index += 1
            continue
        kinds[index] = "caption"
        end = index + 1
        while end < len(lines) and kinds[end] == "text" \
                and _caption_goes_on(lines, index, end, body_size, leading):  # fmt: skip
            kinds[end] = "caption"
            end += 1
        index = end


def is_caption(lines: Sequence[TextLine], index: int, body_size: float, leading: float = 0.0) -> bool:
    """Return whether a caption begins with this line, and not a sentence that begins with "Figure 3"."""
    line = lines[index]
    match = CAPTION.match(line.text)
    if not match or not line.text[0].isupper():
        return False
    mark = match["mark"] or ""
    if (
        mark == ""
        and match.end() < len(line.text.rstrip())
        and line.text[match.end() :].lstrip()[:1].islower()
    ):
        return False  # "Figure 3 shows …"
    apart = not _stands_below(lines[index - 1] if index else None, line, max(1.5 * line.size, 1.2 * leading))
    if mark in {".", ":", "|", "–", "—", "-"}:
        return apart or mark in {":", "|"} or line.size <= SMALLER * body_size or _begins_bold(line)
    return apart and (
        line.size <= SMALLER * body_size or _begins_bold(line) or match.end() >= len(line.text.rstrip())
    )


def _begins_bold(line: TextLine) -> bool:
    return line.spans[0].bold


def _stands_below(previous: TextLine | None, line: TextLine, furthest: float) -> bool:
    """Return whether a line follows another without a gap, in the same column and size, as text does."""
    if previous is None or not _same_column(previous, line):
        return False
    step = line.baseline - previous.baseline
    return 0 < step < furthest and abs(previous.size - line.size) < 0.3


def _caption_goes_on(
    lines: Sequence[TextLine], start: int, end: int, body_size: float, leading: float
) -> bool:
    """Return whether a caption's text goes on with the line at `end`."""
    first, previous, line = lines[start], lines[end - 1], lines[end]
    if (
        not (_same_column(previous, line) or _is_above_wide(previous, line))
        or CAPTION.match(line.text)
        or not (_one_size(previous, line) or _is_small_label(previous, line))
        or (_may_be_head(line, previous) and not _fills(line, previous))
    ):
        return False
    step = line.baseline - previous.baseline
    spaced = _AS_THE_TEXT * leading
    if _is_label(first) and line.italic > _SLANTED:
        return 0 < step < max((_BELOW_LABEL if end == start + 1 else 1.5) * line.size, spaced)
    usual = lines[start + 1].baseline - first.baseline if end > start + 1 else 1.5 * line.size
    if not 0 < step < max(1.25 * min(usual, 1.7 * line.size), 1.3 * line.size, spaced):
        return False
    # A gap of a line after the end of a sentence is the end of the caption, in the body's size even less.
    closed = bool(_SENTENCE_END.search(previous.text)) and _has_room(
        previous, line, max(other.x1 for other in lines[start:end])
    )
    if closed and end > start + 1:
        return False
    return not (closed and line.size > SMALLER * body_size and line.x0 > first.x0 + 0.8 * line.size)


def _has_room(line: TextLine, below: TextLine, right: float) -> bool:
    """Return whether the next line's first word had fitted on a line; ragged lines end early."""
    word = below.text.split(maxsplit=1)[0]
    return line.x1 + max(2.0, _CHARACTER * (len(word) + 1)) * line.size < right


def _is_label(line: TextLine) -> bool:
    """Return whether a caption's line is its number alone: the American Psychological Association's are."""
    match = CAPTION.match(line.text)
    return match is not None and match.end() == len(line.text)


def _is_small_label(line: TextLine, below: TextLine) -> bool:
    """Return whether a line is a caption's number alone in small capitals, above words of the usual size."""
    return line.text.isupper() and line.size < below.size and _is_label(line)


def _is_above_wide(line: TextLine, below: TextLine) -> bool:
    """Return whether a number alone stands at the left, above words that run over both columns."""
    return line.page == below.page and abs(line.x0 - below.x0) < line.size and _is_label(line)


def _may_be_head(line: TextLine, previous: TextLine) -> bool:
    """Return whether a line below a caption's is in cells, as the first row of its table."""
    return is_row(line) or (line.pieces > 1 and bool(_SENTENCE_END.search(previous.text)))


def _fills(line: TextLine, previous: TextLine) -> bool:
    """Return whether a line of many pieces is a justified one of the same text, and no row of a table."""
    return (
        line.block == previous.block
        and abs(line.x0 - previous.x0) < line.size
        and abs(line.x1 - previous.x1) < line.size
        and line.size == previous.size
    )


def _one_size(line: TextLine, other: TextLine) -> bool:
    """Return whether two lines are of one size; small capitals made of smaller capitals come in two."""
    sizes, others = [line.size], [other.size]
    if line.text.isupper() and other.text.isupper():
        sizes += [span.size for span in line.spans]
        others += [span.size for span in other.spans]
    return any(abs(one - another) < 0.08 * another for one in sizes for another in others)


def _mark_tables(lines: Sequence[TextLine], kinds: list[PassageKind], body_size: float) -> None:
    """Mark rows that come in cells and stand together; what stands between two of them belongs to them."""
    rows = _rows(lines, kinds)
    index = 0
    while index < len(lines):
        if not rows[index]:
            index += 1
            continue
        end, found = index + 1, 1
        last = index
        while (
            end < len(lines)
            and end - last <= 3
            and kinds[end] == "text"
            and _same_column(lines[last], lines[end])
        ):
            step = abs(lines[end].baseline - lines[last].baseline)
            if found > 1 and step > _TABLE_STEP * body_size and _is_outside(lines[end], lines[index:last]):
                break
            if rows[end] and step < 5 * body_size:
                last, found = end, found + 1
            elif not _may_be_cell(lines[end]):
                break
            end += 1
        if found >= 2:
            first, last = _with_edges(lines, kinds, index, last)
            for position in range(first, last + 1):
                kinds[position] = "table"
        index = last + 1


def _rows(lines: Sequence[TextLine], kinds: Sequence[PassageKind]) -> list[bool]:
    """Return which lines can be rows: none that goes on with a paragraph, as wide as the line before it."""
    rows = [False] * len(lines)
    prose = False
    for index, (line, kind) in enumerate(zip(lines, kinds, strict=True)):
        prose = kind == "text" and (line.pieces == 1 or (prose and _fills(line, lines[index - 1])))
        rows[index] = not prose and line.pieces >= _CELLS and kind == "text" and is_row(line)
    return rows


def _is_outside(line: TextLine, rows: Sequence[TextLine]) -> bool:
    """Return whether a line reaches out over a table, as the text around it does; cells may on one side."""
    begins = line.x0 < min(row.x0 for row in rows) - line.size
    return begins and (line.pieces == 1 or line.x1 > max(row.x1 for row in rows) + line.size)


def is_row(line: TextLine) -> bool:
    """Return whether a line comes in three cells or more, and holds little prose and no formula's signs."""
    if line.pieces < _CELLS or (_NUMBERED_FORMULA.search(line.text)):
        return False
    if mathematical(line) > _FORMULA:
        return False
    tokens = line.text.split()
    prose = sum(token.strip(".,;:()").islower() and len(token) > 2 for token in tokens)
    signs = sum(token in {"=", "+", "−", "≤", "≥", "→", "∈", "∼", "<", ">"} for token in tokens)
    return prose < 0.5 * len(tokens) and signs < 0.2 * len(tokens)


def _may_be_cell(line: TextLine) -> bool:
    words = [token for token in line.text.split() if token.isalpha() and len(token) > 2]
    return line.pieces == 2 or (
        len(line.text) < 40 and len(words) <= 5 and not _SENTENCE_END.search(line.text)
    )


def _with_edges(
    lines: Sequence[TextLine], kinds: Sequence[PassageKind], first: int, last: int
) -> tuple[int, int]:
    """Return the table with the lines of two cells right above and below it (heads, totals)."""

    def joins(near: TextLine, line: TextLine) -> bool:
        return (
            line.pieces >= 2
            and not (line.pieces == 2 and _SENTENCE_END.search(line.text))
            and _same_column(near, line)
            and abs(near.baseline - line.baseline) < 2.2 * near.size
        )

    while first and kinds[first - 1] == "text" and joins(lines[first], lines[first - 1]):
        first -= 1
    while last + 1 < len(lines) and kinds[last + 1] == "text" and joins(lines[last], lines[last + 1]):
        last += 1
    return first, last


_TABLE = re.compile(r"(?:Table|TABLE|Tab\.)")


def _mark_at_captions(lines: Sequence[TextLine], kinds: list[PassageKind]) -> None:
    """Mark tables of two columns, and heads of others: what stands in cells right at a caption."""
    for index, kind in enumerate(kinds):
        if kind != "caption":
            continue
        first = not (index and kinds[index - 1] == "caption") or bool(CAPTION.match(lines[index].text))
        last = index + 1 == len(lines) or kinds[index + 1] != "caption"
        start = index
        while start and kinds[start - 1] == "caption" and not CAPTION.match(lines[start].text):
            start -= 1
        if not _TABLE.match(lines[start].text):
            continue
        stretches = ([_cells(lines, kinds, index, -1)] if first else []) + (
            [_cells(lines, kinds, index, 1)] if last else []
        )
        for stretch in stretches:
            if sum(lines[i].pieces >= 2 for i in stretch) >= _ROWS:
                for i in stretch:
                    kinds[i] = "table"


def _cells(lines: Sequence[TextLine], kinds: Sequence[PassageKind], at: int, step: int) -> list[int]:
    """Return the lines next to a caption that can be a table's, as far as the last one in cells."""
    found: list[int] = []
    index = at + step
    while 0 <= index < len(lines) and kinds[index] in {"text", "table"}:
        near, line = lines[index - step], lines[index]
        distance = abs(line.baseline - near.baseline)
        if lines[at].page != line.page or distance > 3 * line.size or not _is_cell(line):
            break
        found.append(index)
        index += step
    while found and lines[found[-1]].pieces < 2 and kinds[found[-1]] != "table" and found[-1] != at + step \
            and lines[found[-1]].size > lines[at].size + 0.5:  # fmt: skip
        found.pop()
    return found


def _is_cell(line: TextLine) -> bool:
    """Return whether a line can be a table's row or cell: hardly a word of prose, no end of a sentence."""
    words = [token for token in line.text.split() if token.islower() and token.isalpha() and len(token) > 2]
    return (
        len(words) <= (4 if line.pieces >= 2 else 3)
        and len(line.text) < 90
        and not (line.pieces == 1 and _SENTENCE_END.search(line.text))
        and mathematical(line) <= _FORMULA
    )


def footnotes(
    lines: Sequence[TextLine],
    body_size: float,
    called: Called = frozenset(),
    following: TextLine | None = None,
) -> set[int]:
    """Return the indices of lines that are footnotes: small print at the bottom of a column, after a mark."""
    found: set[int] = set()
    end = len(lines)
    while end:
        start = end - 1
        while start and _same_column(lines[start - 1], lines[end - 1]):
            start -= 1
        below = lines[end] if end < len(lines) else following
        if below and _stands_above(lines[end - 1], below):  # addresses and an abstract, over both columns
            end = start
            continue
        first = end
        while first > start and lines[first - 1].size <= SMALLER * body_size \
                and (first == end or _close_above(lines[first - 1], lines[first])):  # fmt: skip
            first -= 1
        if first > start or first == end or first == start == 0 or opens_footnote(lines[first], called):
            opening = first
            while opening < end and not opens_footnote(lines[opening], called):
                opening += 1
            # What the section ends with can be an abstract, in small print as well.
            if start < first < opening and end < len(lines) and _without_mark(lines, first, opening):
                opening = first
            found.update(range(opening, end))
        found.update(_of_full_size(lines, start, end))
        end = start
    return found


def _stands_above(line: TextLine, below: TextLine) -> bool:
    """Return whether text goes on below a line, on its page."""
    return (
        line.page == below.page
        and line.baseline < below.baseline
        and line.x0 < below.x1
        and below.x0 < line.x1
    )


def _without_mark(lines: Sequence[TextLine], first: int, end: int) -> bool:
    """Return whether small print is the first page's note on its authors or on support, which has no mark."""
    line, above = lines[first], lines[first - 1]
    return (
        line.page == 1
        and end - first <= _LONGEST_UNMARKED
        and line.baseline - above.baseline > 1.5 * above.size
        and not CAPTION.match(line.text)
        and all(other.pieces == 1 for other in lines[first:end])
    )


def _close_above(line: TextLine, below: TextLine) -> bool:
    """Return whether two lines can be of one stretch of notes: addresses and an abstract stand apart."""
    return below.baseline - line.baseline < _NOTES_APART * max(line.size, below.size)


def _of_full_size(lines: Sequence[TextLine], start: int, end: int) -> range:
    """Return a column's last lines that are a footnote as large as the text: below a gap, after a mark."""
    for index in range(end - 1, max(start, end - 8), -1):
        line, above = lines[index], lines[index - 1]
        below = lines[index + 1].baseline - line.baseline if index + 1 < end else 0.0
        if below > 1.5 * line.size or below < 0:
            break
        first = line.spans[0]
        mark = first.text.strip()
        if (
            opens_footnote(line)
            and first.size < 0.8 * line.size
            and (mark.isdigit() or _SYMBOL.fullmatch(mark))
            and line.baseline - above.baseline > 1.6 * line.size
        ):
            return range(index, end)
    return range(0)


def called_notes(lines: Iterable[TextLine]) -> Called:
    """Return the raised marks of a text, each with its page: what notes at the foot of that page answer."""
    return frozenset((line.page, mark.strip(" ,.")) for line in lines for at, mark in line.marks if at > 0)


def opens_footnote(line: TextLine, called: Called = frozenset()) -> bool:
    """Return whether a line begins with a footnote's mark: raised, or on the line and small.

    Args:
        line: in small print.
        called: see `called_notes`. A number of these may stand on the line, as large as the note: "1. See …".
    """
    first = next((span for span in line.spans if span.text.strip()), None)
    if first is None:
        return False
    if _SYMBOL.fullmatch(first.text.strip()):
        return True
    if called and (number := _NOTE_NUMBER.match(line.text)) and (line.page, number[1]) in called:
        return True
    if first.text.strip() in {"(", "["} and line.marks and line.marks[0][0] == 0:
        return bool(_FOOTNOTE_START.fullmatch(line.marks[0][1] + "x"))
    above = line.baseline - first.baseline > SAME_SIZE_RAISED[0] * line.size
    raised = first.size < 0.9 * line.size or first.raised_hint or (first.size < line.size and above)
    return raised and bool(_FOOTNOTE_START.match(first.text.strip() + "x"))


def _same_column(one: TextLine, other: TextLine) -> bool:
    return (one.page, one.column) == (other.page, other.column)
