"""The paper's title: the largest text at the top of the first page."""

from __future__ import annotations

import re
from collections.abc import Sequence

from search.documents.lines import TextLine
from search.documents.style import BodyStyle

_NO_TITLE = re.compile(
    r"arXiv|preprint|draft version|submitted|published|accepted|journal|proceedings|received|©|abstract$"
    r"|typeset using|(?:astronomy|and|astrophysics)+$"
    r"|astronomy (?:and|&) astrophysics|squibs|european organi[sz]ation|technical report|university of"
    r"|(?-i:[A-Z]{2,}(?:-[A-Z]+)*-(?:[A-Z]+-)*\d)",
    re.IGNORECASE,
)


def find_title(lines: Sequence[TextLine], body: BodyStyle) -> tuple[str, list[TextLine]]:
    """Return the title and the lines without it.

    The title is what is set in the largest size in the upper 60 % of the first page (of the height that the
    first three have), as far as it stands together; where nothing is larger than the body, the first bold
    lines; else the first line.
    """
    first, top = _candidates(lines)
    if not top:
        return lines[0].text, list(lines[1:])
    size = max(first[i].size for i in top)
    if size > 1.08 * body.size:
        start = next(i for i in top if first[i].size > 0.97 * size)
        same = [i for i in top if abs(first[i].size - first[start].size) < 0.05 * size]
    else:
        bold = [i for i in top if first[i].bold > 0.6]
        start = bold[0] if bold else top[0]
        same = [i for i in bold if first[i].font == first[start].font] or [start]
    end = start + 1
    while end in same and first[end].baseline - first[end - 1].baseline < 2.2 * size and end - start < 6:
        end += 1
    chosen = first[start:end]
    title = " ".join(line.text for line in chosen)
    taken = {id(line) for line in chosen}
    return title, [line for line in lines if id(line) not in taken]


def _candidates(lines: Sequence[TextLine]) -> tuple[list[TextLine], list[int]]:
    """Return the lines of the first page with words on it, and the indices of those that may be the title."""
    numbers = sorted({line.page for line in lines})[:3]
    # A page of its own ends with names and a date, far above the foot of the next.
    height = max(line.y1 for line in lines if line.page in numbers)
    for number in numbers:
        page = [line for line in lines if line.page == number]
        top = [
            index
            for index, line in enumerate(page)
            if line.y0 < 0.6 * height
            and sum(map(str.isalpha, line.text)) >= 3
            and not _NO_TITLE.match(line.text)
        ]
        if top:
            return page, top
    return [], []
