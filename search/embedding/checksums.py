"""SHA-256 of model files, computed once per file.

A start of the command line should not read 90 MB to learn what it knew a minute ago: checksums are
kept in `<home>/cache/checksums.json` under path, size and modification time in nanoseconds. A file
changed without a change of any of the three would pass unnoticed; deleting the cache makes every file
be read again.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

_CHUNK = 1 << 20

log = logging.getLogger(__name__)

#: Turns a file into its checksum.
Hash = Callable[[Path], str]


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, as hex, without reading it whole into memory."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def tokenizer_sha256(path: Path) -> str:
    """Return the SHA-256 of what a `tokenizer.json` does to a text.

    Its truncation and padding are left out, because Citewell never uses them and exports of one
    tokenizer differ in nothing else.

    Raises:
        ValueError: it is no JSON object.
    """
    content = json.loads(path.read_bytes())
    if not isinstance(content, dict):
        raise ValueError(f"{path} is no JSON object")  # noqa: TRY004 - one kind of error for a damaged file
    content = {key: value for key, value in content.items() if key not in {"truncation", "padding"}}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


class ChecksumCache:
    """Checksums of files that have been read before. Losing it costs time, never correctness."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def get(self, file: Path, compute: Hash = sha256) -> str:
        """Return `compute(file)`, from the cache where the file is as it was."""
        file = file.resolve()
        key = f"{compute.__name__}:{file}"
        stat = file.stat()
        state = [stat.st_size, stat.st_mtime_ns]
        entry = self._read().get(key)
        if isinstance(entry, list) and entry[:2] == state and len(entry) == 3:
            return str(entry[2])
        checksum = compute(file)
        after = file.stat()
        if [after.st_size, after.st_mtime_ns] == state:
            self._write(key, [*state, checksum])
        return checksum

    def _read(self) -> dict[str, object]:
        try:
            content = json.loads(self._path.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            log.debug("the checksum cache %s is not readable: %s", self._path, error)
            return {}
        return content if isinstance(content, dict) else {}

    def _write(self, key: str, entry: list[object]) -> None:
        entries = {**self._read(), key: entry}
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            descriptor, temporary = tempfile.mkstemp(dir=self._path.parent, prefix=f".{self._path.name}.")
            try:
                with os.fdopen(descriptor, "w") as file:
                    json.dump(entries, file)
                Path(temporary).replace(self._path)
            except BaseException:
                Path(temporary).unlink(missing_ok=True)
                raise
        except OSError as error:
            # A read-only home or a full disk: the next start computes it again.
            log.debug("the checksum cache %s is not writable: %s", self._path, error)
