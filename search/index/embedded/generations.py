"""Generations on disk: a folder each, a small JSON file that says what it is, one pointer to the live one.

Every JSON file is replaced whole (written beside, synced, renamed), so a reader finds the old or the new.
"""

from __future__ import annotations

import os
import secrets
import shutil
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import tantivy

from search.errors import IndexFailure, IndexMissing, ModelMismatch
from search.index.embedded.failures import index_errors
from search.index.embedded.schema import schema
from search.index.embedded.vectors import sync_folder
from search.index.mappings import schema_hash
from search.index.protocol import Generation

_NOTHING_LIVE: dict[str, Any] = {"live": None, "published": []}
Stamp = tuple[int, int, int]


def stamp(path: Path) -> Stamp | None:
    """Return what changes when a file is replaced; None if it is not there."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def share(folder: Path) -> None:
    """Let whoever may read a generation read tantivy's list of segments too, which it makes for its owner."""
    shutil.copymode(folder / "generation.json", folder / "words" / "meta.json")


class JsonFile:
    """A JSON file that is read again only when it was replaced."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._stamp: Stamp | None = None
        self._content: dict[str, Any] | None = None

    def read(self) -> dict[str, Any] | None:
        """Return the content, which must not be changed; None if there is no such file."""
        now = stamp(self.path)
        with self._lock:
            if now != self._stamp:
                try:
                    self._content = orjson.loads(self.path.read_bytes())
                except FileNotFoundError:
                    now, self._content = None, None
                except orjson.JSONDecodeError as damaged:
                    msg = f"{self.path} is damaged"
                    raise IndexFailure(msg, advice="delete it and run `citewell index build`") from damaged
                self._stamp = now
            return self._content

    def replace(self, content: dict[str, Any]) -> None:
        """Write the content durably, in one step for readers."""
        unfinished = self.path.with_name(f".{self.path.name}.{os.getpid()}.{threading.get_ident()}")
        with unfinished.open("wb") as file:
            file.write(orjson.dumps(content, option=orjson.OPT_INDENT_2))
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(self.path)
        sync_folder(self.path.parent)
        with self._lock:
            self._stamp = None


class Generations:
    """All generations under one folder."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._pointer = JsonFile(path / "live.json")
        self._facts: dict[str, JsonFile] = {}
        #: What was made of which file contents, so that a query does not make it again.
        self._known: dict[str, tuple[dict[str, Any], dict[str, Any], Generation]] = {}

    def folder(self, name: str) -> Path:
        """Return a generation's folder, or raise `IndexMissing`."""
        folder = self._path / name
        if (
            not name
            or name != Path(name).name
            or name.startswith(".")
            or not (folder / "generation.json").is_file()
        ):
            msg = f"there is no index generation {name!r} in {self._path}"
            raise IndexMissing(msg, advice="run `citewell index build`")
        return folder

    def live_name(self) -> str:
        """Return the published generation's name, or raise `IndexMissing`."""
        pointer = self._pointer.read()
        if pointer is None:
            msg = f"no index is published in {self._path}"
            raise IndexMissing(msg, advice="run `citewell index build` first")
        return str(pointer["live"])

    def get(self, name: str) -> Generation:
        """Return what a generation knows of itself."""
        facts = self._file(name).read()
        if facts is None:
            self.folder(name)
            facts = self._file(name).read() or {}
        pointer = self._pointer.read() or _NOTHING_LIVE
        known = self._known.get(name)
        if known and known[0] is facts and known[1] is pointer:
            return known[2]
        state = "live" if pointer["live"] == name else "old" if name in pointer["published"] else "building"
        generation = Generation(
            name=name,
            state=state,  # type: ignore[arg-type]
            created=datetime.fromisoformat(facts["created"]),
            schema_hash=facts["schema_hash"],
            fingerprint=facts["fingerprint"],
            dimensions=facts["dimensions"],
            applied=frozenset(facts["applied"]),
        )
        self._known[name] = (facts, pointer, generation)
        return generation

    def all(self) -> tuple[Generation, ...]:
        """Return all generations, oldest first."""
        if not self._path.is_dir():
            return ()
        names = [path.parent.name for path in self._path.glob("*/generation.json")]
        found = [self.get(name) for name in names if not name.startswith(".")]
        return tuple(sorted(found, key=lambda generation: (generation.created, generation.name)))

    def create(self, *, fingerprint: str | None, dimensions: int | None) -> Generation:
        """Make an empty generation. It appears whole, by renaming a folder."""
        now = datetime.now(UTC)
        name = f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"
        with self._locked():
            for left_over in self._path.glob(".*.part"):
                shutil.rmtree(left_over, ignore_errors=True)
            part = self._path / f".{name}.part"
            (part / "words").mkdir(parents=True)
            (part / "vectors").mkdir()
            tantivy.Index(schema(), path=str(part / "words"))
            facts: dict[str, Any] = {
                "created": now.isoformat(),
                "schema_hash": schema_hash(),
                "fingerprint": fingerprint,
                "dimensions": dimensions,
                "applied": [],
            }
            JsonFile(part / "generation.json").replace(facts)
            share(part)
            part.rename(self._path / name)
            sync_folder(self._path)
        return self.get(name)

    def set_model(self, name: str, *, fingerprint: str, dimensions: int) -> None:
        """Name the model; another than the one named before raises `ModelMismatch`."""

        def change(facts: dict[str, Any]) -> None:
            if facts["fingerprint"] not in {None, fingerprint} or facts["dimensions"] not in {
                None,
                dimensions,
            }:
                msg = f"generation {name} holds vectors of another embedding model"
                raise ModelMismatch(msg, advice="run `citewell index rebuild` to embed with this one")
            facts["fingerprint"], facts["dimensions"] = fingerprint, dimensions

        self._change(name, change)

    def mark_applied(self, name: str, files: Collection[str], gone: Collection[str] = ()) -> None:
        """Add lake files to those whose facts the generation holds, and take out those that are no more."""

        def change(facts: dict[str, Any]) -> None:
            facts["applied"] = sorted({*facts["applied"], *files} - set(gone))

        self._change(name, change)

    def publish(self, name: str) -> None:
        """Point to this generation; the pointer also remembers which ones were ever published."""
        self.folder(name)
        with self._locked():
            published = (self._pointer.read() or _NOTHING_LIVE)["published"]
            self._pointer.replace({"live": name, "published": sorted({*published, name})})

    def drop(self, name: str) -> None:
        """Delete a generation's folder; an unknown one is no error, the live one is."""
        with self._locked():
            try:
                folder = self.folder(name)
            except IndexMissing:
                return
            if (self._pointer.read() or _NOTHING_LIVE)["live"] == name:
                msg = f"generation {name} is live"
                raise IndexFailure(msg, advice="publish another one first")
            gone = folder.rename(self._path / f".{name}.part")
            shutil.rmtree(gone, ignore_errors=True)
            self._facts.pop(name, None)

    def _file(self, name: str) -> JsonFile:
        return self._facts.setdefault(name, JsonFile(self._path / name / "generation.json"))

    def _change(self, name: str, change: Callable[[dict[str, Any]], None]) -> None:
        self.folder(name)
        with self._locked():
            file = self._file(name)
            facts = dict(file.read() or {})
            before = dict(facts)
            change(facts)
            if facts != before:
                file.replace(facts)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the lock for changes of the small files: for milliseconds, so it is waited for."""
        from filelock import FileLock  # reading needs none, and it imports asyncio

        with index_errors(self._path):
            self._path.mkdir(parents=True, exist_ok=True)
            with FileLock(self._path / ".store.lock"):
                yield
