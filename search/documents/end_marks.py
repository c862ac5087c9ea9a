"""End marks of proofs that are drawn, not printed: amsthm's box is four strokes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from search.documents.lines import TextLine
from search.documents.pages import Span, Square
from search.documents.statements import ends_proof, opens_statement

END_MARK = "□"
#: Pages on which the end of a proof is looked for; longer ones hold lemmas, at which the search ends anyway.
_PAGES = 4
#: A paper sets all its proofs alike: after so many without a drawn mark it has none. The four of 81 arXiv
#: papers that draw them do so at their second or third proof at the latest.
_IN_VAIN = 3
#: A column's lines are more than this part of a page's; those of a table are fewer.
_COLUMN = 0.2


def write_end_marks(lines: Sequence[TextLine], squares: Callable[[int], Sequence[Square]]) -> None:
    """Write the squares that are drawn behind the last line of proofs into those lines, as "□".

    Only pages of proofs that end nowhere in print are looked at, and no more of them once several proofs end
    with no mark that is drawn: looking at drawings costs as much time as reading the text.

    Args:
        lines: the whole paper, in reading order; those that end a proof are changed.
        squares: returns the small squares drawn on a page, from 1.
    """
    seen: dict[int, list[Square]] = {}
    edges: dict[int, list[float]] = {}
    found = vain = 0
    for index, line in enumerate(lines):
        if found == 0 and vain == _IN_VAIN:
            return
        if not line.text.startswith(_OPENINGS) or opens_statement(line) != "proof":
            continue
        for other in _proof(lines, index):
            if other.page not in seen:
                seen[other.page] = list(squares(other.page))
                edges[other.page] = _edges(lines, other.page)
            square = next((s for s in seen[other.page] if _stands_behind(s, other, edges[other.page])), None)
            if square:
                seen[other.page].remove(square)
                _write(other, square)
                found += 1
                break
        else:
            vain += 1


def _proof(lines: Sequence[TextLine], start: int) -> Sequence[TextLine]:
    """Return the lines that can be of the proof that begins at `start`; none where its end is printed."""
    for end in range(start, len(lines)):
        line = lines[end]
        if ends_proof(line):
            return ()
        if (end > start and opens_statement(line)) or line.page >= lines[start].page + _PAGES:
            return lines[start:end]
    return lines[start:]


_OPENINGS = ("Proof", "PROOF", "Sketch", "Outline", "Idea", "Preuve", "Démonstration", "Beweis")


def _edges(lines: Sequence[TextLine], page: int) -> list[float]:
    """Return where the lines of a page's columns begin: the places at which many do."""
    starts = Counter(round(line.x0) for line in lines if line.page == page)
    return [float(x) for x, count in starts.items() if count > _COLUMN * starts.total()]


def _stands_behind(square: Square, line: TextLine, edges: Sequence[float]) -> bool:
    """Return whether a square stands on a line's row, behind it, and no other column begins between them."""
    middle = (square.y0 + square.y1) / 2
    return (
        line.y0 - 1 <= middle <= line.y1 + 1
        and square.x0 >= line.x1 - 1
        and not any(line.x1 <= edge <= square.x0 for edge in edges)
    )


def _write(line: TextLine, square: Square) -> None:
    last = line.spans[-1]
    line.spans.append(
        Span(f" {END_MARK}", last.font, line.size, False, False, False, square.x0, square.y0, square.x1,
             square.y1, line.baseline)
    )  # fmt: skip
    line.text = f"{line.text} {END_MARK}"
    line.x1 = max(line.x1, square.x1)
