"""Killed at random moments, or asked by fifty threads at once: the result is the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
#: Trials per stage. `evals/crash.py` makes ten of each; this keeps the suite short.
TRIALS = 2


def run(script: str, *arguments: str):
    """Run a script of evals/ and return what it reports; its own exit code says whether all was well."""
    command = [sys.executable, str(ROOT / "evals" / script), *arguments, "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, env=dict(os.environ))
    return done.returncode, json.loads(done.stdout)


@pytest.mark.crash
@pytest.mark.parametrize("stage", ["harvest", "build", "rebuild"])
def test_killed_stage_ends_as_an_undisturbed_one(stage):
    """After a kill and a re-run, works, content hashes, passage ids and vector counts are equal."""
    code, rows = run("crash.py", "--trials", str(TRIALS), "--stages", stage)
    assert [row["differing"] for row in rows] == [[]] * TRIALS
    assert code == 0


def test_many_threads_get_a_single_threads_answers():
    """Fifty threads that search and ask one library see no error and no other answer."""
    code, result = run("threads.py", "--threads", "50", "--seconds", "5")
    assert result["errors"] == result["different"] == {}
    assert result["calls"] > 0
    assert code == 0


@pytest.mark.elastic
def test_many_threads_get_a_single_threads_answers_from_elasticsearch(elasticsearch_url):
    """The same on Elasticsearch, whose scores may differ in the digits that its JVM rounds."""
    code, result = run("threads.py", "--threads", "50", "--seconds", "5", "--index-url", elasticsearch_url)
    assert result["errors"] == result["different"] == {}
    assert result["calls"] > 0
    assert code == 0
