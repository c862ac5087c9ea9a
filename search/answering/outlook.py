"""What an answer leaves open: words nobody spoke of, papers the library lacks, questions to ask instead."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from search.answering.conditions import conditions, meets
from search.answering.confidence import said_of, unmet
from search.answering.evidence import Evidence, readable
from search.answering.extractive import quotable
from search.answering.wording import content_stems, subject_stems, subject_words
from search.documents.sentences import sentences
from search.index.documents import PassageDocument
from search.index.protocol import IndexStore
from search.models import Claim, Discovery, Filters

#: How many discoveries and refinements a reader looks at.
MOST = 5


def gaps(question: str, evidence: Evidence, claims: Sequence[Claim]) -> tuple[str, ...]:
    """Return what the question asks about and the answer does not speak of; each sentence is true.

    What no claim says is looked for in claims, headings and titles; what no passage says, in every passage
    that was read.
    """
    return tuple(_of_claims(question, evidence, claims) if claims else _of_evidence(question, evidence))


def _of_claims(question: str, evidence: Evidence, claims: Sequence[Claim]) -> Iterator[str]:
    said = [t for texts in said_of(claims, evidence).values() for t in texts]
    for missing in (lacking(question, said), unmet(question, claims)):
        if missing:
            yield f"No claim of this answer speaks of {_listed(missing)}."


def _of_evidence(question: str, evidence: Evidence) -> Iterator[str]:
    if not subject_stems(question):
        yield "The question names no subject that papers could be told apart by."
        return
    missing = unread(question, evidence)
    nowhere = lacking(question, _texts((*evidence.texts, *evidence.unquotable)))
    elsewhere = [w for w in missing if w not in nowhere]
    if nowhere:
        yield f"No passage that was read speaks of {_listed(nowhere)}."
    if elsewhere:
        yield (
            "Of the passages found, only some that may not be quoted (summaries by others, withdrawn papers) "
            f"speak of {_listed(elsewhere)}."
        )
    figures = _unstated(question, evidence)
    if figures:
        yield f"No sentence that holds half of the question's words states {_listed(figures)}."
    if not missing and not figures:
        yield "The words stand in passages that were read, but no sentence that can stand alone answers."


def _unstated(question: str, evidence: Evidence) -> list[str]:
    """Return the figures of the question that no sentence states which holds half of its words or more."""
    asked = conditions(question)
    read = [p.text[a:b] for p in evidence.texts for a, b in sentences(p.text)] if asked else []
    words = len(subject_stems(question))
    read = [text for text in read if quotable(text) and 2 * len(lacking(question, [text])) <= words]
    return [f.phrase for f in asked if not any(meets(f, sentence) for sentence in read)]


def unread(question: str, evidence: Evidence) -> list[str]:
    """Return the subject words of the question that no passage which may be quoted holds."""
    return lacking(question, _texts(evidence.texts))


def lacking(question: str, texts: Sequence[str]) -> list[str]:
    """Return the subject words of the question, as asked, whose stems stand in none of `texts`."""
    held = {s for text in texts for s in content_stems(text)}
    return list(dict.fromkeys(w.printed for w in subject_words(question) if w.stem not in held))


def _texts(passages: Sequence[PassageDocument]) -> list[str]:
    return [text for passage in passages for text in readable(passage)]


def _listed(printed: Sequence[str]) -> str:
    return ", ".join(f"“{w}”" for w in printed)


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


def refinements(question: str, evidence: Evidence, filters: Filters) -> tuple[str, ...]:
    """Return what to try next where the evidence is thin."""
    found: list[str] = []
    if evidence.result.outcome == "empty index":
        return ("Add papers first: the library is empty.",)
    if evidence.result.outcome == "filtered out" or not filters.keeps_everything():
        found.append("Ask again without the filters, or with wider ones.")
    missing = unread(question, evidence)
    if missing and evidence.texts:
        found.append(f"Say it in other words: no passage that may be quoted has {_listed(missing)}.")
    if not subject_stems(question):
        found.append("Name what the question is about.")
    found += [f"Ask about “{hit.title}”, the closest paper." for hit in evidence.hits[:1]]
    categories = list(dict.fromkeys(c for hit in evidence.hits[:3] for c in hit.categories[:1]))
    if categories:
        found.append(f"Add papers on this question, for example from {', '.join(categories)}.")
    if not evidence.hits:
        found.append("Use fewer or more common words, or add papers on this question.")
    return tuple(found[:MOST])
