"""The process that reads PDFs for a `ReadingPool`, one after the other, until its input ends.

A file can make a parser loop, crash or eat all memory. Here it takes only this process with it.

Frames on both pipes: eight bytes of length (big-endian), then that many bytes. A request is a PDF, the
answer a JSON object: `{"paper": …}` or `{"error": class, "message": …, "advice": …}`. Before it, an empty
frame for each page that is read from its picture says that the paper at hand takes longer for a reason.
"""

from __future__ import annotations

import math
import os
import signal
import sys
import time
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Callable

    from search.errors import CitewellError, ReadingError

#: Bytes of a frame's length.
HEADER = 8
#: MiB of address space that text recognition takes besides: its models and their work on a page of 200 dpi.
RECOGNITION_MB = 3072


def send(pipe: BinaryIO, payload: bytes) -> None:
    """Write one frame."""
    pipe.write(len(payload).to_bytes(HEADER, "big"))
    pipe.write(payload)
    pipe.flush()


def receive(pipe: BinaryIO) -> bytes | None:
    """Return the next frame's payload; None where the other side has ended, in the middle of one too."""
    header = pipe.read(HEADER)
    if len(header) < HEADER:
        return None
    length = int.from_bytes(header, "big")
    payload = pipe.read(length)
    return payload if len(payload) == length else None


def main() -> None:
    """Read PDFs from stdin until it ends.

    `argv` holds the memory that this process may have, in MiB, and the processor seconds for one PDF.
    """
    # Ctrl-C goes to the whole group of a terminal: the process that asked decides what becomes of us.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    memory_mb, seconds = int(sys.argv[1]), float(sys.argv[2])
    _limit_memory(memory_mb << 20)
    # Nothing that a library prints may get between the frames.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    _load()
    while (content := receive(sys.stdin.buffer)) is not None:
        _limit_time(seconds)

        def before_recognising(_: int) -> None:
            _limit_time(seconds)
            _limit_memory((memory_mb + RECOGNITION_MB) << 20)
            send(answers, b"")

        try:
            send(answers, _answer(content, before_recognising))
        except BrokenPipeError:  # whoever asked is gone
            return


def _load() -> None:
    """Import what reads now: it takes a second, which is not the first paper's."""
    with suppress(ImportError):  # the first paper is told, with the remedy
        for name in ("pymupdf", "search.documents.reading"):
            import_module(name)


def _answer(content: bytes, before_recognising: Callable[[int], None]) -> bytes:
    """Return the JSON of what a PDF holds, or of why it cannot be read."""
    from search.documents.reading import read_pdf
    from search.errors import DamagedPDF, MissingExtra, ReadingError, ReadingOverMemory

    try:
        paper = read_pdf(content, before_recognising=before_recognising)
    except ReadingError as error:
        # MuPDF reports what it could not allocate as an error of the file.
        return _failure(_over_memory(error, ReadingOverMemory))
    except MemoryError:
        return _failure(ReadingOverMemory("the PDF takes more memory than a reader may have", advice=_MORE))
    except MissingExtra as error:
        return _failure(error)
    except RecursionError:
        return _failure(DamagedPDF("the PDF is nested too deeply"))
    return b'{"paper":' + paper.model_dump_json().encode() + b"}"


_MORE = "set CITEWELL_READING_MEMORY_MB higher if you trust the file"


def _over_memory(error: ReadingError, kind: Callable[..., ReadingError]) -> ReadingError:
    starved = any(word in error.message for word in ("malloc", "calloc", "realloc", "bad_alloc"))
    return kind(error.message, advice=_MORE) if starved else error


def _failure(error: CitewellError) -> bytes:
    import orjson

    return orjson.dumps({"error": error.code, "message": error.message, "advice": error.advice})


def _limit_memory(limit: int) -> None:
    """Bound this process's address space where the system can do that (not on Windows)."""
    try:
        import resource
    except ImportError:
        return
    try:
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (limit, most))
    except (ValueError, OSError):  # macOS refuses some values; time still is limited
        return


def _limit_time(seconds: float) -> None:
    """Let the system end this process with SIGXCPU after so many more seconds of work, where it can.

    Processor time: on a busy machine an honest paper waits long and works no longer than elsewhere.
    """
    try:
        import resource
    except ImportError:
        return
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(time.process_time() + seconds), most))


if __name__ == "__main__":
    main()
