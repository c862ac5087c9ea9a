"""What a reader should know before trusting an answer, one sentence each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from search.answering.evidence import Evidence
from search.index.documents import WorkDocument
from search.models import AnswerReference, Claim


def limitations(
    evidence: Evidence, claims: Sequence[Claim], references: Sequence[AnswerReference], *, route: str
) -> tuple[str, ...]:
    """Return what weakens the answer: the state of its papers, and how it was looked for and made."""
    cited = [evidence.works[r.work_id] for r in references if r.citations and r.work_id in evidence.works]
    return (*_of_search(evidence), *_of_papers(cited), *_of_claims(claims, cited, route))


def _of_search(evidence: Evidence) -> Iterator[str]:
    result = evidence.result
    if result.message:
        yield result.message
    withdrawn = [hit.work_id for hit in result.hits if hit.withdrawn == "yes"]
    if withdrawn:
        yield f"Withdrawn, found and not cited: {', '.join(withdrawn)}."
    suspected = [hit.work_id for hit in result.hits if hit.withdrawn == "suspected"]
    if suspected:
        yield f"Withdrawn by their own words, found and not cited: {', '.join(suspected)}."
    if evidence.unquotable:
        yield (f"{len(evidence.unquotable)} of the passages found may not be quoted ({_why(evidence)}).")


def _why(evidence: Evidence) -> str:
    """Return why passages may not be quoted: one that is none of these is the licence policy's."""
    by_policy = any(p.page is not None and p.withdrawn == "no" for p in evidence.unquotable)
    return "summaries by others, withdrawn" + (", or by the licence policy" if by_policy else "")


def _of_papers(cited: Sequence[WorkDocument]) -> Iterator[str]:
    for work in cited:
        newest = max((v.number for v in work.versions), default=work.version)
        if work.pinned and newest > work.version:
            yield f"{work.work_id} is pinned at version {work.version}; version {newest} exists."
    unread = [work.work_id for work in cited if not work.full_text]
    if unread:
        yield f"Only the abstract was read of {', '.join(unread)}."


def _of_claims(claims: Sequence[Claim], cited: Sequence[WorkDocument], route: str) -> Iterator[str]:
    if claims and len(cited) == 1:
        yield "One paper only supports this answer."
    if claims and route == "extractive":
        yield "The claims are sentences of the papers as they stand; nothing was put into other words."
