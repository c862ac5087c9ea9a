"""Levels of headings: by number, else as the outline has them, else by what stands out more."""

# ruff: noqa: RUF001 - the characters are meant as they are
from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from search.documents.edges import Edges
from search.documents.kinds import LIST_TITLES
from search.documents.lines import TextLine
from search.documents.numbering import Number

#: So many marked headings in one style make it a style of headings, also of those that outlines leave out.
USUAL = 2
_ALWAYS_MAIN = re.compile(
    rf"(?:abstract|list of (?:tables|figures)|references.*|{LIST_TITLES}|appendix|appendices)[.:]?",
    re.IGNORECASE,
)
_APPENDIX = re.compile(r"appendi(?:x|ces|xes)[.:]?", re.IGNORECASE)
_THANKS = re.compile(r"acknowledge?ment", re.IGNORECASE)
#: What centred and slanted titles count for, in points of size: less than any two sizes differ by.
_CENTRED, _SLANTED = 0.2, 0.1
#: In sizes: by how much the distances to the text below differ of titles of two levels that look alike.
_OTHER_GAP = 0.4
#: Letters of a name that is written in capitals in any style.
_ACRONYM = 8


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading and the lines it stands on: `lines[start:end]`."""

    start: int
    end: int
    title: str
    number: str | None
    level: int
    page: int


#: Size (to half a point), font, bold, all capitals.
Style = tuple[float, str, bool, bool]
#: The same, and whether text follows on the heading's line.
Setting = tuple[float, str, bool, bool, bool]
#: The same without size.
Face = tuple[str, bool, bool, bool]
_SIZES = re.compile(r"\d+")


@dataclass(slots=True)
class Candidate:
    """One line or a few that might be a heading."""

    start: int
    end: int
    text: str
    number: Number | None
    title: str
    style: Setting
    score: float
    known: bool
    page: int
    #: Whether a paragraph in the text's own font begins below.
    opens: bool = False


def face_of(style: Setting) -> Face:
    """Return what headings of several levels have in common; TeX's fonts have their sizes in their names."""
    _, font, bold, capitals, runs_in = style
    return _SIZES.sub("", font), bold, capitals, runs_in


def without_capitals(style: Setting) -> Setting:
    """Return the style without capitals: some classes set titles in capitals that have no number."""
    size, font, bold, _, runs_in = style
    return size, font, bold, False, runs_in


def _prominence(style: Setting) -> tuple[float, bool, bool, bool]:
    """Return what makes one unnumbered style stand above another: size, then capitals, weight, own line."""
    size, _, bold, capitals, runs_in = style
    return size, capitals, bold, not runs_in


def _levels_of_styles(chosen: Sequence[Candidate], marked: Mapping[int, int]) -> dict[Setting, int]:
    """Return the level of each style: its numbers', else the outline's, else one below what stands out more.

    Titles that are always sections show what sections look like; of such titles in several styles those that
    stand out most, unless numbers say what sections look like. Abstracts and lists may have styles of their
    own.
    """
    by_style: dict[Setting, Counter[int]] = {}
    for c in chosen:
        if c.number:
            by_style.setdefault(c.style, Counter())[c.number.level] += 1
    numbered = bool(by_style)
    for c in chosen:
        if c.start in marked and not c.number:
            by_style.setdefault(c.style, Counter())[marked[c.start]] += 1
    level_of = {style: counts.most_common(1)[0][0] for style, counts in by_style.items()}
    # Sections and their parts can look alike, and what is smaller stands below both.
    deepest = {
        style: max([level for level, count in counts.items() if count >= USUAL], default=0)
        for style, counts in by_style.items()
    }
    ordinary = [c for c in chosen if not c.style[-1] and not _ALWAYS_MAIN.fullmatch(c.title.strip())]
    known = {c.style for c in ordinary if c.known and not c.number}
    if known and not numbered:
        most = max(map(_prominence, known))
        known = {style for style in known if _prominence(style) == most}
    # What "Appendix" alone on its line is set as, the sections below it are.
    for style in known | {c.style for c in chosen if _APPENDIX.fullmatch(c.title) and not c.style[-1]}:
        level_of.setdefault(style, 1)
    for style in {c.style for c in ordinary if c.style[3] and without_capitals(c.style) in level_of}:
        level_of.setdefault(style, level_of[without_capitals(style)])
    others = {c.style for c in ordinary} - level_of.keys()
    for style in sorted(others, key=_prominence, reverse=True):
        above = [
            max(level, deepest.get(other, 0))
            for other, level in level_of.items()
            if _prominence(other) > _prominence(style)
        ]
        level_of[style] = max(above, default=0) + 1 if numbered else min(max(above, default=0) + 1, 3)
    return level_of


def _without_acronyms(chosen: Sequence[Candidate]) -> list[Candidate]:
    """Return the headings; short names in capitals have the style of the others: "PRFL" and "Legion"."""
    count = Counter(c.style for c in chosen)
    spared = {c.style for c in chosen if c.style[3] and (c.known or len(c.title) > _ACRONYM)}
    found = []
    for c in chosen:
        without = without_capitals(c.style)
        if c.style[3] and c.style not in spared and count[without] > count[c.style]:
            found.append(replace(c, style=without))
        else:
            found.append(c)
    return found


def told_apart(
    chosen: Sequence[Candidate], lines: Sequence[TextLine], columns: Mapping[tuple[int, int], Edges]
) -> list[Candidate]:
    """Return headings without numbers, the centred ones as if larger and the slanted ones as if smaller.

    Of one size and weight, centred titles stand above those at the edge, where a style has both; what fills
    its line is neither.
    """
    centred: dict[Setting, list[Candidate]] = {}
    left: Counter[Setting] = Counter()
    for c in chosen:
        line = lines[c.start]
        edges = columns[line.page, line.column]
        if edges.centres(lines[c.start : c.end]):
            centred.setdefault(c.style, []).append(c)
        elif line.x0 < edges.left + 0.5 * line.size and line.x1 < edges.right - 2 * line.size:
            left[c.style] += 1
    above = {
        c.start for style, found in centred.items() for c in found
        if min(len(found), left[style]) >= USUAL
    }  # fmt: skip
    return [
        replace(c, style=(c.style[0] + _CENTRED * (c.start in above) - _SLANTED * slanted, *c.style[1:]))
        for c in chosen
        for slanted in [lines[c.start].italic > 0.6]
    ]


def as_centred(
    chosen: Sequence[Candidate], lines: Sequence[TextLine], columns: Mapping[tuple[int, int], Edges]
) -> list[Candidate]:
    """Return headings, centred ones without numbers in the style of numbered ones that are centred.

    Sections can be capitals in the middle, their parts mixed letters at the edge, and sections without
    numbers mixed letters in the middle.
    """
    centred = {
        c.start: columns[lines[c.start].page, lines[c.start].column].centres(
            lines[c.start : c.end], hanging=c.number is not None
        )
        for c in chosen
    }
    numbered: dict[Setting, Counter[bool]] = {}
    for c in chosen:
        if c.number and not c.style[-1]:
            numbered.setdefault(c.style, Counter())[centred[c.start]] += 1
    middle = {(s[0], s[2]): s for s, count in numbered.items() if count[True] > count[False]}
    return [
        replace(c, style=middle[c.style[0], c.style[2]])
        if centred[c.start] and not c.number and c.style in numbered and not numbered[c.style][True]
        and (c.style[0], c.style[2]) in middle
        else c
        for c in chosen
    ]  # fmt: skip


def below_run_ins(chosen: Sequence[Candidate], lines: Sequence[TextLine]) -> frozenset[int]:
    """Return where titles on lines of their own begin that stand below those that run in.

    All are set alike, and run-in ones come before; the text below is not as near as below sections.
    """
    alike = {c.style[:-1] for c in chosen if c.style[-1] and not c.number}
    gaps: dict[int, float] = {}
    of_sections: dict[tuple[float, str, bool, bool], list[float]] = {}
    for c in chosen:
        if c.style[-1] or c.style[:-1] not in alike or c.end >= len(lines):
            continue
        last, following = lines[c.end - 1], lines[c.end]
        if (last.page, last.column) == (following.page, following.column):
            gaps[c.start] = (following.baseline - last.baseline) / last.size
            if c.number or (c.known and not _ALWAYS_MAIN.fullmatch(c.title.strip())):
                of_sections.setdefault(c.style[:-1], []).append(gaps[c.start])
    found: set[int] = set()
    inside = False
    for c in chosen:
        usual = of_sections.get(c.style[:-1])
        if c.style[-1] and not c.number:
            inside = True
        elif (
            inside and usual and c.start in gaps and not (c.number or c.known)
            and min(abs(gaps[c.start] - gap) for gap in usual) > _OTHER_GAP
        ):  # fmt: skip
            found.add(c.start)
        elif not c.style[-1]:
            inside = False
    return frozenset(found)


def _below_unmarked(chosen: Sequence[Candidate], marked: Mapping[int, int]) -> Mapping[int, int]:
    """Return the outline's levels, one deeper where it lists the sections' parts and not the sections.

    So it is where a class sets its sections by a command of its own: titles such as "INTRODUCTION" stand out
    more than all that the outline lists, which has none of their style.
    """
    listed = {c.style for c in chosen if c.start in marked}
    left_out = Counter(c.style for c in chosen if c.start not in marked and not c.number)
    sections = {c.style for c in chosen if c.known and not _ALWAYS_MAIN.fullmatch(c.title.strip())} - listed
    most = max(map(_prominence, listed), default=None)
    if most and any(left_out[style] >= USUAL and _prominence(style) > most for style in sections):
        return {start: level + 1 for start, level in marked.items()}
    return marked


def levelled(
    chosen: Sequence[Candidate], marked: Mapping[int, int], below: frozenset[int] = frozenset()
) -> list[Heading]:
    """Return the headings with their levels: by number, else as marked, else by style.

    `below`: where those begin that stand below the ones that run in.
    """
    chosen = _without_acronyms(chosen)
    marked = _below_unmarked(chosen, marked)
    ordinary = [c for c in chosen if c.start not in below]
    level_of = _levels_of_styles(ordinary, marked)
    deepest = max((c.number.level for c in chosen if c.number and not c.style[-1]), default=0)
    numbered = any(c.number for c in chosen)
    if not numbered:
        deepest = max((level_of.get(c.style, 1) for c in ordinary if not c.style[-1]), default=2)
    sections = {c.style for c in chosen if c.number}
    headings = []
    for c in chosen:
        # A number that runs with no other says little of its level; the outline says more.
        if c.number and (c.number.depth or c.start not in marked):
            level = c.number.level
        elif c.start in below:
            level = deepest + 2
        elif c.start in marked:
            level = marked[c.start]
        elif c.style[-1] and not _THANKS.match(c.title):
            # Without a number, what has no line of its own stands below the sections and their subsections.
            # A style that numbered ones have is theirs. Where nothing has numbers, all on lines of their own
            # may be sections.
            # What looks as they do but for that stands right below them.
            alike = not numbered or (*c.style[:-1], False) in sections
            level = level_of.get(c.style) or (deepest + 1 if alike else max(3, deepest + 1))
        elif _ALWAYS_MAIN.fullmatch(c.title.strip()):
            level = 1
        else:
            level = level_of.get(c.style, 1)
        title = c.title.strip().rstrip(".: –—").strip() or c.text
        headings.append(Heading(c.start, c.end, title, c.number.printed if c.number else None, level, c.page))
    return headings
