"""A scripted HTTP server on loopback, and a clock that tests turn by hand."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from search.arxiv.politeness import Politeness
from search.arxiv.transport import Transport

Script = Callable[[BaseHTTPRequestHandler], None]


class Loopback:
    """Answers each request with the next script; the last one stays."""

    def __init__(self) -> None:
        self.scripts: list[Script] = []
        #: Path with query, and headers, of every request.
        self.requests: list[tuple[str, dict[str, str]]] = []
        #: Set when the test ends: scripts that stall wait for it.
        self.over = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.requests.append((self.path, dict(self.headers)))
                script = outer.scripts.pop(0) if len(outer.scripts) > 1 else outer.scripts[0]
                try:
                    script(self)
                except ConnectionError:
                    pass  # the client hung up, as some tests want it to
                finally:
                    self.close_connection = True

            def log_message(self, *arguments: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def play(self, *scripts: Script) -> None:
        self.scripts = list(scripts)

    def close(self) -> None:
        self.over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    # ---------------------------------------------------------- scripts
    @staticmethod
    def reply(
        body: bytes = b"",
        status: int = 200,
        kind: str = "text/xml",
        length: int | None = None,
        **headers: str,
    ) -> Script:
        """Answer with this body; a `length` larger than the body breaks off."""

        def script(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(status)
            handler.send_header("Content-Type", kind)
            handler.send_header("Content-Length", str(len(body) if length is None else length))
            for name, value in headers.items():
                handler.send_header(name.replace("_", "-"), value)
            handler.end_headers()
            handler.wfile.write(body)

        return script

    @staticmethod
    def reset(handler: BaseHTTPRequestHandler) -> None:
        """Hang up without a word."""
        handler.connection.close()

    def stall(self, handler: BaseHTTPRequestHandler) -> None:
        """Send a header and half a body, then nothing until the test is over."""
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        handler.wfile.write(b"half")
        handler.wfile.flush()
        self.over.wait()

    def drip_headers(self, handler: BaseHTTPRequestHandler) -> None:
        """Send header after header, for ever."""
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while not self.over.wait(0.02):
            handler.wfile.write(b"X-Drip: 1\r\n")
            handler.wfile.flush()

    def drip_body(self, handler: BaseHTTPRequestHandler) -> None:
        """Send byte after byte, for ever."""
        handler.send_response(200)
        handler.end_headers()
        while not self.over.wait(0.02):
            handler.wfile.write(b"x")
            handler.wfile.flush()


class Clock:
    """Time that passes only when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 3))
        self.now += seconds


@pytest.fixture
def loopback() -> Iterator[Loopback]:
    server = Loopback()
    yield server
    server.close()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def transport(clock: Clock) -> Callable[..., Transport]:
    """Make a transport that sleeps on the test's clock and has a budget of its own."""
    politeness = Politeness(clock=clock, sleep=clock.sleep)

    def make(**options: object) -> Transport:
        defaults = {"contact": None, "interval": 0.0, "timeout": 10.0, "sleep": clock.sleep}
        return Transport(**{"politeness": politeness, **defaults, **options})  # type: ignore[arg-type]

    return make
