"""From what tantivy and the file system raise to the errors of `search.errors`."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from search.errors import DiskFull, IndexFailure, SchemaMismatch

if TYPE_CHECKING:
    from pathlib import Path

_REFUSED = {errno.EACCES, errno.EPERM, errno.EROFS}
#: What to do where the operating system refuses; searching needs to read only.
READ_ONLY = "searching needs the right to read the library, changing it the right to write there"


@contextmanager
def index_errors(folder: Path) -> Iterator[None]:
    """Map what tantivy and the file system raise to our errors; tantivy has `ValueError` for everything."""
    try:
        yield
    except (OSError, ValueError) as failure:
        if getattr(failure, "errno", None) == errno.ENOSPC or "os error 28" in str(failure):
            msg = f"no space is left for the index in {folder}"
            raise DiskFull(msg, advice="free some space and run the command again") from failure
        if "schema does not match" in str(failure):
            raise schema_mismatch(folder) from failure
        if getattr(failure, "errno", None) in _REFUSED or "PermissionDenied" in str(failure):
            named = getattr(failure, "filename", None) or folder
            msg = f"this user may not use {named} as needed: {getattr(failure, 'strerror', None) or failure}"
            raise IndexFailure(msg, advice=READ_ONLY) from failure
        msg = f"the index in {folder} cannot be used: {failure}"
        raise IndexFailure(msg, advice="run `citewell index rebuild`: it is a copy of the lake") from failure


def schema_mismatch(folder: Path) -> SchemaMismatch:
    """Return the error for a generation that another version of the mappings made."""
    msg = f"the index in {folder} was made with other mappings than this version has"
    return SchemaMismatch(msg, advice="run `citewell index rebuild`")
