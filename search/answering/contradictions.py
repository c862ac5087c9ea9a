"""Claims of one answer that cannot both hold as stated. Right or silent: a pair is named only where two
papers speak of the same thing in mostly the same words, under no condition that the other does not share."""  # noqa: D205, D209

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations

from search.answering.advice import opposed
from search.answering.polarity import disagreement
from search.answering.quantities import quantities
from search.answering.wording import FUNCTION_WORDS, content_stems, words
from search.models import Claim, Contradiction

#: Share of both claims' content words that the other must have too. Set by judgement, high because a wrong
#: contradiction costs more than a missed one; neither was swept.
SAME_SUBJECT = 0.6
#: For two different figures of one quantity, which differ more easily for a reason that is not said.
SAME_MEASURE = 0.8
#: Shared words without which two short claims only look alike.
LEAST_SHARED = 3

#: What follows one of these is a condition, under which the claim holds.
_CONDITION = re.compile(
    r"\b(?:if|when|where|while|unless|only|once|under|without|with|above|below|between|for|at|in|on|during|after|"
    r"before)\b",
    re.IGNORECASE,
)


def contradictions(claims: Sequence[Claim]) -> tuple[Contradiction, ...]:
    """Return the pairs of claims of different papers that say, measure or recommend opposite things."""
    found: list[Contradiction] = []
    for one, two in combinations(claims, 2):
        if _papers(one) & _papers(two):
            continue  # no paper is told that it contradicts itself by a list of words
        why = _why(one.text, two.text)
        if why:
            found.append(Contradiction(claims=(one.text, two.text), about=why))
    return tuple(found)


def _papers(claim: Claim) -> set[str]:
    return {citation.work_id for citation in claim.supporting_citations}


def _why(one: str, two: str) -> str | None:
    first, second = set(content_stems(one)), set(content_stems(two))
    shared = first & second
    subject = " ".join(
        dict.fromkeys(
            w.printed for w in words(one) if w.stem in shared and w.printed.lower() not in FUNCTION_WORDS
        )
    )
    if opposed(one, two):
        return subject
    alike = len(shared) / (max(len(first), len(second)) or 1)
    if alike < SAME_SUBJECT or len(shared) < LEAST_SHARED or not _one_condition(one, two, shared):
        return None
    if not _figures_differ(one, two) and disagreement(one, two) and disagreement(two, one):
        return subject
    return subject if alike >= SAME_MEASURE and _other_figures(one, two) else None


def _one_condition(one: str, two: str, shared: set[str]) -> bool:
    """Whether neither claim names a condition in words that the other lacks."""
    return all(
        set(content_stems(match[0])) <= shared
        for text in (one, two)
        for match in re.finditer(_CONDITION.pattern + r"[^,;.]*", text, re.IGNORECASE)
    )


def _figures_differ(one: str, two: str) -> bool:
    """Whether the claims state other numbers: then they may hold of other cases."""
    first, second = ({q.value for q in quantities(t, citation_marks=False)} for t in (one, two))
    return first != second


def _other_figures(one: str, two: str) -> bool:
    """Whether each gives exactly one figure, of the same unit, and the two differ."""
    first = quantities(one, citation_marks=False)
    second = quantities(two, citation_marks=False)
    if len(first) != 1 or len(second) != 1 or first[0].unit != second[0].unit:
        return False
    return first[0].value != second[0].value and "none" in (first[0].bound, second[0].bound)
