"""Bytes in named files over any fsspec URL, each written whole or not at all."""

from __future__ import annotations

import errno
import os
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from uuid import uuid4

import fsspec
from fsspec.implementations.local import LocalFileSystem

from search.errors import DiskFull, LakeDamaged, LakeError

#: How a file is called while it is being written. Readers never see such a name.
TEMPORARY = ".part"
#: Bytes read at a time from a file that may be larger than memory.
BLOCK = 4 << 20
#: Nanoseconds within which a folder may change twice and show the same time: local disks tick every 4 ms,
#: some network file systems every second.
TICK = 2_000_000_000


class LakeFiles:
    """The files below one URL. Names are relative, with forward slashes."""

    def __init__(self, url: str) -> None:
        self._fs, root = fsspec.core.url_to_fs(url)
        self._root = root.rstrip("/")
        self.url = url
        #: The whole address, the same from whichever folder a relative path was given.
        self.address: str = self._fs.unstrip_protocol(self._root)
        self._local = isinstance(self._fs, LocalFileSystem)
        #: Bytes written by this object, by top folder.
        self.written: Counter[str] = Counter()

    def path(self, name: str) -> str:
        """Return the full path of a file, as the file system below names it."""
        return f"{self._root}/{name}"

    def write(self, name: str, content: bytes) -> None:
        """Write a file whole and durably; an interruption leaves the old file, or none.

        Raises:
            DiskFull: no space; the half-written file is gone.
            LakeError: this user may not write there.
        """
        if not self._local:  # object stores put whole objects
            self._fs.pipe_file(self.path(name), content)
            self.written[name.split("/", 1)[0]] += len(content)
            return
        path = self.path(name)
        folder = os.path.dirname(path)  # noqa: PTH120 - fsspec speaks in strings
        part = f"{folder}/.{uuid4().hex}{TEMPORARY}"
        with _disk_full(name):
            os.makedirs(folder, exist_ok=True)  # noqa: PTH103
            try:
                with open(part, "wb") as file:  # noqa: PTH123
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(part, path)  # noqa: PTH105
            except BaseException:
                with suppress(FileNotFoundError):
                    os.unlink(part)  # noqa: PTH108
                raise
            _sync_folder(folder)
        self.written[name.split("/", 1)[0]] += len(content)

    def read(self, name: str, start: int | None = None, end: int | None = None) -> bytes:
        """Return a file's bytes, or those from `start` up to `end` (negative: from the end).

        Raises:
            LakeDamaged: the file is gone.
        """
        try:
            content: bytes = self._fs.cat_file(self.path(name), start=start, end=end)
        except FileNotFoundError:
            raise self._missing(name) from None
        return content

    def _missing(self, name: str) -> LakeDamaged:
        return LakeDamaged(
            f"{name} is missing from the lake {self.url}", advice="run `citewell doctor` to see what else is"
        )

    def lines(self, name: str, start: int, end: int) -> Iterator[bytes]:
        """Yield the lines between two bytes of a file, without their ends; a few MB are held at a time."""
        rest = b""
        for at in range(start, end, BLOCK):
            *whole, rest = (rest + self.read(name, at, min(at + BLOCK, end))).split(b"\n")
            yield from whole
        if rest:
            yield rest

    def size(self, name: str) -> int:
        """Return a file's size in bytes.

        Raises:
            LakeDamaged: the file is gone.
        """
        try:
            return int(self._fs.size(self.path(name)))
        except FileNotFoundError:
            raise self._missing(name) from None

    def exists(self, name: str) -> bool:
        """Return whether there is such a file now."""
        self._fs.invalidate_cache()
        return bool(self._fs.exists(self.path(name)))

    def delete(self, name: str) -> None:
        """Delete a file, durably; none there is no error. Only clearing and merging do."""
        with suppress(FileNotFoundError), _disk_full(name):
            self._fs.rm_file(self.path(name))
            if self._local:
                _sync_folder(os.path.dirname(self.path(name)))  # noqa: PTH120

    def unfinished(self) -> list[tuple[str, float]]:
        """Return the files being written, or left by a killed writer, with their age in seconds."""
        if not self._local:  # object stores show whole objects only
            return []
        start = len(self._root) + 1
        found = []
        for path in self._fs.find(self._root):
            if path.endswith(TEMPORARY):
                with suppress(FileNotFoundError):
                    found.append((path[start:], time.time() - os.stat(path).st_mtime))  # noqa: PTH116
        return found

    def names(self, folder: str) -> list[str]:
        """Return the names of all files below a folder, sorted; files being written are left out."""
        self._fs.invalidate_cache()
        start = len(self._fs._strip_protocol(self._root)) + 1  # noqa: SLF001 - fsspec has no public form
        found = self._fs.find(self.path(folder))
        return sorted(path[start:] for path in found if not path.endswith(TEMPORARY))

    def sizes(self, folder: str) -> dict[str, int]:
        """Return the sizes in bytes of all files below a folder, by name."""
        self._fs.invalidate_cache()
        start = len(self._fs._strip_protocol(self._root)) + 1  # noqa: SLF001 - fsspec has no public form
        found = self._fs.find(self.path(folder), detail=True)
        return {path[start:]: int(found[path]["size"]) for path in found if not path.endswith(TEMPORARY)}

    def folders(self, kind: str, before: Mapping[str, int]) -> Iterator[tuple[str, list[str], int | None]]:
        """Yield the folders below one with what is in them, but those that have not changed.

        A local folder's time changes with every file that comes or goes, so one that has the time it had
        before needs no look. Object stores have no such times: there everything is listed.

        Args:
            kind: the folder above.
            before: times of folders, in nanoseconds, as given by an earlier call.

        Yields:
            A folder's name, the names of its files (and of its folders, on disk), and its time; None where
            that cannot be relied on, because the file system's clock may not have ticked since the last
            change.
        """
        if not self._local:
            yield kind, self.names(kind), None
            return
        top = self.path(kind)
        if not os.path.isdir(top):  # noqa: PTH112
            return
        below = [f"{kind}/{entry.name}" for entry in os.scandir(top) if entry.is_dir()]
        for folder in [kind, *sorted(below)]:
            changed = os.stat(self.path(folder)).st_mtime_ns  # noqa: PTH116
            if before.get(folder) == changed:
                continue
            # Twice as fast as looking at entries one by one: a month may have thousands.
            entries = os.listdir(self.path(folder))  # noqa: PTH208
            names = [f"{folder}/{entry}" for entry in sorted(entries) if not entry.endswith(TEMPORARY)]
            settled = time.time_ns() - changed > TICK
            yield folder, names, changed if settled else None


def _sync_folder(folder: str) -> None:
    """Make a rename durable: the entry lives in the folder, not in the file."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _disk_full(name: str) -> Iterator[None]:
    """Turn the operating system's "no space" and "not allowed" into ours."""
    try:
        yield
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise DiskFull(
                f"no space left while writing {name}",
                advice="free some space and run the same command again; nothing half-written was kept",
            ) from error
        if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
            raise LakeError(
                f"the lake's file {name} cannot be written: {error.strerror}",
                advice="this user may only read the library; changing it needs the right to write there",
            ) from error
        raise
