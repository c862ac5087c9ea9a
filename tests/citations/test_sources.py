"""Services that know citations, asked over real HTTP, with answers that they once gave."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from search.arxiv.politeness import Politeness
from search.arxiv.transport import Transport
from search.citations.crossref import Crossref
from search.citations.openalex import OpenAlex
from search.citations.semantic_scholar import SemanticScholar
from search.citations.source import Asked, cited_as
from search.errors import MalformedResponse, RateLimited, RequestRefused


class Service:
    """Answers each request with the next (status, body, headers); the last one stays."""

    def __init__(self) -> None:
        self.answers: list[tuple[int, bytes, dict[str, str]]] = []
        #: Method, address, headers and body of every request.
        self.asked: list[tuple[str, str, dict[str, str], bytes]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                outer.asked.append((self.command, self.path, headers, body))
                status, content, more = outer.answers.pop(0) if len(outer.answers) > 1 else outer.answers[0]
                self.send_response(status)
                for name, value in {"Content-Length": str(len(content)), **more}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = answer  # noqa: N815

            def log_message(self, *arguments: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def says(self, *answers: object) -> None:
        """Answer with these: JSON, bytes, or (status, JSON or bytes, headers)."""
        self.answers = []
        for answer in answers:
            status, body, headers = answer if isinstance(answer, tuple) else (200, answer, {})
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.answers.append((status, content, headers))

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def service():
    """A service on loopback."""
    server = Service()
    yield server
    server.close()


@pytest.fixture
def waits():
    """Seconds that were waited; no time passes."""
    return []


@pytest.fixture
def transport(waits):
    """A transport that waits without waiting."""
    now = [1000.0]

    def sleep(seconds: float) -> None:
        waits.append(round(seconds, 1))
        now[0] += seconds

    politeness = Politeness(clock=lambda: now[0], sleep=sleep)
    return Transport(contact="mail@example.org", interval=1.0, kind="api", politeness=politeness, sleep=sleep)


WORKS = [Asked("2401.00001", "10.1000/a"), Asked("hep-th/9711200"), Asked("2401.00003", "10.1000/c")]


def paper(*references):
    """An entry of Semantic Scholar's batch answer."""
    return {"paperId": "x", "references": [{"externalIds": ids} for ids in references]}


# ------------------------------------------------------------------ Semantic Scholar
def test_a_batch_is_one_request(service, transport):
    """All ids in one POST, with their prefix, the fields and the key; null means unknown."""
    service.says(
        [paper({"ArXiv": "1402.0030", "DOI": "10.1/x"}, {"DOI": "10.2307/ABC"}, {}, None), None, paper()]
    )
    source = SemanticScholar(transport, base_url=f"{service.url}/graph/v1", api_key="secret")
    assert source.cited(WORKS) == {
        "2401.00001": ("arxiv:1402.0030", "doi:10.2307/abc"),
        "hep-th/9711200": None,
        "2401.00003": (),
    }
    ((method, path, headers, body),) = service.asked
    assert (method, urlsplit(path).path) == ("POST", "/graph/v1/paper/batch")
    assert parse_qs(urlsplit(path).query) == {"fields": ["externalIds,references.externalIds"]}
    assert json.loads(body) == {"ids": ["ARXIV:2401.00001", "ARXIV:hep-th/9711200", "ARXIV:2401.00003"]}
    assert headers["x-api-key"] == "secret"
    assert "mail@example.org" in headers["user-agent"]


def test_a_recorded_paper_is_understood(service, transport, data):
    """The references of a paper as the service once sent it: arXiv ids where it has them, else DOIs."""
    recorded = json.loads((data / "api/semanticscholar/Paper.json").read_text())
    service.says([recorded, None])
    cited = SemanticScholar(transport, base_url=service.url).cited(WORKS[:2])
    ids = [reference["externalIds"] for reference in recorded["references"] if reference["externalIds"]]
    named = [i for i in ids if "ArXiv" in i or "DOI" in i]
    assert len(cited["2401.00001"]) == len({cited_as(i.get("ArXiv"), i.get("DOI")) for i in named}) > 0
    assert cited["hep-th/9711200"] is None


def test_recorded_batch_answers_line_up_with_what_was_asked(service, transport, data):
    """A recorded answer with an unknown paper among known ones keeps their order."""
    recorded = (
        data / "api/semanticscholar/test_get_papers_return_not_found__00_semanticscholar_200.json"
    ).read_bytes()
    service.says(recorded)
    asked = [Asked(str(n)) for n in range(len(json.loads(recorded)))]
    cited = SemanticScholar(transport, base_url=service.url).cited(asked)
    assert [cited[a.work_id] is None for a in asked] == [entry is None for entry in json.loads(recorded)]


def test_rate_limits_are_waited_out(service, transport, waits):
    """429 with Retry-After is waited for exactly; then the same batch is asked again."""
    service.says((429, {"message": "Too Many Requests"}, {"Retry-After": "7"}), [paper(), None, paper()])
    assert SemanticScholar(transport, base_url=service.url).cited(WORKS)["2401.00001"] == ()
    assert waits == [7.0]
    assert service.asked[0][3] == service.asked[1][3]


def test_a_limit_that_does_not_end_is_an_error(service, transport):
    """After all tries the error says how long to wait."""
    service.says((429, {"message": "Too Many Requests"}, {"Retry-After": "7"}))
    with pytest.raises(RateLimited) as raised:
        SemanticScholar(transport, base_url=service.url).cited(WORKS)
    assert raised.value.retry_after == 7.0


def test_a_wrong_key_is_refused_at_once(service, transport, data):
    """403, as recorded, is not tried again; the key stands in no message."""
    recorded = (data / "api/semanticscholar/test_debug__00_semanticscholar_403.json").read_bytes()
    service.says((403, recorded, {}))
    with pytest.raises(RequestRefused) as raised:
        SemanticScholar(transport, base_url=service.url, api_key="secret").cited(WORKS)
    assert len(service.asked) == 1
    assert "secret" not in str(raised.value)


def test_a_key_does_not_travel_to_another_address(service, transport):
    """A redirect is refused where a key would go with it."""
    service.says((302, b"", {"Location": f"{service.url}/elsewhere"}), [None, None, None])
    with pytest.raises(RequestRefused):
        SemanticScholar(transport, base_url=service.url, api_key="secret").cited(WORKS)
    assert len(service.asked) == 1


def test_too_large_an_answer_is_asked_for_in_halves(service, transport):
    """400 for size splits the batch; nothing is lost."""
    service.says((400, {"error": "Response would exceed maximum size"}, {}), [paper()], [None, paper()])
    cited = SemanticScholar(transport, base_url=service.url).cited(WORKS)
    assert list(cited) == [work.work_id for work in WORKS]
    assert cited["hep-th/9711200"] is None
    assert [len(json.loads(body)["ids"]) for *_, body in service.asked] == [3, 1, 2]


def test_a_batch_of_unknown_papers_is_no_error(service, transport):
    """400 because no id is known means just that."""
    service.says((400, {"error": "No valid paper ids given"}, {}))
    assert set(SemanticScholar(transport, base_url=service.url).cited(WORKS).values()) == {None}


def test_a_recorded_refusal_names_the_reason(service, transport, data):
    """A request that the service cannot understand ends, with its own words."""
    recorded = (
        data / "api/semanticscholar/test_bad_query_parameters__00_semanticscholar_400.json"
    ).read_bytes()
    service.says((400, recorded, {}))
    with pytest.raises(RequestRefused, match="Unrecognized or unsupported fields"):
        SemanticScholar(transport, base_url=service.url).cited(WORKS)


@pytest.mark.parametrize("body", [b"<html>busy</html>", [None], {"data": []}, b""])
def test_something_else_than_an_answer_is_said(service, transport, body):
    """HTML, too few entries or another shape is a malformed response, not an empty list."""
    service.says(body)
    with pytest.raises(MalformedResponse):
        SemanticScholar(transport, base_url=service.url).cited(WORKS)


# ------------------------------------------------------------------ Crossref
def test_crossref_as_recorded(service, transport, data):
    """The deposited DOIs of a recorded work; 404 means unknown; a work without DOI is not asked for."""
    recorded = (data / "api/habanero/test_ua_string__00_crossref_200.json").read_bytes()
    service.says(recorded, (404, b"Resource not found.", {}))
    works = [Asked("a", "10.1371/journal.pone.0033693"), Asked("b"), Asked("c", "10.1371/<not>#real")]
    cited = Crossref(transport, base_url=service.url).cited(works)
    deposited = [r["DOI"].lower() for r in json.loads(recorded)["message"]["reference"] if "DOI" in r]
    assert cited["a"] == tuple(dict.fromkeys(f"doi:{doi}" for doi in deposited))
    assert (cited["b"], cited["c"]) == (None, None)
    assert [unquote(path) for _, path, *_ in service.asked] == [
        "/works/10.1371/journal.pone.0033693",
        "/works/10.1371/<not>#real",
    ]


def test_crossref_that_sends_no_work(service, transport):
    """Another shape is a malformed response."""
    service.says({"message": []})
    with pytest.raises(MalformedResponse):
        Crossref(transport, base_url=service.url).cited([Asked("a", "10.1/x")])


# ------------------------------------------------------------------ OpenAlex
def test_openalex_in_two_steps(service, transport):
    """Works by their DOIs, then the DOIs of what they cite; arXiv's own DOIs become arXiv ids."""
    first = {
        "results": [
            {
                "doi": "https://doi.org/10.48550/arXiv.2401.00001",
                "referenced_works": ["https://openalex.org/W1"],
            },
            {"doi": "https://doi.org/10.1000/C", "referenced_works": ["https://openalex.org/W2"]},
        ]
    }
    second = {
        "results": [
            {"id": "https://openalex.org/W1", "doi": "https://doi.org/10.48550/arxiv.1402.0030"},
            {"id": "https://openalex.org/W2", "doi": None},
        ]
    }
    service.says(first, second)
    cited = OpenAlex(transport, base_url=service.url, api_key="secret").cited(WORKS)
    assert cited == {"2401.00001": ("arxiv:1402.0030",), "hep-th/9711200": None, "2401.00003": ()}
    assert all(headers["authorization"] == "Bearer secret" for _, _, headers, _ in service.asked)
    assert not any("secret" in path for _, path, *_ in service.asked)


def test_openalex_that_sends_something_else(service, transport):
    """Another shape is a malformed response."""
    service.says({"error": "x"})
    with pytest.raises(MalformedResponse):
        OpenAlex(transport, base_url=service.url).cited(WORKS)


@pytest.mark.parametrize(
    ("arxiv_id", "doi", "name"),
    [
        ("1402.0030v2", None, "arxiv:1402.0030"),
        (None, "10.48550/arXiv.2401.00001", "arxiv:2401.00001"),
        (None, "10.1093/MIND/LIX", "doi:10.1093/mind/lix"),
        ("nonsense", "10.1/x", "doi:10.1/x"),
        (None, "nonsense", None),
        (None, None, None),
    ],
)
def test_how_an_edge_names_a_paper(arxiv_id, doi, name):
    """By arXiv id where there is one, under whatever name; else by DOI in lower case; else not at all."""
    assert cited_as(arxiv_id, doi) == name
