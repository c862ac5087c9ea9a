"""Small made-up papers for the tests of the index stores."""

from __future__ import annotations

from datetime import date

import numpy as np

from search.index.documents import (
    PaperDocuments,
    PassageDocument,
    WorkDocument,
    author_keys,
    category_keys,
    content_hash,
    passage_id,
)

#: Length of the test vectors: short enough to read, long enough for a graph index.
DIMENSIONS = 8


def unit(*values: float) -> np.ndarray:
    """Return a unit vector that begins with `values`, zeros after them."""
    vector = np.zeros(DIMENSIONS, dtype=np.float32)
    vector[: len(values)] = values
    return vector / np.linalg.norm(vector)


def random_units(count: int, seed: int = 0) -> np.ndarray:
    """Return `float32[count, DIMENSIONS]`: unit vectors in all directions, the same for the same seed."""
    vectors = np.random.default_rng(seed).standard_normal((count, DIMENSIONS)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def paper(
    work_id: str,
    *texts: str,
    title: str = "",
    revision: int = 1,
    vectors: object = None,
    year: int | None = 2020,
    categories: tuple[str, ...] = ("cs.CL",),
    authors: tuple[str, ...] = ("Ada Lovelace",),
    references: tuple[str, ...] = (),
    version: int = 1,
    **card: object,
) -> PaperDocuments:
    """Return a paper whose passages are `texts`; `vectors` is one for each of them (None: none known)."""
    vectors = tuple(vectors) if vectors is not None else (None,) * len(texts)
    card = {
        "title": title,
        "authors": authors,
        "author_keys": author_keys(authors),
        "year": year,
        "published": date(year, 5, 17) if year else None,
        "categories": categories,
        "category_keys": category_keys(categories),
        **card,
    }
    passages = tuple(
        PassageDocument(
            passage_id=passage_id(work_id, version, ordinal, text),
            work_id=work_id,
            version=version,
            revision=revision,
            ordinal=ordinal,
            text=text,
            lead=title if ordinal == 0 else "",
            kind="text" if ordinal else "abstract",
            **card,
        )
        for ordinal, text in enumerate(texts)
    )
    work = WorkDocument(
        work_id=work_id,
        version=version,
        revision=revision,
        content_hash="",
        abstract=texts[0] if texts else "",
        references=references,
        passages=len(passages),
        **card,
    )
    keys = [None if vector is None else np.asarray(vector).tobytes().hex() for vector in vectors]
    work = work.model_copy(update={"content_hash": content_hash(work, passages, keys)})
    return PaperDocuments(work, passages, vectors)


def tombstone(work_id: str, *, revision: int) -> PaperDocuments:
    """Return what a removed paper leaves in the index."""
    work = WorkDocument(
        work_id=work_id, version=1, revision=revision, content_hash=f"removed {work_id}", removed=True
    )
    return PaperDocuments(work)
