"""Kill a stage with SIGKILL at random moments, run it again, and compare with an undisturbed run.

    python evals/crash.py [--trials 10] [--stages harvest build rebuild] [--index-url URL] [--json]

A loopback arXiv serves the demo's papers. For each trial a stage is started in a process of its own,
killed at a moment drawn from the length of an undisturbed run, and run again to its end. What then counts:
the same works with the same content hashes, the same passage ids and the same number of vectors.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any
from uuid import uuid4

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

STAGES = ("harvest", "build", "rebuild")
Content = dict[str, Any]


def library(home: Path, options: dict[str, Any]) -> Any:
    """Open the library of a home."""
    from search import Library

    return Library(home=home, oai_interval=0, pdf_interval=0, **options)


def run_stage(stage: str, home: Path, options: dict[str, Any]) -> None:
    """Run one stage in this process; tell on stdout when the imports are over."""
    with library(home, options) as lib:
        _ = lib.lake, lib.store
        print("ready", flush=True)
        if stage == "harvest":
            lib.harvest(from_=date(1990, 1, 1), full_text=True)
        elif stage == "build":
            lib.build()
        else:
            lib.rebuild()


def content(home: Path, options: dict[str, Any]) -> Content:
    """Return what a home's lake and index hold: ids and content hashes."""
    with library(home, options) as lib:
        lib.lake.catalogue.refresh()
        found: Content = {
            "works": [work.model_dump_json() for work in lib.lake.catalogue.works()],
            "pdfs": list(lib.lake.files.names("pdf")),
        }
        if lib.store.generations():
            documents = list(lib.store.contents())
            found["hashes"] = {work.work_id: work.content_hash for work in documents}
            found["passages"] = [
                p.passage_id for work in documents for p in lib.store.passages_of(work.work_id)
            ]
            counts = lib.store.counts()
            found["counts"] = [counts.works, counts.passages, counts.vectors]
            found["sound"] = lib.check().sound
    return found


@contextmanager
def started(stage: str, home: Path, options: dict[str, Any]) -> Iterator[subprocess.Popen[str]]:
    """Start a stage in a process of its own and wait until its work begins."""
    command = [
        sys.executable,
        __file__,
        "--child",
        stage,
        "--home",
        str(home),
        "--options",
        json.dumps(options),
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        process.stdout.readline()
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()


def to_the_end(stage: str, home: Path, options: dict[str, Any]) -> float:
    """Run a stage undisturbed; return its seconds.

    Raises:
        SystemExit: it failed.
    """
    with started(stage, home, options) as process:
        began = time.monotonic()
        if process.wait() != 0:
            sys.exit(f"{stage} failed with {process.returncode} in {home}")
        return time.monotonic() - began


def killed(stage: str, home: Path, options: dict[str, Any], after: float) -> bool:
    """Run a stage and kill it after some seconds; return whether it was still at work."""
    with started(stage, home, options) as process:
        try:
            process.wait(timeout=after)
        except subprocess.TimeoutExpired:
            process.kill()
            return True
    return False


class Bench:
    """Homes of one stage: what goes before it is done once and copied."""

    def __init__(self, folder: Path, options: dict[str, Any]) -> None:
        self.folder = folder
        self.options = options

    def prefix(self) -> dict[str, Any]:
        """Return options with an Elasticsearch prefix of their own, so that trials do not meet."""
        return {**self.options, "index_prefix": f"crash-{uuid4().hex[:8]}"}

    def prepared(self, stage: str, options: dict[str, Any], name: str) -> Path:
        """Return a fresh home in which all stages before this one are done."""
        home = self.folder / name
        for earlier in STAGES[: STAGES.index(stage)]:
            kept = self.folder / f"after-{earlier}"
            if options["index_url"] == "embedded" and kept.exists():
                shutil.rmtree(home, ignore_errors=True)
                shutil.copytree(kept, home)
                continue
            to_the_end(earlier, home, options)
            if options["index_url"] == "embedded":
                shutil.copytree(home, kept)
        home.mkdir(exist_ok=True)
        return home

    def trials(self, stage: str, count: int, seed: int) -> list[dict[str, Any]]:
        """Kill and repeat a stage `count` times; return one row each."""
        options = self.prefix()
        home = self.prepared(stage, options, f"{stage}-reference")
        seconds = to_the_end(stage, home, options)
        expected = content(home, options)
        self.forget(home, options)
        random_ = random.Random(f"{stage}-{seed}")
        rows = []
        for number in range(count):
            options = self.prefix()
            home = self.prepared(stage, options, f"{stage}-{number}")
            after = random_.uniform(0, seconds)
            hit = killed(stage, home, options, after)
            to_the_end(stage, home, options)
            found = content(home, options)
            differing = sorted(key for key in expected if expected[key] != found.get(key))
            rows.append(
                {"stage": stage, "killed_after": round(after, 3), "of": round(seconds, 3),
                 "was_running": hit, "same": not differing, "differing": differing}
            )  # fmt: skip
            self.forget(home, options)
        return rows

    def forget(self, home: Path, options: dict[str, Any]) -> None:
        """Delete a trial's home and its indices."""
        with library(home, options) as lib:
            lib.store.destroy()
        shutil.rmtree(home)


def main() -> None:
    """Run the trials and print a table, or be the child that is killed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--trials", type=int, default=10)
    parser.add_argument("--stages", nargs="+", choices=STAGES, default=list(STAGES))
    parser.add_argument("--index-url", default="embedded")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--child", choices=STAGES, help=argparse.SUPPRESS)
    parser.add_argument("--home", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--options", type=json.loads, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        run_stage(arguments.child, arguments.home, arguments.options)
        return

    from search.demo.run import demo_pdfs, demo_records
    from search.demo.server import LoopbackArxiv

    rows = []
    with (
        tempfile.TemporaryDirectory(prefix="citewell-crash-") as folder,
        LoopbackArxiv(demo_records(), demo_pdfs(), page_size=10) as arxiv,
    ):
        urls = {"oai_base_url": arxiv.oai_url, "pdf_base_url": arxiv.pdf_url}
        bench = Bench(Path(folder), {**urls, "index_url": arguments.index_url})
        for stage in arguments.stages:
            rows += bench.trials(stage, arguments.trials, arguments.seed)
            if not arguments.json:
                for row in rows[-arguments.trials :]:
                    print(
                        f"{row['stage']:8} killed after {row['killed_after']:7.3f} s of {row['of']:7.3f} s  "
                        f"{'at work ' if row['was_running'] else 'finished'}  "
                        f"{'same' if row['same'] else 'DIFFERS: ' + ', '.join(row['differing'])}"
                    )
    if arguments.json:
        print(json.dumps(rows))
    if not all(row["same"] for row in rows):
        sys.exit(1)


if __name__ == "__main__":
    main()
