"""Whether a claim says yes where its evidence says no: negations, antonyms and swapped roles.

Everything here is a word list and a window. It errs towards refusing: a claim that is refused wrongly
costs a sentence, one that is accepted wrongly costs the reader's trust.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from search.answering.antonyms import is_loose, name_of, negated_form, sides_of
from search.answering.canonical import normalised
from search.answering.quantities import quantities
from search.answering.wording import FUNCTION_WORDS, stem

_NEGATORS_TEXT = """
not no never without cannot neither nor none nobody nothing unable lack lacks lacked lacking absence
hardly rarely scarcely barely fail fails failed failing failure impossible false wrong untrue absent
seldom insufficient unlikely untested refute refutes refuted reject rejects rejected contradict
contradicts contradicted deny denies denied disprove disproves disproved
"""
_NEGATORS = frozenset(_NEGATORS_TEXT.split())
#: Terms that begin with a negator and deny nothing: a false positive is a thing that happens.
_TERMS = {
    "false": frozenset({"positive", "negative", "alarm", "discovery", "rejection", "match", "acceptance"}),
    "failure": frozenset({"rate", "mode", "probability", "probabilitie", "analysi", "detection"}),
    "rejection": frozenset({"sampling"}),
}
_CLAUSE_END = frozenset(
    (
        "but",
        "however",
        "although",
        "though",
        "while",
        "whereas",
        "because",
        "since",
        "unless",
        "yet",
        "except",
    )
)
_TOKEN = re.compile(r"[^\W\d_](?:['-]?[\w]+)*|\d[\w.,^{}]*|[,;:.!?()—]")
#: Content words that a negation reaches after it: "did not significantly improve translation quality".
SCOPE = 5

_DOUBT = re.compile(
    r"\b(?:whether|hypothes\w+|conjectur\w+|unclear|unknown|open question|speculat\w+|suppos\w+ that|"
    r"it (?:is|was|has been) (?:often |sometimes |widely )?(?:claimed|argued|believed|assumed)|if)\b",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\b(?:may|might|could|possibly|perhaps|potential\w*|suggest\w*|seem\w*|appear\w*)\b", re.IGNORECASE
)


def doubted(claim: str, evidence: str) -> str | None:
    """Return the word by which the evidence only asks or supposes what the claim states, else None."""
    match = _DOUBT.search(evidence)
    return match[0] if match and not _DOUBT.search(claim) and not _HEDGE.search(claim) else None


def hedged(claim: str, evidence: str) -> bool:
    """Whether the evidence says "may" where the claim says "does"."""
    return bool(_HEDGE.search(evidence)) and not _HEDGE.search(claim)


@dataclass(frozen=True, slots=True)
class _Reading:
    """What a text asserts and denies."""

    asserted: frozenset[str]
    denied: frozenset[str]
    negations: int
    #: Pair and side of each word that has an antonym, with the content stem that follows it.
    sides: tuple[tuple[int, int, str], ...]
    lowered: frozenset[str]


def disagreement(claim: str, evidence: str) -> str | None:
    """Return what the claim turns round, in a few words, or None where the two agree.

    `evidence` is every whole sentence that the claim's quotes touch: a quote that begins after the "not"
    of its sentence is still read with it.
    """
    ours, theirs = _read(claim), _read(evidence)
    denied_here = {s for s in ours.denied & theirs.asserted if s not in theirs.denied}
    denied_there = {
        s for s in ours.asserted & theirs.denied if s not in theirs.asserted and s not in ours.denied
    }
    if denied_here:
        return f"the claim denies what the quote states ({', '.join(sorted(denied_here)[:3])})"
    if denied_there:
        return f"the quote denies what the claim states ({', '.join(sorted(denied_there)[:3])})"
    if ours.negations and not theirs.negations and not _opposite_words(ours, theirs):
        return "the claim denies something, the quote denies nothing"
    return _turned(ours, theirs)


def _opposite_words(ours: _Reading, theirs: _Reading) -> bool:
    """Whether the evidence says with one word what the claim denies ("not stable": "unstable")."""
    return any(negated_form(theirs_word, word) for word in ours.lowered for theirs_word in theirs.lowered)


def _turned(ours: _Reading, theirs: _Reading) -> str | None:
    their_sides = {(pair, side) for pair, side, _ in theirs.sides}
    for pair, side, about in ours.sides:
        here, there = (pair, side) in their_sides, (pair, 1 - side) in their_sides
        if there and not here and not is_loose(pair):
            return f"the quote says the opposite ({name_of(pair)})"
        if (
            there
            and about
            and (pair, 1 - side, about) in theirs.sides
            and (pair, side, about) not in theirs.sides
        ):
            return f"the quote says the opposite of {about} ({name_of(pair)})"
    for word in ours.lowered - theirs.lowered:
        for other in theirs.lowered - ours.lowered:
            if (negated_form(other, word) and not ours.negations) or (
                negated_form(word, other) and not theirs.negations
            ):
                return f"the claim says {word}, the quote {other}"
    return None


def _read(text: str) -> _Reading:
    words = [t.lower() for t in _TOKEN.findall(normalised(text))]
    asserted: set[str] = set()
    denied: set[str] = set()
    sides: list[tuple[int, int, str]] = []
    negations, left, even = 0, 0, True
    for i, word in enumerate(words):
        if _ends_clause(word):
            left, even = 0, True
            continue
        if _negates(words, i):
            negations += 1
            # a second negation inside the first one's reach takes it back: "not without"
            even = bool(left) and not even
            left = SCOPE
        sides += [(pair, side, _next_content(words, i)) for pair, side in sides_of(word)]
        if word in FUNCTION_WORDS or word in _NEGATORS or word.endswith("n't"):
            continue
        (denied if left and not even else asserted).add(stem(word))
        left = max(0, left - 1)
    return _Reading(frozenset(asserted), frozenset(denied), negations, tuple(sides), frozenset(words))


def _ends_clause(word: str) -> bool:
    return word in _CLAUSE_END or word in ",;:.!?()—"


def _negates(words: list[str], i: int) -> bool:
    word, after = words[i], words[i + 1 : i + 4]
    if word in ("not", "no") and after[:1] == ["only"]:
        return False
    if word in ("not", "no") and after[1:2] == ["than"] and after[2:] and quantities(after[2]):
        return False  # "no more than 5" is a bound, and `quantities` reads it
    if word in _TERMS and after[:1] and after[0].rstrip("s") in _TERMS[word]:
        return False
    return after[:1] == {"rather": ["than"], "instead": ["of"]}.get(word) or is_negator(word)


def is_negator(word: str) -> bool:
    """Whether this lower-case word denies what follows it."""
    return word in _NEGATORS or word.endswith("n't")


def _next_content(words: list[str], i: int) -> str:
    for word in words[i + 1 : i + 5]:
        if _ends_clause(word):
            break
        if word not in FUNCTION_WORDS and not sides_of(word):
            return stem(word)
    return ""
