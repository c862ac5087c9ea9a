"""A list that came in pages is whole, or it is not; never is half of one taken for all of it."""

from __future__ import annotations

import pytest
from arxiv.test_oai_client import WINDOW, answer, error, names, record

from search import errors
from search.arxiv.oai import ASKS, READINGS, OAIClient


def page(*ids, token=None, size=None, cursor=None):
    """A page of records, with what a server may say of the whole list."""
    said = "".join(
        f' {name}="{value}"'
        for name, value in (("completeListSize", size), ("cursor", cursor))
        if value is not None
    )
    rest = f"<resumptionToken{said}>{token or ''}</resumptionToken>" if token or said else ""
    return answer(f"<ListRecords>{''.join(record(f'2611.{n:05}') for n in ids)}{rest}</ListRecords>")


@pytest.fixture
def harvested(loopback, transport):
    """Play pages and return the ids that arrived, page by page."""
    client = OAIClient(f"{loopback.url}/oai", transport())

    def run(*pages):
        loopback.play(*map(loopback.reply, pages))
        return [[int(name[5:]) for name in names(p)] for p in client.list_records(**WINDOW)]

    return run


FIRST, LAST = page(1, 2, token="b", size=4, cursor=0), page(3, 4, size=4, cursor=2)


def test_a_repeated_page_is_asked_for_again(harvested, loopback):
    """The first page in place of the second: the token is asked once more, and the list is whole."""
    assert harvested(FIRST, FIRST, LAST) == [[1, 2], [3, 4]]
    assert len(loopback.requests) == 3


def test_a_list_that_ends_early_is_read_again(harvested, loopback):
    """A last page that is missing is noticed by the list's size; the second reading counts."""
    cut = page(1, 2, size=4, cursor=0)
    assert harvested(cut, FIRST, LAST) == [[1, 2], [1, 2], [3, 4]]


def test_a_list_that_stays_short_is_an_error(harvested, loopback):
    """A server that always ends early is named, with how much is missing; the list never counts as whole."""
    with pytest.raises(errors.MalformedResponse, match="2 of 4 records arrived"):
        harvested(page(1, 2, size=4, cursor=0))
    assert len(loopback.requests) == READINGS


def test_a_record_that_leaves_the_window_moves_the_others(harvested):
    """A window of past days: 2 is changed between the pages, so 3 slips out of the list; read again."""
    after = [page(1, 3, token="d", size=3, cursor=0), page(4, size=3, cursor=2)]
    assert harvested(FIRST, page(4, size=3, cursor=2), *after) == [[1, 2], [4], [1, 3], [4]]


def test_a_record_that_moves_to_the_end_moves_the_others(harvested):
    """An open window: 2 is changed and comes again at the end, 3 slips out, the size stays; read again."""
    after = [page(1, 3, token="d", size=4, cursor=0), page(4, 2, size=4, cursor=2)]
    assert harvested(FIRST, page(4, 2, size=4, cursor=2), *after)[-2:] == [[1, 3], [4, 2]]


def test_a_list_that_grows_is_whole(harvested):
    """New records at the end, and one that comes twice because the list grew at its beginning."""
    assert harvested(FIRST, page(2, 3, token="c", size=5, cursor=2), page(4, 5, size=5, cursor=4)) == [
        [1, 2], [2, 3], [4, 5],
    ]  # fmt: skip


def test_pages_in_another_order(harvested):
    """The order in which pages come does not matter, as long as all do."""
    third = page(5, 6, token="c", size=6, cursor=4)
    assert harvested(page(1, 2, token="b", size=6, cursor=0), third, page(3, 4, size=6, cursor=2)) == [
        [1, 2], [5, 6], [3, 4],
    ]  # fmt: skip


def test_a_gap_is_noticed_without_a_size(harvested):
    """A server that states cursors only: a page that begins too late is noticed."""
    gap = page(5, 6, cursor=4)
    with pytest.raises(errors.MalformedResponse, match="place 2 of the list never arrived"):
        harvested(*[page(1, 2, token="b", cursor=0), gap] * READINGS)


def test_a_repeated_page_on_the_way_is_passed_over(harvested, loopback):
    """Where the server's size will tell, a page that stays a repetition is followed by its token."""
    again = page(1, 2, token="c", size=4, cursor=2)
    assert harvested(FIRST, *[again] * ASKS, LAST) == [[1, 2], [1, 2], [3, 4]]


def test_pages_that_never_end_are_left(harvested, loopback):
    """Ever new tokens and nothing new behind them end in an error after a few pages."""
    pages = [page(1, 2, token=f"t{n}", size=4, cursor=0) for n in range(40)]
    with pytest.raises(errors.MalformedResponse, match="twice"):
        harvested(*pages)
    assert len(loopback.requests) < 20


def test_a_token_that_dies_beside_a_short_list(harvested):
    """A token may die once and a list may end early once: the third reading is whole."""
    assert harvested(FIRST, error("badResumptionToken"), page(1, 2, size=4), FIRST, LAST)[-2:] == [
        [1, 2],
        [3, 4],
    ]


def test_bytes_that_stay_broken_do_not_close_the_day(loopback, transport, caplog):
    """An answer that is no UTF-8 three times is read with U+FFFD, kept as received, and said to be so."""
    raw = page(1).replace(b"Words", b"W\xfcrter")
    loopback.play(loopback.reply(raw))
    (found,) = OAIClient(loopback.url, transport()).list_records(**WINDOW)
    assert (found.mended, found.raw) == (True, raw)
    assert found.records[0].metadata.abstract == "W\ufffdrter."
    assert len(loopback.requests) == ASKS
    assert "no valid UTF-8" in caplog.text


def test_bytes_that_were_broken_on_the_way_are_not_taken(loopback, transport):
    """An answer that is whole when it is asked for again is taken from there."""
    loopback.play(loopback.reply(page(1).replace(b"Words", b"W\xfcrter")), loopback.reply(page(1)))
    (found,) = OAIClient(loopback.url, transport()).list_records(**WINDOW)
    assert (found.mended, found.records[0].metadata.abstract) == (False, "Words.")
