"""Shares: work over many papers, split by their ids alone.

A share is written `"3/8"`: of eight shares the one numbered 3 (they count from 0). A paper belongs to the
share that the CRC-32 of its id says, so several machines agree without a list that could be lost, and a
task that is run again works on the same papers.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass

from search.errors import UsageError

_FORM = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")


def crc32(work_id: str) -> int:
    """Return 0 to 2³² - 1, the same on every machine; SQLite knows it by this name too."""
    return zlib.crc32(work_id.encode())


@dataclass(frozen=True, slots=True)
class Share:
    """One of several equal parts of all works."""

    #: From 0.
    number: int
    of: int

    @classmethod
    def parse(cls, text: str) -> Share:
        """Return the share that is written `"3/8"`.

        Raises:
            UsageError: it is not written so, or there is no such share.
        """
        found = _FORM.fullmatch(text)
        if not found or int(found[1]) >= int(found[2]):
            raise UsageError(f"{text!r} is no share", advice="write 3/8 for share 3 of 8; they count from 0")
        return cls(int(found[1]), int(found[2]))

    def __str__(self) -> str:
        """Return the form that `parse` reads."""
        return f"{self.number}/{self.of}"

    def holds(self, work_id: str) -> bool:
        """Return whether a work belongs to this share."""
        return crc32(work_id) % self.of == self.number


#: Everything.
WHOLE = Share(0, 1)


def shares(count: int, per_share: int, most: int) -> list[str]:
    """Return how `count` works are split: at most `per_share` in each on average, at most `most` shares.

    Without works there are no shares.
    """
    number = min(-(-count // per_share), most)
    return [str(Share(n, number)) for n in range(number)]
