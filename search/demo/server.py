"""A small arXiv on 127.0.0.1: OAI-PMH and PDFs over real HTTP, with faults on demand.

The demo and the tests harvest from it with the same code that asks arXiv. Standard library only.
`python -m search.demo.server --port 8765` serves the starter collection until it is interrupted.
"""

from __future__ import annotations

import argparse
import re
import socket
import struct
import sys
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import parse_qsl, unquote, urlsplit

from search.demo.records import DemoRecord, DemoVersion
from search.demo.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["DemoRecord", "DemoVersion", "Fault", "LoggedRequest", "LoopbackArxiv", "main"]

#: Seconds between a body's last byte and the reset: RST overtakes what the peer has not read yet.
RST_AFTER = 0.05
_PDF_PATH = re.compile(r"/pdf/(?P<id>.+?)(?:v(?P<version>[1-9]\d*))?(?:\.pdf)?")


@dataclass(frozen=True, slots=True)
class Fault:
    """What one request gets in place of, or on top of, its true answer."""

    #: Only a request whose path begins with this takes the fault: "/oai", "/pdf", "/pdf/2401.99001".
    path: str = "/"
    #: HTTP status; None: the true one.
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    #: None: the true body.
    body: bytes | None = None
    #: Send only this many bytes of the body, then close the connection.
    truncate: int | None = None
    #: Whether Content-Length still announces the whole body where it is truncated.
    announce: bool = True
    #: What Content-Length says, whatever is sent; None: see `announce`.
    length: int | None = None
    #: Seconds to wait before answering.
    delay: float = 0.0
    #: Seconds of silence after what is sent of the body; the connection is then closed.
    stall: float = 0.0
    #: Reset the connection (RST): in place of an answer, or after `truncate` bytes of the body.
    reset: bool = False


@dataclass(frozen=True, slots=True)
class LoggedRequest:
    """One request that arrived."""

    #: `time.monotonic()` of its arrival, in seconds.
    at: float
    method: str
    path: str
    arguments: Mapping[str, str]
    headers: Mapping[str, str]
    #: 0 where the connection was reset.
    status: int


@dataclass(frozen=True, slots=True)
class _Reply:
    status: int
    content_type: str
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


class LoopbackArxiv:
    """Serves `records` by OAI-PMH and `pdfs` (key `<id>v<n>`) on a free port of 127.0.0.1.

    A context manager. While it runs, `faults` (taken in order, each by one request), `recorded`, `pdfs`
    and `put` change what it answers, and `log` says what was asked.
    """

    def __init__(
        self,
        records: Sequence[DemoRecord] = (),
        pdfs: Mapping[str, bytes] | None = None,
        page_size: int = 50,
        *,
        port: int = 0,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.repository = Repository(records, page_size=page_size, clock=clock)
        self.pdfs: dict[str, bytes] = dict(pdfs or {})
        #: What the next requests get first.
        self.faults: deque[Fault] = deque()
        #: Recorded OAI answers, given as they are: the first whose arguments are all in the request.
        self.recorded: list[tuple[Mapping[str, str], bytes]] = []
        self.log: list[LoggedRequest] = []
        self._port = port
        self._lock = threading.Lock()
        #: Set while the server goes down, so that nobody sleeps through it.
        self.stopping = threading.Event()
        self._http: _HTTPServer | None = None
        self._thread: threading.Thread | None = None

    # ------------------------------------------------------------------ life
    def start(self) -> Self:
        """Listen, and serve in a thread of its own."""
        self.stopping.clear()
        self._http = _HTTPServer(("127.0.0.1", self._port), self)
        self._port = self._http.server_address[1]
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), name="loopback-arxiv")
        self._thread.start()
        return self

    def stop(self) -> None:
        """Close the port and every open connection; returns when all threads have ended."""
        if self._http is None or self._thread is None:
            return
        self.stopping.set()
        self._http.shutdown()
        self._thread.join()
        self._http.end_connections()
        self._http.server_close()
        self._http = self._thread = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def base_url(self) -> str:
        """Scheme, host and port."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def oai_url(self) -> str:
        """The OAI-PMH base URL."""
        return f"{self.base_url}/oai"

    @property
    def pdf_url(self) -> str:
        """Base of the PDF addresses: `<pdf_url>/<id>v<n>`."""
        return f"{self.base_url}/pdf"

    def put(self, record: DemoRecord) -> None:
        """Add a record, or replace the one with the same id; the next request sees it."""
        self.repository.put(record)

    def requests(self, path: str = "/") -> list[LoggedRequest]:
        """Return the requests so far whose path begins with `path`, oldest first."""
        with self._lock:
            return [request for request in self.log if request.path.startswith(path)]

    # ------------------------------------------------------------------ answering
    def reply(self, path: str, pairs: Sequence[tuple[str, str]]) -> _Reply:
        """Return the true answer to a path and its arguments."""
        if path.rstrip("/") == "/oai":
            return _Reply(200, "text/xml; charset=utf-8", self._oai(pairs))
        if match := _PDF_PATH.fullmatch(path):
            return self._pdf(match["id"], match["version"])
        return _not_found(path)

    def _oai(self, pairs: Sequence[tuple[str, str]]) -> bytes:
        arguments = dict(pairs)
        for match, body in list(self.recorded):
            if match.items() <= arguments.items():
                return body
        return self.repository.answer(pairs, self.oai_url)

    def _pdf(self, work_id: str, version: str | None) -> _Reply:
        if version is None:
            record = self.repository.get(work_id)
            version = str(len(record.versions)) if record else "1"
        key = f"{work_id}v{version}"
        body = self.pdfs.get(key)
        if body is None:
            return _not_found(key)
        name = key.replace("/", "_")
        return _Reply(200, "application/pdf", body, {"Content-Disposition": f'inline; filename="{name}.pdf"'})

    def take_fault(self, path: str) -> Fault | None:
        """Return the first fault that waits for this path, and forget it."""
        with self._lock:
            for fault in self.faults:
                if path.startswith(fault.path):
                    self.faults.remove(fault)
                    return fault
        return None

    def note(self, handler: _Handler, path: str, pairs: Sequence[tuple[str, str]], status: int) -> None:
        """Write a request into the log."""
        with self._lock:
            self.log.append(
                LoggedRequest(
                    time.monotonic(),
                    handler.command,
                    path,
                    dict(pairs),
                    dict(handler.headers.items()),
                    status,
                )
            )


def _not_found(what: str) -> _Reply:
    """Return a page like the one arXiv gives where a paper has no PDF: HTML with status 404."""
    shown = what.replace("&", "&amp;").replace("<", "&lt;")
    body = (
        '<!DOCTYPE html>\n<html lang="en"><head><title>Article not found</title></head>\n'
        f"<body><h1>Article not found</h1><p>No PDF is available for '{shown}'.</p></body></html>\n"
    )
    return _Reply(404, "text/html; charset=utf-8", body.encode())


class _HTTPServer(ThreadingHTTPServer):
    """Knows its open connections, so that stopping does not wait for idle keep-alive clients."""

    daemon_threads = False
    block_on_close = True

    def __init__(self, address: tuple[str, int], arxiv: LoopbackArxiv) -> None:
        self.arxiv = arxiv
        self._open: set[socket.socket] = set()
        self._open_lock = threading.Lock()
        super().__init__(address, _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._open_lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._open_lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def end_connections(self) -> None:
        """Wake every handler that waits for its client's next request."""
        with self._open_lock:
            for connection in self._open:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:  # the client has gone, or a fault has closed it
                    continue

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away in the middle is no fault of the server's; anything else is printed."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    """One connection; requests on it are answered in turn."""

    protocol_version = "HTTP/1.1"
    server_version = "LoopbackArxiv/1.0"
    server: _HTTPServer

    def do_GET(self) -> None:
        """Answer a GET."""
        self._serve("")

    def do_HEAD(self) -> None:
        """Answer a HEAD: the headers of the GET."""
        self._serve("")

    def do_POST(self) -> None:
        """Answer a POST: OAI-PMH (section 3.1.1.2) takes its arguments as a form too."""
        length = int(self.headers.get("Content-Length") or 0)
        self._serve(self.rfile.read(length).decode("utf-8", "replace"))

    def _serve(self, form: str) -> None:
        arxiv = self.server.arxiv
        url = urlsplit(self.path)
        path = unquote(url.path)
        pairs = parse_qsl(form or url.query, keep_blank_values=True)
        fault = arxiv.take_fault(path) or Fault()
        if fault.delay:
            arxiv.stopping.wait(fault.delay)
        if fault.reset and fault.truncate is None:
            arxiv.note(self, path, pairs, 0)
            self._reset()
            return
        reply = arxiv.reply(path, pairs)
        status = fault.status or reply.status
        arxiv.note(self, path, pairs, status)
        self._send(reply, fault, status)

    def _send(self, reply: _Reply, fault: Fault, status: int) -> None:
        whole = reply.body if fault.body is None else fault.body
        sent = whole if fault.truncate is None else whole[: fault.truncate]
        headers = {
            "Content-Type": reply.content_type,
            "Content-Length": str(fault.length or len(whole if fault.announce else sent)),
            **reply.headers,
            **fault.headers,
        }
        self.send_response(status, HTTPStatus(status).phrase)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(sent)
        if fault.stall:
            self.server.arxiv.stopping.wait(fault.stall)
        if fault.reset:
            self.wfile.flush()
            time.sleep(RST_AFTER)
            self._reset()
        if fault.truncate is not None or fault.stall or fault.length is not None:
            self.close_connection = True

    def _reset(self) -> None:
        """Close so that the peer gets RST: a zero linger time drops what would still be sent."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        # Both file objects hold the socket open; only when they are gone does closing send the RST.
        self.rfile.close()
        self.connection.close()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Say nothing on stderr: `LoopbackArxiv.log` holds the requests."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve the starter collection until interrupted; returns the exit status."""
    from search.demo.run import demo_pdfs, demo_records

    parser = argparse.ArgumentParser(prog="python -m search.demo.server", description=main.__doc__)
    parser.add_argument("--port", type=int, default=0, help="0: a free one")
    parser.add_argument("--page-size", type=int, default=50, help="records in one answer")
    options = parser.parse_args(arguments)
    with LoopbackArxiv(demo_records(), demo_pdfs(), options.page_size, port=options.port) as server:
        print(f"CITEWELL_OAI_BASE_URL={server.oai_url}", flush=True)
        print(f"CITEWELL_PDF_BASE_URL={server.pdf_url}", flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
