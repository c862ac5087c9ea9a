"""A real Airflow for tests and evaluations: `airflow standalone` in a home of its own, on loopback.

    with airflow_standalone(folder, {"CITEWELL_HOME": "…"}) as airflow:
        airflow.switch_on("citewell_daily")
        run = airflow.trigger("citewell_daily")
        assert airflow.wait("citewell_daily", run) == "success"

It runs in a process group of its own, which ends with the block. Standard library only.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import quote

ROOT = Path(__file__).resolve().parent.parent.parent
#: Seconds until a starting Airflow must answer; 26 s were seen on two idle cores.
START_TIMEOUT = 300.0
#: Seconds until a run must have ended.
RUN_TIMEOUT = 900.0
OVER = {"success", "failed"}


class AirflowError(Exception):
    """Airflow did not do what was asked. The message holds the end of its log."""

    #: Of the answer, where it was one.
    status = 0


def environment(home: Path, port: int, more: Mapping[str, str]) -> dict[str, str]:
    """Return what Airflow is started with: our DAGs and plugins, SQLite, short heartbeats."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AIRFLOW", "CITEWELL"))}
    worker_log, trigger_log = _free_port(), _free_port()
    # `airflow` starts its parts by that name, and they start Python.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    return {
        **kept,
        "PATH": path,
        "NO_PROXY": "127.0.0.1,localhost",
        "AIRFLOW_HOME": str(home),
        "AIRFLOW__CORE__DAGS_FOLDER": str(ROOT / "dags"),
        "AIRFLOW__CORE__PLUGINS_FOLDER": str(ROOT / "plugins"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__PARALLELISM": "2",
        "AIRFLOW__CORE__EXECUTION_API_SERVER_URL": f"http://127.0.0.1:{port}/execution/",
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_ALL_ADMINS": "True",
        "AIRFLOW__CORE__DEFAULT_TASK_RETRY_DELAY": "2",
        "AIRFLOW__API__HOST": "127.0.0.1",
        "AIRFLOW__API__PORT": str(port),
        "AIRFLOW__API__BASE_URL": f"http://127.0.0.1:{port}",
        "AIRFLOW__API__WORKERS": "1",
        "AIRFLOW__LOGGING__WORKER_LOG_SERVER_PORT": str(worker_log),
        "AIRFLOW__LOGGING__TRIGGER_LOG_SERVER_PORT": str(trigger_log),
        "AIRFLOW__SCHEDULER__SCHEDULER_HEARTBEAT_SEC": "1",
        # A killed task is noticed within seconds, not after five minutes.
        "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_SEC": "2",
        "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT": "15",
        "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT_DETECTION_INTERVAL": "3",
        "AIRFLOW__SCHEDULER__ORPHANED_TASKS_CHECK_INTERVAL": "5",
        "AIRFLOW__SCHEDULER__SCHEDULER_HEALTH_CHECK_THRESHOLD": "10",
        "AIRFLOW__WORKERS__MIN_HEARTBEAT_INTERVAL": "1",
        **more,
    }


class Airflow:
    """A running Airflow, asked over its REST API."""

    def __init__(self, home: Path, port: int, env: dict[str, str], process: subprocess.Popen[bytes]) -> None:
        self.home = home
        self.url = f"http://127.0.0.1:{port}"
        self.env = env
        self.process = process
        self._token = ""

    # ------------------------------------------------------------------ asking
    def ask(self, path: str, body: Any = None, *, method: str = "") -> Any:
        """Return what `/api/v2/<path>` answers; a body makes it a POST."""
        request = urllib.request.Request(
            f"{self.url}/api/v2/{path}",
            data=None if body is None else json.dumps(body).encode(),
            method=method or ("GET" if body is None else "POST"),
            headers={"Content-Type": "application/json", "Authorization": f"Bearer {self._token}"},
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                content = answer.read()
        except urllib.error.HTTPError as refused:
            error = AirflowError(f"{path}: {refused.code} {refused.read()[:500]!r}")
            error.status = refused.code
            raise error from None
        return json.loads(content) if content else None

    def log_in(self) -> None:
        """Get a token: every visitor of this Airflow is an administrator."""
        with urllib.request.urlopen(f"{self.url}/auth/token", timeout=60) as answer:
            self._token = json.loads(answer.read())["access_token"]

    def command(self, *arguments: str) -> str:
        """Run `airflow …` beside it and return what it prints."""
        done = subprocess.run(
            ["airflow", *arguments], env=self.env, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise AirflowError(f"airflow {' '.join(arguments)}: {done.stderr[-2000:]}")
        return done.stdout

    # ------------------------------------------------------------------ DAGs
    def switch_on(self, dag: str, *, on: bool = True) -> None:
        """Unpause a DAG, or pause it."""
        self.ask(f"dags/{dag}", {"is_paused": not on}, method="PATCH")

    def trigger(self, dag: str, conf: dict[str, Any] | None = None) -> str:
        """Start a run by hand, as the button does; return its id."""
        body = {"logical_date": None, "conf": conf or {}}
        run: str = self.ask(f"dags/{dag}/dagRuns", body)["dag_run_id"]
        return run

    def begin_backfill(self, dag: str, moment: str) -> None:
        """Ask for the one run of a moment, again where SQLite was locked: a server's database never is.

        What a locked attempt has left counts as a backfill until Airflow sees that it has no runs.
        """

        def begun() -> bool:
            body = {"dag_id": dag, "from_date": moment, "to_date": moment, "max_active_runs": 1}
            try:
                self.ask("backfills", body)
            except AirflowError as error:
                if error.status not in {HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.CONFLICT}:
                    raise
                return False
            return True

        self.until(begun, f"the backfill of {dag} to begin", 300)

    def runs(self, dag: str) -> list[dict[str, Any]]:
        """Return a DAG's runs, oldest first."""
        found: list[dict[str, Any]] = self.ask(f"dags/{dag}/dagRuns?order_by=id&limit=100")["dag_runs"]
        return found

    def state(self, dag: str, run: str) -> str:
        """Return the state of a run."""
        found: str = self.ask(f"dags/{dag}/dagRuns/{quote(run, safe='')}")["state"]
        return found

    def wait(self, dag: str, run: str, *, timeout: float = RUN_TIMEOUT) -> str:
        """Return the state in which a run ended."""
        self.until(lambda: self.state(dag, run) in OVER, f"{dag} {run} to end", timeout)
        return self.state(dag, run)

    def tasks(self, dag: str, run: str) -> list[dict[str, Any]]:
        """Return the task instances of a run, in the order in which they began."""
        path = f"dags/{dag}/dagRuns/{quote(run, safe='')}/taskInstances?limit=200"
        found: list[dict[str, Any]] = self.ask(path)["task_instances"]
        return sorted(found, key=lambda task: task["start_date"] or "~")

    def until(self, condition: Callable[[], Any], what: str, timeout: float) -> None:
        """Wait for something; an Airflow that has ended is an error, one that is restarting is not."""
        deadline = time.monotonic() + timeout
        while True:
            with contextlib.suppress(OSError):
                if condition():
                    return
            if self.process.poll() is not None:
                raise AirflowError(f"Airflow ended while waiting for {what}:\n{self.log()}")
            if time.monotonic() > deadline:
                raise AirflowError(f"waited {timeout:.0f} s for {what}:\n{self.log()}")
            time.sleep(0.5)

    def log(self, lines: int = 60) -> str:
        """Return the end of what Airflow has printed."""
        return "\n".join((self.home / "standalone.log").read_text(errors="replace").splitlines()[-lines:])


@contextmanager
def airflow_standalone(
    home: Path, more: Mapping[str, str], *, pools: Mapping[str, int] | None = None
) -> Iterator[Airflow]:
    """Yield a running Airflow with the pools made; it ends with the block.

    Args:
        home: its folder.
        more: environment variables for it and its tasks.
        pools: slots by name; None: the two that the DAGs need.
    """
    home.mkdir(parents=True, exist_ok=True)
    port = _free_port()
    env = environment(home, port, more)
    with (home / "standalone.log").open("ab") as log:
        process = subprocess.Popen(
            ["airflow", "standalone"], env=env, stdout=log, stderr=subprocess.STDOUT, cwd=home,
            stdin=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
    airflow = Airflow(home, port, env, process)
    try:
        airflow.until(lambda: _healthy(airflow), "Airflow to be up", START_TIMEOUT)
        airflow.log_in()
        for name, slots in ({"arxiv": 1, "citewell": 2} if pools is None else pools).items():
            body = {"name": name, "slots": slots, "description": "", "include_deferred": False}
            with contextlib.suppress(AirflowError):  # a home that is used again has them
                airflow.ask("pools", body)
        airflow.until(lambda: len(airflow.ask("dags")["dags"]) >= 4, "the DAGs to be read", START_TIMEOUT)
        yield airflow
    finally:
        _end_group(process)


def _healthy(airflow: Airflow) -> bool:
    with urllib.request.urlopen(f"{airflow.url}/api/v2/monitor/health", timeout=10) as answer:
        parts = json.loads(answer.read())
    return all(parts[part]["status"] == "healthy" for part in ("metadatabase", "scheduler", "dag_processor"))


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """End standalone and all that it started: schedulers' workers are in its group too."""
    for ending in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, ending)
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            process.poll()
            try:
                os.killpg(process.pid, 0)
            except ProcessLookupError:
                return
            time.sleep(0.2)
