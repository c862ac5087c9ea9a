"""Lines into text: words divided at line ends are put together, and each line's place is kept."""

# ruff: noqa: RUF001 - the characters are meant as they are
from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from search.documents.lines import TextLine


@dataclass(slots=True)  # made for every line, twice: frozen takes three times as long
class LineAt:
    """Where a line's text went: `text[start:end]` of the whole."""

    start: int
    end: int
    line: TextLine


def text_of(
    lines: Iterable[TextLine], vocabulary: frozenset[str], offset: int = 0
) -> tuple[str, list[LineAt]]:
    """Return the lines' text as one, words divided at line ends put together, and where each line went."""
    parts: list[str] = []
    places: list[LineAt] = []
    at = offset
    for line in lines:
        text = line.text
        if not text:
            continue
        if parts:
            parts[-1], joint = _joint(parts[-1], text, vocabulary)
            at = places[-1].start + len(parts[-1])
            places[-1] = LineAt(places[-1].start, at, places[-1].line)
            parts.append(joint)
            at += len(joint)
        parts.append(text)
        places.append(LineAt(at, at + len(text), line))
        at += len(text)
    return "".join(parts), places


_DIVIDED = re.compile(r"(?P<before>[\^_}])?(?P<word>[^\W\d_]+)[-\u00ad‐]$")
_FIRST_WORD = re.compile(r"[^\W\d_]+")
#: Before a hyphen that stays, whatever follows it: a number, the end of a formula.
_KEPT_AFTER = re.compile(r"[\d}\])(\[*]-$")


def _joint(  # noqa: PLR0911 - one return for each sort of line end
    before: str, after: str, vocabulary: frozenset[str]
) -> tuple[str, str]:
    """Return the text before, without a hyphen that only divides a word, and what to put between."""
    if before[-1] not in "-\u00ad\u2010":
        numbers = before.endswith("–") and before[-2:-1].isdigit() and after[0].isdigit()
        return before, "" if numbers or before.endswith(("/", "—")) else " "
    divided = _DIVIDED.search(before, before.rfind(" ") + 1)
    if not divided:
        return before, "" if before.endswith("\u00ad") or _KEPT_AFTER.search(before) else " "
    following = _FIRST_WORD.match(after)
    if not following:
        # GPT-4, HOMO-1: what is divided before a digit has its hyphen from the author.
        return before, "" if before.endswith("\u00ad") or after[:1].isdigit() else " "
    if before.endswith("\u00ad"):
        return before[:-1], ""
    first, second = divided["word"].casefold(), following[0].casefold()
    # A variable's hyphen is its own: the n-th, an R-module.
    if divided["before"] or (len(first) == 1 and first + second not in vocabulary):
        return before, ""
    if not following[0][0].islower():
        return before, ""
    if first + second not in vocabulary and f"{first}-{second}" in vocabulary:
        return before, ""
    return before[:-1], ""


def vocabulary_of(lines: Iterable[TextLine]) -> frozenset[str]:
    """Return the paper's words, hyphened ones too: they tell "self-attention" from "atten-tion"."""
    texts: dict[bool, list[str]] = {True: [], False: []}
    for line in lines:
        texts[line.text.isascii()].append(line.text)
    plain = "\n".join([*texts[True], ""]).lower()
    # A word that a line's end divides is none; every other token is letters, or letters with hyphens.
    tokens = set(plain.replace("-\n", f"{_CUT_OFF} ").translate(_APART).split())
    words = {token for token in tokens if token.isalpha()}
    hyphened = [token for token in tokens - words if not token.endswith(_CUT_OFF)]
    words.update(_WORD.findall(" ".join(hyphened)))
    words.update(_WORD.findall("\n".join(texts[False]).casefold()))
    return frozenset(words)


_CUT_OFF = "\x01"
#: To cut ASCII into tokens a few times as fast as an expression finds words in it.
_APART = {code: " " for code in range(128) if not (chr(code).islower() or chr(code) in f"-{_CUT_OFF}")}
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)?(?!-$)", re.MULTILINE)
