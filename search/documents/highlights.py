"""Where on the page a quote stands."""

# ruff: noqa: RUF001 - the characters are meant as they are
from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from pathlib import Path

from search.documents.big_signs import is_extension
from search.documents.characters import expand
from search.documents.joining import LineAt
from search.documents.pages import Character
from search.documents.passages import Piece
from search.documents.reading import read_placed
from search.errors import UsageError
from search.models import Box, Passage

#: How far letters reach above and below their baseline, in sizes.
_ABOVE, _BELOW = 0.78, 0.24
#: Characters of one span are no further off its baseline, in points: spans that begin with the space after
#: an index have the index's. What stands above one another in a formula is at least three points apart.
_ONE_BASELINE = 2.0


def quote_boxes(source: Path | bytes, ordinal: int, start: int, end: int) -> tuple[Box, ...]:
    """Return the boxes of a quote, one for each printed line that it stands on, in reading order.

    The PDF is read again, and the same PDF gives the same passages as long as `ReadPaper.reader` is the same.

    Args:
        source: the PDF, a path or its bytes.
        ordinal: of the passage, from 1.
        start: where the quote begins in the passage's text, in characters.
        end: where it ends.

    Raises:
        UsageError: the paper has no such passage.
        ReadingError: see `search.documents.read_pdf`.
    """
    from search.documents.pymupdf_reader import PyMuPDFReader

    reader = PyMuPDFReader(source)
    try:
        _, pieces = read_placed(reader)
        if not 1 <= ordinal <= len(pieces):
            raise UsageError(f"there is no passage {ordinal}", advice=f"the paper has {len(pieces)}")
        return boxes_of_range(pieces[ordinal - 1], start, end, reader.characters)
    finally:
        reader.close()


def find_quote(passages: Sequence[Passage], quote: str) -> tuple[int, int, int] | None:
    """Return ordinal, start and end (in characters of its text) of the first passage that has a quote.

    Spaces, ligatures, kinds of dashes, hyphens between letters and the case of the first letter make no
    difference; what is raised or lowered does: "104" is not found in "10^4".
    """
    wanted = "".join(letter for letter, _ in _compared(quote))
    if not wanted:
        return None
    for passage in passages:
        places = _compared(passage.text)
        text = "".join(letter for letter, _ in places)
        start = max(text.find(wanted), text.find(wanted[0].swapcase() + wanted[1:]))
        if start >= 0:
            return passage.ordinal, places[start][1], places[start + len(wanted) - 1][1] + 1
    return None


#: Spaces, brackets of scripts, and the hyphens of words, which may have come at a line's end.
_NOT_COMPARED = re.compile(r"[\s{}\u00ad]|(?<=[^\W\d_])[-\u2010]\s*(?=[^\W\d_])")
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–−", "-"))


def _compared(text: str) -> list[tuple[str, int]]:
    """Return the characters that are compared, each with its place in the text."""
    left_out = {i for match in _NOT_COMPARED.finditer(text) for i in range(*match.span())}
    return [
        (letter, i)
        for i, c in enumerate(text)
        if i not in left_out
        for letter in expand(c).translate(_DASHES)
    ]


def boxes_of_range(
    piece: Piece, start: int, end: int, characters: Callable[[int], Sequence[Character]]
) -> tuple[Box, ...]:
    """Return the boxes of the characters from `start` to `end` of a passage, one for each printed line.

    Args:
        piece: the passage with its lines.
        start: in the passage's text, in characters.
        end: where the quote ends.
        characters: returns those of a page, from 1; called once for each page of the quote.
    """
    pages: dict[int, Sequence[Character]] = {}
    found = []
    for place in piece.lines:
        first, last = max(start, place.start), min(end, place.end)
        if not piece.text[first:last].strip():
            continue
        number = place.line.page
        if number not in pages:
            pages[number] = characters(number)
        box = _box(place, piece.text, first, last, pages[number])
        if box:
            found.append(box)
    return tuple(found)


def _box(place: LineAt, text: str, start: int, end: int, characters: Sequence[Character]) -> Box | None:
    """Return the box of `text[start:end]`, which stands on one line; None where nothing of it is printed.

    The line's text has marks that the page has not (`^{`), and lacks footnote marks that it has, so the two
    are laid beside one another by their letters and digits.
    """
    line = place.line
    printed = [
        (letter, character)
        for span in line.spans
        for character in characters
        if abs(character.baseline - span.baseline) < _ONE_BASELINE
        and span.x0 - 0.5 <= (character.x0 + character.x1) / 2 <= span.x1 + 0.5
        for letter in _letters(character.text)
    ]
    before, wanted = _letters(text[place.start : start]), _letters(text[start:end])
    after = _letters(text[end : place.end])
    chosen = _matched(before + wanted + after, printed, len(before), len(before) + len(wanted))
    if not chosen:
        return None
    x0, x1 = min(character.x0 for character in chosen), max(character.x1 for character in chosen)
    # Large brackets and sums reach into the lines above and below.
    level = [
        span
        for span in line.spans
        if span.x0 < x1 and x0 < span.x1 and span.text.strip() and not is_extension(span.font)
    ]
    top = min((span.baseline - _ABOVE * span.size for span in level), default=line.y0)
    bottom = max((span.baseline + _BELOW * span.size for span in level), default=line.y1)
    return Box(page=line.page, x0=round(x0, 1), y0=round(top, 1), x1=round(x1, 1), y1=round(bottom, 1))


def _letters(text: str) -> str:
    """Return what is compared: letters and digits; of text without any, all that is not space."""
    return "".join(c for c in expand(text) if not c.isspace() and c not in "^_{}-\u00ad")


def _matched(text: str, printed: Sequence[tuple[str, Character]], start: int, end: int) -> list[Character]:
    """Return the printed characters that `text[start:end]` is, those between its first and its last."""
    row = "".join(letter for letter, _ in printed)
    if row == text:
        return [character for _, character in printed[start:end]]
    blocks = SequenceMatcher(None, text, row, autojunk=False).get_matching_blocks()
    at = [
        block.b + i - block.a
        for block in blocks
        for i in range(max(block.a, start), min(block.a + block.size, end))
    ]
    return [character for _, character in printed[min(at) : max(at) + 1]] if at else []
