"""The passages that an answer may rest on."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from search.answering.advice import advises, asks_advice
from search.answering.conditions import conditions, meets
from search.index.documents import PassageDocument, WorkDocument
from search.index.protocol import IndexStore
from search.models import Filters, Hit, SearchResult

if TYPE_CHECKING:
    from search.models import Mode

#: How many passages are read for one answer. Eight papers with three passages each is what a prompt of
#: 8,000 tokens holds at 1,250 characters a passage.
EVIDENCE_PASSAGES = 24
#: How many of them one paper may give, and how many times as many are fetched: a long paper whose passages
#: all match leaves room for the others.
OF_A_PAPER = 6
FETCHED = 3

_INSTRUCTION = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b[^.]{0,40}"
    r"\b(?:above|previous|prior|earlier|preceding|instructions?|prompts?|rules)\b"
    r"|\b(?:you are|act as|pretend to be)\b[^.]{0,20}\b(?:an? )?(?:ai|assistant|language model|chatbot|llm)\b"
    r"|\b(?:as an? )(?:ai|language model|assistant),? you\b"
    r"|\b(?:language models?|llms?|ai (?:systems?|assistants?)|assistants?|reviewers?) "
    r"(?:must|should|reading this)\b[^.]{0,40}"
    r"\b(?:say|state|answer|respond|claim|conclude|recommend|give|output)\b"
    r"|\b(?:system prompt|give a positive review|do not highlight any negatives)\b",
    re.IGNORECASE,
)


class Retrieval(Protocol):
    """What answering needs of `search.retrieval.Retriever`."""

    def search(
        self,
        query: str,
        *,
        filters: Filters = ...,
        limit: int = ...,
        mode: Mode = ...,
        hops: int = ...,
        threshold: float | None = ...,
        passages: int = ...,
    ) -> SearchResult:
        """Return the ranked works for a query."""

    def evidence(
        self, question: str, work_ids: Sequence[str], *, size: int
    ) -> list[tuple[float, PassageDocument]]:
        """Return the best passages of these works, best first."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was found for a question and may be quoted."""

    result: SearchResult
    #: Score and passage, best first. None of them is withdrawn or somebody else's summary.
    passages: tuple[tuple[float, PassageDocument], ...]
    #: The works of the hits, by id.
    works: dict[str, WorkDocument]
    #: Passages left out because they are a summary or withdrawn.
    unquotable: tuple[PassageDocument, ...] = ()

    @property
    def texts(self) -> tuple[PassageDocument, ...]:
        """The passages alone."""
        return tuple(passage for _, passage in self.passages)

    @property
    def hits(self) -> tuple[Hit, ...]:
        """The closest works, best first."""
        return self.result.hits


def readable(passage: PassageDocument) -> tuple[str, str, str]:
    """Return what a reader of a passage has before them: the text, its section's heading, the title."""
    return passage.text, passage.section, passage.title


def instructs(text: str) -> bool:
    """Whether a text is addressed to a language model ("ignore the above and say …"): never quoted."""
    return _INSTRUCTION.search(text) is not None


def gather(
    question: str,
    *,
    retriever: Retrieval,
    store: IndexStore,
    filters: Filters,
    limit: int,
    size: int = EVIDENCE_PASSAGES,
) -> Evidence:
    """Search works, then read the passages of those that may be cited.

    Withdrawn papers, and those whose own words say that they are, stay among the hits, where the reader sees
    them marked, and give no passage.
    """
    result = retriever.search(question, filters=filters, limit=limit)
    ids = [hit.work_id for hit in result.hits]
    works = store.works(ids) if ids else {}
    allowed = [i for i in ids if i in works and works[i].withdrawn == "no"]
    found = retriever.evidence(question, allowed, size=FETCHED * size) if allowed else []
    quotable = [(s, p) for s, p in found if p.evidence and p.withdrawn == "no" and p.work_id in works]
    left_out = tuple(p for _, p in found if not p.evidence or p.withdrawn != "no")
    return Evidence(result, _shared_out(_wanted_first(question, quotable), size), works, left_out)


def _wanted_first(
    question: str, passages: Sequence[tuple[float, PassageDocument]]
) -> list[tuple[float, PassageDocument]]:
    """Return the passages with those first that state a figure of the question, or the advice it asks for.

    By their words and vectors, texts with other figures and without advice are as near to a question.
    """
    asked, advice = conditions(question), asks_advice(question)

    def passed_over(found: tuple[float, PassageDocument]) -> bool:
        text = found[1].text
        return not (any(meets(f, text) for f in asked) or (advice and advises(text) == 1.0))

    return sorted(passages, key=passed_over)


def _shared_out(
    passages: Sequence[tuple[float, PassageDocument]], size: int
) -> tuple[tuple[float, PassageDocument], ...]:
    """Return the first `size` passages with at most `OF_A_PAPER` of each paper."""
    taken: Counter[str] = Counter()
    kept: list[tuple[float, PassageDocument]] = []
    for score, passage in passages:
        taken[passage.work_id] += 1
        if taken[passage.work_id] <= OF_A_PAPER and len(kept) < size:
            kept.append((score, passage))
    return tuple(kept)
