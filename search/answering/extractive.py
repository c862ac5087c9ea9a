"""Answering without a model: the sentences of the evidence that answer, as they stand.

A sentence's worth is its BM25 score among the evidence's sentences, the score of its passage, and small
cues; what says the same again is passed over (maximal marginal relevance,
Carbonell & Goldstein 1998), and no paper gives more than its share.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from search.answering.drafts import Draft, Quote
from search.answering.evidence import instructs
from search.answering.polarity import disagreement
from search.answering.quantities import quantities
from search.answering.relevance import bm25
from search.answering.wording import content_stems, inverse_frequencies, subject_stems
from search.documents.sentences import sentences
from search.index.documents import PassageDocument

#: Sentences of an answer, and of one paper in it.
CLAIMS = 5
CLAIMS_OF_A_PAPER = 2
#: What a sentence's parts weigh. Sweep on SciFact train and CL-SciSumm: docs/answering.md.
PASSAGE_WEIGHT = 0.3
TITLE_WEIGHT = 0.5
CUE_WEIGHT = 0.1
ANAPHOR_PENALTY = 0.1
#: How much a sentence loses for what those chosen before it say already.
REDUNDANCY = 0.4
#: A sentence below this share of the best one's score answers something else.
KEEP = 0.5
#: From this likeness on, two sentences are looked at for saying the opposite of each other.
OPPOSITE = 0.5
#: Words of a sentence that can stand alone and still be read.
SHORTEST, LONGEST = 6, 80
#: The best sentence must hold this share of the question's words (weighted) to be an answer at all.
LEAST_COVERAGE = 0.25

_QUOTABLE = frozenset({"abstract", "text", "theorem", "caption", "footnote"})
_BACK_MATTER = re.compile(
    r"^(?:references|bibliography|acknowledge?ments?|author contributions|funding)\b", re.IGNORECASE
)
_LEANS_BACK = re.compile(
    r"^(?:it|its|they|their|this|these|those|he|she|such|both|thus|hence|therefore|however|moreover|"
    r"furthermore|also|similarly|for example|for instance|in contrast|as a result|on the other hand)\b",
    re.IGNORECASE,
)
_DEFINES = re.compile(
    r"\b(?:is|are) (?:a|an|the|defined|called|known)\b|\b(?:refers? to|denotes?|means)\b", re.IGNORECASE
)
_EXPLAINS = re.compile(
    r"\b(?:because|since|due to|owing to|caused by|as a result|explains?|therefore|leads? to)\b",
    re.IGNORECASE,
)
_FINDS = re.compile(
    r"\b(?:we (?:find|found|show|showed|demonstrate|observe|prove|propose|introduce|conclude)|"
    r"results? (?:show|suggest|indicate)|outperform\w*|achiev\w+|improv\w+|increas\w+|"
    r"decreas\w+|reduc\w+|significant\w*)\b",
    re.IGNORECASE,
)


_COUNTS = re.compile(
    r"(?:how (?:many|much|large|long|fast|often|big|accurate)|when|what (?:percentage|share|fraction))\b"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the evidence and what it is worth."""

    text: str
    passage: PassageDocument
    #: Share of the question's weighted words that it holds, 0 to 1.
    coverage: float
    score: float
    stems: frozenset[str]


def rank(question: str, passages: Sequence[tuple[float, PassageDocument]]) -> list[Sentence]:
    """Return every sentence that could stand in an answer, best first; ties by passage id and place."""
    found = [(score, passage, text) for score, passage in passages for text in _candidates(passage)]
    stems = [content_stems(text) for _, _, text in found]
    asked = subject_stems(question)
    weights = inverse_frequencies(text for _, _, text in found)
    total = sum(weights[s] for s in asked) or 1.0
    relevance = bm25(asked, stems)
    best, top = max(relevance, default=0.0) or 1.0, max((score for score, _, _ in found), default=0.0) or 1.0
    ranked: list[Sentence] = []
    for (score, passage, text), held, relevant in zip(found, stems, relevance, strict=True):
        titled = frozenset(content_stems(passage.title))
        coverage = sum(weights[s] for s in asked if s in held) / total
        # a sentence about "the model" means the one that the title names: half the weight of saying it
        coverage += TITLE_WEIGHT * sum(weights[s] for s in asked if s in titled and s not in held) / total
        worth = relevant / best + PASSAGE_WEIGHT * score / top + _cue(question, text)
        ranked.append(Sentence(text, passage, coverage, worth, frozenset(held)))
    return sorted(ranked, key=lambda s: (-s.score, s.passage.passage_id, s.passage.text.find(s.text)))


def _candidates(passage: PassageDocument) -> list[str]:
    """Return the sentences of a passage that may stand in an answer."""
    if passage.kind not in _QUOTABLE or _BACK_MATTER.match(passage.section):
        return []
    texts = [passage.text[start:end].strip() for start, end in sentences(passage.text)]
    return [text for text in texts if quotable(text)]


def choose(
    question: str, passages: Sequence[tuple[float, PassageDocument]], *, claims: int = CLAIMS
) -> list[Sentence]:
    """Return the sentences that answer together: the best ones, each saying something that is new."""
    ranked = [s for s in rank(question, passages) if s.coverage >= LEAST_COVERAGE]
    chosen: list[Sentence] = []
    while ranked and len(chosen) < claims:
        best = max(ranked, key=lambda s: s.score - REDUNDANCY * _likeness(s, chosen))
        if chosen and best.score - REDUNDANCY * _likeness(best, chosen) < KEEP * chosen[0].score:
            break
        chosen.append(best)
        full = sum(s.passage.work_id == best.passage.work_id for s in chosen) >= CLAIMS_OF_A_PAPER
        ranked = [
            s
            for s in ranked
            if s is not best
            and not (full and s.passage.work_id == best.passage.work_id)
            and _likeness(s, chosen) < 0.8
        ]
    return chosen


def drafts(question: str, passages: Sequence[tuple[float, PassageDocument]]) -> list[Draft]:
    """Return the chosen sentences as claims that quote themselves."""
    return [Draft(s.text, (Quote(s.passage.passage_id, s.text),)) for s in choose(question, passages)]


def quotable(text: str) -> bool:
    """Whether a sentence can stand in an answer: whole, of a readable length, mostly words, no question."""
    count = len(text.split())
    if not SHORTEST <= count <= LONGEST or not text.endswith((".", "!", '."', ".”", ".)")):
        return False
    letters = sum(c.isalpha() or c.isspace() for c in text)
    return text[0].isalnum() and not text[0].islower() and letters >= 0.7 * len(text) and not instructs(text)


def _cue(question: str, text: str) -> float:
    asked = question.lower()
    cue = 0.0
    if _COUNTS.match(asked):
        cue += CUE_WEIGHT * bool(quantities(text, citation_marks=False))
    elif re.match(r"(?:what (?:is|are)|define)\b", asked):
        cue += CUE_WEIGHT * bool(_DEFINES.search(text))
    elif asked.startswith("why"):
        cue += CUE_WEIGHT * bool(_EXPLAINS.search(text))
    elif re.match(r"(?:do|does|did|is|are|was|were|can|could|has|have|should|will)\b", asked):
        cue += CUE_WEIGHT * bool(_FINDS.search(text))
    return cue - ANAPHOR_PENALTY * bool(_LEANS_BACK.match(text))


def _likeness(sentence: Sentence, chosen: Sequence[Sentence]) -> float:
    """Return the largest share of words that the sentence has in common with a chosen one (Jaccard).

    One that says the opposite in the same words repeats nothing: the reader must see both.
    """
    most = 0.0
    for other in chosen:
        alike = len(sentence.stems & other.stems) / (len(sentence.stems | other.stems) or 1)
        if alike > most and not (alike >= OPPOSITE and disagreement(sentence.text, other.text)):
            most = alike
    return most
