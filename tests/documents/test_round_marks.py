"""Citation marks in round parentheses, told from equations' numbers, items and arguments."""

# ruff: noqa: RUF001 - the characters are meant as they are

from __future__ import annotations

import pytest

from search.documents.citation_marks import bibliography_of, marks, with_citations
from search.documents.round_marks import numbered_equations, round_matches
from search.models import Passage, Reference

LIST = [Reference(ordinal=n, raw=f"A. Cox. Feathers {n}. 2001.", label=str(n)) for n in range(1, 13)]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("as was shown (3), by Cox et al. (5, 7–9) and lead(12).", ["3", "5, 7–9", "12"]),
        ("a hop.(6) Others hop,(8,9) too; see (11, Theorem 2)", ["6", "8,9", "11"]),
        ("above 9.8(4,10,12) it holds", ["4,10,12"]),
        ("in Eq. (3) and equations (4), (5) and (6)", []),
        ("Eqs. (3)–(6) hold, Table (2) and SU (2) as well", []),
        ("we set y = 3x_2 (4) where f(3) and sin(2) and x_1(1, 2)", []),
        ("there are two tasks: (1) to read, and (2) to write", []),
        ("the (2)-category of lead (1)^n", []),
        ("by (2) and in (1); in (7), by (8)", ["7", "8"]),
        ("the star of one of us. (40) observed it; earlier, (9) did", ["40", "9"]),
        ("in version 10 (13) of it, trained on IG65M (4), in 2004 (2)", ["13", "4"]),
        ("in the gas ((12; 4); see there), with x<0.2 (6; 5)", ["12; 4", "6; 5"]),
        ("by the algorithm (9) and the algorithm (72)", ["72"]),
    ],
)
def test_what_cites_in_parentheses(text, numbers):
    """Numbers behind prose cite; named ones, formulas' and items' do not; "by (2)" is the second equation."""
    assert [match["numbers"] for match in round_matches(text, 3)] == numbers


def test_equations_are_counted_by_the_numbers_behind_formulas():
    """Numbers in order from 1 that stand after formulas are equations', those after words are not.

    A text leads to the next two as well, and to none far below it: there (30) is no equation's.
    """
    texts = ["Cox (30) says", "x_1=2 (1), x=2 (2)", "z=4 (3), y = 4x_4 (4) as Cox says (5), x=7 (9)"]
    assert list(numbered_equations(texts).values()) == [4, 4, 6]


def test_a_paper_cites_in_parentheses_where_it_names_its_list_so_and_not_in_brackets():
    """A good part of the list has to be named in parentheses, hardly an entry in brackets."""
    rounded = ["lead (1, 2) and tin (3).", "iron (4–6) and zinc (1)."]
    assert [m.cites for m in marks(rounded[0], bibliography_of(LIST, rounded))] == [(1, 2), (3,)]
    assert bibliography_of(LIST, rounded[:1]).equations is None
    assert bibliography_of(LIST, [*rounded, "as in [1] and [7]"]).equations is None


def test_parentheses_lead_to_equations_where_raised_numbers_name_more_of_the_list():
    """In a paper that cites with raised numbers what stands in parentheses is no citation."""
    text = "lead (1, 2), tin (3), iron (4), zinc (5)"
    passage = Passage(ordinal=1, section="", page=1, boxes=(), text=text, kind="text")
    assert with_citations([passage], LIST)[0].cites == (1, 2, 3, 4, 5)
    assert with_citations([passage], LIST, [["6–12"]])[0].cites == (6, 7, 8, 9, 10, 11, 12)
