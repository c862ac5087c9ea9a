"""Convert the test collections of the real data to the BEIR layout that `citewell eval` reads.

    python evals/beir_folders.py --data DATA --to FOLDER [--split train] [NAME ...]

`FOLDER` must lie outside the repository: the collections are other people's work. Each becomes a folder of
its own: scifact, csfcube, neurips_citations, cranfield, cacm. With `--split train` SciFact's training
claims take the place of the test claims: what is tuned is tuned on those.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
Row = dict[str, Any]


def write(
    folder: Path,
    corpus: Iterable[Row],
    queries: Iterable[Row],
    qrels: Iterable[tuple[str, str, int]],
    edges: Iterable[tuple[str, str]] = (),
) -> None:
    """Write one collection in the BEIR layout."""
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    for name, rows in (("corpus", corpus), ("queries", queries)):
        with (folder / f"{name}.jsonl").open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    with (folder / "qrels" / "test.tsv").open("w", encoding="utf-8") as file:
        file.write("query-id\tcorpus-id\tscore\n")
        file.writelines(f"{query}\t{document}\t{score}\n" for query, document, score in qrels)
    pairs = list(edges)
    if pairs:
        with (folder / "edges.tsv").open("w", encoding="utf-8") as file:
            file.write("citing\tcited\n")
            file.writelines(f"{citing}\t{cited}\n" for citing, cited in pairs)


def json_lines(path: Path) -> list[Row]:
    """Return the rows of a JSON-lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def table(path: Path) -> Iterator[list[str]]:
    """Yield the rows of a tab-separated file below its header."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file, delimiter="\t")
        next(rows)
        yield from rows


def scifact(data: Path, to: Path, split: str) -> None:
    """SciFact (Wadden et al. 2020) in BEIR's judgments; test: 300 claims, train: 809."""
    source = data / "retrieval" / "scifact"
    rows = table(source / f"beir_qrels_{split}.tsv")
    qrels = [(query, document, int(score)) for query, document, score in rows]
    judged = {query for query, _, _ in qrels}
    queries = [row for row in json_lines(source / "queries.jsonl") if row["_id"] in judged]
    write(to, json_lines(source / "corpus.jsonl"), queries, qrels)


def csfcube(data: Path, to: Path, _split: str) -> None:
    """CSFCube (Mysore et al. 2021): a query is a paper and a facet; only its own pool is ranked."""
    source = data / "retrieval" / "csfcube"
    papers = {str(row["id"]): row for row in json_lines(source / "corpus.jsonl")}
    pools = json.loads((source / "test-pid2pool-csfcube.json").read_text(encoding="utf-8"))
    with (source / "queries-release.csv").open(encoding="utf-8", newline="") as file:
        facets = [(row["pid"], row["facet"]) for row in csv.DictReader(file)]
    queries = [
        {
            "_id": f"{pid}_{facet}",
            "text": f"{papers[pid]['title']} {_text(papers[pid])}",
            "exclude": [pid],
            "candidates": [str(c) for c in pools[pid]["cands"]],
        }
        for pid, facet in facets
    ]
    qrels = [
        (f"{pid}_{facet}", document, int(score))
        for pid, facet, document, score in table(source / "qrels.tsv")
        if document != pid
    ]
    corpus = [{"_id": pid, "title": row["title"], "text": _text(row)} for pid, row in papers.items()]
    edges = [line.split("\t") for line in (source / "cited_pairs.tsv").read_text().splitlines() if line]
    write(to, corpus, queries, qrels, [(citing, cited) for citing, cited, *_ in edges])


def neurips_citations(data: Path, to: Path, _split: str) -> None:
    """Recommend what a paper cites: 500 papers of NeurIPS and ICML, without their own edges."""
    source = data / "corpus" / "neurips_icml"
    papers = json_lines(source / "papers.jsonl")
    by_arxiv = {row["arxiv_id"]: row for row in papers}
    edges = [
        (citing, cited) for citing, cited, *_ in table(source / "edges_bbl_derived.tsv") if citing != cited
    ]
    wanted = (data / "retrieval" / "neurips_citations" / "query_ids.txt").read_text().split()
    chosen = [by_arxiv[arxiv_id] for arxiv_id in wanted]
    ids = {row["id"] for row in chosen}
    queries = [
        {"_id": row["id"], "text": f"{row['title']} {row['abstract']}", "exclude": [row["id"]]}
        for row in chosen
    ]
    corpus = [{"_id": row["id"], "title": row["title"], "text": row["abstract"]} for row in papers]
    qrels = [(citing, cited, 1) for citing, cited in edges if citing in ids]
    write(to, corpus, queries, qrels, edges)


def cranfield(data: Path, to: Path, _split: str) -> None:
    """Cranfield (Cleverdon 1967): judgments number queries in file order; grade 1 is the best."""
    source = data / "retrieval" / "cranfield"
    corpus = [
        {"_id": number, "title": fields.get("T", ""), "text": fields.get("W", "")}
        for number, fields in _smart(source / "cran.all.1400")
    ]
    queries = [
        {"_id": f"q{position}", "text": fields["W"]}
        for position, (_, fields) in enumerate(_smart(source / "cran.qry"), start=1)
    ]
    qrels = []
    for line in (source / "cranqrel").read_text().splitlines():
        query, document, grade = line.split()
        if 1 <= int(grade) <= 4:  # other values occur and are not explained
            qrels.append((f"q{query}", document, 5 - int(grade)))
    write(to, corpus, queries, qrels)


def cacm(data: Path, to: Path, _split: str) -> None:
    """CACM (Fox 1983): titles, and abstracts for about half of the articles."""
    source = data / "retrieval" / "cacm"
    corpus = [
        {"_id": number, "title": fields.get("T", ""), "text": fields.get("W", "")}
        for number, fields in _smart(source / "cacm.all")
    ]
    asked = _smart(source / "query.text")
    queries = [{"_id": f"q{number}", "text": fields["W"]} for number, fields in asked if "W" in fields]
    lines = (line.split() for line in (source / "qrels.text").read_text().splitlines())
    write(to, corpus, queries, [(f"q{int(query)}", str(int(document)), 1) for query, document, *_ in lines])


CONVERTERS: dict[str, Callable[[Path, Path, str], None]] = {
    "scifact": scifact,
    "csfcube": csfcube,
    "neurips_citations": neurips_citations,
    "cranfield": cranfield,
    "cacm": cacm,
}


def _text(row: Row) -> str:
    """Return a CSFCube abstract, which may come as a list of sentences."""
    abstract = row["abstract"]
    return " ".join(abstract) if isinstance(abstract, list) else abstract


def _smart(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield (number, fields) of a file in the format of the SMART system: `.I 1`, `.T`, text."""
    records = re.split(r"^\.I\s+", path.read_text(encoding="utf-8", errors="replace"), flags=re.MULTILINE)
    for record in records[1:]:
        number, *parts = re.split(r"^\.([A-Z])\s*$", record, flags=re.MULTILINE)
        fields = dict(zip(parts[::2], (" ".join(text.split()) for text in parts[1::2]), strict=True))
        yield str(int(number)), fields


def convert(name: str, data: Path, to: Path, split: str = "test") -> Path:
    """Convert one collection into `to/name` and return that folder.

    Raises:
        SystemExit: the target lies inside the repository.
    """
    folder = (to / name).resolve()
    if folder.is_relative_to(ROOT) and not folder.is_relative_to(ROOT / ".cache"):
        sys.exit(f"{folder} lies inside the repository; other people's texts do not belong there")
    CONVERTERS[name](data, folder, split)
    return folder


def main() -> None:
    """Convert the collections named on the command line, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="collections to convert; none: all")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--to", type=Path, required=True, help="a folder outside the repository")
    parser.add_argument("--split", choices=("test", "train"), default="test")
    arguments = parser.parse_args()
    for name in arguments.names or CONVERTERS:
        if name not in CONVERTERS:
            parser.error(f"unknown collection {name}; there are {', '.join(CONVERTERS)}")
        print(convert(name, arguments.data, arguments.to, arguments.split))


if __name__ == "__main__":
    main()
