"""The author line of an arXiv record, as a list of printed names.

The line is free text with habits: commas, semicolons or "and" between names, affiliations in
parentheses or as a numbered list at the end, collaborations before a colon
(https://info.arxiv.org/help/prep.html#author).
"""

from __future__ import annotations

import re

from search.arxiv.tex import to_unicode

_SUFFIX = re.compile(r"(?:jr|sr|junior|senior)\.?|[IV]{2,4}|IV\.?", re.IGNORECASE)
_SEPARATOR = re.compile(r"\s*[,;]\s*(?:and\b\s*|&\s*)?|\s+(?:and|&)\s+", re.IGNORECASE)
_ON_BEHALF = re.compile(
    r"[\s,]+(?:for|on behalf of|representing)\s+(?:the\s+)?"
    r"(?=.*\b(?:collaboration|consortium|team|group)s?\b)",
    re.IGNORECASE,
)
#: One of these must stand after "for" or "on behalf of"; looking for them first is ten times as fast.
_GROUPS = ("collaboration", "consortium", "team", "group")
#: Two words or more, without anything that the long way takes off: nine names in ten.
_PLAIN = re.compile(r"[^\W\d_][\w.'-]*(?: (?!al\.?$)[^\W\d_][\w.'-]*)+")
_ARTICLE = re.compile(r"^(?:and\s+)?(?:the\s+)?")
_ET_AL = re.compile(r"\s+et\.? al\.?$")
_COLON = re.compile(r"(?<=[A-Za-z])\s*:\s*")
_ODD_ENDS = re.compile(r"^[\s.,;:*]+|[\s,;:*]+$")
_NO_NAME = re.compile(r"et\.? al\.?|and|others|the|\W*", re.IGNORECASE)


def split_authors(line: str) -> tuple[str, ...]:
    r"""Return the names in order, given name first, without affiliations.

    >>> split_authors(r"C. Bal\'azs (1), E. L. Berger, Jr. (2) and Ada Lovelace ((1) MSU, (2) ANL)")
    ('C. Balázs', 'E. L. Berger Jr.', 'Ada Lovelace')
    """
    text = _without_affiliations(to_unicode(line))
    lowered = text.lower()
    if any(word in lowered for word in _GROUPS):
        text = _ON_BEHALF.sub(", ", text)
    if ":" in text:
        text = _COLON.sub(", ", text)
    names: list[str] = []
    for piece in _SEPARATOR.split(text):
        if _PLAIN.fullmatch(piece) and not piece.startswith(("and ", "the ", "The ")):
            names.append(piece)
            continue
        name = _ODD_ENDS.sub("", " ".join(piece.translate(_BRACES).split()))
        if _NO_NAME.fullmatch(name):
            continue
        if names and _SUFFIX.fullmatch(name):
            names[-1] = f"{names[-1]} {name}"
        else:
            names.append(_ET_AL.sub("", _ARTICLE.sub("", name)))
    return tuple(names)


_BRACES = str.maketrans("", "", "{}")


def _without_affiliations(text: str) -> str:
    """Return `text` with each parenthesis as a comma; one that never closes reaches to the end.

    A single word between two names (`Zhe (Rita) Liang`) is a nickname and stays.
    """
    if "(" not in text:
        return text.replace(")", "")
    kept: list[str] = []
    depth = start = 0
    for position, char in enumerate(text):
        if char == "(":
            depth += 1
            if depth == 1:
                start = position
        elif char == ")" and depth:
            depth -= 1
            if depth == 0:
                inside, rest = text[start + 1 : position], text[position + 1 :]
                kept.append(f"({inside})" if _nickname(inside, "".join(kept), rest) else ", ")
        elif char != ")" and depth == 0:
            kept.append(char)
    return "".join(kept)


def _nickname(inside: str, before: str, after: str) -> bool:
    return (
        re.fullmatch(r"[^\W\d_][^\W\d_.'-]*\.?", inside) is not None
        and not inside.isupper()
        and re.search(r"(?:^|[,;]|\band)\s*[^\W\d_][\w.'-]*\s+$", before) is not None
        and re.match(r"\s+(?!and\b|&)[^\W\d_]", after) is not None
    )


def from_parts(given: str, family: str, suffix: str = "") -> str:
    """Return the printed name: `Ada Lovelace`, `R. W. Ogburn IV`."""
    name = to_unicode(f"{given} {family} {suffix}")
    return name.translate(_BRACES) if "{" in name or "}" in name else name


def from_inverted(name: str) -> str:
    """Return `Lovelace, Ada` as it is printed; a name without a comma stays."""
    family, _, given = to_unicode(name).translate(_BRACES).partition(",")
    return f"{given.strip()} {family.strip()}".strip()
