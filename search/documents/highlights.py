"""Where on the page a quote stands, and pages drawn with what was read from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from search.documents.big_signs import is_extension
from search.documents.characters import expand
from search.documents.joining import LineAt
from search.documents.pages import Character
from search.documents.passages import Piece
from search.documents.reading import read_placed
from search.errors import UsageError
from search.models import Box, ReadPaper

#: Colours of a picture's boxes, red, green and blue from 0 to 1, by a passage's kind.
COLOURS = {
    "text": (0.16, 0.47, 0.85), "abstract": (0.16, 0.47, 0.85), "theorem": (0.53, 0.26, 0.75),
    "definition": (0.53, 0.26, 0.75), "remark": (0.70, 0.45, 0.85), "proof": (0.36, 0.35, 0.60),
    "caption": (0.93, 0.54, 0.10), "table": (0.76, 0.60, 0.10), "footnote": (0.45, 0.45, 0.45),
    "formula": (0.10, 0.62, 0.55), "heading": (0.85, 0.15, 0.20), "reference": (0.18, 0.60, 0.25),
}  # fmt: skip


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
    level = [span for span in line.spans if span.x0 < x1 and x0 < span.x1 and not is_extension(span.font)]
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


def draw(source: Path, paper: ReadPaper, target: Path, *, pages: Sequence[int] = (), dpi: int = 80) -> int:
    """Draw pages with the boxes of the passages and write them beside one another as one PNG.

    Args:
        source: the PDF.
        paper: what was read from it.
        target: the picture's path.
        pages: which pages, from 1; none: the first eight.
        dpi: dots per inch.

    Returns:
        how many pages were drawn.
    """
    import pymupdf

    with pymupdf.open(source) as document:
        chosen = [page for page in pages or range(1, 9) if page <= document.page_count]
        pictures = []
        for number in chosen:
            page = document[number - 1]
            _draw_passages(page, paper, number)
            pictures.append(page.get_pixmap(dpi=dpi))
    _sheet(pymupdf, pictures, target)
    return len(chosen)


def _draw_passages(page: Any, paper: ReadPaper, number: int) -> None:
    for passage in paper.passages:
        colour = COLOURS[passage.kind]
        boxes = [box for box in passage.boxes if box.page == number]
        for box in boxes:
            rectangle = (box.x0 - 1, box.y0 - 1, box.x1 + 1, box.y1 + 1)
            page.draw_rect(rectangle, color=colour, fill=colour, fill_opacity=0.07, width=0.8)
        if boxes and passage.page == number:
            label = f"{passage.ordinal} {passage.kind}"
            page.insert_text((boxes[0].x0, boxes[0].y0 - 1.5), label, fontsize=5, color=colour)
    names = [f"{section.number or ''} {section.title} ({section.level}, {section.kind})"
             for section in paper.sections if section.page == number]  # fmt: skip
    for row, name in enumerate(names):
        page.insert_text((4, 8 + 7 * row), name[:110], fontsize=6, color=COLOURS["heading"])


def _sheet(pymupdf: Any, pictures: Sequence[Any], target: Path) -> None:
    """Write pictures as one, four in a row."""
    columns = min(4, len(pictures))
    width, height = max(p.width for p in pictures), max(p.height for p in pictures)
    rows = -(-len(pictures) // columns)
    with pymupdf.open() as sheet:
        page = sheet.new_page(width=columns * width, height=rows * height)
        for index, picture in enumerate(pictures):
            x, y = index % columns * width, index // columns * height
            page.insert_image((x, y, x + picture.width, y + picture.height), pixmap=picture)
        page.get_pixmap(dpi=72).save(str(target))
