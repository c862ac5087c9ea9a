"""The table of contents: it names every section, and is none and no text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from search.documents.kinds import LIST_TITLES
from search.documents.lines import TextLine

_TITLE = re.compile(
    r"(?:table of )?contents|inhalt(?:sverzeichnis)?|sommaire|table des matières", re.IGNORECASE
)
#: An entry ends with its page: after leaders, or far from its words.
_PAGE = re.compile(r"(?P<leaders>(?:\.\s?){2,}|…)?\s*(?P<page>\d{1,3})$")
#: In sizes, between an entry's words and its page.
_FAR = 1.0
#: So many entries with pages that do not fall make a table of contents; where sections have no numbers it
#: may list the references only.
_ENOUGH = 3
_LIST = re.compile(rf"(?:{LIST_TITLES})[.\s]*\d", re.IGNORECASE)
#: So many lines between two of them have no page: titles of several lines, and bare ones.
_BARE = 3
#: A table of contents begins on one of the first pages.
_LAST_PAGE = 4


def without_contents(lines: Sequence[TextLine]) -> list[TextLine]:
    """Return the lines without the table of contents and its title; all of them where there is none."""
    for index, line in enumerate(lines):
        if line.page > _LAST_PAGE:
            break
        if len(line.text) < 30 and _TITLE.fullmatch(line.text.strip()):
            end = _end(lines, index + 1)
            if end is not None:
                return [*lines[:index], *lines[end:]]
    return list(lines)


def _end(lines: Sequence[TextLine], start: int) -> int | None:
    """Return where the entries end that begin at `start`; None where there are too few."""
    last, entries, page = start, 0, 0
    for index in range(start, len(lines)):
        if index - last > _BARE:
            break
        named = _page_of(lines[index])
        if named is not None and named >= page:
            last, entries, page = index + 1, entries + 1, named
    if entries >= _ENOUGH:
        return last
    only_list = entries == 1 and last == start + 1 and _LIST.match(lines[start].text)
    return last if only_list else None


def _page_of(line: TextLine) -> int | None:
    match = _PAGE.search(line.text)
    if not match or not match.start():
        return None
    spans = [span for span in line.spans if span.text.strip()]
    far = len(spans) > 1 and spans[-1].x0 - spans[-2].x1 > _FAR * line.size
    return int(match["page"]) if match["leaders"] or far else None
