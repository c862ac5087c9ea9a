"""What both stores must do. A store's test module subclasses `StoreConformance` and gives it a store.

    class TestEmbedded(StoreConformance):
        @pytest.fixture
        def open_store(self, tmp_path):
            return lambda: EmbeddedStore(tmp_path)

`open_store()` opens the same place each time; the place is empty when the test begins.
"""

from __future__ import annotations

import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from index.papers import DIMENSIONS, paper, random_units, tombstone, unit

from search.errors import IndexFailure, IndexMissing, ModelMismatch
from search.index.documents import PaperDocuments
from search.index.protocol import IndexStore, LegHit, LegRequest
from search.models import Filters

OpenStore = Callable[[], IndexStore]


def ids(leg: Iterable[LegHit]) -> list[str]:
    """Return the work ids of a leg, in order."""
    return [hit.passage.work_id for hit in leg]


def lexical(store: IndexStore, text: str, **request: object) -> tuple[LegHit, ...]:
    """Return what the lexical leg finds."""
    return store.legs(LegRequest(text=text, vector=None, **request)).lexical


def semantic(store: IndexStore, vector: np.ndarray, **request: object) -> tuple[LegHit, ...]:
    """Return what the semantic leg finds."""
    return store.legs(LegRequest(text=None, vector=vector, **request)).semantic


#: One paper each for what filters tell apart. All hold the word "common" and lie near unit(1).
FILTERED = (
    paper("a", "common alpha", vectors=[unit(1, 0.1)], year=1999, licence_class="open",
          authors=("Csaba Balázs",)),
    paper("b", "common beta", vectors=[unit(1, 0.2)], year=2005, categories=("math.AG", "cs.LG")),
    paper("c", "common gamma", vectors=[unit(1, 0.3)], year=2005, categories=("stat.ML",), withdrawn="yes"),
    paper("d", "common delta", vectors=[unit(1, 0.4)], year=None, withdrawn="suspected"),
    paper("e", "common epsilon", vectors=[unit(1, 0.5)], year=2021, licence_class="arxiv",
          authors=("Ada Lovelace", "Jean-Luc O'Neil")),
)  # fmt: skip

CONDITIONS = [
    (Filters(), "abcde"),
    (Filters(year_from=2005), "bce"),
    (Filters(year_to=2005), "abc"),
    (Filters(year_from=2000, year_to=2010), "bc"),
    (Filters(categories=("cs",)), "abde"),
    (Filters(categories=("cs.LG", "stat.ML")), "bc"),
    (Filters(categories=("CS.lg",)), "b"),
    (Filters(categories=("c",)), ""),
    (Filters(authors=("Csaba Balázs",)), "a"),
    (Filters(authors=("BALAZS",)), "a"),
    (Filters(authors=("C. Balazs",)), "a"),
    (Filters(authors=("Lovelace",)), "bcde"),
    (Filters(authors=("Lovelace", "Jean-Luc O'Neil")), "e"),
    (Filters(ids=("a", "e", "nobody")), "ae"),
    (Filters(ids=()), ""),
    (Filters(exclude_ids=("a", "e", "nobody")), "bcd"),
    (Filters(licences=("open", "arxiv")), "ae"),
    (Filters(withdrawn="exclude"), "abde"),
    (Filters(withdrawn="only"), "c"),
    (Filters(year_from=2000, categories=("cs",), withdrawn="exclude", exclude_ids=("b",)), "e"),
]

HOSTILE = [
    'title:"common', "common AND", "common OR NOT", "common) OR (1=1", "[common TO *]", "common~2^5",
    "comm* +common -", "/common/", "{!lucene}common", "common\x00\n\t", "{}[]()\"'\\ common",
    "common && || !", "common\ud800", "<em>common</em>", "*:* common", "common" + " x" * 2000,
]  # fmt: skip


class StoreConformance:
    """The behaviour that `search.index.protocol.IndexStore` promises."""

    #: How many replacements the reader of `test_replacement_is_never_seen_half` watches.
    replacements = 1000

    @pytest.fixture
    def open_store(self) -> OpenStore:
        """A function that opens the test's place; empty when the test begins."""
        raise NotImplementedError

    @pytest.fixture
    def store(self, open_store: OpenStore) -> Iterator[IndexStore]:
        """A store, closed after the test."""
        store = open_store()
        yield store
        store.close()

    @pytest.fixture
    def live(self, store: IndexStore) -> str:
        """Name of an empty published generation with a model."""
        generation = store.create(fingerprint="model-1", dimensions=DIMENSIONS)
        store.publish(generation.name)
        return generation.name

    # ---------------------------------------------------------- generations
    def test_nothing_published(self, store):
        """Before anything is published every read says so, and there are no generations."""
        assert store.generations() == ()
        reads = [
            store.live,
            lambda: lexical(store, "word"),
            lambda: store.works(["a"]),
            lambda: store.passages(["a"]),
            lambda: store.citing(["a"]),
            store.counts,
        ]
        for read in reads:
            with pytest.raises(IndexMissing):
                read()

    def test_generation_knows_itself(self, store):
        """A new generation is building, and remembers model, schema and applied lake files."""
        made = store.create(fingerprint="model-1", dimensions=DIMENSIONS)
        assert (made.state, made.fingerprint, made.dimensions) == ("building", "model-1", DIMENSIONS)
        assert made.schema_hash
        store.mark_applied(made.name, ["works/1", "works/2"])
        store.mark_applied(made.name, ["works/2", "works/3"])
        (known,) = store.generations()
        assert known.name == made.name
        assert known.applied == {"works/1", "works/2", "works/3"}
        assert known.created == made.created

    def test_publish_and_roll_back(self, store):
        """Publishing moves readers in one step; publishing the older one again brings it back."""
        first = store.create(fingerprint="model-1", dimensions=DIMENSIONS).name
        store.write(first, [paper("a", "first text")])
        store.publish(first)
        second = store.create(fingerprint="model-1", dimensions=DIMENSIONS).name
        store.write(second, [paper("b", "second text")])
        assert ids(lexical(store, "text")) == ["a"]
        assert [(g.name, g.state) for g in store.generations()] == [(first, "live"), (second, "building")]
        store.publish(second)
        assert store.legs(LegRequest(text="text", vector=None)).generation == second
        assert ids(lexical(store, "text")) == ["b"]
        assert [g.state for g in store.generations()] == ["old", "live"]
        store.publish(first)
        assert store.live().name == first
        assert ids(lexical(store, "text")) == ["a"]
        assert [g.state for g in store.generations()] == ["live", "old"]

    def test_a_view_reads_one_generation_published_or_not(self, store):
        """What is not published yet can be searched through a view, beside what is live."""
        first = store.create(fingerprint="model-1", dimensions=DIMENSIONS).name
        store.write(first, [paper("a", "first text", vectors=[unit(1)])])
        second = store.create(fingerprint="model-1", dimensions=DIMENSIONS).name
        store.write(second, [paper("b", "second text", vectors=[unit(1)], references=("a",))])
        assert ids(lexical(store.at(second), "text")) == ["b"], "also where nothing is published"
        store.publish(first)
        view = store.at(second)
        assert view.live().name == view.legs(LegRequest(text="text", vector=None)).generation == second
        assert ids(semantic(view, unit(1))) == ["b"]
        assert list(view.works(["a", "b"])) == ["b"]
        assert view.counts() == store.counts(second)
        assert [work.work_id for work in view.contents()] == ["b"]
        assert view.citing(["a"]) == {"a": ("b",)}
        assert [p.text for p in view.passages_of("b")] == ["second text"]
        assert view.vectors_of("b") is not None
        assert ids(lexical(store, "text")) == ["a"]
        with pytest.raises(IndexMissing):
            store.at("nobody")

    def test_drop(self, store, live):
        """A generation that is not live can be dropped; dropping what is not there is no error."""
        other = store.create(fingerprint=None, dimensions=None).name
        store.write(other, [paper("a", "text")])
        store.drop(other)
        store.drop(other)
        store.drop("nobody")
        assert [g.name for g in store.generations()] == [live]
        with pytest.raises(IndexFailure):
            store.drop(live)
        assert store.live().name == live

    def test_counts_and_contents_of_a_building_generation(self, store, live):
        """A generation that is not live can be counted and listed by its name."""
        store.write(live, [paper("a", "text")])
        building = store.create(fingerprint="model-1", dimensions=DIMENSIONS).name
        store.write(building, [paper("c", "text", vectors=[unit(1)]), paper("b", "one", "two")])
        assert store.counts().works == 1
        counts = store.counts(building)
        assert (counts.works, counts.passages, counts.vectors) == (2, 3, 1)
        assert [work.work_id for work in store.contents(building)] == ["b", "c"]

    def test_two_objects_on_one_place(self, store, live, open_store):
        """Another store object sees what this one writes and publishes, at its next call."""
        other = open_store()
        try:
            assert other.counts().works == 0
            store.write(live, [paper("a", "text")])
            assert ids(lexical(other, "text")) == ["a"]
            new = store.create(fingerprint=None, dimensions=None).name
            store.publish(new)
            assert other.live().name == new
            assert lexical(other, "text") == ()
        finally:
            other.close()

    # ---------------------------------------------------------- documents
    def test_documents_come_back_whole(self, store, live):
        """Works, passages and vectors come back exactly as they were written."""
        given = paper(
            "math/0501170",
            "The abstract, with ﬁne Ångström and 日本.", "Second.", "Third.", title="A title: Σ ≤ Ω",
            vectors=random_units(3), references=("1234.5678", "doi:10.1/x"), url="https://example.org/a",
            licence_class="restricted", pinned=True, version=3,
        )  # fmt: skip
        store.write(live, [given])
        assert store.works(["math/0501170", "nobody"]) == {"math/0501170": given.work}
        assert store.passages_of("math/0501170") == given.passages
        wanted = [given.passages[2].passage_id, "nobody", given.passages[0].passage_id]
        assert store.passages(wanted) == {p.passage_id: p for p in (given.passages[0], given.passages[2])}
        np.testing.assert_allclose(store.vectors_of("math/0501170"), np.stack(given.vectors), atol=1e-6)
        assert lexical(store, "angstrom")[0].passage == given.passages[0]
        assert semantic(store, given.vectors[1])[0].passage == given.passages[1]

    def test_unknown_ids(self, store, live):
        """What is not there is left out, and is no error."""
        assert store.works([]) == {}
        assert store.works(["nobody"]) == {}
        assert store.passages(["nobody"]) == {}
        assert store.passages_of("nobody") == ()
        assert store.vectors_of("nobody") is None
        assert store.citing(["nobody"]) == {}

    def test_work_without_passages(self, store, live):
        """A work without any text is there, and no leg finds it."""
        store.write(live, [paper("bare"), paper("a", "text", vectors=[unit(1)])])
        assert set(store.works(["bare", "a"])) == {"bare", "a"}
        assert store.passages_of("bare") == ()
        assert ids(semantic(store, unit(1))) == ["a"]
        assert store.counts().works == 2

    def test_citing(self, store, live):
        """Who cites whom comes back in both directions of the same edges; removed works cite nobody."""
        store.write(
            live,
            [
                paper("a", "x", references=("b", "c", "doi:10.1/X y")),
                paper("b", "x", references=("c",)),
                paper("c", "x"),
                paper("d", "x", references=("c",)),
            ],
        )
        store.write(live, [tombstone("d", revision=2)])
        found = store.citing(["a", "b", "c", "doi:10.1/X y"])
        assert {cited: sorted(works) for cited, works in found.items() if works} == {
            "b": ["a"],
            "c": ["a", "b"],
            "doi:10.1/X y": ["a"],
        }

    def test_contents_in_order(self, store, live):
        """All works come by id, removed ones marked."""
        many = [f"{number:04d}" for number in range(600)]
        store.write(live, (paper(work_id, "text") for work_id in reversed(many)))
        store.write(live, [tombstone("0300", revision=2)])
        works = list(store.contents())
        assert [work.work_id for work in works] == many
        assert [work.work_id for work in works if work.removed] == ["0300"]

    # ---------------------------------------------------------- writing
    def test_writing_twice_changes_nothing(self, store, live):
        """The same papers again are unchanged, whatever their revision says."""
        first = store.write(live, [paper("a", "text", vectors=[unit(1)]), paper("b", "text")])
        assert (first.written, first.unchanged, first.stale) == (2, 0, [])
        again = store.write(live, [paper("a", "text", vectors=[unit(1)]), paper("b", "text", revision=2)])
        assert (again.written, again.unchanged, again.stale) == (0, 2, [])
        assert store.counts().passages == 2

    def test_older_documents_are_refused(self, store, live):
        """A paper older than the index's is skipped and named; an equally old one that differs is taken."""
        store.write(live, [paper("a", "new text", revision=5)])
        late = store.write(live, [paper("a", "old text", revision=4), paper("b", "text", revision=1)])
        assert (late.written, late.stale) == (1, ["a"])
        assert store.passages_of("a")[0].text == "new text"
        assert store.write(live, [paper("a", "better text", revision=5)]).written == 1
        assert store.passages_of("a")[0].text == "better text"

    def test_the_same_paper_twice_in_one_write(self, store, live):
        """The newer of two documents in one write wins, in whichever order they come."""
        store.write(live, [paper("a", "old", revision=1), paper("a", "new", revision=2)])
        written = store.write(live, [paper("b", "new", revision=2), paper("b", "old", revision=1)])
        assert written.stale == ["b"]
        assert [store.passages_of(work_id)[0].text for work_id in "ab"] == ["new", "new"]
        assert store.counts().passages == 2

    def test_replacing_takes_the_old_away(self, store, live):
        """After a replacement no old passage is found by words, by vector or by id."""
        old = paper("a", "apple tree", "banana", "cherry", vectors=[unit(1), unit(0, 1), unit(0, 0, 1)])
        store.write(live, [old, paper("z", "zebra", vectors=[unit(0, 0, 0, 1)])])
        new = paper("a", "apple pie", "dates", revision=2, version=2, vectors=[unit(1, 1), unit(0, 1, 1)])
        assert store.write(live, [new]).written == 1
        assert store.passages_of("a") == new.passages
        assert store.passages([p.passage_id for p in old.passages]) == {}
        assert lexical(store, "banana cherry tree") == ()
        assert [hit.passage for hit in lexical(store, "apple")] == [new.passages[0]]
        assert Counter(ids(semantic(store, unit(1), collapse=False))) == {"a": 2, "z": 1}
        counts = store.counts()
        assert (counts.works, counts.passages, counts.vectors) == (2, 3, 3)

    def test_vectors_that_follow_later(self, store):
        """A generation begins without a model; words are found at once, vectors when they come."""
        name = store.create(fingerprint=None, dimensions=None).name
        store.publish(name)
        store.write(name, [paper("a", "one", "two"), paper("b", "three")])
        legs = store.legs(LegRequest(text="one", vector=unit(1)))
        assert (ids(legs.lexical), legs.semantic) == (["a"], ())
        assert store.vectors_of("a") is None
        store.set_model(name, fingerprint="model-1", dimensions=DIMENSIONS)
        store.set_model(name, fingerprint="model-1", dimensions=DIMENSIONS)
        assert store.live().fingerprint == "model-1"
        assert store.live().dimensions == DIMENSIONS
        written = store.write(name, [paper("a", "one", "two", vectors=[unit(1), None]), paper("b", "three")])
        assert (written.written, written.unchanged) == (1, 1)
        assert ids(semantic(store, unit(1))) == ["a"]
        assert store.counts().vectors == 1
        np.testing.assert_allclose(store.vectors_of("a"), [unit(1)], atol=1e-6)
        with pytest.raises(ModelMismatch):
            store.set_model(name, fingerprint="model-2", dimensions=DIMENSIONS)

    def test_vectors_of_another_model(self, store, live):
        """Vectors of another length are refused, in queries and in papers."""
        store.write(live, [paper("a", "text", vectors=[unit(1)])])
        wrong = np.ones(DIMENSIONS + 1, dtype=np.float32)
        with pytest.raises(ModelMismatch):
            semantic(store, wrong)
        with pytest.raises(ModelMismatch):
            store.write(live, [paper("b", "text", vectors=[wrong])])

    def test_removal(self, store, live):
        """A removed paper is nowhere to be seen, an older write does not bring it back, a newer one does."""
        given = paper("a", "apple", vectors=[unit(1)], revision=5)
        store.write(live, [given, paper("b", "apple", vectors=[unit(1, 1)])])
        assert store.write(live, [tombstone("a", revision=6)]).written == 1
        assert ids(lexical(store, "apple")) == ["b"]
        assert ids(semantic(store, unit(1))) == ["b"]
        assert store.works(["a"]) == {}
        assert store.passages([given.passages[0].passage_id]) == {}
        assert store.passages_of("a") == ()
        assert store.vectors_of("a") is None
        counts = store.counts()
        assert (counts.works, counts.passages, counts.vectors) == (1, 1, 1)
        assert store.write(live, [given]).stale == ["a"]
        assert store.works(["a"]) == {}
        assert store.write(live, [tombstone("a", revision=6)]).unchanged == 1
        assert store.write(live, [paper("a", "apple", vectors=[unit(1)], revision=7)]).written == 1
        assert ids(semantic(store, unit(1))) == ["a", "b"]

    def test_an_input_that_breaks_off(self, store, live):
        """When the papers break off with an error, it comes through, and the next write works."""

        def papers() -> Iterator[PaperDocuments]:
            yield paper("a", "text")
            raise RuntimeError("the reader failed")

        with pytest.raises(RuntimeError, match="the reader failed"):
            store.write(live, papers())
        store.write(live, [paper("a", "text"), paper("b", "text")])
        assert sorted(ids(lexical(store, "text"))) == ["a", "b"]

    def test_unknown_generation(self, store, live):
        """Writing to, or publishing, what is not there is an error."""
        with pytest.raises(IndexMissing):
            store.write("nobody", [paper("a", "text")])
        with pytest.raises(IndexMissing):
            store.publish("nobody")

    # ---------------------------------------------------------- the legs
    @pytest.mark.parametrize(("filters", "expected"), CONDITIONS, ids=lambda value: str(value)[:60])
    def test_filters_hold_in_both_legs(self, store, live, filters, expected):
        """Each filter keeps the same works in both legs."""
        store.write(live, FILTERED)
        legs = store.legs(LegRequest(text="common", vector=unit(1), filters=filters))
        assert sorted(ids(legs.lexical)) == list(expected)
        assert ids(legs.semantic) == list(expected)

    def test_a_filter_that_keeps_little_returns_full_lists(self, store, live):
        """A filter that keeps 2 % leaves full lists, although everything else is nearer and says more."""
        near, far = random_units(500), [unit(-1, i / 10) for i in range(10)]
        others = [paper(f"o{i:03d}", "word word", vectors=[v]) for i, v in enumerate(near)]
        kept = [paper(f"k{i}", "word", vectors=[v], categories=("hep-th",)) for i, v in enumerate(far)]
        store.write(live, [*others, *kept])
        filters = Filters(categories=("hep-th",))
        legs = store.legs(LegRequest(text="word", vector=unit(1), filters=filters, size=10))
        expected = sorted(f"k{i}" for i in range(10))
        assert sorted(ids(legs.lexical)) == expected
        assert sorted(ids(legs.semantic)) == expected

    def test_a_filter_changes_no_score(self, store, live):
        """The same passage has the same score with and without a filter."""
        store.write(live, FILTERED)
        plain = store.legs(LegRequest(text="common alpha", vector=unit(1, 0.3)))
        filters = Filters(year_from=1990, categories=("cs",), authors=("balazs",), withdrawn="exclude")
        filtered = store.legs(LegRequest(text="common alpha", vector=unit(1, 0.3), filters=filters))
        (hit,) = filtered.lexical
        assert hit.score == pytest.approx(plain.lexical[0].score, rel=1e-4)
        expected = next(other.score for other in plain.semantic if other.passage.work_id == "a")
        assert filtered.semantic[0].score == pytest.approx(expected, abs=1e-4)

    def test_one_paper_hides_no_other(self, store, live):
        """One paper with 300 near-identical passages, all better than the rest, hides no work."""
        crowd = random_units(300) * 0.01 + unit(1)
        crowd /= np.linalg.norm(crowd, axis=1, keepdims=True)
        big = paper("big", *(f"word word word number{i}" for i in range(300)), vectors=crowd)
        others = [
            paper(f"o{i:02d}", "word and a longer text about something else", vectors=[unit(1, 1 + i / 10)])
            for i in range(20)
        ]
        store.write(live, [*others, big])
        legs = store.legs(LegRequest(text="word", vector=unit(1), size=15))
        assert len(set(ids(legs.lexical))) == len(legs.lexical) == 15
        assert ids(legs.semantic) == ["big", *(f"o{i:02d}" for i in range(14))]
        everything = store.legs(LegRequest(text="word", vector=unit(1), size=100))
        assert len(everything.lexical) == len(everything.semantic) == 21

    def test_passages_of_one_paper_without_collapsing(self, store, live):
        """With `collapse` off each passage counts, so one paper may fill the list."""
        store.write(
            live,
            [
                paper("a", "word", "word word", "other", vectors=[unit(1), unit(1, 0.1), unit(0, 1)]),
                paper("b", "word here", vectors=[unit(1, 0.5)]),
            ],
        )
        legs = store.legs(LegRequest(text="word", vector=unit(1), collapse=False, size=3))
        assert Counter(ids(legs.lexical)) == {"a": 2, "b": 1}
        assert [(h.passage.work_id, h.passage.ordinal) for h in legs.semantic] == [
            ("a", 0),
            ("a", 1),
            ("b", 0),
        ]

    def test_best_passage_of_each_work(self, store, live):
        """Collapsing keeps the passage with the highest score, and that score."""
        store.write(
            live, [paper("a", "far", "near", "nearer", vectors=[unit(0, 1), unit(1, 1), unit(1, 0.1)])]
        )
        (hit,) = semantic(store, unit(1))
        assert hit.passage.text == "nearer"
        assert hit.score == pytest.approx(float(unit(1) @ unit(1, 0.1)), abs=1e-3)

    def test_ties_come_by_passage_id(self, store, live):
        """Passages with equal scores come in order of their ids, also where the list is cut."""
        store.write(live, [paper(f"t{i:02d}", "same words", vectors=[unit(1)]) for i in reversed(range(40))])
        for size in (5, 40):
            legs = store.legs(LegRequest(text="same words", vector=unit(1), size=size))
            expected = [f"t{i:02d}" for i in range(size)]
            assert ids(legs.lexical) == expected
            assert ids(legs.semantic) == expected

    def test_a_leg_without_input_is_not_run(self, store, live):
        """Words only, a vector only, or neither."""
        store.write(live, FILTERED)
        assert lexical(store, "common")
        assert store.legs(LegRequest(text="common", vector=None)).semantic == ()
        assert store.legs(LegRequest(text=None, vector=unit(1))).lexical == ()
        neither = store.legs(LegRequest(text=None, vector=None))
        assert (neither.lexical, neither.semantic, neither.generation) == ((), (), live)

    def test_scores_are_bm25_as_lucene_has_it(self, store, live):
        """Lexical scores are BM25 (k1 1.2, b 0.75) in Lucene's scale; a word said twice counts twice."""
        texts = {
            "a": "graph network learning",
            "b": "graph graph embedding of a graph for learning",
            "c": "matrix factorisation with missing entries and noise",
            "d": "network",
            "e": "bayesian learning learning theory",
        }
        store.write(live, [paper(work_id, text) for work_id, text in texts.items()])
        stop = {"of", "a", "for", "with", "and"}
        words = {work_id: [w for w in text.split() if w not in stop] for work_id, text in texts.items()}
        mean = sum(map(len, words.values())) / len(words)

        def bm25(query: str) -> dict[str, float]:
            scores: dict[str, float] = {}
            for word in query.split():
                having = sum(word in text for text in words.values())
                idf = math.log(1 + (len(words) - having + 0.5) / (having + 0.5))
                for work_id, text in words.items():
                    often = text.count(word)
                    if often:
                        gain = idf * often / (often + 1.2 * (0.25 + 0.75 * len(text) / mean))
                        scores[work_id] = scores.get(work_id, 0.0) + gain
            return scores

        for query in (
            "graph",
            "learning network",
            "graph graph learning",
            "theory learning learning learning",
        ):
            found = {hit.passage.work_id: hit.score for hit in lexical(store, query)}
            assert found == pytest.approx(bm25(query), rel=0.01)

    # ---------------------------------------------------------- words
    @pytest.mark.parametrize("query", HOSTILE, ids=range(len(HOSTILE)))
    def test_queries_are_words_only(self, store, live, query):
        """Whatever signs a query holds, it is only its words."""
        store.write(live, [paper("a", "a common word"), paper("b", "unlike")])
        assert ids(lexical(store, query)) == ["a"] or "comm*" in query

    @pytest.mark.parametrize("query", ["", "   ", "the of and", "?!", '"""', "\x00", "()"])
    def test_queries_without_words_find_nothing(self, store, live, query):
        """Stop words or signs only find nothing, with and without filters, and are no error."""
        store.write(live, [paper("a", "the state of the art", vectors=[unit(1)])])
        assert lexical(store, query) == ()
        legs = store.legs(LegRequest(text=query, vector=unit(1), filters=Filters(year_from=1990)))
        assert (legs.lexical, ids(legs.semantic)) == ((), ["a"])

    @pytest.mark.parametrize(
        ("text", "query"),
        [
            ("Convolutional networks", "network CONVOLUTION"),
            ("Poincaré maps", "poincare"),
            ("naive Bayes", "naïve"),
            ("the model's error", "model"),
            ("an exponent of 3.5 here", "3.5"),
            ("量子 computing", "量子"),
            ("GPT-4 and x_i", "gpt 4"),
            ("Schrödinger\u2019s equation", "schrodinger"),
        ],
    )
    def test_words_are_found_in_other_forms(self, store, live, text, query):
        """Case, accents, plural, possessives and scripts do not keep a word from being found."""
        store.write(live, [paper("a", text), paper("b", "something else 9.9")])
        assert ids(lexical(store, query)) == ["a"]

    def test_numbers_are_not_split(self, store, live):
        """3.5 is one word: neither 3 nor 5 finds it."""
        store.write(live, [paper("a", "an exponent of 3.5 here"), paper("b", "1,000 papers")])
        assert lexical(store, "3") == ()
        assert ids(lexical(store, "1,000")) == ["b"]

    def test_titles_are_searched(self, store, live):
        """A title's words find the paper, once, through its first passage."""
        store.write(live, [paper("a", "An abstract.", "Body.", title="Attention is all you need")])
        (hit,) = lexical(store, "attention", collapse=False)
        assert (hit.passage.ordinal, hit.passage.text) == (0, "An abstract.")

    # ---------------------------------------------------------- at the same time
    def test_replacement_is_never_seen_half(self, store, live, open_store):
        """A reader during many replacements sees the old paper or the new: never both, never neither."""
        count = 3

        def edition(revision: int) -> PaperDocuments:
            texts = [f"common edition{revision} part{i}" for i in range(count)]
            return paper(
                "a", *texts, revision=revision, version=revision, vectors=[unit(1, i) for i in range(count)]
            )

        store.write(live, [edition(1), paper("z", "other", vectors=[unit(0, 0, 0, 1)])])
        done = threading.Event()

        def read() -> tuple[int, list[str]]:
            reader, searches, wrong = open_store(), 0, []
            try:
                while not done.is_set():
                    time.sleep(0.001)  # lets the writer have the interpreter
                    legs = reader.legs(LegRequest(text="common", vector=unit(1, 1), size=20, collapse=False))
                    searches += 1
                    near = [hit for hit in legs.semantic if hit.passage.work_id == "a"]
                    for name, leg in (("lexical", legs.lexical), ("semantic", near)):
                        revisions = Counter(hit.passage.revision for hit in leg)
                        if list(revisions.values()) != [count]:
                            wrong.append(f"{name}: {dict(revisions)}")
            finally:
                reader.close()
            return searches, wrong

        with ThreadPoolExecutor(2) as pool:
            readers = [pool.submit(read) for _ in range(2)]
            try:
                for revision in range(2, self.replacements + 2):
                    assert store.write(live, [edition(revision)]).written == 1
            finally:
                done.set()
            results = [reader.result() for reader in readers]
        assert [wrong[:5] for _, wrong in results] == [[], []]
        assert min(searches for searches, _ in results) > 10
        assert store.passages_of("a") == edition(self.replacements + 1).passages

    def test_many_threads_read_while_one_writes(self, store, live):
        """50 threads on one store get what one thread gets, while a writer adds other papers."""
        vectors = random_units(60)
        store.write(
            live, [paper(f"p{i:02d}", f"topic{i} shared", vectors=[v]) for i, v in enumerate(vectors)]
        )
        writing = threading.Event()

        def write() -> None:
            for i in range(20):
                store.write(
                    live, [paper(f"new{i}", f"fresh{i}", categories=("hep-th",), vectors=[unit(-1, i)])]
                )
            writing.set()

        def ask(i: int) -> list[str]:
            seen, filters = [], Filters(categories=("cs",))
            while not seen or (not writing.is_set() and len(seen) < 50):
                legs = store.legs(LegRequest(text=f"topic{i}", vector=vectors[i], filters=filters, size=1))
                seen.append("".join(ids(legs.lexical) + ids(legs.semantic)))
                assert store.works([f"p{i:02d}"])[f"p{i:02d}"].work_id == f"p{i:02d}"
            return seen

        with ThreadPoolExecutor(51) as pool:
            writer = pool.submit(write)
            answers = list(pool.map(ask, range(50)))
            writer.result()
        for i, seen in enumerate(answers):
            assert set(seen) == {f"p{i:02d}p{i:02d}"}
        assert store.counts().works == 80

    def test_destroy_leaves_nothing(self, store, live):
        """A destroyed store is one in which nothing was ever built, and can be filled again."""
        store.write(live, [paper("a", "words")])
        store.destroy()
        assert store.generations() == ()
        with pytest.raises(IndexMissing):
            store.live()
        again = store.create(fingerprint=None, dimensions=None)
        store.publish(again.name)
        assert store.counts().works == 0
