"""The Elasticsearch that the suite starts is a real one, and ends with its user."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from elastic import server

pytestmark = pytest.mark.elastic


def test_server_is_elasticsearch_9(elasticsearch_url):
    """The server is healthy and of the generation that production runs."""
    with urllib.request.urlopen(f"{elasticsearch_url}/_nodes/http") as answer:
        nodes = json.load(answer)["nodes"].values()
    assert {node["version"].split(".")[0] for node in nodes} == {"9"}


def test_shim_stems_as_the_mapping_asks(elasticsearch_url):
    """The token filters of the mapping exist under the names of a full server and do their work."""
    body = {
        "tokenizer": "standard",
        "filter": ["lowercase", "asciifolding", "snowball"],
        "text": "Générative networks' trainings",
    }
    request = urllib.request.Request(
        f"{elasticsearch_url}/_analyze", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request) as answer:
        tokens = [token["token"] for token in json.load(answer)["tokens"]]
    assert tokens == ["generat", "network", "train"]


def without_any_way(tmp_path: Path) -> dict[str, str]:
    """An environment with neither Docker nor Maven nor a cache."""
    named = {"CITEWELL_TEST_ES_URL", "ES_JAVA_HOME", "JAVA_HOME"}
    kept = {name: value for name, value in os.environ.items() if name not in named}
    return {**kept, "PATH": str(tmp_path), "CITEWELL_CACHE": str(tmp_path / "cache")}


def test_where_nothing_can_run_the_supervisor_says_so(tmp_path):
    """Without Docker and Maven the supervisor ends with its own status and names what it tried."""
    done = subprocess.run(
        [sys.executable, server.__file__],
        env=without_any_way(tmp_path), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == server.NO_SERVER
    assert "there is no docker command" in done.stderr


@pytest.mark.parametrize(("ci", "outcome"), [("", "1 skipped"), ("true", "1 error")])
def test_missing_server_is_a_loud_skip_and_an_error_in_ci(tmp_path, ci, outcome):
    """The summary names the remedy; with CI set nothing is skipped."""
    chosen = f"{__file__}::test_server_is_elasticsearch_9"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", chosen],
        env=without_any_way(tmp_path) | {"CI": ci}, capture_output=True, text=True, check=False,
        cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert outcome in done.stdout
    assert "CITEWELL_TEST_ES_URL" in done.stdout


def test_versions_of_java_are_read_from_the_release_file(tmp_path):
    """A JDK says its version in a file; a folder without one is no JDK."""
    assert server._java_version(tmp_path) == 0
    (tmp_path / "release").write_text('IMPLEMENTOR="X"\nJAVA_VERSION="25.0.1"\n')
    assert server._java_version(tmp_path) == 25
