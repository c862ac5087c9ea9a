"""The client, and what its errors mean to the rest of Citewell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

import elastic_transport
import elasticsearch
from elasticsearch import Elasticsearch
from elasticsearch.serializer import OrjsonSerializer

from search.errors import CitewellError, EngineRefused, EngineUnavailable, IndexMissing, SettingsError

if TYPE_CHECKING:
    from search.settings import Settings

#: Seconds to wait for one answer: long enough for a bulk request of `bulk.REQUEST_BYTES` that waits for a
#: merge or a garbage collection.
REQUEST_TIMEOUT = 60.0
#: Connections kept open: a web server's thread pool (40 in Starlette) should not queue for one.
CONNECTIONS = 40
#: Statuses with which a server, or a proxy in front of it, says "not now".
BUSY = frozenset({408, 429, 502, 503, 504})

BUILD_FIRST = "run `citewell index build` first"


def connect(settings: Settings) -> Elasticsearch:
    """Return a client for `settings.index_url`. Nothing is contacted yet.

    Raises:
        SettingsError: the URL is none, or the certificates can't be read.
    """
    options: dict[str, Any] = {}
    if settings.index_api_key is not None:
        options["api_key"] = settings.index_api_key.get_secret_value()
    if settings.index_ca_certs is not None:
        if not settings.index_ca_certs.is_file():
            raise SettingsError(f"CITEWELL_INDEX_CA_CERTS names no file: {settings.index_ca_certs}")
        options["ca_certs"] = str(settings.index_ca_certs)
    node = _node(settings.index_url)
    try:
        return Elasticsearch(
            [node],
            serializer=OrjsonSerializer(),
            request_timeout=REQUEST_TIMEOUT,
            connections_per_node=CONNECTIONS,
            # A connection that breaks is tried again at once; every write carries its version, so that
            # sending it twice does no harm. A server that is too slow would only be slower then.
            max_retries=2,
            retry_on_timeout=False,
            **options,
        )
    except (ValueError, OSError) as error:
        raise SettingsError(
            f"CITEWELL_INDEX_URL, CITEWELL_INDEX_API_KEY and CITEWELL_INDEX_CA_CERTS do not fit: {error}",
            advice="certificates need an https:// address and a file that can be read",
        ) from error


def _node(url: str) -> elastic_transport.NodeConfig:
    try:
        node = elastic_transport.client_utils.url_to_node_config(url, use_default_ports_for_scheme=True)
    except ValueError:
        node = None
    if node is None or node.scheme not in {"http", "https"}:
        # The client's own message would show the password.
        raise SettingsError(
            "CITEWELL_INDEX_URL is not the address of an Elasticsearch server",
            advice="write it like https://host:9200, or `embedded` for the index without a server",
        )
    return node


def without_password(url: str) -> str:
    """Return the URL as it may be shown: without user and password."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


@contextmanager
def engine_errors(url: str) -> Iterator[None]:
    """Turn whatever the client raises inside the block into one of our errors. `url` holds no password."""
    try:
        yield
    except elastic_transport.ApiError as error:
        raise refusal(url, error.meta.status, error.body, product=error) from error
    except elastic_transport.TlsError as error:
        raise EngineRefused(
            f"no trust between us and Elasticsearch at {url}: {error}",
            advice="name its certificate authority in CITEWELL_INDEX_CA_CERTS",
        ) from error
    except elastic_transport.SerializationError as error:
        raise EngineRefused(
            f"what answers at {url} is no Elasticsearch: {error}", advice="check CITEWELL_INDEX_URL"
        ) from error
    except elastic_transport.TransportError as error:
        raise EngineUnavailable(
            f"Elasticsearch at {url} does not answer: {error}",
            advice="check that it runs and that CITEWELL_INDEX_URL is its address",
        ) from error


def refusal(url: str, status: int, body: Any, *, product: Exception | None = None) -> CitewellError:
    """Return our error for an answer with an error status, or for one part of a bulk or multi-search."""
    if isinstance(product, elasticsearch.UnsupportedProductError):
        return EngineRefused(
            f"what answers at {url} is no Elasticsearch",
            advice="check CITEWELL_INDEX_URL: a server from 9.3 on is needed",
        )
    kind, reason = _cause(body)
    if kind == "index_not_found_exception":
        return IndexMissing(f"there is no index at {url}: {reason}", advice=BUILD_FIRST)
    if status in BUSY:
        return EngineUnavailable(
            f"Elasticsearch at {url} is too busy or not ready ({status}): {reason}",
            advice="try again, and look at the server's memory if it stays so",
        )
    return EngineRefused(
        f"Elasticsearch at {url} refused ({status}): {reason}", advice=_advice(status, reason)
    )


def _advice(status: int, reason: str) -> str:
    if status in {401, 403}:
        return "check CITEWELL_INDEX_API_KEY and what its role may do"
    if "read-only-allow-delete" in reason or "flood" in reason:
        return "the server's disk is nearly full: free space on it"
    return ""


def _cause(body: Any) -> tuple[str, str]:
    """Return type and reason of the innermost cause that an error body names."""
    error = body.get("error", body) if isinstance(body, Mapping) else body
    if not isinstance(error, Mapping):
        return "", str(error)[:500]
    first = (error.get("root_cause") or [error])[0]
    kind = str(first.get("type") or error.get("type") or "")
    deepest = error
    while isinstance(deepest.get("caused_by"), Mapping):
        deepest = deepest["caused_by"]
    reasons = dict.fromkeys(str(part["reason"]) for part in (first, deepest) if part.get("reason"))
    return kind, ": ".join(reasons) or kind
