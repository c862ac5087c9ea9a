"""The DAGs as Airflow reads them: how fast, what they may do, what each task is."""

from __future__ import annotations

import ast
import importlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
DAGS = sorted((ROOT / "dags").glob("*.py"))
FILES = [*DAGS, *sorted((ROOT / "plugins").rglob("*.py"))]

#: Reads all DAGs in a process of its own in which any connection is an error, and prints what is in them.
READ = """
import json, socket, sys, time

def refuse(*_, **__):
    raise AssertionError("the network was asked for")

socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
import airflow.sdk, airflow.providers.standard.operators.python
import airflow.dag_processing.dagbag as dagbag
start = time.process_time()
bag = dagbag.DagBag(sys.argv[1])
seconds = time.process_time() - start
from airflow.serialization.serialized_objects import DagSerialization
tasks = {
    dag.dag_id: {
        task.task_id: {
            "pool": task.pool, "priority": task.priority_weight, "retries": task.retries, "doc": task.doc_md,
            "after": sorted(task.upstream_task_ids), "trigger_rule": str(task.trigger_rule),
            "policy": type(task.retry_policy).__name__, "callback": bool(task.on_failure_callback),
            "outlets": [outlet.name for outlet in task.outlets],
        }
        for task in dag.tasks
    }
    for dag in bag.dags.values()
}
serialized = {dag.dag_id: DagSerialization.to_dict(dag) for dag in bag.dags.values()}
heavy = sorted(
    {"elasticsearch", "litellm", "onnxruntime", "pymupdf", "tantivy", "torch", "lxml"} & set(sys.modules)
)
print(json.dumps({
    "errors": bag.import_errors, "seconds": seconds, "tasks": tasks, "heavy": heavy,
    "docs": {dag.dag_id: dag.doc_md for dag in bag.dags.values()},
    "bytes": {name: len(json.dumps(dag)) for name, dag in serialized.items()},
}))
"""


@pytest.fixture(scope="module")
def read(plugins: Path) -> dict[str, Any]:
    """What Airflow finds in `dags/`."""
    done = subprocess.run(
        [sys.executable, "-c", READ, str(ROOT / "dags")],
        capture_output=True, text=True, check=False, env=os.environ | {"PYTHONPATH": str(plugins)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_four_dags_are_read_without_a_network(read: dict[str, Any]):
    """All four are there, nothing is asked, and nothing heavy is imported to read them."""
    assert read["errors"] == {}
    assert set(read["tasks"]) == {"citewell_daily", "citewell_backfill", "citewell_rebuild", "citewell_watch"}
    assert read["heavy"] == []


def test_the_daily_order(read: dict[str, Any]):
    """harvest, then for each share fetch, read, link, embed, then index, check, publish."""
    after = {name: task["after"] for name, task in read["tasks"]["citewell_daily"].items()}
    assert after == {
        "harvest": [],
        "papers.fetch": ["harvest"],
        # Each of a share's tasks takes its share from the harvest, too.
        "papers.read": ["harvest", "papers.fetch"],
        "papers.link": ["harvest", "papers.read"],
        "papers.embed": ["harvest", "papers.link"],
        "index": ["papers.embed"],
        "check": ["index"],
        "publish": ["check"],
        "report": ["harvest", "papers.embed", "publish"],
    }


def test_the_weekly_order(read: dict[str, Any]):
    """A new index is begun, filled, published; old files are merged whether or not it is let through."""
    tasks = read["tasks"]["citewell_rebuild"]
    after = {name: task["after"] for name, task in tasks.items()}
    assert after == {"begin": [], "fill": ["begin"], "publish": ["fill"], "compact": []}
    assert all(task["trigger_rule"].endswith("ALL_SUCCESS") for task in tasks.values())


def test_arxiv_has_one_slot_and_the_day_goes_first(read: dict[str, Any]):
    """Whatever asks arXiv is in its pool, and a daily task in any pool is before a backfill's."""
    daily, backfill = read["tasks"]["citewell_daily"], read["tasks"]["citewell_backfill"]
    for dag in (daily, backfill):
        asking = {name for name, task in dag.items() if task["pool"] == "arxiv"}
        assert asking == {"harvest", "papers.fetch"}
    pools = importlib.import_module("citewell_airflow.pools")
    assert {name: slots for name, slots, _ in pools.POOLS}["arxiv"] == 1
    assert min(t["priority"] for t in daily.values()) > max(t["priority"] for t in backfill.values())


def test_every_task_is_retried_recorded_and_described(read: dict[str, Any]):
    """Each task has retries by the error's own word, a failure record, and documentation for the UI."""
    tasks = [task for dag in read["tasks"].values() for task in dag.values()]
    assert all(task["retries"] == 5 and task["policy"] == "AsTheErrorSays" for task in tasks)
    assert all(task["callback"] and len(task["doc"]) > 20 for task in tasks)
    assert all(len(doc) > 100 for doc in read["docs"].values())


def test_the_index_tells_the_saved_searches(read: dict[str, Any]):
    """Whatever publishes tells it with the asset that the saved searches wait for."""
    for dag in ("citewell_daily", "citewell_backfill", "citewell_rebuild"):
        assert read["tasks"][dag]["publish"]["outlets"] == ["citewell_index"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_task_is_one_call(path: Path):
    """The body of a task is one import of the stages and one call of one of them, and the stage exists."""
    stages = importlib.import_module("search.ingest.stages")
    for function in [n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.FunctionDef)]:
        marks = [m for m in function.decorator_list if isinstance(m, ast.Call)]
        if not any(isinstance(m.func, ast.Name) and m.func.id == "stage" for m in marks):
            continue
        _, imported, returned = function.body
        assert ast.unparse(imported) == "from search.ingest import stages"
        assert isinstance(returned, ast.Return)
        call = returned.value
        assert isinstance(call, ast.Call)
        assert isinstance(call.func, ast.Attribute)
        assert ast.unparse(call.func.value) == "stages"
        assert callable(getattr(stages, call.func.attr))
        assert not any(isinstance(n, ast.Call) for n in ast.walk(call) if n is not call)


# ---------------------------------------------------------------- what the plugins do
def test_a_task_waits_as_long_as_the_server_asked(plugins: Path):
    """The error decides: its own Retry-After, no further try where none can help, else Airflow's pauses."""
    from search.errors import ModelMismatch, NetworkUnreachable, RateLimited, ServerUnavailable

    policy = importlib.import_module("citewell_airflow.retries").AsTheErrorSays()

    def decided(error: BaseException) -> tuple[str, float | None]:
        decision = policy.evaluate(error, 1, 5)
        return decision.action.value, decision.retry_delay and decision.retry_delay.total_seconds()

    assert decided(ServerUnavailable("busy", retry_after=120.0)) == ("retry", 120.0)
    assert decided(RateLimited("slow down")) == ("default", None)
    assert decided(NetworkUnreachable("gone")) == ("default", None)
    assert decided(ModelMismatch("another model")) == ("fail", None)
    assert decided(MemoryError()) == ("default", None)
    assert decided(ServerUnavailable("tomorrow", retry_after=86_400.0)) == ("fail", None)


def test_a_failure_is_written_down(plugins: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """What failed and why is a file in the home, with the error's own advice; hostile names stay names."""
    from types import SimpleNamespace

    from search.errors import ServerUnavailable

    monkeypatch.setenv("CITEWELL_HOME", str(tmp_path))
    write = importlib.import_module("citewell_airflow.failures").write_failure
    ti = SimpleNamespace(
        dag_id="citewell_daily", task_id="papers.fetch", run_id="manual__../../etc", map_index=3, try_number=6
    )
    write({"ti": ti, "exception": ServerUnavailable("arXiv answered 503", advice="try again later")})
    write({"ti": ti, "exception": None})
    first, second = sorted(
        (json.loads(file.read_text()) for file in tmp_path.glob("failures/*/*.json")),
        key=lambda r: r["error"],
    )
    assert first["error"] == "Killed"
    assert (second["error"], second["message"]) == ("ServerUnavailable", "arXiv answered 503")
    assert (second["advice"], second["map_index"], second["try"]) == ("try again later", 3, 6)
    assert {path.parent.parent for path in tmp_path.rglob("*.json")} == {tmp_path / "failures"}


def test_links(plugins: Path):
    """One paper is its page, several a listing, none no link; Kibana shows the events of the run."""
    links = importlib.import_module("citewell_airflow.links")
    assert links.papers_url([]) == ""
    assert links.papers_url(["math/0501170"]) == "https://arxiv.org/abs/math/0501170"
    several = links.papers_url(["2401.00001", "2401.00002"])
    assert several.endswith("id_list=2401.00001,2401.00002&max_results=2")
    assert links.events_url("", "citewell", "x") == ""
    url = links.events_url("https://kibana.example/", "citewell", "manual__2026-05-04T00:00:00+00:00")
    assert url.startswith("https://kibana.example/app/discover#/")
    assert "citewell-events" in url
    assert "manual__2026-05-04T00%3A00%3A00%2B00%3A00" in url


def test_missing_pools_are_named_with_the_command_that_makes_them(plugins: Path):
    """The check names the very commands of the documentation."""
    pools = importlib.import_module("citewell_airflow.pools")
    (command,) = pools.commands({"arxiv"})
    assert command.startswith("airflow pools set arxiv 1 ")
    documented = (ROOT / "docs" / "airflow.md").read_text()
    assert all(command in documented for command in pools.commands())
