"""The index mappings: JSON files that a person can read, and that both stores are made from.

Elasticsearch takes them as they are; the embedded store takes the analysis from them, so that one list
of stop words and one order of filters holds for both.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any, Literal

import orjson

MappingName = Literal["passages", "works", "generations", "events"]

_PACKAGE = Path(__file__).resolve().parent.parent
#: An installed wheel carries the files inside the package; in a checkout they stand at the top.
_FOLDERS = (_PACKAGE / "_mappings", _PACKAGE.parent / "mappings")


@cache
def _read(name: MappingName) -> bytes:
    for folder in _FOLDERS:
        path = folder / f"{name}.json"
        if path.is_file():
            return path.read_bytes()
    looked = " nor in ".join(str(folder) for folder in _FOLDERS)
    msg = f"the mapping {name}.json is neither in {looked}: the installation is not whole"
    raise FileNotFoundError(msg)


def mapping(name: MappingName) -> dict[str, Any]:
    """Return settings and mappings of one index as Elasticsearch wants them; a copy that may be changed."""
    body: dict[str, Any] = orjson.loads(_read(name))
    return body


@cache
def schema_hash() -> str:
    """Return 12 hex digits over both mappings: an index with another hash was made by another version."""
    digest = hashlib.sha256()
    for name in ("passages", "works"):
        digest.update(orjson.dumps(mapping(name), option=orjson.OPT_SORT_KEYS))
    return digest.hexdigest()[:12]


@cache
def stop_words() -> tuple[str, ...]:
    """Return the words that the analyzer of passages leaves out: Lucene's English list."""
    words: list[str] = mapping("passages")["settings"]["index"]["analysis"]["filter"]["paper_stop"][
        "stopwords"
    ]
    return tuple(words)
