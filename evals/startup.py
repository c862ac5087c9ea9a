"""How long a command takes to start: whole processes, beside bare Python and beside loading the model.

    python evals/startup.py [--home HOME] [--runs N] [--query WORDS]

Every line is a process of its own, from start to exit, `runs` times; the median counts. `search` needs
a home with a built index. What it costs beyond the model is what Citewell could still save.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

#: Loads the set embedding model and embeds one query: what a semantic search can't do without.
LOAD_MODEL = """
from search.embedding import open_embedder
from search.settings import Settings
open_embedder(Settings()).embed_query("a query")
"""
HELP_LIMIT_MS = 200


def milliseconds(command: list[str], runs: int, environment: dict[str, str]) -> list[float]:
    """Return the wall time of each run of a command, in milliseconds; one run before warms the caches.

    Raises:
        subprocess.CalledProcessError: it did not end with exit code 0.
    """
    times = []
    for _ in range(runs + 1):
        begun = time.perf_counter()
        subprocess.run(
            command, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        times.append((time.perf_counter() - begun) * 1000)
    return times[1:]


def commands(home: Path | None, query: str) -> dict[str, list[str]]:
    """Return what is measured, by name."""
    python = sys.executable
    citewell = [python, "-m", "search.cli"]
    measured = {
        "bare Python": [python, "-c", "pass"],
        "import search": [python, "-c", "import search"],
        "import pydantic": [python, "-c", "import pydantic"],
        "citewell --help": [*citewell, "--help"],
        "citewell search --help": [*citewell, "search", "--help"],
    }
    if home:
        at = ["--home", str(home)]
        measured |= {
            "citewell list": [*citewell, *at, "list"],
            "load the model, embed a query": [python, "-c", LOAD_MODEL],
            "citewell search --mode lexical": [*citewell, *at, "search", query, "--mode", "lexical"],
            "citewell search": [*citewell, *at, "search", query],
        }
    return measured


def main() -> int:
    """Measure and print a table; exit 1 where help takes longer than it may."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--home", type=Path, help="a home with a built index; without it no search is measured"
    )
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--query", default="citation graph")
    given = parser.parse_args()
    environment = dict(os.environ)
    medians: dict[str, float] = {}
    print("| whole process | median ms | fastest | slowest | times bare Python |")
    print("|---|---|---|---|---|")
    for name, command in commands(given.home, given.query).items():
        times = milliseconds(command, given.runs, environment)
        medians[name] = statistics.median(times)
        ratio = medians[name] / medians["bare Python"]
        print(
            f"| {name} | {medians[name]:.0f} | {min(times):.0f} | {max(times):.0f} | {ratio:.1f} |",
            flush=True,
        )
    if "citewell search" in medians:
        model = medians["load the model, embed a query"]
        print(
            f"\nA search takes {medians['citewell search'] / model:.2f} times what loading the model takes."
        )
    return int(medians["citewell --help"] > HELP_LIMIT_MS)


if __name__ == "__main__":
    sys.exit(main())
