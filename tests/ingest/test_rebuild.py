"""A new index beside the live one: nothing is lost, nothing worse is published, and there is a way back."""

from __future__ import annotations

import json
import shutil
import threading
from datetime import date

import pytest
from ingest.small_library import BOTH_STORES, Noise, harvested, held, opened, record, same_lake, work_id

from search.cli.run import run
from search.demo.server import LoopbackArxiv
from search.errors import IndexMissing, ModelMismatch, UsageError
from search.ingest import publish as publishing
from search.ingest.build import rebuild
from search.ingest.gate import Gate, known_items
from search.ingest.index import apply, building_generation
from search.lake.facts import UserFact
from search.library import Library


@pytest.fixture
def arxiv():
    """A loopback arXiv of twelve papers without PDFs."""
    with LoopbackArxiv([record(n) for n in range(1, 13)]) as server:
        yield server


@pytest.fixture(params=BOTH_STORES)
def library(request, tmp_path, arxiv):
    """A library that holds them, on either store."""
    with opened(request.param, tmp_path, arxiv, request) as library:
        yield harvested(library)


@pytest.fixture
def embedded(request, tmp_path, arxiv):
    """The same without a server, for what has nothing to do with the store."""
    with opened("embedded", tmp_path, arxiv, request) as library:
        yield harvested(library)


def other_process(library):
    """The same library as another process has it: its own store, and a catalogue of its own."""
    other = Library(library.settings)
    other._parts["lake"] = same_lake(library)
    other._embedder = library.embedder()
    return other


def judgments(folder, relevant):
    """Write a gate's folder: a query for each of these titles, with the one paper that answers it."""
    (folder / "qrels").mkdir(parents=True)
    rows = [{"_id": f"q{n}", "text": text} for n, text in enumerate(relevant)]
    (folder / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    lines = [f"q{n}\t{paper}\t1\n" for n, paper in enumerate(relevant.values())]
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(lines))
    return folder


# ------------------------------------------------------------------ good ones
def test_rebuilt_index_is_examined_and_published(library):
    """What is as good as the live index takes its place, and the report has the figures of both."""
    before = held(library)
    report = library.rebuild()
    assert report.published
    assert held(library) == before
    assert {m.measure for m in report.publication.gate.measured} == {
        "known items, lexical", "known items, semantic",
    }  # fmt: skip
    assert all((m.new, m.live, m.queries) == (1.0, 1.0, 12) for m in report.publication.gate.measured)
    assert report.publication.refused == ()


def test_nothing_is_lost_beside_a_daily_run(library, arxiv, monkeypatch):
    """What another process harvests, removes and builds while a rebuild runs is in the new index."""
    seen_missing = []
    stop = threading.Event()

    def daily():
        number = 20
        with other_process(library) as other:
            while not stop.is_set():
                arxiv.put(record(number))
                arxiv.put(record(1 + number % 10, versions=2, abstract=f"Rewritten on day {number}."))
                other.harvest(from_=date(2024, 1, 1))
                if number % 3 == 0:
                    other.remove(work_id(number))
                other.build()
                number += 1

    def searching():
        while not stop.is_set():
            if not library.search("prime number gaps", mode="lexical").hits:
                seen_missing.append(library.store.live().name)

    threads = [threading.Thread(target=daily), threading.Thread(target=searching)]
    for thread in threads:
        thread.start()
    try:
        reports = [library.rebuild() for _ in range(3)]
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert [report.publication.refused for report in reports] == [()] * 3
    assert all(report.published for report in reports)
    assert seen_missing == [], "a reader always finds what was there before"
    other_process(library).build()
    assert library.check().sound
    there = held(library)
    assert work_id(20) in there
    assert work_id(21) not in there, "removed beside the rebuild"


@pytest.mark.parametrize("moment", ["judge", "publish"])
def test_what_comes_at_the_last_moment_is_applied(library, monkeypatch, moment):
    """A removal during the gate, or while the aliases move, holds in the published index."""
    name = "examine" if moment == "judge" else "drop_old"
    then = getattr(publishing, name)

    def remove_and_go_on(*given, **options):
        same_lake(library).write_facts([UserFact(work_id=work_id(5), topic="removed", value=1)])
        return then(*given, **options)

    if moment == "publish":
        publish = type(library.store).publish

        def publish_late(store, generation):
            remove = UserFact(work_id=work_id(5), topic="removed", value=1)
            same_lake(library).write_facts([remove])
            publish(store, generation)

        monkeypatch.setattr(type(library.store), "publish", publish_late)
    else:
        monkeypatch.setattr(publishing, name, remove_and_go_on)
    assert library.rebuild().published
    assert work_id(5) not in held(library)
    assert library.check().sound


def test_what_is_harvested_after_the_vectors_were_made_is_no_shortfall(library, arxiv, monkeypatch):
    """A new paper's words may be in before its vectors are: whoever harvested it makes them next."""
    numbers = iter(range(30, 50))
    then = publishing.apply

    def harvest_and_apply(*given, **options):
        arxiv.put(record(next(numbers)))
        with other_process(library) as other:
            other.harvest(from_=date(2024, 1, 1))
        return then(*given, **options)

    monkeypatch.setattr(publishing, "apply", harvest_and_apply)
    report = library.rebuild()
    assert report.publication.refused == ()
    assert report.vectors < report.passages
    monkeypatch.undo()
    library.build()
    assert library.check().sound


# ------------------------------------------------------------------ bad ones
def test_lake_that_lost_its_files_replaces_nothing(library):
    """An empty or shrunken lake, as an unmounted disk looks, leaves the live index alone."""
    before, live = held(library), library.store.live().name
    works = library.settings.home / "lake" / "works"
    shutil.move(works, library.settings.home / "elsewhere-works")
    library.lake.catalogue.forget()
    report = library.rebuild()
    assert not report.published
    (why,) = report.publication.refused
    assert "12 works of the live index are not in the lake" in why
    assert library.store.live().name == live
    assert [g.name for g in library.store.generations()] == [live], "and the new one is not kept"
    shutil.move(library.settings.home / "elsewhere-works", works)
    assert library.rebuild().published
    assert held(library) == before


def test_work_that_is_missing_is_named(library):
    """A generation that lacks a work of the lake, or holds one too many, is refused and deleted."""
    live = library.store.live().name
    embedder = library.embedder()
    new = building_generation(library.store, embedder).name
    library.store.mark_applied(new, library.lake.indexed_files())
    report = publishing.publish(library.lake, library.store, new, embedder, gate=None)
    assert "works of the lake are missing from it, such as 2402.00001" in report.refused[0]
    assert report.dropped == (new,)
    assert library.store.live().name == live


def test_vectors_that_are_missing_are_counted(library):
    """A generation without vectors is not published in the place of one with them."""
    embedder = library.embedder()
    new = building_generation(library.store, None).name
    apply(library.store, new, library.lake, None)
    library.store.mark_applied(new, library.lake.indexed_files())
    library.store.set_model(new, fingerprint=embedder.fingerprint, dimensions=embedder.dimensions)
    report = publishing.publish(library.lake, library.store, new, embedder, gate=None)
    assert report.refused == ("12 of its 12 passages have no vector",)


def test_model_that_finds_nothing_is_refused_and_can_be_had_all_the_same(library, arxiv):
    """A model of noise does not replace a good one; `--no-gate` publishes what was kept, without building."""
    for number in range(13, 50):
        arxiv.put(record(number))
    harvested(library)
    live = library.store.live().name
    good = library.embedder()
    library._embedder = Noise()
    report = library.rebuild()
    refused = report.publication.refused
    assert [why.split(":")[0] for why in refused] == ["known items, semantic"]
    assert not report.published
    assert library.store.live().name == live
    kept = report.generation
    assert kept in [g.name for g in library.store.generations()]

    again = library.rebuild()
    assert again.generation != kept, "with the gate it is begun anew"
    assert kept not in [g.name for g in library.store.generations()]
    forced = library.rebuild(gate=False)
    assert (forced.generation, forced.published) == (again.generation, True)
    assert {stage.stage: stage.done for stage in forced.stages}["index"] == 0
    library._embedder = good


def test_operators_judgments_are_held_against_both(embedded, arxiv, tmp_path):
    """A folder of judgments refuses an index that answers them worse, and names the question."""
    folder = judgments(tmp_path / "gate", {"prime number gaps": work_id(12), "robot grasp": work_id(10)})
    arxiv.put(record(12, versions=2, title="A title of its own", abstract="Nothing to do with it."))
    with Library(embedded.settings, gate=folder) as library:
        library._embedder = embedded.embedder()
        library.harvest(from_=date(2024, 1, 1))
        report = library.rebuild()
        (why,) = report.publication.refused
        assert why.startswith("nDCG@10, hybrid: ")
        measured = report.publication.gate.measured[-1]
        assert measured.live == 1.0
        assert measured.new < 0.98
        assert measured.lost == ("q0: prime number gaps",)
        library.build()  # the live index is brought to the same lake
        assert library.rebuild().published


def test_judgments_of_another_library_are_refused_before_anything_is_built(embedded, tmp_path):
    """A gate that could say nothing is a wrong setting, told at once."""
    folder = judgments(tmp_path / "gate", {"anything": "9901.00001"})
    with (
        Library(embedded.settings, gate=folder) as library,
        pytest.raises(UsageError, match="judges no work"),
    ):
        library.rebuild()
    assert len(embedded.store.generations()) == 1


def test_index_of_another_version_of_citewell_is_replaced(embedded):
    """A live index that this version cannot read is no measure, and in nobody's way."""
    file = next((embedded.settings.home / "index").glob("*/generation.json"))
    file.write_text(file.read_text().replace(embedded.store.live().schema_hash, "0" * 12))
    with Library(embedded.settings) as library:
        report = library.rebuild()
    assert report.published
    assert "cannot be read" in report.publication.notes[0]
    assert all(m.live is None and m.held for m in report.publication.gate.measured)


def test_known_items_are_drawn_alike_and_have_titles(embedded, arxiv):
    """The draw depends on the lake alone, and leaves out titles that name no paper."""
    arxiv.put(record(30, title="Reply"))
    embedded.harvest(from_=date(2024, 1, 1))
    drawn = [work.work_id for work in known_items(embedded.lake)]
    assert drawn == [work.work_id for work in known_items(same_lake_folded(embedded))]
    assert len(drawn) == 12
    assert work_id(30) not in drawn


def same_lake_folded(library):
    """The same lake with a catalogue of its own, up to date."""
    lake = same_lake(library)
    lake.catalogue.refresh()
    return lake


def test_command_exits_1_and_says_why(embedded, capsys):
    """A refused rebuild is a failure on the command line, in JSON with its reasons."""
    shutil.rmtree(embedded.settings.home / "lake" / "works")
    embedded.lake.catalogue.forget()
    assert run(["--home", str(embedded.settings.home), "index", "rebuild", "--json"]) == 1
    shown = json.loads(capsys.readouterr().out)
    assert "not in the lake" in shown["publication"]["refused"][0]
    assert run(["--home", str(embedded.settings.home), "index", "rebuild", "--human"]) == 1
    assert "stays live" in capsys.readouterr().out


# ------------------------------------------------------------------ interrupted
@pytest.mark.parametrize("where", ["apply", "shortfalls", "examine", "publish", "after", "drop_old"])
def test_interrupted_rebuild_ends_the_same_when_run_again(library, arxiv, monkeypatch, where):
    """Stopped anywhere, a rebuild leaves a live index that answers, and a second run ends as one would."""
    arxiv.put(record(13))
    library.harvest(from_=date(2024, 1, 1))

    def killed(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        if where == "publish":
            patch.setattr(type(library.store), "publish", killed)
        elif where == "apply":
            patch.setattr(type(library.store), "mark_applied", killed)
        elif where == "after":
            move = type(library.store).publish
            patch.setattr(type(library.store), "publish", lambda *given: (move(*given), killed()))
        else:
            patch.setattr(publishing, where, killed)
        with pytest.raises(KeyboardInterrupt):
            library.rebuild()
    assert library.search("prime number gaps").hits[0].work_id == work_id(12)
    assert library.rebuild().published
    assert library.check().sound
    assert len(held(library)) == 13
    assert sorted(g.state for g in library.store.generations()) == ["live", "old"]


# ------------------------------------------------------------------ the way back
def test_rollback_goes_back_and_forward_with_all_that_came_since(library, arxiv):
    """The older index is brought up to date before it is live: papers that came, and those that went."""
    first = library.store.live().name
    second = library.rebuild().generation
    arxiv.put(record(13))
    library.harvest(from_=date(2024, 1, 1))
    library.remove(work_id(2))
    library.build()
    now = held(library)
    report = library.rollback()
    assert (report.generation, report.former, report.published) == (first, second, True)
    assert library.store.live().name == first
    assert held(library) == now
    assert library.check().sound
    assert library.rollback().generation == second
    assert held(library) == now


def test_rebuild_after_a_rollback_keeps_the_index_that_was_live(library):
    """What a person went back to is what is kept, not the one that they left."""
    first = library.store.live().name
    second = library.rebuild().generation
    library.rollback()
    third = library.rebuild().generation
    assert {g.name: g.state for g in library.store.generations()} == {first: "old", third: "live"}
    assert second not in {first, third}


def test_rollback_needs_somewhere_to_go(embedded):
    """Without another published index there is none to go back to, and the live one is not it."""
    with pytest.raises(IndexMissing, match="no other published"):
        embedded.rollback()
    embedded.rebuild()
    with pytest.raises(UsageError, match="is the live one"):
        embedded.rollback(to=embedded.store.live().name)
    with pytest.raises(IndexMissing, match="nobody"):
        embedded.rollback(to="nobody")


def test_rollback_to_another_model_says_which_setting(library):
    """Going back over a change of models needs the model of then."""
    good = library.embedder()
    library._embedder = Noise()
    rebuild(library.lake, library.store, Noise(), gate=None)
    with pytest.raises(ModelMismatch, match="CITEWELL_EMBEDDING_MODEL"):
        library.rollback()
    library._embedder = good
    assert library.rollback().published
    assert library.check().sound


def test_gate_of_nothing_is_the_settings_default(monkeypatch):
    """The gate that a library uses is the one of its settings."""
    with Library(home="unused", gate_fall=0.5, dense_weight=0.25) as library:
        gate = Gate.from_settings(library.settings)
    assert (gate.folder, gate.measure, gate.fall, gate.weights.dense) == (None, "nDCG@10", 0.5, 0.25)
