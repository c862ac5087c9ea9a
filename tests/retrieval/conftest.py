"""A small collection in a real embedded index, with a model made of words."""

from __future__ import annotations

import hashlib
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from search.index.embedded import EmbeddedStore
from search.index.papers import embedding_text, paper_documents
from search.models import Passage, Work


class WordModel:
    """An embedder in which texts are near where they share words: one direction a word."""

    name = "words"
    dimensions = 256
    max_tokens = 512

    def __init__(self, fingerprint: str = "words-1") -> None:
        self.fingerprint = fingerprint
        self.queries = 0

    def count_tokens(self, texts):
        return [len(text.split()) for text in texts]

    def embed_passages(self, texts):
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().split():
                vectors[row, hashlib.sha256(word.encode()).digest()[0]] += 1
        return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)

    def embed_query(self, text):
        self.queries += 1
        return self.embed_passages([text])[0]


class Collection:
    """An embedded store and how to put papers into it."""

    def __init__(self, folder: Path) -> None:
        self.model = WordModel()
        self.store = EmbeddedStore(folder)
        self.generation: str | None = None

    def create(self, *, vectors: bool = True) -> None:
        made = self.store.create(
            fingerprint=self.model.fingerprint if vectors else None,
            dimensions=self.model.dimensions if vectors else None,
        )
        self.generation = made.name

    def write(self, *papers: dict, vectors: bool = True, revision: int = 1) -> None:
        """Write papers given as `{"id", "title", "text", "more", "cites", **work fields}`."""
        self.store.write(self.generation, [self.documents(dict(p), vectors, revision) for p in papers])

    def documents(self, paper: dict, vectors: bool, revision: int):
        cites, more = paper.pop("cites", ()), paper.pop("more", ())
        work = Work(
            work_id=paper.pop("id"), title=paper.pop("title"), abstract=paper.pop("text"),
            published=date(paper.pop("year", 2020), 1, 1), **paper,
        )  # fmt: skip
        texts = [work.abstract, *more]
        passages = [
            Passage(ordinal=n, text=text, section=f"{n}", page=n or None) for n, text in enumerate(texts)
        ]
        found = self.model.embed_passages([embedding_text(work.title, text) for text in texts])
        edges = [{"cited": f"arxiv:{cited}", "source": "test"} for cited in cites]
        return paper_documents(
            work,
            passages,
            revision=revision,
            vectors=list(found) if vectors else [None] * len(texts),
            vector_keys=texts if vectors else [None] * len(texts),
            edges=edges,
        )

    def publish(self) -> None:
        self.store.publish(self.generation)


@pytest.fixture
def collection(tmp_path):
    """An empty collection that nothing is published of."""
    made = Collection(tmp_path / "index")
    yield made
    made.store.close()


PAPERS = [
    {
        "id": "2001.00001",
        "title": "Deep residual networks",
        "text": "Skip connections train very deep networks for images.",
        "year": 2015,
        "categories": ("cs.CV",),
        "authors": ("Kaiming He",),
        "cites": ("2001.00004",),
        "more": (
            "Residual blocks add their input to their output.",
            "On images the deep networks reach lower error.",
        ),
    },
    {
        "id": "2001.00002",
        "title": "Attention is what you need",
        "text": "Attention layers replace recurrence in translation.",
        "year": 2017,
        "categories": ("cs.CL",),
        "authors": ("Ashish Vaswani", "Noam Shazeer"),
        "cites": ("2001.00001", "2001.00005"),
    },
    {
        "id": "2001.00003",
        "title": "Pretraining of deep transformers",
        "text": "Masked words pretrain deep attention networks.",
        "year": 2018,
        "categories": ("cs.CL",),
        "authors": ("Jacob Devlin",),
        "cites": ("2001.00002",),
    },
    {
        "id": "2001.00004",
        "title": "Gradient based learning",
        "text": "Handwriting is read by convolution.",
        "year": 1998,
        "categories": ("cs.NE",),
        "authors": ("Yann LeCun",),
    },
    {
        "id": "2001.00005",
        "title": "Sequence to sequence",
        "text": "Recurrent models encode and decode sentences.",
        "year": 2014,
        "categories": ("cs.CL",),
        "authors": ("Ilya Sutskever",),
        "cites": ("2001.00006", "doi:10.1/elsewhere"),
    },
    {
        "id": "2001.00006",
        "title": "Bees",
        "text": "Bees dance to tell where flowers are.",
        "year": 2020,
        "categories": ("q-bio.NC",),
        "authors": ("Karl von Frisch",),
    },
]


@pytest.fixture
def papers(collection):
    """Six papers, published: 3 cites 2, 2 cites 1 and 5, 1 cites 4, 5 cites 6."""
    collection.create()
    collection.write(*PAPERS)
    collection.publish()
    return collection
