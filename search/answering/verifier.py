"""Whether a claim stands: its quotes are in a paper that counts, and it says no more than they do.

Deterministic, and never a model. A claim with one bad quote falls as a whole. What is checked, in order:
the paper is not withdrawn, the passage is of the version that counts, it is evidence, the quote stands in
it verbatim, the claim's numbers, polarity, roles and names are the quote's, and its words overlap with it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from search.answering.canonical import normalised, stands_in
from search.answering.drafts import Draft, Quote
from search.answering.evidence import instructs
from search.answering.support import Cited, Unsupported, support
from search.index.documents import PassageDocument, WorkDocument
from search.index.protocol import IndexStore
from search.models import Citation, Claim, DroppedClaim, DropReason

#: Shorter quotes say too little to support anything ("the model").
QUOTE_WORDS = 3

_PASSAGE_ID = re.compile(r"(?P<work>.+)v(?P<version>\d+):(?P<ordinal>\d+):[0-9a-f]{8}")


class _Refused(Exception):
    """Ends the checks of one claim."""

    def __init__(self, reason: DropReason, evidence: str) -> None:
        super().__init__(evidence)
        self.reason: DropReason = reason
        self.evidence = evidence


@dataclass(frozen=True, slots=True)
class Verdict:
    """What stands and what was removed, each in the order of the drafts."""

    kept: tuple[Claim, ...]
    dropped: tuple[DroppedClaim, ...]


def verify(drafts: Sequence[Draft], *, store: IndexStore, evidence: Sequence[PassageDocument]) -> Verdict:
    """Check every draft against what the store holds now.

    `evidence` are the passages that the generator was given: a quote that stands in another one of them
    is misattributed, one that stands in none of them is fabricated.
    """
    cited = list(dict.fromkeys(q.passage_id for d in drafts for q in d.quotes))
    passages = store.passages(cited) if cited else {}
    ids = {p.work_id for p in passages.values()} | {
        m["work"] for c in cited if (m := _PASSAGE_ID.fullmatch(c))
    }
    library = _Library(passages, store.works(sorted(ids)) if ids else {}, tuple(evidence))
    kept: list[Claim] = []
    dropped: list[DroppedClaim] = []
    for draft in drafts:
        try:
            kept.append(_checked(draft, library))
        except _Refused as refusal:
            dropped.append(DroppedClaim(text=draft.text, reason=refusal.reason, evidence=refusal.evidence))
    return Verdict(tuple(kept), tuple(dropped))


@dataclass(frozen=True, slots=True)
class _Library:
    """What the store said of the cited passages and works, and the evidence that was handed out."""

    passages: dict[str, PassageDocument]
    works: dict[str, WorkDocument]
    evidence: tuple[PassageDocument, ...]


def _checked(draft: Draft, library: _Library) -> Claim:
    if not draft.quotes:
        raise _Refused("unsupported", "no quote was given")
    cited = [(quote, _passage(quote, library)) for quote in draft.quotes]
    for quote, passage in cited:
        _check_verbatim(quote, passage, library)
    try:
        degree = support(draft.text, [Cited(q.text, p.text, p.section, p.title) for q, p in cited])
    except Unsupported as why:
        raise _Refused("unsupported", str(why)) from None
    citations = {(c.passage_id, c.quote): c for c in (_citation(q, p) for q, p in cited)}
    return Claim(text=draft.text, supporting_citations=tuple(citations.values()), support=degree)


def _citation(quote: Quote, passage: PassageDocument) -> Citation:
    return Citation(
        work_id=passage.work_id, version=passage.version, passage_id=passage.passage_id,
        section=passage.section, page=passage.page, boxes=passage.boxes, quote=quote.text, url=passage.url,
        status="pinned" if passage.pinned else "current",
    )  # fmt: skip


# ---------------------------------------------------------------- the paper and the quote
def _passage(quote: Quote, library: _Library) -> PassageDocument:
    """Return the cited passage, if it is one that counts."""
    passage = library.passages.get(quote.passage_id)
    parsed = _PASSAGE_ID.fullmatch(quote.passage_id)
    work = library.works.get(passage.work_id if passage else parsed["work"] if parsed else "")
    for said in (passage, work):
        if said is not None and said.withdrawn != "no":
            is_ = "is" if said.withdrawn == "yes" else "says that it is"
            raise _Refused("withdrawn", f"{said.work_id} {is_} withdrawn")
    if passage is None:
        if work is not None and parsed is not None and int(parsed["version"]) != work.version:
            raise _Refused(
                "stale",
                f"{quote.passage_id} is of version {parsed['version']}, the library holds {work.version}",
            )
        if any(p.passage_id == quote.passage_id for p in library.evidence):
            raise _Refused("stale", f"{quote.passage_id} was replaced while the answer was made")
        raise _elsewhere(quote, library, f"there is no passage {quote.passage_id}")
    if work is None:
        raise _Refused("stale", f"{passage.work_id} was removed from the library")
    if (passage.version, passage.revision) != (work.version, work.revision):
        raise _Refused("stale", f"{quote.passage_id} is not of the paper's current reading")
    if not passage.evidence:
        raise _Refused("unsupported", f"{quote.passage_id} is a summary, not the authors' words")
    return passage


def _check_verbatim(quote: Quote, passage: PassageDocument, library: _Library) -> None:
    if not stands_in(quote.text, passage.text):
        raise _elsewhere(quote, library, f"not in {quote.passage_id}: “{_short(quote.text)}”")
    if len(normalised(quote.text).split()) < QUOTE_WORDS:
        raise _Refused("unsupported", f"the quote is too short: “{quote.text}”")
    if instructs(quote.text):
        raise _Refused("unsupported", f"the quote is addressed to a language model: “{_short(quote.text)}”")


def _elsewhere(quote: Quote, library: _Library, message: str) -> _Refused:
    """Tell a quote that stands in another passage from one that stands in none."""
    if len(normalised(quote.text).split()) >= QUOTE_WORDS:
        for other in library.evidence:
            if other.passage_id != quote.passage_id and stands_in(quote.text, other.text):
                return _Refused("misattributed", f"{message}; it stands in {other.passage_id}")
    return _Refused("fabricated", message)


def _short(text: str, length: int = 160) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
