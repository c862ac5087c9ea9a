"""Lines put together as text, and the edges of columns."""

# ruff: noqa: RUF001 - the characters are meant as they are
from __future__ import annotations

import pytest

from search.documents.characters import compose_accents
from search.documents.edges import edges_of
from search.documents.joining import text_of, vocabulary_of
from search.documents.lines import TextLine, join
from search.documents.pages import Line, Span
from search.documents.sentences import sentences


def line(text: str, x0: float = 72.0, x1: float = 540.0, y: float = 100.0, column: int = 0) -> TextLine:
    """Return a printed line of page 1."""
    span = Span(text, "Roman", 10.0, False, False, False, x0, y - 8, x1, y + 2, y)
    (made,) = join([Line([span], x0, y - 8, x1, y + 2, 0)], 1, column)
    return made


def joined(*texts: str, others: str = "") -> str:
    """Return the lines' text, where the paper also has the words of `others`."""
    lines = [line(text) for text in texts]
    return text_of(lines, vocabulary_of([*lines, line(others or "x")]))[0]


@pytest.mark.parametrize(
    ("texts", "others", "expected"),
    [
        (("the atten-", "tion that"), "", "the attention that"),
        (("a self-", "attention layer"), "of self-attention here", "a self-attention layer"),
        (("the model GPT-", "4 was"), "", "the model GPT-4 was"),
        (("of Meyer-", "Miller maps"), "", "of Meyer-Miller maps"),
        (("is the n-", "th of them"), "", "is the n-th of them"),
        (("see a/", "b there"), "", "see a/b there"),
        (("of 20–", "40 pA"), "", "of 20–40 pA"),
        (("the range [-", "3, 3] of Retro*-", "extended"), "", "the range [-3, 3] of Retro*-extended"),
        (("one line", "and another"), "", "one line and another"),
    ],
)
def test_words_at_line_ends(texts, others, expected):
    """A word that was divided is whole again; a hyphen of the author's stays."""
    assert joined(*texts, others=others) == expected


def test_each_line_keeps_its_place():
    """The places that come with the text lead from each line to its words."""
    lines = [line("A sentence is di-"), line("vided here, and goes"), line("on.")]
    text, places = text_of(lines, frozenset({"divided"}))
    assert text == "A sentence is divided here, and goes on."
    assert [text[p.start : p.end] for p in places] == ["A sentence is di", "vided here, and goes", "on."]


def test_edges_are_those_of_the_widest_lines():
    """A column begins where its full lines do; a centred line is clear of both edges, an indent is not."""
    full = [line("full", y=100 + 12 * n) for n in range(5)]
    centred, indented = line("c", 250, 362, 200), line("i", 87, 540, 220)
    (edges,) = edges_of([*full, centred, indented, line("margin", 60, 90, 240)]).values()
    assert (edges.left, edges.right) == (72, 540)
    assert edges.centres([centred])
    assert not edges.centres([indented])


def test_each_column_has_edges_of_its_own():
    """Edges are by page and column."""
    found = edges_of([line("left", 54, 299), line("right", 317, 562, column=1)])
    assert {key: edges.left for key, edges in found.items()} == {(1, 0): 54, (1, 1): 317}


@pytest.mark.parametrize(
    ("printed", "written"),
    [
        ("Rivi`ere", "Rivière"),
        ("pi`u di `a la", "più di à la"),
        ("Franc¸a, Fran¸ca", "França, França"),
        ("Erd˝os", "Erdős"),
        ("run `make` and `it`", "run `make` and `it`"),
    ],
)
def test_accents_are_put_on_their_letters(printed, written):
    """Accents that fonts draw by themselves join their letters; quoted code keeps its back quotes."""
    assert compose_accents(printed) == written


def test_a_citation_after_the_full_stop_belongs_to_the_sentence_before_it():
    """Chemists cite behind the full stop."""
    text = "It is mapped so.[3,5–7] The most common is this. [30] Some differ. See Kim et al. [3] We agree."
    assert [text[a:b] for a, b in sentences(text)] == [
        "It is mapped so.[3,5–7]", "The most common is this. [30]", "Some differ.",
        "See Kim et al. [3] We agree.",
    ]  # fmt: skip


def test_a_longer_formula_does_not_move_the_edge_of_justified_text():
    """Justified lines tell the right edge; in ragged text the longest line does."""
    lines = [line("full", y=100 + 12 * n) for n in range(5)]
    (edges,) = edges_of([*lines, line("formula", 72, 548, 200)]).values()
    assert edges.right == 540
    (edges,) = edges_of([line("ragged", 72, 500 + 10 * n, 100 + 12 * n) for n in range(5)]).values()
    assert edges.right == 540


def test_a_title_is_centred_though_one_of_its_lines_fills_the_column():
    """The shortest line tells; the later ones may be set in by the number of the first."""
    lines = [line("full", y=100 + 12 * n) for n in range(5)]
    (edges,) = edges_of(lines).values()
    full, short, hung = line("f", 75, 537, 200), line("s", 250, 362, 212), line("h", 260, 372, 212)
    assert edges.centres([full, short])
    assert not edges.centres([full])
    assert not edges.centres([full, hung])
    assert edges.centres([full, hung], hanging=True)


def test_a_title_is_centred_above_a_list():
    """Where a list with hanging indents fills most of a column, the other lines tell where it begins."""
    items = [line("item", 102, 540, 100 + 12 * n) for n in range(9)]
    labels = [line("[1] item", 72, 540, 300 + 12 * n) for n in range(3)]
    (edges,) = edges_of([*items, *labels]).values()
    assert edges.centres([line("title", 250, 362, 400)])
