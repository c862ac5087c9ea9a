"""The starter collection holds facts with their sources, and words of our own only."""

from __future__ import annotations

import json
import re
import tarfile
import unicodedata
from datetime import UTC

import pytest
from lxml import etree

from search.arxiv.identifiers import parse
from search.demo.collection import collection
from search.models import SUMMARY_PREFIX


@pytest.fixture(scope="module")
def records():
    return collection()


def words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", unicodedata.normalize("NFKD", text.lower()))


def grams(text: str, size: int) -> set[tuple[str, ...]]:
    parts = words(text)
    return {tuple(parts[at : at + size]) for at in range(len(parts) - size + 1)}


@pytest.fixture(scope="module")
def facts(data):
    """What the data sets say: id to title, authors, abstract, categories and version dates."""
    found: dict[str, dict[str, object]] = {}
    for line in (data / "corpus/arxiv_browse_abs/abs.jsonl").read_text().splitlines():
        row = json.loads(line)
        found[row["id"]] = {
            "title": row["Title"], "authors": row["Authors"], "abstract": row["abstract"],
            "categories": row["Categories"], "versions": row["n_versions"], "doi": row.get("DOI", ""),
        }  # fmt: skip
    for line in (data / "corpus/unarxive_sample/arXiv_src_2212_086.jsonl").read_text().splitlines():
        row = json.loads(line)["metadata"]
        found[row["id"]] = {
            **{name: " ".join(row[name].split()) for name in ("title", "authors", "abstract", "categories")},
            "versions": len(row["versions"]), "doi": row["doi"] or "",
        }  # fmt: skip
    space = {"a": "http://www.w3.org/2005/Atom"}
    for path in sorted((data / "atom/arxiv_py").glob("*.xml")):
        for entry in etree.parse(path).iterfind(".//a:entry", space):
            match = re.fullmatch(r"http.*/abs/(.+)v(\d+)", entry.findtext("a:id", namespaces=space))
            if match:
                found.setdefault(match[1], {
                    "title": " ".join(entry.findtext("a:title", namespaces=space).split()),
                    "abstract": entry.findtext("a:summary", namespaces=space),
                    "versions": int(match[2]),
                })  # fmt: skip
    return found


def test_size_fields_and_variety(records):
    """At least 120 papers over at least six fields, with old ids, withdrawn papers and several versions."""
    assert len(records) >= 120
    archives = [record.categories.split()[0].split(".")[0] for record in records]
    assert len({archive for archive in archives if archives.count(archive) >= 4}) >= 6
    assert sum("/" in record.id for record in records) >= 8
    assert sum(len(record.versions) > 1 for record in records) >= 20
    assert sum(record.versions[-1].source_type == "I" for record in records) >= 3


def test_ids_are_real_ids_and_unique(records):
    """Every id is an arXiv identifier in its plain form, and stands once."""
    assert [parse(record.id).work_id for record in records] == [record.id for record in records]
    assert len({record.id for record in records}) == len(records)


def test_every_record_is_whole_and_sourced(records):
    """Title, authors, categories, dates and the source of the facts are there; dates only go forward."""
    for record in records:
        assert record.title
        assert record.authors
        assert record.categories
        days = [version.date for version in record.versions]
        assert days == sorted(days)
        assert all(day.tzinfo == UTC for day in days)
        assert re.match(r"(corpus|atom)/\w+ \(.+\): \S+", record.source)


def test_summaries_say_that_they_are_summaries(records):
    """What stands in place of the abstract begins by saying that it is none."""
    for record in records:
        assert record.abstract.startswith(SUMMARY_PREFIX)
        assert 5 <= len(words(record.abstract.removeprefix(SUMMARY_PREFIX))) <= 60


def test_no_words_of_the_authors_abstracts(records, facts):
    """No summary shares six words in a row with the abstract that it stands for."""
    for record in records:
        shared = grams(record.abstract.removeprefix(SUMMARY_PREFIX), 6) & grams(
            facts[record.id]["abstract"], 6
        )
        assert not shared, (record.id, shared)


def test_facts_are_those_of_the_data(records, facts):
    """Title, number of versions, categories and DOI are the data's."""
    for record in records:
        fact = facts[record.id]
        assert words(record.title) == words(fact["title"]), record.id
        assert len(record.versions) == fact["versions"]
        for name in ("categories", "doi"):
            assert getattr(record, name) == fact.get(name, getattr(record, name))


def test_version_dates_are_those_of_the_abs_files(records, data):
    """Dates of versions are the ones in arXiv's own files."""
    prefix = "corpus/arxiv_browse_abs (test data of arXiv/arxiv-browse): "
    with tarfile.open(data / "corpus/arxiv_browse_abs/raw_abs.tar.gz") as archive:
        for record in records:
            if record.source.startswith(prefix):
                raw = (
                    archive.extractfile(record.source.removeprefix(prefix)).read().decode("utf-8", "replace")
                )
                for version in record.versions:
                    assert version.date.strftime("%b %Y %H:%M:%S") in raw
                    assert version.size in raw
