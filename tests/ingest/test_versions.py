"""Which version counts: replaced, pinned, withdrawn; on both stores, in search, answers and views."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from search.answering.drafts import Draft, Quote
from search.answering.verifier import verify
from search.demo.server import DemoRecord, DemoVersion, LoopbackArxiv
from search.errors import UsageError, WorkNotFound
from search.library import Library

START = date(2024, 1, 1)
WORK, CITED = "2402.00001", "2402.00002"
FIRST = "Quokkas of the first kind sleep in 17 burrows on Rottnest."
SECOND = "Wombats of the second kind sleep in 23 burrows at Coorong."


def record(abstract, *source_types, work_id=WORK, **fields):
    """A paper with one version for each source type."""
    versions = tuple(
        DemoVersion(datetime(2024, 2, 1 + n, 8, tzinfo=UTC), source_type=kind)
        for n, kind in enumerate(source_types or ("",))
    )
    fields = {"title": "Where marsupials sleep", "categories": "q-bio.PE", **fields}
    return DemoRecord(id=work_id, versions=versions, abstract=abstract, **fields)


@pytest.fixture
def arxiv():
    """A loopback arXiv of two papers without PDFs."""
    cited = record("Burrows are counted by their openings.", work_id=CITED, title="Counting burrows")
    with LoopbackArxiv([record(FIRST), cited]) as server:
        yield server


@pytest.fixture(params=["embedded", pytest.param("elastic", marks=pytest.mark.elastic)])
def library(request, tmp_path, arxiv):
    """A library of both papers, on each of the stores."""
    index = {}
    if request.param == "elastic":
        index = {
            "index_url": request.getfixturevalue("elasticsearch_url"),
            "index_prefix": request.getfixturevalue("index_prefix"),
        }
    options = {"oai_base_url": arxiv.oai_url, "pdf_base_url": arxiv.pdf_url, "oai_interval": 0, **index}
    with Library(home=tmp_path, pdf_interval=0, **options) as library:
        library.harvest(from_=START)
        library.build()
        yield library


def texts(library, query):
    """Passages of the work that a search by words shows."""
    hits = library.search(query, mode="lexical").hits
    return [p.text for hit in hits if hit.work_id == WORK for p in hit.passages]


def link_to(library, version, cited):
    """Write an edge of one version of the work into the lake."""
    edge = {"cited": f"arxiv:{cited}", "source": "pdf", "confidence": 1.0, "sentence": ""}
    line = {"work_id": WORK, "version": version, "paper": 1, "edges": [edge]}
    from search.lake.batch import Outcome

    library.lake.write_edges([line], [Outcome(WORK, version)])


def quoted(library, text):
    """What the verifier makes of a claim that quotes a passage found before."""
    passage = library.store.passages_of(WORK)[0]
    draft = Draft(text=text, quotes=(Quote(passage_id=passage.passage_id, text=text),))
    return draft, passage


def test_a_new_version_replaces_the_old(library, arxiv):
    """Version 1's passages and edges are gone from the index; the lake still has them."""
    link_to(library, 1, CITED)
    library.build()
    assert library.info(CITED).cited_by == (WORK,)
    draft, passage = quoted(library, FIRST)
    arxiv.put(record(SECOND, "", ""))
    report = library.update([WORK])
    (change,) = report.changes
    assert (change.before, change.now, change.newest) == (1, 2, 2)
    assert "abstract" in change.fields
    assert texts(library, "quokkas first Rottnest") == []
    assert texts(library, "wombats second Coorong") == [SECOND]
    assert library.store.passages([passage.passage_id]) == {}
    assert {p.version for p in library.store.passages_of(WORK)} == {2}
    assert library.info(CITED).cited_by == ()
    verdict = verify([draft], store=library.store, evidence=[passage])
    assert [dropped.reason for dropped in verdict.dropped] == ["stale"]
    assert any(FIRST.encode() in library.lake.files.read(n) for n in library.lake.files.names("works"))
    assert library.check().sound


def test_a_pinned_version_stays_and_is_marked(library, arxiv):
    """`add` with a version pins it; update tells that it is behind, and unpinning moves it."""
    link_to(library, 1, CITED)
    library.add([f"{WORK}v1"])
    arxiv.put(record(SECOND, "", ""))
    report = library.update()
    assert [(c.work_id, c.now, c.newest) for c in report.behind] == [(WORK, 1, 2)]
    (hit,) = [hit for hit in library.search("marsupials").hits if hit.work_id == WORK]
    assert (hit.version, hit.pinned) == (1, True)
    info = library.info(f"{WORK}v2")
    assert info.work.pinned
    assert info.note == "the library holds version 1, not version 2"
    assert library.info(CITED).cited_by == (WORK,), "the edges of the pinned version"
    # arXiv gives the newest version's abstract only, which is no evidence for the pinned one.
    assert not any(p.evidence for p in library.store.passages_of(WORK))
    report = library.update([WORK], unpin=True)
    assert [(c.before, c.now, c.pinned) for c in report.changes] == [(1, 2, False)]
    assert library.info(WORK).work.version == 2
    assert library.info(CITED).cited_by == ()
    with pytest.raises(UsageError, match="no version 9"):
        library.add([f"{WORK}v9"])


@pytest.mark.parametrize(
    ("withdrawal", "state"),
    [
        (record(FIRST, "", "I"), "yes"),
        (
            record(FIRST, "", comments="This paper has been withdrawn: Lemma 2 fails"),
            "suspected",
        ),
    ],
    ids=["source type I", "a comment alone"],
)
def test_withdrawn_is_found_and_marked_and_never_evidence(library, arxiv, withdrawal, state):
    """Whether arXiv says so or only a comment: it stays in the results, and no claim rests on it."""
    question = "In how many burrows do quokkas of the first kind sleep on Rottnest?"
    assert {c.work_id for claim in library.ask(question).claims for c in claim.supporting_citations} == {WORK}
    arxiv.put(withdrawal)
    report = library.update([WORK])
    assert [(c.withdrawn_before, c.withdrawn) for c in report.changes] == [("no", state)]
    (hit,) = [hit for hit in library.search("quokkas Rottnest").hits if hit.work_id == WORK]
    assert hit.withdrawn == state
    assert library.info(WORK).work.withdrawn == state
    answer = library.ask(question)
    assert answer.claims == ()
    assert any(WORK in limitation for limitation in answer.limitations)
    draft, passage = quoted(library, FIRST)
    verdict = verify([draft], store=library.store, evidence=[passage])
    assert [dropped.reason for dropped in verdict.dropped] == ["withdrawn"]


def test_a_version_after_the_withdrawal_counts_again(library, arxiv):
    """Only the newest version's source type decides."""
    arxiv.put(record(FIRST, "I"))
    library.update()
    arxiv.put(record(SECOND, "I", ""))
    (change,) = library.update().changes
    assert (change.withdrawn_before, change.withdrawn) == ("yes", "no")
    assert library.ask("In how many burrows do wombats of the second kind sleep at Coorong?").claims


def test_what_is_not_in_the_library_is_not_asked_for(library):
    """`update` of an unknown or removed paper says so; of all papers, removed ones are left out."""
    with pytest.raises(WorkNotFound, match=r"citewell add 2402\.00009"):
        library.update(["2402.00009"])
    library.remove(WORK)
    assert library.update().asked == 1
    with pytest.raises(WorkNotFound):
        library.update([WORK])


def test_nothing_new_changes_nothing(library):
    """The same records again: no change is reported, and no build runs."""
    report = library.update()
    assert (report.asked, report.changes, report.build, report.failed) == (2, (), None, ())
