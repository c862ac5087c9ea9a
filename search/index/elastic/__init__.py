"""The index on an Elasticsearch server, version 9.3 or newer.

Importing this package needs the `elastic` extra; `search.index.open_store` imports it only when
`index_url` names a server.
"""

from __future__ import annotations

from search.errors import MissingExtra

try:
    import elasticsearch as _elasticsearch  # noqa: F401
except ImportError as missing:
    raise MissingExtra("elasticsearch", "elastic", why="an index on Elasticsearch") from missing

from search.index.elastic.store import ElasticStore

__all__ = ["ElasticStore"]
