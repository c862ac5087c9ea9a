"""Taken-down works: an order first, which every reader obeys at once; then nothing of the work but the order.

Orders are user facts in batches of their own kind, `tombstones/…`: few and small, so that whoever reads the
lake, or an index made from it, can look at all of them first. The newest one of a work counts, by (time,
writer, sequence). Nothing else is ever kept of a work that was taken down: its id, the order, the time.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

if TYPE_CHECKING:
    from search.lake.files import LakeFiles

#: Folder of the orders, and the topic of their facts.
KIND, TOPIC = "tombstones", "tombstone"
#: What an order says: the work is allowed again; it is taken down; and the lake's files were written anew.
LIFTED, ORDERED, CARRIED_OUT = 0, 1, 2
#: Seconds for which a process believes that there is no newer order. What it orders itself counts at once.
LOOK_AGAIN = 1.0


@dataclass(frozen=True, slots=True, order=True)
class Order:
    """The newest order about one work."""

    #: Microseconds since 1970.
    stamp: int
    writer: str
    sequence: int
    work_id: str
    value: int

    @property
    def stands(self) -> bool:
        """Whether the work is taken down."""
        return self.value != LIFTED


class Takedowns:
    """The orders of one lake. Safe to use from many threads.

    A lake on this machine's disk is read without fsspec: a search looks here first, and loads nothing for it.

    Args:
        url: the lake, a path or any fsspec URL.
        files: the same lake, where it is open already.
    """

    def __init__(self, url: str, files: LakeFiles | None = None) -> None:
        self._url = url
        self._files = files
        self._lock = threading.Lock()
        self._looked = float("-inf")
        #: Orders by the name of the file that holds them. Such a file never changes.
        self._known: dict[str, tuple[Order, ...]] = {}

    def orders(self) -> dict[str, Order]:
        """Return the newest order of each work that there ever was one about."""
        return newest(order for orders in self._current().values() for order in orders)

    def ids(self) -> frozenset[str]:
        """Return the works that are taken down."""
        return frozenset(work_id for work_id, order in self.orders().items() if order.stands)

    def pending(self, applied: Collection[str]) -> frozenset[str]:
        """Return the taken-down works whose newest order is in none of the files in `applied`."""
        current = self._current()
        fresh = {order.work_id for name, orders in current.items() if name not in applied for order in orders}
        return self.ids() & fresh if fresh else frozenset()

    def files_of(self, work_id: str) -> list[str]:
        """Return the files that hold orders about this work and no other."""
        return [
            name
            for name, orders in sorted(self._current().items())
            if {order.work_id for order in orders} == {work_id}
        ]

    def demanded(self, names: Iterable[str]) -> bool:
        """Return whether one of these files orders a work to be taken down."""
        current = self._current()
        return any(order.value == ORDERED for name in names for order in current.get(name, ()))

    def look_again(self) -> None:
        """Believe nothing that was read before: this process has just written an order."""
        with self._lock:
            self._looked = float("-inf")

    def _current(self) -> Mapping[str, tuple[Order, ...]]:
        with self._lock:
            if time.monotonic() - self._looked > LOOK_AGAIN:
                names = list(self._names())
                self._known = {name: self._known.get(name) or self._read(name) for name in names}
                self._looked = time.monotonic()
            return self._known

    # ------------------------------------------------------------------ with or without fsspec
    def _names(self) -> Iterator[str]:
        if self._files is None and "://" in self._url:
            from search.lake.files import LakeFiles

            self._files = LakeFiles(self._url)
        if self._files is not None:
            yield from (name for name in self._files.names(KIND) if name.endswith(".jsonl"))
            return
        for folder, _, names in os.walk(Path(self._url) / KIND):
            month = Path(folder).name
            yield from (f"{KIND}/{month}/{name}" for name in names if name.endswith(".jsonl"))

    def _read(self, name: str) -> tuple[Order, ...]:
        if self._files is not None:
            return orders_of(self._files.read(name))
        return orders_of((Path(self._url) / name).read_bytes())


def orders_of(content: bytes) -> tuple[Order, ...]:
    """Return the orders that a batch holds."""
    *lines, last = (orjson.loads(line) for line in content.splitlines() if line.strip())
    return tuple(
        Order(last["stamp"], last["writer"], sequence, line["work_id"], line["value"])
        for sequence, line in enumerate(lines)
    )


def newest(orders: Iterable[Order]) -> dict[str, Order]:
    """Return the newest order of each work."""
    return {order.work_id: order for order in sorted(orders)}
