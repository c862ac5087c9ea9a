"""Many works into Elasticsearch, words only: the rate of `citewell index build` beside a bare bulk helper.

    python evals/elastic_many.py --index-url URL [--works 100000] [--repeat 2] [--json]

A lake of made records (those of evals/daily_cost.py) is applied to a new generation, as `index build` does;
then the documents that this has made are sent into two new indices with the same mappings and settings by
`elasticsearch.helpers.bulk`, from memory; in turns, each to the end of its refresh. Everything is deleted
afterwards.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "evals")]

from daily_cost import BATCH, fact_line  # noqa: E402
from elasticsearch import Elasticsearch  # noqa: E402
from elasticsearch.helpers import bulk, scan  # noqa: E402

from search.index.elastic.store import ElasticStore  # noqa: E402
from search.ingest.index import apply  # noqa: E402
from search.lake.lake import Lake  # noqa: E402
from search.settings import Settings  # noqa: E402

#: Settings of an index that another one is made with: the rest is the server's own.
COPIED = ("number_of_shards", "number_of_replicas", "analysis", "similarity", "refresh_interval")


def timed(what: Callable[[], Any]) -> tuple[float, float, Any]:
    """Return wall and own CPU seconds, and what came of it."""
    wall, cpu = time.monotonic(), sum(os.times()[:2])
    result = what()
    return time.monotonic() - wall, sum(os.times()[:2]) - cpu, result


def copies(client: Elasticsearch, indices: list[str]) -> dict[str, list[dict[str, Any]]]:
    """Return the documents of each index as the bulk helper takes them."""
    return {
        index: [
            {"_id": hit["_id"], "_routing": hit.get("_routing"), "_source": hit["_source"]}
            for hit in scan(client, index=index, size=2_000)
        ]
        for index in indices
    }


def bare(client: Elasticsearch, documents: dict[str, list[dict[str, Any]]], number: int) -> None:
    """Send documents into new indices like theirs, and refresh those."""
    for index, actions in documents.items():
        held = client.indices.get(index=index)[index]
        settings = {
            name: held["settings"]["index"][name] for name in COPIED if name in held["settings"]["index"]
        }
        target = f"{index}-bare-{number}"
        client.indices.create(index=target, mappings=held["mappings"], settings=settings)
        bulk(client, ({key: v for key, v in one.items() if v is not None} for one in actions), index=target)
        client.indices.refresh(index=target)
        assert client.count(index=target)["count"] == len(actions)


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--index-url", required=True)
    parser.add_argument("--works", type=int, default=100_000)
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    settings = Settings(index_url=arguments.index_url, index_prefix=f"many-{secrets.token_hex(4)}")
    runs: list[dict[str, float]] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        Elasticsearch(arguments.index_url, request_timeout=120) as client,
    ):
        lake = Lake(str(Path(folder) / "lake"), Path(folder) / "cache")
        for start in range(0, arguments.works, BATCH):
            end = min(start + BATCH, arguments.works)
            lake.write_fact_lines([fact_line(number) for number in range(start, end)])
        lake.catalogue.refresh()
        store = ElasticStore.from_settings(settings)
        documents: dict[str, list[dict[str, Any]]] = {}
        try:
            for number in range(arguments.repeat):
                name = store.create(fingerprint=None, dimensions=None).name
                wall, cpu, written = timed(partial(apply, store, name, lake, None))
                assert written.written == arguments.works
                store.publish(name)
                if not documents:
                    kinds = ("works", "passages")
                    documents = copies(client, [f"{settings.index_prefix}-{kind}" for kind in kinds])
                    documents = {
                        next(iter(client.indices.get_alias(name=alias))): of
                        for alias, of in documents.items()
                    }
                    count = sum(map(len, documents.values()))
                bare_wall, bare_cpu, _ = timed(partial(bare, client, documents, number))
                runs.append({"build": wall, "build cpu": cpu, "bulk": bare_wall, "bulk cpu": bare_cpu})
                print(json.dumps(runs[-1]), file=sys.stderr, flush=True)
        finally:
            store.close()
            names = [
                one["index"] for one in client.cat.indices(index=f"{settings.index_prefix}*", format="json")
            ]
            for name in names:
                client.indices.delete(index=name)
    middle = {name: statistics.median(run[name] for run in runs) for name in runs[0]}
    result = {
        "works": arguments.works, "documents": count,
        **{name: round(seconds, 1) for name, seconds in middle.items()},
        "works a second": round(arguments.works / middle["build"]),
        "of the bare rate": round(middle["bulk"] / middle["build"], 2),
    }  # fmt: skip
    print(json.dumps(result, indent=None if arguments.json else 1))


if __name__ == "__main__":
    main()
