"""Cutting text into passages."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.documents.passages import BREAK, LONGEST, OVERLAP, SHORTEST, cuts, split_passage
from search.documents.sentences import sentences

WORDS = st.lists(st.text("abcdefghijk.", min_size=1, max_size=14), min_size=1, max_size=900).map(" ".join)


@given(st.lists(WORDS, min_size=1, max_size=6))
def test_cuts_cover_the_text_within_the_bounds(paragraphs):
    """Passages cover every character but breaks, are 1,000 to 1,500 long but for the last, overlap little."""
    text = BREAK.join(paragraphs)
    starts = [sum(len(p) + len(BREAK) for p in paragraphs[:i]) for i in range(len(paragraphs))]
    found = cuts(text, starts)
    assert found[0][0] == 0
    assert found[-1][1] == len(text)
    for start, end in found[:-1]:
        assert SHORTEST <= end - start <= LONGEST
    for (start, end), (following, _) in pairwise(found):
        assert following > start
        assert end - OVERLAP <= following <= end + len(BREAK)
        assert not text[end:following].strip()


def test_whole_paragraphs_are_preferred():
    """Where a paragraph's end gives a passage of the right length, nothing is cut and nothing repeated."""
    paragraphs = ["word " * 120 + "end." for _ in range(6)]
    text = BREAK.join(paragraphs)
    starts = [i * (len(paragraphs[0]) + len(BREAK)) for i in range(6)]
    assert [text[a:b] for a, b in cuts(text, starts)] == [
        BREAK.join(paragraphs[i : i + 2]) for i in (0, 2, 4)
    ]


def test_an_oversized_block_is_cut_between_sentences_and_overlaps():
    """A block of 4,000 characters gives passages that end and begin with whole sentences."""
    sentence = "This sentence has some forty characters."
    text = " ".join([sentence] * 100)
    for start, end in cuts(text, [0]):
        assert text[start:end].startswith("This")
        assert text[start:end].endswith("characters.")


@given(WORDS, st.integers(1, 200))
def test_split_parts_fit_and_lose_nothing_but_space(text, limit):
    """Every part fits, is found in the text in order, and together they hold all its characters."""
    parts = split_passage(text, lambda part: len(part) <= limit)
    assert all(len(part) <= limit for part in parts)
    at = 0
    for part in parts:
        at = text.index(part, at) + len(part)
    assert "".join("".join(parts).split()) == "".join(text.split())


@pytest.mark.parametrize("text", ["", "  \n "])
def test_nothing_is_split_into_nothing(text):
    """Space alone has no parts."""
    assert split_passage(text, lambda _: True) == []


def test_split_cuts_between_sentences_first():
    """Sentences stay whole where they fit."""
    text = "One is here. Two is there. Three is gone."
    assert split_passage(text, lambda part: len(part) <= 27) == [
        "One is here. Two is there.",
        "Three is gone.",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We see it (Fig. 3). It holds, cf. Eq. (4), for e.g. 0.5 mm.",
         ["We see it (Fig. 3).", "It holds, cf. Eq. (4), for e.g. 0.5 mm."]),
        ("Kim et al. [3] found it. So did A. B. Cox.", ["Kim et al. [3] found it.", "So did A. B. Cox."]),
        ("It works [12]. The i.i.d. case is done.", ["It works [12].", "The i.i.d. case is done."]),
        ("Is it? Yes! It is “so.” We go on.", ["Is it?", "Yes!", "It is “so.”", "We go on."]),
        ("A heading\n\nA paragraph without end\n\nThe next.",
         ["A heading", "A paragraph without end", "The next."]),
        ("See www.example.org. It is 3.14 vs. 2.71, i.e. more.",
         ["See www.example.org.", "It is 3.14 vs. 2.71, i.e. more."]),
        ("This was shown by Kim et al. We agree.", ["This was shown by Kim et al.", "We agree."]),
        ("It grows with N. Pairwise sums do not, as pairwise trees are flat.",
         ["It grows with N.", "Pairwise sums do not, as pairwise trees are flat."]),
        ("N numbers are drawn. It grows with N. Trees are flat.",
         ["N numbers are drawn.", "It grows with N.", "Trees are flat."]),
        ("It is due to N. Wiener alone. They met.", ["It is due to N. Wiener alone.", "They met."]),
        ("", []),
    ],
)  # fmt: skip
def test_sentences(text, expected):
    """Abbreviations, initials, decimals and references end no sentence; blank lines and variables do."""
    assert [text[a:b] for a, b in sentences(text)] == expected
