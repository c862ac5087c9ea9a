"""What an answer leaves open: words nobody spoke of, papers the library lacks, questions to ask instead."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from search.answering.confidence import Coverage
from search.answering.evidence import Evidence
from search.index.protocol import IndexStore
from search.models import Claim, Discovery, Filters

#: How many discoveries and refinements a reader looks at.
MOST = 5


def gaps(covered: Coverage, claims: Sequence[Claim]) -> tuple[str, ...]:
    """Return what the question asks about and no claim speaks of."""
    if not covered.missing:
        return ()
    words = ", ".join(f"“{w}”" for w in covered.missing)
    who = "No claim of this answer" if claims else "No passage that was read"
    return (f"{who} speaks of {words}.",)


def discoveries(evidence: Evidence, claims: Sequence[Claim], store: IndexStore) -> tuple[Discovery, ...]:
    """Return works that the answer's papers cite and the library does not hold, most cited first.

    Only works that are on arXiv: whether a `doi:` is in the library under another id cannot be told.
    """
    cited = {c.work_id for claim in claims for c in claim.supporting_citations} or set(evidence.works)
    citing: defaultdict[str, list[str]] = defaultdict(list)
    for work_id in sorted(cited & set(evidence.works)):
        for reference in dict.fromkeys(evidence.works[work_id].references):
            if not reference.startswith("doi:"):
                citing[reference].append(work_id)
    held = store.works(sorted(citing)) if citing else {}
    ranked = sorted((r for r in citing if r not in held), key=lambda r: (-len(citing[r]), r))
    return tuple(Discovery(cited=r, cited_by=tuple(citing[r])) for r in ranked[:MOST])


def refinements(covered: Coverage, evidence: Evidence, filters: Filters) -> tuple[str, ...]:
    """Return what to try next where the evidence is thin."""
    found: list[str] = []
    if evidence.result.outcome == "empty index":
        return ("Add papers first: the library is empty.",)
    if evidence.result.outcome == "filtered out" or not filters.keeps_everything():
        found.append("Ask again without the filters, or with wider ones.")
    if covered.missing and evidence.hits:
        found.append(
            "Say it in other words: no paper that was read has "
            + ", ".join(f"“{w}”" for w in covered.missing)
            + "."
        )
    found += [f"Ask about “{hit.title}”, the closest paper." for hit in evidence.hits[:1]]
    categories = list(dict.fromkeys(c for hit in evidence.hits[:3] for c in hit.categories[:1]))
    if categories:
        found.append(f"Add papers on this question, for example from {', '.join(categories)}.")
    if not evidence.hits:
        found.append("Use fewer or more common words, or add papers on this question.")
    return tuple(found[:MOST])
