"""The same DAGs without Elasticsearch: a backfill, a daily run and a rebuild on the embedded store."""

from __future__ import annotations

import dataclasses
import importlib
import json
import shlex
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import quote

import pytest

from search import Library
from search.demo.papers import own_pdfs, own_records
from search.demo.server import Fault, LoopbackArxiv

sys.path.insert(0, str(Path(__file__).parent))
from standalone import airflow_standalone

pytestmark = pytest.mark.airflow


def test_embedded(plugins: Path, tmp_path: Path):
    """A backfill brings the past, a daily run the present, a rebuild all of it anew; what failed is told.

    The first request of the daily run is answered 503 with a Retry-After longer than the harvester's own
    patience: the task is tried again, as the server asked. One PDF is never there.
    """
    today = datetime.now(UTC).date()
    past, present = own_records()[2:4], own_records()[4:6]
    old = [dataclasses.replace(r, datestamp=today - timedelta(days=30)) for r in past]
    new = [dataclasses.replace(r, datestamp=today) for r in present]
    pdfs = {key: pdf for key, pdf in own_pdfs().items() if not key.startswith(present[0].id)}
    with LoopbackArxiv([*old, *new], pdfs) as arxiv:
        settings = {
            "home": tmp_path / "library", "oai_base_url": arxiv.oai_url, "pdf_base_url": arxiv.pdf_url,
            "oai_interval": 0, "pdf_interval": 0,
        }  # fmt: skip
        environment = {f"CITEWELL_{name.upper()}": str(value) for name, value in settings.items()}
        environment["CITEWELL_KIBANA_URL"] = "https://kibana.example"
        with airflow_standalone(tmp_path / "airflow", environment, pools={}) as airflow:
            # Whoever forgot the pools is told, and given the commands.
            assert "there is no pool arxiv, citewell" in airflow.log(2000)
            for command in importlib.import_module("citewell_airflow.pools").commands():
                assert command in airflow.log(2000)
                airflow.command(*shlex.split(command)[1:])

            airflow.switch_on("citewell_backfill")
            days = {"from": str(today - timedelta(days=31)), "until": str(today - timedelta(days=29))}
            run = airflow.trigger("citewell_backfill", days)
            assert airflow.wait("citewell_backfill", run) == "success", airflow.log(200)
            windows = [t for t in airflow.tasks("citewell_backfill", run) if t["task_id"] == "harvest"]
            assert len(windows) == 3
            with Library(**settings) as library:
                assert [w.work_id for w in library.list()] == [r.id for r in past]
                assert library.check().sound

            arxiv.faults.append(Fault(path="/oai", status=503, headers={"Retry-After": "4000"}))
            airflow.switch_on("citewell_daily")
            airflow.until(lambda: airflow.runs("citewell_daily"), "the daily run to be started", 120)
            run = airflow.runs("citewell_daily")[0]["dag_run_id"]
            harvest = lambda: next(  # noqa: E731
                t for t in airflow.tasks("citewell_daily", run) if t["task_id"] == "harvest"
            )
            airflow.until(lambda: harvest()["state"] == "up_for_retry", "the harvest to wait", 300)
            assert "the server asked to wait 4000 s" in airflow.log(2000)
            # Airflow would wait the hour that the server asked for; a person may clear the task earlier.
            clear = {"dag_run_id": run, "task_ids": ["harvest"], "dry_run": False, "only_failed": False}
            airflow.ask("dags/citewell_daily/clearTaskInstances", clear)
            assert airflow.wait("citewell_daily", run) == "success", airflow.log(200)

            airflow.switch_on("citewell_rebuild")
            airflow.until(lambda: airflow.runs("citewell_rebuild"), "the rebuild to be started", 120)
            rebuild = airflow.runs("citewell_rebuild")[0]["dag_run_id"]
            assert airflow.wait("citewell_rebuild", rebuild) == "success", airflow.log(200)
            # The buttons on a task's page lead to the papers and to the run's events.
            path = f"dags/citewell_daily/dagRuns/{quote(run, safe='')}/taskInstances/papers.fetch/links"
            links = airflow.ask(f"{path}?map_index=0")["extra_links"]
            assert all(record.id in links["Papers on arXiv"] for record in present)
            assert quote(run, safe="") in links["Events in Kibana"]

            # A run of days that are all closed has nothing to harvest, and is green.
            run = airflow.trigger("citewell_backfill", days)
            assert airflow.wait("citewell_backfill", run) == "success", airflow.log(200)

            # A refusal fails at once, and for good: a file says why.
            arxiv.faults.append(Fault(path="/oai", status=403))
            run = airflow.trigger("citewell_daily")
            assert airflow.wait("citewell_daily", run) == "failed"
            states = {t["task_id"]: t["state"] for t in airflow.tasks("citewell_daily", run)}
            assert states["harvest"] == "failed"
            assert states["publish"] == "success"  # what the lake has is in the index all the same
            (told,) = [json.loads(f.read_text()) for f in (tmp_path / "library/failures").glob("*/*.json")]
            assert (told["task"], told["error"], told["run"]) == ("harvest", "RequestRefused", run)

        with Library(**settings) as library:
            held = {w.work_id: w.holds for w in library.list()}
            assert held == {r.id: "full text" for r in [*past, present[1]]} | {present[0].id: "abstract"}
            report = library.check()
            assert report.sound, report
            assert [(f.work_id, f.error) for f in report.failures] == [(present[0].id, "PDFNotFound")]
            assert [g.state for g in library.store.generations()] == ["old", "live"]
