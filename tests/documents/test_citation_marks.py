"""Which entries of the reference list a text cites."""

# ruff: noqa: RUF001 - the characters are meant as they are

from __future__ import annotations

import pytest

from search.documents.citation_marks import Bibliography, marks, with_citations
from search.models import Passage, Reference


def listed(*raws: str, labels: list[str] | None = None) -> Bibliography:
    """A reference list of these entries, numbered unless labels are given."""
    names = labels if labels is not None else [str(n) for n in range(1, len(raws) + 1)]
    return Bibliography(
        [
            Reference(ordinal=n, raw=raw, label=label or None)
            for n, (raw, label) in enumerate(zip(raws, names, strict=True), start=1)
        ]
    )


NUMBERED = listed(*[f"A. Cox. Feathers {n}. 2001." for n in range(1, 13)])
DATED = listed(
    "A. Cox and B. Dee. Weighing feathers. Air, 1999.",
    "C. Eve, A. Cox, and F. Gal. Lead. Metals, 2001a.",
    "C. Eve and H. Ito. Tin. Metals, 2001b.",
    "van der Meer, J. (2010). Zinc. Ores 4.",
    "J. García-López. Iron. 2012.",
    labels=[""] * 5,
)


@pytest.mark.parametrize(
    ("text", "cites"),
    [
        ("as shown in [3].", [(3,)]),
        ("as shown [3, 5–7, 2] and [1]", [(3, 5, 6, 7, 2), (1,)]),
        ("a line's end divides it [4, 6– 8]", [(4, 6, 7, 8)]),
        ("as in [3]–[6], [9], [10] – [12]", [(3,), (4, 5, 6), (9,), (10,), (11, 12)]),
        ("BERT[3] and in 2015 [4]", [(3,), (4,)]),
        ("by [3, Theorem 2.1] and [see 4]", [(3,), (4,)]),
        ("x ∈ [1, 2] and the interval [1, 3] and a_i[4] and x[5]", []),
        ("it is [0, 1] or [13] or [2020]", []),
        ("[1–9999]", []),
    ],
)
def test_numbers(text, cites):
    """Numbers, lists and ranges that the list has; no intervals, indices, or numbers that it has not."""
    assert [mark.cites for mark in marks(text, NUMBERED)] == cites


def test_labels():
    """[KN14] leads to the entry of that label; a bracket of other words leads nowhere."""
    bibliography = listed("Kane. A. 2014.", "Indyk. B. 2001.", labels=["KN14", "Ind01"])
    found = marks("by [KN14, Ind01], [Ind01, Section 2], [sic] and [see there]", bibliography)
    assert [mark.cites for mark in found] == [(1, 2), (2,)]


@pytest.mark.parametrize(
    ("text", "cites"),
    [
        ("as Cox and Dee (1999) say", [(1,)]),
        ("(Cox & Dee, 1999; Eve et al., 2001a)", [(1,), (2,)]),
        ("(Eve et al. 2001a,b)", [(2, 3)]),
        ("Eve and Ito 2001", [(3,)]),
        ("by van der Meer (2010)", [(4,)]),
        ("(García-López, 2012)", [(5,)]),
        ("(Garcia-Lopez, 2012)", [(5,)]),
        ("In January 1999 and in Paris, 2001, and (Dee, 2004)", []),
    ],
)
def test_authors_and_years(text, cites):
    """First author and year lead to the entry; a second author and the letter tell two entries apart."""
    assert [mark.cites for mark in marks(text, DATED)] == cites


def test_a_mark_says_where_it_stands():
    """The place of a mark is that of the characters which cite."""
    text = "Known since Cox and Dee (1999)."
    (mark,) = marks(text, DATED)
    assert text[mark.start : mark.end] == "Cox and Dee (1999"


def test_passages_know_what_they_cite():
    """Each passage gets the ordinals of its own marks, ascending; one without marks stays as it was."""
    passages = [Passage(ordinal=1, text="See [7] and [2, 3]."), Passage(ordinal=2, text="Nothing.")]
    assert [p.cites for p in with_citations(passages, NUMBERED.references)] == [(2, 3, 7), ()]
    assert [p.cites for p in with_citations(passages, [])] == [(), ()]


def test_raised_numbers_may_have_brackets():
    """What was raised leads to entries as "1),7)" and "2)-4)" too."""
    passages = [Passage(ordinal=1, text="One."), Passage(ordinal=2, text="Two.")]
    found = with_citations(passages, NUMBERED.references, [["1),7)"], ["2)–4)"]])
    assert [p.cites for p in found] == [(1, 7), (2, 3, 4)]


def test_the_number_of_authors_tells_two_entries_apart():
    """Of two papers of one first author and year, "et al." means the one with more authors."""
    one = Reference(ordinal=1, raw="A. Graves. Sequences. 2013.", authors=("A. Graves",))
    three = Reference(
        ordinal=2,
        raw="A. Graves, N. Jaitly, and A. Mohamed. Speech. 2013.",
        authors=("A. Graves", "N. Jaitly", "A. Mohamed"),
    )
    bibliography = Bibliography([one, three])
    found = marks("Graves (2013) and Graves et al. (2013)", bibliography)
    assert [mark.cites for mark in found] == [(1,), (2,)]


def test_a_dash_in_place_of_authors_means_those_before():
    """A list prints authors once: an entry that begins with a dash is cited by the names above it."""
    listed_once = listed(
        "Cox, A., & Dee, B. 1999, Air, 5", "—. 2004, Air, 9", "Eve, C. 2004", labels=["", "", ""]
    )
    assert [mark.cites for mark in marks("(Cox & Dee 2004; Eve 2004)", listed_once)] == [(2,), (3,)]
