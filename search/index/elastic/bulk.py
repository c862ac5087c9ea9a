"""Bulk requests: documents as lines, versions on every operation, and what came of each."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

import orjson
from elasticsearch.helpers import pack_dense_vector

from search.errors import EngineUnavailable
from search.index.elastic.connection import engine_errors, refusal

if TYPE_CHECKING:
    from elasticsearch import Elasticsearch

    from search.embedding.protocol import Vector
    from search.index.documents import PassageDocument, WorkDocument

#: Bytes in one request. Elastic's advice is 5 to 15 MB; the server's limit is 100.
REQUEST_BYTES = 8_000_000
#: Seconds to wait before operations are sent again that the server's queue had no room for.
PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0)
TOO_MANY_REQUESTS = 429
CONFLICT = 409
NOT_FOUND = 404

Outcome = Literal["done", "newer exists"]


@dataclass(frozen=True, slots=True)
class Operation:
    """One line or two of a bulk request."""

    id: str
    action: bytes
    source: bytes | None = None

    def lines(self) -> list[bytes]:
        """Return what goes into the request."""
        return [self.action] if self.source is None else [self.action, self.source]

    def __len__(self) -> int:
        return len(self.action) + len(self.source or b"")


def put_passage(alias: str, passage: PassageDocument, vector: Vector | None) -> Operation:
    """Return the operation that writes a passage unless a newer revision of it is there.

    A work's passages lie on one shard, because only there a refresh shows all of them at once.
    """
    source = passage.model_dump_json().encode()
    if vector is not None:
        # Base64 of big-endian float32: 30 times faster to serialise than a list of numbers.
        source = b'%b,"vector":"%b"}' % (source[:-1], pack_dense_vector(vector.astype("float32")).encode())
    action = _action("index", alias, passage.passage_id, passage.revision, routing=passage.work_id)
    return Operation(passage.passage_id, action, source)


def put_work(alias: str, work: WorkDocument) -> Operation:
    """Return the operation that writes a work unless a newer revision of it is there."""
    action = _action("index", alias, work.work_id, work.revision)
    return Operation(work.work_id, action, work.model_dump_json().encode())


def delete_passage(alias: str, passage_id: str, work_id: str, revision: int) -> Operation:
    """Return the operation that deletes a passage unless a newer revision of it is there."""
    return Operation(passage_id, _action("delete", alias, passage_id, revision, routing=work_id))


def _action(
    name: Literal["index", "delete"], alias: str, key: str, revision: int, *, routing: str | None = None
) -> bytes:
    where: dict[str, Any] = {"_index": alias, "_id": key, "version": revision, "version_type": "external_gte"}
    if routing is not None:
        where["routing"] = routing
    return orjson.dumps({name: where})


def send(client: Elasticsearch, url: str, operations: Sequence[Operation]) -> list[Outcome]:
    """Send operations in requests of a good size; return what came of each, in order.

    A version conflict means that the index holds something newer, which is no error. Anything else that
    is refused raises, with the server's first reason.
    """
    outcomes: list[Outcome] = []
    for request in _requests(operations):
        outcomes += _send_one(client, url, request)
    return outcomes


def _requests(operations: Sequence[Operation]) -> Iterator[list[Operation]]:
    request: list[Operation] = []
    size = 0
    for operation in operations:
        if request and size + len(operation) > REQUEST_BYTES:
            yield request
            request, size = [], 0
        request.append(operation)
        size += len(operation)
    if request:
        yield request


def _send_one(client: Elasticsearch, url: str, request: list[Operation]) -> list[Outcome]:
    outcomes: dict[int, Outcome] = {}
    waiting = list(range(len(request)))
    for pause in (*PAUSES, None):
        with engine_errors(url):
            answer = client.bulk(
                # Lines that are serialised already pass through the client as they are.
                operations=cast("Any", [line for at in waiting for line in request[at].lines()]),
                require_alias=True,
                filter_path="items.*.status,items.*.error.type,items.*.error.reason,items.*.error.caused_by",
            )
        crowded = []
        for at, item in zip(waiting, answer["items"], strict=True):
            (result,) = item.values()
            if result["status"] == TOO_MANY_REQUESTS:
                crowded.append(at)
            else:
                outcomes[at] = _outcome(url, request[at], result)
        if not crowded:
            return [outcomes[at] for at in range(len(request))]
        waiting = crowded
        if pause is not None:
            time.sleep(pause)
    raise EngineUnavailable(
        f"Elasticsearch at {url} has no room in its queue for {len(waiting)} writes",
        advice="run the command again: what was written is not written twice",
    )


def _outcome(url: str, operation: Operation, result: dict[str, Any]) -> Outcome:
    if result["status"] == CONFLICT:
        return "newer exists"
    if "error" in result:
        reason = {**result["error"], "reason": f"{operation.id}: {result['error'].get('reason')}"}
        raise refusal(url, result["status"], {"error": reason})
    return "done"
