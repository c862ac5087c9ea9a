"""Pages per second of reading a PDF, against a bare pymupdf `get_text("dict")` loop over the same files.

    python evals/reading_speed.py [--every 1] [--rounds 3]      # one core
    python evals/reading_speed.py --processes 2 [--every 1]     # the pool: one process against several

One core: all are measured in one process, file by file in turn, so that whatever else the machine does
falls on all alike; processor seconds of the process, not of the clock, and of several rounds a file's best,
because other work on the machine only ever adds. The loop is measured twice: as it is written, where "dict"
takes the pictures out of the file as well, and without them, which is the least that our reader can do with.
Files with pages that text recognition would read are left out and counted: recognition has its own price.

Several: the same files through a `ReadingPool` of one process and of `--processes`, in turns, by the clock,
the best round of each; and the most memory that one reader had. Only a machine with nothing else to do gives
a ratio that says something: the load before and after is printed with it.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pymupdf

from search.documents import read_pdf, reading
from search.documents.reading_pool import ReadingPool
from search.models import ReadPaper

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("CITEWELL_DATA", ROOT.parent / "shared" / "data"))


class Recognises(Exception):
    """A page would be read from its picture."""


def bare(content: bytes, without: int = 0) -> int:
    """Read every page of a PDF as dict, but for what `without` names; return the number of pages."""
    flags = pymupdf.TEXTFLAGS_DICT & ~without
    with pymupdf.open(stream=content) as document:
        for page in document:
            page.get_text("dict", flags=flags)
        return int(document.page_count)


def read(content: bytes) -> ReadPaper:
    """Read a PDF, unless a page of it would be recognised.

    Raises:
        Recognises: one would.
    """

    def stop(_: int) -> None:
        raise Recognises

    return read_pdf(content, before_recognising=stop)


def best(rounds: int, work: Callable[[bytes], Any], content: bytes) -> float:
    """Return the least processor seconds that a piece of work took."""
    taken = []
    for _ in range(rounds):
        start = time.process_time()
        work(content)
        taken.append(time.process_time() - start)
    return min(taken)


def one_core(contents: Sequence[bytes], rounds: int) -> float:
    """Print pages per second of reading and of both loops; return the ratio to the one as it is written."""
    pages, left_out = 0, 0
    plain = text_only = reading_time = 0.0
    read(contents[0])  # what is loaded with the first paper is no part of any
    for content in contents:
        try:
            seconds = best(rounds, read, content)
        except Recognises:
            left_out += 1
            continue
        reading_time += seconds
        plain += best(rounds, bare, content)
        text_only += best(rounds, partial(bare, without=pymupdf.TEXT_PRESERVE_IMAGES), content)
        pages += bare(content)
    print(
        f"{pages} pages ({left_out} files left out): read {pages / reading_time:.0f} pages/s; "
        f"bare {pages / plain:.0f}, ratio {plain / reading_time:.2f}; "
        f"bare without pictures {pages / text_only:.0f}, ratio {text_only / reading_time:.2f}"
    )
    return plain / reading_time


def without_recognition(contents: Sequence[bytes]) -> list[bytes]:
    """Return the files of which no page would be recognised."""
    kept = []
    for content in contents:
        try:
            read(content)
        except Recognises:
            continue
        kept.append(content)
    return kept


def by_pool(contents: Sequence[bytes], processes: int) -> float:
    """Return the seconds by the clock that a pool takes for all files, its processes started before."""
    with ReadingPool(processes) as pool:
        list(pool.read_all((number, partial(bytes, contents[0])) for number in range(2 * processes)))
        start = time.perf_counter()
        jobs = ((number, partial(bytes, content)) for number, content in enumerate(contents))
        count = sum(isinstance(found, ReadPaper) for _, found in pool.read_all(jobs))
        seconds = time.perf_counter() - start
    if count != len(contents):
        sys.exit(f"{len(contents) - count} of {len(contents)} files were not read")
    return seconds


def many(contents: Sequence[bytes], processes: int, rounds: int) -> None:
    """Print how much faster several processes are than one, and the memory of one."""
    import resource

    contents = without_recognition(contents)
    before = os.getloadavg()[0]
    one, several = [], []
    for _ in range(rounds):
        one.append(by_pool(contents, 1))
        several.append(by_pool(contents, processes))
    # Of all readers, ended and waited for by now; Linux counts in KiB.
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(
        f"{len(contents)} files: one process {min(one):.1f} s, {processes} {min(several):.1f} s, "
        f"{min(one) / min(several):.2f} times as fast; load {before:.1f} before, "
        f"{os.getloadavg()[0]:.1f} after; a reader had {peak:.0f} MiB at most"
    )
    print(f"rounds: one {[round(s, 1) for s in one]}, {processes} {[round(s, 1) for s in several]}")


def main() -> int:
    """Measure; exit 1 where reading is slower than half of the bare loop."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--every", type=int, default=1, help="only each n-th file")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--processes", type=int, default=1)
    arguments = parser.parse_args()
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    if not reading.recogniser():
        print("text recognition is not installed: its pages count as empty ones", file=sys.stderr)
    paths = sorted((DATA / "pdf" / "arxiv").glob("*.pdf"))[:: arguments.every]
    contents = [path.read_bytes() for path in paths]
    if arguments.processes > 1:
        many(contents, arguments.processes, arguments.rounds)
        return 0
    return int(one_core(contents, arguments.rounds) < 0.5)


if __name__ == "__main__":
    sys.exit(main())
