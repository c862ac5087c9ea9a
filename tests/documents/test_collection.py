"""Reading keeps Python's collector from running, and leaves it as it was."""

from __future__ import annotations

import gc

import pytest

from search.documents import read_pdf
from search.documents.collection import without_collection


@pytest.fixture(autouse=True)
def collector():
    """The collector runs before each test and after it, whatever the test did."""
    gc.enable()
    yield
    gc.enable()


def test_the_collector_rests_until_the_last_reading_ends():
    """Readings at the same time end in any order; only the last switches the collector on again."""
    first, second = without_collection(), without_collection()
    first.__enter__()
    second.__enter__()
    assert not gc.isenabled()
    first.__exit__(None, None, None)
    assert not gc.isenabled()
    second.__exit__(None, None, None)
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off():
    """Who has switched the collector off does not find it switched on after a reading."""
    gc.disable()
    with without_collection():
        assert not gc.isenabled()
    assert not gc.isenabled()


def test_it_runs_again_after_a_failure():
    """A PDF that cannot be read does not leave the collector off."""
    from search.errors import DamagedPDF

    pytest.importorskip("pymupdf", reason="reading PDFs needs the extra citewell[pdf]")
    with pytest.raises(DamagedPDF):
        read_pdf(b"no PDF")
    assert gc.isenabled()


def test_a_reading_leaves_few_cycles(two_column_paper):
    """What a reading made is freed without the collector: hardly anything is left for it to find."""
    read_pdf(two_column_paper)
    gc.collect()
    gc.disable()
    for _ in range(5):
        read_pdf(two_column_paper)
    assert gc.collect() < 500  # a page alone is thousands of objects
