"""Pages drawn with what was read from them, for people to judge by eye."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from search.documents.highlights import find_quote, quote_boxes
from search.errors import UsageError
from search.models import Box, ReadPaper

#: Colours of a picture's boxes, red, green and blue from 0 to 1, by a passage's kind.
COLOURS = {
    "text": (0.16, 0.47, 0.85), "abstract": (0.16, 0.47, 0.85), "theorem": (0.53, 0.26, 0.75),
    "definition": (0.53, 0.26, 0.75), "remark": (0.70, 0.45, 0.85), "proof": (0.36, 0.35, 0.60),
    "caption": (0.93, 0.54, 0.10), "table": (0.76, 0.60, 0.10), "footnote": (0.45, 0.45, 0.45),
    "formula": (0.10, 0.62, 0.55), "heading": (0.85, 0.15, 0.20), "reference": (0.18, 0.60, 0.25),
}  # fmt: skip
#: Of a quote: the yellow of a text marker.
MARKER = (1.0, 0.85, 0.0)

#: Dots per inch of one page, and of several on one sheet.
_LARGE, _SMALL = 120, 80
#: Pages on a sheet where none are named.
_FIRST = 8


def draw(source: Path, paper: ReadPaper, target: Path, *, pages: Sequence[int] = (), quote: str = "") -> int:
    """Draw pages with the boxes of the passages, or with a quote marked, and write them as one PNG.

    Args:
        source: the PDF.
        paper: what was read from it.
        target: the picture's path.
        pages: which pages, from 1; none: those of the quote, else the first eight.
        quote: words of the paper; only they are marked then.

    Returns:
        how many pages were drawn.

    Raises:
        UsageError: the paper has no such page, or does not say that.
    """
    import pymupdf

    marked: tuple[Box, ...] = ()
    if quote:
        place = find_quote(paper.passages, quote)
        if place is None:
            raise UsageError(
                f"{source.name} has no passage that says {quote!r}", advice="quote its own words"
            )
        marked = quote_boxes(source, *place)
        pages = pages or sorted({box.page for box in marked})
    with pymupdf.open(source) as document:
        chosen = list(pages or range(1, min(_FIRST, document.page_count) + 1))
        missing = [page for page in chosen if not 1 <= page <= document.page_count]
        if missing:
            raise UsageError(
                f"{source.name} has no page {missing[0]}", advice=f"it has {document.page_count}"
            )
        pictures = []
        for number in chosen:
            page = document[number - 1]
            if quote:
                _mark(page, [box for box in marked if box.page == number])
            else:
                _draw_passages(page, paper, number)
            pictures.append(page.get_pixmap(dpi=_LARGE if len(chosen) == 1 else _SMALL))
    _sheet(pymupdf, pictures, target)
    return len(chosen)


def _mark(page: Any, boxes: Sequence[Box]) -> None:
    for box in boxes:
        rectangle = (box.x0 - 0.5, box.y0, box.x1 + 0.5, box.y1)
        page.draw_rect(rectangle, color=None, fill=MARKER, fill_opacity=0.4)


def _draw_passages(page: Any, paper: ReadPaper, number: int) -> None:
    for passage in paper.passages:
        colour = COLOURS[passage.kind]
        boxes = [box for box in passage.boxes if box.page == number]
        for box in boxes:
            rectangle = (box.x0 - 1, box.y0 - 1, box.x1 + 1, box.y1 + 1)
            page.draw_rect(rectangle, color=colour, fill=colour, fill_opacity=0.07, width=0.8)
        if boxes:
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
