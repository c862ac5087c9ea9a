"""From what the lake knows of a work to what an index holds of it."""

from __future__ import annotations

from search.embedding.protocol import Embedder, Vector
from search.index.documents import PaperDocuments
from search.index.papers import (
    embedding_text,
    embedding_title,
    paper_documents,
    searchable_passages,
    tombstone,
)
from search.lake.lake import Lake
from search.lake.states import WorkState
from search.lake.vectors import vector_key
from search.models import Passage


def passages_of(state: WorkState, lake: Lake, embedder: Embedder | None) -> tuple[Passage, ...]:
    """Return a work's passages as they are searched; a removed one has none."""
    if state.work is None or state.removed:
        return ()
    read = lake.catalogue.paper(state.paper).passages if state.paper else ()
    return searchable_passages(state.work, read, embedder)


def embedding_texts(state: WorkState, lake: Lake, embedder: Embedder) -> list[str]:
    """Return the strings to embed for a work, one per passage."""
    title = embedding_title(state.work.title, embedder) if state.work else ""
    return [embedding_text(title, p.text) for p in passages_of(state, lake, embedder)]


def documents_of(state: WorkState, lake: Lake, embedder: Embedder | None) -> PaperDocuments:
    """Return everything an index holds of a work; for a removed one, its textless tombstone."""
    revision = max(state.stamp, state.vector_stamp)
    if state.removed or state.work is None:
        return tombstone(state.work_id, revision)
    passages = passages_of(state, lake, embedder)
    keys: list[str | None] = [None] * len(passages)
    vectors: list[Vector | None] = [None] * len(passages)
    if embedder is not None:
        title, model = embedding_title(state.work.title, embedder), embedder.fingerprint
        wanted = [vector_key(model, embedding_text(title, p.text)) for p in passages]
        vectors = lake.vectors(model, wanted)
        keys = [key.hex() if v is not None else None for key, v in zip(wanted, vectors, strict=True)]
    return paper_documents(
        state.work,
        passages,
        revision=revision,
        vectors=vectors,
        vector_keys=keys,
        edges=state.edges,
        full_text=state.paper is not None,
    )
