"""The licence policy in results and answers: what is cut says so, what is withheld is no evidence."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from search.arxiv.licences import POLICIES, SHORT
from search.demo.papers import papers
from search.demo.server import DemoRecord, DemoVersion, LoopbackArxiv
from search.demo.typeset import typeset
from search.library import Library

pytest.importorskip("pymupdf")

FREE, BOUND, SILENT = "2402.00001", "2402.00002", "2402.00003"
LICENCES = {
    FREE: "http://creativecommons.org/licenses/by/4.0/",
    BOUND: "http://arxiv.org/licenses/nonexclusive-distrib/1.0/",
    SILENT: "",
}


@pytest.fixture(scope="module")
def arxiv():
    """A loopback arXiv of the same paper three times, under three licences."""
    pdf = typeset(papers()[0])
    versions = (DemoVersion(datetime(2024, 2, 1, 8, tzinfo=UTC)),)
    records = [
        DemoRecord(
            id=work_id, versions=versions, title=f"Identifiers under licence {licence[-20:]}",
            abstract="Hash bits in identifiers are counted.", categories="cs.IR", licence=licence,
        )
        for work_id, licence in LICENCES.items()
    ]  # fmt: skip
    with LoopbackArxiv(records, {f"{work_id}v1": pdf for work_id in LICENCES}) as server:
        yield server


def opened(home, arxiv, policy):
    """The library of a home under a policy."""
    return Library(
        home=home, oai_base_url=arxiv.oai_url, pdf_base_url=arxiv.pdf_url, oai_interval=0, pdf_interval=0,
        licence_policy=policy,
    )  # fmt: skip


@pytest.fixture(scope="module")
def home(tmp_path_factory, arxiv):
    """A home that was filled under the standard policy: all three in full."""
    home = tmp_path_factory.mktemp("licences")
    with opened(home, arxiv, "standard") as library:
        library.harvest(from_=date(2024, 1, 1), full_text=True)
        library.build()
        assert {work.holds for work in library.list()} == {"full text"}
    return home


def shown(library):
    """Per work, the full-text passages that a search shows."""
    hits = library.search("expected number of colliding pairs of identifiers").hits
    return {hit.work_id: [p for p in hit.passages if p.page is not None] for hit in hits}


def test_the_standard_shows_whole_passages(home, arxiv):
    """Nothing is cut, whatever the licence."""
    with opened(home, arxiv, "standard") as library:
        found = shown(library)
        assert set(found) == set(LICENCES)
        assert all(p.cut == "" for passages in found.values() for p in passages)
        assert max(len(p.text) for p in found[BOUND]) > SHORT


def test_cautious_cuts_passages_and_withholds_what_states_no_licence(home, arxiv):
    """Each shortened passage says so, is a verbatim beginning, and ranks where it ranked before."""
    with opened(home, arxiv, "standard") as before, opened(home, arxiv, "cautious") as library:
        whole, found = shown(before), shown(library)
        assert list(found) == list(whole)
        assert all(p.cut == "" for p in found[FREE])
        for cut, full in zip(found[BOUND], whole[BOUND], strict=True):
            assert full.text.startswith(cut.text)
            assert len(cut.text) <= SHORT
            assert bool(cut.cut) == (cut.text != full.text)
        assert {(p.text, p.cut) for p in found[SILENT]} == {("", "not shown: licence policy cautious")}


def test_answers_quote_only_what_may_be_shown(home, arxiv):
    """Under `open` only the open paper's text is quoted; under `cautious` no quote is longer than allowed."""
    question = "How many hash bits does a passage identifier need?"
    for name in ("cautious", "open"):
        with opened(home, arxiv, name) as library:
            answer = library.ask(question)
            citations = [c for claim in answer.claims for c in claim.supporting_citations]
            assert citations
            for citation in citations:
                work = library.info(citation.work_id).work
                limit = POLICIES[name].shows(work.licence_class, citation.page)
                assert limit is None or 0 < len(citation.quote) <= limit
            assert any("licence policy" in limitation for limitation in answer.limitations)


def test_full_texts_that_may_not_be_kept_are_not_fetched(tmp_path, arxiv):
    """A run leaves them out and does not say that they wait; it explains why, and so does naming one."""
    with opened(tmp_path, arxiv, "open") as library:
        report = library.harvest(from_=date(2024, 1, 1), full_text=True)
        (stage,) = report.stages
        assert (stage.done, stage.waiting, stage.failed) == (1, 0, ())
        choices = {choice.work_id: choice.why for choice in library.explain_selection().choices}
        assert "licence class arxiv, policy open" in choices[BOUND]
        report = library.add([BOUND])
        assert [failed.error for stage in report.stages for failed in stage.failed] == ["NotPermitted"]
        assert library.info(BOUND).holds == "abstract"
