"""Leaving nothing of deleted documents in an index's files, and finding the copies that an operator made.

Lucene keeps deleted documents until it merges their segment, and Elasticsearch keeps them longer, so that a
copy of a shard that was away can catch up (soft deletes, under leases that are renewed twice a minute). A
forced merge rewrites exactly the segments that hold any, once the leases let go of them.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any

import elastic_transport

from search.errors import EngineUnavailable
from search.index.elastic.connection import engine_errors
from search.index.protocol import Copy

if TYPE_CHECKING:
    from elasticsearch import Elasticsearch

#: While it lasts, every segment with deleted documents is rewritten, not only those where they are a tenth.
ALL_DELETES = {"index.merge.policy.expunge_deletes_allowed": 0}
#: Seconds until another look. Leases are renewed every 30 s; a merge that must wait for one changes nothing.
LOOK_AGAIN = 1.0
#: Seconds until we stop waiting: rewriting 100 GB at 50 MB/s takes half an hour.
PATIENCE = 3600.0


def expunge(client: Elasticsearch, url: str, indices: Sequence[str]) -> None:
    """Rewrite the segments of these indices that hold deleted documents, on every copy of their shards.

    Raises:
        EngineUnavailable: after an hour some still hold any: another process goes on deleting, or a node is
            away. Doing it again goes on where this ended.
    """
    names, until = list(indices), time.monotonic() + PATIENCE
    with engine_errors(url):
        client.indices.put_settings(index=names, settings=ALL_DELETES)
        try:
            while not _merged(client, names):
                if time.monotonic() > until:
                    raise EngineUnavailable(
                        f"{', '.join(names)} at {url} still hold deleted documents after an hour",
                        advice="run the same command again when no other process writes",
                    )
                time.sleep(LOOK_AGAIN)
        finally:
            client.indices.put_settings(index=names, settings=dict.fromkeys(ALL_DELETES))


def _merged(client: Elasticsearch, names: list[str]) -> bool:
    """Merge where no lease holds on to deleted documents; return whether none is left."""
    client.indices.refresh(index=names)
    # A segment counts as safely written, and the log of operations is cut, after a flush.
    client.indices.flush(index=names, force=True, wait_if_ongoing=True)
    if not _deleted(client, names):
        return True
    if _leased(client, names):
        return False
    # A long merge goes on without us when the client stops waiting for it.
    with suppress(elastic_transport.ConnectionTimeout):
        client.indices.forcemerge(index=names, only_expunge_deletes=True)
    return False


def _deleted(client: Elasticsearch, names: list[str]) -> int:
    """Return how many deleted documents the segments still hold, over all copies."""
    stats = client.indices.stats(index=names, metric=["docs"])
    return int(stats["_all"]["total"]["docs"]["deleted"])


def _leased(client: Elasticsearch, names: list[str]) -> bool:
    """Return whether a lease still asks for operations that a shard has done."""
    stats = client.indices.stats(index=names, level="shards", metric=["docs"])
    shards = [shard for index in stats["indices"].values() for shard in index["shards"].values()]
    return any(
        lease["retaining_seq_no"] <= copy["seq_no"]["max_seq_no"]
        for shard in shards
        for copy in shard
        for lease in copy.get("retention_leases", {}).get("leases", [])
    )


def copies(client: Elasticsearch, url: str, prefix: str) -> tuple[Copy, ...]:
    """Return the snapshots that hold indices of works or passages under a prefix, oldest first."""
    ours = re.compile(rf"{re.escape(prefix)}-(?:works|passages)-[0-9a-f]+-.+")
    found = []
    with engine_errors(url):
        for repository in sorted(client.snapshot.get_repository()):
            listed = client.snapshot.get(repository=repository, snapshot="_all", ignore_unavailable=True)
            found += [
                _copy(repository, s) for s in listed["snapshots"] if any(map(ours.fullmatch, s["indices"]))
            ]
    return tuple(sorted(found, key=lambda copy: (copy.made, copy.name)))


def _copy(repository: str, snapshot: dict[str, Any]) -> Copy:
    return Copy(
        name=f"{repository}/{snapshot['snapshot']}",
        made=datetime.fromisoformat(snapshot["start_time"]),
        indices=tuple(sorted(snapshot["indices"])),
        command=f"DELETE /_snapshot/{repository}/{snapshot['snapshot']}",
    )
