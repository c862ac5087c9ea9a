"""What failed and why, in a file that is still there when Airflow's logs are gone."""

from __future__ import annotations

import json
import logging
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

if TYPE_CHECKING:
    from airflow.sdk.definitions.context import Context

log = logging.getLogger(__name__)


def write_failure(context: Context) -> None:
    """Write one JSON file into `failures/<month>/` of Citewell's home: the task, the error, what to do.

    Airflow calls it when a task has failed for good, in the worker; of a task whose worker was killed it
    calls it in the DAG processor.
    """
    from search.settings import read_settings

    ti = context["ti"]
    error = context.get("exception")
    now = datetime.now(UTC)
    record = {
        "time": now.isoformat(timespec="seconds"),
        "dag": ti.dag_id,
        "run": ti.run_id,
        "task": ti.task_id,
        "map_index": ti.map_index,
        "try": ti.try_number,
        "error": type(error).__name__ if isinstance(error, BaseException) else "Killed",
        "message": getattr(error, "message", None) or str(error or "the task's process ended without a word"),
        "advice": getattr(error, "advice", "") or "the next run does what is left",
        "log": getattr(ti, "log_url", ""),
    }
    name = re.sub(r"[^\w.+-]", "_", f"{now:%dT%H%M%S.%f}-{ti.dag_id}-{ti.task_id}-{ti.map_index}-{ti.run_id}")
    folder = Path(read_settings().home, "failures", f"{now:%Y-%m}")
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f".{uuid4().hex}.part"
    part.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    file = part.replace(folder / f"{name[:200]}.json")
    log.error("%s failed: %s; written to %s", ti.task_id, record["message"], file)
