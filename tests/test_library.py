"""`Library` from many threads, and what it makes of odd input."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import search.index
from search.errors import WorkNotFound
from search.index.embedded import EmbeddedStore
from search.library import Library


def test_threads_that_come_first_share_one_store(tmp_path, monkeypatch):
    """Fifty threads that use a fresh library at once find one store, one lake and one retriever."""
    made = []

    def slowly(settings):
        time.sleep(0.01)
        made.append(settings)
        return EmbeddedStore(settings.home / "index")

    monkeypatch.setattr(search.index, "open_store", slowly)
    start = threading.Barrier(50)
    with Library(home=tmp_path) as library, ThreadPoolExecutor(50) as pool:

        def parts(_):
            start.wait()
            return id(library.retriever), id(library.store), id(library.lake)

        assert len(set(pool.map(parts, range(50)))) == 1
    assert len(made) == 1


def test_identifier_that_is_no_text_is_not_found(tmp_path):
    """Bytes from a shell that are no UTF-8 are an unknown identifier, not a crash."""
    with Library(home=tmp_path) as library:
        for method in (library.info, library.remove):
            with pytest.raises(WorkNotFound):
                method("\udcff\udc00")


def test_query_that_is_no_text_is_searched_as_far_as_it_is(tmp_path):
    """A query with bytes that are no UTF-8 is searched by its words."""
    with Library(home=tmp_path) as library:
        library.build()
        assert library.search("pebble \udcff games").outcome == "empty index"
        assert library.ask("What is a pebble \udcff game?").confidence == "insufficient_evidence"
