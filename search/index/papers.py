"""From a paper to what an index holds of it: which texts are searched, and how they are named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from search.documents.passages import split_passage
from search.embedding.protocol import Embedder, Vector
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
from search.models import Passage, Work

#: Characters of the title that travel with a passage for embedding. arXiv's titles end before 300;
#: a hostile one must not push the passage out of the model's window.
TITLE_CHARACTERS = 300


def embedding_text(title: str, text: str) -> str:
    """Return the exact string that is embedded for a passage: the paper's title goes with it."""
    return f"{title[:TITLE_CHARACTERS]}\n{text}"


def embedding_title(title: str, embedder: Embedder) -> str:
    """Return as much of a title as leaves half of the model's window to the passage."""
    title = title[:TITLE_CHARACTERS]
    while title and embedder.count_tokens([title])[0] > embedder.max_tokens // 2:
        title = title[: len(title) // 2]
    return title


def fits(embedder: Embedder, title: str) -> Callable[[str], bool]:
    """Return a test whether a passage of this paper is short enough to be embedded whole."""
    return lambda text: embedder.count_tokens([embedding_text(title, text)])[0] <= embedder.max_tokens


def searchable_passages(
    work: Work, read: Sequence[Passage], embedder: Embedder | None
) -> tuple[Passage, ...]:
    """Return a paper's passages as they are searched: the abstract first, none longer than the model reads.

    Args:
        work: the metadata.
        read: the passages of its PDF, if it was read.
        embedder: the model whose length counts; None: words only, nothing is split.
    """
    # A work of which only the title is known is still found by it.
    first = Passage(ordinal=0, section="Abstract", text=work.abstract or work.title, kind="abstract")
    whole = [first, *read]
    if embedder is not None:
        title = embedding_title(work.title, embedder)
        lengths = embedder.count_tokens([embedding_text(title, p.text) for p in whole])
        whole = [
            part
            for passage, length in zip(whole, lengths, strict=True)
            for part in (
                [passage] if length <= embedder.max_tokens else _split(passage, fits(embedder, title))
            )
        ]
    return tuple(p.model_copy(update={"ordinal": ordinal}) for ordinal, p in enumerate(whole))


def paper_documents(
    work: Work,
    passages: Sequence[Passage],
    *,
    revision: int,
    vectors: Sequence[Vector | None],
    vector_keys: Sequence[str | None],
    edges: Sequence[dict[str, Any]] = (),
    full_text: bool = False,
) -> PaperDocuments:
    """Return everything an index holds of a paper.

    Args:
        work: the metadata.
        passages: as `searchable_passages` returns them.
        revision: microseconds since 1970 of the newest fact that goes in.
        vectors: one per passage, None where it has not been computed yet.
        vector_keys: what each vector was computed from, None like the vector.
        edges: citation edges, as the lake keeps them.
        full_text: whether the PDF was read.
    """
    card = _card(work)
    # arXiv gives the newest version's abstract only: beside a pinned older one it is another text.
    own_abstract = (
        bool(work.abstract)
        and not work.abstract_is_summary
        and work.version == max((v.number for v in work.versions), default=work.version)
    )
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
            evidence=p.page is not None or own_abstract,
            **card,
        )
        for p in passages
    )
    details = tuple(ReferenceDetail(**edge) for edge in edges)
    document = WorkDocument(
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
        passages=len(documents),
        full_text=full_text,
        **card,
    )
    sealed = document.model_copy(update={"content_hash": content_hash(document, documents, vector_keys)})
    return PaperDocuments(sealed, documents, tuple(vectors))


def tombstone(work_id: str, revision: int) -> PaperDocuments:
    """Return what an index keeps of a removed paper: that it is removed."""
    bare = WorkDocument(work_id=work_id, version=0, revision=revision, content_hash="", removed=True)
    return PaperDocuments(bare.model_copy(update={"content_hash": content_hash(bare, (), ())}))


def _split(passage: Passage, test: Callable[[str], bool]) -> list[Passage]:
    return [passage.model_copy(update={"text": text}) for text in split_passage(passage.text, test)]


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
