"""The harvester's conversation, over real HTTP: lists, tokens that die, and answers that are none."""

from __future__ import annotations

from datetime import date
from urllib.parse import parse_qsl, urlsplit

import pytest

from search import errors
from search.arxiv.oai import ASKS, OAIClient, parse_page

NAMESPACES = (
    'xmlns="http://www.openarchives.org/OAI/2.0/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
)
RAW = "http://arxiv.org/OAI/arXivRaw/"


def answer(body: str) -> bytes:
    """Return a whole OAI-PMH answer around `body`."""
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<OAI-PMH {NAMESPACES}>'
        f"<responseDate>2026-11-21T22:31:00Z</responseDate><request>http://127.0.0.1/oai</request>"
        f"{body}</OAI-PMH>"
    ).encode()


def error(code: str, words: str = "no") -> bytes:
    """Return a protocol error."""
    return answer(f'<error code="{code}">{words}</error>')


def record(name: str, metadata: str | None = None, *, title: str = "A title", version: str = "v1") -> str:
    """Return one arXivRaw record."""
    content = metadata or (
        f'<arXivRaw xmlns="{RAW}"><id>{name}</id><submitter>A</submitter><version version="{version}">'
        f"<date>Mon, 02 Nov 2026 10:00:00 GMT</date><size>9kb</size></version><title>{title}</title>"
        "<authors>Ada Lovelace</authors><categories>cs.CL</categories><abstract>Words.</abstract></arXivRaw>"
    )
    return (
        f"<record><header><identifier>oai:arXiv.org:{name}</identifier><datestamp>2026-11-20</datestamp>"
        f"<setSpec>cs:cs:CL</setSpec></header><metadata>{content}</metadata></record>"
    )


def listing(*names: str, token: str | None = None) -> bytes:
    """Return a page of records."""
    rest = (
        "" if token is None else f'<resumptionToken expires="2026-11-22T00:00:00Z">{token}</resumptionToken>'
    )
    return answer(f"<ListRecords>{''.join(record(name) for name in names)}{rest}</ListRecords>")


def names(page):
    return [record.metadata.work_id for record in page.records]


def queries(loopback):
    return [dict(parse_qsl(urlsplit(path).query)) for path, _ in loopback.requests]


@pytest.fixture
def client(loopback, transport):
    return OAIClient(f"{loopback.url}/oai", transport())


WINDOW = {"from_": date(2026, 11, 19), "until": date(2026, 11, 20)}


def test_a_list_over_three_pages(loopback, client):
    """The first request names window, set and format; the next ones only the token, exactly as given."""
    loopback.play(
        loopback.reply(listing("2611.00001", "2611.00002", token="2|a+b &amp; c")),
        loopback.reply(listing("2611.00003", token="3")),
        loopback.reply(listing("2611.00004", token="")),
    )
    pages = list(client.list_records(**WINDOW, set_="cs:cs:CL"))
    assert [names(page) for page in pages] == [["2611.00001", "2611.00002"], ["2611.00003"], ["2611.00004"]]
    assert queries(loopback) == [
        {
            "verb": "ListRecords",
            "metadataPrefix": "arXivRaw",
            "from": "2026-11-19",
            "until": "2026-11-20",
            "set": "cs:cs:CL",
        },
        {"verb": "ListRecords", "resumptionToken": "2|a+b & c"},
        {"verb": "ListRecords", "resumptionToken": "3"},
    ]
    assert pages[0].response_date.isoformat() == "2026-11-21T22:31:00+00:00"
    assert pages[0].records[0].datestamp == date(2026, 11, 20)
    assert pages[-1].resumption_token is None


def test_an_open_window_names_no_end(loopback, client):
    """Without `until` the request has none."""
    loopback.play(loopback.reply(listing("2611.00001")))
    list(client.list_records(from_=date(2026, 11, 19), until=None))
    assert set(queries(loopback)[0]) == {"verb", "metadataPrefix", "from"}


def test_an_empty_window_is_a_page_without_records(loopback, client):
    """noRecordsMatch is an answer like any other: kept as received, with the server's clock."""
    raw = error("noRecordsMatch")
    loopback.play(loopback.reply(raw))
    (page,) = client.list_records(**WINDOW)
    assert (page.raw, page.records, page.resumption_token) == (raw, (), None)
    assert page.response_date.year == 2026


def test_a_token_that_dies_starts_the_window_again(loopback, client):
    """At midnight tokens die: the window is asked again from its first page, and its pages come again."""
    loopback.play(
        loopback.reply(listing("2611.00001", token="old")),
        loopback.reply(error("badResumptionToken")),
        loopback.reply(listing("2611.00001", token="new")),
        loopback.reply(listing("2611.00002")),
    )
    pages = list(client.list_records(**WINDOW))
    assert [names(page) for page in pages] == [["2611.00001"], ["2611.00001"], ["2611.00002"]]
    assert queries(loopback)[2]["from"] == "2026-11-19"


def test_a_token_that_dies_twice_is_an_error(loopback, client):
    """A server whose tokens never live is reported, not asked for ever."""
    loopback.play(
        loopback.reply(listing("2611.00001", token="one")),
        loopback.reply(error("badResumptionToken", "it has expired")),
        loopback.reply(listing("2611.00001", token="two")),
        loopback.reply(error("badResumptionToken", "it has expired")),
    )
    with pytest.raises(errors.BadResumptionToken, match="it has expired"):
        list(client.list_records(**WINDOW))
    assert len(loopback.requests) == 4


def test_a_repeated_token_is_refused(loopback, client):
    """A server that hands out a token again would be followed for ever."""
    loopback.play(
        loopback.reply(listing("2611.00001", token="a")),
        loopback.reply(listing("2611.00002", token="b")),
        loopback.reply(listing("2611.00003", token="a")),
    )
    with pytest.raises(errors.MalformedResponse, match="'a' twice"):
        list(client.list_records(**WINDOW))


def test_a_repeated_page_is_refused(loopback, client):
    """A page that comes again is asked for three times; one that stays the same ends in an error."""
    loopback.play(*(loopback.reply(listing("2611.00001", token=str(i))) for i in range(5)))
    with pytest.raises(errors.MalformedResponse, match="twice"):
        list(client.list_records(**WINDOW))
    assert len(loopback.requests) == 1 + ASKS


def test_a_repeated_token_among_sets_is_refused(loopback, client):
    """ListSets is guarded in the same way."""
    page = answer(
        "<ListSets><set><setSpec>cs</setSpec><setName>CS</setName></set>"
        "<resumptionToken>x</resumptionToken></ListSets>"
    )
    loopback.play(loopback.reply(page))
    with pytest.raises(errors.MalformedResponse, match="'x' twice"):
        client.list_sets()


def test_half_a_page_is_asked_for_again(loopback, client):
    """An answer cut in the middle of its XML is asked for again; the whole one counts."""
    whole = listing("2611.00001")
    loopback.play(loopback.reply(whole[:400]), loopback.reply(whole))
    (page,) = client.list_records(**WINDOW)
    assert page.raw == whole
    assert len(loopback.requests) == 2


BOMB = (
    b'<?xml version="1.0"?><!DOCTYPE OAI-PMH [<!ENTITY a "aaaaaaaaaa">'
    + b"".join(f'<!ENTITY a{i} "{f"&a{i - 1 if i > 1 else str()};" * 10}">'.encode() for i in range(1, 9))
    + b"]><OAI-PMH><responseDate>&a8;</responseDate></OAI-PMH>"
)
THIEF = (
    b'<?xml version="1.0"?><!DOCTYPE OAI-PMH [<!ENTITY x SYSTEM "file:///etc/hostname">]>'
    + answer("<ListRecords>&x;</ListRecords>").partition(b"\n")[2]
)
DEEP = answer("<ListRecords>" + "<a>" * 3000 + "</a>" * 3000 + "</ListRecords>")


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(listing("2611.00001")[:-20], id="cut"),
        pytest.param(listing("2611.00001").replace(b"Words", b"W\xfcrter")[:-20], id="not UTF-8, cut"),
        pytest.param(b"", id="empty"),
        pytest.param(b'{"records": []}', id="JSON"),
        pytest.param(b"<!DOCTYPE html><html><title>Down</title><body><br></body></html>", id="HTML"),
        pytest.param(b"<html><head><title>Down</title></head><body/></html>", id="XHTML"),
        pytest.param(BOMB, id="entity bomb"),
        pytest.param(THIEF, id="external entity"),
        pytest.param(DEEP, id="deep"),
        pytest.param(listing("2611.00001").replace(b"2026-11-21T22:31:00Z", b"today"), id="no date"),
        pytest.param(answer("<Identify/>"), id="other verb"),
        pytest.param(b"<feed xmlns='http://www.w3.org/2005/Atom'/>", id="Atom"),
    ],
)
def test_what_is_no_answer(loopback, client, raw):
    """An answer that is none is asked for three times, then refused with the address."""
    with pytest.raises(errors.MalformedResponse):
        parse_page(raw)
    loopback.play(loopback.reply(raw))
    with pytest.raises(errors.MalformedResponse, match=r"127\.0\.0\.1"):
        list(client.list_records(**WINDOW))
    assert len(loopback.requests) == ASKS


@pytest.mark.parametrize("character", ["\x0b", "\x00", "&#x1F;", "&#11;", "&#x0;"])
def test_a_forbidden_character_costs_a_space(character):
    """A control character that somebody typed into a title does not close the day for ever."""
    page = parse_page(
        answer(f"<ListRecords>{record('2611.00001', title=f'A{character}title')}</ListRecords>")
    )
    assert page.records[0].metadata.title == "A title"


PROTOCOL_ERRORS = {
    error.oai_code: error
    for error in vars(errors).values()
    if isinstance(error, type) and issubclass(error, errors.OAIError) and error.oai_code
}


@pytest.mark.parametrize("code", sorted(set(PROTOCOL_ERRORS) - {"noRecordsMatch"}))
def test_every_protocol_error_is_its_own(loopback, client, code):
    """Each error code of the protocol raises its own exception, with the server's words and the request."""
    loopback.play(loopback.reply(error(code, "because &amp; so")))
    with pytest.raises(PROTOCOL_ERRORS[code], match="because & so") as caught:
        client.get_record("oai:arXiv.org:2611.00001")
    assert type(caught.value) is PROTOCOL_ERRORS[code]
    assert len(loopback.requests) == 1


def test_the_protocol_has_eight_errors():
    """All eight codes of OAI-PMH 2.0, section 3.6, have a class; another code is unknown, not lost."""
    assert len(PROTOCOL_ERRORS) == 8
    with pytest.raises(errors.UnknownOAIError, match="tooLazy"):
        parse_page(error("tooLazy"))


def test_of_two_errors_the_telling_one_counts():
    """A bad argument beside "no records match" is a bad argument."""
    raw = answer('<error code="noRecordsMatch"/><error code="badArgument">until is before from</error>')
    with pytest.raises(errors.BadArgument, match="until"):
        parse_page(raw)


def test_an_error_under_another_status(loopback, client):
    """Protocol errors count under 4xx too; a page that is none of the protocol's is a refusal."""
    loopback.play(loopback.reply(error("idDoesNotExist"), 404))
    with pytest.raises(errors.IdDoesNotExist):
        client.get_record("oai:arXiv.org:2611.00001")
    loopback.play(loopback.reply(b"<html><title>Not here</title></html>", 404, "text/html"))
    with pytest.raises(errors.RequestRefused, match="404"):
        client.get_record("oai:arXiv.org:2611.00001")


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        (record("2611.00009", title=" "), "no title"),
        (record("2611.00009", version="vX"), "numbered 'vX'"),
        (record("2613.00009"), "month"),
        (record("2611.00009", "<marc xmlns='http://loc.gov/'/>"), "unknown format"),
        (
            record("2611.00009").replace("<metadata>", "<about>").replace("</metadata>", "</about>"),
            "no metadata",
        ),
        ("<record><metadata/></record>", "no whole header"),
    ],
)
def test_one_bad_record_spares_the_page(broken, why):
    """A record that cannot be read is reported with its reason; its neighbours are read."""
    page = parse_page(
        answer(f"<ListRecords>{record('2611.00001')}{broken}{record('2611.00002')}</ListRecords>")
    )
    first, bad, last = page.records
    assert (first.metadata.work_id, last.metadata.work_id) == ("2611.00001", "2611.00002")
    assert bad.metadata is None
    assert why in bad.problem


def test_a_deleted_record_is_marked():
    """The protocol's deletion mark is kept; it is no problem that such a record has no metadata."""
    gone = record("2611.00001").replace("<header>", '<header status="deleted">')
    gone = gone[: gone.index("<metadata>")] + "</record>"
    (found,) = parse_page(answer(f"<ListRecords>{gone}</ListRecords>")).records
    assert (found.deleted, found.metadata, found.problem) == (True, None, None)


def test_one_record_is_one(loopback, client):
    """GetRecord returns the record; an answer with none or two is malformed."""
    loopback.play(loopback.reply(answer(f"<GetRecord>{record('2611.00001')}</GetRecord>")))
    assert client.get_record("oai:arXiv.org:2611.00001").metadata.newest == 1
    assert queries(loopback)[0] == {
        "verb": "GetRecord",
        "identifier": "oai:arXiv.org:2611.00001",
        "metadataPrefix": "arXivRaw",
    }
    loopback.play(loopback.reply(answer("<GetRecord/>")))
    with pytest.raises(errors.MalformedResponse, match="0 records"):
        client.get_record("oai:arXiv.org:2611.00001")


def test_pages_come_one_at_a_time(loopback, client):
    """The next page is asked for only when the one before was taken: a consumer can write between."""
    loopback.play(loopback.reply(listing("2611.00001", token="a")), loopback.reply(listing("2611.00002")))
    pages = client.list_records(**WINDOW)
    next(pages)
    assert len(loopback.requests) == 1
    next(pages)
    assert len(loopback.requests) == 2
