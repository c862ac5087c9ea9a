"""A library that a user may only read: everything that reads works, what writes says that it may not."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from datetime import UTC, date, datetime

import pytest

from search.demo.server import DemoRecord, DemoVersion, LoopbackArxiv
from search.library import Library

PAPER = DemoRecord(
    id="2402.00001",
    versions=(DemoVersion(datetime(2024, 2, 1, 8, tzinfo=UTC)),),
    title="Sparse graphs and pebbles",
    abstract="Pebble games decide whether a graph is sparse.",
    categories="cs.DM",
)
#: Takes from root the right to write everywhere.
AS_OTHERS = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """The home of a library of one paper, searched by words, in which nothing may be written."""
    home = tmp_path_factory.mktemp("readonly") / "home"
    with LoopbackArxiv([PAPER]) as server:
        options = {"oai_base_url": server.oai_url, "oai_interval": 0, "embedding_model": str(home / "none")}
        with Library(home=home, **options) as library:
            library.harvest(from_=date(2024, 1, 1))
            library.build()
    everything = [home, *home.rglob("*")]
    for path in everything:
        path.chmod(path.stat().st_mode & ~0o222)
    yield home
    for path in everything:
        path.chmod(path.stat().st_mode | 0o200)


def citewell(home, *arguments):
    """Run a command that may not write in the home; return exit code, stdout's JSON and stderr."""
    if os.getuid() == 0 and not shutil.which("setpriv"):
        pytest.skip("root may write everywhere, and there is no setpriv (util-linux) to forbid it")
    environment = {**os.environ, "CITEWELL_EMBEDDING_MODEL": str(home / "none")}
    command = [sys.executable, "-m", "search.cli", "--home", str(home), *arguments, "--json"]
    command = AS_OTHERS + command if os.getuid() == 0 else command
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    return done.returncode, json.loads(done.stdout), done.stderr


def test_the_owner_alone_would_not_do(home):
    """tantivy's list of segments may be read by whoever may read the rest."""
    (meta,) = home.glob("index/*/words/meta.json")
    (facts,) = home.glob("index/*/generation.json")
    assert meta.stat().st_mode == facts.stat().st_mode


@pytest.mark.parametrize(
    "command",
    [["search", "pebble games", "--mode", "lexical"], ["similar", PAPER.id], ["ask", "What of pebbles?"]],
)
def test_finding_needs_no_right_to_write(home, command):
    """Searches and questions are answered from an index that may only be read."""
    code, _, errors = citewell(home, *command)
    assert (code, errors) == (0, "")


def test_what_is_found_is_what_is_there(home):
    """The paper is found, and the lake's own commands know it too."""
    assert citewell(home, "search", "pebble games", "--mode", "lexical")[1]["hits"][0]["work_id"] == PAPER.id
    assert [work["work_id"] for work in citewell(home, "list")[1]] == [PAPER.id]
    assert citewell(home, "info", PAPER.id)[1]["work"]["title"] == PAPER.title
    assert citewell(home, "index", "check")[1]["differences"] == []


@pytest.mark.parametrize("command", [["index", "build"], ["index", "rebuild"], ["remove", PAPER.id]])
def test_changing_says_what_is_not_allowed(home, command):
    """A command that changes the library fails with what may not be written, and what is needed."""
    code, said, _ = citewell(home, *command)
    assert code == 1
    assert "the right to write there" in said["error"]["advice"]
