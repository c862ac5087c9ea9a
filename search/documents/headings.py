"""Headings: lines that stand out from the body, in styles that recur, with numbers that run in order.

Three kinds of evidence, none of which is enough alone: how a line looks (size, weight, capitals, space
around it), whether its number is the legal successor of the one before, and whether its style is one that
numbered headings of the same paper have. Bookmarks in the file add to it where the page confirms them.
"""

# ruff: noqa: RUF001 - the characters are meant as they are
from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from search.documents.bookmarks import Mark
from search.documents.edges import Edges, edges_of
from search.documents.floats import CAPTION
from search.documents.joining import text_of, vocabulary_of
from search.documents.kinds import LIST_TITLES
from search.documents.levels import (
    USUAL,
    Candidate,
    Face,
    Heading,
    Setting,
    Style,
    as_centred,
    below_run_ins,
    face_of,
    levelled,
    told_apart,
    without_capitals,
)
from search.documents.lines import TextLine
from search.documents.numbering import longest_run, parse_number
from search.documents.run_in import is_run_in
from search.documents.style import BodyStyle

#: So many titles of sections without a number, before lettered ones, say that sections have none: one can be
#: an introduction.
_USUAL_TITLES = 2
#: A line needs this much evidence to be a numbered heading; without a number it needs more.
NUMBERED_FROM, UNNUMBERED_FROM = 2.0, 3.0
#: With a number that fits between others, in the style of others that have more.
_ALIKE_FROM = 0.5
#: What a line in another font with space above and below has, if nothing speaks against it.
_SLANTED_FROM = 1.8
#: The same without space below, as ascelike sets them, where a paragraph of the text begins there.
_SLANTED_ABOVE_TEXT = 1.5
#: For a number; one of three parts hardly begins a line of text.
_NUMBERED, _DEEP = 0.7, 0.9
#: For a number and a title in another style that end before the text does: what no gap can show there.
_CUT = 1.5
#: Of the text's size; what is smaller is set small.
_SMALL = 0.93
#: A bold title without a number that runs in: how the paper sets others was asked where it was cut.
_RUN_IN_FROM = 2.0
#: For a list's title in small print, as its entries are: what speaks against small print elsewhere.
_SMALL_LIST = 1.5
#: Lines of a paragraph have so many; names and addresses hardly do twice.
_FULL = 40
#: A line of text has so many characters; a formula's words have fewer.
_TEXT = 25
#: Set as numbered ones are, which was asked there too.
_LIKE_NUMBERED_FROM = 0.0
#: Of the same style as others that run in, below a gap.
_FILLED_FROM = 0.8
_LONGEST_TITLE = 160
#: For a number of three parts below a gap, the more: what nothing else sets off needs none below.
_DEEP_APART = 0.4
_THREE_PARTS = re.compile(r"(?:\d{1,2}|[A-Z])(?:\.\d{1,2}){2,3}[.:]?\s+[A-Z]")
#: In leadings, from a number alone on its line to its title.
_CLOSE = 1.25
#: In sizes, from "Chapter 2" to its title; LaTeX's report sets it 2.2 away.
_BELOW_CHAPTER = 3.0
#: In sizes, twice the distance of their middles: rules on both sides of a long title push it to the right.
_OFF = 3.0
#: A title of 120 letters in capitals takes five lines of a narrow column.
_MOST_LINES = 6

#: Titles that are headings wherever they stand alone, in any style.
_KNOWN = re.compile(
    rf"(?:abstract|introduction|{LIST_TITLES}|acknowledge?ments?"
    r"|conclusions?|concluding remarks|conclusions? and (?:outlook|discussion|future work)|discussion"
    r"|appendix|appendices|appendixes|summary|related work|supplementary materials?"
    r"|nomenclature|key ?words(?: and phrases)?)[.:]?",
    re.IGNORECASE,
)
_LIST = re.compile(rf"references|bibliography|(?:{LIST_TITLES})$", re.IGNORECASE)
_LIST_ALONE = re.compile(rf"(?:{LIST_TITLES})[.:]?", re.IGNORECASE)
_OPENING = re.compile(r"abstract|introduction|summary", re.IGNORECASE)
#: What sections without a number are beside numbered ones.
_BESIDE = re.compile(
    rf"abstract|summary|key ?words|nomenclature|acknowledge?ment|{_LIST.pattern}", re.IGNORECASE
)
_INITIAL = re.compile(r"[A-Z]\.?")
_KEYWORDS = re.compile(r"key ?words", re.IGNORECASE)
_STATEMENT = re.compile(
    r"(?:Theorem|Lemma|Proposition|Corollary|Definition|Remark|Claim|Conjecture|Assumption|Example|Proof|Case"
    r"|Step|Exercise|Question|Problem|Fact|Observation|Property)\b", re.IGNORECASE,
)  # fmt: skip
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_FORMULA = re.compile(r"[=≤≥≈∑∫→∈]|\^\{|_\{")


def find_headings(
    lines: Sequence[TextLine],
    body: BodyStyle,
    marks: Sequence[Mark] = (),
    vocabulary: frozenset[str] | None = None,
    evidence: Sequence[float] = (),
) -> list[Heading]:
    """Return the paper's headings in reading order; an empty list where nothing can be told.

    Args:
        lines: the whole paper, without its title.
        body: the style of its ordinary text.
        marks: the bookmarks, or names, that the pages confirm. What bookmarks leave out is a
            heading only by its number's place in the run, or as one of the titles that outlines leave out.
        vocabulary: of the lines, where it is known already (see `joining.vocabulary_of`).
        evidence: points for each line from elsewhere (see `search.documents.layout`); empty for none.
    """
    words = vocabulary_of(lines) if vocabulary is None else vocabulary
    look = _Look(lines, body, {mark.start: mark for mark in marks if mark.sure}, words, evidence)
    candidates = _without_entries(_without_initials(_candidates(look)), body)
    candidates = _with_appendices(candidates)
    chosen = _chain(candidates)
    if len(chosen) == 1 and chosen[0].score < UNNUMBERED_FROM and not chosen[0].known:
        chosen = []
    if not chosen or (len(chosen) == 1 and _is_article(chosen[0])):
        chosen, candidates = [], [_without_article(c) for c in candidates]
    taken = {c.start for c in chosen}
    known = [c for c in candidates if c.start not in taken and c.known and c.score >= 1.0]
    has_numbers = _are_numbered(chosen, known)
    styles = Counter(c.style for c in (*chosen, *known))
    taken |= {c.start for c in known}
    # Before the abstract or the first section stand authors and addresses, in any style; a list comes last.
    sections = [c.start for c in (*chosen, *known) if not _LIST.match(c.title)]
    told = bool(sections)
    if not sections and known:  # then only the first page can be theirs
        sections = [next((i for i, line in enumerate(lines) if line.page > lines[0].page), len(lines)) - 1]
    first = min(sections, default=len(lines))
    if not has_numbers and (not told or lines[first].page > lines[0].page):
        first = min(first, _first_text(lines, body))
    others = [c for c in candidates if c.start not in taken and c.start > first]
    if not has_numbers:
        styles += _recurring(others)
        # As the text is set, no heading can be told by its style: nor can an entry's "A. Name, Journal".
        plain = _plain(body)
        styles = Counter({style: count for style, count in styles.items() if style[:-1] != plain})
    chosen += known
    alone = [c for c in others if _stands_alone(c, styles, has_numbers=has_numbers)]
    # What one of them has is a style of headings, for those with less evidence as well.
    more = _like(alone, others) if has_numbers else _smaller([*chosen, *alone], others)
    chosen += alone + more + _filled([*alone, *more], others, look)
    if marks:
        chosen = _with_marks(chosen, candidates, marks)
    chosen.sort(key=lambda c: c.start)
    place = as_centred if any(c.number for c in chosen) else told_apart
    chosen = place(chosen, lines, look.edges)
    marked = {mark.start: mark.level for mark in marks if mark.sure}
    return levelled(chosen, marked, below_run_ins(chosen, lines))


def _are_numbered(chosen: Sequence[Candidate], known: Sequence[Candidate]) -> bool:
    """Return whether a paper's sections have numbers, not its appendices only."""
    if not chosen or any(c.number and c.number.scheme != "appendix" for c in chosen):
        return bool(chosen)
    titles = [c for c in known if c.start < chosen[0].start and not _BESIDE.match(c.title)]
    return len(titles) < _USUAL_TITLES


def _like(alone: Sequence[Candidate], others: Sequence[Candidate]) -> list[Candidate]:
    """Return what else is set as headings without a number are, on a line of its own."""
    styles = {c.style for c in alone if not c.style[-1]}
    taken = {c.start for c in alone}
    return [
        c for c in others
        if c.style in styles and c.start not in taken and c.number is None and c.score >= UNNUMBERED_FROM
    ]  # fmt: skip


def _filled(chosen: Sequence[Candidate], others: Sequence[Candidate], look: _Look) -> list[Candidate]:
    """Return what is set as titles without a number that run in, and fills its line: text stands below it."""
    styles = {
        style[:-1] for style, count in Counter(c.style for c in chosen).items() if style[-1] and count > 1
    }
    taken = {c.start for c in chosen}
    found = []
    for c in others:
        if (
            c.start in taken
            or c.style[-1]
            or c.style[:-1] not in styles
            or c.number
            or c.score < _FILLED_FROM
        ):
            continue
        last = look.lines[c.end - 1]
        if last.x1 > look.edges[last.page, last.column].right - last.size and c.text.endswith(
            (".", "?", "!")
        ):
            found.append(replace(c, style=(*c.style[:-1], True)))
    return found


def _smaller(chosen: Sequence[Candidate], others: Sequence[Candidate]) -> list[Candidate]:
    """Return what is set as the headings are, only smaller: one that comes once has no style that recurs."""
    sizes: dict[Face, float] = {}
    for c in chosen:
        if not c.style[-1]:
            sizes[face_of(c.style)] = max(c.style[0], sizes.get(face_of(c.style), 0.0))
    taken = {c.start for c in chosen}
    return [
        c for c in others
        if c.start not in taken
        and c.score >= UNNUMBERED_FROM
        and c.style[0] < sizes.get(face_of(c.style), 0.0)
    ]  # fmt: skip


def _chain(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the numbered headings: those that run in order, and look like others that do.

    What is set as clear headings are needs less evidence of its own, if its number fits in between.
    """
    numbered = [c for c in candidates if c.number and c.score >= NUMBERED_FROM]
    chosen = _run(numbered)
    looks = {c.style[:-1] for c in chosen}
    weak = [
        c for c in candidates if c.number and _ALIKE_FROM <= c.score < NUMBERED_FROM and c.style[:-1] in looks
    ]
    return _run(sorted([*numbered, *weak], key=lambda c: c.start)) if weak else chosen


def _with_appendices(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates, with letters set as the roman sections before them named as appendices.

    Where letters are subsections too, those are set otherwise. In REVTeX, whose sections are in capitals, a
    subsection "C. CBT" looks as they do: only where the first of them is A are they appendices.
    """
    clear = [
        (c, c.number) for c in candidates if c.number and not c.number.named and c.score >= NUMBERED_FROM
    ]
    roman = [c for c, number in clear if number.scheme == "roman" and len(number.printed) > 1]
    letters = [(c, n) for c, n in clear if n.scheme == "appendix" and len(n.parts) == 1]
    if not roman:
        return list(candidates)
    style = Counter(c.style for c in roman).most_common(1)[0][0]
    same = [(c, n) for c, n in letters if c.style == style and c.start > roman[-1].start]
    if all(c.style == style for c, _ in letters) or not same or same[0][1].parts != (1,):
        return list(candidates)
    named = {c.start: replace(number, named=True) for c, number in same}
    return [replace(c, number=named.get(c.start, c.number)) for c in candidates]


def _is_article(c: Candidate) -> bool:
    """Return whether what looks like an appendix's letter may be a word: "A Mapping Approach"."""
    return c.number is not None and not c.number.named and c.number.printed == "A" and c.text.startswith("A ")


def _without_article(c: Candidate) -> Candidate:
    return replace(c, number=None, title=c.text) if _is_article(c) else c


def _without_initials(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates; names of authors above the abstract, "A. Name" and "B. Name", have no number."""
    opening = next((at for at, c in enumerate(candidates) if c.known and _OPENING.match(c.title)), 0)
    return [
        replace(c, number=None, title=c.text)
        if at < opening and c.number and not c.number.named and _INITIAL.fullmatch(c.number.printed)
        else c
        for at, c in enumerate(candidates)
    ]


def _without_entries(candidates: Sequence[Candidate], body: BodyStyle) -> list[Candidate]:
    """Return the candidates without a list's entries: "6. B. Name" follows the paper's fifth section.

    They stand below the last list's title and are set as the text, which the sections before it are not.
    """
    start = max(
        (c.start for c in candidates if c.known and not c.number and _LIST.match(c.title)), default=None
    )
    plain = _plain(body)
    numbered = [c for c in candidates if c.number and c.score >= NUMBERED_FROM]
    if start is None or not any(c.style[:-1] != plain for c in numbered if c.start < start):
        return list(candidates)
    return [
        c for c in candidates
        if c.start < start or c.style[:-1] != plain or not c.number or c.number.named
    ]  # fmt: skip


def _plain(body: BodyStyle) -> Style:
    """Return the style of the text, as `style_of` tells it."""
    return round(2 * body.size) / 2, body.font, False, False


def _run(candidates: Sequence[Candidate]) -> list[Candidate]:
    run = longest_run([(c.number, c.score) for c in candidates if c.number])
    return [replace(candidates[index], number=number) for index, number in run]


def _with_marks(
    chosen: Sequence[Candidate], candidates: Sequence[Candidate], marks: Sequence[Mark]
) -> list[Candidate]:
    """Return the marked headings, and of the others the well-known ones and what the file does not exclude.

    Beside bookmarks numbered ones stay, and what looks as the marked ones do; hyperref names every section,
    so beside its names only what stands below one, or looks as its sections do: some classes set sections
    without number by commands of their own. Titles without a number that run in, neither lists. Outlines
    have so many levels and no more: what is set as they are, only smaller, may stand below them.
    """
    starts = {mark.start for mark in marks if mark.sure}
    by_start = {c.start: c for c in (*candidates, *chosen)}
    listed = any(mark.listed for mark in marks)
    possible = {mark.start for mark in marks}
    marked = [by_start[start] for start in sorted(starts) if start in by_start]
    first = min((c.start for c in marked if c.number), default=0)
    counted = [
        *marked,
        *(c for c in chosen if (c.known or (c.number and listed)) and c.start not in starts),
    ]
    usual = {style for style, count in Counter(c.style for c in counted).items() if count >= USUAL}
    smallest: dict[Face, float] = {}
    for style in usual:
        smallest[face_of(style)] = min(style[0], smallest.get(face_of(style), style[0]))
    kept = [
        c for c in chosen
        if c.start not in starts
        and (
            c.known
            or (c.style[-1] and not c.number and c.start > first)
            or (c.style in usual and c.start > first)
            or (bool(c.number) if listed else c.start in possible)
            or (listed and c.start > first and c.style[0] < smallest.get(face_of(c.style), 0.0))
        )
    ]  # fmt: skip
    return kept + marked


def _first_text(lines: Sequence[TextLine], body: BodyStyle) -> int:
    """Return where the first paragraph of ordinary text stands; 0 where none does."""
    for index, (line, following) in enumerate(pairwise(lines)):
        if line.font == following.font == body.font and min(len(line.text), len(following.text)) >= _FULL:
            return index
    return 0


def _recurring(candidates: Sequence[Candidate]) -> Counter[Setting]:
    """Return the styles of strong candidates that come back on several pages."""
    pages: dict[Setting, set[int]] = {}
    weak: dict[Setting, list[Candidate]] = {}
    for c in candidates:
        # Lines of slanted statements have something that speaks against them.
        if c.number is None and c.score > 0:
            weak.setdefault(c.style, []).append(c)
            if c.score >= UNNUMBERED_FROM:
                pages.setdefault(c.style, set()).add(c.page)
    found = Counter({style: len(on) for style, on in pages.items() if len(on) >= 2})
    for style, lines in weak.items():
        # Slanted lines between gaps, again and again, and nearly all that is set so.
        clear = [c for c in lines if c.score >= (_SLANTED_ABOVE_TEXT if c.opens else _SLANTED_FROM)]
        if len({c.page for c in clear}) >= 3 and len(clear) >= 0.8 * len(lines):
            found[style] = len(clear)
    return found


def _stands_alone(c: Candidate, styles: Counter[Setting], *, has_numbers: bool) -> bool:
    """Return whether a line that no number chain took is a heading."""
    if c.number is not None and has_numbers:
        return False
    if c.style[-1]:
        return c.score >= (_LIKE_NUMBERED_FROM if c.style in styles else _RUN_IN_FROM)
    if c.style in styles or (c.opens and without_capitals(c.style) in styles):
        # Text is not set in capitals, nor are cells of several words; in a section's font they may be.
        clear = c.opens or (c.style[3] and " " in c.title)
        return c.score >= (2.5 if has_numbers and not clear else 1.5)
    return c.score >= UNNUMBERED_FROM + 1.0


class _Look:
    """A paper as it is looked at: its lines, the style of its text, its columns' edges, its words."""

    def __init__(
        self,
        lines: Sequence[TextLine],
        body: BodyStyle,
        marks: Mapping[int, Mark],
        vocabulary: frozenset[str],
        evidence: Sequence[float],
    ) -> None:
        self.evidence = evidence
        self.lines, self.body, self.marks, self.vocabulary = lines, body, marks, vocabulary
        self.edges: dict[tuple[int, int], Edges] = edges_of(lines)
        self._styles: dict[int, Style] = {}

    def style(self, index: int) -> Style:
        """Return a line's style; it is asked of it as one that opens a heading and as the next one's."""
        if index not in self._styles:
            self._styles[index] = style_of(self.lines[index])
        return self._styles[index]


def _candidates(look: _Look) -> list[Candidate]:
    found = []
    index = 0
    while index < len(look.lines):
        candidate = _candidate(look, index)
        if candidate:
            found.append(candidate)
            index = candidate.end
        else:
            index += 1
    return found


def _candidate(look: _Look, index: int) -> Candidate | None:
    lines, line = look.lines, look.lines[index]
    mark = look.marks.get(index)
    if not 2 < len(line.text) <= _LONGEST_TITLE or not (mark or _may_open(line, look.body)):
        return None
    if not mark and (
        CAPTION.match(line.text)
        or _is_cited(line)
        or (line.marks and line.marks[0][0] == 0)  # a note, in some papers larger than the text
        or not (_LETTERS.search(line.text) or _few_letters(line, look.body))
    ):
        return None
    style = look.style(index)
    end = mark.end if mark and mark.end else _last_line(look, index, style)
    if sum([len(each.text) - 1 for each in lines[index:end]]) >= _LONGEST_TITLE:  # a hyphen less a line
        return None
    text = text_of(lines[index:end], look.vocabulary)[0]
    if len(text) > _LONGEST_TITLE:
        return None
    number, title = parse_number(text)
    if not mark and not title[:1].isalnum() and title[:1] not in "\"'“‘([∗*$^":
        return None
    known = bool(_KNOWN.fullmatch(title.strip())) and not _ends_paragraph(look, index, style)
    if known and _KEYWORDS.match(title) and style[0] < _SMALL * look.body.size and not style[2]:
        known = False  # a label in the box beside an abstract
    small_list = known and bool(_LIST.match(title)) and style[0] < _SMALL * look.body.size and not style[2]
    # "2) Methods:" alone on its line only had no room for the text.
    full = bool(number) and text.endswith(":") and line.italic > 0.6 and style[1] != look.body.font
    setting = (*style, full or is_run_in(lines, end))
    score = (
        _score(look, index, end, text, title, style)
        + (2.0 if mark else 0.0)
        + 1.5 * known
        + _SMALL_LIST * small_list
        + ((_DEEP if len(number.parts) > 2 else _NUMBERED) if number else 0.0)
        + (_CUT if number and setting[-1] else 0.0)
        + (look.evidence[index] if look.evidence else 0.0)
    )
    # The head of a table comes in pieces.
    opens = line.pieces == 1 and end < len(lines) and _opens_text(lines[end], look.body)
    return Candidate(index, end, text, number, title, setting, score, known, line.page, opens)


def _is_cited(line: TextLine) -> bool:
    """Return whether the bold letters of a line are those of its citations: "Others [Ab20, Cd21]"."""
    return line.text.endswith("]") and line.bold > 0.0 and "[" in line.text and not line.spans[0].bold


def _ends_paragraph(look: _Look, index: int, style: Style) -> bool:
    """Return whether a line set as the text goes on with a line of it: "… proved in the / Appendix"."""
    plain = style[1] == look.body.font and abs(style[0] - look.body.size) < 0.6 and not (style[2] or style[3])
    if not plain or not index:
        return False
    above = look.lines[index - 1]
    gap = _gap(above, look.lines[index])
    if gap is None:  # below it on the next page, or in the next column
        return above.font == look.body.font and above.text[-1:].isalpha()
    return gap <= 1.25 * look.body.leading


def _opens_text(line: TextLine, body: BodyStyle) -> bool:
    """Return whether a line begins a paragraph of ordinary text; formulas and slanted statements do not."""
    return line.font == body.font and line.text[:1].isupper() and len(line.text) >= _TEXT


def _few_letters(line: TextLine, body: BodyStyle) -> bool:
    """Return whether a line of hardly a letter can be a heading all the same: "4.6 D&C"."""
    lettered = [span for span in line.spans if any(map(str.isalpha, span.text))]
    apart = all(span.font != body.font for span in lettered) and parse_number(line.text)[0] is not None
    return (line.bold > 0.6 or apart) and sum(map(str.isalpha, line.text)) >= 2


def _may_open(line: TextLine, body: BodyStyle) -> bool:
    """Return whether a line looks in any way unlike the body: a cheap test, to spare most lines the rest."""
    text = line.text
    return (
        line.font != body.font
        or abs(line.size - body.size) > 0.05 * body.size
        or line.bold > 0.3
        or text[0].isdigit()
        or text.isupper()
        or (len(text) < 60 and (_begins_with_number(text) or bool(_KNOWN.fullmatch(text))))
    )


def _begins_with_number(text: str) -> bool:
    return not text[0].islower() and parse_number(text)[0] is not None


def style_of(line: TextLine) -> Style:
    """Return the style of most of a line's letters; in small capitals, the size of the capitals."""
    if len(line.spans) == 1:
        only = line.spans[0]
        return round(2 * only.size) / 2, only.font, only.bold, _capitals(line.text)
    weights: dict[tuple[float, str, bool], int] = {}
    for span in line.spans:
        style = (round(2 * span.size) / 2, span.font, span.bold)
        # A title's style is its letters', however long its number.
        letters = sum(map(str.isalpha, span.text))
        weights[style] = weights.get(style, 0) + 9 * letters + sum(map(str.isalnum, span.text))
    size, font, bold = max(weights, key=weights.__getitem__)
    capitals = _capitals(line.text)
    least = 10 if capitals else 20
    larger = max((s for (s, f, _b), n in weights.items() if f == font and n >= least), default=size)
    return max(size, larger), font, bold, capitals


def _capitals(text: str) -> bool:
    if text.islower() or sum(map(str.islower, text)) > 0.1 * len(text):  # of most texts this is all
        return False
    letters = list(filter(str.isalpha, text))
    return len(letters) > 3 and sum(map(str.isupper, letters)) > 0.9 * len(letters)


def _has_one_line(line: TextLine, style: Style, body: BodyStyle) -> bool:
    """Return whether what stands below a title may be set as it is: the text, or a list's small print."""
    if style[1] == body.font and abs(style[0] - body.size) < 0.6 and not style[3]:
        return True
    return style[0] < _SMALL * body.size and _LIST_ALONE.fullmatch(line.text) is not None


def _last_line(look: _Look, index: int, style: Style) -> int:
    """Return where a heading that begins at `index` ends: it goes on in the same style without a gap."""
    lines, body, end = look.lines, look.body, index + 1
    if _has_one_line(lines[index], style, body):
        return end
    # What is as small as the text is set as close as the text; larger titles have more between their lines,
    # all of them more in wide spacing.
    furthest = max(1.6, 1.1 * body.leading / body.size) * style[0]
    if style[0] <= 1.1 * body.size:
        furthest = min(1.25 * body.leading, furthest)
    # "Appendix A" alone on its line has its title below.
    bare = not parse_number(lines[index].text)[1]
    most = _MOST_LINES + bare
    if bare and _has_title_below(look, index, style):
        style, end = look.style(index + 1), index + 2
    while end < len(lines) and end - index < most:
        line, previous = lines[end], lines[end - 1]
        if line.page != previous.page or line.column != previous.column:
            break
        if not 0 < line.baseline - previous.baseline < furthest or abs(line.bold - previous.bold) > 0.15:
            break
        if all(span.font != style[1] for span in line.spans) or not _is_same(
            look.style(end), style, line.text
        ):
            break
        if parse_number(line.text)[0]:
            break
        if _STATEMENT.match(line.text) and not style[3] and not (bare and end == index + 1):
            break
        end += 1
    return end


def _has_title_below(look: _Look, index: int, style: Style) -> bool:
    """Return whether a number alone on its line has a title below in another style.

    "Appendix A" in bold, "Proofs" in italics in another font than both it and the text: both in the middle,
    as close as the lines of the text are. "Chapter 2", and the title in larger letters.
    """
    if index + 1 >= len(look.lines):
        return False
    line, below = look.lines[index], look.lines[index + 1]
    gap = _gap(line, below)
    if _is_chapter(line, below, look.style(index + 1), style, gap):
        return True
    return (
        gap is not None
        and gap < _CLOSE * look.body.leading
        and below.font not in {style[1], look.body.font}
        and abs(line.x0 + line.x1 - below.x0 - below.x1) < _OFF * line.size
        and line.x0 > look.edges[line.page, line.column].left + line.size
        and not parse_number(below.text)[0]
    )


def _is_chapter(line: TextLine, below: TextLine, title: Style, style: Style, gap: float | None) -> bool:
    """Return whether "Chapter 2" has its title below: as large or larger, as bold, not set as the text."""
    number, _ = parse_number(line.text)
    size, _, bold, capitals = title
    return (
        number is not None
        and number.named
        and gap is not None
        and gap < _BELOW_CHAPTER * size
        and size >= style[0]
        and bold == style[2]
        and (bold or capitals or size > style[0])
        and not parse_number(below.text)[0]
    )


def _is_same(other: Style, style: Style, text: str) -> bool:
    size, font, bold, capitals = other
    if font != style[1] or bold != style[2]:
        return False
    if style[3]:
        # A line of small capitals need not have a large one, and "DAY" alone are capitals here.
        return (capitals or text.isupper()) and 0.7 * style[0] < size < style[0] + 0.5
    return abs(size - style[0]) <= 0.5


def _score(look: _Look, index: int, end: int, text: str, title: str, style: Style) -> float:
    """Return the evidence that these lines are a heading, in points."""
    lines, body = look.lines, look.body
    line, last = lines[index], lines[end - 1]
    size, font, bold, capitals = style
    score = 0.0
    if bold and "bold" not in body.font.casefold():
        score += 1.5 if min(part.bold for part in lines[index:end]) > 0.6 else 0.0
    ratio = size / body.size
    score += 2.0 if ratio > 1.25 else 1.5 if ratio > 1.06 else 0.0
    edges = look.edges[line.page, line.column]
    centred = edges.centres(lines[index:end], hanging=text != title)
    score += 0.7 if centred else 0.0
    if ratio < _SMALL:
        score -= 0.7 if bold or capitals or centred else 1.5
    score += 0.7 if font != body.font else 0.0
    score += 1.0 if capitals else 0.0
    above = _gap(lines[index - 1] if index else None, line)
    below = _gap(last, lines[end] if end < len(lines) else None)
    deep = bool(_THREE_PARTS.match(text))
    apart = above is None or above > (1.15 if deep else 1.25) * body.leading
    score += 0.8 if apart else -0.7
    score += _DEEP_APART if apart and deep else 0.0
    score += 0.4 if below is None or below > 1.15 * body.leading else 0.0
    score -= 1.0 if text.endswith((",", ";", "-")) else 0.5 if text.endswith(".") else 0.0
    numbered = text != title
    score -= (0.8 if numbered else 1.5) if title[:1].islower() else 0.0
    score -= (0.5 if numbered else 1.5) if _FORMULA.search(text) else 0.0
    # "PROOF OF THE BOUND" in the middle is no statement's name, which stands at the edge.
    score -= (0.0 if numbered or (capitals and centred) else 2.0) if _STATEMENT.match(title) else 0.0
    # The cells of a table's head are pieces too; a number and its title are two.
    score -= 0.8 * max(0, line.pieces - (2 if numbered else 1))
    score -= (0.4 if numbered else 1.0) if len(text) > 100 else 0.0
    words = _LETTERS.findall(title)
    score -= 1.5 if sum(map(len, words)) < 0.5 * len(title.replace(" ", "")) else 0.0
    return score


def _gap(above: TextLine | None, below: TextLine | None) -> float | None:
    """Return the distance of two baselines in one column, None where they are in different ones."""
    if above is None or below is None or (above.page, above.column) != (below.page, below.column):
        return None
    distance = below.baseline - above.baseline
    return distance if distance > 0 else None
