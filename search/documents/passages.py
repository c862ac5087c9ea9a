"""Passages: verbatim stretches of one section, 1,000 to 1,500 characters, with their boxes on the pages."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter

from search.documents.joining import LineAt, text_of
from search.documents.lines import TextLine
from search.documents.paragraphs import Paragraph
from search.documents.sentences import sentences
from search.documents.statements import STATED
from search.models import Box, PassageKind

#: Bounds of a passage in characters. The last one of a section may be shorter.
SHORTEST, LONGEST = 1000, 1500
#: A block that has to be cut is repeated by so many characters, at most, in the next passage.
OVERLAP = 200
#: A gap of so many sizes between two lines holds a picture, a table or a footnote's rule.
_FLOAT = 3.0
#: Prose has so many characters, and so many words in small letters and a sentence's end, or many words; it
#: stands among so many paragraphs from a section's title on. Of 2,827 headings missed on purpose passages go
#: over 25 with 60 or 30 characters and 43 with 100; of 112 papers' passages 93 are under 150 characters with
#: 30, and 42 with 100.
_SENTENCE, _WORDS, _MANY, _AHEAD = 60, 3, 8, 4
_SMALL_WORD = re.compile(r"(?<![^\s(])[a-z]{3,}")
_END = re.compile(r"[^\W_]\s?[.?!:](?:\s|$)|[)\]]\s?\.(?:\s|$)")
#: Between two paragraphs.
BREAK = "\n\n"


@dataclass(frozen=True, slots=True)
class Piece:
    """A passage before it has its place in the paper."""

    text: str
    kind: PassageKind
    page: int
    boxes: tuple[Box, ...]
    #: Where each printed line went: offsets in `text`.
    lines: tuple[LineAt, ...] = ()


def passages(paragraphs: Sequence[Paragraph], vocabulary: frozenset[str]) -> list[Piece]:
    """Return the passages of one section: its running text first, then captions, tables and footnotes.

    Running text is cut between paragraphs where that gives a passage of the right length, else between
    sentences, and then the next passage repeats up to `OVERLAP` characters.
    """
    pieces: list[Piece] = []
    for group in _together(paragraphs):
        pieces += _pieces(group, vocabulary)
    return pieces


def _together(paragraphs: Sequence[Paragraph]) -> Iterator[list[Paragraph]]:
    """Yield what is cut as one: running text as far as it goes; each statement, caption, table; the notes."""
    group: list[Paragraph] = []
    notes: list[Paragraph] = []
    for at, paragraph in enumerate(paragraphs):
        if paragraph.kind == "footnote":
            notes.append(paragraph)
            continue
        if paragraph.kind == "text":
            goes_on = not (paragraph.apart and _divides_prose(group, paragraphs[at : at + _AHEAD]))
        else:
            goes_on = paragraph.kind in STATED and not paragraph.opens
        if group and not (goes_on and group[-1].kind == paragraph.kind):
            yield group
            group = []
        group.append(paragraph)
    for rest in (group, notes):
        if rest:
            yield rest


def _divides_prose(group: Sequence[Paragraph], following: Sequence[Paragraph]) -> bool:
    """Return whether prose stands before and soon after a line that may open a section.

    What is printed in plots and tables looks like titles, again and again, and is none.
    """
    return _is_written(following) and _is_written(group)


def _is_written(paragraphs: Sequence[Paragraph]) -> bool:
    text = " ".join(line.text for paragraph in paragraphs for line in paragraph.lines)
    words = len(_SMALL_WORD.findall(text))
    return len(text) >= _SENTENCE and (words >= _MANY or (words >= _WORDS and bool(_END.search(text))))


def _pieces(group: Sequence[Paragraph], vocabulary: frozenset[str]) -> list[Piece]:
    parts: list[str] = []
    places: list[LineAt] = []
    starts: list[int] = []
    at = 0
    for paragraph in group:
        text, lines = text_of(paragraph.lines, vocabulary, at)
        if not text:
            continue
        starts.append(at)
        parts.append(text)
        places += lines
        at += len(text) + len(BREAK)
    whole = BREAK.join(parts)
    kinds = {paragraph.kind for paragraph in group}
    kind: PassageKind = kinds.pop() if len(kinds) == 1 else "text"
    found = []
    for start, end in cuts(whole, starts):
        first = bisect_right(places, start, key=_END_OF)
        last = bisect_left(places, end, first, key=_START_OF)
        found.append(_piece(whole, start, end, places[first:last], kind))
    return found


_START_OF, _END_OF = attrgetter("start"), attrgetter("end")


def _piece(whole: str, start: int, end: int, lines: Sequence[LineAt], kind: PassageKind) -> Piece:
    inside = [LineAt(place.start - start, place.end - start, place.line) for place in lines]
    # A passage can begin and end within a line.
    inside[0].start = max(inside[0].start, 0)
    inside[-1].end = min(inside[-1].end, end - start)
    return Piece(whole[start:end], kind, lines[0].line.page, boxes_of(lines), tuple(inside))


def boxes_of(places: Sequence[LineAt]) -> tuple[Box, ...]:
    """Return the boxes of the lines in reading order, one for each stretch of a column without a float."""
    found: list[tuple[int, list[TextLine]]] = []
    last: TextLine | None = None
    for place in places:
        line = place.line
        if last is None or (line.page, line.column) != (last.page, last.column) or _is_far(last, line):
            found.append((line.page, []))
        found[-1][1].append(line)
        last = line
    return tuple(
        Box(
            page=page,
            x0=round(min([line.x0 for line in lines]), 1),
            y0=round(min([line.y0 for line in lines]), 1),
            x1=round(max([line.x1 for line in lines]), 1),
            y1=round(max([line.y1 for line in lines]), 1),
        )
        for page, lines in found
    )


def _is_far(before: TextLine, line: TextLine) -> bool:
    """Return whether something else stands between two lines of one column, or the second is above."""
    gap = line.y0 - before.y1
    return gap > _FLOAT * line.size or line.y1 < before.y0 - line.size


def cuts(text: str, starts: Sequence[int]) -> list[tuple[int, int]]:
    """Return the (start, end) of the passages of a text whose paragraphs begin at `starts`."""
    found: list[tuple[int, int]] = []
    at = 0
    while len(text) - at > LONGEST:
        rest = len(text) - at
        target = at + min(max(rest / -(-rest // LONGEST), SHORTEST), LONGEST)
        low, high = at + SHORTEST, at + LONGEST
        breaks = [start for start in starts if low <= start - len(BREAK) <= high]
        if breaks:
            at_next = min(breaks, key=lambda start: abs(start - target))
            found.append((at, at_next - len(BREAK)))
            at = at_next
            continue
        end = _cut(text, low, high, target)
        found.append((at, end))
        block = starts[bisect_right(starts, end - 1) - 1]
        at = _resume(text, end, floor=max(block, at + 1))
    if text[at:].strip():
        found.append((at, len(text)))
    return found


def _cut(text: str, low: int, high: int, target: float) -> int:
    """Return where to cut: after the sentence that ends nearest to the target, else after a word."""
    window = low - OVERLAP
    ends = [window + end for _, end in sentences(text[window : high + 40])]
    # A sentence that the window itself cut off does not end there.
    ends = [end for end in ends if low <= end <= high]
    if ends:
        return min(ends, key=lambda end: abs(end - target))
    space = text.rfind(" ", low, high + 1)
    return space if space > 0 else high


def _resume(text: str, end: int, floor: int) -> int:
    """Return where the next passage begins: at a sentence at most `OVERLAP` before `end`.

    Where none begins there: at `end` if a sentence ends there, else at a word, so that the halves of a
    sentence that is too long overlap.
    """
    begin = max(end - OVERLAP, floor)
    window = sentences(text[begin:end])
    later = [begin + start for start, _ in window[1:]]
    if later:
        return later[0]
    if begin > floor and _ends_sentence(text, end):
        return end + len(text[end:]) - len(text[end:].lstrip())
    if begin == floor:
        return begin
    space = text.find(" ", begin, end)
    return space + 1 if space >= 0 else begin


def _ends_sentence(text: str, end: int) -> bool:
    """Return whether a sentence ends at `end`: the text around it is cut there too."""
    start = max(0, end - OVERLAP)
    return any(start + stop == end for _, stop in sentences(text[start : end + 40]))


def split_passage(text: str, fits: Callable[[str], bool]) -> list[str]:
    """Return `text` in parts that fit, cut between sentences, else between words, else anywhere.

    Every part is a verbatim substring of `text`, in order and without overlap; only space is lost
    between them. A single character that does not fit is returned as it is.

    Args:
        text: a passage.
        fits: whether a part is short enough (for a model's token limit, say); what fits must still fit
            when it is made shorter.
    """
    text = text.strip()
    if not text or fits(text):
        return [text] if text else []
    ends = [end for _, end in sentences(text)][:-1]
    if not ends:
        ends = [
            index for index in range(1, len(text)) if text[index].isspace() and not text[index - 1].isspace()
        ]
    if not ends:
        ends = list(range(1, len(text)))
    if not ends:
        return [text]
    end = _longest(text, ends, fits)
    return split_passage(text[:end], fits) + split_passage(text[end:], fits)


def _longest(text: str, ends: Sequence[int], fits: Callable[[str], bool]) -> int:
    """Return the last of the ends up to which the text fits, by halving; the first where none does."""
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high) // 2
        if fits(text[: ends[middle]]):
            low = middle + 1
        else:
            high = middle
    return ends[max(low - 1, 0)]
