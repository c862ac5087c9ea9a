"""Which sentences hold under a question's figures, and which recommendations are opposed."""

from __future__ import annotations

import pytest

from search.answering.advice import asks_advice, opposed
from search.answering.conditions import conditions, meets, speaks_otherwise
from search.answering.contradictions import contradictions
from search.answering.extractive import quotable
from search.models import Citation, Claim


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("at a dropout of 10 %", "At a dropout of 10 % the loss is 0.3.", "meets"),
        ("at a dropout of 0.1", "At a dropout of 10 % the loss is 0.3.", "meets"),
        ("at a dropout of 10 %", "At a dropout of 1 % the loss is 10.", "otherwise"),
        ("at a dropout of 50 %", "Above a dropout of 30 % the loss explodes.", "meets"),
        ("at a dropout of 20 %", "Above a dropout of 30 % the loss explodes.", "otherwise"),
        ("with 24 bits per key", "We cut the keys to 20, 24 and 28 bits.", "meets"),
        ("with ten bits per key", "A filter with 10 bits has a low rate.", "meets"),
        ("with 20 bits per key", "A filter with ten bits per key has a low rate.", "otherwise"),
        ("within three steps", "In three dimensions most walks leave.", "silent"),
        ("within three steps", "Within two steps it has many neighbours.", "otherwise"),
        ("with four layers", "The model is described in [4].", "silent"),
    ],
)
def test_a_figure_is_of_something(question, text, expected):
    """Value, unit and thing decide together; 0.1 is 10 %, and a bound speaks of what lies beyond it."""
    (asked,) = conditions(question)
    assert meets(asked, text) == (expected == "meets")
    if expected != "meets":  # a list may do both
        assert speaks_otherwise(asked, text) == (expected == "otherwise")


@pytest.mark.parametrize(
    "question",
    ["How does two-stage testing work?", "How good is GPT-4?", "What did they show (Kim et al., 2019)?"],
)
def test_what_is_no_condition(question):
    """Parts of words and names, and years of citations, set no condition."""
    assert conditions(question) == ()


WE_A = "We therefore recommend sparse widgets as the default for parsing."
WE_B = "We recommend dense widgets as the default for parsing, and sparse ones only for poems."


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (WE_A, WE_B, True),
        (WE_A, "We recommend sparse widgets as the default for parsing.", False),
        (WE_A, "A recent study recommends dense widgets as the default for parsing.", False),
        (WE_A, "We recommend dense widgets for the ranking of films.", False),
        (
            "Sparse widgets are better than dense widgets.",
            "Dense widgets are safer than sparse widgets.",
            True,
        ),
        (
            "Sparse widgets are better than dense widgets for prose.",
            "Dense widgets are better than sparse widgets for poems.",
            False,
        ),
    ],
)
def test_opposite_advice(one, other, expected):
    """The authors' own advice for one purpose is opposed where it names different things."""
    assert opposed(one, other) is expected
    assert opposed(other, one) is expected


def test_only_questions_ask_for_advice():
    """A statement that is looked up asks nothing."""
    assert asks_advice("Which widget should I use?")
    assert not asks_advice("Sparse widgets should work better")


def claim(text: str, work_id: str) -> Claim:
    place = Citation(work_id=work_id, version=1, passage_id=f"{work_id}v1:0:00000000", quote=text)
    return Claim(text=text, supporting_citations=(place,), support="full")


@pytest.mark.parametrize(
    ("one", "other", "papers", "expected"),
    [
        ("Pruning improves parsing quality.", "Pruning does not improve parsing quality.", "ab", 1),
        ("Pruning improves parsing quality.", "Pruning does not improve parsing quality.", "aa", 0),
        ("Pruning at 1 % improves parsing quality.", "Pruning at 9 % worsens parsing quality.", "ab", 0),
        (
            "Pruning improves parsing quality of prose.",
            "Pruning does not improve parsing quality without a teacher.",
            "ab",
            0,
        ),
        (WE_A, WE_B, "ab", 1),
    ],
)
def test_contradictions_are_between_papers_under_one_condition(one, other, papers, expected):
    """One paper, another figure or a condition that only one has make no contradiction."""
    assert len(contradictions([claim(one, papers[0]), claim(other, papers[1])])) == expected


@pytest.mark.parametrize(
    "text",
    [
        "0.376, so that fusion of either kind improves the ranking by much.",
        "12 and this goes on in the middle of a clause.",
        "The error is small, but it grows with N. Pairwise sums cost no more additions.",
    ],
)
def test_pieces_and_pairs_of_sentences_are_no_claims(text):
    """What a page break left of a sentence, and two sentences in one, are not quoted."""
    assert not quotable(text)
