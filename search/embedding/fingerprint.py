"""What makes two embedders give the same vectors, as one checksum."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from search.embedding.known import Pooling


def fingerprint(*, weights: str, tokenizer: str, pooling: Pooling, query_prefix: str, max_tokens: int) -> str:
    """Return a checksum that is equal exactly where all of these are equal, as 64 hex digits.

    `weights` is the identity of the weights, which several files may share
    (`search.embedding.known`); `tokenizer` the checksum of what the tokenizer does.
    """
    parts = {
        "weights": weights,
        "tokenizer": tokenizer,
        "pooling": pooling,
        "normalisation": "l2",
        "query_prefix": query_prefix,
        "passage_prefix": "",
        "max_tokens": max_tokens,
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
