"""Reading tantivy's files where nothing may be written: another user's home, a read-only mount.

tantivy opens a lock file for writing even to read, so that no writer deletes files that it is about to
open. Where that is refused, the files are opened through links beside a copy of meta.json.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import tantivy

#: How tantivy words that it may not open its lock file: EACCES, EPERM or EROFS, by number.
_REFUSED = ("code: 13,", "code: 1,", "code: 30,")
#: How often to start over because a writer deleted files meanwhile, which it does only after a commit.
ATTEMPTS = 10


def is_refused(failure: ValueError) -> bool:
    """Return whether tantivy failed because it may not write its lock file."""
    return "Lockfile" in str(failure) and any(code in str(failure) for code in _REFUSED)


def searcher(words: Path) -> tantivy.Searcher:
    """Return a searcher of the newest commit; it keeps its files open, and needs none of the links.

    Raises:
        ValueError: what tantivy says of files that it cannot use.
    """
    for attempt in range(1, ATTEMPTS + 1):
        meta = (words / "meta.json").read_bytes()
        with tempfile.TemporaryDirectory(prefix="citewell-words-") as folder:
            Path(folder, "meta.json").write_bytes(meta)
            for path in words.resolve().iterdir():
                if path.name != "meta.json" and not path.name.startswith("."):
                    Path(folder, path.name).symlink_to(path)
            try:
                return _open(folder)
            except ValueError:
                if attempt == ATTEMPTS or (words / "meta.json").read_bytes() == meta:
                    raise
    raise AssertionError


def _open(folder: str) -> tantivy.Searcher:
    index = tantivy.Index.open(folder)
    index.config_reader("manual")
    index.reload()
    return index.searcher()
