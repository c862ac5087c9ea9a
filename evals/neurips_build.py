"""Build the 6,545-paper NeurIPS/ICML collection as a library, then search it: throughput, memory, latency.

    python evals/neurips_build.py --home FOLDER [--index-url URL] [--queries 200] [--works N]

Title and abstract of each paper go into the lake as harvested facts would, then `index build` runs as it
does for anybody. A second run on the same home with another `--index-url` reuses the vectors: nothing is
embedded twice. Prints papers per second, the share of time inside the model, peak memory, and for searches
p50 and p95 by stage. Set CITEWELL_EMBEDDING_MODEL to choose the model.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import resource
import sys
import time
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from search import Library  # noqa: E402
from search.progress import Progress  # noqa: E402


def fill(library: Library, papers: list[dict[str, Any]]) -> float:
    """Write the papers' facts into the lake, 1,000 a batch; return the seconds."""
    from search.arxiv.records import ArxivRecord
    from search.lake.facts import ArxivFact
    from search.models import Version

    began = time.monotonic()
    now = datetime.now(UTC)
    for start in range(0, len(papers), 1000):
        facts = []
        for row in papers[start : start + 1000]:
            year, month = 2000 + int(row["arxiv_id"][:2]), int(row["arxiv_id"][2:4])
            newest = int(row["id"].rpartition("v")[2])
            first = datetime(year, month, 1, tzinfo=UTC)
            history = tuple(Version(number=n + 1, date=first + timedelta(days=n)) for n in range(newest))
            record = ArxivRecord(
                work_id=row["arxiv_id"],
                format="arXivRaw",
                title=row["title"],
                abstract=row["abstract"],
                categories=("cs.LG",),
                versions=history,
            )
            facts.append(
                ArxivFact(
                    work_id=record.work_id,
                    version=newest,
                    datestamp=date(2025, 1, 1),
                    response_date=now,
                    record=record,
                )
            )
        library.lake.write_facts(facts)
    return time.monotonic() - began


def some_titles(papers: list[dict[str, Any]], count: int, seed: str) -> list[str]:
    """Return titles to search for, other ones for each seed."""
    return [row["title"] for row in random.Random(seed).sample(papers, count)]


def quantile(values: list[float], share: float) -> float:
    """Return the value below which `share` of the values lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def told(step: Progress) -> None:
    """Say on stderr how far it is, now and then."""
    if step.stage == "embed":
        print(f"\r{step.stage} {step.done}/{step.total}", end="", file=sys.stderr, flush=True)


def latencies(library: Library, queries: list[str], mode: str, hops: int) -> dict[str, tuple[float, float]]:
    """Return (p50, p95) in milliseconds by stage, after ten searches that warm up."""
    stages: dict[str, list[float]] = {}
    for position, query in enumerate(queries[:10] + queries):
        result = library.search(query, mode=mode, hops=hops)  # type: ignore[arg-type]
        if position >= 10:
            for stage, spent in result.metrics.milliseconds.items():
                stages.setdefault(stage, []).append(spent)
    return {stage: (quantile(spent, 0.5), quantile(spent, 0.95)) for stage, spent in stages.items()}


def main() -> None:
    """Build, search, and print what it took."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    default = os.environ.get("CITEWELL_DATA", ROOT.parent / "shared" / "data")
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--index-url", default="embedded")
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--works", type=int, default=None)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    lines = (
        (arguments.data / "corpus" / "neurips_icml" / "papers.jsonl").read_text(encoding="utf-8").splitlines()
    )
    papers = [json.loads(line) for line in lines][: arguments.works]
    with Library(home=arguments.home, index_url=arguments.index_url) as library:
        library.lake.catalogue.refresh()
        fill_seconds = 0.0 if library.lake.catalogue.work_ids() else fill(library, papers)
        report = library.build(progress=told)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        found = {
            # Queries of its own for each mode: the vectors of the last few are remembered.
            name: latencies(library, some_titles(papers, arguments.queries, name), mode, hops)
            for name, mode, hops in (
                ("lexical", "lexical", 0), ("semantic", "semantic", 0),
                ("hybrid", "hybrid", 0), ("hybrid+graph", "hybrid", 1),
            )
        }  # fmt: skip
    result = {
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}",
        "index": arguments.index_url,
        "model": report.model,
        "works": report.works,
        "passages": report.passages,
        "fill_seconds": round(fill_seconds, 2),
        "build_seconds": round(report.seconds, 2),
        "papers_per_second": round(report.works / report.seconds, 2),
        "model_share": round(report.model_seconds / report.seconds, 4),
        "cut_off_share": report.cut_off_share,
        "peak_memory_mb": round(peak, 1),
        "stages": {stage.stage: round(stage.seconds, 2) for stage in report.stages},
        "search_ms": {
            mode: {s: [round(x, 2) for x in v] for s, v in spent.items()} for mode, spent in found.items()
        },
    }
    print(json.dumps(result, indent=None if arguments.json else 1))


if __name__ == "__main__":
    main()
