"""Whatever the client raises arrives as one of our errors, with the address and the next step."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import elastic_transport
import elasticsearch
import pytest
from index.papers import paper

from search.errors import (
    CitewellError,
    EngineRefused,
    EngineUnavailable,
    IndexMissing,
    SettingsError,
)
from search.index.elastic import ElasticStore, bulk
from search.index.elastic.connection import engine_errors, without_password
from search.settings import Settings


def subclasses(root: type[Exception]) -> Iterator[type[Exception]]:
    """Yield a class and all that derive from it."""
    yield root
    for child in root.__subclasses__():
        yield from subclasses(child)


def instance(kind: type[Exception], status: int = 400) -> Exception:
    """Return an exception as the client makes it."""
    if issubclass(kind, elastic_transport.ApiError):
        node = elastic_transport.NodeConfig("http", "localhost", 9200)
        meta = elastic_transport.ApiResponseMeta(status, "1.1", elastic_transport.HttpHeaders(), 0.0, node)
        return kind("message", meta, {"error": {"type": "some_exception", "reason": "because"}})
    return kind("message")


CLIENT_ERRORS = {*subclasses(elastic_transport.TransportError), *subclasses(elastic_transport.ApiError)}


@pytest.mark.parametrize(
    "kind", sorted(CLIENT_ERRORS, key=repr), ids=lambda kind: f"{kind.__module__}.{kind.__name__}"
)
def test_every_error_of_the_client_is_mapped(kind):
    """No class of either library escapes; the message names the address."""
    with pytest.raises(CitewellError, match="http://engine:9200"), engine_errors("http://engine:9200"):
        raise instance(kind)


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        *((status, EngineRefused) for status in (400, 401, 403, 404, 500)),
        *((status, EngineUnavailable) for status in (408, 429, 502, 503, 504)),
    ],
)
def test_a_status_says_whether_trying_again_helps(status, expected):
    """Busy or not ready is worth another try; a refusal is not, and gives the reason."""
    with pytest.raises(expected, match="because") as caught, engine_errors("http://engine:9200"):
        raise instance(elasticsearch.ApiError, status)
    assert caught.value.retryable is (expected is EngineUnavailable)


class Answering(BaseHTTPRequestHandler):
    """Answers every request in the same way."""

    status, body, product = 200, b"{}", True

    def do_GET(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(self.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(self.body)))
        if self.product:
            self.send_header("X-Elastic-Product", "Elasticsearch")
        self.end_headers()
        self.wfile.write(self.body)

    do_POST = do_PUT = do_GET  # noqa: N815 - http.server names them

    def log_message(self, *_):
        """Keep quiet."""


@pytest.fixture
def answer():
    """A function that makes a server answer in one way, and returns a store that asks it."""
    opened = []

    def serve(status: int, body: object, *, product: bool = True) -> ElasticStore:
        handler = type(
            "H", (Answering,), {"status": status, "body": json.dumps(body).encode(), "product": product}
        )
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        store = ElasticStore.from_settings(Settings(index_url=f"http://127.0.0.1:{server.server_port}"))
        opened.append((store, server))
        return store

    yield serve
    for store, server in opened:
        store.close()
        server.shutdown()
        server.server_close()


def test_wrong_key(answer):
    """401 names the setting to look at, and says what the server says."""
    refused = {"error": {"root_cause": [{"type": "security_exception", "reason": "unable to authenticate"}]}}
    with pytest.raises(EngineRefused, match=r"unable to authenticate.*CITEWELL_INDEX_API_KEY"):
        answer(401, refused).live()


def test_something_else_at_that_address(answer):
    """A web server that is no Elasticsearch is told from one that fails."""
    with pytest.raises(EngineRefused, match="no Elasticsearch"):
        answer(200, {}, product=False).live()


def test_a_busy_server(answer):
    """503 is worth another try."""
    with pytest.raises(EngineUnavailable):
        answer(503, {"error": "no master"}).live()


def test_nobody_answers():
    """A refused connection names the address, and can be tried again."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        store = ElasticStore.from_settings(Settings(index_url=url))
        with pytest.raises(EngineUnavailable, match=url) as caught:
            store.live()
        assert caught.value.retryable
        store.close()


@pytest.mark.parametrize("url", ["", "nonsense", "ftp://host:1", "http://", "http://host:port"])
def test_an_address_that_is_none(url):
    """A wrong address is a wrong setting, before anything is asked."""
    with pytest.raises(SettingsError, match="CITEWELL_INDEX_URL"):
        ElasticStore.from_settings(Settings(index_url=url))


def test_certificates_that_are_not_there(tmp_path):
    """A wrong path to the certificates is a wrong setting as well."""
    settings = Settings(index_url="https://host:9200", index_ca_certs=tmp_path / "none.pem")
    with pytest.raises(SettingsError, match="CITEWELL_INDEX_CA_CERTS"):
        ElasticStore.from_settings(settings)


def test_passwords_are_not_shown():
    """What errors and logs show of the address has no credentials in it."""
    with pytest.raises(SettingsError) as caught:
        ElasticStore.from_settings(Settings(index_url="http://me:secret@host:port"))
    assert "secret" not in str(caught.value)
    assert without_password("https://me:secret@host:9200/path") == "https://host:9200/path"


def test_first_reason_of_a_failed_bulk_request():
    """A refused document raises with its id and the server's reason; a missing index says so."""
    operation = bulk.put_work("alias", paper("a").work)
    failed = {"status": 400, "error": {"type": "document_parsing_exception", "reason": "no such field"}}
    with pytest.raises(EngineRefused, match="a: no such field"):
        bulk._outcome("http://engine", operation, failed)
    missing = {"status": 404, "error": {"type": "index_not_found_exception", "reason": "no such index"}}
    with pytest.raises(IndexMissing):
        bulk._outcome("http://engine", operation, missing)
    assert bulk._outcome("http://engine", operation, {"status": 409, "error": {}}) == "newer exists"
    assert bulk._outcome("http://engine", operation, {"status": 404}) == "done"


def test_without_the_client_library():
    """Without the extra the error is the install command."""
    code = (
        "import sys; sys.modules['elasticsearch'] = None\n"
        "from search.errors import MissingExtra\n"
        "from search.index import open_store\n"
        "from search.settings import Settings\n"
        "try: open_store(Settings(index_url='http://localhost:9200'))\n"
        "except MissingExtra as missing: print(missing)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 'pip install "citewell[elastic]"' in done.stdout
