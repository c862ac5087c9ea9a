"""What is on the pages and no part of the text: running heads, page numbers, stamp, notices."""

# ruff: noqa: RUF001 - the characters are meant as they are
from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import median

from search.documents.line_numbers import without_line_numbers
from search.documents.lone_heads import without_lone_heads, without_notice
from search.documents.pages import Line, Page

#: Running heads and feet stand in the outer 8 % of the height of all pages' text, which leaves the paper's
#: own margins out (amsart prints a small block in the middle of a large page).
_ZONE = 0.08
#: The same words at the same height on so many pages are no coincidence; a paper of two pages has two.
_REPEATED = 3
#: Heights of a line between a section's number and its title, at most.
_TITLE_AFTER = 3
#: A section's title is so many times as large as the text, and as a head that names it: 1.2 at least in
#: LaTeX's and KOMA's classes.
_TITLE = 1.1
#: Points between the baselines of what stands on one row.
_ROW = 1.0

_PAGE_NUMBER = re.compile(
    r"[-–—\s|]*(?:page\s*)?(?:\d{1,4}|[ivxl]{1,6})(?:\s*(?:of|/)\s*\d{1,4})?[-–—\s|.]*", re.IGNORECASE
)
_STAMP = re.compile(
    r"\s*arXiv\s*:\s*(?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?\s+\[", re.IGNORECASE
)
#: Formulas of one kind at the same height on three pages do happen; words are no coincidence.
_WORD = re.compile(r"[^\W\d_]{3,}")
#: Captions at the top of pages can differ in their numbers only.
_CAPTION = re.compile(r"(?:Fig(?:ure|\.)|Table|Algorithm)\s*(?:\d|[IVXL]+\b)", re.IGNORECASE)
#: At the beginning, or after the authors' names.
_SUBMITTED = re.compile(r"(?:[^:]{1,80}:\s+)?Preprint submitted to\b", re.IGNORECASE)
#: Page numbers before or after a head's words.
_AROUND = re.compile(r"^[\d\s|·•—–-]+|[\d\s|·•—–-]+$")
_FIRST_NUMBER = re.compile(r"\d+")
_SECTION_NUMBER = re.compile(r"(\d{1,2}(?:\.\d{1,2})*)\.?(?!\S)")
_DIGITS = re.compile(r"\d+|\b[ivxl]+\b")

#: What is on so many of the pages is a head. Where text begins on this share of pages at one height, there
#: are none: TeX's first baseline is the same on all.
_MOST, _BEGIN = 0.5, 0.2
#: Heights below the first line in which the next two lines of text stand: 5.1 in nature's double spacing.
_NEAR = 6.0

#: Between two lines of one text stands less than this part of their height in single spacing; at the foot,
#: where numbers of pages stand further away, in one and a half spacing: emulateapj's heads come as near.
_NEXT, _NEXT_AT_FOOT = 0.5, 1.0


@dataclass(frozen=True, slots=True)
class _Zones:
    """Above `top` and below `bottom` stands what repeats on every page."""

    top: float
    bottom: float

    def holds(self, line: Line) -> bool:
        return line.y1 < self.top or line.y0 > self.bottom


def without_furniture(pages: Sequence[Page]) -> list[list[Line]]:
    """Return each page's level lines without running heads and feet, page numbers, stamp and notice."""
    level = [[line for line in page.lines if line.horizontal] for page in pages]
    candidates = without_line_numbers(level)
    zones = _zones(candidates)
    outer = [[(line, _text(line)) for line in lines if zones.holds(line)] for lines in candidates]
    offsets = _offsets(pages, outer)
    # A foot above the page's number is as far out as one without it; below one at the top stand headings.
    extents = [
        (_extent(lines)[0], _extent(_without(lines, _counting(edge, page.number, offsets)))[1])
        for page, lines, edge in zip(pages, candidates, outer, strict=True)
    ]
    repeated = _repeated(pages, extents, outer, zones)
    submitted = [[line for line, text in edge if _SUBMITTED.match(text)] for edge in outer]
    drops = [
        [
            line for line, text in edge
            if _is_furniture(line, text, on_page, notice, repeated)
            or (
                _PAGE_NUMBER.fullmatch(text)
                and _is_outermost(line, extent, zones)
                and _is_page_number(line, text, page, on_page, offsets)
            )
        ]
        for page, on_page, extent, edge, notice in zip(
            pages, candidates, extents, outer, submitted, strict=True
        )
    ]  # fmt: skip
    drops = [
        drop + _beside_number(drop, edge, page.number, offsets)
        for page, edge, drop in zip(pages, outer, drops, strict=True)
    ]
    drops = [
        drop + named for drop, named in zip(drops, _named_sections(candidates, outer, zones), strict=True)
    ]
    drops = [_apart(drop, on_page, zones) for on_page, drop in zip(candidates, drops, strict=True)]
    drops = _without_headings(candidates, drops, zones)
    rows = Counter(row for drop in drops for row in {_row(line) for line in drop})
    usual = {row for row, count in rows.items() if count >= max(_REPEATED, 0.3 * len(pages))}
    kept = []
    for on_page, edge, drop in zip(candidates, outer, drops, strict=True):
        gone = {id(line) for line in drop}
        rest = [line for line in on_page if id(line) not in gone]
        extent = _extent(rest)
        # A head that names each page's section repeats only its place.
        gone.update(
            id(line) for line, _ in edge
            if id(line) not in gone and _row(line) in usual and _is_outermost(line, extent, zones)
            and not _begins_text(line, rest, (), zones)
        )  # fmt: skip
        kept.append([line for line in rest if id(line) not in gone])
    return without_lone_heads(_without_inner_numbers([without_notice(kept[0]), *kept[1:]])) if kept else kept


def _without_inner_numbers(pages: Sequence[list[Line]]) -> list[list[Line]]:
    """Return the pages without the numbers that stood further in than a foot or head as far from the text."""
    found: dict[tuple[int, int], list[tuple[int, Line]]] = defaultdict(list)
    for index, lines in enumerate(pages):
        if not lines:
            continue
        for line in (min(lines, key=lambda line: line.y0), max(lines, key=lambda line: line.y1)):
            if len(line.spans) == 1 and (number := _counts(_text(line))) is not None:
                found[_row(line), number - index].append((index, line))
    gone = {
        (index, id(line))
        for lines in found.values()
        if len(lines) >= max(_REPEATED, _MOST * len(pages))
        for index, line in lines
    }
    if not gone:
        return list(pages)
    return [[line for line in lines if (index, id(line)) not in gone] for index, lines in enumerate(pages)]


def _without_headings(
    candidates: Sequence[Sequence[Line]], drops: Sequence[list[Line]], zones: _Zones
) -> list[list[Line]]:
    """Return the furniture without the unnumbered headings that come back at the top of pages: "Evaluation".

    They stand where the text of other pages begins, and running heads stand above it.
    """
    rows = Counter(_row(line) for drop in drops for line in drop if line.y1 < zones.top)
    seldom = {row for row, count in rows.items() if 1 < count < _MOST * len(drops)}
    if not seldom:
        return list(drops)
    first: Counter[int] = Counter()
    for lines, drop in zip(candidates, drops, strict=True):
        if not any(_row(line) in seldom for line in drop):
            first.update(_begins_at(_without(lines, drop)))
    enough = max(2, _BEGIN * len(drops))
    text = {row for row in seldom if sum(first[row + step] for step in (-1, 0, 1)) >= enough}
    return [
        [
            line for line in drop
            if not (line.y1 < zones.top and _row(line) in text and _WORD.search(_text(line)))
        ]
        for drop in drops
    ]  # fmt: skip


def _begins_at(lines: Sequence[Line]) -> list[int]:
    """Return at which row a page's text begins, if its highest line is set as the next two are."""
    if not lines:
        return []
    first = min(lines, key=lambda line: line.y0)
    near = sorted(
        (line.spans[0].baseline, line.spans[0].font)
        for line in lines
        if line.y0 < first.y0 + _NEAR * (first.y1 - first.y0) and line.x0 < first.x1 and first.x0 < line.x1
    )
    if len(near) < 3 or near[0][1] != near[1][1]:
        return []
    return [_row(first)] if near[1][0] - near[0][0] < near[2][0] - near[1][0] + 1.0 else []


def _apart(drop: Sequence[Line], lines: Sequence[Line], zones: _Zones) -> list[Line]:
    """Return what of a page's furniture stands apart from the text, and from what turned out to be text."""
    found = list(drop)
    while True:
        rest = [
            line for line in found
            if not (_ends_text(line, lines, found, zones) or _begins_text(line, lines, found, zones))
        ]  # fmt: skip
        if len(rest) == len(found):
            return rest
        found = rest


def _ends_text(line: Line, lines: Sequence[Line], drop: Sequence[Line], zones: _Zones) -> bool:
    """Return whether a line goes on with text that stands further out: a caption's words come back.

    A caption's number and its words can have two fonts. Fonts of small capitals may say that they are low.
    """
    height = max(line.y1 - line.y0, line.spans[0].size)
    if line.y1 < zones.top:
        near = [other for other in lines if -2 < line.y0 - other.y1 < height]
    else:
        near = [other for other in lines if -2 < other.y0 - line.y1 < height]
    return any(
        (other.spans[0].font == line.spans[0].font or _CAPTION.match(_text(other)))
        and not any(other is gone for gone in drop)
        for other in near
    )


def _begins_text(line: Line, lines: Sequence[Line], drop: Sequence[Line], zones: _Zones) -> bool:
    """Return whether a line stands right at text of its own font and size further inward, as its next line.

    Heads and feet stand apart from the text. Last words of footnotes ("page.") do come back at one height.
    """
    if not _WORD.search(_text(line)):
        return False
    top = line.y1 < zones.top
    near, own = (_NEXT if top else _NEXT_AT_FOOT) * (line.y1 - line.y0), line.spans[0]
    return any(
        -2 < (other.y0 - line.y1 if top else line.y0 - other.y1) < near
        and any(span.font == own.font and abs(span.size - own.size) < 0.1 for span in other.spans)
        and other.x0 < line.x1
        and line.x0 < other.x1
        and not any(other is gone for gone in drop)
        for other in lines
    )


def _row(line: Line) -> int:
    return round(line.spans[0].baseline)


def _repeated(
    pages: Sequence[Page],
    extents: Sequence[tuple[float, float]],
    outer: Sequence[Sequence[tuple[Line, str]]],
    zones: _Zones,
) -> set[tuple[str, int]]:
    """Return what stands at one height of three pages, or of two as their outermost line, word by word.

    Heads of left and right pages differ: in a short paper each comes twice.
    """
    seen: dict[tuple[str, int], set[int]] = defaultdict(set)
    verbatim: dict[tuple[str, int, str], set[int]] = defaultdict(set)
    for page, extent, edge in zip(pages, extents, outer, strict=True):
        for line, text in edge:
            key = _key(line, text)
            seen[key].add(page.number)
            if _WORD.search(text) and _is_outermost(line, extent, zones):
                verbatim[*key, _AROUND.sub("", text)].add(page.number)
    enough = max(2, min(_REPEATED, len(pages)))
    found = {key for key, numbers in seen.items() if len(numbers) >= enough}
    found |= {(key, row) for (key, row, _), numbers in verbatim.items() if len(numbers) >= 2}
    found -= _headings(pages, outer, found)
    # A first page's foot can stand a point lower.
    return found | {(key, row + step) for key, row in found for step in (-1, 1)}


def _headings(
    pages: Sequence[Page], outer: Sequence[Sequence[tuple[Line, str]]], repeated: set[tuple[str, int]]
) -> set[tuple[str, int]]:
    """Return what of the repeated has another section number each time: "3 Methods", "5 Methods" twice.

    Numbers in step with the pages are theirs, and one number on several pages is a running head's.
    """
    numbers: dict[tuple[str, int], list[tuple[int, str]]] = defaultdict(list)
    for page, edge in zip(pages, outer, strict=True):
        for line, text in edge:
            if (key := _key(line, text)) in repeated:
                numbers[key].append((page.number, _section_number(line, text, edge)))
    return {
        key for key, found in numbers.items()
        if len(found) > 1
        and len({number for _, number in found if number}) == len(found)
        and len({int(number) - page if number.isdecimal() else number for page, number in found}) > 1
    }  # fmt: skip


def _section_number(line: Line, text: str, edge: Sequence[tuple[Line, str]]) -> str:
    """Return the number before a line's words, or that of the line to its left; empty: there is none."""
    near = [
        other for gone, other in edge
        if gone is not line and gone.y0 < line.y1 and gone.y1 > line.y0
        and 0 <= line.x0 - gone.x1 < _TITLE_AFTER * (line.y1 - line.y0)
    ]  # fmt: skip
    for written in (text, *near):
        if number := _SECTION_NUMBER.match(written):
            return number[1]
    return ""


def _offsets(pages: Sequence[Page], outer: Sequence[Sequence[tuple[Line, str]]]) -> set[int]:
    """Return by how much printed page numbers differ from the pages' places in the file."""
    found: dict[int, set[int]] = defaultdict(set)
    for page, lines in zip(pages, outer, strict=True):
        for _, text in lines:
            if (number := _counts(text)) is not None:
                found[number - page.number].add(page.number)
    return {offset for offset, numbers in found.items() if len(numbers) >= max(2, 0.3 * len(pages))}


def _counts(text: str) -> int | None:
    """Return the number that a page's edge prints, alone or as "Page 2 of 3"."""
    digits = _PAGE_NUMBER.fullmatch(text) and _FIRST_NUMBER.search(text)
    return int(digits[0]) if digits else None


def _is_page_number(line: Line, text: str, page: Page, lines: Sequence[Line], offsets: set[int]) -> bool:
    """Return whether an outermost number counts the pages: in step with others, or all by itself.

    The last index of a formula at the foot of a page is neither: it touches what it stands on.
    """
    if any(other is not line and _is_near(other, line) for other in lines):
        return False
    number = _counts(text)
    in_step = number is not None and number - page.number in offsets
    height = line.y1 - line.y0
    return in_step or not any(
        other.y0 < line.y1 + height and other.y1 > line.y0 - height for other in lines if other is not line
    )


def _counting(edge: Sequence[tuple[Line, str]], page: int, offsets: set[int]) -> list[Line]:
    """Return what is in step with the pages at a page's edge: its number."""
    return [line for line, text in edge if (n := _counts(text)) is not None and n - page in offsets]


def _without(lines: Sequence[Line], others: Sequence[Line]) -> list[Line]:
    gone = {id(line) for line in others}
    return [line for line in lines if id(line) not in gone]


def _beside_number(
    drop: Sequence[Line], edge: Sequence[tuple[Line, str]], page: int, offsets: set[int]
) -> list[Line]:
    """Return what stands on the row of a number that counts the pages: heads that come once.

    A heading stands right after its number, which can be in step with the pages by chance, and not before it.
    """
    gone = {id(line) for line in drop}
    numbers = [line for line in _counting(edge, page, offsets) if id(line) in gone]
    return [
        line for line, _ in edge
        if id(line) not in gone and any(
            abs(line.spans[0].baseline - number.spans[0].baseline) < _ROW
            and max((line.x0 - number.x1) / _TITLE_AFTER, number.x0 - line.x1) > line.y1 - line.y0
            for number in numbers
        )
    ]  # fmt: skip


def _named_sections(
    pages: Sequence[Sequence[Line]], outer: Sequence[Sequence[tuple[Line, str]]], zones: _Zones
) -> list[list[Line]]:
    """Return each page's highest lines that name a section: in a short chapter such a head comes once.

    The title stands in larger letters on the page or before it. Where the text of any page begins at a head's
    row, it is a title of the same words; and heads stand above where the text of several pages begins.
    """
    titles: dict[str, float] = {}
    found: list[list[Line]] = []
    for lines, edge in zip(pages, outer, strict=True):
        usual = median(line.spans[0].size for line in lines) if lines else 0.0
        for line in lines:
            if line.spans[0].size > _TITLE * usual:
                words = _title_words(_text(line))
                titles[words] = max(titles.get(words, 0.0), line.spans[0].size)
        top = min((line.y0 for line in lines), default=0.0)
        found.append([
            line for line, text in edge
            if line.y1 < zones.top and line.y0 < top + _ROW and not line.spans[0].bold and _WORD.search(text)
            and _TITLE * line.spans[0].size < titles.get(_title_words(text), 0.0)
        ])  # fmt: skip
    if not any(found):
        return found
    begins = Counter(
        row for lines, named in zip(pages, found, strict=True) for row in _begins_at(_without(lines, named))
    )
    usual_row = max((row for row, count in begins.items() if count > 1), default=0)
    return [
        [
            line for line in named
            if _row(line) + 1 < usual_row and not any(begins[_row(line) + step] for step in (-1, 0, 1))
        ]
        for named in found
    ]  # fmt: skip


def _title_words(text: str) -> str:
    """Return a title without a number before it; the number may come as a piece of its own."""
    number = _SECTION_NUMBER.match(text)
    return _AROUND.sub("", text[number.end() :] if number else text).strip(" .").casefold()


def _is_near(other: Line, line: Line) -> bool:
    """Return whether two lines overlap in height and nearly touch sideways."""
    return other.y0 < line.y1 and other.y1 > line.y0 and other.x0 < line.x1 + 3 and other.x1 > line.x0 - 3


def _zones(pages: Sequence[Sequence[Line]]) -> _Zones:
    """Return the zones, from the usual top and bottom of the pages' text."""
    tops = sorted(min(line.y0 for line in lines) for lines in pages if lines)
    bottoms = sorted(max(line.y1 for line in lines) for lines in pages if lines)
    if not tops:
        return _Zones(0.0, 0.0)
    top, bottom = tops[len(tops) // 3], bottoms[(2 * len(bottoms)) // 3]
    depth = _ZONE * (bottom - top)
    return _Zones(top + depth, bottom - depth)


def _is_furniture(
    line: Line,
    text: str,
    lines: Sequence[Line],
    submitted: Sequence[Line],
    repeated: set[tuple[str, int]],
) -> bool:
    if not text or _STAMP.match(text):
        return True
    # The date stands on the same line.
    if any(near.y0 < line.y1 and near.y1 > line.y0 for near in submitted):
        return True
    if _key(line, text) not in repeated or _CAPTION.match(text):
        return False
    return bool(_WORD.search(text)) or (
        text.isdigit() and not any(other is not line and _is_near(other, line) for other in lines)
    )


def _text(line: Line) -> str:
    return " ".join("".join([span.text for span in line.spans]).split())


def _extent(lines: Sequence[Line]) -> tuple[float, float]:
    """Return where the highest line ends and where the lowest begins."""
    return min([line.y1 for line in lines], default=0.0), max([line.y0 for line in lines], default=0.0)


def _is_outermost(line: Line, extent: tuple[float, float], zones: _Zones) -> bool:
    """Return whether nothing stands further out, above or below: a page number does, a formula does not."""
    return line.y0 <= extent[0] if line.y1 < zones.top else line.y1 >= extent[1]


def _key(line: Line, text: str) -> tuple[str, int]:
    return _without_digits(text), round(line.y0 / 6)


@lru_cache(maxsize=4096)  # asked several times of each line at a page's edge
def _without_digits(text: str) -> str:
    return _DIGITS.sub("#", text)
