"""Identifiers in every historical form, and what looks like one and is none."""

from __future__ import annotations

import json
import re
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.arxiv.identifiers import (
    OLD_ARCHIVES,
    Identifier,
    abs_url,
    find_all,
    first_month,
    is_demo,
    oai_identifier,
    parse,
    pdf_url,
)
from search.errors import BadIdentifier


@pytest.mark.parametrize(
    ("text", "work_id", "version"),
    [
        ("0704.0001", "0704.0001", None),
        ("1412.9999v12", "1412.9999", 12),
        ("1501.00001", "1501.00001", None),
        ("2401.00001v2", "2401.00001", 2),
        (" arXiv:2401.00001 \n", "2401.00001", None),
        ("arxiv: 2401.00001v1", "2401.00001", 1),
        ("arXiv:2401.00001v2 [cs.CL] 3 Jan 2024", "2401.00001", 2),
        ("hep-th/9901001", "hep-th/9901001", None),
        ("HEP-TH/9901001v3", "hep-th/9901001", 3),
        ("arXiv:math.GT/0309136v1", "math/0309136", 1),
        ("cond-mat.mes-hall/0309136", "cond-mat/0309136", None),
        ("cs/0703999", "cs/0703999", None),
        ("https://arxiv.org/abs/2401.00001v2", "2401.00001", 2),
        ("http://www.arxiv.org/pdf/2401.00001v2.pdf", "2401.00001", 2),
        ("arxiv.org/abs/math.GT/0309136", "math/0309136", None),
        ("https://arxiv.org/abs/math%2F0309136", "math/0309136", None),
        ("https://export.arxiv.org/abs/hep-th/9901001?context=hep#top", "hep-th/9901001", None),
        ("https://arxiv.org/html/2401.00001v1/", "2401.00001", 1),
        ("https://arxiv.org/pdf/2401.00001#page=3", "2401.00001", None),
        ("oai:arXiv.org:cs/0112017", "cs/0112017", None),
        ("ftarxivpreprints:oai:arXiv.org:1112.6130", None, None),
        ("10.48550/arXiv.2401.00001", "2401.00001", None),
        ("doi:10.48550/ARXIV.hep-th/9901001", "hep-th/9901001", None),
        ("https://doi.org/10.48550/arXiv.2401.00001v1", "2401.00001", 1),
        ("２４０１．００００１", "2401.00001", None),  # noqa: RUF001 - full-width digits, as pasted from a CJK page
    ],
)
def test_every_form(text, work_id, version):
    """Each form that arXiv, browsers and papers write means one work and, where named, one version."""
    if work_id is None:
        with pytest.raises(BadIdentifier):
            parse(text)
    else:
        assert parse(text) == Identifier(work_id, version)


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("", "write it like"),
        ("abc", "write it like"),
        ("2413.00001", "13 is none"),
        ("0700.0001", "00 is none"),
        ("0703.0001", "begin with April 2007"),
        ("0808.05394", "4 digits"),
        ("1501.0001", "5 digits"),
        ("2401.0001", "5 digits"),
        ("2401.00000", "begin at 1"),
        ("2401.00001v0", "write it like"),
        ("hep-xx/9901001", "never was an archive"),
        ("hep-th/9913001", "13 is none"),
        ("hep-th/0704001", "April 2007"),
        ("hep-th/990100", "write it like"),
        ("2401.000011", "write it like"),
        ("https://example.org/abs/2401.00001", "write it like"),
        ("https://arxiv.org/abs/2401.00001/../../etc/passwd", "write it like"),
        ("2401.00001; rm -rf", "write it like"),
        ("2401.00001\x00", "write it like"),
    ],
)
def test_what_is_none(text, advice):
    """What arXiv cannot have issued is refused, with what is wrong where that can be told."""
    with pytest.raises(BadIdentifier) as caught:
        parse(text)
    assert advice in caught.value.advice


@given(st.text(max_size=60))
def test_any_text_parses_or_is_refused(text):
    """No text at all makes the parser fail otherwise, and what it accepts is its own canonical form."""
    try:
        found = parse(text)
    except BadIdentifier:
        return
    assert parse(str(found)) == found


@given(
    st.one_of(
        st.builds(
            lambda y, m, n: f"{y:02}{m:02}.{n:05}",
            st.integers(15, 99),
            st.integers(1, 12),
            st.integers(1, 99999),
        ),
        st.builds(
            lambda a, y, m, n: f"{a}/{y:02}{m:02}{n:03}",
            st.sampled_from(sorted(OLD_ARCHIVES)),
            st.sampled_from([*range(91, 100), *range(7)]),
            st.integers(1, 12),
            st.integers(1, 999),
        ),
    ),
    st.one_of(st.none(), st.integers(1, 99)),
)
def test_forms_are_one(work_id, version):
    """Every way of writing an identifier comes back to it."""
    identifier = Identifier(work_id, version)
    assert parse(oai_identifier(work_id)).work_id == work_id
    for text in (str(identifier), f"arXiv:{identifier}", pdf_url("https://arxiv.org/pdf", work_id, version)):
        assert parse(text) == identifier
    assert find_all(f"A. Author, Phys. Rev. 12 (2001) 345, arXiv:{identifier}.") == [identifier]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("J. Devlin et al. arXiv:1810.04805, 2018.", ["1810.04805"]),
        ("CoRR, abs/1706.03762, 2017", ["1706.03762"]),
        ("arXiv preprint arXiv:1412.6980 (2014)", ["1412.6980"]),
        ("In arXiv e-prints, page arXiv:1907.11692, Jul 2019", ["1907.11692"]),
        ("arXiv, 2019. https://arxiv.org/abs/1706.03762v5.", ["1706.03762v5"]),
        ("doi:10.48550/arXiv.2302.13971", ["2302.13971"]),
        ("Phys. Rev. D 85, 1204.5432 [hep-th]", ["1204.5432"]),
        ("2 (1998) 231 [hep-th/9711200], [arXiv:hep-th/9711200v3]", ["hep-th/9711200v3"]),
        ("Foo, math.GT/0309136, and cond-mat/0309136v2;", ["math/0309136", "cond-mat/0309136v2"]),
        ("arXiv:1706. 03762", ["1706.03762"]),
        ("see hep- th/9711200.", ["hep-th/9711200"]),
        ("ar X iv:2401.01234", ["2401.01234"]),
        ("2401.01234v2", ["2401.01234v2"]),
        ("JHEP 01 (2018) 044 [1708.03528v4].", ["1708.03528v4"]),
        ("Phys. Rev. D 83 (2011) 071501 [ 1009.2714 ].", ["1009.2714"]),
        ("Nature 567, 76 (2019), 1812.09815 .", ["1812.09815"]),
        ("small quantum computers (2022), 2203.13739.", ["2203.13739"]),
        ("floer homology. arxiv.org/2009.09627, 2020.", ["2009.09627"]),
        ("[Los-Alamos Archives -quant-ph/0406195]", ["quant-ph/0406195"]),
        ("Adaptive 10.48550/ARXIV.QUANT-PH/0205133 (2002).", ["quant-ph/0205133"]),
        ("doi:10.1109/VISUAL.2005.1532772.", []),
        ("doi: 10.1111/j.1365-2966.2004.08585.x", []),
        ("doi:10.1109/VIS47514.2020.00011.", []),
        ("J. Chem. 7, 1201.5678, 2012", []),
        ("EPJ Web Conf. 245 (2020) 08011. doi:10.1051/epjconf/202024508011.", []),
        ("https://example.com/posts/1977308282496021", []),
        ("it costs 1234.5678 USD", []),
        ("ISSN 1201.5678, arXiv", []),
        ("J. Phys. 1204.5432 [see there]", []),
        ("http://www.example.com/physics/0112017", []),
        ("page 12/0112017", []),
        ("arXiv:1706.037621", []),
        ("arXiv:1713.03762", []),
        ("arXiv:1810.04805.12", []),
        ("bioRxiv 2020.01234", []),
        ("", []),
    ],
)
def test_identifiers_in_references(text, found):
    """In running text a number counts only with a sign that it is arXiv's."""
    assert [str(identifier) for identifier in find_all(text)] == found


@pytest.mark.parametrize(
    ("work_id", "demo"),
    [
        ("2401.99001", True),
        ("2401.99999", True),
        ("2401.99000", False),
        ("2402.99001", False),
        ("cs/0112017", False),
    ],
)
def test_the_demos_own_papers(work_id, demo):
    """Numbers that arXiv never issued are the demo's, and have no address at arXiv."""
    assert is_demo(work_id) is demo
    assert (abs_url(work_id) is None) is demo


def test_addresses():
    """Addresses name the version where one is asked for."""
    assert abs_url("math/0309136") == "https://arxiv.org/abs/math/0309136"
    assert abs_url("2401.00001", 3) == "https://arxiv.org/abs/2401.00001v3"
    assert pdf_url("http://127.0.0.1:1/pdf/", "2401.00001", None) == "http://127.0.0.1:1/pdf/2401.00001"


@pytest.mark.parametrize(
    ("work_id", "month"),
    [
        ("hep-th/9108002", date(1991, 8, 1)),
        ("cs/0006008", date(2000, 6, 1)),
        ("2401.00001", date(2024, 1, 1)),
    ],
)
def test_first_month(work_id, month):
    """An identifier tells the month it was issued in."""
    assert first_month(work_id) == month


def test_every_real_identifier(data):
    """The ids of 1,130 abs records, 6,545 NeurIPS papers and 81 PDFs are read as they are written."""
    seen = 0
    for name, key in (
        ("corpus/arxiv_browse_abs/abs.jsonl", "id"),
        ("corpus/neurips_icml/papers.jsonl", "id"),
        ("pdf/arxiv/index.jsonl", "arxiv_id"),
    ):
        for line in (data / name).read_text().splitlines():
            written = json.loads(line)[key]
            assert str(parse(written)) == written
            seen += 1
    assert seen == 1130 + 6545 + 81


def test_real_bibliographies(data):
    """In 49 real bibliographies, DOIs and other sites' addresses aside, none is missed and none invented."""
    elsewhere = re.compile(r"\b10\.(?!48550)\d{4,9}/\S+|https?://(?!\S*arxiv)\S+", re.IGNORECASE)
    anything = re.compile(r"\d{4}\.\d{4,5}|[a-z]+(?:-[a-z]+)?(?:\.[a-z]{2})?/\d{7}")
    entries = identifiers = 0
    for line in (data / "corpus/unarxive_sample/arXiv_src_2212_086.jsonl").read_text().splitlines():
        for entry in json.loads(line)["bib_entries"].values():
            raw = entry["bib_entry_raw"]
            loose = anything.findall(elsewhere.sub("", raw).lower())
            found = {identifier.work_id for identifier in find_all(raw)}
            assert found == {re.sub(r"\.[a-z]{2}/", "/", name) for name in loose}, raw
            entries += 1
            identifiers += len(found)
    assert (entries, identifiers) == (1786, 300)
