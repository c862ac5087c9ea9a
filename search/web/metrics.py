"""What the server did, as Prometheus reads it.

Source: Prometheus text exposition format 0.0.4.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
#: Upper bounds in seconds: a search takes 10 to 200 ms, an answer by a language model up to minutes.
BOUNDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 120.0)


class Metrics:
    """Counts and times of requests by route. Safe from many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._seconds: Counter[str] = Counter()
        self._within: Counter[tuple[str, float]] = Counter()
        self._timed: Counter[str] = Counter()

    def observe(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count one request."""
        with self._lock:
            self._requests[route, method, status] += 1
            self._timed[route] += 1
            self._seconds[route] += seconds  # type: ignore[assignment]  # a Counter sums any number
            for bound in BOUNDS:
                if seconds <= bound:
                    self._within[route, bound] += 1

    def text(self, gauges: Mapping[str, tuple[str, float]]) -> str:
        """Return everything in Prometheus' format, with `gauges`: name to help text and value."""
        with self._lock:
            lines = [*self._request_lines(), *self._time_lines()]
        for name, (about, value) in gauges.items():
            lines += [f"# HELP {name} {about}", f"# TYPE {name} gauge", f"{name} {value:g}"]
        return "\n".join(lines) + "\n"

    def _request_lines(self) -> list[str]:
        name = "citewell_requests_total"
        lines = [f"# HELP {name} Requests answered.", f"# TYPE {name} counter"]
        for (route, method, status), count in sorted(self._requests.items()):
            lines.append(f'{name}{{route="{route}",method="{method}",status="{status}"}} {count}')
        return lines

    def _time_lines(self) -> list[str]:
        name = "citewell_request_seconds"
        lines = [f"# HELP {name} Seconds until the answer was sent.", f"# TYPE {name} histogram"]
        for route, count in sorted(self._timed.items()):
            lines += [
                f'{name}_bucket{{route="{route}",le="{bound:g}"}} {self._within[route, bound]}'
                for bound in BOUNDS
            ]
            lines.append(f'{name}_bucket{{route="{route}",le="+Inf"}} {count}')
            lines.append(f'{name}_sum{{route="{route}"}} {self._seconds[route]:.6f}')
            lines.append(f'{name}_count{{route="{route}"}} {count}')
        return lines


class Measured:
    """ASGI middleware that counts and times every request by the route that took it."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take one request, or whatever else a server sends (its start and end)."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = time.perf_counter(), 500

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, sending)
        finally:
            self._metrics.observe(_route(scope), _method(scope), status, time.perf_counter() - began)


def _route(scope: Mapping[str, Any]) -> str:
    """Return the route as it is declared: identifiers in paths would make a time series each."""
    return str(getattr(scope.get("route"), "path", "other"))


def _method(scope: Mapping[str, Any]) -> str:
    return scope["method"] if scope["method"] in {"GET", "POST", "HEAD", "OPTIONS"} else "other"
