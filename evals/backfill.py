"""Backfills measured: OAI-PMH over loopback and a metadata snapshot, beside bare parsing of the same bytes.

    python evals/backfill.py oai --records 10000 [--identifiers FILE]
    python evals/backfill.py snapshot --records 500000 [--folder DIR] [--catalogue]

`oai` serves made records (under the identifiers of a recorded ListIdentifiers answer where one is given)
from a loopback arXiv, 2,500 a page as arXiv does, and harvests them as `citewell harvest` would. What is
timed is everything after the network: the seconds inside requests are taken off. `snapshot` makes a file
with the fields of arXiv's metadata snapshot and imports it as `citewell harvest --snapshot` would.

Each measurement runs in a process of its own, whose peak memory is the operating system's word for it.
Seconds are the clock's and the processor's: on a machine with other work only the second say what ours costs.
"Bare parsing" is lxml's or orjson's parse of the same bytes in the same process: the floor that no harvester
gets below.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson

#: Words of no paper: what is parsed must be as long as an abstract, not as clever.
WORDS = (  # noqa: SIM905 - one string is easier to read than eighty
    "graph retrieval citation passage neural sparse dense ranking index model data set query document "
    "large small sample bound proof theorem field quantum lattice spectrum galaxy cluster energy phase "
    "transition network training inference attention kernel estimate robust online stochastic gradient "
    "convex manifold operator algebra tensor symmetry decay scattering detector signal noise filter the of "
    "and for with from under over between we show that prove measure compare propose study is are can"
).split()
SURNAMES = (
    "Okafor",
    "Lindqvist",
    'M\\"uller',
    "Nov\\'ak",
    "Tanaka",
    "Rossi",
    "Iyer",
    "Haddad",
    "Silva",
    "Chen",
)
GIVEN = ("Ada", "B. K.", "Chidi", "Dana", "Emil", "Fei", "Grace", "Hugo", "Ingrid", "Jo\\~ao")
CATEGORIES = ("cs.CL", "cs.IR", "cs.LG", "math.PR", "math.CO", "hep-th", "astro-ph.GA", "quant-ph", "stat.ML")
LICENCES = (
    "http://arxiv.org/licenses/nonexclusive-distrib/1.0/",
    "http://creativecommons.org/licenses/by/4.0/",
    None,
)
FORMULA = "$\\sum_{i=1}^{n} x_i^2 \\leq \\frac{1}{2}\\log n$"


class Made:
    """Metadata of papers that do not exist, the same for the same seed."""

    def __init__(self, seed: int = 20261122) -> None:
        self._random = random.Random(seed)
        # Sentences are made once and drawn from: making half a million abstracts word by word takes longer
        # than importing them.
        self._sentences = [self._sentence() for _ in range(4000)]

    def _sentence(self) -> str:
        words = " ".join(self._random.choices(WORDS, k=self._random.randint(12, 28))).capitalize()
        return f"{words} {FORMULA}." if self._random.random() < 0.08 else f"{words}."

    def text(self, sentences: int) -> str:
        """Return some sentences on one line."""
        return " ".join(self._random.choices(self._sentences, k=sentences))

    def paper(self, work_id: str, stamp: date) -> dict[str, Any]:
        """Return one paper with the fields of the snapshot."""
        draw = self._random
        family = draw.choices(SURNAMES, k=draw.randint(1, 7))
        given = draw.choices(GIVEN, k=len(family))
        names = [f"{g} {f}" for g, f in zip(given, family, strict=True)]
        created = [stamp - timedelta(days=40 * n + 1) for n in range(draw.choice((1, 1, 1, 2, 3)))][::-1]
        title = " ".join(draw.choices(WORDS, k=9)).capitalize()
        return {
            "id": work_id,
            "submitter": names[0],
            "authors": ", ".join(names[:-1]) + (" and " if names[1:] else "") + names[-1],
            "title": title.replace(" of ", " of\n  "),
            "comments": "12 pages, 4 figures" if draw.random() < 0.6 else None,
            "journal-ref": None,
            "doi": f"10.1000/made.{draw.randrange(10**6)}" if draw.random() < 0.4 else None,
            "report-no": None,
            "categories": " ".join(dict.fromkeys(draw.choices(CATEGORIES, k=2))),
            "license": draw.choice(LICENCES),
            "abstract": f"  {self.text(7)}\n",
            "versions": [
                {"version": f"v{n}", "created": f"{day:%a, %d %b %Y} 17:01:56 GMT"}
                for n, day in enumerate(created, start=1)
            ],
            "update_date": stamp.isoformat(),
            "authors_parsed": [[f, g, ""] for g, f in zip(given, family, strict=True)],
        }


def made_ids(count: int) -> Iterator[str]:
    """Yield identifiers of the new kind, 20,000 a month from 2007 on."""
    year, month, number = 2015, 1, 0
    for _ in range(count):
        number += 1
        if number > 20_000:
            number, month = 1, month + 1
            year, month = (year + 1, 1) if month > 12 else (year, month)
        yield f"{year % 100:02}{month:02}.{number:05}"


def write_snapshot(path: Path, count: int) -> None:
    """Write a snapshot of made papers."""
    made = Made()
    with path.open("wb") as file:
        for position, work_id in enumerate(made_ids(count)):
            stamp = date(2015, 1, 2) + timedelta(days=position % 4000)
            file.write(orjson.dumps(made.paper(work_id, stamp)) + b"\n")


# ------------------------------------------------------------------ measured in processes of their own
def bare_snapshot(path: Path) -> dict[str, Any]:
    """Parse every line with orjson and do nothing else."""
    began, cpu, count = time.perf_counter(), time.process_time(), 0
    with path.open("rb") as file:
        for line in file:
            orjson.loads(line)
            count += 1
    return {
        "records": count,
        "seconds": time.perf_counter() - began,
        "cpu_seconds": time.process_time() - cpu,
    }


def take_snapshot(path: Path, home: Path) -> dict[str, Any]:
    """Import a snapshot into a new lake: parse, facts, works log, catalogue."""
    from search.arxiv.snapshot import lines, read_record
    from search.ingest import snapshot
    from search.lake.lake import Lake

    memory: list[tuple[int, int]] = []
    lake = Lake(str(home / "lake"), home / "cache")
    spent = {"catalogue": 0.0, "log": 0.0}
    refresh, write = lake.catalogue.refresh, lake.write_fact_lines

    def timed(name: str, function: Any) -> Any:
        def run(*values: Any) -> Any:
            began = time.perf_counter()
            try:
                return function(*values)
            finally:
                spent[name] += time.perf_counter() - began

        return run

    lake.catalogue.refresh = timed("catalogue", refresh)  # type: ignore[method-assign]
    lake.write_fact_lines = timed("log", write)  # type: ignore[method-assign]
    began, cpu = time.perf_counter(), time.process_time()
    report = snapshot.import_snapshot(
        lake, path, base_url="made", progress=lambda event: memory.append((event.done, peak()))
    )
    seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
    part, start = 0, time.process_time()
    for line in lines(path):
        read_record(line.content or b"")
        part += 1
        if part == 20_000:
            break
    return {
        "records": report.records,
        "new": report.new,
        "unreadable": report.unreadable_lines,
        "seconds": seconds,
        "cpu_seconds": cpu,
        **{f"{name}_seconds": value for name, value in spent.items()},
        "parse_cpu_us_per_record": 1e6 * (time.process_time() - start) / part,
        "peak_mb_after": {str(done): mb for done, mb in memory[:: max(1, len(memory) // 5)]},
        "works": len(lake.catalogue.work_ids()),
        "lake_mb": sum(lake.files.size(name) for name in lake.files.names("works")) / 1e6,
    }


def take_oai(url: str, home: Path) -> dict[str, Any]:
    """Harvest everything that a loopback arXiv has, and parse its answers barely."""
    from datetime import date as day

    from lxml import etree

    from search.arxiv.oai import OAIClient
    from search.arxiv.transport import Transport
    from search.ingest.harvest import harvest
    from search.lake.lake import Lake

    network, network_cpu, answers = 0.0, 0.0, []
    with Transport(contact=None, interval=0) as transport:
        get = transport.get

        def timed(*values: Any, **options: Any) -> Any:
            nonlocal network, network_cpu
            began, cpu = time.perf_counter(), time.process_time()
            answer = get(*values, **options)
            network += time.perf_counter() - began
            network_cpu += time.process_time() - cpu
            answers.append(answer.content)
            return answer

        transport.get = timed  # type: ignore[method-assign]
        lake = Lake(str(home / "lake"), home / "cache")
        began, cpu = time.perf_counter(), time.process_time()
        report = harvest(
            lake, OAIClient(url, transport), base_url=url, from_=day(2026, 1, 1), today=day(2026, 1, 20)
        )
        seconds, cpu = time.perf_counter() - began, time.process_time() - cpu - network_cpu
    began, bare_cpu = time.perf_counter(), time.process_time()
    for content in answers:
        etree.fromstring(content)
    bare, bare_cpu = time.perf_counter() - began, time.process_time() - bare_cpu
    return {
        "records": report.records,
        "pages": report.pages,
        "works": len(lake.catalogue.work_ids()),
        "unreadable": len(report.unreadable),
        "seconds": seconds,
        "network_seconds": network,
        "cpu_seconds_after_network": cpu,
        "bare_seconds": bare,
        "bare_cpu_seconds": bare_cpu,
        "megabytes": sum(map(len, answers)) / 1e6,
    }


def peak() -> int:
    """Return this process's largest resident size so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def apart(*arguments: str) -> dict[str, Any]:
    """Run one measurement in a process of its own."""
    done = subprocess.run(
        [sys.executable, __file__, *arguments], stdout=subprocess.PIPE, text=True, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


# ------------------------------------------------------------------ the two commands
def oai(count: int, identifiers: Path | None) -> None:
    """Measure the harvest."""
    from search.demo.records import DemoRecord, DemoVersion
    from search.demo.server import LoopbackArxiv

    ids = list(made_ids(count))
    if identifiers is not None:
        found = re.findall(r"oai:arXiv\.org:([^<\s]+)", identifiers.read_text(encoding="utf-8"))
        ids = list(dict.fromkeys([*found, *ids]))[:count]
        print(f"{min(len(set(found)), count):,} identifiers of {identifiers.name}, the others made")
    made = Made()
    records = []
    for position, work_id in enumerate(ids):
        stamp = date(2026, 1, 2) + timedelta(days=position % 15)
        paper = made.paper(work_id, stamp)
        records.append(
            DemoRecord(
                id=work_id,
                title=paper["title"],
                abstract=paper["abstract"],
                authors=paper["authors"],
                categories=paper["categories"],
                versions=tuple(
                    DemoVersion(datetime(2025, 1 + n, 3, 8, tzinfo=UTC))
                    for n in range(len(paper["versions"]))
                ),
                datestamp=stamp,
            )
        )
    with (
        LoopbackArxiv(records, page_size=2500, clock=lambda: datetime(2026, 1, 20, tzinfo=UTC)) as server,
        tempfile.TemporaryDirectory() as home,
    ):
        found_ = apart("_oai", server.oai_url, home)
    ours = found_["seconds"] - found_["network_seconds"]
    found_ |= {
        "records_per_second_after_network": round(found_["records"] / ours),
        "bare_records_per_second": round(found_["records"] / found_["bare_seconds"]),
        "records_per_cpu_second": round(found_["records"] / found_["cpu_seconds_after_network"]),
        "cpu_ratio_to_bare": round(found_["cpu_seconds_after_network"] / found_["bare_cpu_seconds"], 1),
    }
    print(json.dumps(found_, indent=1))


def snapshot(count: int, folder: Path | None) -> None:
    """Measure the import."""
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        path = Path(scratch, "snapshot.json")
        write_snapshot(path, count)
        bare = apart("_bare", str(path))
        taken = apart("_snapshot", str(path), str(Path(scratch, "home")))
        small = Path(scratch, "small.json")
        write_snapshot(small, min(count, 20_000))
        little = apart("_snapshot", str(small), str(Path(scratch, "little")))
        again = apart("_snapshot", str(path), str(Path(scratch, "home")))
        megabytes = path.stat().st_size / 1e6
    print(
        json.dumps(
            {
                "file_mb": round(megabytes),
                "bare": bare,
                "import": taken,
                "records_per_second": round(taken["records"] / taken["seconds"]),
                "bare_records_per_second": round(bare["records"] / bare["seconds"]),
                "records_per_cpu_second": round(taken["records"] / taken["cpu_seconds"]),
                "cpu_ratio_to_bare": round(taken["cpu_seconds"] / bare["cpu_seconds"], 1),
                "peak_mb": taken["peak_mb"],
                "peak_mb_of_20000": little["peak_mb"],
                "again_seconds": again["seconds"],
            },
            indent=1,
        )
    )


def main() -> None:
    if sys.argv[1:] and sys.argv[1].startswith("_"):
        run = {
            "_bare": lambda path: bare_snapshot(Path(path)),
            "_snapshot": lambda path, home: take_snapshot(Path(path), Path(home)),
            "_oai": lambda url, home: take_oai(url, Path(home)),
        }[sys.argv[1]]
        print(json.dumps(run(*sys.argv[2:]) | {"peak_mb": peak()}))
        return
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("oai", "snapshot"))
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--identifiers", type=Path, help="a recorded ListIdentifiers answer")
    parser.add_argument("--folder", type=Path, help="where the scratch files go")
    options = parser.parse_args()
    if options.what == "oai":
        oai(options.records, options.identifiers)
    else:
        snapshot(options.records, options.folder)


if __name__ == "__main__":
    main()
