"""The names of a claim: models, data sets, people, symbols. What a sentence is about must not be swapped.

A name is a capitalised word inside a sentence, a word with an inner capital or a digit (BERT, GPT-4, WMT14),
or a symbol with an index (x_{1}, n^{2}).
"""

from __future__ import annotations

import re

from search.answering.canonical import normalised
from search.answering.wording import FUNCTION_WORDS, GENERIC_WORDS, words

_SYMBOL = re.compile(r"(?<!\w)[A-Za-zα-ωΑ-Ω]\w{0,2}[\^_]\{[^{}]+\}")  # noqa: RUF001
_SENTENCE_START = re.compile(r"(?:^|[.!?:]\s+|[\"'(]\s*)$")
#: Verbs whose two sides cannot be exchanged.
_DIRECTED = re.compile(
    r"\b(?P<passive>(?:is|are|was|were|be|been)\s+)?"
    r"(?:outperform\w*|surpass\w*|exceed\w*|beats?|underperform\w*|better than|worse than|faster than|"
    r"slower than|superior to|inferior to|higher than|lower than|larger than|smaller than|more \w+ than|"
    r"less \w+ than|"
    r"stronger than|weaker than|causes?|caused|leads? to|reduc\w+|increas\w+|inhibit\w*|regulat\w*|contains?|"
    r"implies|precedes?|follows)\b(?P<by>\s+by)?",
    re.IGNORECASE,
)


def key(name: str) -> str:
    """Return how names are compared: letters, digits, index marks; lower case; CNNs as CNN."""
    bare = re.sub(r"[^\w^+]", "", name.removesuffix("'s"))
    if len(bare) > 2 and bare.endswith("s") and bare[:-1].isupper():
        bare = bare[:-1]
    return bare.lower()


def names(text: str) -> dict[str, str]:
    """Return the names in `text` as printed, by key, in order."""
    plain = normalised(text)
    found: dict[str, str] = {}
    for word in words(text):
        if _is_name(word.printed, at_start=_SENTENCE_START.search(plain[: word.start]) is not None):
            found.setdefault(key(word.printed), word.printed)
    for symbol in _SYMBOL.findall(plain):
        found.setdefault(key(symbol), symbol)
    return found


def _is_name(printed: str, *, at_start: bool) -> bool:
    lowered = printed.lower()
    if lowered in FUNCTION_WORDS or (len(printed) == 1 and not printed.isupper()):
        return False
    if any(c.isdigit() for c in printed) or any(c.isupper() for c in printed[1:]):
        return True
    # the first word of a sentence is capitalised anyway: it counts where it is no everyday word
    return printed[0].isupper() and not (at_start and (lowered in GENERIC_WORDS or len(printed) == 1))


def first_words(text: str) -> frozenset[str]:
    """Return keys of the capitalised words that only stand first in a sentence: perhaps no names."""
    plain = normalised(text)
    first: set[str] = set()
    elsewhere: set[str] = set()
    for word in words(text):
        inner = any(c.isdigit() for c in word.printed) or any(c.isupper() for c in word.printed[1:])
        start = _SENTENCE_START.search(plain[: word.start]) is not None
        (first if start and not inner else elsewhere).add(key(word.printed))
    return frozenset(first - elsewhere)


def mentions(text: str) -> frozenset[str]:
    """Return the keys of all words and symbols of `text`, with the parts of hyphenated ones."""
    found: set[str] = set()
    for word in words(text):
        found.add(key(word.printed))
        found.update(key(part) for part in word.printed.split("-"))
    found.update(key(symbol) for symbol in _SYMBOL.findall(normalised(text)))
    return frozenset(found)


def exchanged(claim: str, evidence: str) -> str | None:
    """Return the directed verb whose two sides the claim exchanges ("A outperforms B": "B outperforms A")."""
    ours, theirs = _sides(claim), _sides(evidence)
    for verb, (left, right) in ours.items():
        if verb not in theirs:
            continue
        their_left, their_right = theirs[verb]
        to_right = (left & their_right) - their_left
        to_left = (right & their_left) - their_right
        if to_right and to_left:
            return verb
    return None


def _sides(text: str) -> dict[str, tuple[frozenset[str], frozenset[str]]]:
    plain = normalised(text)
    found: dict[str, tuple[frozenset[str], frozenset[str]]] = {}
    for match in _DIRECTED.finditer(plain):
        left, right = mentions(plain[: match.start()]), mentions(plain[match.end() :])
        left, right = left - FUNCTION_WORDS, right - FUNCTION_WORDS
        if match["passive"] and match["by"]:
            left, right = right, left
        verb = re.sub(r"^(?:is|are|was|were|be|been)\s+|\s+by$", "", match[0].lower())
        found.setdefault(verb[:6], (left, right))
    return found
