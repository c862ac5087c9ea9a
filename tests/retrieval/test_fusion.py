"""Fusion, recency and votes as functions of data."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.errors import BadFilter, EmptyQuery, UsageError
from search.index.documents import PassageDocument, WorkDocument
from search.index.protocol import LegHit, Legs
from search.models import Filters
from search.retrieval.blend import Weights, blend
from search.retrieval.filtering import passes
from search.retrieval.fusion import fuse, min_max
from search.retrieval.graph import AGAINST, vote
from search.retrieval.plan import make_plan
from search.retrieval.recency import recency_score

TODAY = date(2026, 11, 22)


def hit(work_id: str, score: float, *, revision: int = 1, ordinal: int = 0) -> LegHit:
    passage = PassageDocument(
        passage_id=f"{work_id}v1:{ordinal}:00000000",
        work_id=work_id,
        version=1,
        revision=revision,
        ordinal=ordinal,
        text="",
        title=work_id,
    )
    return LegHit(score, passage)


def by_work(legs: Legs, dense: float = 0.6):
    return {f.key: f.score for f in fuse(legs, dense=dense, key=lambda p: p.work_id)}


def works(*ids: str) -> dict[str, WorkDocument]:
    return {i: WorkDocument(work_id=i, version=1, revision=1, content_hash="", title=i) for i in ids}


# ------------------------------------------------------------------ min-max
def test_fused_scores():
    """Each leg is moved to 0 to 1 and weighted; a missing leg counts 0."""
    legs = Legs("g", (hit("a", 30), hit("b", 20), hit("c", 10)), (hit("b", 0.9), hit("d", 0.5)))
    assert by_work(legs) == pytest.approx({"a": 0.4, "b": 0.4 * 0.5 + 0.6, "c": 0.0, "d": 0.0})


def test_order_is_by_score_then_id():
    """Equal scores are ordered by id, so the same data always gives the same list."""
    legs = Legs("g", (hit("z", 5), hit("a", 5), hit("m", 5)))
    assert [f.key for f in fuse(legs, dense=0.6, key=lambda p: p.work_id)] == ["a", "m", "z"]


@pytest.mark.parametrize("scores", [[7.0], [3.0, 3.0, 3.0], [0.0]])
def test_equal_scores_count_in_full(scores):
    """One hit, or hits that nothing tells apart, are worth 1: more than not being found."""
    assert min_max(scores) == [1.0] * len(scores)


def test_an_empty_leg_gives_its_weight_away():
    """Where only one leg has hits, their best reaches 1."""
    assert by_work(Legs("g", (hit("a", 3), hit("b", 1)))) == {"a": 1.0, "b": 0.0}
    assert by_work(Legs("g", (), (hit("a", 0.3), hit("b", 0.1)))) == {"a": 1.0, "b": 0.0}
    assert by_work(Legs("g")) == {}


def test_newest_revision_wins():
    """A leg that saw a paper before its replacement does not count for it."""
    legs = Legs("g", (hit("a", 9, revision=1), hit("b", 4)), (hit("a", 0.8, revision=2),))
    (a,) = [f for f in fuse(legs, dense=0.6, key=lambda p: p.work_id) if f.key == "a"]
    assert a.lexical is None
    assert a.passage.revision == 2


@given(
    st.lists(st.floats(0, 1e6), max_size=30),
    st.lists(st.floats(-1, 1), max_size=30),
    st.floats(0, 1),
)
def test_scores_stay_between_0_and_1(lexical, semantic, dense):
    """Whatever the legs' scales, a fused score is between 0 and 1 and no work is lost or doubled."""
    legs = Legs(
        "g",
        tuple(hit(f"l{i}", s) for i, s in enumerate(sorted(lexical, reverse=True))),
        tuple(hit(f"l{i * 2}", s) for i, s in enumerate(sorted(semantic, reverse=True))),
    )
    fused = fuse(legs, dense=dense, key=lambda p: p.work_id)
    assert all(0 <= f.score <= 1 + 1e-9 for f in fused)
    expected = {h.passage.work_id for h in (*legs.lexical, *legs.semantic)}
    assert sorted(f.key for f in fused) == sorted(expected)


# ------------------------------------------------------------------ votes
def test_votes():
    """A work's graph score is the sum of the seeds' scores by distance, divided by the largest sum."""
    found = vote(
        {"s": 1.0, "t": 0.5}, [("s", "x"), ("t", "x"), ("x", "y"), ("t", "z")], works(*"stxyz"), hops=2
    )
    x, y, z = 0.6 * 1.5, 0.3 * 1.5, 0.6 * 0.5
    # s and t reach each other by what both cite: one step along, one against the citation.
    s, t = 0.3 * AGAINST * 0.5, 0.3 * AGAINST * 1.0
    assert found.scores == pytest.approx({"x": 1.0, "y": y / x, "z": z / x, "s": s / x, "t": t / x})
    assert found.distances == {"s": 0, "t": 0, "x": 1, "z": 1, "y": 2}


def test_what_cites_a_seed_counts_less():
    """A step against the citation weighs less than one along it."""
    found = vote({"s": 1.0}, [("s", "cited"), ("citing", "s")], works("s", "cited", "citing"), hops=1)
    assert found.scores == pytest.approx({"cited": 1.0, "citing": AGAINST})
    assert found.distances == {"s": 0, "cited": 1, "citing": 1}


def test_a_seed_does_not_vote_for_itself():
    """A lonely seed, or one that cites itself, has no graph score."""
    found = vote({"s": 1.0}, [("s", "s")], works("s"), hops=2)
    assert found.scores == {}
    assert found.distances == {"s": 0}


def test_worthless_seeds():
    """Seeds with a score of 0 vote for nothing, and nothing is divided by 0."""
    assert vote({"s": 0.0}, [("s", "x")], works("s", "x"), hops=1).scores == {}


def test_blend_is_a_weighted_mean():
    """The final score is the weighted mean of the signals that take part."""
    fused = fuse(Legs("g", (hit("a", 2), hit("b", 1))), dense=0.6, key=lambda p: p.work_id)
    around = vote({"a": 1.0}, [("a", "c")], works("a", "b", "c"), hops=1)
    found = {w.work_id: w for w in blend(fused, around, Weights(graph=0.5), today=TODAY)}
    assert found["a"].final_score == pytest.approx(1 / 1.5)
    assert found["c"].final_score == pytest.approx(0.5 / 1.5)
    assert (found["b"].graph_score, found["b"].graph_distance) == (0.0, None)
    plain = {w.work_id: w for w in blend(fused, None, Weights(graph=0.5), today=TODAY)}
    assert plain["a"].final_score == 1.0
    assert plain["a"].graph_score is None


# ------------------------------------------------------------------ recency
def test_recency_halves():
    """The score halves with every half-life, is 1 for the future and 0 for an unknown date."""
    assert recency_score(TODAY, today=TODAY, half_life=5) == 1
    assert recency_score(date(2021, 11, 22), today=TODAY, half_life=5) == pytest.approx(0.5, abs=1e-3)
    assert recency_score(date(2016, 11, 22), today=TODAY, half_life=5) == pytest.approx(0.25, abs=1e-3)
    assert recency_score(date(2030, 1, 1), today=TODAY, half_life=5) == 1
    assert recency_score(None, today=TODAY, half_life=5) == 0


# ------------------------------------------------------------------ plans and filters
@pytest.mark.parametrize(
    "category", ["cs", "cs.CL", "CS.cl", "hep-th", "cond-mat.str-el", "q-bio.NC", "math.AG"]
)
def test_categories_of_arxiv(category):
    """Archives and subjects in arXiv's notation are filters, in any case."""
    assert make_plan("x", Filters(categories=(category,))).filters.categories == (category,)


@pytest.mark.parametrize(
    "category", ["", "cs.", ".CL", "cs CL", "cs/CL", "cs.CL.AI", "computer science", "cs*"]
)
def test_no_category(category):
    """What is not in arXiv's notation is refused with an example."""
    with pytest.raises(BadFilter, match="no arXiv category"):
        make_plan("x", Filters(categories=(category,)))


def test_nameless_author():
    """An author filter without a letter is refused: it would match nothing, or everything."""
    with pytest.raises(BadFilter, match="author"):
        make_plan("x", Filters(authors=(" . ",)))


@pytest.mark.parametrize(
    "wrong",
    [
        {"limit": 0},
        {"hops": 3},
        {"hops": -1},
        {"threshold": 1.5},
        {"threshold": float("nan")},
        {"mode": "magic"},
    ],
)
def test_numbers_out_of_range(wrong):
    """A number that has no meaning is a usage error, named."""
    with pytest.raises(UsageError, match=next(iter(wrong))):
        make_plan("x", Filters(), **wrong)


def test_query_words():
    """Blanks are folded; a query in any script is a query; punctuation alone is none."""
    assert make_plan("  a\n b ", Filters()).text == "a b"
    assert make_plan("注意力", Filters()).text == "注意力"
    with pytest.raises(EmptyQuery):
        make_plan("…—!", Filters())


def test_legs_are_as_long_as_the_result():
    """A leg is asked for at least as many works as may be returned."""
    assert make_plan("x", Filters(), limit=10).size == 100
    assert make_plan("x", Filters(), limit=250).size == 250


WORK = WorkDocument(
    work_id="w", version=1, revision=1, content_hash="", year=2015, category_keys=("cs.cl", "cs"),
    author_keys=("ada lovelace", "lovelace", "a lovelace"), licence_class="open", withdrawn="suspected",
)  # fmt: skip


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(), True),
        (Filters(year_from=2015, year_to=2015), True),
        (Filters(year_from=2016), False),
        (Filters(year_to=2014), False),
        (Filters(categories=("math", "CS")), True),
        (Filters(categories=("math",)), False),
        (Filters(authors=("Lovelace", "A. Lovelace")), True),
        (Filters(authors=("Lovelace", "Babbage")), False),
        (Filters(ids=()), False),
        (Filters(ids=("w",)), True),
        (Filters(exclude_ids=("w",)), False),
        (Filters(licences=("open",)), True),
        (Filters(licences=("arxiv",)), False),
        (Filters(withdrawn="exclude"), True),
        (Filters(withdrawn="only"), False),
    ],
)
def test_filters_on_works(filters, expected):
    """A work that the graph brings passes the same conditions as one from a leg."""
    assert passes(WORK, filters) is expected


def test_removed_work_never_passes():
    """A removed work passes no filter, not even the empty one."""
    assert not passes(WORK.model_copy(update={"removed": True}), Filters())
    assert passes(WORK.model_copy(update={"withdrawn": "yes"}), Filters(withdrawn="only"))
    assert not passes(WORK.model_copy(update={"year": None}), Filters(year_to=2020))
