"""The file's own outline, as far as the page confirms it: a bookmark counts where its words are printed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from search.documents.lines import TextLine
from search.documents.numbering import parse_number
from search.documents.pages import Bookmark, Destination

#: An outline is trusted where at least this share of its bookmarks is confirmed, and so many are.
_CONFIRMED, _ENOUGH = 0.6, 3
#: A title with formulas in it is not printed letter by letter.
_ALIKE = 0.8
_MOST_LINES = 6
#: Letters with which both have to begin.
_OPENING = 3
_NO_LETTERS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Mark:
    """A heading that a bookmark names and the page prints: `lines[start:end]`."""

    start: int
    #: None where the title's last line is not known.
    end: int | None
    #: From 1, the shallowest numbered bookmark's.
    level: int
    #: False for what hyperref's names say: that a heading is here, of which the title is not known.
    listed: bool = True
    #: Whether it is a heading, or only may be one: below the name of a section without number.
    sure: bool = True


def confirmed(lines: Sequence[TextLine], bookmarks: Sequence[Bookmark]) -> list[Mark]:
    """Return the confirmed bookmarks in the order of the lines; none where the outline cannot be trusted."""
    on_page: dict[int, list[int]] = {}
    for index, line in enumerate(lines):
        on_page.setdefault(line.page, []).append(index)
    keys: dict[int, str] = {}
    found_at: list[tuple[Bookmark, tuple[int, int]]] = []
    taken: set[int] = set()
    named = [bookmark for bookmark in bookmarks if _key(bookmark.title)]
    for bookmark in named:
        for page in (bookmark.page, bookmark.page + 1):
            found = _find(
                lines, [i for i in on_page.get(page, ()) if i not in taken], _key(bookmark.title), keys
            )
            if found:
                found_at.append((bookmark, found))
                taken.update(range(*found))
                break
    if len(found_at) < _ENOUGH or len(found_at) < _CONFIRMED * len(named):
        return []
    # The paper's title, the root of some outlines, is not among the lines.
    top = _shallowest([bookmark for bookmark, _ in found_at])
    marks = [Mark(*place, max(1, bookmark.level - top + 1)) for bookmark, place in found_at]
    return sorted(marks, key=lambda mark: mark.start)


#: hyperref's names of numbered sections, and of those without a number, which say no level.
_SECTION = re.compile(r"(?P<below>(?:sub){0,2})(?P<kind>section|appendix)\.(?P<number>[A-Za-z\d]+(?:\.\d+)*)")
_STARRED = re.compile(r"(?:section|chapter|paragraph)\*\.\d+|(?:sub)*paragraph\..*|(?:sub){3}section\..*")


def names_section(name: str) -> bool:
    """Return whether a destination's name is one that hyperref gives to a heading."""
    return bool(_SECTION.fullmatch(name) or _STARRED.fullmatch(name))


#: How far below its destination a heading's baseline is, in points: 4 to 40 in 44 papers.
_BELOW = 45.0


def named(lines: Sequence[TextLine], destinations: Sequence[Destination]) -> list[Mark]:
    """Return the headings that hyperref's destinations name and the page prints, in order.

    `section.3` counts where a line that begins with the section's number, or with the last part of it in any
    notation (III, C), stands right below; where none does (the heading went to the next page), any such line
    of the two pages may be it. So may what stands below `section*.4`.
    """
    on_page: dict[int, list[int]] = {}
    for index, line in enumerate(lines):
        on_page.setdefault(line.page, []).append(index)
    found: dict[int, Mark] = {}
    possible: set[int] = set()
    sections = [(place, match) for place in destinations if (match := _SECTION.fullmatch(place.name))]
    for place, match in sections:
        near = sorted((lines[i].baseline - place.y, i) for i in on_page.get(place.page, ()))
        at = next((i for below, i in near if 0 < below < _BELOW and _is_numbered(lines[i], match)), None)
        if at is not None:
            found[at] = Mark(at, None, 1 + match["below"].count("sub"), listed=False)
        else:
            two = (*on_page.get(place.page, ()), *on_page.get(place.page + 1, ()))
            possible.update(i for i in two if _is_numbered(lines[i], match))
    if len(found) < _ENOUGH or len(found) < _CONFIRMED * len(sections):
        return []
    for place in destinations:
        if _STARRED.fullmatch(place.name):
            possible.update(
                i for i in on_page.get(place.page, ()) if 0 < lines[i].baseline - place.y < _BELOW
            )
    top = min(mark.level for mark in found.values())
    marks = [replace(mark, level=mark.level - top + 1) for mark in found.values()]
    marks += [Mark(i, None, 1, listed=False, sure=False) for i in possible - found.keys()]
    return sorted(marks, key=lambda mark: mark.start)


def _is_numbered(line: TextLine, match: re.Match[str]) -> bool:
    """Return whether a line begins with a section's number, however it is printed."""
    number, _ = parse_number(line.text)
    if not number:
        return False
    last = match["number"].split(".")[-1]
    return number.printed == match["number"] or str(number.parts[-1]) == last or number.printed[-1] == last


def _shallowest(bookmarks: Sequence[Bookmark]) -> int:
    numbered = [b.level for b in bookmarks if parse_number(b.title)[0]]
    return min(numbered or [b.level for b in bookmarks], default=1)


def _find(
    lines: Sequence[TextLine], indices: Sequence[int], wanted: str, keys: dict[int, str]
) -> tuple[int, int] | None:
    """Return the lines on which a title stands alone, else those most like it."""
    best: tuple[float, int, int] = (_ALIKE, -1, -1)
    for index in indices:
        text = ""
        for end in range(index + 1, min(index + _MOST_LINES, len(lines)) + 1):
            line = lines[end - 1]
            if line.page != lines[index].page or len(text) > len(wanted) + 10:
                break
            if end == index + 1:
                key = keys.get(index)
                if key is None:
                    key = keys[index] = _key(line.text)
                text = key
            else:
                text += _letters(line.text)
            if text == wanted:
                return index, end
            if len(text) >= _OPENING and text[:_OPENING] != wanted[:_OPENING]:
                break  # and no line after it makes it the title
            if text[:_OPENING] == wanted[:_OPENING] and abs(len(text) - len(wanted)) <= 0.3 * len(wanted):
                alike = SequenceMatcher(None, text, wanted, autojunk=False).ratio()
                best = max(best, (alike, index, end))
    return (best[1], best[2]) if best[1] >= 0 else None


def _key(title: str) -> str:
    """Return the letters and digits of a title without its number."""
    if title[:1].islower():  # no number; so begin most lines of a page
        return _letters(title)
    number, rest = parse_number(re.sub(r"^(\w+)-([A-Z]\d*)\s", r"\2. ", title.strip()))
    return _letters(rest if number else title)


def _letters(text: str) -> str:
    plain = text.lower() if text.isascii() else unicodedata.normalize("NFKD", text).casefold()
    return _NO_LETTERS.sub("", plain)
