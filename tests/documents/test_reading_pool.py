"""PDFs read in processes of their own: limits hold, and one bad file costs no other."""

from __future__ import annotations

import os
import signal
import threading
import time
import zlib

import pytest

from search.documents import read_pdf, reading_pool
from search.documents.reading_pool import ReadingPool
from search.errors import (
    DamagedPDF,
    EncryptedPDF,
    LakeDamaged,
    ReaderCrashed,
    ReadingOverMemory,
    ReadingTimeout,
)
from search.models import ReadPaper


def one_page(content: bytes) -> bytes:
    """A PDF of one page with this compressed content stream."""
    packed = zlib.compress(content, 9)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources 6 0 R >>",
        b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(packed), packed),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Font << /F 5 0 R >> >>",
    ]
    body = b"".join(b"%d 0 obj\n%s\nendobj\n" % (n, o) for n, o in enumerate(objects, start=1))
    return b"%PDF-1.7\n" + body + b"trailer\n<< /Size 7 /Root 1 0 R >>\nstartxref\n9\n%%EOF\n"


@pytest.fixture(scope="module")
def endless():
    """A page that keeps a reader busy for minutes: millions of lines, all drawn, none of them text."""
    return one_page(b"0 0 m 1 1 l S " * 60_000_000)


@pytest.fixture
def pool():
    """Two readers with the usual limits."""
    with ReadingPool(2) as pool:
        yield pool


def processes(pool):
    return [reader._process.pid for reader in pool._all if reader._process]


def test_a_reader_gives_what_reading_here_gives(pool, two_column_paper):
    """A paper that went through a process is the same, field by field."""
    assert pool.read(two_column_paper) == read_pdf(two_column_paper)


def test_errors_arrive_as_what_they_are(pool, make_pdf):
    """The file's own errors keep their class, their message and their advice."""
    with pytest.raises(DamagedPDF, match="is empty") as caught:
        pool.read(b"")
    assert "download it again" in caught.value.advice
    pymupdf = pytest.importorskip("pymupdf")
    locked = make_pdf(
        [[(72, 72, "x", 9, "tiro")]], encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="s", owner_pw="o"
    )
    with pytest.raises(EncryptedPDF):
        pool.read(locked)


def test_what_takes_too_long_is_ended_and_the_next_is_read(endless, two_column_paper):
    """A file over its time is given up with that reason; the same pool goes on with a new process."""
    with ReadingPool(1, seconds=1) as pool:
        with pytest.raises(ReadingTimeout, match="1 seconds"):
            pool.read(endless)
        assert pool.read(two_column_paper).title


def test_the_clock_counts_where_no_work_is_done(monkeypatch, two_column_paper):
    """A reader that neither works nor answers is ended too."""
    with ReadingPool(1, seconds=2) as pool:
        pool.read(two_column_paper)
        monkeypatch.setattr(reading_pool, "PATIENCE", 0.5)
        (pid,) = processes(pool)
        os.kill(pid, signal.SIGSTOP)
        with pytest.raises(ReadingTimeout):
            pool.read(two_column_paper)


def test_what_takes_too_much_memory_is_given_up():
    """A page of millions of words is refused for its memory, not for a fault of the file."""
    words = one_page(b"BT /F 9 Tf 9 0 0 9 72 700 Tm " + b"(word) Tj 0 0 Td " * 3_000_000 + b" ET")
    with ReadingPool(1, memory_mb=700) as pool, pytest.raises((ReadingOverMemory, ReaderCrashed)):
        pool.read(words)


def test_a_crash_takes_only_the_paper_at_hand(pool, endless, two_column_paper):
    """A reader that is killed in the middle costs its own paper, which says how it ended."""
    pool.read(two_column_paper)
    (pid,) = processes(pool)
    threading.Timer(0.5, os.kill, (pid, signal.SIGSEGV)).start()
    with pytest.raises(ReaderCrashed, match="SIGSEGV"):
        pool.read(endless)
    assert pool.read(two_column_paper).title


def test_every_job_has_an_outcome_and_slow_ones_hold_up_no_other(endless, two_column_paper):
    """Good, bad, slow and missing files in one batch: each comes back with its own outcome."""

    def gone():
        raise LakeDamaged("the file is gone")

    jobs = [("slow", lambda: endless), ("gone", gone), ("bad", lambda: b"%PDF-1.7")]
    jobs += [(f"good {n}", lambda: two_column_paper) for n in range(8)]
    with ReadingPool(2, seconds=2) as pool:
        found = dict(pool.read_all(jobs))
    assert isinstance(found.pop("slow"), ReadingTimeout)
    assert isinstance(found.pop("gone"), LakeDamaged)
    assert isinstance(found.pop("bad"), DamagedPDF)
    assert len(found) == 8
    assert all(isinstance(paper, ReadPaper) for paper in found.values())


def test_only_as_many_files_as_readers_are_held(two_column_paper):
    """Jobs are asked for their bytes only when a reader is free, so that memory stays flat."""
    loaded = []
    jobs = ((n, lambda n=n: loaded.append(n) or two_column_paper) for n in range(20))
    with ReadingPool(2) as pool:
        for done, _ in enumerate(pool.read_all(jobs), start=1):
            assert len(loaded) <= done + 2


def test_readers_end_with_the_pool_and_after_an_interruption(endless, two_column_paper):
    """Ctrl-C in the middle of a batch ends at once and leaves no process behind."""
    jobs = [("good", lambda: two_column_paper), *((f"slow {n}", lambda: endless) for n in range(3))]
    pool = ReadingPool(2)
    running = pool.read_all(jobs)
    next(running)
    pids = processes(pool)
    assert pids
    with pytest.raises(KeyboardInterrupt):
        running.throw(KeyboardInterrupt())
    for pid in pids:
        for _ in range(100):
            try:
                os.kill(pid, 0)
            except ProcessLookupError:
                break
            time.sleep(0.1)
        else:
            pytest.fail(f"process {pid} is still there")


def test_a_reader_is_replaced_after_many_papers(monkeypatch, two_column_paper):
    """What the parser keeps cannot add up: after so many papers a fresh process takes over."""
    monkeypatch.setattr(reading_pool, "PAPERS_PER_READER", 2)
    seen = set()
    with ReadingPool(1) as pool:
        for _ in range(5):
            pool.read(two_column_paper)
            seen.update(processes(pool))
    assert len(seen) == 3
