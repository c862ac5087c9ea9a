"""Run-in headings: "5.1. Invariants of curves. One natural …", with the text on the heading's line.

Three sorts are cut from their text: numbered ones in another style than the text; numbered ones whose title
ends on the second or third line; and bold, slanted or small-capital ones without a number, where they stand
as headings do: at the column's edge, below a gap, and so throughout the paper.
"""

# ruff: noqa: RUF001 - the characters are meant as they are
from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from search.documents.edges import Edges, edges_of
from search.documents.lines import TextLine, split_line
from search.documents.pages import Span
from search.documents.style import BodyStyle

#: Of level 2 and deeper: "5.1.", "C.2", and "1)" as it stands below lettered sections.
_NUMBERED = re.compile(
    r"(?:\d{1,2}(?:\.\d{1,2}){1,3}\.?|[A-Z]\d{0,2}(?:\.\d{1,2}){1,3}\.?|(?P<list>\d{1,2}\)))\s+\S"
)
#: What is bold at the beginning of a paragraph and is no heading.
_NO_HEADING = re.compile(
    r"(?:(?:(?:Main|Key|Technical)\s+)?(?:Theorem|Lemma|Proposition|Corollary|Definition|Remark|Claim|Conjecture"
    r"|Assumption|Hypothesis|Notation|Convention|Example|Proof|Case|Step|Exercise|Question|Problem|Fact"
    r"|Observation|Property|Algorithm|Construction)s?\s*(?:$|[.:(\d]|[A-Z]?\.?\d|[A-Z]\b)"
    r"|(?:Fig|Tab|Figure|Table|Algorithm|Listing|Scheme|Plate)s?\b\.?\s*[\dIVX]"
    r"|Abstract\b|Summary\b|Key\s?words?\b|Index Terms|Proof\b|MSC\b|PACS\b|CCS\b|JEL\b|Note\b|[QA]\d*[.:])",
    re.IGNORECASE,
)
#: In the names of fonts: CMCSC10, LMRomanCaps10, LinLibertineTSC.
_SMALL_CAPITALS = re.compile(r"csc|caps|smcp|sc(?:\d|$|-)", re.IGNORECASE)
_TERMINAL = (".", ":", "?", "!")
#: What ends a title that runs in where papers are set in the French manner: "Invariants. — One natural …".
_DASHED = re.compile(r"[.:?!]\s*[—–]$")
#: The same in the text's own font, before the text.
_DASH_BEFORE_TEXT = re.compile(r"\s*[.:]\s*[—–](?=\s*\S)")
_LONGEST_TITLE, _MOST_LINES = 150, 3
#: The most by which a bold title is set in, in sizes: an em. Further in stand terms and items.
_PARAGRAPH = 1.1
#: In leadings. Between paragraphs 1.0 to 1.2 in eight document classes, above run-in headings 1.5 and more.
_GAP_ABOVE = 1.35
#: Of the bold beginnings of paragraphs, the share that has to stand as headings do.
_CONSISTENT = 0.6

#: Points between the edges at which two headings of one sort begin; those of two columns are told apart.
_SAME_EDGE = 2.0

#: Font, and whether it is bold.
Face = tuple[str, bool]


@dataclass(frozen=True, slots=True)
class _Look:
    """How a numbered title that runs in is set."""

    face: Face
    #: The full stop or colon at its end.
    mark: str
    x0: float
    below_gap: bool


def split_run_in(lines: Sequence[TextLine], body: BodyStyle) -> list[TextLine]:
    """Return the lines; where one begins with a heading in another style, heading and text apart."""
    for line in lines:
        if "—" in line.text:
            _set_dash_apart(line)
    numbered, looks = _numbered(lines, body)
    cuts = {**_unnumbered(lines, body), **_like_numbered(lines, body, looks), **numbered}
    found: list[TextLine] = []
    for index, line in enumerate(lines):
        if index not in cuts:
            found.append(line)
            continue
        heading, rest = split_line(line, cuts[index])
        found += [heading, rest] if heading.text and rest.text else [line]
    return found


def _set_dash_apart(line: TextLine) -> None:
    """Make a full stop and dash that stand before text in its own font a span of their own."""
    for number, span in enumerate(line.spans):
        dash = _DASH_BEFORE_TEXT.match(span.text) if number else None
        if dash:
            # The width is an estimate: nothing but the edges of the halves hangs on it.
            middle = span.x0 + (span.x1 - span.x0) * dash.end() / len(span.text)
            mark = replace(span, text=dash[0], x1=middle)
            rest = replace(span, text=span.text[dash.end() :], x0=middle)
            line.spans = [*line.spans[:number], mark, rest, *line.spans[number + 1 :]]
            return


def is_run_in(lines: Sequence[TextLine], end: int) -> bool:
    """Return whether text goes on right of a heading that ends before `lines[end]`, on the same line."""
    if not 0 < end < len(lines):
        return False
    last, after = lines[end - 1], lines[end]
    # What was cut in two has one top and bottom; the cells of a table's row seldom do, and stand apart.
    return (last.page, last.column, last.block, last.y0, last.y1) == (
        after.page,
        after.column,
        after.block,
        after.y0,
        after.y1,
    ) and last.x1 - 1.0 <= after.x0 < last.x1 + 2.0 * last.size


def _numbered(lines: Sequence[TextLine], body: BodyStyle) -> tuple[dict[int, int], list[_Look]]:
    """Return where lines that begin with a numbered heading are cut, before which span, and their looks."""
    cuts: dict[int, int] = {}
    looks: list[_Look] = []
    for index, line in enumerate(lines):
        match = _NUMBERED.match(line.text)
        if not match:
            continue
        title = next((span for span in line.spans if _is_word(span)), line.spans[0])
        if match["list"] and (_face(line.spans[0]) != _face(title) or title.font == body.font):
            continue  # an item of a list, of which only the first words are set off
        cut = _end_of_title(lines, index, _face(title), body, pointed=True)
        if cut and title.font != body.font:
            looks.append(
                _Look(_face(title), _mark_before(lines, cut), line.x0, _is_below_gap(lines, index, body))
            )
        if not cut and not match["list"] and title.font != body.font:
            # "5.3.2.1 In metric spaces Now we …": some classes set no full stop after what runs in.
            cut = _end_of_title(lines, index, _face(title), body, pointed=False)
        if cut:
            cuts[cut[0]] = cut[1]
    return cuts, looks


def _like_numbered(lines: Sequence[TextLine], body: BodyStyle, looks: Sequence[_Look]) -> dict[int, int]:
    """Return where titles without a number end that are set just as numbered ones of the same paper.

    Font, full stop or colon, and gap above are those of a numbered one, and so is the edge where it begins.
    """
    faces = {look.face for look in looks}
    cuts = {}
    for index, line in enumerate(lines):
        first = line.spans[0]
        if (first.font, first.bold) not in faces or not _may_begin(line):
            continue
        if index and _face(lines[index - 1].spans[-1]) == _face(first):
            continue
        cut = _end_of_title(lines, index, _face(first), body, pointed=True)
        if not cut or not _is_title(lines[cut[0]], cut[1], cut[0] > index, numbered=False):
            continue
        mark, below_gap = _mark_before(lines, cut), _is_below_gap(lines, index, body)
        if any(
            (look.face, look.mark) == (_face(first), mark)
            and abs(look.x0 - line.x0) < _SAME_EDGE
            and (below_gap or not look.below_gap)
            for look in looks
        ):
            cuts[cut[0]] = cut[1]
    return cuts


def _mark_before(lines: Sequence[TextLine], cut: tuple[int, int]) -> str:
    """Return the last letter before a cut."""
    return "".join(span.text for span in lines[cut[0]].spans[: cut[1]]).strip()[-1:]


def _is_below_gap(lines: Sequence[TextLine], index: int, body: BodyStyle) -> bool:
    return (
        _opens_column(lines, index)
        or lines[index].baseline - lines[index - 1].baseline > _GAP_ABOVE * body.leading
    )


def _unnumbered(lines: Sequence[TextLine], body: BodyStyle) -> dict[int, int]:
    """Return where bold headings without a number end, if bold beginnings stand as headings throughout."""
    columns: dict[tuple[int, int], Edges] = {}
    cuts: dict[Face, dict[int, int]] = {}
    others: dict[Face, int] = {}
    below_gap: set[Face] = set()
    for index, line in enumerate(lines):
        first = line.spans[0]
        light = not first.bold and (first.italic or bool(_SMALL_CAPITALS.search(first.font)))
        if not (first.bold or light) or first.font == body.font or not _may_begin(line):
            continue
        if index and _face(lines[index - 1].spans[-1]) == _face(first):
            continue  # the second line of a title, or of a sentence in bold
        cut = _end_of_title(lines, index, _face(first), body, pointed=light)
        if not cut or (light and not _is_title(lines[cut[0]], cut[1], cut[0] > index, numbered=False)):
            continue
        if abs(line.size - body.size) > 0.05 * body.size:
            continue  # small print says nothing of the text
        columns = columns or edges_of(lines)
        if _stands_apart(lines, index, body, columns):
            cuts.setdefault(_face(first), {})[cut[0]] = cut[1]
            if not _opens_column(lines, index):
                below_gap.add(_face(first))
        else:
            others[_face(first)] = others.get(_face(first), 0) + 1
    chosen: dict[int, int] = {}
    for face, places in cuts.items():
        # At the top of a column nothing shows a gap; elsewhere in the paper one has to be seen.
        if face in below_gap and len(places) >= _CONSISTENT * (len(places) + others.get(face, 0)):
            chosen.update(places)
    return chosen


def _may_begin(line: TextLine) -> bool:
    text = line.text
    return text[:1].isupper() and not _NO_HEADING.match(text)


def _stands_apart(
    lines: Sequence[TextLine], index: int, body: BodyStyle, columns: Mapping[tuple[int, int], Edges]
) -> bool:
    """Return whether a line begins at its column's edge, or as paragraphs do, below a gap or at the top."""
    line = lines[index]
    edge = columns[line.page, line.column]
    # Where lists fill the column, it begins left of them.
    aside = min(abs(line.x0 - edge.left), line.x0 - edge.outer)
    # What is bold can be set in a little, as paragraphs of narrow columns are.
    most = _PARAGRAPH if line.spans[0].bold else 0.3
    return aside <= most * line.size and _is_below_gap(lines, index, body)


def _opens_column(lines: Sequence[TextLine], index: int) -> bool:
    if not index:
        return True
    before, line = lines[index - 1], lines[index]
    return (before.page, before.column) != (line.page, line.column)


def _end_of_title(
    lines: Sequence[TextLine], index: int, face: Face, body: BodyStyle, *, pointed: bool
) -> tuple[int, int] | None:
    """Return the line on which a title ends, and the first span after it.

    `pointed`: the title ends with a full stop, a colon or a question mark; otherwise where the text's own
    font begins. Formulas in between have fonts of their own.
    """
    length, begun, before = 0, False, ""
    for at in range(index, min(index + _MOST_LINES, len(lines))):
        line = lines[at]
        if at > index and not _goes_on(lines[at - 1], line, body):
            return None
        for number, span in enumerate(line.spans):
            text = span.text.strip()
            if not text:
                continue
            same = _face(span) == face
            ends = span.font == body.font and not span.bold and bool(_WORDS.search(text))
            if pointed and begun and ends and not _ends_title(before):
                return None
            if begun and not same and (_ends_title(before) if pointed else ends):
                numbered = bool(_NUMBERED.match(lines[index].text))
                apart = pointed or _is_title(lines[at], number, at > index, numbered=numbered)
                return (at, number) if number and apart else None
            begun = begun or (same and _is_word(span))
            before = text
            length += len(text)
        if length > _LONGEST_TITLE or not any(_face(span) == face for span in line.spans):
            return None
    return None


def _ends_title(text: str) -> bool:
    return text.endswith(_TERMINAL) or bool(_DASHED.search(text))


def _is_title(line: TextLine, number: int, goes_on: bool, *, numbered: bool) -> bool:
    """Return whether what stands before a span is a title, and what follows it a new sentence.

    Behind a section's number it is no emphasis, and the text may go on with the title's sentence.
    """
    head = "".join(span.text for span in line.spans[:number]).strip()
    rest = "".join(span.text for span in line.spans[number:]).strip()
    long_enough = goes_on or sum(map(str.isalpha, head)) >= 3
    follows = rest[:1] not in ",;:.)—–-" and (numbered or not rest[:1].islower())
    ends = head[-1:] not in ",;-–—" or bool(_DASHED.search(head))
    return long_enough and ends and follows


def _goes_on(previous: TextLine, line: TextLine, body: BodyStyle) -> bool:
    if (previous.page, previous.column) != (line.page, line.column):
        return False
    return 0 < line.baseline - previous.baseline < 1.25 * body.leading


def _is_word(span: Span) -> bool:
    return any(map(str.isalpha, span.text)) and not _NUMBER_ONLY.fullmatch(span.text.strip())


#: What no formula in a title consists of, though its figures are in the text's font.
_WORDS = re.compile(r"[^\W\d_]{2}")
_NUMBER_ONLY = re.compile(r"[A-Z]?[\d.)]+|[A-Z]\.?")


def _face(span: Span) -> Face:
    return span.font, span.bold
