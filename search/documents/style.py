"""What a paper's ordinary text looks like: the measure that headings and small print are held against."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from search.documents.kinds import LIST_TITLES
from search.documents.lines import TextLine


@dataclass(frozen=True, slots=True)
class BodyStyle:
    """Size and font of most characters, and the usual distance of two baselines, in points."""

    size: float
    font: str
    leading: float


def body_style(lines: Sequence[TextLine]) -> BodyStyle:
    """Return the style of most characters of the paper, its reference list and what follows left out.

    Appendices full of prompts or tables are set in other sizes, and can be longer than the paper.
    """
    lines = _main_part(lines)
    exact: dict[tuple[float, str], int] = {}
    for line in lines:
        style = (line.size, line.font)
        exact[style] = exact.get(style, 0) + len(line.text)
    fonts: Counter[tuple[float, str]] = Counter()
    for (size, font), weight in exact.items():
        fonts[round(size, 1), font] += weight
    sizes: Counter[float] = Counter()
    for (size, _), weight in fonts.items():
        sizes[size] += weight
    size = sizes.most_common(1)[0][0]
    font = max((key for key in fonts if key[0] == size), key=lambda key: fonts[key])[1]
    steps = [
        line.baseline - previous.baseline
        for previous, line in pairwise(lines)
        # In double spacing each line is a block of its own.
        if (previous.page, previous.column) == (line.page, line.column)
        and abs(line.size - size) < 0.2
        and 0.8 * size < line.baseline - previous.baseline < 3 * size
    ]
    return BodyStyle(size, font, median(steps) if steps else 1.2 * size)


_REFERENCES = re.compile(rf"(?:[\dIVX]+\.?\s+)?(?:{LIST_TITLES})", re.IGNORECASE)


def _main_part(lines: Sequence[TextLine]) -> Sequence[TextLine]:
    """Return the lines before the heading of the reference list, where it is not too near the beginning."""
    for index, line in enumerate(lines):
        if index > 0.15 * len(lines) and len(line.text) < 30 and _REFERENCES.fullmatch(line.text):
            return lines[:index]
    return lines
