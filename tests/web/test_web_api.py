"""REST over real HTTP on loopback: what routes answer, who may call, and what failures look like."""

from __future__ import annotations

import http.client
import inspect
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, date, datetime

import httpx
import pytest

pytest.importorskip("fastapi")
import uvicorn

from search import errors
from search.demo.server import DemoRecord, DemoVersion, LoopbackArxiv
from search.errors import CitewellError, EngineUnavailable, SettingsError, UsageError
from search.library import Library
from search.web.app import create_app
from search.web.failures import status_of
from search.web.limits import LARGEST_BODY
from search.web.metrics import Metrics
from search.web.serve import is_loopback, serve

TOPICS = {
    1: "Pebble games decide whether a graph is sparse.",
    2: "Rates of photon pairs at hadron colliders are computed.",
    3: "Dense vectors find passages that share no word with a query.",
}


@contextmanager
def running(library):
    """The application on a free port; yields a client for it."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(create_app(library), log_config=None))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{listener.getsockname()[1]}", timeout=60) as client:
            yield client
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """The home of a small library that is built."""
    version = DemoVersion(datetime(2024, 2, 1, 8, tzinfo=UTC))
    fields = {"versions": (version,), "categories": "cs.IR"}
    records = [
        DemoRecord(id=f"2402.{n:05d}", title=f"Paper {n}", abstract=a, **fields) for n, a in TOPICS.items()
    ]
    records.append(DemoRecord(id="math/0501170", title="An old one", abstract="On walks.", **fields))
    home = tmp_path_factory.mktemp("home")
    with (
        LoopbackArxiv(records) as arxiv,
        Library(home=home, oai_base_url=arxiv.oai_url, oai_interval=0) as library,
    ):
        library.harvest(from_=date(2024, 1, 1))
        library.build()
    return home


@pytest.fixture(scope="module")
def library(home):
    """The library."""
    with Library(home=home) as library:
        yield library


@pytest.fixture(scope="module")
def client(library):
    """A client of a server without a token."""
    with running(library) as client:
        yield client


# ------------------------------------------------------------------ routes
def test_search_answers_as_the_library_does(client, library):
    """`POST /search` returns the library's own result: hits, scores, passages."""
    body = {"query": "sparse graph", "limit": 2, "mode": "lexical"}
    answer = client.post("/search", json=body)
    assert answer.status_code == 200
    expected = json.loads(library.search("sparse graph", limit=2, mode="lexical").model_dump_json())
    assert answer.json()["hits"] == expected["hits"]
    assert answer.json()["hits"][0]["work_id"] == "2402.00001"


def test_filters_are_hard_over_http_too(client):
    """A filter of the body reaches every leg."""
    body = {"query": "photon pairs", "filters": {"ids": ["2402.00003"]}}
    assert {h["work_id"] for h in client.post("/search", json=body).json()["hits"]} <= {"2402.00003"}


def test_qa_returns_the_answer_contract(client):
    """`POST /qa` returns claims with verified quotes, or says that the evidence is too thin."""
    answer = client.post("/qa", json={"question": "How are sparse graphs decided?"}).json()
    assert {"answer_summary", "claims", "confidence", "dropped_claims", "cost", "trace_id"} <= set(answer)
    quotes = [c["quote"] for claim in answer["claims"] for c in claim["supporting_citations"]]
    assert all(any(quote in abstract for abstract in TOPICS.values()) for quote in quotes)


def test_ids_with_a_slash_are_paths(client):
    """Old identifiers hold a slash, with or without version; both routes take them."""
    assert client.get("/work/math/0501170v1").json()["work"]["title"] == "An old one"
    hits = client.get("/similar/math/0501170", params={"limit": 2}).json()["hits"]
    assert 0 < len(hits) <= 2
    assert "math/0501170" not in {hit["work_id"] for hit in hits}


def test_health_names_the_generation(client, library):
    """`/healthz` says that the index answers, which generation it is and how much it holds."""
    health = client.get("/healthz").json()
    assert (health["status"], health["works"]) == ("ok", 4)
    assert health["generation"] == library.store.live().name


def test_an_empty_library_is_healthy(tmp_path):
    """Before the first build the server is up and says that nothing is indexed; searches get 503."""
    with Library(home=tmp_path) as empty, running(empty) as client:
        assert client.get("/healthz").json()["status"] == "no index"
        answer = client.post("/search", json={"query": "graphs"})
        assert answer.status_code == 503
        assert answer.json()["error"]["code"] == "IndexMissing"
        assert "citewell" in answer.json()["error"]["advice"]


def test_openapi_describes_every_route(client):
    """The schema names the routes, the models and the bearer token."""
    schema = client.get("/openapi.json").json()
    assert set(schema["paths"]) == {
        "/search", "/qa", "/work/{work_id}", "/similar/{work_id}", "/healthz", "/metrics",
    }  # fmt: skip
    assert {"SearchResult", "Answer", "WorkInfo", "Filters", "Failure"} <= set(
        schema["components"]["schemas"]
    )
    assert schema["components"]["securitySchemes"]["HTTPBearer"]["scheme"] == "bearer"


def test_metrics_count_by_route_not_by_paper(library):
    """Prometheus sees requests, times and the index's size; a paper's id makes no series of its own."""
    with running(library) as client:
        client.get("/work/2402.00001")
        client.get("/work/2402.99999")
        client.get("/nowhere")
        text = client.get("/metrics").text
    assert 'citewell_requests_total{route="/work/{work_id:path}",method="GET",status="200"} 1' in text
    assert 'citewell_requests_total{route="/work/{work_id:path}",method="GET",status="404"} 1' in text
    assert 'citewell_requests_total{route="other",method="GET",status="404"} 1' in text
    assert 'citewell_request_seconds_count{route="/work/{work_id:path}"} 2' in text
    assert "\ncitewell_works 4\n" in text
    assert "\ncitewell_index_up 1\n" in text
    assert "2402.0" not in text


def test_metrics_are_in_prometheus_form():
    """Every line is a comment or `name{labels} number`, and buckets rise to the count."""
    metrics = Metrics()
    for seconds in (0.001, 0.2, 500.0):
        metrics.observe("/search", "POST", 200, seconds)
    text = metrics.text({"citewell_works": ("Papers.", 3)})
    sample = re.compile(r'[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [0-9.e+-]+')
    assert all(line.startswith("# ") or sample.fullmatch(line) for line in text.splitlines())
    buckets = [int(n) for n in re.findall(r"_bucket\{.*\} (\d+)", text)]
    assert buckets == sorted(buckets)
    assert buckets[-1] == 3
    assert 'le="120"} 2' in text


def test_many_clients_at_once_get_their_own_answers(client):
    """Requests are answered in threads beside each other, each with what it asked for."""

    def ask(number):
        word = ("pebble", "photon", "dense")[number % 3]
        found = client.post("/search", json={"query": word, "mode": "lexical"}).json()
        return (found["query"], found["hits"][0]["work_id"])

    expected = {"pebble": "2402.00001", "photon": "2402.00002", "dense": "2402.00003"}
    with ThreadPoolExecutor(16) as pool:
        assert all(expected[word] == work_id for word, work_id in pool.map(ask, range(48)))


# ------------------------------------------------------------------ failures
@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("POST", "/search", {"query": " "}, 400, "EmptyQuery"),
        (
            "POST",
            "/search",
            {"query": "a", "filters": {"year_from": 2024, "year_to": 2020}},
            400,
            "BadFilter",
        ),
        ("POST", "/search", {"query": "x", "limit": 0}, 422, "UsageError"),
        ("POST", "/search", {"query": "x", "unknown": 1}, 422, "UsageError"),
        ("POST", "/search", {"query": "x" * 5000}, 422, "UsageError"),
        ("POST", "/search", {}, 422, "UsageError"),
        ("GET", "/work/2402.99999", None, 404, "WorkNotFound"),
        ("GET", "/similar/nonsense", None, 404, "WorkNotFound"),
        ("GET", "/nowhere", None, 404, "Refused"),
        ("GET", "/search", None, 405, "Refused"),
    ],
)
def test_failures_have_their_status_and_one_form(client, method, path, body, status, code):
    """Each failure answers with a status that means it, its name, what happened, and nothing else."""
    answer = client.request(method, path, json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert answer.json()["error"]["message"]
    assert set(answer.json()) == {"error"}


def test_a_body_that_is_no_json_is_told(client):
    """Bytes that do not parse are the client's fault, not the server's."""
    headers = {"content-type": "application/json"}
    assert client.post("/search", content=b'{"query": ', headers=headers).status_code == 422
    assert client.post("/search", content=b"\xff\xfe", headers=headers).status_code in {400, 422}


def test_large_bodies_are_refused(client):
    """A body over the limit is refused by its announced length, and as it comes where none is announced."""
    large = b" " * (LARGEST_BODY + 1)
    assert client.post("/search", content=large).status_code == 413

    def chunks():
        for _ in range(40):
            yield b" " * (LARGEST_BODY // 32)

    headers = {"content-type": "application/json"}
    assert client.post("/search", content=chunks(), headers=headers).status_code == 413


def test_every_error_has_a_status():
    """No error of the tree is left to chance, and only what is nobody's request is a 500."""
    classes = [c for c in vars(errors).values() if inspect.isclass(c) and issubclass(c, CitewellError)]
    assert len(classes) > 30
    for kind in classes:
        error = kind.__new__(kind)
        status = status_of(error)
        assert 400 <= status < 600
        if issubclass(kind, UsageError) and not issubclass(kind, SettingsError):
            assert status == 400
        if kind.__name__.endswith("Unavailable") and issubclass(kind, errors.IndexFailure):
            assert status == 503


def test_an_engine_that_is_away_is_503(library, monkeypatch):
    """Searches and health say 503 with advice, metrics still answer; afterwards all is well again."""

    def away(*_, **__):
        raise EngineUnavailable("nobody answers", advice="start it")

    with running(library) as client:
        with monkeypatch.context() as patch:
            patch.setattr(library.store, "live", away)
            patch.setattr(library.store, "counts", away)
            patch.setattr(library, "search", away)
            health, found = client.get("/healthz"), client.post("/search", json={"query": "x"})
            assert (health.status_code, found.status_code) == (503, 503)
            assert found.json()["error"] == {
                "code": "EngineUnavailable", "message": "nobody answers", "advice": "start it",
            }  # fmt: skip
            assert "\ncitewell_index_up 0\n" in client.get("/metrics").text
        assert client.get("/healthz").status_code == 200


def test_a_fault_of_the_program_tells_no_insides(library, monkeypatch, caplog):
    """What nobody foresaw is a 500 without the exception's words; the log has the traceback."""

    def broken(*_, **__):
        raise ZeroDivisionError("secret words")

    with running(library) as client:
        monkeypatch.setattr(library, "search", broken)
        answer = client.post("/search", json={"query": "x"})
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert "secret words" in caplog.text


# ------------------------------------------------------------------ who may call
@pytest.fixture(scope="module")
def guarded(home):
    """A client of a server with a token."""
    with Library(home=home, api_token="käse-42") as library, running(library) as client:
        yield client


@pytest.mark.parametrize("header", [None, "Bearer wrong", "Basic abc", "Bearer", "käse-42"])
def test_without_the_token_nothing_is_told(guarded, header):
    """Every route but health and the schema wants the token, and a wrong one is no better than none."""
    headers = {} if header is None else {"authorization": header.encode()}
    for method, path in (("POST", "/search"), ("POST", "/qa"), ("GET", "/work/x"), ("GET", "/metrics")):
        answer = guarded.request(method, path, headers=headers, json={"query": "x", "question": "x"})
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"
    assert guarded.get("/healthz").status_code == 200


def test_with_the_token_all_is_told(guarded):
    """The token opens every route, whatever name the server is called by."""
    headers = {"authorization": "Bearer käse-42".encode(), "host": "papers.example"}
    assert guarded.post("/search", json={"query": "pebble"}, headers=headers).status_code == 200
    assert guarded.get("/metrics", headers=headers).status_code == 200


@pytest.mark.parametrize(
    ("host", "status"),
    [("localhost", 200), ("LOCALHOST:80", 200), ("[::1]:8000", 200), ("evil.example", 403),
     ("127.0.0.1.evil.example:80", 403), ("", 403)],
)  # fmt: skip
def test_a_local_server_is_called_by_local_names(client, host, status):
    """Without a token a browser page cannot reach the server by a name of its own (DNS rebinding)."""
    connection = http.client.HTTPConnection(client.base_url.host, client.base_url.port)
    connection.putrequest("GET", "/work/2402.00001", skip_host=True)
    connection.putheader("Host", host)
    connection.endheaders()
    assert connection.getresponse().status == status
    connection.close()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])
def test_an_address_for_others_wants_a_token(library, host):
    """Without a token nothing but this machine's own addresses is listened on."""
    with pytest.raises(SettingsError, match="CITEWELL_API_TOKEN"):
        serve(library, host=host, port=0, ready=pytest.fail)


def test_loopback_is_recognised():
    """127.0.0.0/8, ::1 and localhost are this machine; everything else may be reached."""
    assert all(map(is_loopback, ("127.0.0.1", "127.9.9.9", "::1", "localhost")))
    assert not any(map(is_loopback, ("", "0.0.0.0", "10.0.0.1", "localhost.evil.example")))


def test_a_taken_port_is_told(library):
    """The address and what to do stand in the error, not a traceback."""
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(UsageError, match="--port"):
        serve(library, host="127.0.0.1", port=taken.getsockname()[1], ready=pytest.fail)


# ------------------------------------------------------------------ the command
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_serve_answers_until_it_is_ended(home, end):
    """`citewell serve` prints where it listens, answers, and ends with 0 when asked to, by Docker too."""
    command = [sys.executable, "-m", "search.cli", "serve", "--port", "0", "--home", str(home)]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("CITEWELL_")}
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )
    try:
        printed = ""
        while not printed.endswith("}\n"):
            line = process.stdout.readline()
            assert line, process.stderr.read()
            printed += line
        url = json.loads(printed)["url"]
        assert httpx.get(f"{url}/healthz", timeout=60).json()["works"] == 4
    finally:
        process.send_signal(end)
        _, told = process.communicate(timeout=60)
    assert process.returncode == 0, told


def test_an_answer_under_way_is_finished(home):
    """A request that came before the end gets its answer."""
    command = [sys.executable, "-m", "search.cli", "serve", "--port", "0", "--home", str(home)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    printed = ""
    while not printed.endswith("}\n"):
        printed += process.stdout.readline()
    url = json.loads(printed)["url"]
    with ThreadPoolExecutor(1) as pool:
        # The first question loads the model, which takes far longer than sending it.
        answer = pool.submit(httpx.post, f"{url}/qa", json={"question": "What decides it?"}, timeout=60)
        time.sleep(0.3)
        process.send_signal(signal.SIGTERM)
        assert answer.result().status_code == 200
    process.communicate(timeout=60)
    assert process.returncode == 0
