"""The index: a cache of the lake that answers queries. See `search.index.protocol`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from search.index.protocol import IndexStore
    from search.settings import Settings


def open_store(settings: Settings) -> IndexStore:
    """Return the store that `index_url` names. Nothing is contacted or created yet."""
    if settings.index_url == "embedded":
        from search.index.embedded import EmbeddedStore

        return EmbeddedStore(settings.home / "index")
    from search.index.elastic import ElasticStore

    return ElasticStore.from_settings(settings)
