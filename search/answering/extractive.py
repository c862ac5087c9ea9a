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

from search.answering.advice import advises, asks_advice, opposed
from search.answering.conditions import Figure, conditions, meets, speaks_otherwise
from search.answering.confidence import coverage
from search.answering.drafts import Draft, Quote
from search.answering.evidence import instructs, readable
from search.answering.names import first_words, mentions, names
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
#: What weighs more than likeness of words: the question's own figures, the authors' advice where a choice is
#: asked for, the abstract where a summary is, a heading that names what the sentences below it need not
#: repeat; and the loss of one whose condition, or the answer itself, stands elsewhere. By judgement: words
#: weigh 1 at most, so 1.0 decides and 0.5 helps; what they do is tested on questions, not swept.
CONDITION_WEIGHT = 1.0
ADVICE_WEIGHT = 1.0
SUMMARY_WEIGHT = 0.5
HEADING_WEIGHT = 0.5
LOST_CONDITION_PENALTY = 0.3
#: A sentence about "the model" means the one that the title names: half of what saying it would cover.
TITLE_WEIGHT = 0.5
#: How much a sentence loses for what those chosen before it say already; by judgement, not swept.
REDUNDANCY = 0.4
#: A sentence below this share of the best one's score answers something else; by judgement, not swept.
KEEP = 0.5
#: From this likeness on, two sentences are looked at for saying the opposite of each other.
OPPOSITE = 0.5
#: Words of a sentence that can stand alone and still be read.
SHORTEST, LONGEST = 6, 80
#: A sentence must hold this share of the question's words (weighted) to be an answer at all; by judgement,
#: not swept.
LEAST_COVERAGE = 0.25
#: Shares of the best claim's coverage and of the best passage's, below which a sentence is filler: it has one
#: word of the question and speaks of something else.
FILLER = 0.65
NEAR_BEST_PASSAGE = 0.7
#: The same for the number of the question's words, heading and title read with the sentence: one rare word
#: ("help") makes no answer where others have two.
NEAR_MOST_WORDS = 0.65

#: No proofs: what they say often holds under what they suppose only, and the statement says the result.
_QUOTABLE = frozenset({"abstract", "text", "theorem", "definition", "remark", "caption", "footnote"})
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
#: "Falls then to 0.35", "is here worse": under a condition that another sentence names.
_CONDITION_ELSEWHERE = re.compile(r"^(?:\S+\s+){1,4}(?:then|here)\b|^there (?:it|the)\b", re.IGNORECASE)
#: "Which we measure in a companion paper": it says where the answer is.
_POINTS_AWAY = re.compile(
    r"\b(?:companion (?:paper|article)|elsewhere|in a (?:later|separate) paper)\b", re.IGNORECASE
)
#: "0.376, so that …", "3) and": what a page break left of a sentence.
_CUT_OFF = re.compile(
    r"^\d[\d.,]*(?:[,;)\]]|\s+(?:and|or|but|so|which|where|while|whereas|than|respectively)\b)"
)
#: "grows with N. Pairwise summation": two sentences that an initial's rule keeps together.
_TWO_IN_ONE = re.compile(r"(?<=[a-z] )[B-HJ-Z]\. (?=[A-Z][a-z]+ [a-z]+)")
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


_WANTS_SUMMARY = re.compile(
    r"^(?:please\s+)?(?:summari[sz]e|describe|introduce|tell me (?:about|of)|"
    r"(?:give|what is) (?:me )?(?:an?|the) (?:overview|summary))\b",
    re.IGNORECASE,
)
_WANTS_EXTREME = re.compile(r"\b(?:best|optimal|optimum|ideal)\b", re.IGNORECASE)
_EXTREME = re.compile(
    r"\b(?:best|optimal|optimum|ideal|highest|lowest|largest|smallest|greatest|least|fewest|maximum|minimum)\b",
    re.IGNORECASE,
)
_COUNTS = re.compile(
    r"(?:how (?:many|much|large|long|fast|often|big|accurate)|when|what (?:percentage|share|fraction)|"
    r"what (?:is|are) the (?:\w+ )?"
    r"(?:values?|numbers?|rates?|sizes?|amounts?|lengths?|speeds?|probabilit\w+))\b"
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
    #: How many of the question's words it holds with its heading and title.
    held: int = 0
    #: How many of the question's figures it states, and whether it gives one of them another value.
    met: int = 0
    otherwise: bool = False


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
    asked_figures = conditions(question)
    ranked: list[Sentence] = []
    for i, (score, passage, text, ordinal) in enumerate(found):
        if not quotable(text):
            continue
        near = [relevance[i - 1]] if ordinal else []
        near += [relevance[i + 1]] if i + 1 < len(found) and found[i + 1][3] else []
        worth = (relevance[i] + NEIGHBOUR_WEIGHT * max(near, default=0.0)) / best
        worth += PASSAGE_WEIGHT * score / top + PAIR_WEIGHT * _pairs(asked, stems[i]) + _cue(question, text)
        worth += _place(question, passage) + HEADING_WEIGHT * shares.headed(stems[i], passage)
        met = sum(meets(f, text) for f in asked_figures)
        otherwise = any(speaks_otherwise(f, text) for f in asked_figures)
        if asked_figures:
            worth += CONDITION_WEIGHT * (met / len(asked_figures) - (0.1 if met else 1.0) * otherwise)
        said = shares.of(stems[i], passage)
        held = shares.count(stems[i], passage)
        ranked.append(Sentence(text, passage, said, worth, frozenset(stems[i]), held, met, otherwise))
    return sorted(ranked, key=lambda s: (-s.score, s.passage.passage_id, s.passage.text.find(s.text)))


class _Shares:
    """How much of a question a sentence speaks of, rare words weighing more."""

    def __init__(self, question: str, sentences_stems: Sequence[Sequence[str]]) -> None:
        weights = inverse_frequencies(sentences_stems)
        self._asked = {s: weights[s] for s in subject_stems(question)}
        self._total = sum(self._asked.values()) or 1.0

    def of(self, stems: Sequence[str], passage: PassageDocument) -> float:
        """Return the share that the sentence says, and half of what its heading and title say for it."""
        held, titled = set(stems), set(content_stems(f"{passage.title}. {passage.section}"))
        said = sum(w for s, w in self._asked.items() if s in held)
        meant = sum(w for s, w in self._asked.items() if s in titled and s not in held)
        return (said + TITLE_WEIGHT * meant) / self._total

    def count(self, stems: Sequence[str], passage: PassageDocument) -> int:
        """Return how many of the question's words stand in the sentence, its heading or its title."""
        return len(
            self._asked.keys() & {*stems, *content_stems(passage.title), *content_stems(passage.section)}
        )

    def headed(self, stems: Sequence[str], passage: PassageDocument) -> float:
        """Return the share that the section's heading alone says, neither the sentence nor the title."""
        heading = set(content_stems(passage.section)) - set(stems) - set(content_stems(passage.title))
        return sum(w for s, w in self._asked.items() if s in heading) / self._total


def _pairs(asked: Sequence[str], stems: Sequence[str]) -> float:
    """Return the share of the question's pairs of neighbouring words that stand side by side, 0 to 1."""
    wanted = set(pairwise(asked))
    return len(wanted & set(pairwise(stems))) / len(wanted) if wanted else 0.0


def choose(
    question: str, passages: Sequence[tuple[float, PassageDocument]], *, claims: int = CLAIMS
) -> list[Sentence]:
    """Return the sentences that answer together: the best ones, each saying something that is new."""
    ranked = _candidates(question, passages)
    most = 0.0
    chosen: list[Sentence] = []
    while ranked and len(chosen) < claims:
        best = max(ranked, key=lambda s: s.score - REDUNDANCY * _likeness(s, chosen))
        if chosen and best.score - REDUNDANCY * _likeness(best, chosen) < KEEP * chosen[0].score:
            break
        chosen.append(best)
        most = max(most, best.coverage)
        full = sum(s.passage.work_id == best.passage.work_id for s in chosen) >= CLAIMS_OF_A_PAPER
        ranked = [
            s
            for s in ranked
            if s is not best
            and s.coverage >= FILLER * most
            and not (full and s.passage.work_id == best.passage.work_id)
            and _likeness(s, chosen) < 0.8
        ]
    return chosen


def _candidates(question: str, passages: Sequence[tuple[float, PassageDocument]]) -> list[Sentence]:
    """Return the sentences that can answer: of the right things, under the question's conditions."""
    found = [s for s in rank(question, passages) if s.coverage >= LEAST_COVERAGE]
    weights = inverse_frequencies(content_stems(p.text) for _, p in passages)
    held = {p.passage_id: coverage(question, readable(p), weights).share for _, p in passages}
    least = NEAR_BEST_PASSAGE * max(held.values(), default=0.0)
    found = [s for s in found if s.met or held[s.passage.passage_id] >= least]
    found = _of_the_named(question, found)
    asked = conditions(question)
    if asked:
        found = _under(asked, found, words=len(subject_stems(question)))
    most = max((s.held for s in found), default=0)
    return [s for s in found if s.met or s.held >= NEAR_MOST_WORDS * most]


def _of_the_named(question: str, found: Sequence[Sentence]) -> list[Sentence]:
    """Return the sentences that, with heading and title, have a name of the question; all if none has."""
    asked = set(names(question)) - first_words(question)
    named = [s for s in found if asked & mentions(_read_with(s))]
    return named or list(found)


def _read_with(sentence: Sentence) -> str:
    return f"{sentence.text} {sentence.passage.section} {sentence.passage.title}"


def _under(asked: Sequence[Figure], found: Sequence[Sentence], *, words: int) -> list[Sentence]:
    """Return the sentences that hold under the question's figures.

    Where none states any of them, only sentences without figures that speak of all the question's `words`
    are left: "0.19 tests are needed" was measured under some other condition, whether it says so or not.
    """
    if any(s.met for s in found):
        return [s for s in found if s.met == len(asked) or (s.met and not s.otherwise)]
    return [s for s in found if s.held == words and not quantities(s.text, citation_marks=False)]


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
    if _CUT_OFF.match(text) or _TWO_IN_ONE.search(text):
        return False
    letters = sum(c.isalpha() or c.isspace() for c in text)
    return text[0].isalnum() and not text[0].islower() and letters >= 0.6 * len(text) and not instructs(text)


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
    worth = CUE_WEIGHT * fits - ANAPHOR_PENALTY * (_LEANS_BACK.match(text) is not None)
    elsewhere = _CONDITION_ELSEWHERE.match(text) or _POINTS_AWAY.search(text)
    worth -= LOST_CONDITION_PENALTY * (elsewhere is not None)
    if _WANTS_EXTREME.search(question) and _EXTREME.search(text):
        worth += 2 * CUE_WEIGHT
    return worth + (ADVICE_WEIGHT * advises(text) if asks_advice(question) else 0.0)


def _place(question: str, passage: PassageDocument) -> float:
    """Return what standing in the abstract is worth: nothing, unless a summary is asked for."""
    return SUMMARY_WEIGHT * (passage.kind == "abstract") if _WANTS_SUMMARY.match(question.strip()) else 0.0


def _likeness(sentence: Sentence, chosen: Sequence[Sentence]) -> float:
    """Return the largest share of words that the sentence has in common with a chosen one (Jaccard).

    One that says the opposite in the same words repeats nothing: the reader must see both.
    """
    most = 0.0
    for other in chosen:
        alike = len(sentence.stems & other.stems) / (len(sentence.stems | other.stems) or 1)
        if alike <= most or opposed(sentence.text, other.text):
            continue
        if not (alike >= OPPOSITE and disagreement(sentence.text, other.text)):
            most = alike
    return most
