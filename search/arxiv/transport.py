"""HTTP as arXiv wants it asked: named, paced, patient, and never for ever.

Every request waits for its turn (politeness.py), carries a User-Agent that says who asks, and is tried
again where trying can help: 503 and 429 after the pause the server names, other 5xx, resets and
time-outs after a growing one. Where nobody is to be found, because the name is unknown or the port is
closed, a machine without a network is likelier than a pause of the server: one more try, and the error.
What still fails is one of our errors; no httpx error gets out.
"""

from __future__ import annotations

import errno
import importlib.metadata
import logging
import socket
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

import httpx

from search.arxiv.politeness import SHARED, OnWait, Politeness, Sleep, shared
from search.errors import (
    MalformedResponse,
    NetworkUnreachable,
    RateLimited,
    RequestRefused,
    ServerUnavailable,
    SettingsError,
    TransportError,
)

if TYPE_CHECKING:
    from search.settings import Settings

#: First pause after a failure that named none, in seconds; it doubles with each.
BACKOFF = 2.0
#: The same after a 429: arXiv sends it without Retry-After to whom it has been asking to slow down.
RATE_BACKOFF = 30.0
#: Seconds before the one more try where nobody was found.
NOBODY_PAUSE = 1.0
#: The longest pause a server may ask for before we give up and say so, in seconds. arXiv's 503 have
#: been seen to ask for 5 to 600.
LONGEST_PAUSE = 900.0
#: One answer may take so many read time-outs in all, however steadily it drips.
DEADLINE_FACTOR = 10
#: Never asked through a proxy, whatever the environment says.
LOOPBACK = ("all://127.0.0.1", "all://localhost", "all://[::1]")
REDIRECTS = 5
#: Characters of an address in a message.
LONGEST_SHOWN = 90
LARGEST_ANSWER = 100_000_000

log = logging.getLogger(__name__)
T = TypeVar("T")
Params = dict[str, str]


@dataclass(frozen=True, slots=True)
class Response:
    """A whole answer."""

    content: bytes
    #: The address that answered, after redirects.
    url: str
    status: int
    content_type: str


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked beside the address."""

    params: Params | None = None
    headers: Params | None = None
    #: JSON to post; None: a GET.
    payload: bytes | None = None

    def send(self, client: httpx.Client, url: str) -> AbstractContextManager[httpx.Response]:
        """Return the answer as it begins."""
        kind = {"Content-Type": "application/json"} if self.payload is not None else {}
        return client.stream(
            "GET" if self.payload is None else "POST",
            url,
            params=self.params,
            headers={**kind, **(self.headers or {})},
            content=self.payload,
            # httpx takes only Authorization off when it is sent to another host.
            follow_redirects=not self.headers,
        )


class Answer:
    """An answer whose body is still on its way."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self._response.status_code

    @property
    def url(self) -> str:
        """The address that answered, after redirects."""
        return str(self._response.url)

    @property
    def content_type(self) -> str:
        """The media type without parameters, in lower case; empty if none was sent."""
        return self.header("content-type").partition(";")[0].strip().lower()

    def header(self, name: str) -> str:
        """Return a header's value; empty if it was not sent."""
        return str(self._response.headers.get(name, ""))

    @property
    def announced(self) -> int | None:
        """Bytes of the body as the server announced them; None: unknown, or packed on the way."""
        length = self.header("content-length")
        packed = self.header("content-encoding").lower() not in {"", "identity"}
        return int(length) if length.isdecimal() and not packed else None

    def chunks(self) -> Iterator[bytes]:
        """Yield the unpacked body as it arrives, so that what came before a break is known."""
        yield from self._response.iter_bytes()


#: The request itself cannot be sent; another try would not change that.
_UNASKABLE = (httpx.UnsupportedProtocol, httpx.LocalProtocolError, httpx.InvalidURL, httpx.CookieConflict)


@contextmanager
def mapped_errors(url: str) -> Iterator[None]:
    """Turn every error of httpx into one of ours; tests/arxiv/test_transport.py goes through all of them."""
    try:
        yield
    except httpx.TimeoutException as error:
        raise NetworkUnreachable(
            f"no answer from {url} in time: {error or type(error).__name__}",
            url=url,
            advice="try again later",
        ) from error
    except httpx.TooManyRedirects as error:
        raise RequestRefused(
            f"{url} redirects in a circle", url=url, advice="check the base URL in the settings"
        ) from error
    except _UNASKABLE as error:
        raise RequestRefused(
            f"{url} cannot be asked: {error}", url=url, advice="check the base URL in the settings"
        ) from error
    except httpx.HTTPStatusError as error:
        raise RequestRefused(f"{url} answered {error.response.status_code}", url=url) from error
    except httpx.DecodingError as error:
        raise MalformedResponse(
            f"the answer of {url} is packed wrongly: {error}", advice="try again later"
        ) from error
    except (httpx.HTTPError, httpx.StreamError) as error:
        if nobody := nobody_there(error):
            raise NobodyThere(
                f"{url} cannot be reached: {nobody}",
                url=url,
                advice="check the network connection and the base URL in the settings",
            ) from error
        raise NetworkUnreachable(
            f"{url} cannot be reached: {error or type(error).__name__}",
            url=url,
            advice="check the network connection and try again",
        ) from error


class NobodyThere(NetworkUnreachable):
    """The name does not resolve, or nothing listens there: no request has left this machine.

    To all others it is a `NetworkUnreachable`; here it is worth less patience.
    """

    @property
    def code(self) -> str:
        """The name of the error that callers know."""
        return NetworkUnreachable.__name__


#: The network's own words for "not there".
_ABSENT = {
    errno.ECONNREFUSED: "the connection was refused",
    errno.ENETUNREACH: "the network is down",
    errno.EHOSTUNREACH: "there is no way to that machine",
}


def nobody_there(error: BaseException) -> str:
    """Return why no server was found, in words; empty where one may be there."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, socket.gaierror):
            return "its name cannot be resolved"
        if isinstance(cause, OSError) and cause.errno in _ABSENT:
            return _ABSENT[cause.errno]
        cause = cause.__cause__ or cause.__context__
    return ""


class Transport:
    """A polite HTTP client for one kind of request; several may share a host's budget.

    Args:
        contact: mail address or URL for the User-Agent.
        interval: seconds between the starts of two requests of this kind to one host; 0 on loopback.
        kind: `oai`, `pdf` or `api`: requests of one kind to one host share a budget.
        timeout: seconds without a byte after which an answer counts as stalled.
        deadline: seconds after which an answer is given up however steadily it drips; None: ten time-outs.
        tries: how often a request is sent at most.
        on_wait: told seconds and reason before each wait.
    """

    def __init__(
        self,
        *,
        contact: str | None,
        interval: float,
        kind: str = "oai",
        timeout: float = 60.0,
        deadline: float | None = None,
        tries: int = 5,
        sleep: Sleep = time.sleep,
        politeness: Politeness = SHARED,
        on_wait: OnWait | None = None,
    ) -> None:
        self.interval = interval
        self.kind = kind
        self._tries = tries
        self._timeout = httpx.Timeout(timeout, connect=min(timeout, 20.0))
        self._deadline = DEADLINE_FACTOR * timeout if deadline is None else deadline
        self._headers = {"User-Agent": user_agent(contact)}
        self._tls = httpx.create_ssl_context()
        self._sleep = sleep
        self._politeness = politeness
        self._on_wait = on_wait
        #: Hosts that have answered: if one is gone now, it may be back soon.
        self._met: set[str] = set()

    @classmethod
    def from_settings(
        cls, settings: Settings, kind: str, interval: float, on_wait: OnWait | None = None
    ) -> Self:
        """Return a transport that asks as this library's owner has set it.

        Without `on_wait` its waits are logged: a task that sleeps for ten minutes must not look dead.
        """
        return cls(
            contact=settings.contact,
            interval=interval,
            kind=kind,
            timeout=settings.read_timeout,
            politeness=shared(settings.politeness_folder),
            on_wait=on_wait or _log_wait,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Nothing is held between requests; here so that a Transport can be used in a `with`."""

    def get(
        self,
        url: str,
        params: Params | None = None,
        *,
        accept: Collection[int] = (200,),
        max_bytes: int = LARGEST_ANSWER,
        headers: Params | None = None,
        payload: bytes | None = None,
    ) -> Response:
        """Return the whole answer.

        Args:
            url: what to ask.
            params: its query.
            accept: statuses that are an answer.
            max_bytes: longest answer.
            headers: more of them, a key for instance: redirects are then refused, or it would travel on.
            payload: JSON to post; None: a GET.

        Raises:
            NetworkUnreachable: no connection, a reset or a time-out, `tries` times; twice where nobody is
                there and never was.
            ServerUnavailable: 5xx, `tries` times or with a pause longer than `LONGEST_PAUSE`.
            RateLimited: 429, likewise.
            RequestRefused: a status that is neither accepted nor worth another try.
            MalformedResponse: the answer is larger than `max_bytes`, or packed wrongly.
        """

        def read(answer: Answer) -> Response:
            content = bytearray()
            for chunk in answer.chunks():
                content += chunk
                if len(content) > max_bytes:
                    raise MalformedResponse(f"the answer of {answer.url} is larger than {max_bytes:,} bytes")
            return Response(bytes(content), answer.url, answer.status, answer.content_type)

        return self.stream(url, read, params, accept=accept, headers=headers, payload=payload)

    def stream(
        self,
        url: str,
        read: Callable[[Answer], T],
        params: Params | None = None,
        *,
        accept: Collection[int] = (200,),
        headers: Params | None = None,
        payload: bytes | None = None,
    ) -> T:
        """Return what `read` makes of an accepted answer; a body that breaks off is read anew."""
        for attempt in range(1, self._tries + 1):
            try:
                return self._once(url, read, Request(params, headers, payload), accept)
            except TransportError as error:
                pause = error.retry_after
                if pause is None:
                    base = RATE_BACKOFF if isinstance(error, RateLimited) else BACKOFF
                    pause = base * 2 ** (attempt - 1)
                absent = isinstance(error, NobodyThere) and _host(url) not in self._met
                if not error.retryable or pause > LONGEST_PAUSE or absent:
                    raise
                last = attempt == self._tries
                # After the last try, too, a pause that the server named holds: for whoever asks next.
                if not last or error.retry_after is not None:
                    self._politeness.hold(_host(url), self.kind, pause, error.message)
                if last:
                    raise
        raise AssertionError

    def _once(self, url: str, read: Callable[[Answer], T], request: Request, accept: Collection[int]) -> T:
        with (
            mapped_errors(url),
            self._politeness.turn(
                _host(url), self.kind, self.interval, on_wait=self._on_wait, sleep=self._sleep
            ),
            self._connected(url, request) as response,
        ):
            self._met.add(_host(url))
            if response.status_code not in accept:
                raise _refusal(response)
            return read(Answer(response))

    @contextmanager
    def _connected(self, url: str, request: Request) -> Iterator[httpx.Response]:
        """Yield the answer's beginning. Where nobody is there, try once more: the host was not asked yet."""
        with ExitStack() as held:
            client = held.enter_context(self._client())
            try:
                response = held.enter_context(request.send(client, url))
            except httpx.ConnectError as error:
                if not (absent := nobody_there(error)):
                    raise
                if self._on_wait is not None:
                    self._on_wait(NOBODY_PAUSE, f"{_host(url)}: {absent}, one more try")
                self._sleep(NOBODY_PAUSE)
                response = held.enter_context(request.send(client, url))
            yield response

    @contextmanager
    def _client(self) -> Iterator[httpx.Client]:
        """Yield a connection for one request, cut after the deadline.

        httpx's time-outs begin anew with every byte, so a server that drips, even within its headers,
        would hold us for ever. Nothing is kept alive: between two requests lie seconds anyway.
        """
        client = httpx.Client(
            headers=self._headers,
            timeout=self._timeout,
            verify=self._tls,
            follow_redirects=True,
            max_redirects=REDIRECTS,
            mounts=dict.fromkeys(LOOPBACK),
        )
        expired = threading.Event()

        def cut() -> None:
            expired.set()
            client.close()

        watchdog = threading.Timer(self._deadline, cut)
        watchdog.daemon = True
        with client:
            watchdog.start()
            try:
                yield client
            except (httpx.HTTPError, RuntimeError) as error:
                if expired.is_set():
                    raise httpx.ReadTimeout(f"not whole after {self._deadline:g} s") from error
                raise
            finally:
                watchdog.cancel()


def _log_wait(seconds: float, reason: str) -> None:
    log.info("waiting %.0f s: %s", seconds, reason)


def user_agent(contact: str | None) -> str:
    """Return `citewell/<version> (+<contact>)`.

    Raises:
        SettingsError: the contact cannot stand in a header.
    """
    product = f"citewell/{importlib.metadata.version('citewell')}"
    if not contact:
        return product
    if not (contact.isascii() and contact.isprintable()) or set(contact) & set("()\\"):
        raise SettingsError(
            f"the contact {contact!r} cannot stand in a User-Agent",
            advice="set CITEWELL_CONTACT to a mail address or URL",
        )
    return f"{product} (+{contact})"


def _host(url: str) -> str:
    parsed = httpx.URL(url)
    return f"{parsed.host}:{parsed.port}" if parsed.port else parsed.host


def _refusal(response: httpx.Response) -> TransportError:
    """Return the error that a status stands for."""
    status, url = response.status_code, str(response.url)
    pause = retry_after(response.headers.get("retry-after"), datetime.now(UTC))
    said = f"{shown(url)} answered {status}" + (f" and asks to wait {pause:g} s" if pause else "")
    if status == 429:
        return RateLimited(said, url=url, retry_after=pause, advice="wait, and ask less often")
    if status >= 500 or status == 408:
        return ServerUnavailable(said, url=url, retry_after=pause, advice="try again later")
    if status == 403:
        return RequestRefused(
            said, url=url, advice="the server blocks this client: set CITEWELL_CONTACT and ask less often"
        )
    return RequestRefused(said, url=url, advice="check the address and the base URL in the settings")


def shown(url: str) -> str:
    """Return an address as a person can read it: a resumption token of 120 characters says nothing to one."""
    return url if len(url) <= LONGEST_SHOWN else f"{url[: LONGEST_SHOWN - 1]}…"


def retry_after(value: str | None, now: datetime) -> float | None:
    """Return the seconds that a Retry-After header asks for, as a number or a date; None: nothing usable."""
    if value is None:
        return None
    value = value.strip()
    try:
        return max(0.0, float(value)) if value.isdecimal() else max(0.0, (_date(value) - now).total_seconds())
    except ValueError:
        return None


def _date(value: str) -> datetime:
    found = parsedate_to_datetime(value)
    return found if found.tzinfo else found.replace(tzinfo=UTC)
