"""Many threads search and ask one `Library`; every answer must be the one that a single thread gets.

    python evals/threads.py [--threads 50] [--seconds 60] [--index-url URL] [--home FOLDER] [--json]

The library is the demo's, built in a folder of its own unless `--home` names one that has it.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any
from uuid import uuid4

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from search import Library, Settings  # noqa: E402
from search.demo.run import DEMO_QUESTIONS, DEMO_SEARCHES, UNANSWERABLE, demo  # noqa: E402


def outcome(library: Library, kind: str, text: str) -> str:
    """Return what a caller would see of one call, without what differs by nature (times, trace ids)."""
    if kind == "ask":
        return library.ask(text).model_dump_json(exclude={"trace_id", "cost"})
    hops = 1 if kind == "graph" else 0
    return library.search(text, hops=hops).model_dump_json(exclude={"metrics"})


def run(library: Library, threads: int, seconds: float) -> dict[str, Any]:
    """Return how many calls were made, how many differed from a single thread's, and every error."""
    calls = [
        *(("search", query) for query in DEMO_SEARCHES),
        *(("graph", query) for query in DEMO_SEARCHES),
        *(("ask", question) for question in (*DEMO_QUESTIONS, UNANSWERABLE)),
    ]
    expected = {call: outcome(library, *call) for call in calls}
    counted: Counter[str] = Counter()
    errors: Counter[str] = Counter()
    lock = threading.Lock()
    until = time.monotonic() + seconds

    def work(offset: int) -> None:
        for call in itertools.islice(itertools.cycle(calls), offset, None):
            if time.monotonic() >= until:
                return
            try:
                same = outcome(library, *call) == expected[call]
            except Exception as error:  # noqa: BLE001 - every failure is a result here
                with lock:
                    errors[f"{call[0]}: {type(error).__name__}: {error}"] += 1
                continue
            with lock:
                counted["same" if same else f"other: {call[0]} {call[1]}"] += 1

    workers = [threading.Thread(target=work, args=(n % len(calls),)) for n in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return {
        "threads": threads,
        "seconds": seconds,
        "calls": sum(counted.values()) + sum(errors.values()),
        "same": counted["same"],
        "different": {name: count for name, count in counted.items() if name != "same"},
        "errors": dict(errors),
    }


def main() -> None:
    """Build the demo's library, run the threads, print what came of it; exit 1 if anything differed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--threads", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--index-url", default="embedded")
    parser.add_argument("--home", type=Path)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="citewell-threads-") as folder:
        settings = Settings(
            home=arguments.home or Path(folder),
            index_url=arguments.index_url,
            index_prefix=f"threads-{uuid4().hex[:8]}",
        )
        report = demo(settings)
        with Library(settings, home=report.home, index_prefix=f"{settings.index_prefix}-demo") as library:
            result = run(library, arguments.threads, arguments.seconds)
            library.store.destroy()
    result["store"] = "embedded" if arguments.index_url == "embedded" else "elastic"
    print(json.dumps(result, indent=None if arguments.json else 1))
    if result["errors"] or result["different"]:
        sys.exit(1)


if __name__ == "__main__":
    main()
