"""From what the lake knows of a paper to the documents that an index holds of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from search.documents.passages import split_passage
from search.embedding.protocol import Embedder
from search.index.documents import (
    PaperDocuments,
    PassageDocument,
    ReferenceDetail,
    WorkDocument,
    author_keys,
    category_keys,
    content_hash,
    passage_id,
)
from search.lake.catalogue import WorkState
from search.lake.lake import Lake
from search.lake.vectors import vector_key
from search.models import Passage, Work

#: Characters of the title that travel with a passage for embedding. arXiv's titles end before 300;
#: a hostile one must not push the passage out of the model's window.
TITLE_CHARACTERS = 300


def embedding_text(title: str, text: str) -> str:
    """Return the exact string that is embedded for a passage: the paper's title goes with it."""
    return f"{title[:TITLE_CHARACTERS]}\n{text}"


def fits(embedder: Embedder | None, title: str) -> Callable[[str], bool]:
    """Return whether a passage of this paper is short enough to be embedded whole."""
    if embedder is None:
        return lambda _: True
    return lambda text: embedder.count_tokens([embedding_text(title, text)])[0] <= embedder.max_tokens


def searchable_passages(state: WorkState, lake: Lake, embedder: Embedder | None) -> list[Passage]:
    """Return a paper's passages as searched: the abstract first, none longer than the model reads."""
    work = state.work
    if work is None or state.removed:
        return []
    # A work of which only the title is known is still found by it.
    first = Passage(ordinal=0, section="Abstract", text=work.abstract or work.title, kind="abstract")
    read = lake.catalogue.paper(state.paper).passages if state.paper else ()
    whole = [first, *read]
    if embedder is None:
        parts = whole
    else:
        lengths = embedder.count_tokens([embedding_text(work.title, p.text) for p in whole])
        parts = []
        for passage, length in zip(whole, lengths, strict=True):
            if length <= embedder.max_tokens:
                parts.append(passage)
            else:
                texts = split_passage(passage.text, fits(embedder, work.title))
                parts += [passage.model_copy(update={"text": text}) for text in texts]
    return [p.model_copy(update={"ordinal": ordinal}) for ordinal, p in enumerate(parts)]


def embedding_texts(state: WorkState, lake: Lake, embedder: Embedder) -> list[str]:
    """Return the strings to embed for a paper, one per passage."""
    title = state.work.title if state.work else ""
    return [embedding_text(title, p.text) for p in searchable_passages(state, lake, embedder)]


def paper_documents(state: WorkState, lake: Lake, embedder: Embedder | None) -> PaperDocuments:
    """Return everything an index holds of a paper; for a removed one, its textless tombstone."""
    revision = max(state.stamp, state.vector_stamp)
    if state.removed or state.work is None:
        bare = WorkDocument(
            work_id=state.work_id, version=0, revision=revision, content_hash="", removed=True
        )
        return PaperDocuments(bare.model_copy(update={"content_hash": content_hash(bare, (), ())}))
    work = state.work
    passages = searchable_passages(state, lake, embedder)
    card = _card(work)
    documents = tuple(
        PassageDocument(
            passage_id=passage_id(work.work_id, work.version, p.ordinal, p.text),
            work_id=work.work_id,
            version=work.version,
            revision=revision,
            ordinal=p.ordinal,
            text=p.text,
            lead=work.title if p.ordinal == 0 and work.abstract else "",
            section=p.section,
            page=p.page,
            boxes=p.boxes,
            kind=p.kind,
            # The metadata's abstract may be somebody else's summary, or only the title.
            evidence=p.page is not None or (bool(work.abstract) and not work.abstract_is_summary),
            **card,
        )
        for p in passages
    )
    keys: list[bytes] = []
    vectors: Sequence[Any] = [None] * len(documents)
    if embedder is not None:
        keys = [vector_key(embedder.fingerprint, embedding_text(work.title, p.text)) for p in passages]
        vectors = lake.vectors(embedder.fingerprint, keys)
    document = _work_document(state, work, revision, len(documents), card)
    present = [key.hex() if vector is not None else None for key, vector in zip(keys, vectors, strict=False)]
    document = document.model_copy(update={"content_hash": content_hash(document, documents, present)})
    return PaperDocuments(document, documents, tuple(vectors))


def _card(work: Work) -> dict[str, Any]:
    """Return the part of a work that travels with each of its passages."""
    return {
        "title": work.title,
        "authors": work.authors,
        "author_keys": author_keys(work.authors),
        "published": work.published,
        "year": work.year,
        "categories": work.categories,
        "category_keys": category_keys(work.categories),
        "licence_class": work.licence_class,
        "withdrawn": work.withdrawn,
        "pinned": work.pinned,
        "url": work.url,
    }


def _work_document(
    state: WorkState, work: Work, revision: int, passages: int, card: dict[str, Any]
) -> WorkDocument:
    details = tuple(ReferenceDetail(**edge) for edge in state.edges)
    return WorkDocument(
        work_id=work.work_id,
        version=work.version,
        revision=revision,
        content_hash="",
        abstract=work.abstract,
        updated=work.updated,
        versions=work.versions,
        licence=work.licence,
        doi=work.doi,
        journal_ref=work.journal_ref,
        comments=work.comments,
        references=tuple(dict.fromkeys(d.cited.removeprefix("arxiv:") for d in details)),
        reference_details=details,
        passages=passages,
        full_text=state.paper is not None,
        **card,
    )
