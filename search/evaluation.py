"""Evaluation: a folder in the BEIR layout, a throw-away index, and the field's measures.

Layout (Thakur et al., "BEIR: A Heterogeneous Benchmark for Zero-shot Evaluation of Information Retrieval
Models", 2021): `corpus.jsonl` (`_id`, `title`, `text`), `queries.jsonl` (`_id`, `text`, and of our own
`exclude` and `candidates`), `qrels/test.tsv`, and of our own `edges.tsv` (`citing`, `cited`).
"""

from __future__ import annotations

import csv
import resource
import sys
import tempfile
import time
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import orjson

from search.errors import EmptyQuery, UsageError
from search.index import open_store
from search.index.papers import embedding_text, embedding_title, paper_documents, searchable_passages
from search.models import Filters, Mode, Model, Work
from search.progress import Progress, ProgressSink, silent
from search.retrieval.retriever import Retriever, Weights
from search.settings import Settings

if TYPE_CHECKING:
    from search.embedding.protocol import Embedder, Vector
    from search.index.documents import PaperDocuments
    from search.index.protocol import IndexStore

#: Deepest measure is R@100.
DEPTH = 100
#: Works embedded and written at a time.
BATCH = 512
#: Citation steps of the run "hybrid+graph".
HOPS = 1


class RunReport(Model):
    """Measures of one run over all queries, by their ir_measures names, and its latency."""

    measures: dict[str, float]
    p50_ms: float
    p95_ms: float

    def flat(self) -> dict[str, float]:
        """Return measures and latencies side by side, as the JSON output has them."""
        return {**self.measures, "p50_ms": self.p50_ms, "p95_ms": self.p95_ms}


class EvaluationReport(Model):
    """What an evaluation found. `flat()` is the documented JSON form."""

    documents: int
    queries: int
    build_seconds: float
    #: Seconds of the build inside the embedding model.
    model_seconds: float
    peak_memory_mb: float
    model: str
    store: str
    runs: dict[str, RunReport]
    #: What in the folder may make the measures say less than they seem to.
    notes: tuple[str, ...] = ()

    def flat(self) -> dict[str, Any]:
        """Return the documented JSON form."""
        return {**self.model_dump(), "runs": {name: run.flat() for name, run in self.runs.items()}}


@dataclass(frozen=True, slots=True)
class Query:
    """One query and what may be ranked for it."""

    query_id: str
    text: str
    exclude: tuple[str, ...]
    #: None: every document.
    candidates: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Collection:
    """A folder's documents, queries, judgments and citation edges."""

    works: dict[str, Work]
    queries: list[Query]
    qrels: dict[str, dict[str, int]]
    cites: dict[str, list[str]]

    def notes(self) -> tuple[str, ...]:
        """Return what a person should know who reads the measures."""
        judged = {document for scores in self.qrels.values() for document in scores}
        unknown = sorted(judged - self.works.keys())
        silent = [work.work_id for work in self.works.values() if not (work.title or work.abstract).strip()]
        notes = []
        if unknown:
            notes.append(
                f"judged documents that are not in corpus.jsonl: {len(unknown):,}, such as {unknown[0]}"
            )
        if silent:
            notes.append(f"documents without title and text: {len(silent):,}, such as {silent[0]}")
        return tuple(notes)


def read_collection(folder: Path) -> Collection:
    """Read a folder in the BEIR layout.

    Raises:
        UsageError: a file is missing or a line of it is not of the layout, named by number.
    """
    works = {
        str(row["_id"]): Work(
            work_id=str(row["_id"]), title=row.get("title") or "", abstract=row.get("text") or ""
        )
        for row in _rows(folder / "corpus.jsonl", ("_id",))
    }
    queries, qrels = read_judgments(folder)
    cites: dict[str, list[str]] = {}
    if (folder / "edges.tsv").exists():
        for citing, cited in _table(folder / "edges.tsv", 2, works):
            cites.setdefault(citing, []).append(cited)
    return Collection(works, queries, qrels, cites)


def read_judgments(folder: Path) -> tuple[list[Query], dict[str, dict[str, int]]]:
    """Return the judged queries of a folder, and their judgments by query and document; no corpus is needed.

    Raises:
        UsageError: a file is missing or a line of it is not of the layout, named by number.
    """
    queries = [
        Query(
            str(row["_id"]),
            row["text"] or "",
            (str(row["_id"]), *map(str, row.get("exclude") or ())),
            tuple(map(str, row["candidates"])) if row.get("candidates") is not None else None,
        )
        for row in _rows(folder / "queries.jsonl", ("_id", "text"))
    ]
    asked = {query.query_id for query in queries}
    qrels: dict[str, dict[str, int]] = {}
    judgments = folder / "qrels" / "test.tsv"
    for query_id, document_id, score in _table(judgments, 3):
        if query_id not in asked:
            continue  # it would count as a query for which nothing was found
        try:
            qrels.setdefault(query_id, {})[document_id] = int(score)
        except ValueError:
            raise _not_the_layout(
                judgments, f"has the judgment {score!r}, which is no whole number"
            ) from None
    if not qrels:
        raise _not_the_layout(judgments, "judges none of the queries")
    # Queries without judgments say nothing: BEIR's own evaluation leaves them out too.
    return [query for query in queries if query.query_id in qrels], qrels


def evaluate(
    folder: Path,
    settings: Settings,
    embedder: Embedder,
    *,
    run_folder: Path | None = None,
    progress: ProgressSink = silent,
) -> EvaluationReport:
    """Build a throw-away index of a folder and run all modes over its queries.

    Args:
        folder: in the BEIR layout.
        settings: `index_url` and the ranking weights count; the home's own index is not touched.
        embedder: the model for both passages and queries.
        run_folder: where to keep the runs in TREC's format, one file each.
        progress: told how far it is, as every long stage.
    """
    collection = read_collection(folder)
    with _throw_away(settings) as store:
        started = time.monotonic()
        model_seconds = _build(store, collection, embedder, progress)
        build_seconds = time.monotonic() - started
        retriever = Retriever(store, lambda: embedder, Weights.from_settings(settings))
        modes: list[tuple[str, Mode, int]] = [
            ("lexical", "lexical", 0), ("semantic", "semantic", 0), ("hybrid", "hybrid", 0),
        ]  # fmt: skip
        if collection.cites:
            modes.append(("hybrid+graph", "hybrid", HOPS))
        runs = {}
        for name, mode, hops in modes:
            run, latencies = run_queries(
                retriever, collection.queries, mode=mode, hops=hops, name=name, progress=progress
            )
            runs[name] = _measure(collection, run, latencies)
            if run_folder is not None:
                _keep(run_folder / f"{name}.trec", run, name)
    return EvaluationReport(
        documents=len(collection.works),
        queries=len(collection.queries),
        build_seconds=round(build_seconds, 3),
        model_seconds=round(model_seconds, 3),
        peak_memory_mb=round(_peak_memory_mb(), 1),
        model=embedder.name,
        store="embedded" if settings.index_url == "embedded" else "elastic",
        runs=runs,
        notes=collection.notes(),
    )


# ------------------------------------------------------------------ building
@contextmanager
def _throw_away(settings: Settings) -> Iterator[IndexStore]:
    """Open a store of its own and leave nothing of it behind."""
    with tempfile.TemporaryDirectory(prefix="citewell-eval-") as folder:
        own = {"home": Path(folder), "index_prefix": f"{settings.index_prefix}-eval-{uuid4().hex[:8]}"}
        store = open_store(settings.model_copy(update=own))
        try:
            yield store
        finally:
            store.destroy()  # an Elasticsearch would keep the indices
            store.close()


def _build(store: IndexStore, collection: Collection, embedder: Embedder, told: ProgressSink) -> float:
    """Index all documents and publish; return the seconds spent in the model."""
    generation = store.create(fingerprint=embedder.fingerprint, dimensions=embedder.dimensions)
    works = list(collection.works.values())
    model_seconds = 0.0
    for start in range(0, len(works), BATCH):
        told(Progress("build", start, len(works)))
        papers, seconds = _documents(works[start : start + BATCH], collection, embedder)
        model_seconds += seconds
        store.write(generation.name, papers)
    store.publish(generation.name)
    return model_seconds


def _documents(
    works: Sequence[Work], collection: Collection, embedder: Embedder
) -> tuple[list[PaperDocuments], float]:
    """Return the documents of some works with their vectors, and the seconds in the model."""
    passages = [searchable_passages(work, (), embedder) for work in works]
    texts = [
        embedding_text(title, passage.text)
        for work, parts in zip(works, passages, strict=True)
        for title in [embedding_title(work.title, embedder)]
        for passage in parts
    ]
    began = time.monotonic()
    vectors: list[Vector] = list(embedder.embed_passages(texts))
    seconds = time.monotonic() - began
    papers, at = [], 0
    for work, parts in zip(works, passages, strict=True):
        own = vectors[at : at + len(parts)]
        at += len(parts)
        edges = [
            {"cited": f"arxiv:{cited}", "source": "edges.tsv"}
            for cited in collection.cites.get(work.work_id, ())
        ]
        keys = [p.text for p in parts]
        papers.append(paper_documents(work, parts, revision=1, vectors=own, vector_keys=keys, edges=edges))
    return papers, seconds


# ------------------------------------------------------------------ running
def run_queries(
    retriever: Retriever,
    queries: Sequence[Query],
    *,
    mode: Mode,
    hops: int = 0,
    name: str = "",
    progress: ProgressSink = silent,
) -> tuple[dict[str, dict[str, float]], list[float]]:
    """Return scores by query and document, and each query's milliseconds."""
    run: dict[str, dict[str, float]] = {}
    latencies = []
    for position, query in enumerate(queries):
        progress(Progress(name or mode, position, len(queries)))
        filters = Filters(exclude_ids=query.exclude, ids=query.candidates)
        began = time.perf_counter()
        try:
            hits = retriever.search(
                query.text, filters=filters, limit=DEPTH, mode=mode, hops=hops, passages=1
            ).hits
        except EmptyQuery:  # nothing can be found for it: it counts as that, not as no query
            hits = ()
        latencies.append((time.perf_counter() - began) * 1000)
        # Ranks, not scores: where scores tie, trec_eval would order by id instead of by our rank.
        run[query.query_id] = {hit.work_id: float(DEPTH - hit.rank + 1) for hit in hits}
    return run, latencies


def _measure(
    collection: Collection, run: Mapping[str, Mapping[str, float]], latencies: Sequence[float]
) -> RunReport:
    import ir_measures
    from ir_measures import RR, R, nDCG

    wanted = [nDCG @ 10, R @ 20, R @ 100, RR @ 10]
    found = ir_measures.calc_aggregate(wanted, collection.qrels, run)
    ordered = sorted(latencies)
    return RunReport(
        measures={str(measure): round(found[measure], 4) for measure in wanted},
        p50_ms=round(_quantile(ordered, 0.5), 2),
        p95_ms=round(_quantile(ordered, 0.95), 2),
    )


def _keep(path: Path, run: Mapping[str, Mapping[str, float]], name: str) -> None:
    """Write a run in TREC's format: query, Q0, document, rank, score, name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        for query_id, scores in run.items():
            for rank, (document_id, score) in enumerate(scores.items(), start=1):
                file.write(f"{query_id} Q0 {document_id} {rank} {score} {name}\n")


def _quantile(ordered: Sequence[float], share: float) -> float:
    """Return the value below which `share` of the ordered values lie."""
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def _peak_memory_mb() -> float:
    """Return this process's largest resident size so far, in megabytes."""
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return size / (1 << 20) if sys.platform == "darwin" else size / (1 << 10)


# ------------------------------------------------------------------ files
def _rows(path: Path, needed: Iterable[str]) -> Iterator[dict[str, Any]]:
    if not path.is_file():
        raise _not_the_layout(path, "is missing")
    seen = set()
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                row = orjson.loads(line)
            except orjson.JSONDecodeError:
                raise _not_the_layout(path, f"line {number} is no JSON") from None
            if not isinstance(row, dict) or any(name not in row for name in needed):
                raise _not_the_layout(path, f"line {number} lacks {', '.join(needed)}")
            if any(not isinstance(row.get(name) or "", str) for name in ("title", "text")):
                raise _not_the_layout(path, f"line {number} has a title or text that is no string")
            if str(row["_id"]) in seen:
                raise _not_the_layout(path, f"line {number} repeats the _id {row['_id']!r}")
            seen.add(str(row["_id"]))
            yield row


def _table(path: Path, columns: int, known: Container[str] = ()) -> Iterator[list[str]]:
    """Yield the rows of a tab-separated file below its header, in which none of the `known` ids stands."""
    if not path.is_file():
        raise _not_the_layout(path, "is missing")
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        _check_header(path, next(reader, []), known)
        for row in reader:
            if len(row) < columns:
                raise _not_the_layout(path, f"line {reader.line_num} has fewer than {columns} columns")
            yield row[:columns]


def _check_header(path: Path, first: list[str], known: Container[str]) -> None:
    """Refuse a line of data where the header should be: passed over, it would be missing without a word."""
    if any(cell in known for cell in first):
        raise _not_the_layout(path, "begins with an edge, not with the header citing, cited")
    if first[2:] and first[2].strip().lstrip("-").isdecimal():
        raise _not_the_layout(path, "begins with a judgment, not with the header query-id, corpus-id, score")


def _not_the_layout(path: Path, what: str) -> UsageError:
    return UsageError(f"{path} {what}", advice="docs/evaluation.md shows the layout")
