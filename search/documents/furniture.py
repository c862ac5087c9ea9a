"""What stands on the pages and is no part of the text: running heads, page numbers, arXiv's stamp."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from search.documents.pages import Line, Page

#: Running heads and feet stand in the outer 12 % of the page's height.
_ZONE = 0.12
#: The same words at the same height on so many pages are no coincidence.
_REPEATED = 3

_PAGE_NUMBER = re.compile(r"[-–—\s|]*(?:page\s*)?(?:\d{1,4}|[ivxl]{1,6})(?:\s*(?:of|/)\s*\d{1,4})?[-–—\s|.]*", re.IGNORECASE)
_STAMP = re.compile(r"\s*arXiv\s*:\s*(?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?\s+\[", re.IGNORECASE)
_DIGITS = re.compile(r"\d+|\b[ivxl]+\b")


def without_furniture(pages: Sequence[Page]) -> list[list[Line]]:
    """Return each page's lines of text: level, and neither running head nor foot nor page number nor stamp."""
    candidates = [[(line, _text(line)) for line in page.lines if line.horizontal] for page in pages]
    seen: dict[tuple[str, int], set[int]] = defaultdict(set)
    for page, lines in zip(pages, candidates, strict=True):
        for line, text in lines:
            if _in_zone(line, page):
                seen[_key(line, text)].add(page.number)
    return [
        [line for line, text in lines if not _is_furniture(line, text, page, seen)]
        for page, lines in zip(pages, candidates, strict=True)
    ]


def _is_furniture(line: Line, text: str, page: Page, seen: dict[tuple[str, int], set[int]]) -> bool:
    if _STAMP.match(text):
        return True
    if not _in_zone(line, page):
        return False
    return bool(_PAGE_NUMBER.fullmatch(text)) and _is_outermost(line, page) or (
        len(seen[_key(line, text)]) >= _REPEATED and bool(text.strip())
    )


def _text(line: Line) -> str:
    return " ".join("".join(span.text for span in line.spans).split())


def _in_zone(line: Line, page: Page) -> bool:
    return line.y1 < _ZONE * page.height or line.y0 > (1 - _ZONE) * page.height


def _is_outermost(line: Line, page: Page) -> bool:
    """Return whether nothing stands further out, above or below: a page number does, a formula does not."""
    if line.y1 < _ZONE * page.height:
        return not any(other.horizontal and other.y1 < line.y0 for other in page.lines)
    return not any(other.horizontal and other.y0 > line.y1 for other in page.lines)


def _key(line: Line, text: str) -> tuple[str, int]:
    return _DIGITS.sub("#", text), round(line.y0 / 6)
