"""What an ingest event costs a stage: written into the lake, and sent to Elasticsearch.

    python evals/event_cost.py [--events 100] [--index-url URL] [--behind 3000]

Medians over `--events` runs of a stage that does nothing. With an Elasticsearch also what the last stage of
a run takes, which looks for whatever the server lacks, where it has all of `--behind` events.
"""

from __future__ import annotations

import argparse
import json
import secrets
import statistics
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from search.ingest.events import (  # noqa: E402
    Recorder,
    keep,
    recorded,
    ship,
)
from search.lake.lake import Lake  # noqa: E402
from search.settings import Settings  # noqa: E402


def stage_ms(lake: Lake, settings: Settings, stage: str, times: int) -> dict[str, float]:
    """Return p50 and p95 in milliseconds of a stage that does nothing but to record itself."""
    spent = []
    for _ in range(times):
        began = time.perf_counter()
        with recorded(lake, settings, stage) as record:
            record.counted(40)
        spent.append((time.perf_counter() - began) * 1000)
    ordered = sorted(spent)
    return {"p50": round(statistics.median(ordered), 1), "p95": round(ordered[int(0.95 * times)], 1)}


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--events", type=int, default=100)
    parser.add_argument("--index-url", default="embedded")
    parser.add_argument("--behind", type=int, default=3_000)
    arguments = parser.parse_args()
    prefix = f"events-{secrets.token_hex(4)}"
    with tempfile.TemporaryDirectory() as folder:
        lake = Lake(str(Path(folder) / "lake"), Path(folder) / "cache")
        result = {"lake": stage_ms(lake, Settings(index_url="embedded"), "read", arguments.events)}
        if arguments.index_url != "embedded":
            settings = Settings(index_url=arguments.index_url, index_prefix=prefix)
            try:
                result["sent"] = stage_ms(lake, settings, "read", arguments.events)
                for _ in range(arguments.behind - 2 * arguments.events):
                    record = Recorder(lake, "read", "", "")
                    record.counted(40)
                    keep(lake, record.events)
                ship(lake, settings)
                result["last of a run"] = stage_ms(lake, settings, "publish", 10)
            finally:
                request = urllib.request.Request(f"{arguments.index_url}/{prefix}-events", method="DELETE")
                urllib.request.urlopen(request).close()
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
