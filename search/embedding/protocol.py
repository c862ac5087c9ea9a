"""What the rest of Citewell needs of an embedding model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]
else:
    Vector = Any  # numpy takes 100 ms to import, and most commands compute nothing


class Embedder(Protocol):
    """Turns text into unit vectors. Safe to call from many threads."""

    @property
    def name(self) -> str:
        """The model's name, for people."""

    @property
    def fingerprint(self) -> str:
        """Checksum over weights, tokenizer, pooling, prefixes and length: equal means same vectors."""

    @property
    def dimensions(self) -> int:
        """Length of a vector."""

    @property
    def max_tokens(self) -> int:
        """Longest input in tokens, special tokens included."""

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return how many tokens each text becomes, special tokens included, nothing cut off."""

    def embed_passages(self, texts: Sequence[str]) -> Vector:
        """Return `float32[len(texts), dimensions]`, unit length, in the order given.

        Raises:
            ValueError: a text is longer than `max_tokens`; nothing is ever cut off silently.
        """

    def embed_query(self, text: str) -> Vector:
        """Return `float32[dimensions]`, unit length. A query is cut at `max_tokens`."""
