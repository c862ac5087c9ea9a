"""Kill Airflow's scheduler, a task and Elasticsearch with SIGKILL in the middle of daily runs.

    python evals/airflow_kills.py [--trials 10] [--victims scheduler task elasticsearch] [--json]

A real Airflow (its own home, LocalExecutor, SQLite) runs `citewell_daily` against a loopback arXiv and a
real Elasticsearch. For each trial the library starts empty and a run is started; each victim is killed once
in it, at moments drawn at random between its tasks and within them, until each was hit at work `--trials`
times. The scheduler and Elasticsearch are started again, as whatever supervises them would. When the run,
or where it failed the next one, has ended, everything is compared with the undisturbed library: all works
of the lake, all PDFs, all documents of the index as raw counts too, so that nothing is lost and nothing is
there twice.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import itertools
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "airflow")]

from elastic import server as elastic  # noqa: E402
from standalone import Airflow, airflow_standalone  # noqa: E402

DAG = "citewell_daily"
VICTIMS = ("scheduler", "task", "elasticsearch")
PREFIX = "kills"
#: Seconds until what was killed is started again.
PAUSE = 2.0
#: Tasks of a run with one share; and seconds after the end of one in which the next is at work.
TASKS, LONGEST_TASK = 9, 6.0
#: Records beside our own papers, of which there is no PDF.
RECORDS = 20
Content = dict[str, Any]


# ---------------------------------------------------------------- what is killed
class Elasticsearch:
    """A server that comes back on the same port with the same data."""

    def __init__(self, room: Path) -> None:
        self.room = room
        self.jdk = elastic.find_jdk()
        self.home = elastic._prepare(self.jdk)  # noqa: SLF001 - the tests' own way to run one
        self.user = elastic._ordinary_user()  # noqa: SLF001
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            self.port = found.getsockname()[1]
        if self.user and not elastic._reachable_by_all(self.home):  # noqa: SLF001
            self.home = shutil.copytree(self.home, room / "home", symlinks=True)
        shutil.copytree(self.home / "config", room / "config")
        for folder in ("logs", "data", "tmp"):
            (room / folder).mkdir()
        settings = {**elastic._settings(room), "http.port": self.port}  # noqa: SLF001
        (room / "config" / "elasticsearch.yml").write_text(json.dumps(settings))
        if self.user:
            for path in [room, *room.rglob("*")]:
                os.chown(path, elastic.NOBODY, elastic.NOBODY)
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, or start it again."""
        with (self.room / "console.log").open("ab") as console:
            self.process = subprocess.Popen(
                [str(self.home / "bin/elasticsearch")],
                cwd=self.room, env=elastic._environment(self.jdk, self.room / "config", self.room),  # noqa: SLF001
                stdin=subprocess.PIPE, stdout=console, stderr=subprocess.STDOUT, start_new_session=True,
                **self.user,
            )  # fmt: skip

    def wait(self) -> None:
        """Return when it answers."""
        elastic._wait_until_ready(self.url, lambda: None)  # noqa: SLF001

    def kill(self) -> None:
        """End its whole group with SIGKILL."""
        assert self.process is not None
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


#: Process groups of the schedulers that were started again.
SCHEDULERS: list[subprocess.Popen[bytes]] = []


def processes(airflow: Airflow, title: str) -> list[psutil.Process]:
    """Return the processes that this Airflow started whose command line holds a title."""
    groups = {airflow.process.pid, *(scheduler.pid for scheduler in SCHEDULERS)}
    found = []
    for process in psutil.process_iter():
        try:
            if os.getpgid(process.pid) in groups and title in " ".join(process.cmdline()):
                found.append(process)
        except (psutil.Error, ProcessLookupError):
            continue
    return found


def scheduler(airflow: Airflow) -> psutil.Process | None:
    """Return the scheduler: of its processes, the one that none of them started."""
    found = processes(airflow, "airflow scheduler")
    pids = {process.pid for process in found}
    return next((process for process in found if process.ppid() not in pids), None)


def start_scheduler(airflow: Airflow) -> None:
    """Start a scheduler, in a process group of its own."""
    with (airflow.home / "standalone.log").open("ab") as log:
        SCHEDULERS.append(
            subprocess.Popen(
                ["airflow", "scheduler"], env=airflow.env, stdout=log, stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL, cwd=airflow.home, start_new_session=True,
            )
        )  # fmt: skip


def running_task(airflow: Airflow) -> tuple[psutil.Process, str] | None:
    """Return the process in which a stage runs, and which stage."""
    for supervisor in processes(airflow, "airflow worker -- LocalExecutor"):
        try:
            children = supervisor.children(recursive=True)
        except psutil.Error:
            continue
        for child in children:
            return child, " ".join(child.cmdline())[:80]
    return None


def stages(airflow: Airflow, run: str) -> str:
    """Return the tasks of a run that are at work."""
    at_work = [t["task_id"] for t in airflow.tasks(DAG, run) if t["state"] in {"running", "queued"}]
    return ", ".join(sorted(set(at_work))) or "between tasks"


# ---------------------------------------------------------------- the library
class World:
    """The library of a trial; every trial begins with an empty one."""

    def __init__(self, home: Path, url: str, arxiv: Any) -> None:
        self.settings = {
            "home": home, "index_url": url, "index_prefix": PREFIX, "oai_base_url": arxiv.oai_url,
            "pdf_base_url": arxiv.pdf_url, "oai_interval": 0, "pdf_interval": 0,
        }  # fmt: skip
        self.environment = {f"CITEWELL_{name.upper()}": str(value) for name, value in self.settings.items()}

    def library(self) -> Any:
        """Open it."""
        from search import Library

        return Library(**self.settings)

    def forget(self) -> None:
        """Empty it: the index, then the lake."""
        with self.library() as library:
            library.store.destroy()
        shutil.rmtree(self.settings["home"], ignore_errors=True)

    def content(self) -> Content:
        """Return everything that counts of its lake and its index."""
        with self.library() as library:
            library.lake.catalogue.refresh()
            documents = list(library.store.contents())
            counts = library.store.counts()
            return {
                "works": [work.model_dump_json() for work in library.lake.catalogue.works()],
                "pdfs": [
                    n for n in library.lake.files.names("pdf") if not n.rsplit("/", 1)[-1].startswith(".")
                ],
                "documents": {work.work_id: work.model_dump_json(exclude={"revision"}) for work in documents},
                "passages": {
                    p.passage_id: p.model_dump_json(exclude={"revision"})
                    for work in documents
                    for p in library.store.passages_of(work.work_id)
                },
                "counts": [counts.works, counts.passages, counts.vectors],
                "raw counts": [self.raw(f"{PREFIX}-works"), self.raw(f"{PREFIX}-passages")],
                "live generations": sum(g.state == "live" for g in library.store.generations()),
                "sound": library.check().sound,
            }

    def raw(self, alias: str) -> int:
        """Count documents as Elasticsearch holds them, whether a search would show them or not."""
        with urllib.request.urlopen(f"{self.settings['index_url']}/{alias}/_count") as answer:
            return int(json.loads(answer.read())["count"])


# ---------------------------------------------------------------- a trial
def settle(airflow: Airflow, run: str) -> tuple[str, int]:
    """Wait for a run to end, and where it failed for the next; return its state and how many it took."""
    runs = 1
    while (state := airflow.wait(DAG, run, timeout=1800)) != "success" and runs < 3:
        run = airflow.trigger(DAG)
        runs += 1
    return state, runs


def kill(airflow: Airflow, search: Elasticsearch, victim: str, run: str) -> str:
    """Kill a victim, and start again what a supervisor would; return what was at work, or nothing."""
    if victim == "task":
        deadline = time.monotonic() + 120
        while (found := running_task(airflow)) is None and time.monotonic() < deadline:
            time.sleep(0.02)
        at_work = stages(airflow, run)
        if found is None:
            return ""
        found[0].kill()
        return at_work
    at_work = stages(airflow, run)
    if victim == "scheduler":
        process = scheduler(airflow)
        assert process is not None
        servers = [child for child in process.children() if "serve-logs" in " ".join(child.cmdline())]
        process.kill()
        for server in servers:  # else the port of the logs stays taken
            server.kill()
        time.sleep(PAUSE)
        start_scheduler(airflow)
    else:
        search.kill()
        time.sleep(PAUSE)
        search.start()
        search.wait()
    return at_work


def trial(
    airflow: Airflow, search: Elasticsearch, moments: list[tuple[int, float, str]]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Run once and kill at the moments; return the outcome, and a row for each kill.

    A moment is so many seconds after so many tasks of the run have ended: on a busy machine the same run
    takes half the time, or twice.
    """
    run = airflow.trigger(DAG)
    began = time.monotonic()
    rows = []
    for ended, after, victim in sorted(moments):
        airflow.until(lambda: has_come_to(airflow, run, ended), f"{ended} tasks to end", 1800)  # noqa: B023
        time.sleep(after)
        at = time.monotonic() - began
        was = airflow.state(DAG, run)
        at_work = kill(airflow, search, victim, run)
        if was in {"success", "failed"}:
            at_work = ""
        rows.append({"victim": victim, "at": round(at, 1), "at_work": at_work, "mid_run": bool(at_work)})
    state, runs = settle(airflow, run)
    again = sum(task["try_number"] > 1 for task in airflow.tasks(DAG, run))
    outcome = {"ended": state, "runs": runs, "tried_again": again, "seconds": time.monotonic() - began}
    return outcome, rows


def has_come_to(airflow: Airflow, run: str, ended: int) -> bool:
    """Return whether so many tasks of a run have ended, or all of it has."""
    states = [task["state"] for task in airflow.tasks(DAG, run)]
    done = sum(state in {"success", "failed", "upstream_failed"} for state in states)
    return done >= ended or airflow.state(DAG, run) in {"success", "failed"}


def clear_orphans(airflow: Airflow) -> None:
    """End the idle workers that a killed scheduler has left: a supervisor such as systemd would have."""
    alive = scheduler(airflow)
    for process in processes(airflow, "airflow worker -- LocalExecutor"):
        try:
            if alive is None or process.ppid() != alive.pid:
                process.kill()
        except psutil.Error:
            continue


@contextmanager
def started(folder: Path) -> Iterator[tuple[Airflow, Elasticsearch, World]]:
    """Yield everything that is needed, running."""
    from search.demo.collection import collection
    from search.demo.papers import own_pdfs, own_records
    from search.demo.server import LoopbackArxiv

    today = datetime.now(UTC).date()
    records = [
        dataclasses.replace(record, datestamp=today) for record in [*own_records(), *collection()[:RECORDS]]
    ]
    room = Path(tempfile.mkdtemp(prefix="citewell-kills-"))
    search = Elasticsearch(room)
    search.start()
    try:
        search.wait()
        with LoopbackArxiv(records, own_pdfs(), page_size=10) as arxiv:
            world = World(folder / "library", search.url, arxiv)
            more = {**world.environment, "AIRFLOW__CORE__PARALLELISM": "4"}
            with airflow_standalone(folder / "airflow", more) as airflow:
                yield airflow, search, world
    finally:
        for scheduler_ in SCHEDULERS:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(scheduler_.pid, signal.SIGKILL)
        search.kill()
        shutil.rmtree(room, ignore_errors=True)


def main() -> None:
    """Run the trials and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--trials", type=int, default=10)
    parser.add_argument("--victims", nargs="+", choices=VICTIMS, default=list(VICTIMS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()

    def say(line: str) -> None:
        print(line, file=sys.stderr if arguments.json else sys.stdout, flush=True)

    draw = random.Random(arguments.seed)
    rows = []
    with tempfile.TemporaryDirectory(prefix="citewell-kills-") as folder, started(Path(folder)) as parts:
        airflow, search, world = parts
        began = time.monotonic()
        airflow.switch_on(DAG)  # which starts a run: the undisturbed one
        airflow.until(lambda: airflow.runs(DAG), "the first run", 120)
        assert airflow.wait(DAG, airflow.runs(DAG)[0]["dag_run_id"]) == "success", airflow.log(200)
        seconds = time.monotonic() - began
        expected = world.content()
        assert expected["sound"], expected
        works, passages, vectors = expected["counts"]
        say(f"undisturbed: {seconds:.1f} s, {works} works, {passages} passages, {vectors} vectors")
        hits: Counter[str] = Counter()
        for number in itertools.count(1):
            left = [victim for victim in arguments.victims if hits[victim] < arguments.trials]
            if not left:
                break
            world.forget()
            moments = [(draw.randrange(TASKS), draw.uniform(0, LONGEST_TASK), victim) for victim in left]
            outcome, kills = trial(airflow, search, moments)
            found = world.content()
            differing = sorted(key for key in expected if expected[key] != found.get(key))
            clear_orphans(airflow)
            for row in kills:
                hits[row["victim"]] += row["mid_run"]
                rows.append(
                    {"trial": number, **row, **outcome, "same": not differing, "differing": differing}
                )
                at_work = row["at_work"] or "nothing"
                say(f"{number:2} {row['victim']:13} killed at {row['at']:5.1f} s, at work: {at_work}")
            verdict = "same" if not differing else "DIFFERS: " + ", ".join(differing)
            say(
                f"   {outcome['ended']} after {outcome['seconds']:.0f} s in {outcome['runs']} run(s), "
                f"{outcome['tried_again']} task(s) tried again: {verdict}"
            )
    if arguments.json:
        print(json.dumps(rows))
    if not all(row["same"] for row in rows):
        sys.exit(1)


if __name__ == "__main__":
    main()
