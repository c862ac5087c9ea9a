"""Labels inside pictures: axis titles, ticks, legends. They are no text of the paper."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from search.documents.lines import TextLine

#: Fonts with so many of the paper's characters are fonts of its text.
_TEXT_FONT = 0.02
#: A label is no longer than this; a legend with more to say is text.
_LONGEST = 40
#: Nobody reads what is smaller than this part of the text: ticks of pictures made for a larger page.
_SMALLEST = 0.3
#: In sizes, between the baselines of two lines of a title.
_NEXT = 1.6
_SENTENCE_END = re.compile(r"[.;:,]$")
#: A heading of the third level can be as short and small: "1. Methods".
_NUMBERED = re.compile(r"(?:\d{1,2}(?:\.\d{1,2})*|[A-Z]|[IVX]{1,4})[.)]\s+[A-Z][A-Za-z]")


def without_labels(lines: Sequence[TextLine], body_size: float) -> list[TextLine]:
    """Return the lines without blocks that are short, small, and in a font that the paper's text has not.

    All three must hold: a short block in the text's own font may be a formula or a table's cell, a long one
    in a foreign font a listing.
    """
    fonts: Counter[str] = Counter()
    for line in lines:
        fonts[line.font] += len(line.text)
    enough = _TEXT_FONT * fonts.total()
    blocks: dict[tuple[int, int, int], list[TextLine]] = {}
    for line in lines:
        blocks.setdefault((line.page, line.column, line.block), []).append(line)
    labels = {
        key
        for key, block in blocks.items()
        if all(
            fonts[line.font] < enough
            and line.size < 0.95 * body_size
            and len(line.text) <= _LONGEST
            and line.bold < 0.5
            and not _SENTENCE_END.search(line.text)
            and not _NUMBERED.match(line.text)
            for line in block
        )
        and not _is_mathematical(block)
    }
    for before, block in pairwise(blocks):
        if block in labels and before not in labels and _goes_on(blocks[before][-1], blocks[block][0]):
            labels.remove(block)
    return [
        line
        for line in lines
        if (line.page, line.column, line.block) not in labels and line.size > _SMALLEST * body_size
    ]


def _goes_on(before: TextLine, line: TextLine) -> bool:
    """Return whether a line is the next one of a title, in the same font right below."""
    return (
        (before.page, before.column, before.font) == (line.page, line.column, line.font)
        and abs(before.size - line.size) < 0.3
        and 0 < line.baseline - before.baseline < _NEXT * line.size
    )


_MATHEMATICAL = re.compile(r"CM[A-Z]{1,4}\d|MSBM|MSAM|Math|EUFM|MTMI|MTSY|txsy|txmi", re.IGNORECASE)


def _is_mathematical(block: Sequence[TextLine]) -> bool:
    return any(_MATHEMATICAL.search(span.font) for line in block for span in line.spans)
