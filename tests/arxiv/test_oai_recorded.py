"""The OAI-PMH parser on every recorded answer: arXiv's over the years, other servers' for the protocol."""

from __future__ import annotations

import html
import json
import re
from datetime import date
from itertools import islice
from urllib.parse import parse_qsl, urlsplit

import pytest

from search import errors
from search.arxiv.identifiers import oai_identifier, parse
from search.arxiv.oai import OAIClient, parse_page

#: How many files oai/ holds of each sort, so that a file that is not looked at does not pass unseen.
XML_FILES = 59
NOCK = "paperhive_nock/oaipmh-"
ERRORS = {
    "dissemin/oai_arXiv.org_0704.0001.xml": errors.CannotDisseminateFormat,
    "inspire_next/integration_arxiv_fixtures_1305.0014v1.xml": errors.IdDoesNotExist,
    "inspire_next/integration_arxiv_fixtures_1305.9999.xml": errors.IdDoesNotExist,
    "inspire_next/integration_arxiv_fixtures_is-malformed.xml": errors.IdDoesNotExist,
    "inspire_next/unit_workflows_fixtures_arxiv_marcxml.xml": errors.MalformedResponse,
    f"{NOCK}listrecords---should-list-identifiers-from-arxiv__0_503.xml": errors.MalformedResponse,
    "sickle_generic/ListRecordsBroken.xml": errors.MalformedResponse,
    "sickle_generic/badArgument.xml": errors.BadArgument,
    "sickle_generic/badResumptionToken.xml": errors.BadResumptionToken,
    "sickle_generic/cannotDisseminateFormat.xml": errors.CannotDisseminateFormat,
    "sickle_generic/idDoesNotExist.xml": errors.IdDoesNotExist,
    "sickle_generic/noSetHierarchy.xml": errors.NoSetHierarchy,
    "sickle_generic/undefinedError.xml": errors.UnknownOAIError,
}
OTHER_VERBS = re.compile(rb"<(Identify|ListSets|ListMetadataFormats)[ >]")


def plain(text):
    """Return text as a reader sees it: entities resolved, single spaces."""
    return " ".join(html.unescape(text).split())


def test_every_recorded_file(data):
    """Each of the XML files ends as it should: whole records, the right protocol error, or refused."""
    folder = data / "oai"
    files = sorted(folder.glob("*/*.xml"))
    assert len(files) == XML_FILES
    pages = records = 0
    for file in files:
        name, raw = file.relative_to(folder).as_posix(), file.read_bytes()
        if name in ERRORS:
            with pytest.raises(ERRORS[name]):
                parse_page(raw)
        elif OTHER_VERBS.search(raw):
            with pytest.raises(errors.MalformedResponse, match="neither"):
                parse_page(raw)
        else:
            page = parse_page(raw)
            pages += 1
            records += len(page.records)
            assert page.raw == raw
            assert len(page.records) == len(re.findall(rb"<header[ >/]", raw)), name
            stated = re.findall(r"<header[^>]*>\s*<identifier>\s*(.*?)\s*</identifier>", raw.decode())
            assert [r.identifier for r in page.records if r.identifier] == stated, name
    assert (pages, records) == (39, 10408)


def test_arxiv_records_say_what_the_file_says(data):
    """Of arXiv's own records none is a problem, and title and abstract stand in the file word for word."""
    seen = 0
    for file in sorted((data / "oai").glob("*/*.xml")):
        name = file.relative_to(data / "oai").as_posix()
        if name in ERRORS or name.startswith("sickle_generic") or OTHER_VERBS.search(file.read_bytes()):
            continue
        text = plain(file.read_text())
        for record in parse_page(file.read_bytes()).records:
            if "ListIdentifiers" in text:
                assert record.metadata is None
                assert record.problem is None
                continue
            seen += 1
            paper = record.metadata
            assert paper is not None, (name, record.problem)
            assert record.identifier.endswith(oai_identifier(paper.work_id))
            assert paper.authors
            assert paper.created
            assert paper.licence is None or paper.licence.startswith("http")
            if "\\'" not in text and '\\"' not in text:
                assert paper.title in text, (name, paper.title)
                assert paper.abstract in text, (name, paper.abstract)
    assert seen == 44


def test_ten_thousand_identifiers(data):
    """A real page of 10,000 headers: every identifier parses, to as many works, and back to its name."""
    page = parse_page((data / "oai/genie9_listidentifiers/listidentifiers_cs_1997_2014.xml").read_bytes())
    names = [record.identifier for record in page.records]
    works = [parse(name) for name in names]
    assert len(set(works)) == 10_000
    assert [oai_identifier(work.work_id) for work in works] == names
    assert all(work.version is None for work in works)
    assert (page.resumption_token, page.complete_list_size, page.cursor) == ("1741218|10001", 57115, 0)


def test_the_recorded_arxivraw_record(data):
    """arXivRaw carries the version history; LaTeX names are Unicode, the licence is the stated one."""
    (record,) = parse_page((data / "oai/fatcat/arxivraw_1810.09584.xml").read_bytes()).records
    paper = record.metadata
    assert (paper.work_id, paper.format, paper.newest) == ("1810.09584", "arXivRaw", 2)
    assert paper.authors == ("Raphael Chetrite", "Shamik Gupta", "Izaak Neri", "Édgar Roldán")
    assert [(v.number, v.size, v.source_type) for v in paper.versions] == [
        (1, "401kb", "D"),
        (2, "669kb", "D"),
    ]
    assert paper.versions[1].date.isoformat() == "2019-01-13T11:17:09+00:00"
    assert (str(paper.published), str(paper.updated)) == ("2018-10-22", "2019-01-13")
    assert (paper.doi, paper.journal_ref) == ("10.1209/0295-5075/124/60006", "EPL 124,60006 (2018)")
    assert paper.categories == ("cond-mat.stat-mech", "physics.bio-ph", "physics.data-an")
    assert paper.submitter == "Édgar Roldán"
    assert paper.withdrawn == "no"
    assert record.sets == ("physics:cond-mat", "physics:physics")
    assert r"(in units of $k_{\rm B}T$, with" in paper.abstract


def inspire_records(folder):
    """Yield what INSPIRE's own parser made of arXiv's records, as recorded beside them."""
    for file in sorted(folder.glob("*expected*.json")) + sorted(folder.glob("*_parsed.json")):
        loaded = json.loads(file.read_text())
        for row in loaded if isinstance(loaded, list) else [loaded]:
            yield from row.get("results_data", [row])


def test_agrees_with_inspires_parser(data):
    """Eight records that INSPIRE parsed independently: same fields from the same answers."""
    folder = data / "oai/hepcrawl"
    ours = [r.metadata for file in folder.glob("*.xml") for r in parse_page(file.read_bytes()).records]
    compared = 0
    for theirs in inspire_records(folder):
        (eprint,) = theirs["arxiv_eprints"]
        # Some answers are there twice, with categories that the authors of the test changed.
        paper = next(
            paper
            for paper in ours
            if (paper.work_id, set(paper.categories)) == (eprint["value"], set(eprint["categories"]))
        )
        compared += 1
        assert paper.title == plain(theirs["titles"][0]["title"])
        assert plain(paper.abstract) == plain(theirs["abstracts"][0]["value"])
        assert str(paper.created) == theirs["preprint_date"]
        assert [paper.licence] == [entry["url"] for entry in theirs["license"]]
        assert ([paper.doi] if paper.doi else []) == [entry["value"] for entry in theirs.get("dois", [])]
        numbers = [entry["value"] for entry in theirs.get("report_numbers", [])]
        assert re.split(r"[;,]\s*", paper.report_no or "") == (numbers or [""])
        journals = [entry["pubinfo_freetext"] for entry in theirs.get("publication_info", [])]
        assert ([paper.journal_ref] if paper.journal_ref else []) == journals
        notes = [plain(entry["value"]) for entry in theirs.get("public_notes", [])]
        assert ([paper.comments] if paper.comments else []) == notes

        def letters(name):
            return re.sub(r"[^a-z]", "", name.lower())

        expected = {letters(" ".join(reversed(a["full_name"].split(", ")))) for a in theirs["authors"]}
        assert {letters(name) for name in paper.authors} == expected
    assert compared == 8


def interactions(file):
    """Yield (query, status, headers, body) of a recorded cassette."""
    yaml = pytest.importorskip("yaml", reason="the cassettes are YAML; PyYAML comes with pre-commit")
    loaded = yaml.load(file.read_text(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    for entry in loaded.get("interactions", [loaded]):
        request, response = entry["request"], entry["response"]
        status, body = response["status"], response["body"]
        if isinstance(body, dict):
            body = body["content"].encode()
        yield (
            dict(parse_qsl(urlsplit(request.get("uri") or request["url"]).query)),
            status["code"] if isinstance(status, dict) else status,
            {name.lower(): values[0] for name, values in response["headers"].items()},
            body,
        )


def test_cassettes_of_inspire(loopback, transport, data):
    """Five recorded answers of arXiv are replayed packed as they came, and read whole."""
    works = []
    for file in sorted((data / "oai/inspire_next").glob("*ArxivService*.yaml")):
        ((query, status, headers, body),) = interactions(file)
        assert (status, headers["content-encoding"]) == (200, "gzip")
        loopback.play(loopback.reply(body, Content_Encoding="gzip"))
        client = OAIClient(loopback.url, transport())
        if query["verb"] == "GetRecord":
            works.append(client.get_record(query["identifier"], query["metadataPrefix"]).metadata.work_id)
            continue
        for page in client.list_records(
            from_=date.fromisoformat(query["from"]), until=None, set_=query["set"], metadata_prefix="arXiv"
        ):
            works += [record.metadata.work_id for record in page.records]
    assert len(works) == 5
    assert "1806.05669" in works


def replay(loopback, tape):
    """Answer each query as it was when recorded; the open list stands for windows that were not."""

    def script(handler):
        query = frozenset(parse_qsl(urlsplit(handler.path).query))
        open_list = frozenset(item for item in query if item[0] != "from")
        status, body = tape[query if query in tape else open_list]
        loopback.reply(body, status)(handler)

    return script


def test_cassettes_of_zenodo(loopback, transport, data):
    """Another server's recorded answers, replayed by query: all verbs, errors under 422, real tokens."""
    tape, recorded = {}, 0
    for file in sorted((data / "oai/oaipmh_scythe_zenodo").glob("*.yaml")):
        for query, status, _, body in interactions(file):
            tape[frozenset(query.items())] = (status, body)
            recorded += 1
    assert recorded == 37
    loopback.play(replay(loopback, tape))
    client = OAIClient(loopback.url, transport())

    identity = client.identify()
    assert (identity.name, identity.granularity) == ("Zenodo", "YYYY-MM-DDThh:mm:ssZ")
    assert "oai_dc" in client.list_metadata_formats()
    assert client.list_metadata_formats("oai:zenodo.org:10357859")
    with pytest.raises(errors.IdDoesNotExist):
        client.list_metadata_formats("oai:zenodo.org:XXX")
    with pytest.raises(errors.IdDoesNotExist):
        client.get_record("oai:zenodo.org:XXX", "oai_dc")
    with pytest.raises(errors.BadArgument):
        client.get_record("oai:zenodo.org:10357859", "XXX")
    record = client.get_record("oai:zenodo.org:10357859", "oai_dc")
    assert record.identifier == "oai:zenodo.org:10357859"
    assert "not of arXiv" in record.problem

    april, prefix = date(2026, 4, 1), {"metadata_prefix": "oai_dc"}
    (window,) = islice(client.list_records(from_=april, until=date(2026, 4, 2), **prefix), 1)
    assert (len(window.records), window.complete_list_size) == (50, 6380)
    # The recording keeps 3 records of each page and 3 pages of the list, which says that it has millions.
    pages = client.list_records(from_=date(1970, 1, 1), until=None, **prefix)
    three = list(islice(pages, 3))
    assert [(len(page.records), page.cursor) for page in three] == [(3, 0), (3, 50), (3, None)]
    assert len({record.identifier for page in three for record in page.records}) == 9
    with pytest.raises(errors.MalformedResponse, match="9 of 8,091,628 records arrived"):
        list(pages)
    (empty,) = client.list_records(from_=date(2030, 1, 1), until=None, **prefix)
    assert empty.records == ()

    for query, (status, body) in tape.items():
        verb = dict(query)["verb"]
        if verb in {"ListRecords", "ListIdentifiers"} and status == 200:
            page = parse_page(body)
            assert len(page.records) == body.count(b"</header>")
            assert page.complete_list_size is None or page.complete_list_size >= len(page.records)
        elif verb in {"ListRecords", "ListIdentifiers"} and b"noRecordsMatch" not in body:
            with pytest.raises(errors.OAIError):
                parse_page(body)


def test_a_page_of_html_is_no_repository(loopback, transport, data):
    """The recorded web page that answers Identify with 200 is refused by name."""
    page = next(
        body
        for _, _, headers, body in interactions(data / "oai/oaipmh_scythe_zenodo/identify.yaml")
        if headers["content-type"].startswith("text/html")
    )
    loopback.play(loopback.reply(page, kind="text/html"))
    with pytest.raises(errors.MalformedResponse, match="Httpbun sample"):
        OAIClient(loopback.url, transport()).identify()


def test_recorded_503(loopback, transport, clock, data):
    """arXiv's recorded 503 and the answer that followed it: the pause it asked for, then the records."""
    folder = data / "oai/paperhive_nock"
    busy, whole = sorted(folder.glob("*listrecords*.xml"))
    recorded = {row["file"]: row for row in json.loads((folder / "manifest.json").read_text())}
    raw = recorded[busy.name]["rawHeaders"]
    pause = raw[raw.index("Retry-After") + 1]
    loopback.play(
        loopback.reply(busy.read_bytes(), 503, "text/html", Retry_After=pause),
        loopback.reply(whole.read_bytes()),
    )
    client = OAIClient(loopback.url, transport())
    (page,) = client.list_records(from_=date(2015, 1, 1), until=date(2015, 1, 3), metadata_prefix="arXiv")
    assert clock.slept == [float(pause)] == [10.0]
    assert page.raw == whole.read_bytes()
    assert page.records[0].metadata.work_id == "1412.8544"


def test_what_arxiv_says_of_itself(loopback, transport, data):
    """arXiv's recorded Identify, ListSets and ListMetadataFormats are understood."""
    folder = data / "oai/paperhive_nock"
    client = OAIClient(loopback.url, transport())
    (identify,) = folder.glob("*identify*.xml")
    loopback.play(loopback.reply(identify.read_bytes()))
    identity = client.identify()
    assert (identity.name, identity.granularity) == ("arXiv", "YYYY-MM-DD")
    assert str(identity.earliest_datestamp) == "2007-05-23"
    assert identity.admin_emails == ("help@arxiv.org",)

    (sets,) = folder.glob("*listsets*.xml")
    loopback.play(loopback.reply(sets.read_bytes()))
    specs = [entry.spec for entry in client.list_sets()]
    assert len(specs) == sets.read_text().count("<setSpec>")
    assert {"cs", "physics:hep-th", "stat"} <= set(specs)

    for formats in folder.glob("*listmetadataformats*.xml"):
        loopback.play(loopback.reply(formats.read_bytes()))
        assert set(client.list_metadata_formats()) >= {"oai_dc", "arXiv", "arXivRaw"}
