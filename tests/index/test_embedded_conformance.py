"""The embedded store passes the conformance suite."""

from __future__ import annotations

import pytest
from index.conformance import StoreConformance

from search.index.embedded import EmbeddedStore


class TestEmbeddedStore(StoreConformance):
    """`EmbeddedStore` on a folder of its own."""

    @pytest.fixture
    def open_store(self, tmp_path):
        return lambda: EmbeddedStore(tmp_path / "index")
