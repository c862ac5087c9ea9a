"""How sure an answer may sound, and when there is none: words and counts, no model's feeling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from search.answering.evidence import Evidence
from search.answering.wording import content_stems, inverse_frequencies, subject_stems, words
from search.models import Claim, Confidence, DroppedClaim

#: Below this share of the question's words (weighted by rarity) in the best passage, nobody answered it.
#: 500 PubMedQA questions outside its test set, with seven or eight other abstracts found by BM25: at 0.45
#: 90.2 % are answered where their paper is there and 12.2 % where it is not; at 0.40 93.6 and 21.0, at 0.50
#: 86.0 and 7.2 (evals/answering.py).
LEAST_EVIDENCE = 0.45
#: A language model may say itself that nothing answers, and understands other words: 98.2 and 67.4 %.
LEAST_TO_ASK = 0.25
#: Shares of the question's words that the kept claims and their papers' titles hold.
HIGH_COVERAGE, MEDIUM_COVERAGE = 0.75, 0.5
#: Independent papers behind a `high` answer.
HIGH_PAPERS = 2
#: Share of the proposed claims that may have been removed.
HIGH_DROPPED, MEDIUM_DROPPED = 0.25, 0.5


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of a question a text speaks of."""

    #: Weighted share of the question's words, 0 to 1.
    share: float
    #: The question's words that the text does not hold, as asked.
    missing: tuple[str, ...]


def coverage(question: str, texts: Sequence[str], weights: Mapping[str, float]) -> Coverage:
    """Return how much of the question `texts` hold together; `weights` says how rare each stem is."""
    asked = subject_stems(question)
    held = {s for text in texts for s in content_stems(text)}
    total = sum(weights[s] for s in asked)
    share = sum(weights[s] for s in asked if s in held) / total if total else 0.0
    lacking = {s for s in asked if s not in held}
    printed = dict.fromkeys(w.printed for w in words(question) if w.stem in lacking)
    return Coverage(share, tuple(printed))


def best_passage(question: str, evidence: Evidence) -> Coverage:
    """Return the coverage of the passage that holds most of the question, its title read with it."""
    weights = inverse_frequencies(content_stems(p.text) for p in evidence.texts)
    each = [coverage(question, [p.text, p.title], weights) for p in evidence.texts]
    return max(each, key=lambda c: c.share, default=Coverage(0.0, tuple(w.printed for w in words(question))))


def assess(
    question: str, evidence: Evidence, claims: Sequence[Claim], dropped: Sequence[DroppedClaim]
) -> tuple[Confidence, dict[str, float | int | str]]:
    """Return the level and what it was made of."""
    weights = inverse_frequencies(content_stems(p.text) for p in evidence.texts)
    titles = {p.work_id: p.title for p in evidence.texts}
    cited = list(dict.fromkeys(c.work_id for claim in claims for c in claim.supporting_citations))
    said = [claim.text for claim in claims] + [titles.get(work_id, "") for work_id in cited]
    covered = coverage(question, said, weights)
    proposed = len(claims) + len(dropped)
    removed = len(dropped) / proposed if proposed else 0.0
    factors: dict[str, float | int | str] = {
        "question_coverage": round(covered.share, 3),
        "evidence_coverage": round(best_passage(question, evidence).share, 3),
        "papers": len(cited),
        "claims": len(claims),
        "full_support": sum(claim.support == "full" for claim in claims),
        "dropped_share": round(removed, 3),
    }
    top = evidence.hits[0] if evidence.hits else None
    if top is not None and top.vector_score is not None:
        factors["top_similarity"] = round(max(h.vector_score or 0.0 for h in evidence.hits), 3)
    return _level(covered.share, len(cited), removed, claims), factors


def _level(covered: float, papers: int, removed: float, claims: Sequence[Claim]) -> Confidence:
    if not claims:
        return "insufficient_evidence"
    full = sum(claim.support == "full" for claim in claims) >= len(claims) / 2
    if covered >= HIGH_COVERAGE and papers >= HIGH_PAPERS and removed <= HIGH_DROPPED and full:
        return "high"
    return "medium" if covered >= MEDIUM_COVERAGE and removed <= MEDIUM_DROPPED else "low"
