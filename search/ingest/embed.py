"""Passages into vectors, each string once in the life of the lake."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from search.embedding.protocol import Embedder, Vector
from search.ingest.papers import embedding_texts
from search.lake.batch import Outcome
from search.lake.lake import Lake
from search.lake.shares import Share
from search.lake.states import WorkState
from search.lake.vectors import vector_key

#: Passages per shard: 6 to 25 seconds of model time on two cores, which is what an interruption costs,
#: and enough for batches of like length.
SHARD = 256


@dataclass(slots=True)
class Embedded:
    """What embedding has done so far."""

    works: int = 0
    #: Passages given to the model; the others' vectors were there already.
    embedded: int = 0
    #: Passages longer than the model reads. They would raise; the count stays to be shown.
    cut_off: int = 0
    model_seconds: float = 0.0


def embed(lake: Lake, embedder: Embedder, *, share: Share | None = None) -> Iterator[Embedded]:
    """Compute the missing vectors of all works, shard by shard, yielding the running total after each.

    The caller applies each shard to the index as it comes, so that an interruption loses one shard's time.
    """
    total = Embedded()
    due = lake.catalogue.to_embed(embedder.fingerprint, share)
    group: list[tuple[WorkState, list[str]]] = []
    size = 0
    for state in lake.catalogue.states(due, embedder.fingerprint):
        texts = embedding_texts(state, lake, embedder)
        group.append((state, texts))
        size += len(texts)
        if size >= SHARD:
            _shard(lake, embedder, group, total)
            group, size = [], 0
            yield total
    if group:
        _shard(lake, embedder, group, total)
        yield total


def _shard(
    lake: Lake, embedder: Embedder, group: Sequence[tuple[WorkState, Sequence[str]]], total: Embedded
) -> None:
    """Embed what is missing of some works and write it as one shard."""
    strings = {vector_key(embedder.fingerprint, text): text for _, texts in group for text in texts}
    known = lake.catalogue.vectors(embedder.fingerprint, list(strings))
    missing = [key for key in strings if key not in known]
    texts = [strings[key] for key in missing]
    lengths = embedder.count_tokens(texts)
    total.cut_off += sum(length > embedder.max_tokens for length in lengths)
    began = time.monotonic()
    vectors: Vector = (
        embedder.embed_passages(texts) if texts else np.empty((0, embedder.dimensions), dtype=np.float32)
    )
    total.model_seconds += time.monotonic() - began
    outcomes = [Outcome(state.work_id, stamp=state.text_stamp) for state, _ in group]
    lake.write_vectors(embedder.fingerprint, missing, vectors, outcomes)
    lake.catalogue.refresh()
    total.works += len(group)
    total.embedded += len(missing)
