"""The transport over real HTTP: pacing, patience, and an end to everything."""

from __future__ import annotations

import gzip
import inspect
import itertools
import socket
import threading
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx
import pytest

from search.arxiv.politeness import Politeness
from search.arxiv.transport import LONGEST_PAUSE, Transport, mapped_errors, retry_after, user_agent
from search.errors import (
    CitewellError,
    MalformedResponse,
    NetworkUnreachable,
    RateLimited,
    RequestRefused,
    ServerUnavailable,
    SettingsError,
)
from search.settings import Settings

HTTPX_ERRORS = sorted(
    (
        error
        for _, error in inspect.getmembers(httpx, inspect.isclass)
        if issubclass(error, BaseException) and error.__module__.startswith("httpx")
    ),
    key=lambda error: error.__name__,
)


def made(error):
    """Return an instance of an httpx error, whatever its constructor wants."""
    if error is httpx.HTTPStatusError:
        request = httpx.Request("GET", "http://127.0.0.1/")
        return error("x", request=request, response=httpx.Response(418, request=request))
    return error() if not list(inspect.signature(error).parameters) else error("x")


def test_httpx_errors_are_all_there():
    """The list of errors under test is httpx's whole tree, leaves and roots."""
    assert len(HTTPX_ERRORS) >= 28
    assert {httpx.ReadTimeout, httpx.InvalidURL, httpx.StreamError, httpx.CookieConflict} <= set(HTTPX_ERRORS)


@pytest.mark.parametrize("error", HTTPX_ERRORS, ids=lambda error: error.__name__)
def test_every_httpx_error_becomes_ours(error):
    """No error class of httpx gets out of the transport, and the address is named."""
    with (
        pytest.raises(CitewellError, match=r"http://example\.org/x") as caught,
        mapped_errors("http://example.org/x"),
    ):
        raise made(error)
    assert isinstance(caught.value.__cause__, error)


def test_says_who_asks(loopback, transport):
    """The User-Agent names product, version and the contact; without contact there are no brackets."""
    loopback.play(loopback.reply(b"yes"))
    assert transport(contact="mailto:ada@example.org").get(loopback.url).content == b"yes"
    transport().get(loopback.url)
    agents = [headers["User-Agent"] for _, headers in loopback.requests]
    assert agents[0].startswith("citewell/")
    assert agents[0].endswith(" (+mailto:ada@example.org)")
    assert "(" not in agents[1]


@pytest.mark.parametrize("contact", ["a\r\nX-Evil: 1", "(a)", "ä@example.org"])
def test_contact_that_breaks_the_header_is_refused(contact):
    """A contact that could forge or break the header is a settings error before anything is sent."""
    with pytest.raises(SettingsError, match="contact"):
        user_agent(contact)


def test_answer_carries_address_status_and_type(loopback, transport):
    """An answer says where it came from after redirects, its status and its media type."""
    loopback.play(
        loopback.reply(b"", 302, Location="/there"), loopback.reply(b"x", kind="Text/XML; charset=utf-8")
    )
    answer = transport().get(loopback.url, {"verb": "Identify"})
    assert (answer.url, answer.status, answer.content_type) == (f"{loopback.url}/there", 200, "text/xml")
    assert loopback.requests[0][0] == "/?verb=Identify"


def test_503_waits_as_long_as_asked(loopback, transport, clock):
    """Retry-After in seconds is obeyed, and the person is told how long and why."""
    told = []
    loopback.play(loopback.reply(b"", 503, Retry_After="17"), loopback.reply(b"yes"))
    answer = transport(on_wait=lambda seconds, reason: told.append((round(seconds), reason))).get(
        loopback.url
    )
    assert answer.content == b"yes"
    assert clock.slept == [17.0]
    assert told[0][0] == 17
    assert "503" in told[0][1]


def test_503_waits_until_a_date(loopback, transport, clock):
    """Retry-After as an HTTP date is obeyed."""
    when = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    loopback.play(loopback.reply(b"", 503, Retry_After=when), loopback.reply(b"yes"))
    assert transport().get(loopback.url).content == b"yes"
    assert 80 < clock.slept[0] <= 90


def test_429_without_a_word_waits_longer_each_time(loopback, transport, clock):
    """A 429 that names no pause is answered with a long one that doubles."""
    loopback.play(loopback.reply(b"", 429), loopback.reply(b"", 429), loopback.reply(b"yes"))
    assert transport().get(loopback.url).content == b"yes"
    assert clock.slept == [30.0, 60.0]


def test_429_that_stays_is_rate_limited(loopback, transport):
    """After the last try the 429 is an error of its own, with the pause the server asked for."""
    loopback.play(loopback.reply(b"", 429, Retry_After="5"))
    with pytest.raises(RateLimited) as caught:
        transport(tries=3).get(loopback.url)
    assert caught.value.retry_after == 5
    assert caught.value.retryable
    assert len(loopback.requests) == 3


def test_a_pause_of_hours_is_not_waited(loopback, transport, clock):
    """A server that asks for more than the longest pause is believed at once, not waited for."""
    loopback.play(loopback.reply(b"", 503, Retry_After=str(int(LONGEST_PAUSE) + 1)))
    with pytest.raises(ServerUnavailable) as caught:
        transport().get(loopback.url)
    assert caught.value.retry_after == LONGEST_PAUSE + 1
    assert clock.slept == []
    assert len(loopback.requests) == 1


@pytest.mark.parametrize("status", [500, 502, 504, 408])
def test_5xx_is_tried_again_with_growing_pauses(loopback, transport, clock, status):
    """Server errors are tried again; what stays broken is ServerUnavailable."""
    loopback.play(loopback.reply(b"", status))
    with pytest.raises(ServerUnavailable, match=str(status)):
        transport(tries=4).get(loopback.url)
    assert clock.slept == [2.0, 4.0, 8.0]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 418, 304])
def test_4xx_is_not_tried_again(loopback, transport, clock, status):
    """What the server refuses once it is not asked again."""
    loopback.play(loopback.reply(b"", status))
    with pytest.raises(RequestRefused, match=str(status)) as caught:
        transport().get(loopback.url)
    assert not caught.value.retryable
    assert len(loopback.requests) == 1


def test_resets_are_survived(loopback, transport):
    """A hang-up before and in the middle of an answer is tried again; the whole answer counts."""
    loopback.play(loopback.reset, loopback.reply(b"half", length=1000), loopback.reply(b"whole"))
    assert transport().get(loopback.url).content == b"whole"
    assert len(loopback.requests) == 3


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://127.0.0.1:9/", "the connection was refused"),
        ("http://nowhere.invalid/", "its name cannot be resolved"),
    ],
)
def test_nobody_there(transport, clock, monkeypatch, url, why):
    """A closed port and an unknown name are NetworkUnreachable after one short pause, and say so."""

    def unknown(*_, **__):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    if "invalid" in url:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setattr(socket, "getaddrinfo", unknown)
    told = []
    with pytest.raises(NetworkUnreachable, match=why) as caught:
        transport(interval=15.0, on_wait=lambda *what: told.append(what)).get(url)
    assert caught.value.retryable
    assert caught.value.code == "NetworkUnreachable"
    assert clock.slept == [1.0]
    assert told[0][0] == 1.0
    assert why in told[0][1]


def test_a_server_that_was_there_is_waited_for(loopback, transport, clock):
    """A host that has answered before and is gone now gets all the patience there is."""
    loopback.play(loopback.reply(b"yes"))
    client = transport(tries=3)
    client.get(loopback.url)
    loopback.close()
    with pytest.raises(NetworkUnreachable):
        client.get(loopback.url)
    assert sum(clock.slept) >= 6


@pytest.mark.parametrize("script", ["stall", "drip_headers", "drip_body"])
def test_nothing_hangs(loopback, transport, script):
    """A server that stalls, or drips headers or body for ever, ends in NetworkUnreachable."""
    loopback.play(getattr(loopback, script))
    with pytest.raises(NetworkUnreachable, match="in time"):
        transport(timeout=0.4, deadline=0.6, tries=1).get(loopback.url)


def test_redirects_in_a_circle(loopback, transport):
    """A redirect loop is refused after a few hops, not tried again."""
    loopback.play(loopback.reply(b"", 302, Location="/again"))
    with pytest.raises(RequestRefused, match="circle"):
        transport().get(loopback.url)
    assert len(loopback.requests) <= 7


def test_redirect_to_a_file_is_refused(loopback, transport):
    """A redirect out of HTTP is not followed."""
    loopback.play(loopback.reply(b"", 302, Location="file:///etc/passwd"))
    with pytest.raises(RequestRefused, match="cannot be asked"):
        transport().get(loopback.url)


@pytest.mark.parametrize("url", ["ftp://example.org/x", "http://[::1", "nonsense"])
def test_addresses_that_are_none(transport, url):
    """A base URL that is no HTTP address is refused with advice, not a traceback of another library."""
    with pytest.raises(RequestRefused) as caught:
        transport().get(url)
    assert "base URL" in caught.value.advice


def test_an_endless_answer_is_cut(loopback, transport):
    """An answer larger than agreed is refused while it arrives, packed ones by their unpacked size."""
    loopback.play(loopback.reply(gzip.compress(bytes(1_000_000)), Content_Encoding="gzip"))
    with pytest.raises(MalformedResponse, match="larger"):
        transport().get(loopback.url, max_bytes=10_000)


def test_wrongly_packed_answer(loopback, transport):
    """A body that claims to be gzip and is not is malformed."""
    loopback.play(loopback.reply(b"no gzip at all", Content_Encoding="gzip"))
    with pytest.raises(MalformedResponse, match="packed"):
        transport().get(loopback.url)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("12", 12), (" 0 ", 0), (None, None), ("soon", None), ("-5", None), ("", None),
     ("Thu, 01 Jan 2026 00:01:00 GMT", 60), ("Wed, 31 Dec 2025 23:59:00 GMT", 0)],
)  # fmt: skip
def test_retry_after(value, seconds):
    """Retry-After is read as seconds or as a date; nonsense counts as not sent, the past as now."""
    assert retry_after(value, datetime(2026, 1, 1, tzinfo=UTC)) == seconds


def test_requests_keep_their_distance(loopback, transport, clock):
    """Requests of one kind start an interval apart; another kind has a budget of its own."""
    loopback.play(loopback.reply(b"yes"))
    oai, pdf = transport(interval=3.0), transport(interval=15.0, kind="pdf")
    oai.get(loopback.url)
    oai.get(loopback.url)
    pdf.get(loopback.url)
    assert clock.slept == [3.0]
    clock.now += 2
    transport(interval=3.0).get(loopback.url)
    assert clock.slept == [3.0, 1.0]


def test_a_pause_holds_for_everybody(loopback, transport, clock):
    """When a server asks one client for a pause, the next client of the process keeps it."""
    loopback.play(loopback.reply(b"", 503, Retry_After="40"), loopback.reply(b"yes"))
    with pytest.raises(ServerUnavailable):
        transport(tries=1).get(loopback.url)
    assert clock.slept == []
    assert transport().get(loopback.url).content == b"yes"
    assert clock.slept == [40.0]


def test_threads_share_one_budget(clock):
    """Ten threads ask one host: their starts are an interval apart, and never two at once."""
    politeness = Politeness(clock=clock, sleep=clock.sleep)
    starts, inside, most = [], [], []

    def ask():
        with politeness.turn("export.arxiv.org", "oai", 3.0):
            inside.append(1)
            most.append(len(inside))
            starts.append(clock())
            inside.pop()

    threads = [threading.Thread(target=ask) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [after - before for before, after in itertools.pairwise(starts)] == [3.0] * 9
    assert max(most) == 1


def test_one_transport_serves_many_threads(loopback, transport):
    """Eight threads on one transport, side by side on loopback: each gets its own whole answer."""
    loopback.play(lambda handler: loopback.reply(handler.path.encode() * 1000)(handler))
    polite, wrong = transport(), []

    def ask(name):
        for i in range(10):
            path = f"/{name}-{i}"
            if polite.get(loopback.url + path).content != path.encode() * 1000:
                wrong.append(path)

    threads = [threading.Thread(target=ask, args=(name,)) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert len({path for path, _ in loopback.requests}) == 80


def test_interrupt_ends_the_wait(clock):
    """Ctrl-C during a wait gets through, and the next one may ask."""

    def interrupted(seconds):
        raise KeyboardInterrupt

    politeness = Politeness(clock=clock, sleep=interrupted)
    with politeness.turn("h", "oai", 3.0):
        pass
    with pytest.raises(KeyboardInterrupt), politeness.turn("h", "oai", 3.0):
        pass
    clock.now += 3
    with politeness.turn("h", "oai", 3.0):
        assert clock.slept == []


def test_a_turn_within_a_turn(clock):
    """A request made while another's answer is read waits its interval, but not for ever."""
    politeness = Politeness(clock=clock, sleep=clock.sleep)
    with politeness.turn("h", "oai", 3.0), politeness.turn("h", "oai", 3.0):
        assert clock.slept == [3.0]


def test_proxies_of_the_environment_stay_out_of_loopback(loopback, transport, monkeypatch):
    """A loopback server is asked directly, also where the environment names a proxy."""
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    loopback.play(loopback.reply(b"yes"))
    assert transport(tries=1).get(loopback.url).content == b"yes"


def test_works_as_a_context_manager(loopback, transport):
    """A transport can stand in a `with`."""
    loopback.play(loopback.reply(b"yes"))
    with transport() as polite:
        assert isinstance(polite, Transport)
        assert polite.get(loopback.url).status == 200


def test_settings_make_a_transport(loopback, tmp_path, caplog):
    """Contact, time-out and budget are the settings'; waits that nobody asked to be told of are logged."""
    settings = Settings(contact="ada@example.org", read_timeout=7, politeness_folder=tmp_path)
    caplog.set_level("INFO", logger="search.arxiv.transport")
    loopback.play(loopback.reply(b"", 503, Retry_After="1"), loopback.reply(b"yes"))
    client = Transport.from_settings(settings, "oai", 0.1)
    assert client.get(loopback.url).content == b"yes"
    assert client._timeout.read == 7
    assert "(+ada@example.org)" in loopback.requests[0][1]["User-Agent"]
    assert "asks to wait 1 s" in caplog.text
    assert [path.suffix for path in tmp_path.iterdir() if path.suffix == ".json"] == [".json"]
