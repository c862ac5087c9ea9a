"""An evaluation folder made by hand, whose measures can be worked out on paper."""

from __future__ import annotations

import json
import math

import pytest

from search.errors import UsageError
from search.evaluation import evaluate, read_collection
from search.library import Library

CORPUS = [
    {"_id": "d1", "title": "Pebble games", "text": "Pebble games decide whether a graph is sparse."},
    {"_id": "d2", "title": "Photons", "text": "Photon pairs at colliders."},
    {"_id": "d3", "title": "", "text": "Photon pairs in fog, photon by photon."},
    {"_id": "d4", "title": "Empty", "text": ""},
    {"_id": "d5", "title": "", "text": ""},
    {"_id": "q1", "title": "", "text": "pebble games pebble games pebble games"},
]
QUERIES = [
    {"_id": "q1", "text": "pebble games"},
    {"_id": "q2", "text": "photon pairs", "exclude": ["d3"]},
    {"_id": "q3", "text": "pebble photon", "candidates": ["d2", "d4"]},
    {"_id": "q4", "text": " ?! "},
    {"_id": "q5", "text": "nobody judged this"},
]
JUDGMENTS = [
    ("q1", "d1", 1),
    ("q2", "d2", 1),
    ("q2", "d3", 1),
    ("q3", "d1", 1),
    ("q4", "d1", 1),
    ("q9", "d1", 1),
]


@pytest.fixture
def folder(tmp_path):
    """The folder in the BEIR layout."""
    return write(tmp_path / "set", CORPUS, QUERIES, JUDGMENTS)


def write(folder, corpus, queries, judgments, edges=()):
    """Write a folder in the BEIR layout."""
    (folder / "qrels").mkdir(parents=True)
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, corpus)) + "\n")
    (folder / "queries.jsonl").write_text("\n".join(map(json.dumps, queries)))
    rows = ["query-id\tcorpus-id\tscore", *("\t".join(map(str, row)) for row in judgments)]
    (folder / "qrels" / "test.tsv").write_text("\n".join(rows) + "\n")
    if edges:
        rows = ["citing\tcited", *("\t".join(row) for row in edges)]
        (folder / "edges.tsv").write_text("\n".join(rows))
    return folder


def measured(folder, tmp_path, **options):
    """The report of an evaluation that uses the default model."""
    with Library(home=tmp_path / "home") as library:
        report = evaluate(folder, library.settings, library.embedder(), **options)
    assert not (tmp_path / "home" / "index").exists(), "the library's own index is not touched"
    return report


def test_measures_are_those_worked_out_by_hand(folder, tmp_path):
    """Own and excluded ids are left out, only candidates are ranked, a query without words finds nothing."""
    report = measured(folder, tmp_path, run_folder=tmp_path / "runs")
    assert (report.documents, report.queries) == (6, 4)
    lines = [line.split() for line in (tmp_path / "runs" / "lexical.trec").read_text().splitlines()]
    assert [(query, document) for query, _, document, *_ in lines] == [
        ("q1", "d1"), ("q2", "d2"), ("q3", "d2"),
    ]  # fmt: skip
    # q1 finds its one document, q2 one of two at the first rank, q3 and q4 none.
    ideal = 1 + 1 / math.log2(3)
    measures = report.runs["lexical"].measures
    assert measures["RR@10"] == pytest.approx(2 / 4)
    assert measures["R@20"] == measures["R@100"] == pytest.approx((1 + 1 / 2) / 4)
    assert measures["nDCG@10"] == pytest.approx((1 + 1 / ideal) / 4, abs=1e-4)
    assert set(report.runs) == {"lexical", "semantic", "hybrid"}


def test_edges_add_a_run_over_the_graph(tmp_path):
    """What the best hit cites is found by the run that follows citations."""
    edges = [("d1", "d2"), ("d1", "not in the corpus")]
    folder = write(tmp_path / "set", CORPUS, [{"_id": "q", "text": "sparse graph"}], [("q", "d2", 1)], edges)
    measured(folder, tmp_path, run_folder=tmp_path / "runs")
    assert " d2 " in (tmp_path / "runs" / "hybrid+graph.trec").read_text()


def test_what_makes_measures_say_less_is_noted(tmp_path):
    """Judged documents that are not there and documents without text are counted in the notes."""
    judgments = [("q", "d2", 1), ("q", "gone", 1)]
    folder = write(tmp_path / "set", CORPUS, [{"_id": "q", "text": "sparse"}], judgments)
    judged, silent = read_collection(folder).notes()
    assert judged == "judged documents that are not in corpus.jsonl: 1, such as gone"
    assert silent == "documents without title and text: 1, such as d5"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("corpus.jsonl", '{"_id": "a"}\n{"_id": "a"}\n', "line 2 repeats the _id 'a'"),
        ("corpus.jsonl", '{"_id": "a", "text": 7}\n', "line 1 has a title or text that is no string"),
        ("corpus.jsonl", '{"_id": "a", "text": "\\ud800"}\n', "line 1 is no JSON"),
        ("queries.jsonl", '{"_id": "q1"}\n', "line 1 lacks _id, text"),
        ("qrels/test.tsv", "header\nq1\td1\t1.5\n", "the judgment '1.5'"),
        ("qrels/test.tsv", "header\nq1\td1\n", "line 2 has fewer than 3 columns"),
        ("qrels/test.tsv", "header\n", "judges none of the queries"),
        ("qrels/test.tsv", "", "judges none of the queries"),
        ("edges.tsv", "d1\td2\nd2\td1\n", "begins with an edge"),
        ("qrels/test.tsv", "q1\td1\t1\nq2\td2\t1\n", "begins with a judgment"),
    ],
)
def test_what_is_not_of_the_layout_is_named(folder, name, content, message):
    """A file that is not of the layout is refused by name and line."""
    (folder / name).write_text(content)
    with pytest.raises(UsageError, match=message):
        read_collection(folder)
