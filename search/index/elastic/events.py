"""Ingest events in an index of their own, `<prefix>-events`, for Kibana. The lake keeps the originals.

Each document has an id that its event decides, and is created, never replaced: sending one twice writes
it once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Self, cast

import orjson
from elasticsearch import BadRequestError, NotFoundError

from search.index.elastic.connection import connect, engine_errors, refusal, without_password
from search.index.mappings import mapping

if TYPE_CHECKING:
    from search.settings import Settings

#: Seconds to wait for one answer. Events are small, and a stage must not stand still for a server that
#: hangs: what was not sent is sent after a later run.
PATIENCE = 5.0
#: Documents in one request: about 350 bytes each.
REQUEST = 2_000
CONFLICT = 409


class EventIndex:
    """The events of one prefix. Use it as a context manager, or `close` it."""

    def __init__(self, settings: Settings) -> None:
        self._client = connect(settings).options(
            request_timeout=PATIENCE, max_retries=0, retry_on_timeout=False
        )
        self._url = without_password(settings.index_url)
        self.name = f"{settings.index_prefix}-events"

    def prepare(self) -> None:
        """Make the index, or give an older one the fields that have come since.

        Raises:
            EngineUnavailable: the server does not answer.
            EngineRefused: it refuses.
        """
        body = mapping("events")
        with engine_errors(self._url):
            if not self._client.indices.exists(index=self.name):
                try:
                    self._client.indices.create(index=self.name, **body)
                except BadRequestError as error:
                    if error.error != "resource_already_exists_exception":
                        raise
                return
            self._client.indices.put_mapping(index=self.name, properties=body["mappings"]["properties"])

    def newest(self) -> datetime | None:
        """Return the time of the newest event that is there; None where none is."""
        with engine_errors(self._url):
            try:
                answer = self._client.search(
                    index=self.name, size=1, sort=[{"@timestamp": "desc"}], source_includes=["@timestamp"]
                )
            except NotFoundError:
                return None
        hits = answer["hits"]["hits"]
        return datetime.fromisoformat(hits[0]["_source"]["@timestamp"]) if hits else None

    def missing(self, ids: Sequence[str]) -> set[str]:
        """Return those of the ids that no document has."""
        absent: set[str] = set()
        for start in range(0, len(ids), REQUEST):
            part = list(ids[start : start + REQUEST])
            with engine_errors(self._url):
                answer = self._client.mget(index=self.name, ids=part, source=False)
            absent.update(found["_id"] for found in answer["docs"] if not found.get("found"))
        return absent

    def create(self, documents: Mapping[str, Mapping[str, Any]]) -> int:
        """Write documents by id, leaving alone what is there; return how many are new.

        Raises:
            EngineUnavailable: the server does not answer, or has no room now.
            EngineRefused: it refuses one of them.
        """
        new = 0
        ids = list(documents)
        for start in range(0, len(ids), REQUEST):
            lines = [
                line
                for key in ids[start : start + REQUEST]
                for line in (b'{"create":%b}' % orjson.dumps({"_id": key}), orjson.dumps(documents[key]))
            ]
            with engine_errors(self._url):
                answer = self._client.bulk(index=self.name, operations=cast("Any", lines))
            for item in answer["items"]:
                result = item["create"]
                if result["status"] == CONFLICT:
                    continue
                if "error" in result:
                    raise refusal(self._url, result["status"], {"error": result["error"]})
                new += 1
        return new

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
