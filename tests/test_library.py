"""`Library` from many threads, and what it makes of odd input."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import date

import pytest
from platformdirs import user_data_path

import search.index
from search.errors import IndexMissing, SettingsError, UsageError, WorkNotFound
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


def test_an_empty_library_says_what_would_fill_it(tmp_path):
    """Where there is no paper at all, papers are what is missing, not an index; looking leaves no trace."""
    with Library(home=tmp_path / "new") as library:
        for method in (library.search, library.ask):
            with pytest.raises(IndexMissing, match="citewell add"):
                method("pebbles")
    assert not (tmp_path / "new").exists()


def test_only_what_could_be_a_paper_is_offered_to_be_added(tmp_path):
    """A real identifier is advised to be added, another string is not."""
    with Library(home=tmp_path) as library:
        with pytest.raises(WorkNotFound, match=r"citewell add 2101\.00001"):
            library.remove("2101.00001")
        with pytest.raises(WorkNotFound) as caught:
            library.info("notanid")
    assert "citewell add" not in caught.value.advice


@pytest.mark.parametrize("override", [{"dense_weight": 3}, {"index_url": "ftp://x"}, {"no_such": 1}])
def test_a_setting_that_cannot_be_is_ours_to_say(tmp_path, override):
    """A bad override is a SettingsError that names it."""
    with pytest.raises(SettingsError, match=next(iter(override)).upper()):
        Library(home=tmp_path, **override)


def test_a_home_that_is_a_file_is_refused(tmp_path):
    """A file in the home's place is named before anything is tried."""
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError, match="is a file"):
        Library(home=tmp_path / "file")


def test_an_empty_home_is_an_unset_one(tmp_path, monkeypatch):
    """Neither an empty variable nor an empty string means the current folder."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("CITEWELL_HOME", "")
    assert Library().settings.home == Library(home="").settings.home == user_data_path("citewell")


def test_wrong_types_are_usage_errors(tmp_path):
    """A list of ids or a query of None is refused in words, before anything is opened."""
    with Library(home=tmp_path) as library:
        with pytest.raises(UsageError, match="list"):
            library.remove(["2101.00001"])
        with pytest.raises(UsageError, match="NoneType"):
            library.search(None)


def test_the_future_is_not_harvested(tmp_path):
    """A first day that has not begun is refused before the server is asked."""
    with (
        Library(home=tmp_path, oai_base_url="http://127.0.0.1:9") as library,
        pytest.raises(UsageError, match="not begun"),
    ):
        library.harvest(from_=date(9999, 1, 1))
