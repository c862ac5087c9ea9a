"""How much of a full text is shown and quoted: what the library's licence policy permits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from search.arxiv.licences import Policy, shortened

if TYPE_CHECKING:
    from search.index.documents import PassageDocument
    from search.models import LicenceClass, MatchedPassage
    from search.retrieval.blend import Ranked


def permitted(
    works: Sequence[Ranked], passages: Mapping[str, Sequence[MatchedPassage]], policy: Policy
) -> dict[str, list[MatchedPassage]]:
    """Return matched passages as far as the policy lets them be shown; each says whether it is cut."""
    classes = {work.work_id: work.card.licence_class for work in works}
    return {
        work_id: [_permitted(passage, policy, classes[work_id]) for passage in found]
        for work_id, found in passages.items()
        if work_id in classes
    }


def _permitted(passage: MatchedPassage, policy: Policy, licence: LicenceClass) -> MatchedPassage:
    limit = policy.shows(licence, passage.page)
    if limit is None or len(passage.text) <= limit:
        return passage
    how = f"cut to {limit} characters" if limit else "not shown"
    cut = f"{how}: licence policy {policy.name}"
    return passage.model_copy(update={"text": shortened(passage.text, limit) if limit else "", "cut": cut})


def quotable(passage: PassageDocument, policy: Policy) -> PassageDocument:
    """Return a passage as an answer may use it: no evidence where it is not shown, else short sentences.

    A sentence is quoted whole or not at all. What is left are the passage's own words, so the verifier, which
    looks in the index, still finds each quote there.
    """
    limit = policy.shows(passage.licence_class, passage.page)
    if limit is None:
        return passage
    from search.documents.sentences import sentences  # a search asks for no sentences

    kept = [s for start, end in sentences(passage.text) if len(s := passage.text[start:end]) <= limit]
    if not limit or not kept:
        return passage.model_copy(update={"evidence": False})
    return passage.model_copy(update={"text": " ".join(kept)})
