"""How often one may ask: a budget per host and kind of request that a whole machine shares.

arXiv allows one request every three seconds and one connection at a time, over all machines of a
person together (https://info.arxiv.org/help/api/tou.html); its robots.txt asks for 15 seconds between
PDFs. So two clients of one process, on whatever threads, take turns here, and the processes of one user
on one machine take turns at a file (`search.arxiv.turns`). Machines know nothing of each other.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from search.arxiv.turns import Turnstile

Sleep = Callable[[float], None]
#: Told how many seconds are about to be waited, and why.
OnWait = Callable[[float, str], None]


@dataclass(slots=True)
class _Queue:
    """The requests to one host and kind: one at a time, the next not before `ready`."""

    # Re-entrant, so that a request made while another's answer is read waits for nobody.
    turn: threading.RLock = field(default_factory=threading.RLock)
    started: float = float("-inf")
    held_until: float = float("-inf")
    reason: str = ""
    #: Whether this process holds the machine's turn.
    taken: bool = False


class Politeness:
    """Turns at hosts. One instance, `SHARED`, serves the process; tests make their own with a clock.

    Args:
        clock: seconds from anywhere, rising.
        sleep: waits.
        machine: the turns of all processes; None: this one's only.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Sleep = time.sleep,
        machine: Turnstile | None = None,
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self.machine = machine
        self._queues: dict[tuple[str, str], _Queue] = {}
        self._guard = threading.Lock()

    def _queue(self, host: str, kind: str) -> _Queue:
        with self._guard:
            return self._queues.setdefault((host.lower(), kind), _Queue())

    @contextmanager
    def turn(
        self,
        host: str,
        kind: str,
        interval: float,
        *,
        on_wait: OnWait | None = None,
        sleep: Sleep | None = None,
    ) -> Iterator[None]:
        """Wait until this host may be asked again, then hold the turn until the block ends.

        `interval` is in seconds from the start of the last request; 0 (a loopback) lets requests run
        side by side. A KeyboardInterrupt ends the wait and leaves the turn to the next.
        """
        queue = self._queue(host, kind)
        if interval <= 0:
            self._await(queue, interval, on_wait, sleep)
            yield
            return
        with ExitStack() as held:
            held.enter_context(queue.turn)
            self._await(queue, interval, on_wait, sleep)
            if self.machine is not None and not queue.taken:
                queue.taken = True
                held.callback(setattr, queue, "taken", False)
                wait = sleep or self._sleep
                held.enter_context(self.machine.turn(host, kind, interval, on_wait=on_wait, sleep=wait))
                queue.started = max(queue.started, self._clock())
            yield

    def _await(self, queue: _Queue, interval: float, on_wait: OnWait | None, sleep: Sleep | None) -> None:
        now = self._clock()
        held, paced = queue.held_until - now, queue.started + interval - now
        wait = max(held, paced)
        if wait > 0:
            if on_wait is not None:
                on_wait(wait, queue.reason if held >= paced else f"one request every {interval:g} s")
            (sleep or self._sleep)(wait)
        # Not the clock's word: a sleep may end early, and a test's sleep may not take any time.
        queue.started = max(now, now + wait)

    def hold(self, host: str, kind: str, seconds: float, reason: str) -> None:
        """Let nobody ask this host before `seconds` have passed: it asked for a pause."""
        queue = self._queue(host, kind)
        until = self._clock() + seconds
        if until > queue.held_until:
            queue.held_until, queue.reason = until, reason
        if self.machine is not None:
            self.machine.hold(host, kind, seconds, reason)


#: The budget of this process, and of this user's processes on this machine.
SHARED = Politeness(machine=Turnstile())
_elsewhere: dict[Path, Politeness] = {}
_elsewhere_guard = threading.Lock()


def shared(folder: Path | None = None) -> Politeness:
    """Return the budget of all processes that keep their turns in this folder; None: `SHARED`."""
    if folder is None:
        return SHARED
    with _elsewhere_guard:
        return _elsewhere.setdefault(folder, Politeness(machine=Turnstile(folder)))
