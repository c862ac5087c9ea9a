"""The reference list: its entries, and what each says of the paper it names."""

# ruff: noqa: RUF001 - the characters are meant as they are
from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from search.documents import reference_parsing as parsing
from search.documents.lines import TextLine
from search.documents.pages import Link
from search.documents.paragraphs import text_of
from search.models import Reference

_BRACKETED = re.compile(
    r"\[\s?(?P<label>\d{1,4}[a-z]?|[A-Z][\w+*’'’.&,; -]{0,40}?\d{2,4}[a-z]{0,2}|[A-Z]{2,}[\w+]*)\s?[\]℄]\s*"
)
_POINTED = re.compile(r"\(?(?P<label>\d{1,3})[.)]\s+(?=\S)")
_BARE = re.compile(r"(?P<label>\d{1,3})\s+(?=[A-Z])")
#: A raised number before a letter that an isotope's symbol begins with stays in the text: "^{13} C. Smith".
_RAISED = re.compile(r"\^\{?(?P<label>\d{1,3})\}?\s*")
_CAPTION = re.compile(r"(?:Fig(?:ure|\.)|FIG(?:URE|\.)|Table|TABLE)\s*(?:\d+|[IVX]+)\s*(?:[.:|]|$)")
#: Lines that an entry has at most. A collaboration's authors may take thirty; a page of text takes more.
LONGEST_ENTRY = 40
#: Of a list without labels in brackets: so many lines have most entries, all but such a share.
_USUAL_ENTRY, _LONG = 10, 0.1
#: Points by which text of another size differs.
OTHER_SIZE = 0.6
#: Sizes between two baselines of the last entry, from which on the second is no part of it: amsart's
#: addresses stand 2.2 below the list, an entry's lines 1.2 apart, in double spacing 2.
APART = 2.1
#: The dates below a list: "(Received: January 16, 2022)", "Accepted 3 May 2021".
_DATES = re.compile(r"\(?(?:Received|Revised|Accepted|Submitted)\b.{0,30}\b(?:19|20)\d\d\W{0,2}$")
#: So many of the lines at the edge begin entries: "de Valon", "van Dishoeck", and works to appear, are rare.
_NAMES = 0.9
_URL = re.compile(r"https?\s?://[^\s,;\"<>]+[^\s,;\"<>.)\]]")


@dataclass(slots=True)
class _Entry:
    lines: list[TextLine]
    label: str | None = None


def references(
    lines: Sequence[TextLine], vocabulary: frozenset[str], links: Callable[[int], Sequence[Link]]
) -> list[Reference]:
    """Return the entries of a reference list.

    Args:
        lines: the list, without its heading, floats and footnotes.
        vocabulary: see `paragraphs.vocabulary_of`.
        links: gives the links of a page; those that lie on an entry count as printed in it.
    """
    found: list[Reference] = []
    on_page = {page: links(page) for page in sorted({line.page for line in lines})}
    entries = _entries([line for line in lines if line.text])
    for entry in entries:
        if _is_float(entry, found):
            continue
        entry.lines = _own(entry.lines, last=entry is entries[-1])
        raw, _ = text_of(entry.lines, vocabulary)
        raw = parsing.unbroken(entry.lines, " ".join(raw.split()))
        raw = _RAISED.sub("", raw, count=1) if entry.label and raw.startswith("^") else raw
        if len(raw) >= 8 and (any(map(str.isalpha, raw)) or parsing.YEAR.search(raw)):
            found.append(_reference(len(found) + 1, raw, entry, _links_on(entry.lines, on_page)))
    return found


def unheaded_list(lines: Sequence[TextLine]) -> int | None:
    """Return where a numbered list begins that no heading announces (REVTeX prints none), or None.

    It is the longest run of lines that begin with [1], [2], [3] …, of at least five entries, none longer
    than an entry can be; of those that begin with 1., 2. … or raised numbers hardly one longer than ten
    lines, where a table floats in it.
    """
    best: tuple[int, int] = (4, -1)
    for pattern in (_BRACKETED, _POINTED, None):
        labels = [
            (index, int(printed))
            for index, line in enumerate(lines)
            if (pattern is _BRACKETED or index > 0.6 * len(lines))
            and (printed := _number_of(line, pattern)).isdecimal()
        ]
        for position, (start, label) in enumerate(labels):
            if label != 1:
                continue
            at, expected, long = start, 2, 0
            for index, number in labels[position + 1 :]:
                if index - at > LONGEST_ENTRY:
                    break
                if number == expected:
                    long += index - at > _USUAL_ENTRY
                    at, expected = index, expected + 1
            if pattern is not _BRACKETED and long > _LONG * expected:
                continue
            best = max(best, (expected - 1, start))
    return best[1] if best[1] >= 0 else None


def _number_of(line: TextLine, pattern: re.Pattern[str] | None) -> str:
    """Return the label that a line begins with, or an empty text; without a pattern, a raised one."""
    if pattern is None:
        return _raised_label(line) or ""
    match = pattern.match(line.text) if line.text[:1] in "[(0123456789" else None
    return match["label"] if match else ""


# ------------------------------------------------------------------ where entries begin
def _entries(lines: Sequence[TextLine]) -> list[_Entry]:
    """Return the entries, split by the label style that most of them carry, else by hanging indents."""
    if not lines:
        return []
    for pattern in (_BRACKETED, _POINTED, _BARE):
        starts = _labelled(lines, pattern)
        if len(starts) >= 2 or (starts and starts[0] == 0):
            return _divided(lines, starts, pattern)
    if len(starts := _raised(lines)) >= 2:
        return _divided(lines, starts, None)
    return _divided(lines, _hanging(lines), None)


def _raised(lines: Sequence[TextLine]) -> list[int]:
    """Return the lines that begin with a raised number, which their text leaves out; in order, from 1."""
    starts: list[int] = []
    expected = 1
    for index, line in enumerate(lines):
        label = _raised_label(line)
        if label and label.isdecimal() and expected <= int(label) <= expected + 1:
            starts.append(index)
            expected = int(label) + 1
    return starts


def _raised_label(line: TextLine) -> str | None:
    if line.marks and line.marks[0][0] == 0:
        return line.marks[0][1].strip(".,")
    match = _RAISED.match(line.text)
    return match["label"] if match else None


def _labelled(lines: Sequence[TextLine], pattern: re.Pattern[str]) -> list[int]:
    """Return the lines that begin with a label; numbers must run in order (a page "12." does not)."""
    starts: list[int] = []
    expected: int | None = None
    for index, line in enumerate(lines):
        match = pattern.match(line.text)
        if not match:
            continue
        label = match["label"]
        if label.isdigit():
            number = int(label)
            if expected is None and number > 2:
                continue
            if expected is not None and not expected <= number <= expected + 2:
                continue
            expected = number + 1
        elif pattern is not _BRACKETED:
            continue
        starts.append(index)
    return starts


def _hanging(lines: Sequence[TextLine]) -> list[int]:
    """Return the lines at the left edge of a column whose others are indented; else blocks' first lines."""
    begins_at: dict[tuple[int, int], list[float]] = {}
    for line in lines:
        begins_at.setdefault((line.page, line.column), []).append(line.x0)
    edges = {key: _left_edge(sorted(found)) for key, found in begins_at.items()}
    at_edge = [i for i, line in enumerate(lines) if line.x0 < edges[line.page, line.column] + 3.0]
    few = 0.05 * len(lines) < len(at_edge) < 0.75 * len(lines)
    if (few or _short_entries(lines, at_edge)) and at_edge:
        return at_edge if at_edge[0] == 0 else [0, *at_edge]
    starts = [0]
    for index in range(1, len(lines)):
        previous, line = lines[index - 1], lines[index]
        same = (previous.page, previous.column) == (line.page, line.column)
        ended = previous.text.endswith((".", ")")) or bool(_URL.search(previous.text))
        begins = line.text[:1].isupper() or line.text[:1] in '“"['
        if (same and previous.block != line.block and begins) or (
            (not same or line.baseline - previous.baseline > 1.3 * line.size + 1.0) and ended and begins
        ):
            starts.append(index)
    return starts


def _left_edge(found: Sequence[float]) -> float:
    """Return the left edge of a column, of where its lines begin, in order.

    A hyphen or a number at the end of the column beside it can be read with one of its lines: that stands
    alone on the left of several first lines and of more that are indented.
    """
    if len(found) > 2 and found[0] + 3.0 < found[1] and found[2] < found[1] + 3.0 < found[len(found) // 2]:
        return found[1]
    return found[0]


def _short_entries(lines: Sequence[TextLine], at_edge: Sequence[int]) -> bool:
    """Return whether most entries take one line: all begin as names do, and have a year.

    Where the first lines are indented, lines at the edge go on with an entry, and begin with any word.
    """
    if not 0 < len(lines) - len(at_edge) < len(at_edge):
        return False
    names = sum(lines[i].text[:1].isupper() or lines[i].text[:1] in '—–“"' for i in at_edge)
    if names < _NAMES * len(at_edge):
        return False
    dated = sum(
        any(parsing.YEAR.search(line.text) for line in lines[start:end])
        for start, end in zip(at_edge, [*at_edge[1:], len(lines)], strict=True)
    )
    return dated >= _NAMES * len(at_edge)


def _divided(
    lines: Sequence[TextLine], starts: Sequence[int], pattern: re.Pattern[str] | None
) -> list[_Entry]:
    entries = []
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        match = pattern.match(lines[start].text) if pattern else None
        label = match["label"] if match else None if pattern else _raised_label(lines[start])
        entries.append(_Entry(list(lines[start:end]), label))
    return entries


def _links_on(lines: Sequence[TextLine], links: Mapping[int, Sequence[Link]]) -> list[str]:
    found: dict[str, None] = {}
    for line in lines:
        for link in links.get(line.page, ()):
            middle = (link.y0 + link.y1) / 2
            if line.y0 - 1 <= middle <= line.y1 + 1 and link.x1 > line.x0 and link.x0 < line.x1:
                found[link.uri] = None
    return list(found)


def _own(lines: list[TextLine], *, last: bool) -> list[TextLine]:
    """Return the lines of an entry without what stands below it on the page: a caption, other text.

    The last entry of a list is followed by figures, by the dates of its submission, by the authors'
    addresses after a gap, or by an appendix or a list of people without heading.
    """
    for index, line in enumerate(lines[1:], start=1):
        previous = lines[index - 1]
        elsewhere = (line.page, line.column) != (previous.page, previous.column)
        gap = 0.0 if elsewhere else line.baseline - previous.baseline
        if last and gap > APART * line.size and line.text[:1].isupper():
            return lines[:index]
        if last and _DATES.match(line.text):
            return lines[:index]
        if _CAPTION.match(line.text) or (elsewhere and abs(line.size - lines[0].size) > OTHER_SIZE):
            return lines[:index]
    return lines[:LONGEST_ENTRY]


def _is_float(entry: _Entry, found: Sequence[Reference]) -> bool:
    """Return whether an unlabelled entry is a caption among or after the references, or goes on with one."""
    text = entry.lines[0].text
    if entry.label is not None or not found:
        return False
    dated = any(parsing.YEAR.search(line.text) for line in entry.lines)
    return bool(_CAPTION.match(text)) or (not dated and (text[:1].islower() or text[:1].isdigit()))


# ------------------------------------------------------------------ what an entry says
def _reference(ordinal: int, raw: str, entry: _Entry, uris: Sequence[str]) -> Reference:
    body = raw
    if entry.label:
        for pattern in (_BRACKETED, _POINTED, _BARE):
            match = pattern.match(raw)
            if match and match["label"] == entry.label:
                body = raw[match.end() :]
                break
    authors, title = parsing.authors_and_title(body)
    ids, dois = parsing.arxiv_ids(body, uris), parsing.dois(body, uris)
    return Reference(
        ordinal=ordinal,
        raw=raw,
        label=entry.label,
        authors=authors,
        year=parsing.year(body),
        title=title,
        arxiv_id=ids[0] if ids else None,
        doi=dois[0] if dois else None,
        url=parsing.url(body, uris),
        more=(*(f"arxiv:{work_id}" for work_id in ids[1:]), *(f"doi:{doi}" for doi in dois[1:])),
    )
