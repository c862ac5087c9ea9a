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


def name_of(wanted: str) -> str | None:
    """Return the name of the known model with this fingerprint, None if it is none of them.

    A fingerprint cannot be read backwards; the known models are few enough to try, at any length.
    """
    from search.embedding.known import BY_WEIGHTS_SHA256, PACKAGED_MINILM_SHA256

    for model, weights in dict.fromkeys(BY_WEIGHTS_SHA256.values()):
        for max_tokens in range(model.positions, 31, -1):
            tried = fingerprint(
                weights=weights,
                tokenizer=model.tokenizer_behaviour,
                pooling=model.pooling,
                query_prefix=model.query_prefix,
                max_tokens=max_tokens,
            )
            if tried == wanted:
                kind = "int8" if weights == PACKAGED_MINILM_SHA256 else "float32"
                return f"{model.name} {kind}, {max_tokens} tokens"
    return None
