"""Whether a list that came in pages has come whole.

A list is read over minutes, by offsets, from a repository that goes on changing. A record that is modified
in between leaves its place, all that follow move up by one, and the first record of the next page is never
sent. Pages are also repeated, reordered and cut short by caches on the way. OAI-PMH 2.0, section 3.5, lets a
server state `completeListSize` and `cursor`; what they say is believed against what arrived.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from search.arxiv.oai import Page


@dataclass(slots=True)
class Listing:
    """What has arrived of one list."""

    #: OAI names of the records.
    names: set[str] = field(default_factory=set)
    #: `completeListSize` as stated last; None: never.
    size: int | None = None
    #: The sizes before and after the list became shorter.
    shrunk: tuple[int, int] | None = None
    #: Records in all pages, repeated ones included, and the first place that a page left out.
    _received: int = 0
    _gap: int | None = None

    def take(self, page: Page) -> int:
        """Note a page; return how many of its records had not arrived before."""
        if page.complete_list_size is not None:
            if self.size is not None and page.complete_list_size < self.size:
                self.shrunk = (self.size, page.complete_list_size)
            self.size = page.complete_list_size
        # A cursor that counts pages, as some servers' do, stays below the count and says nothing.
        if page.cursor is not None and page.cursor > self._received and self._gap is None:
            self._gap = self._received
        self._received += len(page.records)
        before = len(self.names)
        self.names.update(record.identifier for record in page.records)
        return len(self.names) - before

    @property
    def checkable(self) -> bool:
        """Whether the server has said how long the list is."""
        return self.size is not None

    def missing(self) -> str:
        """Return why the list is not whole, in words; empty where nothing speaks against it.

        In a window of past days a record that is modified leaves the list, so it became shorter; in one
        that reaches to today it moves to the end, so fewer different records arrived than there are.
        """
        if self.shrunk:
            return f"the list became shorter while it was read, from {self.shrunk[0]:,} to {self.shrunk[1]:,}"
        if self.size is not None and len(self.names) < self.size:
            return f"{len(self.names):,} of {self.size:,} records arrived"
        if self.size is None and self._gap is not None:
            return f"the record at place {self._gap:,} of the list never arrived"
        return ""
