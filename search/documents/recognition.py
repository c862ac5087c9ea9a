"""Pages without text, or with text that is not what is printed, are read from their pictures.

The engine is RapidOCR (Apache-2.0, extra `ocr`): its models come with the package, so nothing is fetched.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from search.documents.garbled import is_garbled, naturalness
from search.documents.pages import Line, Page, PageReader, Span

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Dots per inch of the pictures: what such models are made for. Text of 10 points is then 28 dots high.
DPI = 200
#: Pages recognised of one paper: ten minutes of work; a book's worth of scans needs a tool of its own.
MOST_PAGES = 100
#: A page with fewer characters is a picture or empty.
TEXT_LESS = 20
#: Confidence under which a recognised line is left out: it usually is a drawing.
_SURE = 0.6
#: Of the height of a box that is its letters' size: boxes reach a little over accents and descenders.
_SIZE = 0.85
#: In heights of a line, the gap to the next line of the same paragraph.
_GAP = 0.9


def recogniser() -> str | None:
    """Return the engine's name and version; None where it is not installed."""
    try:
        return f"rapidocr-{version('rapidocr')}"
    except PackageNotFoundError:
        return None


def doubtful(pages: Sequence[Page]) -> list[Page]:
    """Return the pages whose text is missing or garbled."""
    return [page for page in pages if len(text := _text(page)) < TEXT_LESS or is_garbled(text)]


def has_no_text(page: Page) -> bool:
    """Return whether a page is a picture or empty."""
    return len(_text(page)) < TEXT_LESS


def recognise(reader: PageReader, pages: Sequence[Page], before: Callable[[int], None]) -> list[Page]:
    """Return those of these pages that could be read from their picture, with what was read.

    A page that has text keeps it unless what was recognised looks more like a language. In a paper that
    has text, a page without is mostly a figure, whose labels are no text: it must read like prose.

    Args:
        reader: gives the pictures.
        pages: the doubtful ones.
        before: told each page's number before it is looked at: this takes seconds a page.
    """
    scan = 2 * len(pages) > reader.page_count
    found = []
    for page in pages[:MOST_PAGES]:
        before(page.number)
        lines = _lines(_engine_answer(reader.picture(page.number, DPI)), 72 / DPI)
        read = Page(page.number, page.width, page.height, lines)
        if _is_better(_text(read), _text(page), scan=scan):
            found.append(read)
    return found


def _is_better(new: str, old: str, *, scan: bool) -> bool:
    if scan and len(old) < TEXT_LESS:
        return len(new) >= TEXT_LESS
    return (naturalness(new) or 0.0) > max(naturalness(old) or 0.0, 0.0) and not is_garbled(new)


def _text(page: Page) -> str:
    return " ".join([span.text for line in page.lines for span in line.spans])


# ---------------------------------------------------------------- the engine
_TURN = threading.Lock()


@lru_cache(maxsize=1)
def _engine() -> Any:
    """Load the models, 32 MB: once a process, when the first page needs them."""
    import logging

    from rapidocr import RapidOCR

    logging.getLogger("RapidOCR").setLevel(logging.ERROR)
    return RapidOCR(params={"Global.log_level": "error"})


def _engine_answer(picture: NDArray[Any]) -> list[tuple[tuple[float, float, float, float], str]]:
    """Return (x0, y0, x1, y1 in dots, text) of each line that the engine is sure of."""
    with _TURN:
        answer = _engine()(picture, use_cls=False)  # pages stand upright
    if answer.boxes is None:
        return []
    return [
        ((*corners.min(axis=0).tolist(), *corners.max(axis=0).tolist()), text)
        for corners, text, score in zip(answer.boxes, answer.txts, answer.scores, strict=True)
        if score >= _SURE and text.strip()
    ]


def _lines(found: Sequence[tuple[tuple[float, float, float, float], str]], scale: float) -> list[Line]:
    """Return lines in points, those of a paragraph as one block, blocks from top to bottom."""
    boxes = sorted(
        ((tuple(scale * side for side in box), text) for box, text in found), key=lambda f: f[0][1]
    )
    blocks: list[list[tuple[tuple[float, ...], str]]] = []
    for box, text in boxes:
        home = next((block for block in reversed(blocks) if _continues(block[-1][0], box)), None)
        if home is None:
            blocks.append([(box, text)])
        else:
            home.append((box, text))
    return [_line(box, text, number) for number, block in enumerate(blocks) for box, text in block]


def _continues(above: Sequence[float], below: Sequence[float]) -> bool:
    """Return whether a line stands right under another one of its column."""
    height = above[3] - above[1]
    overlap = min(above[2], below[2]) - max(above[0], below[0])
    narrower = min(above[2] - above[0], below[2] - below[0])
    return -height / 2 < below[1] - above[3] < _GAP * height and overlap > narrower / 2


def _line(box: Sequence[float], text: str, block: int) -> Line:
    x0, y0, x1, y1 = box
    size = round(_SIZE * (y1 - y0), 1)
    span = Span(text, "recognised", size, bold=False, italic=False, raised_hint=False,
                x0=x0, y0=y0, x1=x1, y1=y1, baseline=y1 - 0.2 * (y1 - y0))  # fmt: skip
    return Line([span], x0, y0, x1, y1, block)
