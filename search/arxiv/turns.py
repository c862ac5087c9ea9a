"""Turns that all processes of one machine take: a file that is locked while somebody asks.

The operating system frees a lock when its holder ends, however it ends, so a killed process blocks nobody.
The file holds when the last request began and until when the host wants to be left alone; it is written
before the request is sent. Times are the wall clock's, because processes share nothing else, and a time
that cannot be (the clock was set back) counts as no wait longer than the interval.
"""

from __future__ import annotations

import logging
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import orjson

#: Seconds between two looks at a lock that another process holds.
LOOK_AGAIN = 0.1
#: Seconds of waiting that a person is told of; two clocks of one machine differ by less.
WORTH_TELLING = 0.1
#: A pause that ends later than this many seconds from now was written under another clock.
LONGEST_HOLD = 86_400.0
#: Folders are this user's own: another's lock file must not hold us up.
PRIVATE = 0o700

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Turn:
    """What the file of one host and kind says; all times in seconds since 1970."""

    started: float = 0.0
    held_until: float = 0.0
    reason: str = ""

    def wait(self, now: float, interval: float) -> tuple[float, str]:
        """Return how many seconds to wait and why; zero or less: none."""
        paced = min(self.started + interval - now, interval)
        held = self.held_until - now
        if held > LONGEST_HOLD:
            held = 0.0
        if held >= paced:
            return held, self.reason
        return paced, f"one request every {interval:g} s"


class Turnstile:
    """The files of one folder. Without a folder that can be written, processes know nothing of each other."""

    def __init__(self, folder: Path | None = None, *, clock: Callable[[], float] = time.time) -> None:
        self._folder = folder
        self._clock = clock
        self._usable: bool | None = None
        #: Hosts and kinds that this process has taken turns at; a loopback is not among them.
        self._met: set[tuple[str, str]] = set()

    @contextmanager
    def turn(
        self,
        host: str,
        kind: str,
        interval: float,
        *,
        on_wait: Callable[[float, str], None] | None,
        sleep: Callable[[float], None],
    ) -> Iterator[None]:
        """Wait until no other process asks and the host may be asked again, then hold the turn."""
        self._met.add((host, kind))
        path = self._path(host, kind)
        if path is None:
            yield
            return
        from filelock import FileLock, Timeout  # imports asyncio: 40 ms that only a harvest pays

        lock = FileLock(f"{path}.lock")
        told = False
        while True:
            try:
                lock.acquire(timeout=0)
                break
            except Timeout:
                if not told and on_wait is not None:
                    on_wait(interval, f"another process of this machine is asking {host}")
                told = True
                sleep(LOOK_AGAIN)
        try:
            state = _read(path)
            now = self._clock()
            seconds, reason = state.wait(now, interval)
            if seconds > 0:
                if on_wait is not None and seconds >= WORTH_TELLING:
                    on_wait(seconds, reason)
                sleep(seconds)
            # Not the clock's word alone: a test's sleep may not take any time.
            state.started = max(self._clock(), now + seconds)
            _write(path, state)
            yield
        finally:
            lock.release()

    def hold(self, host: str, kind: str, seconds: float, reason: str) -> None:
        """Tell every process that this host wants to be left alone for so long."""
        path = self._path(host, kind) if (host, kind) in self._met else None
        if path is None:
            return
        state = _read(path)
        until = self._clock() + seconds
        if until > state.held_until or state.held_until > self._clock() + LONGEST_HOLD:
            state.held_until, state.reason = until, reason
            _write(path, state)

    def _path(self, host: str, kind: str) -> Path | None:
        if self._usable is None:
            self._folder = self._folder or runtime_folder()
            self._usable = _is_ours(self._folder)
            if not self._usable:
                log.warning("%s cannot be written: other processes are not waited for", self._folder)
        if not self._usable or self._folder is None:
            return None
        return self._folder / f"{re.sub(r'[^A-Za-z0-9.-]', '_', host.lower())}-{kind}.json"


def runtime_folder() -> Path:
    """Return the folder of this user on this machine that lives as long as the machine is up."""
    from platformdirs import user_runtime_path

    return user_runtime_path("citewell") / "turns"


def _is_ours(folder: Path) -> bool:
    try:
        folder.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)


def _read(path: Path) -> Turn:
    """Return what the file says; a missing or damaged one says that nobody has asked."""
    try:
        return Turn(**orjson.loads(path.read_bytes()))
    except (OSError, orjson.JSONDecodeError, TypeError):
        return Turn()


def _write(path: Path, state: Turn) -> None:
    """Replace the file whole. Where that fails (a full disk), others wait too little, not for ever."""
    part = path.with_suffix(f".{os.getpid()}.part")
    with suppress(OSError):
        part.write_bytes(orjson.dumps(asdict(state)))
        part.replace(path)
