"""Questions that a newcomer puts to the demo's library: right, or less, but never beside the point."""

from __future__ import annotations

import re

import pytest

from search.answering.wording import FUNCTION_WORDS


@pytest.fixture(scope="module")
def ask(demo_library):
    return demo_library.ask


def said(answer) -> str:
    return " ".join(claim.text for claim in answer.claims)


@pytest.mark.parametrize("prevalence", ["2 %", "3 %", "0.4 %"])
def test_what_holds_under_another_figure_is_no_answer(ask, prevalence):
    """Where no paper has the question's figure, no other one is given in its place, and the gap names it."""
    found = ask(f"How many tests per person are needed at a prevalence of {prevalence}?")
    assert found.confidence in {"low", "insufficient_evidence"}
    assert not re.search(r"\d", said(found))
    assert any(prevalence in gap for gap in found.gaps)


def test_a_bound_speaks_of_what_lies_beyond_it(ask):
    """What is said of all prevalences above 30.7 % is said of 50 %."""
    found = ask("How many tests per person are needed at a prevalence of 50 %?")
    assert found.confidence == "low"
    assert [("30.7 %" in claim.text) for claim in found.claims] == [True]


@pytest.mark.parametrize(
    ("question", "figure"),
    [
        ("How many tests per person are needed at a prevalence of 10 %?", "0.594"),
        ("How many tests per person are needed at a prevalence of 1 %?", "0.1956"),
        ("Which pool size is best at 1 %?", "11"),
        ("Which pool size is best at a prevalence of 0.01?", "11"),
        ("What is the best value of b in BM25?", "b = 0.4"),
        ("What is the false positive rate with ten bits per key?", "0.84 %"),
    ],
)
def test_the_figure_that_is_asked_for_is_given(ask, question, figure):
    """The sentence that has the question's figure, or the extreme that it wants, is quoted."""
    found = ask(question)
    assert found.confidence in {"medium", "high"}
    assert figure in said(found)
    assert "0.1 %" not in said(found)


@pytest.mark.parametrize(
    "question",
    [
        "Which paper is the best?",
        "Neighbours within three steps?",
        "What is the false positive rate with 20 bits per key?",
        "Is pi equal to 4?",
        "What is dark matter?",
        "What is the capital of France?",
    ],
)
def test_what_no_sentence_answers_is_not_answered(ask, question):
    """A question without a subject, under a figure that nobody measured or of things unread gets no claim."""
    found = ask(question)
    assert found.confidence == "insufficient_evidence"
    assert found.gaps


@pytest.mark.parametrize(
    "question",
    [
        "Do citations help search?",
        "Why does Monte Carlo not converge?",
        "Does Monte Carlo estimate e?",
        "Does a Bloom filter need electricity?",
        "Probability of return in five dimensions?",
        "Is Kahan summation better than pairwise summation?",
    ],
)
def test_a_subject_that_no_claim_speaks_of_keeps_confidence_low(ask, question):
    """A rare word of the question that the claims lack is a gap, and the answer is at most low."""
    found = ask(question)
    assert found.confidence in {"low", "insufficient_evidence"}
    assert found.gaps


def test_opposite_recommendations_are_both_quoted_and_named(ask):
    """Two papers that recommend opposite defaults contradict each other, and nobody is sure."""
    for question in (
        "Is min-max fusion better than reciprocal rank fusion for hybrid search?",
        "Which fusion method should I use?",
    ):
        found = ask(question)
        assert "recommend min-max fusion as the default" in said(found)
        assert "recommend reciprocal rank fusion as the default" in said(found)
        assert len(found.contradictions) == 1
        assert found.confidence == "medium"


@pytest.mark.parametrize(
    "question",
    [
        "Does full normalisation of document length lower precision?",
        "When does pooling save tests?",
        "How many bits per key does a Bloom filter need?",
        "Which pool size is best?",
    ],
)
def test_agreeing_sentences_and_other_conditions_contradict_nothing(ask, question):
    """One paper's sentences under different conditions are no contradiction."""
    found = ask(question)
    assert found.claims
    assert found.contradictions == ()


def test_gaps_are_true(ask, demo_library):
    """A gap names no function word, and no word that stands in a title or text that was read."""
    for question, held in (
        ("Why does reciprocal rank fusion lose information?", {"reciprocal", "rank", "fusion"}),
        ("Does pooling never pay?", {"pooling", "pay", "never"}),
        ("What is dark matter?", {"What", "is"}),
        ("Tell me about quantum pooled testing", {"me", "Tell", "pooled", "testing"}),
    ):
        named = {word for gap in ask(question).gaps for word in re.findall(r"“([^”]+)”", gap)}
        assert not named & (held | FUNCTION_WORDS), question


def test_papers_that_may_not_be_quoted_are_spoken_of(ask):
    """Where only summaries by others speak of it, the gap says so."""
    assert "may not be quoted" in " ".join(ask("What is dark matter?").gaps)


@pytest.mark.parametrize(
    ("question", "section"),
    [
        ("Summarise pooled testing", "Abstract"),
        ("Tell me about pooled testing", "Abstract"),
        ("What are the limitations of the pooled testing study?", "Limitations"),
    ],
)
def test_summaries_and_limitations_come_from_their_sections(ask, question, section):
    """A request for a summary quotes the abstract; one for limitations, the section of that name."""
    found = ask(question)
    places = {c.section for claim in found.claims for c in claim.supporting_citations}
    assert places == {section}
    assert {c.work_id for claim in found.claims for c in claim.supporting_citations} == {"2401.99010"}


def test_costs_of_one_thing_are_not_the_costs_of_another(ask):
    """Each claim speaks of the question's subject, if need be by heading and title."""
    found = ask("Costs of fusion?")
    assert {c.work_id for claim in found.claims for c in claim.supporting_citations} <= {
        "2401.99004",
        "2401.99005",
    }


def test_own_reference_marks_do_not_stand_in_the_summary(ask):
    """A paper's "[4]" stays in the claim and is left out of the summary, where marks are our references."""
    found = ask("How does the error of Monte Carlo fall?")
    assert "[4]" in said(found)
    assert set(re.findall(r"\[\d+\]", found.answer_summary)) == {f"[{r.rank}]" for r in found.references}
