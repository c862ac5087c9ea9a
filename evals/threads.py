"""Many threads search and ask one `Library`; every answer must be the one that a single thread gets.

    python evals/threads.py [--threads 50] [--seconds 60] [--index-url URL] [--home FOLDER] [--json]

The library is the demo's, built in a folder of its own unless `--home` names one that has it.

Same means: every text, id, order and count equal, and on the embedded store every score too. On
Elasticsearch scores may differ by `ROUNDING`: a server that has just started gives other last digits after
some thousand queries, to one thread as well (`--threads 1`), when its JVM has compiled the loops that add
up float32 products. The largest difference seen is printed.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
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

#: Largest difference of two scores that count as the same on Elasticsearch. Cosines of 0.7 differed by up to
#: 1e-6 (some units in the last place of a float32), scores made of them by up to 1.5e-6.
ROUNDING = 1e-5


def outcome(library: Library, kind: str, text: str) -> dict[str, Any]:
    """Return what a caller would see of one call, without what differs by nature (times, trace ids)."""
    if kind == "ask":
        return library.ask(text).model_dump(mode="json", exclude={"trace_id", "cost"})
    hops = 1 if kind == "graph" else 0
    return library.search(text, hops=hops).model_dump(mode="json", exclude={"metrics"})


def difference(one: Any, other: Any) -> float:
    """Return the largest difference of two numbers at the same place; infinity if anything else differs."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return max((difference(value, other[name]) for name, value in one.items()), default=0.0)
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return max(map(difference, one, other), default=0.0)
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other)
    return 0.0 if one == other else math.inf


def run(library: Library, threads: int, seconds: float, rounding: float) -> dict[str, Any]:
    """Return how many calls were made, how many differed from a single thread's, and every error."""
    calls = [
        *(("search", query) for query in DEMO_SEARCHES),
        *(("graph", query) for query in DEMO_SEARCHES),
        *(("ask", question) for question in (*DEMO_QUESTIONS, UNANSWERABLE)),
    ]
    expected = {call: outcome(library, *call) for call in calls}
    counted: Counter[str] = Counter()
    furthest = 0.0
    errors: Counter[str] = Counter()
    lock = threading.Lock()
    until = time.monotonic() + seconds

    def work(offset: int) -> None:
        nonlocal furthest
        for call in itertools.islice(itertools.cycle(calls), offset, None):
            if time.monotonic() >= until:
                return
            try:
                far = difference(outcome(library, *call), expected[call])
            except Exception as error:  # noqa: BLE001 - every failure is a result here
                with lock:
                    errors[f"{call[0]}: {type(error).__name__}: {error}"] += 1
                continue
            with lock:
                counted["same" if far <= rounding else f"other: {call[0]} {call[1]}"] += 1
                furthest = max(furthest, far)

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
        "largest_difference_of_a_score": furthest,
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
            rounding = 0.0 if arguments.index_url == "embedded" else ROUNDING
            result = run(library, arguments.threads, arguments.seconds, rounding)
            library.store.destroy()
    result["store"] = "embedded" if arguments.index_url == "embedded" else "elastic"
    print(json.dumps(result, indent=None if arguments.json else 1))
    if result["errors"] or result["different"]:
        sys.exit(1)


if __name__ == "__main__":
    main()
