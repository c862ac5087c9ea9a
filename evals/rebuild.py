"""Rebuild the index beside daily runs that write, with readers that search, and count what was lost.

    python evals/rebuild.py [--papers 300] [--rebuilds 4] [--kills 2] [--every 3] [--index-url URL] [--json]

A loopback arXiv serves made-up papers. One process runs the daily stages over and over (harvest new papers
and new versions, remove some, build); another rebuilds, and is killed with SIGKILL at random moments so many
times; this one searches all the while. What then counts: works that the lake has and the index has not, and
the other way round; searches that failed, or did not find a paper that was there all the time.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

WORDS = (
    "graph", "photon", "lattice", "protein", "pipe", "galaxy", "qubit", "glacier", "prime", "retrieval",
    "vector", "fermion", "vortex", "kernel", "entropy", "spline", "plasma", "tensor", "neuron", "matroid",
)  # fmt: skip


def library(home: Path, options: dict[str, Any]) -> Any:
    """Open the library of a home."""
    from search import Library

    return Library(home=home, oai_interval=0, pdf_interval=0, **options)


def work_id(number: int) -> str:
    return f"2402.{number:05d}"


def record(number: int, versions: int = 1, seed: int = 0) -> Any:
    """Make up a paper; another seed is another abstract."""
    from search.demo.server import DemoRecord, DemoVersion

    rng = random.Random(f"{number} {seed}")
    words = " ".join(rng.choices(WORDS, k=60))
    start = datetime(2024, 2, 1, 8, tzinfo=UTC)
    return DemoRecord(
        id=work_id(number),
        title=f"On {WORDS[number % 20]} and {WORDS[number // 20 % 20]} in case {number}",
        abstract=f"We report on {words}.",
        categories="cs.IR",
        versions=tuple(DemoVersion(start + timedelta(days=n)) for n in range(versions)),
    )


# ------------------------------------------------------------------ the other processes
def daily(home: Path, options: dict[str, Any]) -> None:
    """Harvest, remove and build until told to stop; print a line for every run."""
    with library(home, options) as lib:
        runs = 0
        while not (home / "stop").exists():
            began = time.monotonic()
            try:
                lib.harvest(from_=date(2024, 1, 1))
                for number in json.loads((home / "remove.json").read_text()):
                    with suppress(Exception):  # not harvested yet: it is removed at the next run
                        lib.remove(work_id(number))
                lib.build()
            except Exception as error:  # noqa: BLE001 - counted: the next run goes on
                print(f"failed {type(error).__name__}: {error}", flush=True)
            runs += 1
            print(f"run {runs} {time.monotonic() - began:.2f}", flush=True)


def rebuild(home: Path, options: dict[str, Any]) -> None:
    with library(home, options) as lib:
        print("ready", flush=True)
        report = lib.rebuild()
        print(json.dumps({"published": report.published, "seconds": report.seconds}), flush=True)
        if not report.published:
            sys.exit(f"refused: {report.publication.refused}")


def child(role: str, home: Path, options: dict[str, Any], **how: Any) -> subprocess.Popen[str]:
    command = [sys.executable, __file__, "--child", role, "--home", str(home)]
    return subprocess.Popen([*command, "--options", json.dumps(options)], text=True, **how)


# ------------------------------------------------------------------ the reader
class Searching(threading.Thread):
    """Asks for papers that are there all the time, one after the other, until it is told to stop."""

    def __init__(self, lib: Any, papers: int) -> None:
        super().__init__()
        self._lib, self._papers = lib, papers
        self.stop = threading.Event()
        self.milliseconds: list[float] = []
        self.errors: list[str] = []
        self.missed: list[str] = []

    def run(self) -> None:
        """Search until told to stop."""
        rng = random.Random(5)
        while not self.stop.is_set():
            number = rng.randrange(1, self._papers, 7)  # every seventh is left alone by the daily runs
            began = time.perf_counter()
            try:
                hits = self._lib.search(f"case {number}", limit=10).hits
                if work_id(number) not in [hit.work_id for hit in hits]:
                    self.missed.append(work_id(number))
            except Exception as error:  # noqa: BLE001 - the figure is how many there are
                self.errors.append(f"{type(error).__name__}: {error}")
            self.milliseconds.append((time.perf_counter() - began) * 1000)
            time.sleep(0.02)


def quantile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))], 1) if ordered else 0.0


# ------------------------------------------------------------------ the measurement
def measure(arguments: argparse.Namespace, folder: Path) -> dict[str, Any]:
    from search.demo.server import LoopbackArxiv

    rng = random.Random(arguments.seed)
    home, papers = folder / "home", arguments.papers
    home.mkdir()
    (home / "remove.json").write_text("[]")
    with LoopbackArxiv([record(n) for n in range(1, papers + 1)], page_size=200) as arxiv:
        options = {
            "oai_base_url": arxiv.oai_url, "pdf_base_url": arxiv.pdf_url,
            "index_url": arguments.index_url, "index_prefix": f"rebuild-{uuid4().hex[:8]}",
        }  # fmt: skip
        with library(home, options) as lib:
            lib.harvest(from_=date(2024, 1, 1))
            lib.build()
            quiet = Searching(lib, papers)
            quiet.start()
            time.sleep(5)
            quiet.stop.set()
            quiet.join()
            busy = Searching(lib, papers)
            busy.start()
            with (home / "daily.log").open("w") as log:
                writer = child("daily", home, options, stdout=log)
                arrivals = Arrivals(arxiv, home, papers, arguments.every)
                arrivals.start()
                kills, seconds = rebuilds(home, options, arguments, rng)
                arrivals.stop.set()
                arrivals.join()
                (home / "stop").touch()
                writer.wait()
            busy.stop.set()
            busy.join()
            lib.harvest(from_=date(2024, 1, 1))
            for number in arrivals.removed:
                lib.remove(work_id(number))
            lib.build()
            said = (home / "daily.log").read_text().splitlines()
            result = counted(lib, papers, arrivals)
            if arguments.index_url != "embedded":
                lib.store.destroy()
    failed = [line for line in said if line.startswith("failed")]
    return {
        "store": "embedded" if arguments.index_url == "embedded" else "elastic",
        "papers": papers,
        "rebuilds": arguments.rebuilds,
        "kills": kills,
        "rebuild_seconds": round(sum(seconds) / len(seconds), 1),
        "daily_runs": sum(line.startswith("run") for line in said),
        "daily_failed": len(failed),
        **result,
        "searches": len(busy.milliseconds),
        "search_errors": len(busy.errors),
        "searches_that_missed": len(busy.missed),
        "p50_ms": quantile(busy.milliseconds, 0.5),
        "p99_ms": quantile(busy.milliseconds, 0.99),
        "slowest_ms": quantile(busy.milliseconds, 1.0),
        "quiet_p50_ms": quantile(quiet.milliseconds, 0.5),
        "quiet_p99_ms": quantile(quiet.milliseconds, 0.99),
        "said": [*failed[:3], *busy.errors[:3], *busy.missed[:3]],
    }


class Arrivals(threading.Thread):
    """New papers, new versions and removals, as they come to a library in use."""

    def __init__(self, arxiv: Any, home: Path, papers: int, every: float) -> None:
        super().__init__()
        self._arxiv, self._home, self._papers, self._every = arxiv, home, papers, every
        self.stop = threading.Event()
        self.new = 0
        self.versions = 0
        self.removed: list[int] = []

    def run(self) -> None:
        """Bring a new paper and a new version now and then, and ask for a removal now and then."""
        while not self.stop.is_set():
            self.new += 1
            self._arxiv.put(record(self._papers + self.new))
            number = 2 + (7 * self.new) % (self._papers - 10)
            number += number % 7 == 1  # those that the reader asks for stay as they are
            self._arxiv.put(record(number, versions=2, seed=self.new))
            self.versions += 1
            if self.new % 5 == 0:
                self.removed.append(self._papers + self.new - 2)
                (self._home / "remove.new").write_text(json.dumps(self.removed))
                (self._home / "remove.new").replace(self._home / "remove.json")
            self.stop.wait(self._every)


def rebuilds(
    home: Path, options: dict[str, Any], arguments: argparse.Namespace, rng: random.Random
) -> tuple[int, list[float]]:
    """Rebuild so many times to the end, and kill so many others on the way."""
    kills, seconds = 0, []
    for _ in range(arguments.rebuilds):
        process = child("rebuild", home, options, stdout=subprocess.PIPE)
        assert process.stdout
        lines = process.stdout.read().splitlines()
        if process.wait() != 0:
            sys.exit(f"a rebuild failed: {lines}")
        seconds.append(json.loads(lines[-1])["seconds"])
        if kills < arguments.kills:
            process = child("rebuild", home, options, stdout=subprocess.PIPE)
            assert process.stdout
            process.stdout.readline()
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=rng.uniform(0, seconds[-1]))
            kills += process.poll() is None
            process.kill()
            process.wait()
    return kills, seconds


def counted(lib: Any, papers: int, arrivals: Arrivals) -> dict[str, Any]:
    """Compare what arXiv has and was not removed with what the lake and the index have."""
    wanted = {work_id(n) for n in range(1, papers + arrivals.new + 1)}
    wanted -= {work_id(n) for n in arrivals.removed}
    indexed = [work.work_id for work in lib.store.contents() if not work.removed]
    report = lib.check()
    return {
        "arrived": arrivals.new,
        "new_versions": arrivals.versions,
        "removed": len(arrivals.removed),
        "lost": len(wanted - set(indexed)),
        "double": len(indexed) - len(set(indexed)),
        "too_many": len(set(indexed) - wanted),
        "sound": report.sound,
        "generations_left": len(lib.store.generations()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--papers", type=int, default=300)
    parser.add_argument("--rebuilds", type=int, default=4)
    parser.add_argument("--kills", type=int, default=2)
    parser.add_argument("--every", type=float, default=3.0, help="seconds between two arrivals")
    parser.add_argument("--index-url", default="embedded")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--child", choices=["daily", "rebuild"], help=argparse.SUPPRESS)
    parser.add_argument("--home", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--options", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        {"daily": daily, "rebuild": rebuild}[arguments.child](arguments.home, json.loads(arguments.options))
        return
    with tempfile.TemporaryDirectory(prefix="citewell-rebuild-") as folder:
        result = measure(arguments, Path(folder))
    if arguments.json:
        print(json.dumps(result, indent=2))
        return
    print("| what | figure |\n|---|---|")
    for name, value in result.items():
        if name != "said":
            print(f"| {name.replace('_', ' ')} | {value} |")
    for line in result["said"]:
        print(line, file=sys.stderr)


if __name__ == "__main__":
    main()
