"""The loopback arXiv speaks OAI-PMH 2.0 as arXiv does, and fails on demand."""

from __future__ import annotations

from datetime import UTC, date, datetime

import httpx
import pytest
from lxml import etree

from search.demo.records import DemoRecord, DemoVersion, names, set_spec, without_tex
from search.demo.server import Fault, LoopbackArxiv

OAI = "{http://www.openarchives.org/OAI/2.0/}"
RAW = "{http://arxiv.org/OAI/arXivRaw/}"
ARXIV = "{http://arxiv.org/OAI/arXiv/}"

CATEGORIES = ("cs.IR", "hep-th", "cond-mat.soft cs.DS", "math.CO")


def record(number: int, **changes: object) -> DemoRecord:
    day = datetime(2024, 1, 1 + number, 12, 30, 5, tzinfo=UTC)
    facts: dict[str, object] = {
        "id": f"2401.{99500 + number}",
        "title": f"Paper {number} on <tags> & ampersands",
        "abstract": "We show that a < b & c > d.",
        "authors": r"Cs. Bal\'azs (1 and 2), E. L. Berger and \O yvind {\L}o\v{s}",
        "categories": CATEGORIES[number % 4],
        "versions": (DemoVersion(day, "37kb", "D"),),
    }
    return DemoRecord(**{**facts, **changes})  # type: ignore[arg-type]


@pytest.fixture
def server():
    with LoopbackArxiv(
        [record(n) for n in range(7)], {"2401.99500v1": b"%PDF-1.7 ..."}, page_size=3
    ) as arxiv:
        yield arxiv


def ask(server: LoopbackArxiv, **arguments: str) -> etree._Element:
    renamed = {name.removesuffix("_"): value for name, value in arguments.items()}
    answer = httpx.get(server.oai_url, params=renamed)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/xml")
    return etree.fromstring(answer.content)


def error_code(root: etree._Element) -> str:
    errors = root.findall(f"{OAI}error")
    assert len(errors) == 1
    return errors[0].get("code")


def identifiers(root: etree._Element) -> list[str]:
    return [element.text for element in root.iter(f"{OAI}identifier")]


def test_identify_and_formats_and_sets(server):
    """The three verbs about the repository answer with what arXiv's answer with."""
    identify = ask(server, verb="Identify").find(f"{OAI}Identify")
    assert identify.findtext(f"{OAI}granularity") == "YYYY-MM-DD"
    assert identify.findtext(f"{OAI}earliestDatestamp") == "2024-01-01"
    formats = ask(server, verb="ListMetadataFormats").iter(f"{OAI}metadataPrefix")
    assert {element.text for element in formats} == {"oai_dc", "arXiv", "arXivRaw"}
    sets = [element.text for element in ask(server, verb="ListSets").iter(f"{OAI}setSpec")]
    assert sets == [
        "cs", "cs:cs", "cs:cs:DS", "cs:cs:IR", "math", "math:math", "math:math:CO",
        "physics", "physics:cond-mat", "physics:cond-mat:soft", "physics:hep-th",
    ]  # fmt: skip


def test_arxivraw_holds_every_field(server):
    """An arXivRaw record carries every field in arXiv's order, special characters escaped."""
    versions = (
        DemoVersion(datetime(2007, 4, 2, 19, 18, 42, tzinfo=UTC), "331kb"),
        DemoVersion(datetime(2007, 7, 24, 20, 10, 27, tzinfo=UTC), "0kb", "I"),
    )
    server.put(
        record(
            1, versions=versions, comments="37 pages; a < b", licence="http://x/", doi="10.1/x<y>",
            journal_ref="Phys.Rev.D76", report_no="ANL-1",
        )
    )  # fmt: skip
    root = ask(server, verb="GetRecord", identifier="oai:arXiv.org:2401.99501", metadataPrefix="arXivRaw")
    raw = root.find(f".//{RAW}arXivRaw")
    assert [element.tag.removeprefix(RAW) for element in raw] == [
        "id", "version", "version", "title", "authors", "categories", "comments", "report-no", "journal-ref",
        "doi", "license", "abstract",
    ]  # fmt: skip
    assert raw.findtext(f"{RAW}title") == "Paper 1 on <tags> & ampersands"
    assert raw.findtext(f"{RAW}abstract").strip() == "We show that a < b & c > d."
    assert raw.findtext(f"{RAW}version/{RAW}date") == "Mon, 02 Apr 2007 19:18:42 GMT"
    assert [element.findtext(f"{RAW}source_type") for element in raw.iter(f"{RAW}version")] == [None, "I"]
    header = root.find(f".//{OAI}header")
    assert header.findtext(f"{OAI}datestamp") == "2007-07-24"
    assert header.findtext(f"{OAI}setSpec") == "physics:hep-th"


def test_arxiv_format_structures_the_names(server):
    """The arXiv format gives key name and forenames with TeX accents as letters, affiliations dropped."""
    root = ask(server, verb="GetRecord", identifier="oai:arXiv.org:2401.99500", metadataPrefix="arXiv")
    authors = [
        (author.findtext(f"{ARXIV}forenames"), author.findtext(f"{ARXIV}keyname"))
        for author in root.iter(f"{ARXIV}author")
    ]
    assert authors == [("Cs.", "Balázs"), ("E. L.", "Berger"), ("Øyvind", "Łoš")]
    assert root.findtext(f".//{ARXIV}created") == "2024-01-01"


def test_names_and_accents():
    """TeX names become letters, whichever way the accent is written."""
    assert (
        without_tex(r"Ren\'{e} Fran\c{c}ois M\"uller \'{\i} \v Cech Stra\ss e")
        == "René François Müller í Čech Straße"
    )
    assert names("ATLAS Collaboration, A. One and B. Two (CERN (Geneva))") == [
        ("ATLAS", "Collaboration"), ("A.", "One"), ("B.", "Two"),
    ]  # fmt: skip
    assert set_spec("q-bio.PE") == "q-bio:q-bio:PE"


def test_resumption_walks_the_whole_list(server):
    """Pages follow by token, with cursor and completeListSize, until an empty token ends the list."""
    root, seen, cursors = ask(server, verb="ListRecords", metadataPrefix="arXivRaw"), [], []
    while True:
        seen += identifiers(root)
        token = root.find(f".//{OAI}resumptionToken")
        assert token.get("completeListSize") == "7"
        cursors.append(token.get("cursor"))
        if not token.text:
            break
        root = ask(server, verb="ListRecords", resumptionToken=token.text)
    assert seen == [f"oai:arXiv.org:{99500 + n}".replace(":99", ":2401.99") for n in range(7)]
    assert cursors == ["0", "3", "6"]


def test_windows_are_inclusive_and_sets_contain_their_subsets(server):
    """`from` and `until` are inclusive; a set holds its subsets' papers; a whole list has no token."""
    root = ask(server, verb="ListIdentifiers", metadataPrefix="arXiv", from_="2024-01-02", until="2024-01-04")
    assert len(identifiers(root)) == 3
    assert root.find(f".//{OAI}resumptionToken") is None
    for name, count in {"cs": 4, "cs:cs:IR": 2, "physics": 4, "physics:hep-th": 2}.items():
        listed = ask(server, verb="ListIdentifiers", metadataPrefix="arXiv", set=name)
        token = listed.find(f".//{OAI}resumptionToken")
        assert (
            int(token.get("completeListSize")) if token is not None else len(identifiers(listed))
        ) == count


WINDOW = {"verb": "ListRecords", "metadataPrefix": "arXiv"}
GET = {"verb": "GetRecord", "metadataPrefix": "arXiv"}


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({}, "badVerb"),
        ({"verb": "Steal"}, "badVerb"),
        ({"verb": "ListRecords"}, "badArgument"),
        ({**WINDOW, "colour": "red"}, "badArgument"),
        ({**WINDOW, "from": "2024-01-01T00:00:00Z"}, "badArgument"),
        ({**WINDOW, "from": "2024-02-30"}, "badArgument"),
        ({**WINDOW, "from": "2024-02-02", "until": "2024-02-01"}, "badArgument"),
        ({**WINDOW, "resumptionToken": "x"}, "badArgument"),
        ({"verb": "ListRecords", "resumptionToken": "6960524|1001"}, "badResumptionToken"),
        ({"verb": "ListSets", "resumptionToken": "x"}, "badResumptionToken"),
        ({"verb": "ListRecords", "metadataPrefix": "marc21"}, "cannotDisseminateFormat"),
        ({**GET, "identifier": "oai:arXiv.org:9999.99999"}, "idDoesNotExist"),
        ({**GET, "identifier": "2401.99500"}, "idDoesNotExist"),
        ({**WINDOW, "from": "2030-01-01"}, "noRecordsMatch"),
        ({**WINDOW, "set": "econ"}, "noRecordsMatch"),
    ],
)  # fmt: skip
def test_every_protocol_error(server, arguments, code):
    """Each wrong request gets the protocol's own error, in a 200 answer, by GET and by POST."""
    assert error_code(ask(server, **arguments)) == code
    assert error_code(etree.fromstring(httpx.post(server.oai_url, data=arguments).content)) == code


def test_repeated_argument_is_refused(server):
    """The protocol forbids repeating an argument."""
    answer = httpx.get(f"{server.oai_url}?verb=ListRecords&metadataPrefix=arXiv&metadataPrefix=arXiv")
    assert error_code(etree.fromstring(answer.content)) == "badArgument"
    assert b"<request>" in answer.content


def test_a_token_dies_at_midnight():
    """A token is good until 00:00 UTC of the day it was given."""
    now = datetime(2024, 5, 1, 23, 59, tzinfo=UTC)
    with LoopbackArxiv([record(n) for n in range(4)], page_size=3, clock=lambda: now) as server:
        token = ask(server, verb="ListRecords", metadataPrefix="arXiv").findtext(f".//{OAI}resumptionToken")
        assert len(identifiers(ask(server, verb="ListRecords", resumptionToken=token))) == 1
        assert error_code(ask(server, verb="ListIdentifiers", resumptionToken=token)) == "badResumptionToken"
        now = datetime(2024, 5, 2, 0, 1, tzinfo=UTC)
        assert error_code(ask(server, verb="ListRecords", resumptionToken=token)) == "badResumptionToken"


def test_records_change_while_it_runs(server):
    """A record that is put is served at once, under its new datestamp."""
    server.put(record(2, title="Renamed", datestamp=date(2024, 6, 1)))
    root = ask(server, verb="ListRecords", metadataPrefix="arXivRaw", from_="2024-05-01")
    assert [element.text for element in root.iter(f"{RAW}title")] == ["Renamed"]


def test_pdfs_and_their_absence(server):
    """A PDF is served by versioned and plain id; what is missing is an HTML page with status 404."""
    server.pdfs["hep-th/9108002v1"] = b"%PDF-1.4 old"
    for name in ("2401.99500v1", "2401.99500", "2401.99500v1.pdf"):
        found = httpx.get(f"{server.pdf_url}/{name}")
        assert (found.status_code, found.headers["content-type"]) == (200, "application/pdf")
        assert found.content == b"%PDF-1.7 ..."
    assert httpx.get(f"{server.pdf_url}/hep-th/9108002v1").content == b"%PDF-1.4 old"
    missing = httpx.get(f"{server.pdf_url}/2401.99500v2")
    assert missing.status_code == 404
    assert missing.headers["content-type"].startswith("text/html")
    assert httpx.head(f"{server.pdf_url}/2401.99500v1").headers["content-length"] == "12"


def test_faults_come_first_and_once(server):
    """Each fault is taken by one request that its path fits; the next request gets the true answer."""
    server.faults.append(Fault("/pdf", status=503, headers={"Retry-After": "7"}, body=b"busy"))
    server.faults.append(Fault("/oai", status=429))
    server.faults.append(Fault("/pdf", body=b"<html>captcha</html>", headers={"Content-Type": "text/html"}))
    assert httpx.get(server.oai_url, params={"verb": "Identify"}).status_code == 429
    busy = httpx.get(f"{server.pdf_url}/2401.99500v1")
    assert (busy.status_code, busy.headers["retry-after"], busy.content) == (503, "7", b"busy")
    assert httpx.get(f"{server.pdf_url}/2401.99500v1").headers["content-type"] == "text/html"
    assert httpx.get(f"{server.pdf_url}/2401.99500v1").content == b"%PDF-1.7 ..."
    assert not server.faults
    assert [request.status for request in server.requests("/pdf")] == [503, 200, 200]


def test_broken_connections(server):
    """A body can end early, with or without its length announced, and a connection can be reset."""
    url = f"{server.pdf_url}/2401.99500v1"
    server.faults += [Fault(truncate=5), Fault(truncate=5, announce=False), Fault(reset=True)]
    with pytest.raises(httpx.RemoteProtocolError):
        httpx.get(url)
    assert httpx.get(url).content == b"%PDF-"
    with pytest.raises(httpx.TransportError):
        httpx.get(url)
    assert [request.status for request in server.log] == [200, 200, 0]
    server.faults.append(Fault(delay=60))
    with pytest.raises(httpx.ReadTimeout):
        httpx.get(url, timeout=0.2)


def test_recorded_answers_are_given_as_they_are(server):
    """A recorded body answers every request that has its arguments; others get the true answer."""
    server.recorded.append(({"verb": "ListRecords", "from": "2017-12-14"}, b"<as-it-was/>"))
    asked = {"verb": "ListRecords", "metadataPrefix": "arXiv"}
    assert httpx.get(server.oai_url, params={**asked, "from": "2017-12-14"}).content == b"<as-it-was/>"
    assert len(identifiers(ask(server, **asked))) == 3


def test_stopping_does_not_wait_for_idle_clients(server):
    """A client that keeps its connection open does not keep the server alive."""
    with httpx.Client() as client:
        assert client.get(server.oai_url, params={"verb": "Identify"}).status_code == 200
        assert client.get(server.oai_url, params={"verb": "Identify"}).status_code == 200
        server.stop()
        with pytest.raises(httpx.TransportError):
            client.get(server.oai_url, params={"verb": "Identify"})


def test_real_arxivraw_has_the_same_shape(server, data):
    """The elements of a recorded arXivRaw record of arXiv are those that the loopback writes."""
    real = etree.parse(data / "oai/fatcat/arxivraw_1810.09584.xml").getroot()
    record_ = record(
        1, submitter="s", comments="c", journal_ref="j", doi="d", licence="l",
        versions=(DemoVersion(datetime(2018, 10, 22, tzinfo=UTC), "401kb", "D"),) * 2,
    )  # fmt: skip
    server.put(record_)
    ours = ask(server, verb="GetRecord", identifier=record_.identifier, metadataPrefix="arXivRaw")

    def shape(root: etree._Element) -> list[str]:
        return [element.tag for element in root.iter() if element.tag != f"{OAI}setSpec"]

    assert shape(ours) == shape(real)
    assert ours.find(f"{OAI}request").attrib.keys() == real.find(f"{OAI}request").attrib.keys()
