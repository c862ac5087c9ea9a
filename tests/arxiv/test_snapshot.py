"""arXiv's metadata snapshot, line by line, and the file it stands in."""

from __future__ import annotations

import gzip
import json
import zipfile

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.arxiv import snapshot
from search.arxiv.records import ArxivRecord
from search.arxiv.snapshot import fingerprint, lines, read_record
from search.errors import BadIdentifier, CitewellError, MalformedResponse, UsageError

ENTRY = {
    "id": "0704.0001",
    "submitter": "C. Bal\\'azs",
    "authors": "C. Bal\\'azs, E. L. Berger, Jr.",
    "title": "Prompt diphotons at\n  hadron colliders",
    "comments": "37 pages; J.~Phys style",
    "journal-ref": "Phys.Rev.D76:013009,2007",
    "doi": "10.1103/PhysRevD.76.013009, 10.1000/x",
    "report-no": "ANL-HEP-PR-07-12",
    "categories": "hep-ph math.CO",
    "license": None,
    "abstract": "  A fully differential calculation\nof $\\alpha_s$ effects.\n",
    "versions": [
        {"version": "v2", "created": "Tue, 24 Jul 2007 20:10:27 GMT"},
        {"version": "v1", "created": "Mon, 2 Apr 2007 19:18:42 GMT"},
    ],
    "update_date": "2008-11-26",
    "authors_parsed": [["Balázs", "C.", ""], ["Berger", "E. L.", "Jr."], [":", "", ""]],
}


def line(**changes):
    return orjson.dumps(ENTRY | changes)


def test_all_fields_of_a_line():
    """Every field arrives where the other formats put it: accents, wrapped lines, history in order."""
    found = read_record(line())
    assert (found.work_id, found.version, found.datestamp) == ("0704.0001", 2, "2008-11-26")
    record = ArxivRecord.model_validate(found.record)
    assert record.title == "Prompt diphotons at hadron colliders"
    assert record.abstract == "A fully differential calculation of $\\alpha_s$ effects."
    assert record.authors == ("C. Balázs", "E. L. Berger Jr.")
    assert record.categories == ("hep-ph", "math.CO")
    assert [v.number for v in record.versions] == [1, 2]
    assert record.versions[0].date.isoformat() == "2007-04-02T19:18:42+00:00"
    assert (str(record.created), str(record.updated)) == ("2007-04-02", "2007-07-24")
    assert (record.doi, record.licence) == ("10.1103/PhysRevD.76.013009", None)
    assert (record.submitter, record.comments) == ("C. Balázs", "37 pages; J. Phys style")


def test_old_identifiers():
    """Identifiers of before 2007 keep their archive; a subject class in one is no part of it."""
    assert read_record(line(id="math.GT/0309136")).work_id == "math/0309136"


def test_records_are_what_the_model_makes(data):
    """The model accepts every record of the real sample, and would write it in just that form."""
    with (data / "corpus/unarxive_sample/arXiv_src_2212_086.jsonl").open() as file:
        entries = [json.loads(row)["metadata"] for row in file]
    assert len(entries) == 49
    for entry in entries:
        found = read_record(orjson.dumps(entry))
        assert ArxivRecord.model_validate(found.record).model_dump(mode="json") == found.record


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.text(max_size=8)
    | st.sampled_from(["v1", "cs.CL", "0704.0001"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["version", "created"]), inner)
    ),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(sorted(ENTRY)), ANYTHING, max_size=4))
def test_hostile_lines_are_read_or_refused(changes):
    """Whatever stands in a field: the model accepts the record unchanged, or the line is refused."""
    try:
        found = read_record(line(**changes))
    except CitewellError:
        return
    assert ArxivRecord.model_validate(found.record).model_dump(mode="json") == found.record


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "no JSON"),
        (b"{", "no JSON"),
        (b"[]", "no JSON object"),
        (b"\xff\xfe", "no JSON"),
        (line(title=" \n "), "no title"),
        (line(title=3), "title is no text"),
        (line(versions="v1"), "versions is no list"),
        (line(versions=[{"created": "x"}]), "no object with a version"),
        (line(versions=[{"version": "v0"}]), "numbered 'v0'"),
        (line(authors_parsed=[["a"]]), "authors_parsed"),
        (line(authors_parsed=[{}]), "authors_parsed"),
        (line(update_date="soon"), "update_date"),
    ],
)
def test_lines_that_are_no_records(content, why):
    """A line that cannot be read says what is wrong with it."""
    with pytest.raises(MalformedResponse, match=why):
        read_record(content)


def test_an_identifier_of_nothing():
    """A line under a name that is none of arXiv's is refused by that name."""
    with pytest.raises(BadIdentifier):
        read_record(line(id="not an id"))


# ------------------------------------------------------------------ the file
@pytest.fixture
def packed(tmp_path):
    """The same three lines plain, in gzip and in a zip."""
    content = b"".join(line(id=f"0704.000{n}") + b"\n" for n in (1, 2, 3))
    (tmp_path / "plain").write_bytes(content)
    (tmp_path / "gz").write_bytes(gzip.compress(content))
    with zipfile.ZipFile(tmp_path / "zip", "w") as archive:
        archive.writestr("arxiv-metadata-oai-snapshot.json", content)
    return tmp_path


@pytest.mark.parametrize("name", ["plain", "gz", "zip"])
def test_a_file_is_read_from_anywhere(packed, name):
    """Packed or not, the lines are the same, and reading can begin after any of them."""
    whole = list(lines(packed / name))
    assert [entry.number for entry in whole] == [1, 2, 3]
    assert [read_record(entry.content).work_id for entry in whole] == ["0704.0001", "0704.0002", "0704.0003"]
    assert list(lines(packed / name, start=whole[0].end, after=1)) == whole[1:]


@pytest.mark.parametrize("name", ["gz", "zip"])
def test_a_packed_file_that_breaks_off(packed, name):
    """A download that was cut off is named; a file that is only damaged inside, too."""
    content = (packed / name).read_bytes()
    (packed / "cut").write_bytes(content[: len(content) // 2])
    with pytest.raises(MalformedResponse, match="cut"):
        list(lines(packed / "cut"))


def test_a_zip_of_several_files(tmp_path):
    """Of a zip with more than one file nobody knows which is meant."""
    with zipfile.ZipFile(tmp_path / "two", "w") as archive:
        archive.writestr("a", "")
        archive.writestr("b", "")
    with pytest.raises(UsageError, match="2 files"):
        list(lines(tmp_path / "two"))


def test_a_line_without_end_is_skipped(tmp_path, monkeypatch):
    """A line longer than any record is passed over without being held in memory."""
    monkeypatch.setattr(snapshot, "LONGEST_LINE", 1000)
    (tmp_path / "x").write_bytes(b"a" * 3500 + b"\n" + b"{}\n" + b"b" * 1000 + b"\n" + b"c" * 2500)
    found = list(lines(tmp_path / "x"))
    assert [entry.content for entry in found] == [None, b"{}\n", b"b" * 1000 + b"\n", None]
    assert found[-1].end == (tmp_path / "x").stat().st_size


def test_files_are_told_apart(tmp_path):
    """Two files differ by size, beginning or end; a copy is the same."""
    (tmp_path / "a").write_bytes(b"one\ntwo\n")
    (tmp_path / "b").write_bytes(b"one\ntwo\n")
    (tmp_path / "c").write_bytes(b"one\ntwO\n")
    assert fingerprint(tmp_path / "a") == fingerprint(tmp_path / "b") != fingerprint(tmp_path / "c")
