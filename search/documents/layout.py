"""The layout tier: what a model that looks at each page by itself says of the lines on it.

The model knows no document: no numbers that run in order, no styles that come back. So what it sees is one
more piece of evidence for or against a heading, beside those of `search.documents.headings`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from search.documents.lines import TextLine
from search.documents.pages import Region

#: Points of evidence for a line that the model takes for a heading, and for one that it takes for something
#: else. Sweep over the 26 work papers of evals/headings.py: docs/decisions/0025-layout-tier.md.
HEADING, OTHER = 1.0, -1.0
_HEADINGS = frozenset({"section-header", "title"})


def evidence(lines: Sequence[TextLine], regions: Callable[[int], Sequence[Region]]) -> list[float]:
    """Return the points of evidence for each line that it is a heading; 0 where the model says nothing.

    Args:
        lines: in reading order.
        regions: gives those of a page (from 1); asked for once a page.
    """
    found: list[float] = []
    on_page: dict[int, Sequence[Region]] = {}
    for line in lines:
        if line.page not in on_page:
            on_page[line.page] = regions(line.page)
        region = _smallest(line, on_page[line.page])
        found.append(0.0 if region is None else HEADING if region.kind in _HEADINGS else OTHER)
    return found


def _smallest(line: TextLine, regions: Sequence[Region]) -> Region | None:
    """Return the smallest region that holds the middle of a line."""
    x, y = (line.x0 + line.x1) / 2, (line.y0 + line.y1) / 2
    around = [region for region in regions if region.x0 <= x <= region.x1 and region.y0 <= y <= region.y1]
    return min(around, key=lambda region: (region.x1 - region.x0) * (region.y1 - region.y0), default=None)
