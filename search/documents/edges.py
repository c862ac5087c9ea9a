"""Where a column's lines begin and end: what indents and centred lines are measured against."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from search.documents.lines import TextLine


@dataclass(frozen=True, slots=True)
class Edges:
    """Left and right edge of a column's text, in points."""

    left: float
    right: float

    def centres(self, line: TextLine) -> bool:
        """Return whether a line stands in the middle of the column, clear of both edges."""
        before, after = line.x0 - self.left, self.right - line.x1
        return min(before, after) > 0.8 * line.size and abs(before - after) < 0.8 * line.size


def edges_of(lines: Sequence[TextLine]) -> dict[tuple[int, int], Edges]:
    """Return the edges of each column piece, by page and column; its widest lines tell them."""
    groups: dict[tuple[int, int], list[TextLine]] = {}
    for line in lines:
        groups.setdefault((line.page, line.column), []).append(line)
    return {key: _edges(group) for key, group in groups.items()}


def _edges(lines: Sequence[TextLine]) -> Edges:
    least = 0.7 * max([line.x1 - line.x0 for line in lines])
    left = Counter([round(line.x0) for line in lines if line.x1 - line.x0 > least]).most_common(1)[0][0]
    return Edges(float(left), max([line.x1 for line in lines]))
