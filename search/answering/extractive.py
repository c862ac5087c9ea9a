"""Answering without a model: the sentences of the evidence that answer, as they stand.

A sentence's worth is its BM25 score among the evidence's sentences, the score of its passage, and small
cues; what says the same again is passed over (maximal marginal relevance,
Carbonell & Goldstein 1998), and no paper gives more than its share.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

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
#: What is added to a sentence's BM25 score (1 for the best one): its passage's score, the best neighbour's,
#: pairs of the question's words that stand side by side, a kind of wording that fits the question; and what
#: a sentence loses that leans on the one before. On SciFact train (400 claims; hit@1, hit@3) and CL-SciSumm
#: training topics (200; hit@1, hit@5) BM25 alone has 0.525, 0.853, 0.175, 0.440; with neighbour, pairs and
#: wording 0.550, 0.855, 0.180, 0.455; the whole route, which only takes sentences that can be quoted, is
#: level with BM25 (docs/answering.md). The passage's score brings the semantic leg in; there is none there.
PASSAGE_WEIGHT = 0.15
NEIGHBOUR_WEIGHT = 0.1
PAIR_WEIGHT = 0.3
CUE_WEIGHT = 0.1
ANAPHOR_PENALTY = 0.05
#: A sentence about "the model" means the one that the title names: half of what saying it would cover.
TITLE_WEIGHT = 0.5
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
_CAPTION = re.compile(
    r"^(?:table|figure|fig\.|algorithm|listing|plate)\s+[\dA-Z][\d.]*\s*[:.]", re.IGNORECASE
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
    found = [
        (score, passage, passage.text[start:end].strip(), ordinal)
        for score, passage in passages
        if passage.kind in _QUOTABLE and not _BACK_MATTER.match(passage.section)
        for ordinal, (start, end) in enumerate(sentences(passage.text))
    ]
    stems = [content_stems(text) for _, _, text, _ in found]
    asked = content_stems(question)
    relevance = bm25(asked, stems)
    best, top = (
        max(relevance, default=0.0) or 1.0,
        max((score for score, _, _, _ in found), default=0.0) or 1.0,
    )
    shares = _Shares(question, stems)
    ranked: list[Sentence] = []
    for i, (score, passage, text, ordinal) in enumerate(found):
        if not quotable(text):
            continue
        near = [relevance[i - 1]] if ordinal else []
        near += [relevance[i + 1]] if i + 1 < len(found) and found[i + 1][3] else []
        worth = (relevance[i] + NEIGHBOUR_WEIGHT * max(near, default=0.0)) / best
        worth += PASSAGE_WEIGHT * score / top + PAIR_WEIGHT * _pairs(asked, stems[i]) + _cue(question, text)
        coverage = shares.of(stems[i], passage.title)
        ranked.append(Sentence(text, passage, coverage, worth, frozenset(stems[i])))
    return sorted(ranked, key=lambda s: (-s.score, s.passage.passage_id, s.passage.text.find(s.text)))


class _Shares:
    """How much of a question a sentence speaks of, rare words weighing more."""

    def __init__(self, question: str, sentences_stems: Sequence[Sequence[str]]) -> None:
        weights = inverse_frequencies(sentences_stems)
        self._asked = {s: weights[s] for s in subject_stems(question)}
        self._total = sum(self._asked.values()) or 1.0

    def of(self, stems: Sequence[str], title: str) -> float:
        held, titled = set(stems), set(content_stems(title))
        said = sum(w for s, w in self._asked.items() if s in held)
        meant = sum(w for s, w in self._asked.items() if s in titled and s not in held)
        return (said + TITLE_WEIGHT * meant) / self._total


def _pairs(asked: Sequence[str], stems: Sequence[str]) -> float:
    """Return the share of the question's pairs of neighbouring words that stand side by side, 0 to 1."""
    wanted = set(pairwise(asked))
    return len(wanted & set(pairwise(stems))) / len(wanted) if wanted else 0.0


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
    if _CAPTION.match(text):
        return False  # it names what is shown, and says nothing of it
    letters = sum(c.isalpha() or c.isspace() for c in text)
    return text[0].isalnum() and not text[0].islower() and letters >= 0.7 * len(text) and not instructs(text)


def _cue(question: str, text: str) -> float:
    """Return what the wording is worth: a number for "how many", a definition for "what is", or a finding."""
    asked = question.lower()
    if _COUNTS.match(asked):
        fits = bool(quantities(text, citation_marks=False))
    elif re.match(r"(?:what (?:is|are)|define)\b", asked):
        fits = _DEFINES.search(text) is not None
    elif asked.startswith("why"):
        fits = _EXPLAINS.search(text) is not None
    else:
        fits = _FINDS.search(text) is not None
    return CUE_WEIGHT * fits - ANAPHOR_PENALTY * (_LEANS_BACK.match(text) is not None)


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
