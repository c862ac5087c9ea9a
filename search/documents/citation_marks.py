"""Citation marks: where a text cites, and which entries of the reference list it means.

The style is told by the list: entries with numbers are cited as [3], [3, 5-7], or in round parentheses in
a paper that hardly cites them in brackets; entries with other labels as [Knu84]; entries without labels by
author and year, as in (Smith et al., 2020; Jones and Lee 2019a) or "Smith et al. (2020)". A mark counts only
where every part of it leads to an entry: an interval [0, 1] or a year in brackets leads to none.
"""

# ruff: noqa: RUF001, RUF002, RUF003 - the characters are meant as they are
from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from search.citations.titles import letters
from search.documents.joining import LineAt
from search.documents.passages import Piece
from search.documents.round_marks import numbered_equations, round_matches
from search.models import Passage, Reference

#: A list of numbers: "3", "3, 5–7".
_NUMBERS = r"\d{1,4}[a-z]?(?:\s?[,;–—‒-]\s?\d{1,4}[a-z]?)*"
#: What may follow the number inside the brackets: "[3, Theorem 2.1]", "[3, p. 12]", "[3, §2]".
_NOTE = r"(?:[,;]\s?(?:[A-Z§¶]|pp?\.|sec|eq|fig|ch|app|and ref)[^\[\]]{0,60})?"
#: A font of some bitmap files has ℄ where ] is meant.
_BRACKETED = re.compile(rf"\[(?:see |e\.g\.,? |cf\. |Refs?\. )?\s?(?P<numbers>{_NUMBERS})\s?{_NOTE}[\]℄]")
_LABELLED = re.compile(r"\[(?P<labels>[^\[\]]{2,200})\]")
#: A bracket right after one of these is a formula's: an interval, an index, a commutator.
_FORMULA_BEFORE = re.compile(r"(?:[∈=×∪∩<>≤≥^_\\+*/([{]|\binterval|\brange|(?:^|[\W_])[b-zB-HJ-Z]) ?$|\d$")
_RANGE = re.compile(r"(\d+)\s?[–—‒-]\s?(\d+)")
_BRACKET = re.compile(r"[\[\]()]")
_DASH = re.compile(r"\s?[–—‒-]\s?")
#: Shares of the list: what is cited in brackets of a paper that cites in parentheses, and what in these.
_HARDLY, _GOOD_PART = 0.1, 0.4
#: A longer range than this is no citation: "[1-200]".
LONGEST_RANGE = 40

_YEAR = r"(?:1[89]|20)\d\d"
_YEARS = re.compile(rf"{_YEAR}[a-z]?(?:\s?[,;&]\s?(?:{_YEAR}[a-z]?|[a-z]\b))*(?![\w–-]?\d)")
_ONE_YEAR = re.compile(rf"({_YEAR})?([a-z])?(?:\s?[,;&]\s?|$)")
_PARTICLE = r"(?:[Vv]an|[Vv]on|[Dd]e[rn]?|[Dd]el|[Dd]i|[Dd]a|[Dd]u|[Ll]a|[Ll]e|ten|ter)"
_NAME = rf"(?:{_PARTICLE}\s)*[A-ZÀ-ÞŁŚŠŽČØĐ][\w’'‐-]+"
#: Names right before a year: "Smith", "Smith and Jones", "Smith, Jones & Lee", "Smith et al.".
_NAMES = re.compile(
    rf"(?P<first>{_NAME})(?P<more>(?:,\s{_NAME})*,?\s(?:and|&)\s(?P<last>{_NAME}))?(?P<others>,?\s+et\s+al\.?)?"
    r"(?:’s|'s)?,?\s*[(\[]?\s*(?:see |e\.g\.,? )?$"
)
_ASCII_WORD = re.compile("[a-z0-9]+")
_SUFFIX = re.compile(rf"({_YEAR})([a-z])(?!\w)")
#: A dash in the place of the authors: those of the entry before.
_SAME_AUTHORS = re.compile(r"(?:[—―⸺]|[—–_-]{2,})")
#: Characters before a year in which its names can stand.
_REACH = 160
#: Words of an entry's beginning among which its first author's surname stands.
_FIRST_WORDS = 6


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a text that cites."""

    start: int
    end: int
    #: Positions in the reference list, from 1.
    cites: tuple[int, ...]


@dataclass(frozen=True)
class Bibliography:
    """A reference list, ready to be cited."""

    references: Sequence[Reference]
    #: Of a paper that cites numbers as (3, 5): how many numbered equations there are up to each of its texts.
    equations: Mapping[str, int] | None = None

    @cached_property
    def by_label(self) -> Mapping[str, int]:
        """Ordinals by printed label."""
        return {_label(r.label): r.ordinal for r in reversed(self.references) if r.label}

    @cached_property
    def numbered(self) -> bool:
        """Whether most entries carry a number."""
        return 2 * sum((r.label or "").isdigit() for r in self.references) > len(self.references)

    @cached_property
    def labelled(self) -> bool:
        """Whether most entries carry a label."""
        return 2 * sum(bool(r.label) for r in self.references) > len(self.references)

    @cached_property
    def by_year(self) -> Mapping[int, Sequence[_Dated]]:
        """Entries by every year that they print."""
        found: defaultdict[int, list[_Dated]] = defaultdict(list)
        entry = None
        for reference in self.references:
            entry = _dated(reference, entry)
            for year in entry.years:
                found[year].append(entry)
        return found


@dataclass(frozen=True, slots=True)
class _Dated:
    """What of an entry author-year marks can name."""

    ordinal: int
    years: frozenset[int]
    #: The letter after the year, where one is printed ("2019a").
    suffix: str
    #: Folded words of its beginning: the first author stands among them.
    first: tuple[str, ...]
    #: All folded words.
    words: frozenset[str]
    #: How many authors were read; 0 where none could be.
    authors: int


def marks(text: str, bibliography: Bibliography) -> list[Mark]:
    """Return the places of a text that cite, in order."""
    if not bibliography.references:
        return []
    if bibliography.numbered:
        return list(_numeric(text, bibliography))
    if bibliography.labelled:
        return list(_by_label(text, bibliography))
    return list(_author_year(text, bibliography))


def bibliography_of(references: Sequence[Reference], texts: Sequence[str]) -> Bibliography:
    """Return a paper's reference list as its passages cite it: in brackets, or in round parentheses.

    The latter where hardly an entry is cited in brackets, and a good part in parentheses.
    """
    plain = Bibliography(references)
    if not plain.numbered:
        return plain
    named: set[int] = set()
    for text in texts:
        named.update(cited(_numeric(text, plain)))
        if len(named) > _HARDLY * len(references):
            return plain
    rounded = Bibliography(references, numbered_equations(texts))
    named = {ordinal for text in texts for ordinal in cited(_numeric(text, rounded))}
    return rounded if len(named) >= max(2, _GOOD_PART * len(references)) else plain


def with_citations(
    passages: Sequence[Passage],
    references: Sequence[Reference],
    raised: Sequence[Sequence[str]] = (),
) -> tuple[Passage, ...]:
    """Return the passages, each with the entries of the reference list that it cites.

    Args:
        passages: of one paper.
        references: its list.
        raised: for each passage the raised marks that its text leaves out ("3", "5–7").
    """
    bibliography = bibliography_of(references, [passage.text for passage in passages])
    found = [cited(marks(passage.text, bibliography), passage.cites) for passage in passages]
    above = [_raised(texts, bibliography) for texts in raised]
    # A paper cites in one way; in one that cites in brackets what is raised leads to footnotes.
    if len(set(chain(*above))) > len(set(chain(*found))):
        if bibliography.equations is not None:  # and what stands in parentheses to equations
            found = [
                cited(_numeric(passage.text, Bibliography(references)), passage.cites) for passage in passages
            ]
        found = [tuple(sorted({*inside, *over})) for inside, over in zip(found, above, strict=True)]
    return tuple(
        passage.model_copy(update={"cites": cites}) if cites != passage.cites else passage
        for passage, cites in zip(passages, found, strict=True)
    )


def raised_marks(pieces: Sequence[Piece]) -> list[list[str]]:
    """Return for each passage the raised marks that its text leaves out, those of footnotes excepted."""
    notes = {
        (place.line.page, mark)
        for piece in pieces
        if piece.kind == "footnote"
        for place in piece.lines
        for at, mark in place.line.marks
        if at == 0
    }
    return [
        [
            mark
            for place in piece.lines
            if place.line.marks
            for mark in _inside(place)
            if (place.line.page, mark) not in notes
        ]
        for piece in pieces
    ]


def _inside(place: LineAt) -> list[str]:
    """Return the marks of a line that stand in its part of a passage; a passage begins or ends within one."""
    line, length = place.line, place.end - place.start
    missing = len(line.text) - length
    low, high = (missing, len(line.text)) if place.start == 0 and missing > 1 else (0, length + 1)
    return [mark for at, mark in line.marks if low <= at <= high]


def _raised(texts: Sequence[str], bibliography: Bibliography) -> tuple[int, ...]:
    if not texts or not bibliography.numbered:
        return ()
    numbers = (_BRACKET.sub("", text).strip(" ,.") for text in texts)
    return tuple({o for number in numbers if number for o in ordinals(number, bibliography.by_label)})


def cited(found: Iterable[Mark], known: Iterable[int] = ()) -> tuple[int, ...]:
    """Return the ordinals that marks name, each once, in ascending order."""
    return tuple(sorted({ordinal for mark in found for ordinal in mark.cites} | set(known)))


# ------------------------------------------------------------------ numbers and labels
def _numeric(text: str, bibliography: Bibliography) -> Iterator[Mark]:
    before: re.Match[str] | None = None
    equations = bibliography.equations
    rounded = equations is not None
    matches = _BRACKETED.finditer(text) if equations is None else round_matches(text, equations.get(text, 0))
    for match in matches:
        cites = ordinals(match["numbers"], bibliography.by_label)
        front = text[max(0, match.start() - 20) : match.start()]
        if cites and (rounded or not _FORMULA_BEFORE.search(front)):
            yield Mark(match.start(), match.end(), (*_up_to(before, match, bibliography.by_label), *cites))
            before = match


def _up_to(
    before: re.Match[str] | None, match: re.Match[str], by_label: Mapping[str, int]
) -> tuple[int, ...]:
    """Return what stands between two brackets with a dash between them: 4 and 5 of "[3]–[6]"."""
    if not before or not _DASH.fullmatch(match.string, before.end(), match.start()):
        return ()
    return ordinals(f"{before['numbers']}–{match['numbers']}", by_label)[1:-1]


def ordinals(numbers: str, by_label: Mapping[str, int]) -> tuple[int, ...]:
    """Return what "3, 5–7" names; nothing where any part of it is no label of the list."""
    found: dict[int, None] = {}
    for part in re.split(r"[,;]", numbers):
        span = _RANGE.fullmatch(part.strip())
        low, high = (int(span[1]), int(span[2])) if span else (0, 0)
        if span and not 0 < high - low <= LONGEST_RANGE:
            return ()
        for label in map(str, range(low, high + 1)) if span else [part.strip()]:
            if label not in by_label:
                return ()
            found[by_label[label]] = None
    return tuple(found)


def _by_label(text: str, bibliography: Bibliography) -> Iterator[Mark]:
    for match in _LABELLED.finditer(text):
        parts = [_label(part) for part in re.split(r"[,;]", match["labels"])]
        found = [bibliography.by_label[part] for part in parts if part in bibliography.by_label]
        # "[Knu84, Section 2]" has a part that is no label; a bracket without any is no mark.
        if found and (parts[0] in bibliography.by_label or len(found) > 1):
            yield Mark(match.start(), match.end(), tuple(dict.fromkeys(found)))


def _label(label: str | None) -> str:
    return re.sub(r"[\s’'.]+", "", label or "").casefold()


# ------------------------------------------------------------------ authors and years
def _author_year(text: str, bibliography: Bibliography) -> Iterator[Mark]:
    for match in _YEARS.finditer(text):
        front = text[max(0, match.start() - _REACH) : match.start()]
        names = _NAMES.search(front)
        if not names:
            continue
        found: dict[int, None] = {}
        year = 0
        for one in _ONE_YEAR.finditer(match[0]):
            if not one[0]:
                continue
            year = int(one[1]) if one[1] else year
            for ordinal in _meant(names, year, one[2] or "", bibliography):
                found[ordinal] = None
        if found:
            start = match.start() - len(front) + names.start()
            yield Mark(start, match.end(), tuple(found))


def _meant(names: re.Match[str], year: int, suffix: str, bibliography: Bibliography) -> list[int]:
    """Return the entry that names and year mean; several only where nothing tells them apart."""
    first = _surname(names["first"])
    last = _surname(names["last"]) if names["last"] else ""
    entries = [e for e in bibliography.by_year.get(year, ()) if first in e.first]
    if last:
        entries = [e for e in entries if last in e.words]
    if len(entries) > 1:
        # The first author stands first: a co-author of that name is somebody else's paper.
        nearest = min(e.first.index(first) for e in entries)
        entries = [e for e in entries if e.first.index(first) == nearest]
        # "Graves (2013)" has one author, "Graves et al. (2013)" several.
        as_many = [e for e in entries if not e.authors or _fits(e.authors, names)]
        entries = as_many or entries
    if suffix and (exact := [e for e in entries if e.suffix == suffix]):
        entries = exact
    return [e.ordinal for e in entries[:1]] if suffix or len(entries) <= 2 else []


def _fits(authors: int, names: re.Match[str]) -> bool:
    """Return whether names that a text gives can stand for so many authors."""
    if names["others"]:
        return authors > 1
    return authors == (2 + names["more"].count(",") if names["last"] else 1)


def _surname(name: str) -> str:
    words = _words(name)
    return words[-1] if words else ""


def _words(text: str) -> list[str]:
    if text.isascii():  # the same, a tenth of the time: every entry of a list of references comes here
        return _ASCII_WORD.findall(text.lower())
    found = letters(text)
    return found.words(0, len(found.letters))


def _dated(reference: Reference, before: _Dated | None) -> _Dated:
    raw = reference.raw
    years = {int(y) for y in re.findall(rf"(?<![\d.]){_YEAR}(?!\d)", raw)}
    if reference.year:
        years.add(reference.year)
    suffix = _SUFFIX.search(raw)
    words = _words(raw)
    same = before if _SAME_AUTHORS.match(raw) else None
    return _Dated(
        reference.ordinal,
        frozenset(years),
        suffix[2] if suffix else "",
        same.first
        if same
        else tuple(word for word in words[: 2 * _FIRST_WORDS] if len(word) > 1)[:_FIRST_WORDS],
        frozenset(words) | same.words if same else frozenset(words),
        same.authors if same else len(reference.authors),
    )
