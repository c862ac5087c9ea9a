"""Reading without Python's search for cycles of garbage: a tenth of the time, and there are none to find."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_LOCK = threading.Lock()
_readings = 0


@contextmanager
def without_collection() -> Iterator[None]:
    """Keep the collector from running, in the whole process, until the last reading that goes on has ended.

    A page is thousands of small objects that live until the paper is read. The collector looks at them again
    and again; none of them is in a cycle, so all are freed as they are let go of. Whoever has switched the
    collector off finds it as it was.
    """
    global _readings  # noqa: PLW0603 - the collector is the process's own
    with _LOCK:
        if not _readings and gc.isenabled():
            gc.disable()
            _readings = 1
            ours = True
        elif _readings:
            _readings += 1
            ours = True
        else:
            ours = False
    try:
        yield
    finally:
        with _LOCK:
            if ours:
                _readings -= 1
                if not _readings:
                    gc.enable()
