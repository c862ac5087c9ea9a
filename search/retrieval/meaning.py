"""The query's vector, or a clear reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from search.errors import MissingExtra, ModelMismatch, ModelUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable

    from search.embedding.protocol import Embedder, Vector
    from search.index.protocol import Generation
    from search.models import Mode


@dataclass(frozen=True, slots=True)
class QueryVector:
    """What the semantic leg searches with."""

    #: `float32[dimensions]`; None: the semantic leg is not run.
    vector: Vector | None
    #: One sentence on why not, where that was not asked for.
    why_not: str = ""


def query_vector(
    text: str, mode: Mode, generation: Generation, embedder: Callable[[], Embedder]
) -> QueryVector:
    """Embed the query where the mode wants it and the index has vectors to compare it with.

    A hybrid search without a model is answered from words, and says so; a semantic one is not.

    Raises:
        ModelUnavailable, MissingExtra: the mode is semantic, and there is no model on this machine.
        ModelDamaged: there is one, and it cannot be loaded; in any mode that wants it.
        ModelMismatch: the index holds vectors of another model.
    """
    if mode == "lexical":
        return QueryVector(None)
    if generation.fingerprint is None:
        return QueryVector(
            None, "this index holds no vectors yet: run `citewell index build` with an embedding model"
        )
    try:
        model = embedder()
    except (ModelUnavailable, MissingExtra) as error:
        if mode == "semantic":
            raise
        return QueryVector(None, f"searched by words only, because {error}")
    check_model(model, generation)
    return QueryVector(model.embed_query(text))


def check_model(model: Embedder, generation: Generation) -> None:
    """Compare the model with the one that the index was built with.

    Raises:
        ModelMismatch: they are two.
    """
    if generation.fingerprint != model.fingerprint:
        raise ModelMismatch(
            f"the index {generation.name} was built with {model_name(generation.fingerprint or '')}, "
            f"but the model set now is {model.name} ({model.fingerprint[:12]}, {model.max_tokens} tokens)",
            advice="set CITEWELL_EMBEDDING_MODEL and CITEWELL_EMBEDDING_MAX_TOKENS to what it was built "
            "with, or run `citewell index rebuild`; `--mode lexical` needs no model",
        )


def model_name(fingerprint: str) -> str:
    """Return a name for people for a model of which only the fingerprint is left."""
    from search.embedding.fingerprint import name_of

    name = name_of(fingerprint)
    return f"{name} ({fingerprint[:12]})" if name else f"another model ({fingerprint[:12]})"
