"""From a question to an answer: gather, generate, verify, and say what stands."""

from __future__ import annotations

import re
import uuid
from collections import Counter
from collections.abc import Sequence

from search.answering import extractive, llm
from search.answering.confidence import LEAST_EVIDENCE, LEAST_TO_ASK, Coverage, assess, best_passage
from search.answering.contradictions import contradictions
from search.answering.drafts import Draft
from search.answering.evidence import Evidence, Retrieval, gather
from search.answering.limitations import limitations
from search.answering.outlook import discoveries, gaps, refinements
from search.answering.verifier import Verdict, verify
from search.errors import EmptyQuery
from search.index.protocol import IndexStore
from search.models import Answer, AnswerReference, Claim, Cost, Filters
from search.settings import Settings

#: "[4]", "[1, 5-7]": an entry of the cited paper's own reference list.
_ENTRIES = r"\[(\d{1,3}(?:\s?[,;-]\s?\d{1,3})*)\]"
_OWN_MARK = re.compile(rf"\s*{_ENTRIES}")
_SPOKEN_MARK = re.compile(
    rf"\b(of|in|by|as|from|see|to|with|and|or|than|like|into|through)\s+{_ENTRIES}", re.IGNORECASE
)
#: Papers whose passages are read for an answer.
WORKS = 8


def answer(
    question: str,
    *,
    retriever: Retrieval,
    store: IndexStore,
    settings: Settings,
    filters: Filters = Filters(),  # noqa: B008 - frozen
    llm_model: str | None = None,
    limit: int = WORKS,
) -> Answer:
    """Answer `question` from the papers that `store` holds; every claim that is returned was verified.

    Args:
        question: in words, as a person asks.
        retriever: finds works and their passages.
        store: what the verifier checks against; the retriever's own.
        settings: model, key, server and time-out of the language model.
        filters: hard conditions on the papers that may be cited.
        llm_model: litellm's name of a model; None: `settings.llm_model`; both None: sentences are
            picked from the papers as they stand, and no network is used.
        limit: papers whose passages are read.

    Raises:
        EmptyQuery: the question holds no word.
        LLMError: the language model could not be asked, or did not answer in the agreed form. It never
            falls back to the extractive route: the caller decides.
        IndexMissing, EngineUnavailable, ModelMismatch: as the store and the retriever raise them.
    """
    if not any(c.isalnum() for c in question):
        raise EmptyQuery(
            "the question holds no word", advice="ask something, for example: what is a transformer?"
        )
    model = llm_model or settings.llm_model
    evidence = gather(question, retriever=retriever, store=store, filters=filters, limit=limit)
    seen = best_passage(question, evidence)
    drafts, cost = _generate(question, evidence, seen, model=model, settings=settings)
    verdict = verify(drafts, store=store, evidence=evidence.texts)
    opposed = contradictions(verdict.kept)
    level, factors = assess(question, evidence, verdict.kept, verdict.dropped, len(opposed))
    references = _references(evidence, verdict.kept)
    return Answer(
        question=question,
        answer_summary=_summary(verdict.kept, references),
        claims=verdict.kept,
        references=references,
        confidence=level,
        confidence_factors=factors,
        limitations=limitations(evidence, verdict.kept, references, route="llm" if model else "extractive"),
        dropped_claims=verdict.dropped,
        contradictions=opposed,
        gaps=gaps(question, evidence, verdict.kept),
        discoveries=discoveries(evidence, verdict.kept, store),
        refinements=refinements(question, evidence, filters)
        if level in ("insufficient_evidence", "low")
        else (),
        plan=_plan(evidence, drafts, verdict, model),
        route="llm" if model else "extractive",
        generation=evidence.result.generation,
        cost=cost,
        trace_id=uuid.uuid4().hex,
    )


def _generate(
    question: str, evidence: Evidence, seen: Coverage, *, model: str | None, settings: Settings
) -> tuple[list[Draft], Cost]:
    """Return the proposed claims; none where the evidence is too thin to ask anybody."""
    # the question is embedded once to find papers, once to find their passages
    embedded = any(hit.vector_score is not None for hit in evidence.hits)
    calls = (1 + bool(evidence.passages)) if embedded else 0
    least = LEAST_EVIDENCE if model is None else LEAST_TO_ASK
    if not evidence.passages or seen.share < least:
        return [], Cost(embedding_calls=calls)
    if model is None:
        return extractive.drafts(question, evidence.passages), Cost(embedding_calls=calls, usd=0.0)
    reply = llm.ask(question, evidence.texts, model=model, settings=settings)
    return list(reply.drafts), reply.cost.model_copy(update={"embedding_calls": calls})


def _references(evidence: Evidence, claims: Sequence[Claim]) -> tuple[AnswerReference, ...]:
    """Return the cited papers, most cited first; without any claim, the closest papers."""
    counts = Counter(c.work_id for claim in claims for c in claim.supporting_citations)
    order = {hit.work_id: hit.rank for hit in evidence.hits}
    if counts:
        chosen = sorted(counts, key=lambda w: (-counts[w], order.get(w, len(order) + 1), w))
    else:
        chosen = [hit.work_id for hit in evidence.hits if hit.work_id in evidence.works]
    return tuple(
        AnswerReference(
            rank=rank, work_id=work.work_id, version=work.version, title=work.title, authors=work.authors,
            year=work.year, url=work.url, citations=counts[work.work_id], withdrawn=work.withdrawn,
        )
        for rank, work in enumerate((evidence.works[w] for w in chosen if w in evidence.works), start=1)
    )  # fmt: skip


def _summary(claims: Sequence[Claim], references: Sequence[AnswerReference]) -> str:
    """Return the kept claims in order, each with the ranks of the papers that it cites."""
    if not claims:
        return "The papers of this library do not hold enough evidence to answer this."
    ranks = {reference.work_id: reference.rank for reference in references}
    parts: list[str] = []
    for claim in claims:
        marks = sorted({ranks[c.work_id] for c in claim.supporting_citations if c.work_id in ranks})
        parts.append(_without_marks(claim.text).strip() + " " + "".join(f"[{m}]" for m in marks))
    return " ".join(parts)


def _without_marks(text: str) -> str:
    """Return a sentence without the marks of its own paper's reference list, beside which ours would lie.

    A mark that is a word of its sentence ("as in [3]") is told apart by name.
    """
    text = _SPOKEN_MARK.sub(r"\1 (its reference \2)", text)
    return _OWN_MARK.sub("", text)


def _plan(
    evidence: Evidence, drafts: Sequence[Draft], verdict: Verdict, model: str | None
) -> tuple[str, ...]:
    result = evidence.result
    works = len({p.work_id for p in evidence.texts})
    if not drafts:
        generate = "no claim was proposed: the evidence is too thin"
    else:
        generate = f"{model or 'extractive'}: {len(drafts)} claims proposed"
    return (
        f"search ({result.mode}): {len(result.hits)} papers",
        f"evidence: {len(evidence.passages)} passages of {works} papers",
        generate,
        f"verify: {len(verdict.kept)} kept, {len(verdict.dropped)} removed",
    )
