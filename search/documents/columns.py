"""Reading order: columns one after the other, never interleaved.

The order in which TeX draws a page is its reading order, and mostly kept here. It is overruled where the
geometry says otherwise: a page of two columns is read band by band (bands are divided by what spans both
columns), left before right, from top to bottom.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from search.documents.pages import Line, Page

#: A line of a column is at least this part of the text's width wide; shorter ones prove nothing.
_WIDE = 0.3
#: So many wide lines on each side make two columns.
_ENOUGH = 5
#: So many lines that begin at one place on each side do with fewer wide ones.
_MANY = 10
#: Points by which the lines of a list are indented, at most.
_INDENT = 36.0
#: So many left pages and right ones tell where each have their gutter.
_OF_A_SIDE = 3
#: Points between two bands of columns, and how many such gaps a page has at most.
_BAND_GAP = 6.0
_MOST_CUTS = 2
#: A table's row leaves as much of the width free.
_SPARSE = 0.65
#: Lines run over their column's edge by an unbroken address, at most by this part of their length.
_OVERRUN = 0.25


@dataclass(slots=True)
class _Unit:
    """Lines of one block that lie in one column."""

    side: str
    lines: list[Line]
    y0: float
    y1: float


def gutter(lines: Sequence[Line], page: Page) -> float | None:
    """Return the left edge of the right column, or None for a page of one column."""
    if not lines:
        return None
    left = min([line.x0 for line in lines])
    right = max([line.x1 for line in lines])
    least = _WIDE * (right - left)
    wide = [line for line in lines if line.x1 - line.x0 >= least]
    for middle in ((left + right) / 2, page.width / 2):
        on_left = sum([line.x1 <= middle + 3 for line in wide])
        edges = sorted([line.x0 for line in wide if line.x0 >= middle - 3])
        if min(on_left, len(edges)) < _ENOUGH:
            continue
        across = sum([line.x0 < middle - 12 and line.x1 > middle + 12 for line in lines])
        if across <= 1.5 * (on_left + len(edges)):
            return edges[len(edges) // 10]
    return _common_edge(lines, (left + right) / 2, _WIDE * (right - left))


def _common_edge(lines: Sequence[Line], middle: float, wide: float) -> float | None:
    """Return where many lines of a page of formulas begin on the right, over which no line reaches.

    Few of them are wide where formulas stand at the left edge of their column.
    """
    on_right = [line for line in lines if line.x0 >= middle - 3]
    on_left = [line for line in lines if line.x1 <= middle + 3]
    if min(len(on_left), len(on_right)) < _MANY:
        return None
    (edge, right_starts), (_, left_starts) = (
        Counter([round(line.x0) for line in side]).most_common(1)[0] for side in (on_right, on_left)
    )
    few = min(sum(line.x1 - line.x0 >= wide for line in side) for side in (on_left, on_right))
    begins = [line for line in on_right if round(line.x0) == edge]
    top = min(line.y0 for line in begins)
    across = any(line.x0 < middle - 12 and line.x1 > middle + 12 and line.y1 > top for line in lines)
    enough = min(right_starts, left_starts) >= _MANY and few >= 2
    return min(line.x0 for line in begins) if enough and edge < middle + _INDENT and not across else None


def gutters(lines: Sequence[Sequence[Line]], pages: Sequence[Page]) -> list[float | None]:
    """Return each page's gutter; what a page cannot tell is told by the others.

    A page too empty to tell has the gutter of most others, if no text crosses it. So has a page whose right
    column is indented nearly everywhere, as a list with hanging indents is.
    """
    own = [gutter(on_page, page) for on_page, page in zip(lines, pages, strict=True)]
    known = [edge for edge in own if edge is not None]
    if 2 * len(known) < len(own):
        return own
    # Left and right pages can have other margins.
    sides = [[edge for edge in own[side::2] if edge is not None] for side in (0, 1)]
    usual = [_median(side if min(map(len, sides)) >= _OF_A_SIDE else known) for side in sides]
    return [
        usual[at % 2]
        if (_is_clear(on_page, usual[at % 2]) if edge is None else 0 < edge - usual[at % 2] < _INDENT)
        else edge
        for at, (on_page, edge) in enumerate(zip(lines, own, strict=True))
    ]


def _median(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2]


def _is_clear(lines: Sequence[Line], edge: float) -> bool:
    """Return whether at most a fifth of the lines cross the gutter."""
    return sum([_side(line, edge) == "both" for line in lines]) <= 0.2 * len(lines)


def reading_order(lines: Sequence[Line], edge: float | None) -> list[list[Line]]:
    """Return the page's lines as column pieces, in reading order.

    Args:
        lines: of one page.
        edge: where the right column begins; None for a page of one column.
    """
    units = _units(lines, edge)
    if edge is None:
        return [_downward(units)] if units else []
    spanning = sorted((unit for unit in units if unit.side == "both"), key=lambda unit: unit.y0)
    pieces: list[list[Line]] = []
    open_dividers: list[_Unit] = []
    rest = [unit for unit in units if unit.side != "both"]
    for divider in [*spanning, None]:
        limit = (divider.y0 + divider.y1) / 2 if divider else float("inf")
        band = [unit for unit in rest if (unit.y0 + unit.y1) / 2 < limit]
        rest = [unit for unit in rest if (unit.y0 + unit.y1) / 2 >= limit]
        if open_dividers and (band or not divider):
            pieces.append(_downward(open_dividers))
            open_dividers = []
        for part in _stacked(band):
            for side in ("left", "right"):
                column = [unit for unit in part if unit.side == side]
                if column:
                    pieces.append(_downward(column))
        if divider:
            open_dividers.append(divider)
    return pieces


def _stacked(band: Sequence[_Unit]) -> list[list[_Unit]]:
    """Return a band of two columns in parts that are read one after the other, mostly the whole as one.

    Where a text's last page is balanced and a list follows below it in two columns again, the file draws
    left, right, then left and right once more, and a gap goes through both columns. More than two such gaps
    are not believed: they are of a file that draws row by row.
    """
    cuts = [
        index
        for index in range(1, len(band))
        if (band[index - 1].side, band[index].side) == ("right", "left")
        and min(unit.y0 for unit in band[index:]) - max(unit.y1 for unit in band[:index]) > _BAND_GAP
    ]
    if not 0 < len(cuts) <= _MOST_CUTS:
        return [list(band)]
    return [list(band[start:end]) for start, end in zip([0, *cuts], [*cuts, len(band)], strict=True)]


def _units(lines: Sequence[Line], edge: float | None) -> list[_Unit]:
    """Return the blocks, divided where one reaches over several columns."""
    blocks: dict[int, list[Line]] = {}
    for line in lines:
        blocks.setdefault(line.block, []).append(line)
    if edge is None:
        return [_unit("both", block) for block in blocks.values()]
    units: list[_Unit] = []
    own = _own_sides(lines, edge)
    for block in blocks.values():
        sides = [own[id(line)] for line in block]
        if "both" in sides:
            _keep_rows_whole(block, sides)
        # The short last line of a paragraph over both columns belongs to the paragraph.
        across = sides.count("both")
        if across and across >= 0.3 * len(sides):
            sides = ["both"] * len(sides)
        start = 0
        for index in range(1, len(block) + 1):
            if index == len(block) or sides[index] != sides[start]:
                units.append(_unit(sides[start], block[start:index]))
                start = index
    _settle_short(units, 0.2 * (max(line.x1 for line in lines) - min(line.x0 for line in lines)))
    return units


def _keep_rows_whole(block: Sequence[Line], sides: list[str]) -> None:
    """Put what goes on with a line over both columns, after a wide gap on its row, on both sides as well."""
    for at, (before, line) in enumerate(pairwise(block), start=1):
        if sides[at - 1] == "both" and sides[at] == "right":
            height = line.y1 - line.y0
            shared = min(before.y1, line.y1) - max(before.y0, line.y0)
            if shared > 0.5 * height and 0 <= line.x0 - before.x1 < 2 * height:
                sides[at] = "both"


def _unit(side: str, lines: list[Line]) -> _Unit:
    return _Unit(side, lines, min([line.y0 for line in lines]), max([line.y1 for line in lines]))


def _settle_short(units: Sequence[_Unit], narrow: float) -> None:
    """Put what is short and reaches over the gutter into the column amid which the file draws it.

    What spans both columns and is short (a title, a page's last line) is not drawn amid one of them.
    """
    for before, unit, after in zip(units, units[1:], units[2:], strict=False):
        if unit.side == "both" and before.side == after.side and before.y0 < unit.y0 < after.y1 \
                and max(line.x1 - line.x0 for line in unit.lines) < narrow:  # fmt: skip
            unit.side = before.side


def _spanning_rows(lines: Sequence[Line], edge: float) -> set[int]:
    """Return the ids of lines that are cells of a table over both columns.

    Its rows have three cells or more, all narrow, on both sides of the gutter, and there are at least three
    such rows under one another, which the file draws one after the other: short formulas of two columns
    stand side by side too, but one column is drawn before the other.
    """
    left, right = min(line.x0 for line in lines), max(line.x1 for line in lines)
    narrow = 0.3 * (right - left)
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: (line.y0 + line.y1) / 2):
        middle = (line.y0 + line.y1) / 2
        if rows and abs(middle - (rows[-1][-1].y0 + rows[-1][-1].y1) / 2) < 3:
            rows[-1].append(line)
        else:
            rows.append([line])
    found: set[int] = set()
    run: list[list[Line]] = []
    for row in [*rows, []]:
        cells = len(row) >= 3 and all(line.x1 - line.x0 < narrow for line in row)
        # Two lines of justified text at one height can come in pieces too; they fill the page.
        cells = cells and sum(line.x1 - line.x0 for line in row) < _SPARSE * (right - left)
        if cells and any(line.x1 < edge for line in row) and any(line.x0 >= edge - 12 for line in row):
            run.append(row)
            continue
        if len(run) >= 3 and _row_by_row(run, lines):
            found.update(id(line) for each in run for line in each)
        run = []
    return found


def _row_by_row(rows: Sequence[Sequence[Line]], lines: Sequence[Line]) -> bool:
    """Return whether most rows are drawn wholly before the next one."""
    drawn = {id(line): place for place, line in enumerate(lines)}
    places = [[drawn[id(line)] for line in row] for row in rows]
    return sum(max(row) < min(after) for row, after in pairwise(places)) >= 0.5 * (len(rows) - 1)


def _own_sides(lines: Sequence[Line], edge: float) -> dict[int, str]:
    """Return the side on which each line stands, by id; what a table over both columns holds is on both."""
    sides = {id(line): _side(line, edge) for line in lines}
    for before, line in pairwise(lines):
        if sides[id(line)] != sides[id(before)] and _lies_in(line, before):
            sides[id(line)] = sides[id(before)]
    across = [line for line in lines if sides[id(line)] == "both"]
    if across:
        right = [line for line in lines if sides[id(line)] == "right"]
        sides.update((id(line), "left") for line in across if _is_overfull(line, right))
    return sides | dict.fromkeys(_spanning_rows(lines, edge), "both")


def _lies_in(line: Line, before: Line) -> bool:
    """Return whether a line is a piece of the one drawn before it: an index under the exponent at its end."""
    shared = min(line.y1, before.y1) - max(line.y0, before.y0)
    return before.x0 <= line.x0 and line.x1 <= before.x1 + 1 and shared > 0.5 * (line.y1 - line.y0)


def _is_overfull(line: Line, right: Sequence[Line]) -> bool:
    """Return whether a line of the left column runs into the right one, over what is printed there.

    An address that cannot be divided does, or a long formula. What spans both columns covers nothing.
    """
    return any(
        other.x0 < line.x1 - 2 and min(other.y1, line.y1) - max(other.y0, line.y0) > 0.3 * (line.y1 - line.y0)
        for other in right
    )


def _side(line: Line, edge: float) -> str:
    if line.x0 >= edge - 12:
        return "right"
    # What runs a little over its column's edge spans nothing: a title in the middle reaches as far on both
    # sides, a caption's lines reach far.
    return "left" if line.x1 <= edge + max(6.0, _OVERRUN * (edge - line.x0)) else "both"


def _downward(units: Sequence[_Unit]) -> list[Line]:
    """Return the lines of units that stand above one another; those side by side stay as drawn."""
    ordered: list[Line] = []
    group: list[tuple[int, _Unit]] = []
    bottom = float("-inf")
    for position, unit in sorted(enumerate(units), key=lambda pair: (pair[1].y0, pair[0])):
        if group and unit.y0 >= bottom - 2.0:
            ordered += _as_drawn(group)
            group = []
            bottom = float("-inf")
        group.append((position, unit))
        bottom = max(bottom, unit.y1)
    return ordered + _as_drawn(group)


def _as_drawn(group: list[tuple[int, _Unit]]) -> list[Line]:
    return [line for _, unit in sorted(group, key=lambda pair: pair[0]) for line in unit.lines]
