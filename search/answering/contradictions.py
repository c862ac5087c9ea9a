"""Claims of one answer that cannot both hold as stated. Conservative: a pair is named only where the two
speak of the same thing in mostly the same words."""  # noqa: D205, D209

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from search.answering.polarity import disagreement
from search.answering.quantities import quantities
from search.answering.wording import FUNCTION_WORDS, content_stems, words
from search.models import Claim, Contradiction

#: Share of the shorter claim's content words that the other must have too.
SAME_SUBJECT = 0.6
#: For two different figures of one quantity, which differ more easily for a reason that is not said.
SAME_MEASURE = 0.8
#: Shared words without which two short claims only look alike.
LEAST_SHARED = 3


def contradictions(claims: Sequence[Claim]) -> tuple[Contradiction, ...]:
    """Return the pairs of claims with opposite polarity or different figures for the same thing."""
    found: list[Contradiction] = []
    for one, two in combinations(claims, 2):
        why = _why(one.text, two.text)
        if why:
            found.append(Contradiction(claims=(one.text, two.text), about=why))
    return tuple(found)


def _why(one: str, two: str) -> str | None:
    first, second = set(content_stems(one)), set(content_stems(two))
    shared = first & second
    alike = len(shared) / (min(len(first), len(second)) or 1)
    if alike < SAME_SUBJECT or len(shared) < LEAST_SHARED:
        return None
    subject = " ".join(
        dict.fromkeys(
            w.printed for w in words(one) if w.stem in shared and w.printed.lower() not in FUNCTION_WORDS
        )
    )
    if disagreement(one, two) and disagreement(two, one):
        return subject
    if alike >= SAME_MEASURE and _other_figures(one, two):
        return subject
    return None


def _other_figures(one: str, two: str) -> bool:
    """Whether each gives exactly one figure, of the same unit, and the two differ."""
    first = quantities(one, citation_marks=False)
    second = quantities(two, citation_marks=False)
    if len(first) != 1 or len(second) != 1 or first[0].unit != second[0].unit:
        return False
    return first[0].value != second[0].value and "none" in (first[0].bound, second[0].bound)
