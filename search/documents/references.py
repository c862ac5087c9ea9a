"""The reference list: its entries, and what each says of the paper it names."""

# ruff: noqa: RUF001 - the characters are meant as they are
from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from search.arxiv.identifiers import find_all
from search.documents.lines import TextLine
from search.documents.pages import Link
from search.documents.paragraphs import text_of
from search.models import Reference

_BRACKETED = re.compile(
    r"\[\s?(?P<label>\d{1,4}[a-z]?|[A-Z][\w+*’'’.&,; -]{0,40}?\d{2,4}[a-z]?|[A-Z]{2,}[\w+]*)\s?\]\s*"
)
_POINTED = re.compile(r"\(?(?P<label>\d{1,3})[.)]\s+(?=\S)")
_BARE = re.compile(r"(?P<label>\d{1,3})\s+(?=[A-Z])")
_YEAR = re.compile(r"(?<![\d./:-])(1[89]\d\d|20[0-4]\d)(?:[a-z])?(?![\d/])")
_DOI = re.compile(r"10\.\d{4,9}/[^\s\"<>]+[^\s\"<>.,;:)\]}]")
_URL = re.compile(r"https?\s?://[^\s,;\"<>]+[^\s,;\"<>.)\]]")
_ARXIV_LINK = re.compile(r"arxiv\.org/(?:abs|pdf)/", re.IGNORECASE)
_DOI_LINK = re.compile(r"doi\.org/(10\.\S+)", re.IGNORECASE)
_QUOTED = re.compile(r"[“\"](?P<title>[^”\"]{8,300}?)[,.]?[”\"]|``(?P<tex>.{8,300}?)''")
_WORDS = re.compile(r"[^\W\d_]{2,}")
_INITIALS = re.compile(r"(?:[A-Z]\.?[ -]?){1,3}")
_ACRONYM = re.compile(r"\b[A-Z]{3,}\b")
_NAME_PART = r"(?:(?:[A-Z]\.[ -]?){1,3}|[A-Z][\w’'-]+(?:\s[A-Z][\w’'-]+)?)"


@dataclass(slots=True)
class _Entry:
    lines: list[TextLine]
    label: str | None = None


def references(
    lines: Sequence[TextLine], vocabulary: frozenset[str], links: Callable[[int], Sequence[Link]]
) -> list[Reference]:
    """Return the entries of a reference list.

    Args:
        lines: the list, without its heading.
        vocabulary: see `paragraphs.vocabulary_of`.
        links: gives the links of a page; those that lie on an entry count as printed in it.
    """
    found: list[Reference] = []
    on_page = {page: links(page) for page in sorted({line.page for line in lines})}
    for entry in _entries([line for line in lines if line.text]):
        raw, _ = text_of(entry.lines, vocabulary)
        raw = " ".join(raw.split())
        if len(raw) >= 8 and any(map(str.isalpha, raw)):
            found.append(_reference(len(found) + 1, raw, entry, _links_on(entry.lines, on_page)))
    return found


def unheaded_list(lines: Sequence[TextLine]) -> int | None:
    """Return where a numbered list begins that no heading announces (REVTeX prints none), or None.

    It is the longest run of lines that begin with [1], [2], [3] …, of at least five entries, at most ten
    lines from one to the next.
    """
    best: tuple[int, int] = (4, -1)
    for pattern in (_BRACKETED, _POINTED):
        labels = [
            (index, int(match["label"]))
            for index, line in enumerate(lines)
            if line.text[:1] in "[(0123456789"
            and (match := pattern.match(line.text))
            and match["label"].isdigit()
            and (pattern is _BRACKETED or index > 0.6 * len(lines))
        ]
        for position, (start, label) in enumerate(labels):
            if label != 1:
                continue
            at, expected = start, 2
            for index, number in labels[position + 1 :]:
                if index - at > 10:
                    break
                if number == expected:
                    at, expected = index, expected + 1
            best = max(best, (expected - 1, start))
    return best[1] if best[1] >= 0 else None


# ------------------------------------------------------------------ where entries begin
def _entries(lines: Sequence[TextLine]) -> list[_Entry]:
    """Return the entries, split by the label style that most of them carry, else by hanging indents."""
    if not lines:
        return []
    for pattern in (_BRACKETED, _POINTED, _BARE):
        starts = _labelled(lines, pattern)
        if len(starts) >= 2 or (starts and starts[0] == 0):
            return _divided(lines, starts, pattern)
    return _divided(lines, _hanging(lines), None)


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
    edges: dict[tuple[int, int], float] = {}
    for line in lines:
        key = (line.page, line.column)
        edges[key] = min(edges.get(key, line.x0), line.x0)
    at_edge = [i for i, line in enumerate(lines) if line.x0 < edges[line.page, line.column] + 3.0]
    if 0.05 * len(lines) < len(at_edge) < 0.75 * len(lines) and at_edge:
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


def _divided(
    lines: Sequence[TextLine], starts: Sequence[int], pattern: re.Pattern[str] | None
) -> list[_Entry]:
    entries = []
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        match = pattern.match(lines[start].text) if pattern else None
        entries.append(_Entry(list(lines[start:end]), match["label"] if match else None))
    return entries


def _links_on(lines: Sequence[TextLine], links: Mapping[int, Sequence[Link]]) -> list[str]:
    found: dict[str, None] = {}
    for line in lines:
        for link in links.get(line.page, ()):
            middle = (link.y0 + link.y1) / 2
            if line.y0 - 1 <= middle <= line.y1 + 1 and link.x1 > line.x0 and link.x0 < line.x1:
                found[link.uri] = None
    return list(found)


# ------------------------------------------------------------------ what an entry says
def _reference(ordinal: int, raw: str, entry: _Entry, uris: Sequence[str]) -> Reference:
    body = raw
    if entry.label:
        for pattern in (_BRACKETED, _POINTED, _BARE):
            match = pattern.match(raw)
            if match and match["label"] == entry.label:
                body = raw[match.end() :]
                break
    years = [int(year) for year in _YEAR.findall(_without_identifiers(body))]
    printed = find_all(body) or [i for uri in uris if _ARXIV_LINK.search(uri) for i in find_all(uri)]
    authors, title = _authors_and_title(body)
    return Reference(
        ordinal=ordinal,
        raw=raw,
        label=entry.label,
        authors=authors,
        year=years[-1] if years else None,
        title=title,
        arxiv_id=printed[0].work_id if printed else None,
        doi=_doi(body, uris),
        url=_url(body, uris),
    )


def _without_identifiers(text: str) -> str:
    return _DOI.sub(" ", _URL.sub(" ", re.sub(r"arXiv:\S+|\d{4}\.\d{4,5}", " ", text)))


def _doi(body: str, uris: Sequence[str]) -> str | None:
    match = _DOI.search(body)
    if match:
        return match[0].lower()
    for uri in uris:
        linked = _DOI_LINK.search(uri)
        if linked:
            return linked[1].rstrip(".,;").lower()
    return None


def _url(body: str, uris: Sequence[str]) -> str | None:
    match = _URL.search(body)
    if match:
        return match[0].replace(" ", "")
    return next((uri for uri in uris if uri.startswith("http")), None)


def _authors_and_title(body: str) -> tuple[tuple[str, ...], str | None]:
    """Return a guess at authors and title: quoted, or the sentence after the names."""
    quoted = _QUOTED.search(body)
    if quoted:
        title = (quoted["title"] or quoted["tex"]).strip(" ,.")
        return _names(body[: quoted.start()]), title
    # First the style that has the year after the names, then the one that has it at the end.
    dated = re.match(
        r"(?P<names>.{3,400}?)[.,]?\s*\(?(?P<year>(?:18|19|20)\d\d)[a-z]?\)?[.,:]\s*(?P<title>[^.?!]{8,300}[.?!])",
        body,
    )
    if dated and len(dated["names"]) < 0.6 * len(body) and _is_title(dated["title"]):
        return _names(dated["names"]), dated["title"].strip(" .")
    parts = re.split(r"(?<=[^\W\d_]{2})[.?!]\s+(?=[A-Z0-9“])", body)
    if len(parts) >= 2 and _is_title(parts[1]):
        return _names(parts[0]), parts[1].strip(" .")
    return (), None


def _is_title(text: str) -> bool:
    """Return whether this can be a title: three words or more, mostly letters, no "018 (2007) [arXiv"."""
    letters = sum(map(str.isalpha, text))
    return len(_WORDS.findall(text)) >= 3 and letters > 0.7 * len(text) and "arXiv" not in text


def _names(text: str) -> tuple[str, ...]:
    """Return the names in "A. One, B. Two, and C. Three" or "One, A., Two, B."."""
    text = re.sub(r"\bet al\.?|\bEds?\.?|\(|\)", "", text).strip(" ,.;:")
    text = re.sub(r",?\s*(?:\band\b|&)\s*", ", ", text)
    names: list[str] = []
    for part in filter(None, (part.strip() for part in re.split(r"[,;]", text))):
        if _INITIALS.fullmatch(part) and names and not re.match(r"[A-Z]\.", names[-1]):
            initials = part if part.endswith(".") else f"{part}."
            names[-1] = f"{initials} {names[-1]}"
        elif re.match(_NAME_PART, part) and len(part.split()) <= 5 and not _ACRONYM.search(part):
            names.append(part)
    return tuple(names)
