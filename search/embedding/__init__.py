"""Embedding models behind one protocol. See `search.embedding.protocol`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from search.embedding.protocol import Embedder
    from search.settings import Settings

__all__ = ["open_embedder"]


def open_embedder(settings: Settings) -> Embedder:
    """Return the embedding model that the settings name. Its weights are loaded when first used.

    Raises:
        ModelUnavailable: no source has the model; the advice names the ways out.
        ModelDamaged: a file is not what its pinned checksum says.
        MissingExtra: the backend is `sentence-transformers`, and it is not installed.
    """
    if settings.embedding_backend == "sentence-transformers":
        from search.embedding.sentence_transformers import open_sentence_transformer

        return open_sentence_transformer(settings)
    from search.embedding.onnx import OnnxEmbedder
    from search.embedding.sources import locate

    return OnnxEmbedder(locate(settings), threads=settings.embedding_threads)
