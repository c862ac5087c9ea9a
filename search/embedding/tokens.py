"""Texts to token ids, as the model's own `tokenizer.json` does it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from search.errors import ModelDamaged

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray


class TokenEncoder:
    """A tokenizer file, read when first needed. Never cuts, never pads. Safe from many threads."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._tokenizer: Any = None

    def __call__(self, texts: Sequence[str]) -> list[NDArray[np.int64]]:
        """Return each text's token ids, special tokens included, whatever their number.

        Raises:
            ModelDamaged: the file is no tokenizer.
        """
        encodings = self._loaded().encode_batch_fast(list(texts))
        return [np.array(encoding.ids, dtype=np.int64) for encoding in encodings]

    def within(self, texts: Sequence[str], limit: int) -> list[NDArray[np.int64]]:
        """Return each text's token ids.

        Raises:
            ValueError: a text has more than `limit` of them.
        """
        ids = self(texts)
        for position, tokens in enumerate(ids):
            if len(tokens) > limit:
                raise ValueError(
                    f"text {position} has {len(tokens)} tokens, the model takes {limit}: "
                    f"{texts[position][:60]!r}"
                )
        return ids

    def _loaded(self) -> Any:
        with self._lock:
            if self._tokenizer is None:
                from tokenizers import Tokenizer

                try:
                    tokenizer = Tokenizer.from_file(str(self._path))
                except Exception as error:  # the library's errors have no class of their own
                    raise ModelDamaged(
                        f"{self._path} cannot be loaded ({error})", advice="copy it again"
                    ) from error
                # Exports carry the settings of whoever exported: cut at 128, pad to 128.
                tokenizer.no_truncation()
                tokenizer.no_padding()
                self._tokenizer = tokenizer
            return self._tokenizer


def cut(ids: NDArray[np.int64], limit: int) -> NDArray[np.int64]:
    """Return at most `limit` ids; the last one, which closes the sequence, stays."""
    return ids if len(ids) <= limit else np.concatenate([ids[: limit - 1], ids[-1:]])
