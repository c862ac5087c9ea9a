"""Words as the answering room compares them: lower case, a light stem, without function words."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from search.answering.canonical import normalised
from search.answering.spelt import spelt

_WORD = re.compile(r"[^\W\d_][\w'+]*(?:[-^_]\{?[\w'+-]+\}?)*|\d+[^\W\d_][\w+-]*")

#: Words that say nothing of the subject.
_FUNCTION_WORDS_TEXT = """
a an the this that these those it its they them their theirs we us our ours you your i me my he she his her
of in on at by for to from with within into onto upon over under between among through during as than then
and or but nor so if while whereas although though because since when where which who whom whose what why
how is are was were be been being am has have had having do does did doing done can could may might must
shall should will would not no also very more most much many some any all each every both either such same
other another there here about above below after before again further just only own too up down out off
per via et al etc eg ie e.g i.e one ones however thus therefore hence using used use uses based
respectively s t n't d ll re ve
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS_TEXT.split())
#: What questions and sentences about papers say without meaning anything by it.
_GENERIC_WORDS_TEXT = """
paper papers work works study studies article articles author authors result results show shows shown find
finds found finding findings propose proposes proposed present presents presented report reports reported
approach approaches method methods according overall additionally moreover furthermore finally recent
recently new novel evidence known say says tell describe described explain give given make made different
difference differences main kind kinds type types way ways best compare compared there section figure
table example examples experiment experiments
"""
GENERIC_WORDS = frozenset(_GENERIC_WORDS_TEXT.split())
#: By these a question says what sort of answer it wants, and that it denies: no sentence is found by them.
_ASKING_WORDS_TEXT = """
summarise summarize summary overview introduce introduction discuss list please define definition mean means
value values better worse good recommend recommended recommendation choose prefer preferred never cannot
know want wonder possible need needs needed happen happens
"""
ASKING_WORDS = frozenset(_ASKING_WORDS_TEXT.split())


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a text."""

    #: As printed.
    printed: str
    stem: str
    #: Where it begins and ends in `normalised(text)`.
    start: int
    end: int


def words(text: str) -> tuple[Word, ...]:
    """Return the words of `text`, numbers left out; "state-of-the-art" is one word, so is GPT-4."""
    return tuple(Word(m[0], stem(m[0]), m.start(), m.end()) for m in _WORD.finditer(normalised(text)))


#: The same passages are read by evidence, extraction, confidence and verifier within one answer.
@lru_cache(maxsize=16384)
def content_stems(text: str) -> tuple[str, ...]:
    """Return the stems of the words that carry meaning, in order; parts of hyphenated words count too."""
    found: list[str] = []
    for word in words(text):
        lowered = word.printed.lower()
        if lowered in FUNCTION_WORDS:
            continue
        found.append(word.stem)
        if "-" in lowered:
            found += [stem(p) for p in lowered.split("-") if len(p) > 2 and p not in FUNCTION_WORDS]
    return tuple(found)


@lru_cache(maxsize=1024)
def subject_stems(text: str) -> tuple[str, ...]:
    """Return the distinct stems of a question that a sentence can be matched with; none where it names none.

    Numbers in words are left out as those in digits are: they are conditions (`conditions`).
    """
    return tuple(dict.fromkeys(w.stem for w in subject_words(text)))


@lru_cache(maxsize=1024)
def subject_words(text: str) -> tuple[Word, ...]:
    """Return the words of a question that say what it is about, in order."""
    numerals = [(n.start, n.end) for n in spelt(normalised(text))]
    return tuple(
        w
        for w in words(text)
        if w.printed.lower() not in FUNCTION_WORDS | GENERIC_WORDS | ASKING_WORDS
        and not any(start <= w.start and w.end <= end for start, end in numerals)
    )


_SUFFIXES = (
    ("isations", ""), ("izations", ""), ("isation", ""), ("ization", ""), ("ational", "at"), ("ations", "at"),
    ("ation", "at"), ("ements", ""), ("ement", ""), ("ments", ""), ("ment", ""), ("ities", ""), ("ity", ""),
    ("nesses", ""), ("ness", ""), ("ically", "ic"), ("ings", ""), ("ing", ""), ("edly", ""), ("ied", "i"),
    ("ies", "i"), ("ed", ""), ("ers", ""), ("er", ""), ("ly", ""), ("es", ""), ("s", ""), ("e", ""),
    ("y", "i"),
)  # fmt: skip


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return a light English stem: improves, improved, improving and improvement are `improv`.

    Two steps of suffix removal that leave at least four letters, or three before a plural's s; words with a
    digit or an inner capital are names and only lower-cased.
    """
    word = word.removesuffix("'s").rstrip("'")
    lowered = word.lower()
    if any(c.isdigit() for c in word):
        return lowered
    if any(c.isupper() for c in word[1:]):
        return lowered.removesuffix("s") if len(word) > 3 else lowered
    for _ in range(2):
        for suffix, instead in _SUFFIXES:
            least = 3 if suffix == "s" else 4
            if (
                lowered.endswith(suffix)
                and len(lowered) - len(suffix) + len(instead) >= least
                and not lowered.endswith(("ss", "us", "is"))
            ):
                lowered = lowered[: -len(suffix)] + instead
                break
        else:
            break
    if len(lowered) > 4 and lowered[-1] == lowered[-2] and lowered[-1] not in "lsz":
        lowered = lowered[:-1]
    return lowered.removesuffix("e") if len(lowered) > 4 else lowered


def inverse_frequencies(texts: Iterable[Iterable[str]]) -> Mapping[str, float]:
    """Return ln(1 + n / df) for the stems of `texts`; a stem that none has weighs ln(1 + 2 n).

    Source: Robertson & Zaragoza 2009, with the document frequency of an unseen term taken as one half.
    """
    n = 0
    frequencies: Counter[str] = Counter()
    for stems in texts:
        n += 1
        frequencies.update(set(stems))
    return _Weights(
        {term: math.log(1 + n / df) for term, df in frequencies.items()}, math.log(1 + 2 * max(n, 1))
    )


class _Weights(dict[str, float]):
    """Weights by stem, with one for the stems that no text has."""

    def __init__(self, known: Mapping[str, float], unseen: float) -> None:
        super().__init__(known)
        self._unseen = unseen

    def __missing__(self, key: str) -> float:
        return self._unseen
