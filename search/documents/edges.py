"""Where a column's lines begin and end: what indents and centred lines are measured against."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from search.documents.lines import TextLine

#: Of the wide lines, the share that ends at the right edge of justified text; in ragged text the longest.
_JUSTIFIED = 0.4
#: By how many sizes a title's later lines are off the middle, at most, where the first has its number.
_HANGS = 3.0
#: So many of the wide lines begin where the column does, though most be a list's.
_OUTER = 3


@dataclass(frozen=True, slots=True)
class Edges:
    """Left and right edge of a column's text, in points."""

    left: float
    right: float
    #: Where the column begins, left of a list that fills most of it.
    outer: float

    def centres(self, lines: Sequence[TextLine], *, hanging: bool = False) -> bool:
        """Return whether lines stand in the middle of the column, the shortest of them clear of both edges.

        `hanging`: all but the first are set in further, by the width of the number before the first.
        """
        return any(
            all(
                -0.8 * line.size
                < line.x0 - left - (self.right - line.x1)
                < (_HANGS if hanging and at else 0.8) * line.size
                for at, line in enumerate(lines)
            )
            and any(min(line.x0 - left, self.right - line.x1) > 0.8 * line.size for line in lines)
            for left in {self.left, self.outer}
        )


def edges_of(lines: Sequence[TextLine]) -> dict[tuple[int, int], Edges]:
    """Return the edges of each column piece, by page and column; its widest lines tell them."""
    groups: dict[tuple[int, int], list[TextLine]] = {}
    for line in lines:
        groups.setdefault((line.page, line.column), []).append(line)
    return {key: _edges(group) for key, group in groups.items()}


def _edges(lines: Sequence[TextLine]) -> Edges:
    least = 0.7 * max([line.x1 - line.x0 for line in lines])
    wide = [line for line in lines if line.x1 - line.x0 > least]
    begins = Counter([round(line.x0) for line in wide])
    left = begins.most_common(1)[0][0]
    outer = min([x for x, count in begins.items() if count >= _OUTER], default=left)
    right, count = Counter([round(line.x1) for line in wide]).most_common(1)[0]
    # A hyphen that hangs over the edge, or a formula, is further right than the text.
    if count < max(3, _JUSTIFIED * len(wide)):
        return Edges(float(left), max([line.x1 for line in lines]), float(outer))
    return Edges(float(left), float(right), float(outer))
