"""Which claims their quotes carry."""

from __future__ import annotations

import pytest

from search.answering.extractive import quotable
from search.answering.polarity import disagreement
from search.answering.support import Cited, Unsupported, support

PASSAGE = (
    "Sparse widgets improve translation quality by 2.5 BLEU on WMT14. "
    "BERT does not improve the recall of rare words. "
    "It needs more than 16 GB of memory. RoBERTa outperforms BERT on GLUE by 3 points. "
    "Precision is 90% and recall is 80% on the Tiger corpus. We ask whether larger models are faster. "
    "Pruning may reduce the training time of large models."
)
TITLE = "Sparse widgets for WidgetNet"


def judge(claim: str, quote: str) -> str:
    try:
        return support(claim, [Cited(quote, PASSAGE, "Results", TITLE)])
    except Unsupported:
        return "refused"


@pytest.mark.parametrize(
    ("claim", "quote", "expected"),
    [
        ("Sparse widgets improve translation quality by 2.5 BLEU on WMT14.",) * 2 + ("full",),
        (
            "Translation quality improves by 2.5 BLEU with sparse widgets.",
            "Sparse widgets improve translation quality by 2.5 BLEU on WMT14.",
            "full",
        ),
        ("WidgetNet needs more than 16 GB of memory.", "It needs more than 16 GB of memory.", "partial"),
        ("It needs 16 GB of memory.", "It needs more than 16 GB of memory.", "partial"),
        (
            "BERT does not improve recall of rare words.",
            "BERT does not improve the recall of rare words.",
            "full",
        ),
        ("BERT is outperformed by RoBERTa on GLUE.", "RoBERTa outperforms BERT on GLUE by 3 points.", "full"),
        (
            "Pruning reduces the training time of large models.",
            "Pruning may reduce the training time of large models.",
            "partial",
        ),
    ],
)
def test_claims_that_their_quotes_carry(claim, quote, expected):
    """Copies and faithful rewordings are supported, fully or partly by the stated rule."""
    assert judge(claim, quote) == expected


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        (
            "Sparse widgets improve translation quality by 25 BLEU on WMT14.",
            "improve translation quality by 2.5 BLEU on WMT14.",
        ),
        (
            "Sparse widgets improve translation quality by 2.5 BLEU on WMT16.",
            "improve translation quality by 2.5 BLEU on WMT14.",
        ),
        (
            "Sparse widgets worsen translation quality by 2.5 BLEU on WMT14.",
            "improve translation quality by 2.5 BLEU on WMT14.",
        ),
        (
            "Sparse widgets do not improve translation quality.",
            "Sparse widgets improve translation quality by 2.5 BLEU",
        ),
        ("BERT improves the recall of rare words.", "BERT does not improve the recall of rare words."),
        ("BERT improves the recall of rare words.", "improve the recall of rare words"),
        ("It needs less than 16 GB of memory.", "It needs more than 16 GB of memory."),
        ("It needs more than 16 MB of memory.", "It needs more than 16 GB of memory."),
        ("It needs at least 17 GB of memory.", "It needs more than 16 GB of memory."),
        ("BERT outperforms RoBERTa on GLUE by 3 points.", "RoBERTa outperforms BERT on GLUE by 3 points."),
        ("RoBERTa outperforms XLNet on GLUE by 3 points.", "RoBERTa outperforms BERT on GLUE by 3 points."),
        (
            "Precision is 80% and recall is 90% on the Tiger corpus.",
            "Precision is 90% and recall is 80% on the Tiger corpus.",
        ),
        ("Precision is 90 on the Tiger corpus.", "Precision is 90% and recall is 80% on the Tiger corpus."),
        ("Larger models are faster.", "larger models are faster"),
        (
            "Sparse widgets are elegant, robust and cheap to train.",
            "Sparse widgets improve translation quality by 2.5 BLEU",
        ),
        ("BERT needs more than 16 GB and improves fluency tenfold.", "It needs more than 16 GB of memory."),
    ],
)
def test_claims_that_say_something_else(claim, quote):
    """Other numbers, units, bounds, names, sides, polarities, and questions taken for answers are refused."""
    assert judge(claim, quote) == "refused"


def test_a_quote_is_read_with_its_whole_sentence():
    """A quote that begins after the "not" of its sentence supports no affirmation."""
    assert judge("The recall of rare words improves.", "improve the recall of rare words") == "refused"


def test_a_term_that_begins_with_a_negator_denies_nothing():
    """A false positive rate is a rate, and a failure rate too: neither turns its sentence round."""
    one = "The false positive rate of a filter with ten bits per key is lowest with 7 functions."
    other = "A false positive rate of 1 % is common for a filter with ten bits per key."
    assert disagreement(one, other) is None
    assert disagreement("The claim on pooling is false for rare cases.", "The claim on pooling holds.")


def test_a_caption_answers_nothing():
    """The name of a table is no finding; a sentence that speaks of the table is."""
    assert not quotable("Table 1: False positive rate with ten bits per key.")
    assert quotable("Table 1 shows that seven hash functions give the lowest rate of all.")
