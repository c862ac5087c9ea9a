"""arXiv's metadata snapshot: one JSON object a line, as Kaggle and the public bucket publish it weekly.

Source: https://www.kaggle.com/datasets/Cornell-University/arxiv (`arxiv-metadata-oai-snapshot.json`) and
`gs://arxiv-dataset/metadata-v5/`. Plain, gzip, or the zip that Kaggle hands out; told by the first bytes.

A record is made as the JSON form of an `ArxivRecord`, checked field by field here, because building the
model and taking it apart again costs more than all else together (evals/backfill.py); a test holds that
the model accepts every record that is made, unchanged.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import IO, Any

import orjson

from search.arxiv.authors import from_parts
from search.arxiv.formats import first_word, moment
from search.arxiv.identifiers import parse
from search.arxiv.tex import to_unicode
from search.errors import CitewellError, MalformedResponse, UsageError

#: Longest line read, in bytes; arXiv's longest (a collaboration's author list) are below 200 kB.
LONGEST_LINE = 2_000_000
#: Bytes at either end that, with the size, tell one file from another.
ENDS = 1 << 20
ZIP, GZIP = b"PK\x03\x04", b"\x1f\x8b"

#: Fields that hold a text or null.
_TEXTS = (
    "id", "submitter", "authors", "title", "comments", "journal-ref", "doi", "report-no", "categories",
    "license", "abstract", "update_date",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SnapshotRecord:
    """What one line says."""

    work_id: str
    #: Number of the newest version.
    version: int
    #: Day of the last modification, ISO 8601.
    datestamp: str
    #: The JSON form of an `ArxivRecord` of format `snapshot`.
    record: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the file."""

    #: From 1.
    number: int
    #: Where the next line begins, in bytes of the unpacked file.
    end: int
    #: None: longer than `LONGEST_LINE`, and skipped.
    content: bytes | None


def read_record(content: bytes) -> SnapshotRecord:
    """Return what a line says.

    Raises:
        MalformedResponse: it is no JSON object, or a field is missing or of another type.
        BadIdentifier: its id is none of arXiv's.
    """
    try:
        entry = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise MalformedResponse(f"no JSON ({error})") from None
    if type(entry) is not dict:
        raise MalformedResponse("no JSON object")
    texts = {name: entry.get(name) or "" for name in _TEXTS}
    for name, value in texts.items():
        if type(value) is not str:
            raise MalformedResponse(f"{name} is no text")
    work_id = parse(texts["id"]).work_id
    title = to_unicode(texts["title"])
    if not title:
        raise MalformedResponse(f"{work_id} has no title")
    versions = sorted(_versions(entry.get("versions") or ()), key=_number)
    first, last = (versions[0], versions[-1]) if versions else (None, None)
    record = {
        "work_id": work_id,
        "format": "snapshot",
        "title": title,
        "abstract": to_unicode(texts["abstract"]),
        "authors": _authors(entry.get("authors_parsed") or ()),
        "categories": texts["categories"].split(),
        "versions": versions,
        "licence": texts["license"] or None,
        "doi": first_word(texts["doi"]),
        "journal_ref": to_unicode(texts["journal-ref"]) or None,
        "comments": to_unicode(texts["comments"]) or None,
        "report_no": to_unicode(texts["report-no"]) or None,
        "submitter": to_unicode(texts["submitter"]) or None,
        "created": first["date"][:10] if first and first["number"] == 1 and first["date"] else None,
        "updated": last["date"][:10] if last and last["date"] else None,
    }
    return SnapshotRecord(work_id, last["number"] if last else 1, _day(texts["update_date"]), record)


def _number(version: dict[str, Any]) -> int:
    return int(version["number"])


def _versions(entries: Any) -> Iterator[dict[str, Any]]:
    if not isinstance(entries, list | tuple):
        raise MalformedResponse("versions is no list")
    for entry in entries:
        try:
            number, created = entry["version"].removeprefix("v"), entry.get("created") or ""
        except (TypeError, KeyError, AttributeError):
            raise MalformedResponse("a version is no object with a version") from None
        if not (number.isascii() and number.isdigit()) or number.startswith("0") or type(created) is not str:
            raise MalformedResponse(f"a version is numbered {entry['version']!r}")
        yield {"number": int(number), "date": _moment(created), "size": None, "source_type": None}


def _moment(text: str) -> str | None:
    """Return a version's time as pydantic writes one; None where it is none."""
    read = moment(text)
    return read.isoformat().replace("+00:00", "Z") if read else None


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise MalformedResponse(f"update_date is {text!r}, no day") from None


def _authors(names: Any) -> list[str]:
    """Return the names as printed, given name first."""
    try:
        printed = [from_parts(name[1], name[0], name[2] if len(name) > 2 else "") for name in names]
    except (TypeError, LookupError, AttributeError):  # an object has no [1], a list too short neither
        raise MalformedResponse("authors_parsed is no list of [family, given, suffix]") from None
    return [name for name in printed if any(map(str.isalnum, name))]


# ------------------------------------------------------------------ the file
def fingerprint(path: Path) -> str:
    """Return 16 hex digits that tell this file from another: of its size, its beginning and its end."""
    size = path.stat().st_size
    found = hashlib.sha256(str(size).encode())
    with path.open("rb") as file:
        found.update(file.read(ENDS))
        file.seek(max(0, size - ENDS))
        found.update(file.read(ENDS))
    return found.hexdigest()[:16]


def lines(path: Path, *, start: int = 0, after: int = 0) -> Iterator[Line]:
    """Yield the lines of a snapshot from byte `start` of the unpacked file, in constant memory.

    Args:
        path: the file, plain, gzip or zip.
        start: where to begin, a `Line.end`; what lies before it is skipped, unpacked where it is packed.
        after: the number of the line that ends there.

    Raises:
        UsageError: it is a zip of more than one file.
        MalformedResponse: it is packed and breaks off, or is damaged.
    """
    number, end = after, start
    with _unpacked(path) as file:
        try:
            _skip(file, start)
            while piece := file.readline(LONGEST_LINE + 1):
                number, end = number + 1, end + len(piece)
                whole: bytes | None = piece
                while len(piece) > LONGEST_LINE and not piece.endswith(b"\n"):
                    whole, piece = None, file.readline(LONGEST_LINE + 1)
                    end += len(piece)
                yield Line(number, end, whole)
        except (EOFError, OSError, zlib.error, zipfile.BadZipFile) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise
            raise MalformedResponse(
                f"{path} breaks off after line {number:,}: {error}",
                advice="fetch the file again; what was read before is kept",
            ) from error


@contextmanager
def _unpacked(path: Path) -> Iterator[IO[bytes]]:
    with path.open("rb") as file:
        magic = file.read(4)
        file.seek(0)
        if magic.startswith(GZIP):
            yield io.BufferedReader(gzip.GzipFile(fileobj=file))
        elif magic == ZIP:
            with _member(file, path) as inner:
                yield inner
        else:
            yield file


@contextmanager
def _member(file: IO[bytes], path: Path) -> Iterator[IO[bytes]]:
    try:
        archive = zipfile.ZipFile(file)
    except zipfile.BadZipFile as error:
        raise MalformedResponse(f"{path} is no whole zip file", advice="fetch the file again") from error
    names = [info for info in archive.infolist() if not info.is_dir()]
    if len(names) != 1:
        raise UsageError(f"{path} holds {len(names)} files", advice="unpack it and name the snapshot itself")
    with archive.open(names[0]) as inner:
        yield inner


def _skip(file: IO[bytes], start: int) -> None:
    if isinstance(file, io.BufferedReader) and isinstance(file.raw, io.FileIO):
        file.seek(start)
        return
    left = start
    while left and (piece := file.read(min(left, ENDS))):
        left -= len(piece)


def problem(error: CitewellError) -> str:
    """Return what is wrong with a line, in one line."""
    return " ".join(error.message.split())
