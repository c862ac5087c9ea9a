"""Many PDFs, each read in a process of its own with bounded time and memory, all cores busy."""

from __future__ import annotations

import queue
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from itertools import islice
from types import TracebackType
from typing import Self, TypeVar

import orjson

from search import errors
from search.documents import reading_worker
from search.errors import LakeDamaged, MissingExtra, ReaderCrashed, ReadingError, ReadingTimeout
from search.machine import usable_cores
from search.models import ReadPaper
from search.settings import Settings

K = TypeVar("K")

#: Seconds of processor time for one PDF. The slowest of 81 arXiv papers took 3 s. (The settings' defaults
#: are the same numbers.)
SECONDS = 60.0
#: Times as many seconds may pass on the clock: for what waits instead of working, and for systems that
#: cannot limit processor time.
PATIENCE = 10
#: MiB of address space for one reader; a reader at work on those papers has 600, libraries included.
MEMORY_MB = 2048
#: Papers after which a reader is replaced by a fresh one, so that what MuPDF keeps cannot add up.
PAPERS_PER_READER = 200


class ReadingPool:
    """Readers that are started when they are first needed. Use as a context manager.

    Args:
        processes: how many; 0: one per core that this process may use.
        seconds: processor time that one PDF may take; then its reader is ended and another one starts.
        memory_mb: address space of a reader.
    """

    def __init__(self, processes: int = 0, *, seconds: float = SECONDS, memory_mb: int = MEMORY_MB) -> None:
        self.processes = processes or usable_cores()
        self._seconds = seconds
        self._memory_mb = memory_mb
        self._idle: queue.LifoQueue[_Reader] = queue.LifoQueue()
        self._all: set[_Reader] = set()
        self._lock = threading.Lock()
        self._closed = False

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        """Return a pool with the limits that were set."""
        return cls(
            settings.reading_processes,
            seconds=settings.reading_seconds,
            memory_mb=settings.reading_memory_mb,
        )

    def read(self, content: bytes) -> ReadPaper:
        """Return what one PDF holds.

        Raises:
            ReadingError: it cannot be read; `ReadingTimeout`, `ReadingOverMemory` and `ReaderCrashed` are of
                the process, the others of the file.
            MissingExtra: pymupdf is not installed.
        """
        try:
            reader = self._idle.get_nowait()
        except queue.Empty:
            reader = _Reader(self._seconds, self._memory_mb)
            with self._lock:
                if self._closed:
                    raise ReaderCrashed("the readers were ended") from None
                self._all.add(reader)
        try:
            return reader.read(content)
        finally:
            self._idle.put(reader)

    def read_all(
        self, jobs: Iterable[tuple[K, Callable[[], bytes]]]
    ) -> Iterator[tuple[K, ReadPaper | ReadingError | LakeDamaged]]:
        """Yield what became of each job, as they are done; a slow one holds up no other.

        Only as many PDFs are in memory as there are readers.

        Args:
            jobs: a key, and what gives the PDF's bytes.
        """

        def run(job: tuple[K, Callable[[], bytes]]) -> tuple[K, ReadPaper | ReadingError | LakeDamaged]:
            key, load = job
            try:
                return key, self.read(load())
            except (ReadingError, LakeDamaged) as error:  # of this file; the others go on
                return key, error

        waiting = iter(jobs)
        with ThreadPoolExecutor(self.processes, thread_name_prefix="citewell-reading") as threads:
            running: set[Future[tuple[K, ReadPaper | ReadingError | LakeDamaged]]] = set()
            try:
                while True:
                    free = self.processes - len(running)
                    running |= {threads.submit(run, job) for job in islice(waiting, free)}
                    if not running:
                        return
                    done, running = wait(running, return_when=FIRST_COMPLETED)
                    for future in done:
                        yield future.result()
            except BaseException:
                # An interruption must not wait for the papers at hand.
                self.close()
                raise

    def close(self) -> None:
        """End all readers, whatever they are doing."""
        with self._lock:
            self._closed = True
            readers, self._all = self._all, set()
        for reader in readers:
            reader.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Reader:
    """One process, and the pipe to it."""

    def __init__(self, seconds: float, memory_mb: int) -> None:
        self._seconds = seconds
        self._memory_mb = memory_mb
        self._process: subprocess.Popen[bytes] | None = None
        self._papers = 0
        #: What the process prints: nothing, unless it crashes.
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the reader
        self._ended = False

    def read(self, content: bytes) -> ReadPaper:
        process = self._running()
        late = threading.Event()

        def out_of_time() -> None:
            late.set()
            process.kill()

        answer: bytes | None = b""
        with self._alarm(out_of_time):
            sent = self._give(process, content)
        while sent and answer == b"":  # one empty frame for each page that is read from its picture
            with self._alarm(out_of_time):
                answer = reading_worker.receive(process.stdout)  # type: ignore[arg-type]
        self._papers += 1
        if not answer:
            with suppress(subprocess.TimeoutExpired):  # its pipe is closed a moment before it has ended
                process.wait(5)
            self._stop()
            if late.is_set() or process.returncode == -signal.SIGXCPU:
                raise ReadingTimeout(
                    f"the PDF was not read within {self._seconds:g} seconds of work",
                    advice="set CITEWELL_READING_SECONDS higher if you trust the file",
                )
            raise ReaderCrashed(
                f"the reader crashed on the PDF ({_ending(process)}) {self._last_words()}".rstrip(),
                advice="the file is broken in a way that the reader does not survive; report it to pymupdf",
            )
        return _paper(answer)

    @contextmanager
    def _alarm(self, ring: Callable[[], None]) -> Iterator[None]:
        timer = threading.Timer(PATIENCE * self._seconds, ring)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _give(self, process: subprocess.Popen[bytes], content: bytes) -> bool:
        try:
            reading_worker.send(process.stdin, content)  # type: ignore[arg-type]
        except (BrokenPipeError, ValueError):  # it has died, or was ended by another thread
            return False
        return True

    def _running(self) -> subprocess.Popen[bytes]:
        if self._ended:
            raise ReaderCrashed("the readers were ended")
        if self._papers == PAPERS_PER_READER:
            self._stop()
            self._papers = 0
        if self._process is None or self._process.poll() is not None:
            # -P: a folder called `search` where somebody happens to stand is not ours.
            command = [
                sys.executable,
                "-P",
                "-m",
                reading_worker.__name__,
                *map(str, (self._memory_mb, self._seconds)),
            ]
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._said
            )
        return self._process

    def end(self) -> None:
        """Kill the process for good; nothing that it could lose is of worth."""
        self._ended = True
        self._stop()
        self._said.close()

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError, ValueError):  # another thread may be using it this moment
                    pipe.close()

    def _last_words(self) -> str:
        self._said.seek(0)
        lines = self._said.read().decode("utf-8", "replace").split("\n")
        self._said.truncate(0)
        return next((line.strip() for line in reversed(lines) if line.strip()), "")


def _paper(answer: bytes) -> ReadPaper:
    """Return the paper that a reader sent, or raise the error."""
    parts = orjson.loads(answer)
    if "paper" in parts:
        return ReadPaper.model_validate(parts["paper"])
    kind = getattr(errors, parts["error"])
    if issubclass(kind, MissingExtra):
        raise MissingExtra("pymupdf", "pdf", why="reading PDF files")
    raise kind(parts["message"], advice=parts["advice"])


def _ending(process: subprocess.Popen[bytes]) -> str:
    """Return how a process ended, for people."""
    status = process.returncode
    if status is not None and status < 0:
        return signal.Signals(-status).name
    return f"exit status {status}"
