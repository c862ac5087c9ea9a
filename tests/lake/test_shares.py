"""Shares split works by their ids, the same everywhere."""

from __future__ import annotations

import pytest

from search.errors import UsageError
from search.lake.shares import WHOLE, Share, shares


def test_every_work_belongs_to_exactly_one_share():
    """Of eight shares each holds about an eighth, and together they hold all."""
    ids = [f"2401.{n:05d}" for n in range(4_000)]
    parts = [[i for i in ids if Share.parse(text).holds(i)] for text in shares(4_000, 500, 100)]
    assert sorted(i for part in parts for i in part) == ids
    assert len(parts) == 8
    assert all(400 < len(part) < 600 for part in parts)


def test_a_share_never_changes():
    """The split is part of what other machines and later runs rely on."""
    assert str(Share.parse("3/8")) == "3/8"
    assert [n for n in range(8) if Share(n, 8).holds("2401.00001")] == [6]
    assert [n for n in range(8) if Share(n, 8).holds("hep-th/9901001")] == [2]
    assert WHOLE.holds("anything")


@pytest.mark.parametrize("text", ["8/8", "1/0", "-1/2", "1/2/3", "", "a/b", "1 / 2", "1/2\n", "¹/2"])
def test_what_is_no_share_is_refused(text):
    """Nothing is guessed: a wrong share would pass papers over."""
    with pytest.raises(UsageError, match="is no share"):
        Share.parse(text)


def test_number_of_shares_follows_the_work():
    """None without work, one for little, never more than allowed."""
    assert shares(0, 100, 10) == []
    assert shares(1, 100, 10) == ["0/1"]
    assert shares(101, 100, 10) == ["0/2", "1/2"]
    assert len(shares(10**6, 100, 10)) == 10
