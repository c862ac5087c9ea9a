"""Sections: what stands between two headings, with path and kind; and what stands before the first."""

# ruff: noqa: RUF001 - the characters are meant as they are
from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from search.documents.floats import SMALLER, Called, called_notes, kinds_in_list, opens_footnote
from search.documents.kinds import section_kind
from search.documents.levels import Heading
from search.documents.lines import TextLine
from search.documents.paragraphs import Paragraph, paragraphs, set_apart
from search.documents.style import BodyStyle
from search.models import Section, SectionKind

#: Parts of structured abstracts.
_LABEL = re.compile(
    r"(?:background|context|introduction|motivation|objectives?|purpose|aims?|significance|methods?"
    r"|materials? and methods?|methodology|approach|results?|findings|discussion|conclusions?"
    r"|key ?words?)[.:]?",
    re.IGNORECASE,
)
_RUN_IN_ABSTRACT = re.compile(r"(?:A(?:bstract|BSTRACT)|S(?:ummary|UMMARY))\s*(?:[.:—–-]+\s*|(?=[A-Z]))")
_WORD = re.compile(r"[^\W\d_]{2,}")
_END = re.compile(r"[a-z)\]\d][.?!](?:\s|$)")
#: A paragraph before the first heading is prose, and then the abstract, from so many characters on.
_PROSE = 250
#: Characters of an abstract; arXiv takes 1,920, journals print some that are longer.
_LONGEST_ABSTRACT = 4000
#: Share of the paper's lines in which "Literature" heads a review of it, and no list.
_REVIEWED = 0.3
#: What follows names stands so many leadings below them, or they take less of the width than its first line.
_APART, _NARROW = 1.8, 0.7
#: What the authors' addresses at the end of a paper hold, and so many lines they take at most.
_EMAIL = re.compile(r"[\w.+}-]@[\w-]+(?:\.[\w-]+)+")
_LONGEST_ADDRESSES = 25
#: So many leadings below the text; of three classes 1.4 to 3.
_ABOVE_ADDRESSES = 1.35


@dataclass(slots=True)
class Part:
    """A section and the paragraphs that stand in it; `section` is None for text without a heading."""

    section: Section | None
    lines: Sequence[TextLine]
    paragraphs: list[Paragraph]


def parts(lines: Sequence[TextLine], headings: Sequence[Heading], body: BodyStyle) -> list[Part]:
    """Return the paper's sections in reading order, each with its own text."""
    called = called_notes(lines)
    if not headings:
        return [_letter(_without_addresses(lines, body, called), body, called)]
    before = lines[: headings[0].start]
    if _kind(headings[0], lines) == "references":  # a paper without headings, and its list
        found = [_letter(before, body, called)] if before else []
    else:
        is_abstract = _kind(headings[0], lines) == "abstract"
        found = [] if is_abstract else _front(before, lines[headings[0].start], body, called)
    path: list[str] = []
    appendix = False
    for heading, following in zip(headings, [*headings[1:], None], strict=True):
        inside = lines[heading.end : following.start if following else len(lines)]
        below = lines[following.start] if following else None
        level = max(1, heading.level)
        path = [*path[: level - 1], heading.title]
        appendix = appendix or _opens_appendix(heading)
        kind = _kind(heading, lines, appendix=appendix)
        if not following and kind != "references":
            inside = _without_addresses(inside, body, called)
        section = Section(
            title=heading.title,
            number=heading.number,
            level=level,
            kind=kind,
            page=heading.page,
            path=tuple(path),
        )
        found.append(
            _list(section, inside, called, body)
            if kind == "references"
            else Part(section, inside, paragraphs(inside, body, called, below))
        )
    return found


def _without_addresses(lines: Sequence[TextLine], body: BodyStyle, called: Called) -> Sequence[TextLine]:
    """Return a paper's last lines without its authors' addresses: small print, and an e-mail's."""
    end = len(lines)
    while end and lines[end - 1].size <= SMALLER * body.size:
        end -= 1
    rest = lines[end:]
    note = next((i for i, line in enumerate(rest) if opens_footnote(line, called)), len(rest))
    addresses = rest[:note]
    if not end or not 0 < len(addresses) <= _LONGEST_ADDRESSES:
        return lines
    step = addresses[0].baseline - lines[end - 1].baseline
    beside = addresses[0].page == lines[end - 1].page and 0 < step < _ABOVE_ADDRESSES * body.leading
    if beside or not any(_EMAIL.search(line.text) for line in addresses):
        return lines
    return [*lines[:end], *rest[note:]]


def _letter(lines: Sequence[TextLine], body: BodyStyle, called: Called) -> Part:
    """Return a text without headings; names and addresses before its first prose are left out."""
    found = paragraphs(lines, body, called)
    first = next((i for i, p in enumerate(found) if _is_prose(p)), None)
    if first is not None and found[first].lines[0].page <= lines[0].page + 1:  # a page may hold the title
        found[first].lines = _without_names(found[first].lines, body)
        found = [p for i, p in enumerate(found) if i >= first or p.kind != "text"]
    return Part(None, lines, found)


def _list(section: Section, lines: Sequence[TextLine], called: Called, body: BodyStyle) -> Part:
    """Return a reference list: its lines are the entries', its paragraphs what floats among them."""
    lines = [line for line in lines if line.text]
    kinds = kinds_in_list(lines, called, body.leading)
    entries = [line for line, kind in zip(lines, kinds, strict=True) if kind == "text"]
    return Part(section, entries, set_apart(lines, kinds, called))


def has_list(lines: Sequence[TextLine], headings: Sequence[Heading]) -> bool:
    """Return whether one of the headings is a reference list's."""
    return any(_kind(heading, lines) == "references" for heading in headings)


def _kind(heading: Heading, lines: Sequence[TextLine], *, appendix: bool = False) -> SectionKind:
    early = bool(heading.number) or heading.start < _REVIEWED * len(lines)
    return section_kind(heading.title, appendix=appendix, review=early)


def _opens_appendix(heading: Heading) -> bool:
    if heading.title.casefold().startswith(("appendi", "supplement")):
        return True
    return (
        bool(heading.number)
        and heading.level == 1
        and str(heading.number)[0].isalpha()
        and not _roman(str(heading.number))
    )


def _roman(number: str) -> bool:
    return set(number) <= set("IVX")


def _front(lines: Sequence[TextLine], heading: TextLine, body: BodyStyle, called: Called) -> list[Part]:
    """Return the abstract that stands before the first heading; authors and addresses are left out.

    What stands below a title that was not told follows it, in no section.
    """
    if not lines:
        return []
    opening = next((i for i, line in enumerate(lines) if _RUN_IN_ABSTRACT.match(line.text)), None)
    found = paragraphs(lines[opening or 0 :], body, called, heading, front=True)
    if opening is None:
        chosen = [p for p in found if _is_prose(p) and p.kind != "footnote"]
        if chosen:
            chosen[0].lines = _without_names(chosen[0].lines, body)
    else:
        first = lines[opening]
        chosen = [p for p in found if p.kind != "footnote" and (_is_prose(p) or p.lines[0] is first)]
        mark = _RUN_IN_ABSTRACT.match(first.text)
        first.text = first.text[mark.end() if mark else 0 :]
    if not chosen:
        return []
    chosen, rest = _up_to_title(chosen, found)
    if _length(chosen) > _LONGEST_ABSTRACT:  # a letter, whose text goes on without a heading
        summary, rest = chosen[0], found[found.index(chosen[0]) + 1 :]
        if _length([summary]) > _LONGEST_ABSTRACT:
            return [_without_section([summary, *rest])]
        chosen = [summary]
    for paragraph in chosen:  # which nothing divides
        paragraph.apart = False
    page = chosen[0].lines[0].page
    section = Section(title="Abstract", level=1, kind="abstract", page=page, path=("Abstract",))
    abstract = Part(section, [line for p in chosen for line in p.lines], chosen)
    return [abstract, _without_section(rest)] if rest else [abstract]


def _up_to_title(chosen: list[Paragraph], found: list[Paragraph]) -> tuple[list[Paragraph], list[Paragraph]]:
    """Return what of an abstract stands before a title that was not told, and all from there on.

    Labels of the abstract's own parts are no such titles.
    """
    places = {id(p): at for at, p in enumerate(found)}
    inside = {places[id(p)] for p in chosen}
    for at in range(min(inside) + 1, max(inside)):
        if found[at].apart and at not in inside and not _LABEL.fullmatch(found[at].lines[0].text.strip()):
            return [p for p in chosen if places[id(p)] < at], found[at:]
    return chosen, []


def _without_names(lines: list[TextLine], body: BodyStyle) -> list[TextLine]:
    """Return a paragraph's lines without the names and addresses above it: narrow lines, or far above."""
    widest = max(line.x1 - line.x0 for line in lines)
    begin = 0
    for line, below in pairwise(lines):
        step = below.baseline - line.baseline
        far = step > _APART * max(body.leading, line.size)
        if line.page != below.page or not (far or line.x1 - line.x0 < _NARROW * widest):
            break
        begin += 1
    return lines[begin:]


def _without_section(found: list[Paragraph]) -> Part:
    return Part(None, [line for p in found for line in p.lines], found)


def _length(found: Sequence[Paragraph]) -> int:
    return sum(len(line.text) for p in found for line in p.lines)


def _is_prose(paragraph: Paragraph) -> bool:
    """Return whether a paragraph is written in sentences; lists of names and addresses are not."""
    text = " ".join(line.text for line in paragraph.lines)
    words = _WORD.findall(text)
    small = sum(word.islower() for word in words)
    return len(text) >= _PROSE and bool(_END.search(text)) and small > 0.6 * len(words)
