"""Answers without a model, from the real store and retriever."""

from __future__ import annotations

import pytest

from search.errors import EmptyQuery
from search.models import Filters

QUESTION = "How do sparse widgets reduce the memory of chart parsers?"


def test_every_sentence_of_the_answer_stands_in_a_passage(shelf):
    """An extractive answer quotes sentences that its passages hold verbatim, with the place of each."""
    found = shelf.ask(QUESTION)
    assert found.route == "extractive"
    assert found.claims
    for claim in found.claims:
        for citation in claim.supporting_citations:
            passage = shelf.store.passages([citation.passage_id])[citation.passage_id]
            assert citation.quote in passage.text
            assert (citation.work_id, citation.version, citation.page) == (
                passage.work_id,
                passage.version,
                passage.page,
            )
    assert found.dropped_claims == ()
    assert found.confidence in ("high", "medium")
    assert found.cost.usd == 0


def test_withdrawn_papers_summaries_and_instructions_are_never_quoted(shelf):
    """Withdrawn papers, other people's summaries and texts addressed to a model are found, and not quoted."""
    found = shelf.ask(QUESTION)
    cited = {c.work_id for claim in found.claims for c in claim.supporting_citations}
    assert cited.isdisjoint({"2401.00003", "2401.00004"})
    assert "hunger" not in found.answer_summary
    assert any("2401.00003" in line for line in found.limitations)


def test_marks_of_the_summary_are_the_ranks_of_the_references(shelf):
    """Each mark [n] of the summary names a cited paper of rank n, the most cited paper first."""
    found = shelf.ask(QUESTION)
    rank_of = {r.work_id: r.rank for r in found.references}
    assert [r.rank for r in found.references] == list(range(1, len(found.references) + 1))
    assert [r.citations for r in found.references] == sorted(
        (r.citations for r in found.references), reverse=True
    )
    for claim in found.claims:
        mark = f"[{rank_of[claim.supporting_citations[0].work_id]}]"
        assert f"{claim.text} {mark}" in found.answer_summary


def test_a_pinned_paper_is_marked(shelf):
    """A quote from a pinned version says so, and the answer names the newer version."""
    found = shelf.ask("How far do pinned sparse widgets keep their memory?")
    cited = [c for claim in found.claims for c in claim.supporting_citations if c.work_id == "2401.00006"]
    assert cited
    assert cited[0].status == "pinned"
    assert any("pinned at version 1; version 3" in line for line in found.limitations)


def test_what_the_evidence_cites_and_the_library_lacks_is_a_discovery(shelf):
    """Cited works that are not in the library are listed, those it holds and DOIs are not."""
    found = shelf.ask(QUESTION)
    assert [d.cited for d in found.discoveries] == ["1706.09999"]
    assert set(found.discoveries[0].cited_by) <= {"2401.00001", "2401.00002"}


@pytest.mark.parametrize(
    "question",
    [
        "What is the boiling point of tungsten hexafluoride?",
        "Which enzymes digest lactose in adults?",
        "How many moons does Jupiter have?",
    ],
)
def test_a_question_that_the_library_cannot_answer_gets_no_claim(shelf, question):
    """Without evidence there is no claim, but the closest papers and what to try next."""
    found = shelf.ask(question)
    assert found.confidence == "insufficient_evidence"
    assert found.claims == ()
    assert found.refinements
    assert found.gaps
    assert all(r.citations == 0 for r in found.references)


def test_filters_hold_inside_an_answer(shelf):
    """A filter on ids keeps every other paper out of the claims."""
    found = shelf.ask(QUESTION, filters=Filters(ids=("2401.00002",)))
    assert {c.work_id for claim in found.claims for c in claim.supporting_citations} == {"2401.00002"}
    assert "One paper only supports this answer." in found.limitations


def test_an_empty_question_is_refused(shelf):
    """A question without a word is the caller's mistake."""
    with pytest.raises(EmptyQuery):
        shelf.ask("?! …")


def test_the_same_question_has_the_same_answer(shelf):
    """Two runs differ in nothing but the trace id."""
    first, second = (shelf.ask(QUESTION).model_dump(exclude={"trace_id"}) for _ in range(2))
    assert first == second


def test_contradicting_papers_are_named(shelf_of, paper):
    """Two kept claims with opposite polarity about the same thing are reported as a contradiction."""
    shelf = shelf_of(
        paper("2401.00011", "On gadgets", "Gadget pruning improves translation quality on news text."),
        paper(
            "2401.00012", "More gadgets", "Gadget pruning does not improve translation quality on news text."
        ),
    )
    found = shelf.ask("Does gadget pruning improve translation quality?")
    assert len(found.claims) == 2
    assert len(found.contradictions) == 1
    assert "translation" in found.contradictions[0].about
