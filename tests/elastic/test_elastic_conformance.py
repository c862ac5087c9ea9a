"""The Elasticsearch store passes the conformance suite, on a real server."""

from __future__ import annotations

import pytest
from index.conformance import StoreConformance

from search.index.elastic import ElasticStore, generations
from search.settings import Settings

pytestmark = pytest.mark.elastic


class TestElasticStore(StoreConformance):
    """`ElasticStore` under a prefix of its own, with exact vectors, so that both stores must agree."""

    @pytest.fixture
    def open_store(self, elasticsearch_url, index_prefix):
        settings = Settings(index_url=elasticsearch_url, index_prefix=index_prefix)
        return lambda: ElasticStore.from_settings(settings, vector_index="flat")

    def test_two_objects_on_one_place(self, store, live, open_store, monkeypatch):
        """Another store object sees a publish as soon as it looks at the alias again."""
        monkeypatch.setattr(generations, "LIVE_FOR", 0.0)
        super().test_two_objects_on_one_place(store, live, open_store)
