"""Where sentences begin and end, in the prose of papers."""

# ruff: noqa: RUF001 - the characters are meant as they are
from __future__ import annotations

import re

#: A full stop after one of these ends no sentence.
_ABBREVIATIONS = frozenset(
    """
    e.g i.e cf et al fig figs eq eqs eqn eqns sec secs sect ref refs tab no nos vol pp p ch chap app
    appx thm lem prop cor def defn rem ex alg vs viz resp approx ca dr mr mrs ms prof st jr sr inc ltd
    co corp dept univ proc conf trans int natl acad assoc soc lett phys rev math ann comm adv jan feb
    mar apr jun jul aug sep sept oct nov dec w.r.t s.t i.i.d a.k.a a.s a.e c.f etc u.s u.k ph.d m.sc
    b.sc est max min
    """.split()  # noqa: SIM905 - a list of quoted words reads worse
)
#: These do end one when a capital follows that begins a word of prose.
_OFTEN_LAST = frozenset({"al", "etc", "u.s", "u.k", "no", "a.s", "a.e", "i.i.d", "resp"})

#: A citation in brackets that stands after the full stop belongs to the sentence before it.
_CITED = r"(?: ?\[\d{1,3}(?:\s?[,;–—-]\s?\d{1,3})*\])*"
_END = re.compile(rf"[.!?…]+[\"'”’)\]}}]*{_CITED}(?=\s|$)|\n{{2,}}")
_LAST_TOKEN = re.compile(r"[^\s(\[{“\"‘]+$")
#: What stands before a variable that ends its sentence: a word in lower case and a space.
_AFTER_PROSE = re.compile(r"[a-z]\s$")
_NEXT_WORD = re.compile(r"\s*[\"'“‘(\[]*(\w[\w'’-]*)?")
#: What follows "et al." and goes on with its sentence.
_REFERENCE_NEXT = re.compile(r"\s*[(\[]")


def sentences(text: str) -> list[tuple[int, int]]:
    """Return the (start, end) of each sentence, without the space between them.

    A blank line always ends one. Abbreviations (e.g., et al., Fig.), initials (A. Lovelace), decimals,
    numbered references ("Sec. 3") and dots inside brackets do not.

    >>> [t[a:b] for t in ["See Fig. 3 of Kim et al. [3]. It has 0.5 M."] for a, b in sentences(t)]
    ['See Fig. 3 of Kim et al. [3].', 'It has 0.5 M.']
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _END.finditer(text):
        if match[0].startswith("\n"):
            _append(spans, text, start, match.start())
            start = match.end()
        elif _ends(text, match, start):
            _append(spans, text, start, match.end())
            start = match.end()
    _append(spans, text, start, len(text))
    return spans


def _append(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    """Add the span without space at its ends; nothing where only space is left."""
    piece = text[start:end]
    stripped = piece.strip()
    if stripped:
        begin = start + piece.index(stripped[0])
        spans.append((begin, begin + len(stripped)))


def _ends(text: str, match: re.Match[str], start: int) -> bool:
    """Return whether this punctuation ends the sentence that began at `start`."""
    following = _NEXT_WORD.match(text, match.end())
    word = (following[1] or "") if following else ""
    if word and word[0].islower():
        return False
    if match[0][0] != ".":
        return True
    token_match = _LAST_TOKEN.search(text, start, match.start())
    token = token_match[0] if token_match else ""
    bare = token.casefold().rstrip(".,;)]")
    if bare in _ABBREVIATIONS:
        # "… by Kim et al. We" ends; "Kim et al. (2019)" and "Fig. 3" do not.
        cites = "[" in match[0] or bool(_REFERENCE_NEXT.match(text, match.end()))
        return bare in _OFTEN_LAST and not cites and len(word) > 1 and not word[0].isdigit()
    if not (len(bare) == 1 and bare.isalpha() and token[:1].isupper() and word[:1].isupper()
            and match[0] == "."):  # fmt: skip
        return True
    return _is_symbol(text, token, match.start(), word)


def _is_symbol(text: str, token: str, at: int, word: str) -> bool:
    """Return whether the capital before a full stop is a variable and not an initial ("A. Lovelace").

    It is one where the text has it without a full stop elsewhere ("N numbers"), or has the word that
    follows in lower case too ("grows with N. Pairwise summation", of "pairwise summation"). "A" and "I" are
    words as well. A longer sentence harms nobody, so all else is an initial.
    """
    if len(token) > 1 or not _AFTER_PROSE.search(text, max(0, at - 40), at - 1):
        return False
    if not token.startswith(("A", "I")) and re.search(rf"(?<![\w.]){token}(?![\w.'’-])", text):
        return True
    return len(word) > 3 and re.search(rf"\b{re.escape(word.lower())}\b", text) is not None
