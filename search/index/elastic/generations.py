"""Which generations there are, which is live, and what each knows of itself.

A generation is two indices, `<prefix>-works-<schema hash>-<name>` and `<prefix>-passages-…`. Readers come
by the aliases `<prefix>-works` and `<prefix>-passages`, which move in one request; that alone says what is
live. All else stands in `<prefix>-generations`, one document a generation.

Each index has an alias of its own for writing: a bulk request that requires an alias can never bring a
dropped index back to life as an unmapped one, which is what Elasticsearch does with unknown index names.
"""

from __future__ import annotations

import re
import secrets
import threading
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

from elasticsearch import BadRequestError, ConflictError, NotFoundError

from search.errors import EngineRefused, EngineUnavailable, IndexMissing, ModelMismatch
from search.index.elastic.connection import BUILD_FIRST, engine_errors
from search.index.elastic.queries import VectorIndex, vector_field
from search.index.mappings import mapping, schema_hash
from search.index.protocol import Generation

if TYPE_CHECKING:
    from elasticsearch import Elasticsearch

Kind = Literal["works", "passages"]
KINDS: tuple[Kind, Kind] = ("works", "passages")

#: Seconds for which a reader believes that the live generation is still live. A publish in this process is
#: seen at once, one from elsewhere after this time; a query then costs no request for it.
LIVE_FOR = 1.0
#: How often an update of a generation's document is tried again when another writer was faster.
UPDATES = 20
#: More generations than anybody keeps; Elasticsearch returns 10,000 hits at most.
MOST = 1_000


@dataclass(frozen=True, slots=True)
class Names:
    """The names of all indices and aliases under one prefix."""

    prefix: str

    @property
    def bookkeeping(self) -> str:
        """The index that holds one document per generation."""
        return f"{self.prefix}-generations"

    def alias(self, kind: Kind) -> str:
        """What readers look at."""
        return f"{self.prefix}-{kind}"

    def index(self, kind: Kind, generation: Generation) -> str:
        """One of a generation's two indices."""
        return f"{self.prefix}-{kind}-{generation.schema_hash}-{generation.name}"

    def writing(self, kind: Kind, generation: Generation, fence: str = "") -> str:
        """The alias by which one of a generation's indices is written, before any fence or after one."""
        return f"{self.index(kind, generation)}-writing{fence and '-'}{fence}"

    def of_generation(self, index: str) -> str | None:
        """Return the generation that an index of works belongs to; None for any other index."""
        found = re.fullmatch(rf"{re.escape(self.prefix)}-works-[0-9a-f]+-(.+)", index)
        return found[1] if found else None


class Generations:
    """The bookkeeping of one prefix. Safe to use from many threads."""

    def __init__(
        self,
        client: Elasticsearch,
        url: str,
        names: Names,
        *,
        shards: int,
        replicas: int,
        vector_index: VectorIndex,
    ) -> None:
        self._client = client
        self._url = url
        self._names = names
        self._shards = shards
        self._replicas = replicas
        self._vector_index = vector_index
        self._lock = threading.Lock()
        self._live: tuple[float, Generation] | None = None

    # ------------------------------------------------------------ asking
    def all(self) -> tuple[Generation, ...]:
        """Return all generations, oldest first."""
        with engine_errors(self._url):
            try:
                found = self._client.search(
                    index=self._names.bookkeeping, size=MOST, sort=["created", "name"], source=True
                )
            except NotFoundError:
                return ()
            live = self._live_name()
        return tuple(_generation(hit["_source"], live) for hit in found["hits"]["hits"])

    def live(self) -> Generation:
        """Return the live generation, asking the server at most every `LIVE_FOR` seconds."""
        known = self._live
        if known is not None and time.monotonic() - known[0] < LIVE_FOR:
            return known[1]
        with engine_errors(self._url):
            name = self._live_name()
        if name is None:
            raise IndexMissing(f"nothing is published at {self._url}", advice=BUILD_FIRST)
        return self.named(name)

    def forget_live(self) -> None:
        """Ask the server again the next time."""
        with self._lock:
            self._live = None

    def named(self, name: str) -> Generation:
        """Return a generation by name; `IndexMissing` if there is none."""
        known = self._live
        if known is not None and known[1].name == name and time.monotonic() - known[0] < LIVE_FOR:
            return known[1]
        asked = time.monotonic()
        source, _ = self._document(name)
        with engine_errors(self._url):
            generation = _generation(source, self._live_name())
        if generation.state == "live":
            with self._lock:
                self._live = (asked, generation)
        return generation

    def _live_name(self) -> str | None:
        try:
            behind = self._client.indices.get_alias(name=self._names.alias("works"))
        except NotFoundError:
            return None
        names = [self._names.of_generation(index) for index in behind]
        return next((name for name in names if name is not None), None)

    def _document(self, name: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return a generation's document and the condition under which it may be replaced."""
        with engine_errors(self._url):
            try:
                found = self._client.get(index=self._names.bookkeeping, id=name)
            except NotFoundError as missing:
                raise IndexMissing(
                    f"there is no generation {name} at {self._url}", advice=BUILD_FIRST
                ) from missing
        return found["_source"], {
            "if_seq_no": found["_seq_no"],
            "if_primary_term": found["_primary_term"],
        }

    # ------------------------------------------------------------ changing
    def create(self, *, fingerprint: str | None, dimensions: int | None) -> Generation:
        """Make an empty generation. Its document comes first, so that no index lies about unknown."""
        now = datetime.now(UTC)
        generation = Generation(
            # Names sort by time; the random end keeps two builders of one microsecond apart.
            name=f"{now:%Y%m%dt%H%M%S%f}-{secrets.token_hex(2)}",
            state="building",
            created=now,
            schema_hash=schema_hash(),
            fingerprint=fingerprint,
            dimensions=dimensions,
        )
        with engine_errors(self._url):
            self._create_index(self._names.bookkeeping, mapping("generations"))
            self._client.create(
                index=self._names.bookkeeping,
                id=generation.name,
                document={
                    "name": generation.name,
                    "created": now.isoformat(),
                    "published": None,
                    "schema_hash": generation.schema_hash,
                    "fingerprint": fingerprint,
                    "dimensions": dimensions,
                    "applied": [],
                },
                refresh=True,
            )
        self.make_indices(generation)
        return generation

    def make_indices(self, generation: Generation) -> None:
        """Create what is missing of a generation's two indices."""
        for kind in KINDS:
            body = mapping(kind)
            index = body["settings"].setdefault("index", {})
            index["number_of_shards"] = self._shards
            # Replicas would index every passage once more while it loads; `publish` sets them.
            index["number_of_replicas"] = 0
            # A refresh happens only when a write asks for it: a paper's new passages appear, and its old
            # ones disappear, in one step (writing.py).
            index["refresh_interval"] = "-1"
            if kind == "passages" and generation.dimensions is not None:
                body["mappings"]["properties"]["vector"] = vector_field(
                    generation.dimensions, self._vector_index
                )
            body["aliases"] = {self._names.writing(kind, generation): {}}
            with engine_errors(self._url):
                self._create_index(self._names.index(kind, generation), body)

    def _create_index(self, name: str, body: dict[str, Any]) -> None:
        try:
            self._client.indices.create(index=name, **body)
        except BadRequestError as error:
            if error.error != "resource_already_exists_exception":
                raise

    def fence(self, generation: Generation) -> str:
        """Return the fence that writers of a generation must name; empty: there never was one.

        Raises:
            IndexMissing: the generation has no indices.
        """
        with engine_errors(self._url):
            index, plain = (
                self._names.index("passages", generation),
                self._names.writing("passages", generation),
            )
            found = self._client.indices.get_alias(index=index, name=f"{plain}*")
        (alias,) = found[index]["aliases"]
        return str(alias).removeprefix(plain).removeprefix("-")

    def renew_fence(self, generation: Generation) -> None:
        """Refuse all writes that were begun before: by what they call the indices, these are not there.

        Versions protect what a document replaced. What was deleted is protected only as long as Elasticsearch
        remembers the deletion (`index.gc_deletes`); a writer may be held up for longer than that.
        """
        former, fence = self.fence(generation), secrets.token_hex(4)
        actions: list[dict[str, Any]] = []
        for kind in KINDS:
            index = self._names.index(kind, generation)
            actions.append(
                {"remove": {"index": index, "alias": self._names.writing(kind, generation, former)}}
            )
            actions.append({"add": {"index": index, "alias": self._names.writing(kind, generation, fence)}})
        with engine_errors(self._url):
            self._client.indices.update_aliases(actions=actions)

    def set_model(self, name: str, *, fingerprint: str, dimensions: int) -> None:
        """Name the model of a generation that has none, and give its passages the field for vectors."""

        def named(source: dict[str, Any]) -> dict[str, Any]:
            held = source["fingerprint"], source["dimensions"]
            if held not in {(None, None), (fingerprint, dimensions)}:
                raise ModelMismatch(
                    f"generation {name} holds vectors of another model "
                    f"({held[1]} dimensions; {dimensions} are given)",
                    advice="run `citewell index rebuild` to embed everything with the new model",
                )
            return {**source, "fingerprint": fingerprint, "dimensions": dimensions}

        generation = _generation(self._update(name, named), None)
        with engine_errors(self._url):
            self._client.indices.put_mapping(
                index=self._names.index("passages", generation),
                properties={"vector": vector_field(dimensions, self._vector_index)},
            )
        self.forget_live()

    def mark_applied(self, name: str, files: Collection[str], gone: Collection[str] = ()) -> None:
        """Add the files to those whose facts the generation holds, and take out those that are no more."""

        def marked(source: dict[str, Any]) -> dict[str, Any]:
            return {**source, "applied": sorted({*source["applied"], *files} - set(gone))}

        self._update(name, marked)
        self.forget_live()

    def _update(self, name: str, change: Callable[[dict[str, Any]], dict[str, Any]]) -> dict[str, Any]:
        """Replace a generation's document by what `change` makes of it, and return that.

        The document is replaced only as it was read: of two writers one is told that the other was
        faster, reads again and changes that.
        """
        for _ in range(UPDATES):
            source, condition = self._document(name)
            changed = change(source)
            if changed == source:
                return source
            with engine_errors(self._url):
                try:
                    self._client.index(
                        index=self._names.bookkeeping, id=name, document=changed, refresh=True, **condition
                    )
                except ConflictError:
                    continue
            return changed
        raise EngineUnavailable(
            f"generation {name} at {self._url} is changed by too many writers at once", advice="try again"
        )

    def publish(self, name: str) -> None:
        """Move both aliases to the generation, in one request."""
        generation = self.named(name)
        indices = {kind: self._names.index(kind, generation) for kind in KINDS}
        both = list(indices.values())
        with engine_errors(self._url):
            self._client.indices.put_settings(
                index=both, settings={"index": {"number_of_replicas": self._replicas}}
            )
            self._client.indices.refresh(index=both)
            # Raises where a shard can't be read: nothing is published then.
            self._client.search(index=both, size=0, allow_partial_search_results=False)
            former = self._live_name()
            self._client.indices.update_aliases(actions=self._moves(indices))
        self.forget_live()
        for published in {name, former} - {None}:
            self._note_published(str(published))

    def _moves(self, indices: dict[Kind, str]) -> list[dict[str, Any]]:
        """Return the actions after which the aliases name these two indices and no others.

        The removal goes by pattern, so that two publishers at once can't leave two generations live.
        """
        moves: list[dict[str, Any]] = []
        for kind, index in indices.items():
            alias = self._names.alias(kind)
            moves.append({"remove": {"index": f"{alias}-*", "alias": alias, "must_exist": False}})
            moves.append({"add": {"index": index, "alias": alias}})
        return moves

    def _note_published(self, name: str) -> None:
        """Write down that a generation was live once, which tells `old` from `building`."""
        now = datetime.now(UTC).isoformat()
        try:
            self._update(name, lambda source: {**source, "published": source["published"] or now})
        except IndexMissing:
            # The former live one may have been dropped since.
            return

    def drop(self, name: str) -> None:
        """Delete a generation's indices, then its document: what a crash leaves can be dropped again."""
        try:
            generation = self.named(name)
        except IndexMissing:
            return
        if generation.state == "live":
            raise EngineRefused(
                f"generation {name} at {self._url} is live", advice="publish another one before dropping it"
            )
        with engine_errors(self._url):
            self._client.indices.delete(
                index=[self._names.index(kind, generation) for kind in KINDS], ignore_unavailable=True
            )
            self._client.delete(index=self._names.bookkeeping, id=name, refresh=True)

    def destroy(self) -> None:
        """Delete all indices of this prefix, live ones too, and the bookkeeping."""
        with engine_errors(self._url):
            patterns = [*(f"{self._names.alias(kind)}-*" for kind in KINDS), self._names.bookkeeping]
            # By name: a server refuses to delete by pattern unless it was told otherwise.
            found = self._client.indices.get(index=patterns, allow_no_indices=True, ignore_unavailable=True)
            for name in found:
                self._client.indices.delete(index=name, ignore_unavailable=True)
        self.forget_live()


def _generation(source: dict[str, Any], live: str | None) -> Generation:
    found = Generation(
        name=source["name"],
        state="old" if source["published"] else "building",
        created=datetime.fromisoformat(source["created"]),
        schema_hash=source["schema_hash"],
        fingerprint=source["fingerprint"],
        dimensions=source["dimensions"],
        applied=frozenset(source["applied"]),
    )
    return replace(found, state="live") if found.name == live else found
