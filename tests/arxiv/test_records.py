"""Metadata of 1,130 real abs records, written as arXivRaw and read back; and what withdrawn means."""

from __future__ import annotations

import json
import re
import tarfile
import unicodedata
from datetime import UTC
from email.utils import parsedate_to_datetime
from xml.sax.saxutils import escape

import pytest

from search.arxiv.oai import parse_page
from search.arxiv.records import ArxivRecord, withdrawn
from search.models import Version

#: Header lines of an abs file that are fields of arXivRaw.
FIELDS = {
    "Title": "title",
    "Authors": "authors",
    "Categories": "categories",
    "Comments": "comments",
    "Proxy": "proxy",
    "Report-no": "report-no",
    "ACM-class": "acm-class",
    "MSC-class": "msc-class",
    "Journal-ref": "journal-ref",
    "DOI": "doi",
    "License": "license",
}
DATE = re.compile(r"^Date(?: \(revised v(\d+)\))?: +(.+?) +\((\d+kb),?(\w*)\)$", re.MULTILINE)
TEX = re.compile(r"\\|~")


def history(text):
    """Return (number, date, size, letters) of each version that an abs file lists."""
    head = text.split("\nTitle:")[0]
    return [(int(n or 1), when, size, letters or None) for n, when, size, letters in DATE.findall(head)]


def as_arxivraw(row, versions):
    """Write an abs record as the OAI-PMH server would."""
    lines = [
        f'<version version="v{number}"><date>{when}</date><size>{size}</size>'
        + (f"<source_type>{letters}</source_type>" if letters else "")
        + "</version>"
        for number, when, size, letters in versions
    ]
    lines += [f"<{tag}>{escape(row[name])}</{tag}>" for name, tag in FIELDS.items() if name in row]
    return (
        f"<record><header><identifier>oai:arXiv.org:{row['id']}</identifier><datestamp>2026-11-20</datestamp>"
        '</header><metadata><arXivRaw xmlns="http://arxiv.org/OAI/arXivRaw/">'
        f"<id>{row['id']}</id>{''.join(lines)}<abstract>  {escape(row['abstract'])}\n</abstract>"
        "</arXivRaw></metadata></record>"
    )


@pytest.fixture(scope="module")
def abs_records(data):
    """Return (row, versions, record) for all abs records; the rows are an independent parse of the files."""
    folder = data / "corpus/arxiv_browse_abs"
    rows = [json.loads(line) for line in (folder / "abs.jsonl").read_text().splitlines()]
    with tarfile.open(folder / "raw_abs.tar.gz") as archive:
        files = {
            member.name.removeprefix("./"): archive.extractfile(member).read().decode("latin-1")
            for member in archive.getmembers()
            if member.isfile()
        }
    versions = [history(files[row["path"].removeprefix("tests/data/abs_files/")]) for row in rows]
    body = "".join(as_arxivraw(row, seen) for row, seen in zip(rows, versions, strict=True))
    page = parse_page(
        '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">'
        "<responseDate>2026-11-21T00:00:00Z</responseDate>"
        f"<ListRecords>{body}</ListRecords></OAI-PMH>".encode()
    )
    assert [record.problem for record in page.records if record.problem] == []
    return list(zip(rows, versions, (record.metadata for record in page.records), strict=True))


def one_line(text):
    return unicodedata.normalize("NFC", " ".join(text.split()))


def test_plain_fields_come_back_as_they_are(abs_records):
    """Title, abstract, comments, journal reference: word for word, where no TeX accent is in them."""
    assert len(abs_records) == 1130
    compared = 0
    for row, _, record in abs_records:
        assert record.work_id == row["id"]
        for name, value in (
            ("Title", record.title),
            ("abstract", record.abstract),
            ("Comments", record.comments),
            ("Journal-ref", record.journal_ref),
            ("Report-no", record.report_no),
        ):
            if not row.get(name, "").strip():
                assert not value
            elif not TEX.search(row[name]):
                compared += 1
                assert value == one_line(row[name]), (row["id"], name)
    assert compared == 3576


def letters(text):
    """Return the base letters of text, TeX's and Unicode's accents taken off."""
    text = (
        re.sub(r"\\(?:[uvHckrdb](?![A-Za-z])|['`^\"~=.])\s*", "", text)
        .replace("\\i", "i")
        .replace("\\j", "j")
    )
    text = re.sub(r"\\([&%#_])", r"\1", text)
    decomposed = unicodedata.normalize("NFKD", text.replace("\u0131", "i"))
    return re.sub(r"[{}\s~\\]", "", "".join(c for c in decomposed if not unicodedata.combining(c)))


def test_accents_lose_no_letter(abs_records):
    """Where TeX accents are, the letters under them are the same ones, and no accent command is left."""
    special = re.compile(r"\\(?:ss|o|O|l|L|ae|AE|oe|OE|aa|AA|dh|DH|dj|DJ|th|TH|ng|NG)(?![A-Za-z])|\$")
    compared = 0
    for row, _, record in abs_records:
        for source, value in ((row["Title"], record.title), (row["abstract"], record.abstract)):
            if not TEX.search(source) or special.search(source):
                continue
            compared += 1
            assert letters(value) == letters(source), row["id"]
            assert not re.search(r"\\['`\"]\{?[A-Za-z]", value), (row["id"], value)
    assert compared == 132


def test_formulas_stay(abs_records):
    """What stands between dollar signs is not touched."""
    formula = re.compile(r"\$[^$]+\$")
    seen = 0
    for row, _, record in abs_records:
        if row["abstract"].count("$") % 2 == 0 and "$$" not in row["abstract"]:
            source = [one_line(found) for found in formula.findall(row["abstract"])]
            assert formula.findall(record.abstract) == source, row["id"]
            seen += len(source)
    assert seen == 1329


def test_categories_licence_and_doi(abs_records):
    """Categories keep their order, the licence its URL; of several DOIs the first counts."""
    for row, _, record in abs_records:
        assert list(record.categories) == row["Categories"].split()
        assert record.licence == row.get("License")
        assert record.doi == (row["DOI"].split()[0].rstrip(",;") if "DOI" in row else None)
    assert sum(record.doi is not None for *_, record in abs_records) == 647
    assert sum(record.licence is not None for *_, record in abs_records) == 105


def test_versions(abs_records):
    """All versions are there with date, size and letters; first and newest date the paper."""
    total = 0
    for row, versions, record in abs_records:
        assert record.newest == row["n_versions"] == len(record.versions)
        total += record.newest
        for version, (number, when, size, source_type) in zip(record.versions, versions, strict=True):
            assert (version.number, version.size, version.source_type) == (number, size, source_type)
            assert version.date == parsedate_to_datetime(when).astimezone(UTC)
        assert record.created == record.published == record.versions[0].date.date()
        assert record.updated == record.versions[-1].date.date()
    assert total > 1130


def test_authors(abs_records):
    """Lines of commas and "and" alone split there; no name of any line carries an affiliation or a number."""
    simple = names = 0
    for row, _, record in abs_records:
        line = row["Authors"]
        assert record.authors, line
        names += len(record.authors)
        for name in record.authors:
            assert not re.search(r"[\\{}\d$:]| and |\bet al", name.replace("D0", "").replace("B10", "")) or (
                "ALADiN2000" in name or "D-1" in name
            ), (row["id"], name)
            assert "(" not in name or name == "Zhe (Rita) Liang"
        if not re.search(r"[\\(:;&{~]|\bet al|\bfor the\b|\b[JS]r\b|\bI{2,3}\b|\bIV\b|\bthe\b", line):
            simple += 1
            assert list(record.authors) == [
                one_line(name) for name in re.split(r",\s*(?:and\s+)?|\s+and\s+", line) if name.strip()
            ], row["id"]
    assert simple == 893
    assert names > 4000


def test_withdrawn_papers_are_recognised(abs_records):
    """The ten records whose newest version is empty are withdrawn, and no other one is even suspected."""
    expected = {row["id"] for row, versions, _ in abs_records if "I" in (versions[-1][3] or "")}
    assert {record.work_id for *_, record in abs_records if record.withdrawn == "yes"} == expected
    assert len(expected) == 10
    assert {record.work_id for *_, record in abs_records if record.withdrawn == "suspected"} == set()
    # This paper's second and third version were withdrawn, its fourth is there.
    revived = next(record for *_, record in abs_records if record.work_id == "physics/9707012")
    assert [version.source_type for version in revived.versions] == [None, "I", "I", None]
    assert revived.withdrawn == "no"


def test_words_alone_make_them_suspected(abs_records):
    """Without the version history, words alone tell all ten withdrawn papers, and none of the others."""
    gone = [record for *_, record in abs_records if record.withdrawn == "yes"]
    words = [
        record.work_id for record in gone if withdrawn(record.model_copy(update={"versions": ()})) != "no"
    ]
    assert len(words) == 10
    others = [record for *_, record in abs_records if record.withdrawn == "no"]
    assert [r.work_id for r in others if withdrawn(r.model_copy(update={"versions": ()})) != "no"] == []


@pytest.mark.parametrize(
    ("comments", "abstract", "expected"),
    [
        ("This paper has been withdrawn by the author due to an error in Lemma 8", "", "suspected"),
        ("Withdrawn", "", "suspected"),
        ("Temporarily withdrawn, pending review", "", "suspected"),
        ("paper withdrawn by author", "", "suspected"),
        ("12 pages. Article retracted.", "", "suspected"),
        (None, "This article has been withdrawn because it was merged with another one.", "suspected"),
        (None, "The authors have withdrawn this paper.", "suspected"),
        (None, "We wish to withdraw this manuscript, as its proof fails.", "suspected"),
        (None, "The drug was withdrawn from the market; consent was withdrawn by 3 patients.", "no"),
        (None, "We study when agents withdraw the money that they deposited.", "no"),
        (None, "Water withdrawn from the aquifer is measured.", "no"),
        (None, "A method to find papers that cite withdrawn work.", "no"),
        ("12 pages, accepted", "Words.", "no"),
        (None, "", "no"),
    ],
)
def test_what_words_say(comments, abstract, expected):
    """A comment or abstract that says the paper is withdrawn makes it suspected; other uses do not."""
    record = ArxivRecord(
        work_id="2401.00001", format="arXiv", title="T", abstract=abstract, comments=comments
    )
    assert withdrawn(record) == record.withdrawn == expected


def test_the_newest_version_decides():
    """Versions in any order: the highest number decides, whatever letters stand beside the I."""
    live, gone = Version(number=2, source_type="D"), Version(number=3, source_type="SI")
    record = ArxivRecord(work_id="2401.00001", format="arXivRaw", title="T", versions=(gone, live))
    assert (record.newest, record.withdrawn) == (3, "yes")
    assert withdrawn(record.model_copy(update={"versions": (gone, Version(number=4))})) == "no"
    assert ArxivRecord(work_id="2401.00001", format="arXiv", title="T").newest == 1
