"""Our own demo papers are deterministic, readable by our own reader, and true."""

from __future__ import annotations

import math
import re

import pytest

from search.demo import studies
from search.demo.collection import collection
from search.demo.papers import NOTICE, own_pdfs, own_records, papers, plain
from search.documents import read_pdf

pytest.importorskip("pymupdf")


@pytest.fixture(scope="module")
def pdfs():
    return own_pdfs()


@pytest.fixture(scope="module")
def read(pdfs):
    return {key: read_pdf(content) for key, content in pdfs.items()}


def text_of(paper) -> str:
    return "\n".join(passage.text for passage in paper.passages)


def manuscript(work_id: str) -> str:
    paper = [paper for paper in papers() if paper.id == work_id][-1]
    rows = [" ".join(row) for block in paper.blocks for row in block.rows]
    return plain("\n".join([paper.abstract, *(block.text for block in paper.blocks), *rows]))


def test_there_are_enough_papers_of_every_kind():
    """At least eight papers, three in two columns, one with two versions; ids that arXiv never issued."""
    newest = {paper.id: paper for paper in papers()}
    assert len(newest) >= 8
    assert sorted(newest) == [f"2401.{99001 + at}" for at in range(len(newest))]
    assert sum(paper.columns == 2 for paper in newest.values()) >= 3
    assert sum(len(paper.dates) > 1 for paper in newest.values()) == 1
    assert {record.id for record in own_records()} == set(newest)
    assert all(record.licence and "not on arXiv" in record.comments for record in own_records())


def test_the_same_bytes_each_time(pdfs):
    """Building the PDFs again gives the same files, so that their checksums say whether one changed."""
    assert own_pdfs() == pdfs
    assert not any(b"/CreationDate" in content or b"/ID" in content for content in pdfs.values())


def test_citations_stay_inside_the_collection():
    """Whatever our papers cite is in the collection or one of them."""
    known = {record.id for record in collection()} | {paper.id for paper in papers()}
    for paper in papers():
        assert set(paper.cited) <= known - {paper.id}
        assert len(paper.cited) >= 3


def test_title_sections_and_references_are_read(read):
    """The reader finds each title, all numbered headings in order, and every cited id."""
    for paper in papers():
        ours = read[paper.key]
        headings = [block.text for block in paper.blocks if block.kind in {"heading", "subheading"}]
        found = [" ".join(filter(None, (s.number, s.title))) for s in ours.sections if s.title != "Abstract"]
        assert ours.title == paper.title
        assert found == headings, paper.key
        assert tuple(reference.arxiv_id for reference in ours.references) == paper.cited


def test_raised_and_lowered_runs_are_read(read):
    """Exponents keep their mark: 10^4 is not 104; indices too."""
    text = text_of(read["2401.99002v1"])
    assert "0.0167 with 10^4 samples" in text
    assert "n^{\u22121/2}" in text
    assert re.search(r"x_\{?i\}?", text)
    assert "8.5 \u00d7 10^{\u22126}" in text_of(read["2401.99007v1"])
    assert "104" not in text


def test_heads_feet_and_notices_are_dropped(read):
    """Running heads, page numbers and the notice are on every page and in no passage."""
    for paper in papers():
        text = text_of(read[paper.key])
        assert NOTICE not in text
        assert "The Citewell authors" not in text
        assert read[paper.key].quality.pages >= 2


def test_two_columns_are_read_in_order(read):
    """In a two-column paper every paragraph comes after the ones that stand before it."""
    for paper in papers():
        if paper.columns == 2:
            text = text_of(read[paper.key])
            starts = [plain(block.text)[:24] for block in paper.blocks if block.kind == "paragraph"]
            plain_starts = [start for start in starts if not re.search(r"[\^_{}]", start)]
            positions = [text.find(start) for start in plain_starts]
            assert -1 not in positions, (paper.key, plain_starts[positions.index(-1)])
            assert positions == sorted(positions), paper.key


def test_captions_are_read(read):
    """Tables and figures have their captions, as captions."""
    captions = [passage.text for passage in read["2401.99002v1"].passages if passage.kind == "caption"]
    assert [caption.split(":")[0] for caption in captions] == ["Table 1", "Figure 1"]


def test_the_second_version_changes_its_numbers(read):
    """Version 2 of the first paper counts anew; neither version states the other's number."""
    first, second = text_of(read["2401.99001v1"]), text_of(read["2401.99001v2"])
    assert "3.15 colliding pairs" in first
    assert "2.97 colliding pairs" in second
    assert "3.15" not in second
    assert "2.97" not in first


def test_stated_numbers_hashes():
    """The collision and Bloom filter papers state what their experiments give."""
    counts = studies.colliding_pairs(10_000, 20)
    assert counts == {20: 50.8, 24: 3.15, 28: 0.2}
    assert round(studies.expected_pairs(10_000, 24), 2) == 2.98
    assert round(studies.expected_pairs(200_000, 32), 2) == 4.66
    assert round(math.sqrt(2 * math.log(2)) * 2**16) == 77_163
    text = manuscript("2401.99001")
    assert all(number in text for number in ("2.98", "4.66", "77,163", "0.0116"))
    measured = studies.bloom_false_positives(10_000, 10, 7, 200_000)
    assert f"{measured:.2%}".replace("%", " %") in manuscript("2401.99008")


def test_stated_numbers_walks():
    """The random walk paper's table is what exact enumeration gives."""
    text = manuscript("2401.99006")
    for steps in (2, 10, 50, 100, 200):
        for dimension in (1, 2, 3):
            value = studies.lattice_return(dimension, steps)
            digits = max(4, 2 - math.floor(math.log10(value)))
            assert f"{value:.{digits}f}" in text, (steps, dimension)
    assert f"{studies.returning_share(100_000, 10):.1%}".replace("%", " %") in text


def test_stated_numbers_sums_and_pools():
    """The summation and pooling papers state what their experiments give."""
    errors = studies.summation_errors(10_000)
    text = manuscript("2401.99007")
    for error in errors.values():
        mantissa, exponent = f"{error:.1e}".split("e")
        assert f"{mantissa} \u00d7 10^\u2212{-int(exponent)}" in text
    text = manuscript("2401.99010")
    for prevalence in (0.001, 0.01, 0.05, 0.1):
        pool = studies.best_pool(prevalence)
        row = f"{prevalence * 100:g} % {pool} {studies.tests_per_person(prevalence, pool):.4f} "
        assert row + f"{studies.simulated_tests(prevalence, pool):.4f}" in text


def test_stated_numbers_rankings_and_graphs():
    """The two fusion papers, which disagree, and the graph paper state what their experiments give."""
    for heavy, work_id in ((False, "2401.99004"), (True, "2401.99005")):
        values = studies.fusion(heavy_tail=heavy)
        text = manuscript(work_id)
        assert all(f"{value:.3f}" in text for value in values.values())
        assert (values["min-max"] > values["reciprocal rank"]) is not heavy
    text = manuscript("2401.99003")
    for b in (0.0, 0.4, 0.75, 1.0):
        values = studies.length_bias(b)
        assert f"{b:g} {values['precision']:.3f} {values['long']:.2f}" in text
    text = manuscript("2401.99009")
    for preferential in (False, True):
        values = studies.neighbourhoods(5000, 4, preferential=preferential)
        assert f"{values['mean two']:.1f}" in text
        assert f"{values['mean square one']:.1f}" in text
        assert str(values["largest two"]) in text


def test_stated_numbers_pi():
    """The Monte Carlo paper states the errors that its experiment gives."""
    text = manuscript("2401.99002")
    for power, digits in ((2, 3), (3, 4), (4, 4), (5, 5)):
        assert f"{studies.pi_errors(10**power, 200):.{digits}f}" in text
