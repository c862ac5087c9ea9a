"""Where the catalogue can be kept: a library that may only be read gets a temporary copy, it is a cache."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import weakref
from contextlib import suppress
from pathlib import Path


def can_write(path: Path) -> bool:
    """Return whether a file can be made or changed; its folder is made if it is not there."""
    folder = path.parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as failure:
        if failure.errno not in {errno.EACCES, errno.EPERM, errno.EROFS}:
            raise
        return False
    return os.access(folder, os.W_OK | os.X_OK) and (not path.exists() or os.access(path, os.W_OK))


def borrowed(path: Path, owner: object) -> Path:
    """Return a copy of a catalogue that may only be read, in a folder that is deleted with its owner.

    What cannot be copied whole is left out: the catalogue is then folded anew, which takes longer and
    says the same. While `-wal` holds something, the file alone is not all of it.
    """
    folder = tempfile.mkdtemp(prefix="citewell-catalogue-")
    weakref.finalize(owner, shutil.rmtree, folder, ignore_errors=True)
    copy, wal = Path(folder, path.name), Path(f"{path}-wal")
    with suppress(OSError):
        before = path.stat().st_mtime_ns
        shutil.copyfile(path, copy)
        if path.stat().st_mtime_ns != before or (wal.exists() and wal.stat().st_size):
            copy.unlink()
    return copy
