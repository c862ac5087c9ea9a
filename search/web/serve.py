"""Running the application until somebody ends it."""

from __future__ import annotations

import ipaddress
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import uvicorn

from search.errors import SettingsError, UsageError
from search.web.app import create_app

if TYPE_CHECKING:
    from search.library import Library

#: Requests at once before the next is told to come back: each waits for one of 40 threads.
MOST_AT_ONCE = 200
#: Seconds that answers under way get when the server is asked to end; Docker kills after 10 by default,
#: and docker-compose.yml gives more.
LAST_ANSWERS = 30


def serve(library: Library, *, host: str, port: int, ready: Callable[[str], None]) -> None:
    """Answer requests until SIGINT or SIGTERM; then finish what is under way and return.

    Args:
        library: what is served.
        host: address to listen on.
        port: 0 takes a free one.
        ready: told the server's URL once connections are taken.

    Raises:
        SettingsError: an address that others can reach, and no token.
        UsageError: nothing can listen there.
    """
    if not is_loopback(host) and library.settings.api_token is None:
        raise SettingsError(
            f"{host} can be reached by others, and CITEWELL_API_TOKEN is not set",
            advice="set a token that clients send as `Authorization: Bearer …`, or listen on 127.0.0.1",
        )
    with _listening(host, port) as listener:
        config = uvicorn.Config(
            create_app(library),
            log_config=None,
            access_log=False,
            server_header=False,
            limit_concurrency=MOST_AT_ONCE,
            timeout_graceful_shutdown=LAST_ANSWERS,
        )
        name = f"[{host}]" if ":" in host else host
        ready(f"http://{name}:{listener.getsockname()[1]}")
        with _ending_quietly():
            uvicorn.Server(config).run(sockets=[listener])


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach an address; a name other than localhost may be anything."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        raise UsageError(
            f"nothing can listen on {host}, port {port}: {getattr(error, 'strerror', None) or error}",
            advice="name another --port (0 takes a free one) or --host",
        ) from error


@contextmanager
def _ending_quietly() -> Iterator[None]:
    """End like a command that is done: uvicorn raises the signal again that it was ended by."""
    main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGTERM, signal.default_int_handler) if main else None
    try:
        yield
    except KeyboardInterrupt:
        pass
    finally:
        if main:
            signal.signal(signal.SIGTERM, before)
