"""Files are written whole or not at all, on a disk and elsewhere."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path

import pytest

from search.errors import DiskFull, LakeDamaged
from search.lake.batch import Outcome, Writer, read_outcomes, read_records, write_batch
from search.lake.files import LakeFiles


@pytest.fixture(params=["disk", "memory"])
def files(request, tmp_path):
    """A lake on the local disk, and one in another file system of fsspec."""
    return LakeFiles(str(tmp_path) if request.param == "disk" else f"memory://{tmp_path.name}")


def test_what_is_written_is_read_and_listed(files):
    """A file comes back as it went in, whole or in part, under its relative name."""
    files.write("works/2026-01/b.jsonl", b"0123456789")
    files.write("works/2026-01/a.jsonl", b"x")
    assert files.read("works/2026-01/b.jsonl") == b"0123456789"
    assert files.read("works/2026-01/b.jsonl", 2, 5) == b"234"
    assert files.read("works/2026-01/b.jsonl", start=-3) == b"789"
    assert files.names("works") == ["works/2026-01/a.jsonl", "works/2026-01/b.jsonl"]
    assert files.names("papers") == []
    assert files.size("works/2026-01/b.jsonl") == 10


def test_missing_file_is_damage(files):
    """A file that a batch names and that is gone says so, and what to do."""
    with pytest.raises(LakeDamaged, match="doctor"):
        files.read("papers/none.jsonl")


def test_full_disk_leaves_nothing_behind(tmp_path, monkeypatch):
    """A write that the disk refuses raises DiskFull and leaves neither the file nor a part of it."""
    files = LakeFiles(str(tmp_path))
    files.write("works/a.jsonl", b"old")

    def full(_handle):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DiskFull, match="free some space"):
        files.write("works/a.jsonl", b"new")
    assert files.read("works/a.jsonl") == b"old"
    assert [path.name for path in (tmp_path / "works").iterdir()] == ["a.jsonl"]


def test_interrupted_write_is_never_listed(tmp_path):
    """What a killed writer left under its temporary name is no file of the lake."""
    files = LakeFiles(str(tmp_path))
    files.write("works/a.jsonl", b"x")
    (Path(tmp_path) / "works" / ".0123.part").write_bytes(b"half")
    assert files.names("works") == ["works/a.jsonl"]


def test_batch_round_trip(files):
    """Records and outcomes come back, with the place of each record in the file."""
    outcomes = [Outcome("2401.00001", 1), Outcome("2401.00002", None, "failed", "PDFNotFound", "404")]
    name = write_batch(files, Writer("w"), "papers", [{"a": 1}, {"b": "two\n"}], outcomes)
    batch = read_outcomes(files, name)
    assert batch.outcomes == tuple(outcomes)
    records = list(read_records(files, batch))
    assert [record for _, _, record in records] == [{"a": 1}, {"b": "two\n"}]
    start, length, _ = records[1]
    assert files.read(name, start, start + length) == b'{"b":"two\\n"}'


def test_outcomes_longer_than_the_tail_are_read_whole(files):
    """A last line of any length is found from the file's end."""
    outcomes = [Outcome(f"2401.{n:05d}", 1) for n in range(5000)]
    name = write_batch(files, Writer("w"), "works", [{"x": "y" * 100_000}], outcomes)
    assert read_outcomes(files, name).outcomes == tuple(outcomes)


@pytest.mark.parametrize("content", [b"", b'{"a":1}\n', b'{"a":1}\n{"batch":"works","sta', b"\xff\xfe\n"])
def test_file_without_its_last_line_is_damage(files, content):
    """A cut or foreign file is refused, not half believed."""
    files.write("works/x.jsonl", content)
    with pytest.raises(LakeDamaged):
        read_outcomes(files, "works/x.jsonl")


def test_stamps_rise_when_the_clock_does_not():
    """Two batches of one process never share a name."""
    writer = Writer()
    stamps = [writer.stamp() for _ in range(1000)]
    assert stamps == sorted(set(stamps))


def test_lines_longer_and_shorter_than_a_block(files, monkeypatch):
    """However a file is cut into blocks, its lines are the same."""
    lines = [b"a" * n for n in (0, 1, 7, 8, 9, 40, 0, 3)]
    files.write("works/x.jsonl", b"\n".join(lines) + b"\n")
    for block in (1, 2, 7, 8, 9, 1000):
        monkeypatch.setattr("search.lake.files.BLOCK", block)
        assert list(files.lines("works/x.jsonl", 0, files.size("works/x.jsonl"))) == lines
        assert list(files.lines("works/x.jsonl", 3, 11)) == [b"a" * 7]


def test_folder_that_did_not_change_is_not_looked_into(tmp_path, monkeypatch):
    """Once a folder's time has settled it is passed over, until a file comes or goes."""
    files = LakeFiles(str(tmp_path))
    files.write("works/2024-01/a.jsonl", b"x")
    ((_, _, top), (folder, names, changed)) = files.folders("works", {})
    assert (folder, names, top, changed) == ("works/2024-01", ["works/2024-01/a.jsonl"], None, None)
    monkeypatch.setattr("search.lake.files.TICK", -1)
    times = {folder: changed for folder, _, changed in files.folders("works", {})}
    assert list(files.folders("works", times)) == []
    time.sleep(0.02)
    files.write("works/2024-01/b.jsonl", b"x")
    ((folder, names, _),) = files.folders("works", times)
    assert names == ["works/2024-01/a.jsonl", "works/2024-01/b.jsonl"]
