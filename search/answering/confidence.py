"""How sure an answer may sound, and when there is none: words and counts, no model's feeling."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from search.answering.conditions import conditions, meets
from search.answering.evidence import Evidence, readable
from search.answering.wording import content_stems, inverse_frequencies, subject_stems, subject_words
from search.models import Claim, Confidence, DroppedClaim

#: Below this share of the question's words (weighted by rarity) in the best passage, nobody answered it.
#: 500 PubMedQA questions outside its test set, with seven or eight other abstracts found by BM25: at 0.45
#: 90.4 % are answered where their paper is there and 12.4 % where it is not; at 0.40 93.6 and 20.8, at 0.50
#: 86.0 and 7.4 (evals/answering.py).
LEAST_EVIDENCE = 0.45
#: A language model may say itself that nothing answers, and understands other words: 98.2 and 67.2 %.
LEAST_TO_ASK = 0.25
#: Shares of the question's words that the kept claims, their headings and papers' titles hold together. For
#: `high` none may be missing.
HIGH_COVERAGE, MEDIUM_COVERAGE = 0.999, 0.65
#: For `medium` no missing word may weigh more than this: one of three words is the point of a short question.
#: On the same PubMedQA questions `medium` or `high` is said of 35.4 % with their paper there and 0.4 %
#: without; 22.8 and 0.4 % if 0.8 must be covered.
HEAVIEST_MISSING = 0.2
#: Independent papers behind a `high` answer, each with a claim that speaks of this share of the question.
HIGH_PAPERS = 2
PAPER_COVERAGE = 0.75
#: Share of the question that the best claim speaks of itself, with half of what its heading and title say.
BEST_CLAIM = 0.5
#: Share of the proposed claims that may have been removed.
HIGH_DROPPED, MEDIUM_DROPPED = 0.25, 0.5


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of a question a text speaks of."""

    #: Weighted share of the question's words, 0 to 1.
    share: float
    #: The question's words that the text does not hold, as asked.
    missing: tuple[str, ...]
    #: Weighted share of the heaviest of them.
    heaviest: float = 0.0


def coverage(question: str, texts: Sequence[str], weights: Mapping[str, float]) -> Coverage:
    """Return how much of the question `texts` hold together; `weights` says how rare each stem is."""
    asked = subject_stems(question)
    held = {s for text in texts for s in content_stems(text)}
    total = sum(weights[s] for s in asked)
    share = sum(weights[s] for s in asked if s in held) / total if total else 0.0
    missing = tuple(dict.fromkeys(w.printed for w in subject_words(question) if w.stem not in held))
    heaviest = max((weights[s] for s in asked if s not in held), default=0.0)
    return Coverage(share, missing, heaviest / total if total else 1.0)


def rarity(evidence: Evidence) -> Mapping[str, float]:
    """Return how rare each stem is among the passages that were read."""
    return inverse_frequencies(content_stems(p.text) for p in evidence.texts)


def best_passage(question: str, evidence: Evidence) -> Coverage:
    """Return the coverage of the passage that holds most of the question, heading and title read with it."""
    weights = rarity(evidence)
    each = [coverage(question, readable(p), weights) for p in evidence.texts]
    nothing = Coverage(0.0, tuple(w.printed for w in subject_words(question)))
    return max(each, key=lambda c: c.share, default=nothing)


def said_of(claims: Sequence[Claim], evidence: Evidence) -> Mapping[str, tuple[str, ...]]:
    """Return by paper what the answer shows of it: the claims' texts, their headings, the title."""
    titles = {p.work_id: p.title for p in evidence.texts}
    said: defaultdict[str, list[str]] = defaultdict(list)
    for claim in claims:
        for citation in claim.supporting_citations:
            said[citation.work_id] += (claim.text, citation.section, titles.get(citation.work_id, ""))
    return {work_id: tuple(texts) for work_id, texts in said.items()}


def unmet(question: str, claims: Sequence[Claim]) -> tuple[str, ...]:
    """Return the figures of the question that no claim states, as printed."""
    return tuple(f.phrase for f in conditions(question) if not any(meets(f, c.text) for c in claims))


def assess(
    question: str,
    evidence: Evidence,
    claims: Sequence[Claim],
    dropped: Sequence[DroppedClaim],
    contradictions: int = 0,
) -> tuple[Confidence, dict[str, float | int | str]]:
    """Return the level and what it was made of."""
    weights = rarity(evidence)
    said = said_of(claims, evidence)
    covered = coverage(question, [t for texts in said.values() for t in texts], weights)
    own = [(_own(question, c, said, weights), c) for c in claims]
    proposed = len(claims) + len(dropped)
    measured = _Measured(
        covered.share,
        covered.heaviest,
        max((share for share, _ in own), default=0.0),
        len({s.work_id for share, c in own if share >= PAPER_COVERAGE for s in c.supporting_citations}),
        len(dropped) / proposed if proposed else 0.0,
        len(unmet(question, claims)),
        contradictions,
    )
    factors: dict[str, float | int | str] = {
        "question_coverage": round(measured.covered, 3),
        "best_claim_coverage": round(measured.best_claim, 3),
        "evidence_coverage": round(best_passage(question, evidence).share, 3),
        "papers": len(said),
        "papers_on_the_question": measured.papers,
        "claims": len(claims),
        "full_support": sum(claim.support == "full" for claim in claims),
        "dropped_share": round(measured.removed, 3),
        "figures_unmet": measured.unmet,
        "contradictions": contradictions,
    }
    top = evidence.hits[0] if evidence.hits else None
    if top is not None and top.vector_score is not None:
        factors["top_similarity"] = round(max(h.vector_score or 0.0 for h in evidence.hits), 3)
    return _level(measured, claims), factors


@dataclass(frozen=True, slots=True)
class _Measured:
    """What the level is decided by."""

    covered: float
    heaviest_missing: float
    best_claim: float
    papers: int
    removed: float
    unmet: int
    contradictions: int


def _own(
    question: str, claim: Claim, said: Mapping[str, tuple[str, ...]], weights: Mapping[str, float]
) -> float:
    """Return the share of the question that a claim holds, and half of what stands above it."""
    itself = coverage(question, [claim.text], weights).share
    above = [t for c in claim.supporting_citations for t in (c.section, said[c.work_id][2])]
    return (itself + coverage(question, [claim.text, *above], weights).share) / 2


def _level(measured: _Measured, claims: Sequence[Claim]) -> Confidence:
    if not claims:
        return "insufficient_evidence"
    beside_the_point = measured.heaviest_missing > HEAVIEST_MISSING or measured.best_claim < BEST_CLAIM
    if measured.unmet or measured.covered < MEDIUM_COVERAGE or beside_the_point:
        return "low"
    full = sum(claim.support == "full" for claim in claims) >= len(claims) / 2
    agreed = measured.papers >= HIGH_PAPERS and not measured.contradictions
    if measured.covered >= HIGH_COVERAGE and agreed and measured.removed <= HIGH_DROPPED and full:
        return "high"
    return "medium" if measured.removed <= MEDIUM_DROPPED else "low"
