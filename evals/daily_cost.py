"""What a day costs on a small lake and on a large one: the same records, stage by stage.

    python evals/daily_cost.py --home FOLDER [--works 10000 500000] [--days 6] [--records 1000]
                               [--index-url URL] [--words-only] [--compact] [--json]

Builds one home per size (kept: a second run adds days to it), its works log written directly as a snapshot
import would, its index by the stages. Then each day is run on both, in turns and in fresh processes, by the
functions that the DAGs call (`search.ingest.stages`), each with a pipeline of its own: harvest over loopback
HTTP (the day's records, and those of the day before, which say nothing new), which says into how many
shares the work is split; of each share fetch, read, link and embed; then index, check, publish, report.
Seven tenths of a day's records are new works, the others new versions of works that both lakes hold.

A selection ranks the papers without full text, by words that nearly all of them hold, and its budget rises by
ten a day: those ten are found, fetched from loopback, read and linked. One more day goes first and is not
counted: on new homes it judges all papers. `--compact` merges all files that
both lakes have and counts the days right after it.

The model is a stand-in that answers at once: a real one takes the same time on both lakes, and would only
bring the ratio nearer to 1. Printed are the medians of wall and CPU seconds of each stage, and the ratio of
large to small; CPU time is the steadier one on a machine that does other things.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import os
import random
import re
import resource
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from functools import cached_property, partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

#: The day before the first that is run; the works that are there from the beginning are older.
BEGIN = date(2026, 9, 30)
#: Works of a batch when a lake is made.
BATCH = 5_000
#: Papers of a day that come with a PDF.
WITH_PDF = 10
#: Share of a day's records that are new works.
NEW = 0.7
STAGES = ("harvest", "fetch", "read", "link", "embed", "index", "check", "publish", "report")
#: What only the titles of the day's papers say, which come first, or a word that nearly all abstracts hold.
SELECTION = """keywords = [["wholly", "ba*"]]
budget = {budget}
"""
CATEGORIES = ("cs.CL", "cs.LG", "math.PR", "hep-th", "quant-ph", "astro-ph.GA", "cond-mat.str-el", "stat.ML")


# ---------------------------------------------------------------- made papers
class Prose:
    """Made sentences: 30,000 words, frequent and rare ones as in a language (Zipf's law)."""

    @cached_property
    def sentences(self) -> list[str]:
        """20,000 sentences of 12 to 24 words."""
        chance = random.Random(7)
        syllables = re.findall("[^aeiou]+[aeiou]+n?", "bacedifoguratemilonushaprecontransmetagraphonetimoric")
        words: dict[str, None] = {}
        while len(words) < 30_000:
            words["".join(chance.choices(syllables, k=chance.randint(2, 4)))] = None
        weights = list(itertools.accumulate(1 / (rank + 5) for rank in range(len(words))))
        vocabulary = list(words)
        return [
            " ".join(chance.choices(vocabulary, cum_weights=weights, k=chance.randint(12, 24))) + "."
            for _ in range(20_000)
        ]

    def paper(self, number: int, version: int) -> dict[str, Any]:
        """Return what a paper says of itself, the same for the same number and version."""
        chance = random.Random(f"{number} {version}")
        return {
            "title": chance.choice(self.sentences)[:90].capitalize(),
            "abstract": " ".join(chance.choices(self.sentences, k=8)),
            "authors": [f"{chance.choice('ABCDE')}. {chance.choice(self.sentences)[:7].strip().title()}"
                        for _ in range(chance.randint(1, 6))],
            "categories": list(dict.fromkeys(chance.choices(CATEGORIES, k=2))),
            "doi": f"10.1000/{number}" if number % 3 == 0 else None,
        }  # fmt: skip


PROSE = Prose()


def work_id(number: int) -> str:
    """Return an identifier that nobody else has."""
    month = number // 90_000
    return f"{15 + month // 12:02d}{month % 12 + 1:02d}.{10_000 + number % 90_000:05d}"


def first_day(number: int) -> date:
    """Return when a paper of the first lake came out."""
    return date(2010, 1, 1) + timedelta(days=number // 90)


def fact_line(number: int) -> dict[str, Any]:
    """Return the works log's line of a paper that is there from the beginning."""
    day = first_day(number).isoformat()
    record = {
        "work_id": work_id(number), "format": "arXivRaw", **PROSE.paper(number, 1),
        "versions": [{"number": 1, "date": f"{day}T12:00:00Z", "size": "120kb", "source_type": "D"}],
        "licence": "http://arxiv.org/licenses/nonexclusive-distrib/1.0/", "journal_ref": None,
        "comments": "12 pages, 3 figures", "report_no": None, "submitter": "A. Lovelace", "created": day,
        "updated": day,
    }  # fmt: skip
    return {
        "fact": "arxiv", "work_id": record["work_id"], "version": 1, "datestamp": day,
        "response_date": f"{BEGIN}T00:00:00Z", "record": record,
    }  # fmt: skip


def day_numbers(day: int, records: int) -> tuple[list[int], list[int]]:
    """Return the numbers of a day's new papers, and of those that get another version."""
    new = int(records * NEW)
    first = 5_000_000 + day * records
    return list(range(first, first + new)), random.Random(day).sample(range(10_000), records - new)


# ---------------------------------------------------------------- the model that answers at once
class StandIn:
    """An `Embedder` whose vectors are drawn by the text's hash."""

    name = "stand-in"
    fingerprint = "stand-in"
    dimensions = 384
    max_tokens = 512

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return the number of words."""
        return [text.count(" ") + 3 for text in texts]

    def embed_passages(self, texts: Sequence[str]) -> Any:
        """Return a random unit vector of each text."""
        import numpy as np

        rows = [
            np.random.default_rng(int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])).standard_normal(
                self.dimensions, dtype=np.float32
            )
            for text in texts
        ]
        matrix = np.array(rows, dtype=np.float32).reshape(len(texts), self.dimensions)
        return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)

    def embed_query(self, text: str) -> Any:
        """Return the vector of the text."""
        return self.embed_passages([text])[0]


# ---------------------------------------------------------------- in a process of their own
def build(home: Path, works: int, options: dict[str, Any]) -> dict[str, Any]:
    """Make a lake and its index; return the seconds."""
    from search import Library
    from search.ingest.embed import embed
    from search.ingest.index import apply, generation_to_fill

    model = StandIn() if options["vectors"] else None
    timed = Stages()
    with Library(home=home, index_url=options["index_url"], index_prefix=options["prefix"]) as library:
        lake, store = library.lake, library.store
        with timed("write"):
            for start in range(0, works, BATCH):
                lake.write_fact_lines([fact_line(n) for n in range(start, min(start + BATCH, works))])
            lake.write_window(
                base_url="first", set_=None, from_=date(2010, 1, 1), until=BEGIN,
                response_date=datetime(2026, 10, 1, tzinfo=UTC),
            )  # fmt: skip
        with timed("fold"):
            lake.catalogue.refresh()
        with timed("titles"):
            lake.titles.refresh()
        if model:
            with timed("embed"):
                for _ in embed(lake, model):
                    pass
        with timed("index"):
            generation = generation_to_fill(store, model).name
            apply(store, generation, lake, model)
            store.publish(generation)
    return timed.result()


def compact(home: Path, _: int, options: dict[str, Any]) -> dict[str, Any]:
    """Merge all files of a lake, as weekly runs do with those older than a week; return the seconds."""
    from search import Library
    from search.ingest.index import note_merged

    timed = Stages()
    with Library(home=home, index_url=options["index_url"], index_prefix=options["prefix"]) as library:
        with timed("compact"):
            done = library.lake.compact(older_than=timedelta(0))
        with timed("note"):
            note_merged(library.store, library.lake)
    return {**timed.result(), "merged": done.merged, "into": done.into}


def run_day(home: Path, day: int, options: dict[str, Any]) -> dict[str, Any]:
    """Run one day on a lake as `citewell_daily` does; return the seconds of each stage."""
    import search.embedding
    from search.errors import ModelUnavailable
    from search.ingest import harvest, stages

    selection = home / "selection.toml"
    selection.write_text(SELECTION.format(budget=WITH_PDF * day))
    os.environ |= {
        "CITEWELL_HOME": str(home), "CITEWELL_INDEX_URL": options["index_url"],
        "CITEWELL_INDEX_PREFIX": options["prefix"], "CITEWELL_OAI_BASE_URL": options["oai"],
        "CITEWELL_PDF_BASE_URL": options["pdf"], "CITEWELL_OAI_INTERVAL": "0",
        "CITEWELL_PDF_INTERVAL": "0", "CITEWELL_SELECTION": str(selection),
    }  # fmt: skip
    until = BEGIN + timedelta(days=day)
    harvest.harvest = partial(
        harvest.harvest, from_=until - timedelta(days=1), until=until, today=until + timedelta(days=1)
    )

    def model(_: Any) -> StandIn:
        if not options["vectors"]:
            raise ModelUnavailable("words only")
        return StandIn()

    search.embedding.open_embedder = model
    timed, done = Stages(), Counter[str]()
    started = datetime.now(UTC)
    with timed("harvest"):
        shares = stages.harvest()
    for share in shares:
        for stage in (stages.fetch, stages.read, stages.link, stages.embed):
            with timed(stage.__name__):
                result = stage(share)
            done[stage.__name__] += result["done"]
            done["failed"] += result["failed"]
    with timed("index"):
        generation = stages.index()
    stages.RECENT = datetime.now(UTC) - started
    with timed("check"):
        stages.check(generation)
    with timed("publish"):
        stages.publish(generation)
    with timed("report"):
        report = stages.report()
    return {**timed.result(), "shares": len(shares), **done, **report}


class Stages:
    """Wall and CPU seconds by stage, and the most memory that the process has had."""

    def __init__(self) -> None:
        self._seconds: dict[str, tuple[float, float]] = {}

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        """Time a stage, on top of what it took before."""
        wall, cpu = time.monotonic(), _cpu()
        yield
        before = self._seconds.get(stage, (0.0, 0.0))
        self._seconds[stage] = before[0] + time.monotonic() - wall, before[1] + _cpu() - cpu

    def result(self) -> dict[str, Any]:
        """Return `seconds` by stage as (wall, CPU), and `peak_mb`."""
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        return {"seconds": self._seconds, "peak_mb": peak}


def _cpu() -> float:
    """Return the CPU seconds of this process and of those that it has started and that have ended."""
    return sum(os.times()[:4])


def child(job: str, home: Path, number: int, options: dict[str, Any]) -> dict[str, Any]:
    """Run `build` or `run_day` in a process of its own; return its result."""
    command = [sys.executable, __file__, "--child", job, "--home", str(home), "--number", str(number)]
    done = subprocess.run(
        [*command, "--options", json.dumps(options)], check=True, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONHASHSEED": "0"},
    )  # fmt: skip
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


# ---------------------------------------------------------------- arXiv on loopback
def serve(days: Sequence[int], records: int) -> None:
    """Serve the records of some days and one PDF for all papers, until stdin closes."""
    from search.demo.records import DemoRecord, DemoVersion
    from search.demo.run import demo_pdfs
    from search.demo.server import LoopbackArxiv

    made: dict[str, DemoRecord] = {}
    for day in days:
        new, changed = day_numbers(day, records)
        stamp = BEGIN + timedelta(days=day)
        moment = datetime(stamp.year, stamp.month, stamp.day, 12, tzinfo=UTC)
        fresh = set(new)
        for number in [*new, *changed]:
            first = DemoVersion(datetime.combine(first_day(number), datetime.min.time(), UTC))
            versions = (DemoVersion(moment),) if number in fresh else (first, DemoVersion(moment))
            said = PROSE.paper(number, len(versions) + day)
            made[work_id(number)] = DemoRecord(
                id=work_id(number), title=f"Wholly {said['title']}" if number in fresh else said["title"],
                abstract=said["abstract"],
                authors=", ".join(said["authors"]), categories=" ".join(said["categories"]),
                versions=versions, doi=said["doi"] or "", datestamp=stamp,
            )  # fmt: skip
    pdf = min(demo_pdfs().values(), key=len)
    pdfs = {f"{work_id(n)}v1": pdf for day in days for n in day_numbers(day, records)[0]}
    with LoopbackArxiv(list(made.values()), pdfs, page_size=1000) as arxiv:
        print(json.dumps({"oai": arxiv.oai_url, "pdf": arxiv.pdf_url}), flush=True)
        sys.stdin.read()


@contextmanager
def serving(days: Sequence[int], records: int) -> Iterator[dict[str, str]]:
    """Run `serve` in a process of its own; yield its addresses."""
    numbers = [f"{days[0]}", f"{days[-1]}", f"{records}"]
    process = subprocess.Popen(
        [sys.executable, __file__, "--serve", *numbers],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield json.loads(process.stdout.readline())
    finally:
        process.stdin.close()
        process.wait(10)
        process.stdout.close()


# ---------------------------------------------------------------- the comparison
def days_done(home: Path) -> int:
    """Return how many days were run on the homes already."""
    note = home / "days"
    return int(note.read_text()) if note.exists() else 0


def compare(results: dict[int, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Return a row per stage: medians on the small and the large lake, and their ratios."""
    small, large = sorted(results)
    rows = []

    def median(works: int, of: Callable[[dict[str, tuple[float, float]]], float]) -> float:
        return float(statistics.median(of(result["seconds"]) for result in results[works]))

    # Reading a PDF takes the same anywhere, and so hides a little of the rest.
    sums = {"all": STAGES, "not read": tuple(stage for stage in STAGES if stage != "read")}
    for stage in (*STAGES, *sums):
        row: dict[str, Any] = {"stage": stage}
        for clock, index in (("wall", 0), ("cpu", 1)):

            def seconds(of: dict[str, Any], stage: str = stage, index: int = index) -> float:
                return float(sum(of[name][index] for name in sums.get(stage, (stage,))))

            row[clock] = [round(median(works, seconds), 3) for works in (small, large)]
            row[f"{clock}_ratio"] = round(row[clock][1] / max(row[clock][0], 1e-3), 2)
        rows.append(row)
    return rows


def show(results: dict[int, list[dict[str, Any]]], rows: list[dict[str, Any]]) -> None:
    """Print the table."""
    small, large = sorted(results)
    print(f"{'':9}{'wall s':>20}{'':8}{'CPU s':>20}")
    print(f"{'':9}{small:>10,}{large:>10,}{'ratio':>8}{small:>10,}{large:>10,}{'ratio':>8}")
    for row in rows:
        print(
            f"{row['stage']:9}{row['wall'][0]:>10.3f}{row['wall'][1]:>10.3f}{row['wall_ratio']:>8.2f}"
            f"{row['cpu'][0]:>10.3f}{row['cpu'][1]:>10.3f}{row['cpu_ratio']:>8.2f}"
        )
    for works in (small, large):
        last = results[works][-1]
        told = {name: last[name] for name in last if name != "seconds"}
        print(f"{works:,}: {json.dumps(told)}")


def run_days(
    arguments: argparse.Namespace, homes: dict[int, Path], named: Callable[[int], dict[str, Any]]
) -> dict[int, list[dict[str, Any]]]:
    """Run the days, on both lakes in turns; return what each counted one took, by the lake's size."""
    if arguments.compact:
        for works, home in homes.items():
            print(works, json.dumps(child("compact", home, 0, named(works))), file=sys.stderr, flush=True)
    first = days_done(arguments.home) + 1
    # The days right after merging are just those that are asked about.
    uncounted = 0 if arguments.compact else first
    last = first + arguments.days - 1 + bool(uncounted)
    results: dict[int, list[dict[str, Any]]] = {works: [] for works in homes}
    with serving([max(1, first - 1), last], arguments.records) as urls:
        for day in range(first, last + 1):
            # In turns: small first on odd days, large first on even ones.
            for works in sorted(homes, reverse=day % 2 == 0):
                result = child("day", homes[works], day, {**named(works), **urls})
                print(f"day {day}, {works:,}: {json.dumps(result)}", file=sys.stderr, flush=True)
                results[works] += [] if day == uncounted else [result]
            (arguments.home / "days").write_text(str(day))
    return results


def main() -> None:
    """Build what is not there, run the days, print the table; or be a child."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--home", type=Path)
    parser.add_argument("--works", type=int, nargs=2, default=[10_000, 500_000])
    parser.add_argument("--days", type=int, default=6)
    parser.add_argument("--records", type=int, default=1_000)
    parser.add_argument("--index-url", default="embedded")
    parser.add_argument("--words-only", action="store_true")
    parser.add_argument("--compact", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--number", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--options", type=json.loads, help=argparse.SUPPRESS)
    parser.add_argument("--serve", type=int, nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        first, last, records = arguments.serve
        serve(range(first, last + 1), records)
        return
    if arguments.child:
        job = {"build": build, "compact": compact, "day": run_day}[arguments.child]
        print(json.dumps(job(arguments.home, arguments.number, arguments.options)))
        return
    options = {
        "index_url": arguments.index_url, "vectors": not arguments.words_only, "records": arguments.records
    }  # fmt: skip
    homes = {works: arguments.home / f"works-{works}" for works in sorted(arguments.works)}

    def named(works: int) -> dict[str, Any]:
        return {**options, "prefix": f"daily-{works}"}

    for works, home in homes.items():
        if not (home / "built").exists():
            print(f"building {works:,} works", file=sys.stderr, flush=True)
            built = child("build", home, works, named(works))
            (home / "built").write_text(json.dumps(built))
            print(json.dumps(built), file=sys.stderr, flush=True)
    results = run_days(arguments, homes, named)
    rows = compare(results)
    if arguments.json:
        print(json.dumps({"rows": rows, "results": results}))
    else:
        show(results, rows)


if __name__ == "__main__":
    main()
