"""`ElasticStore`: an `IndexStore` on an Elasticsearch server. Safe to use from many threads."""

from __future__ import annotations

import copy
import secrets
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np

from search.errors import IndexMissing, ModelMismatch, SchemaMismatch
from search.index.documents import PassageDocument, WorkDocument
from search.index.elastic import expunging, queries
from search.index.elastic.connection import connect, engine_errors, refusal, without_password
from search.index.elastic.generations import KINDS, Generations, Kind, Names
from search.index.elastic.legs import run_legs
from search.index.elastic.writing import Writing
from search.index.mappings import schema_hash
from search.index.protocol import Copy, Counts, Generation, LegRequest, Legs, Written

if TYPE_CHECKING:
    from elasticsearch import Elasticsearch

    from search.embedding.protocol import Vector
    from search.index.documents import PaperDocuments
    from search.index.elastic.queries import Query, VectorIndex
    from search.settings import Settings

T = TypeVar("T")
#: Ids in one multi-get or one lookup: works of some KB make an answer of a few MB.
LOOKUP = 500


class ElasticStore:
    """Works and passages in two Elasticsearch indices; see `search.index.protocol` for what is promised.

    Nothing is contacted before the first call. Readers ask the live generation's indices by name, so that
    both legs of a query come from one generation; the aliases say which one it is, and are looked at once
    a second.
    """

    def __init__(
        self,
        client: Elasticsearch,
        url: str,
        *,
        prefix: str = "citewell",
        shards: int = 1,
        replicas: int = 0,
        vector_index: VectorIndex = "int8_hnsw",
    ) -> None:
        self._client = client
        self._url = url
        self._names = Names(prefix)
        self._generations = Generations(
            client, url, self._names, shards=shards, replicas=replicas, vector_index=vector_index
        )
        #: The generation that this view reads; None: whichever is live.
        self._chosen: Generation | None = None

    @classmethod
    def from_settings(cls, settings: Settings, *, vector_index: VectorIndex = "int8_hnsw") -> ElasticStore:
        """Return the store at `settings.index_url`. Nothing is contacted yet.

        Raises:
            SettingsError: the URL is none.
        """
        return cls(
            connect(settings),
            without_password(settings.index_url),
            prefix=settings.index_prefix,
            shards=settings.index_shards,
            replicas=settings.index_replicas,
            vector_index=vector_index,
        )

    # -------------------------------------------------------------- reading
    def at(self, generation: str) -> Self:
        """Return a view that reads this generation, published or not."""
        view = copy.copy(self)
        view._chosen = self._named(generation)  # noqa: SLF001 - of its own class
        return view

    def legs(self, request: LegRequest) -> Legs:
        """Run both legs in one round trip under one hard filter.

        A second one follows only where the nearest passages belong to fewer works than asked for.
        """

        def read(live: Generation) -> Legs:
            if request.vector is not None and live.dimensions not in {None, len(request.vector)}:
                raise ModelMismatch(
                    f"the query vector has {len(request.vector)} dimensions, the index {live.dimensions}",
                    advice="set CITEWELL_EMBEDDING_MODEL to the index's model, or rebuild the index",
                )
            passages, works = (self._names.index(kind, live) for kind in ("passages", "works"))
            removed: dict[str, int] = {}

            def ask(bodies: Sequence[Query]) -> list[dict[str, Any]]:
                asked = [*((passages, body) for body in bodies), (works, queries.removed_works())]
                *answers, gone = self._msearches(asked)
                found = (hit["fields"] for hit in gone["hits"]["hits"])
                removed.update((fields["work_id"][0], fields["revision"][0]) for fields in found)
                return answers

            return run_legs(ask, live, request, removed)

        return self._on_live(read)

    def works(self, ids: Sequence[str]) -> dict[str, WorkDocument]:
        """Return the works that are there and not removed, by id."""

        def read(live: Generation) -> dict[str, WorkDocument]:
            found = self._sources(live, ids, queries.WORK_FIELDS)
            return {
                work_id: WorkDocument.model_validate(source)
                for work_id, source in found.items()
                if not source["removed"]
            }

        return self._on_live(read)

    def passages(self, ids: Sequence[str]) -> dict[str, PassageDocument]:
        """Return passages by passage id; those of a superseded revision or a removed work are not there."""

        def read(live: Generation) -> dict[str, PassageDocument]:
            index = self._names.index("passages", live)
            found = [
                PassageDocument.model_validate(hit["_source"])
                for part in _parts(ids)
                for hit in self._hits(index, queries.passages_by_id(part))
            ]
            held = self._sources(live, {passage.work_id for passage in found}, ["revision", "removed"])
            by_id = {p.passage_id: p for p in found if _is_current(p, held.get(p.work_id))}
            return {passage_id: by_id[passage_id] for passage_id in ids if passage_id in by_id}

        return self._on_live(read)

    def passages_of(self, work_id: str) -> tuple[PassageDocument, ...]:
        """Return a work's passages, in order."""

        def read(live: Generation) -> tuple[PassageDocument, ...]:
            hits = self._current_hits(live, work_id, vectors=False)
            return tuple(PassageDocument.model_validate(hit["_source"]) for hit in hits)

        return self._on_live(read)

    def vectors_of(self, work_id: str) -> Vector | None:
        """Return the vectors of a work's passages, `float32[n, dimensions]`; None if it has none."""

        def read(live: Generation) -> Vector | None:
            if live.dimensions is None:
                return None
            hits = self._current_hits(live, work_id, vectors=True)
            rows = [hit["fields"]["vector"] for hit in hits if "vector" in hit.get("fields", {})]
            return np.asarray(rows, dtype=np.float32) if rows else None

        return self._on_live(read)

    def citing(self, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Return, for each id that is cited, the works that cite it."""
        wanted = set(ids)

        def read(live: Generation) -> dict[str, tuple[str, ...]]:
            found: dict[str, list[str]] = {}
            for hit in self._pages(live, "works", lambda after: queries.citing(wanted, after=after)):
                source = hit["_source"]
                for cited in wanted.intersection(source["references"]):
                    found.setdefault(cited, []).append(source["work_id"])
            return {cited: tuple(found[cited]) for cited in dict.fromkeys(ids) if cited in found}

        return self._on_live(read) if wanted else {}

    def counts(self, generation: str | None = None) -> Counts:
        """Count what a reader can see."""

        def read(chosen: Generation) -> Counts:
            works = self._names.index("works", chosen)
            passages = self._names.index("passages", chosen)
            (kept,) = self._msearch(works, [queries.count_of({"term": {"removed": False}})])
            texts, vectors = self._msearch(
                passages, [queries.count_of(), queries.count_of({"exists": {"field": "vector"}})]
            )
            return Counts(*(answer["hits"]["total"]["value"] for answer in (kept, texts, vectors)))

        return self._on_live(read) if generation is None else read(self._named(generation))

    def generations(self) -> tuple[Generation, ...]:
        """Return all generations, oldest first."""
        return self._generations.all()

    def live(self) -> Generation:
        """Return the published generation; the server is asked at most once a second."""
        return self._chosen or self._generations.live()

    def contents(self, generation: str | None = None) -> Iterator[WorkDocument]:
        """Iterate over all works, removed ones included, by work id; page by page, not of one moment."""
        chosen = self._checked(self.live()) if generation is None else self._named(generation)
        hits = self._pages(chosen, "works", lambda after: queries.all_works(after=after))
        return (WorkDocument.model_validate(hit["_source"]) for hit in hits)

    # -------------------------------------------------------------- writing
    def create(self, *, fingerprint: str | None, dimensions: int | None) -> Generation:
        """Make an empty generation in state `building`."""
        return self._generations.create(fingerprint=fingerprint, dimensions=dimensions)

    def set_model(self, generation: str, *, fingerprint: str, dimensions: int) -> None:
        """Name the model of a generation that has none yet; another one raises `ModelMismatch`."""
        self._generations.set_model(generation, fingerprint=fingerprint, dimensions=dimensions)

    def write(self, generation: str, papers: Iterable[PaperDocuments]) -> Written:
        """Bring each paper's documents to what is given; see writing.py for the order and why."""
        chosen = self._named(generation)
        try:
            writing = self._begun(chosen)
        except IndexMissing:
            # A builder that was killed between two of its first requests left no indices.
            self._generations.make_indices(chosen)
            writing = self._begun(chosen)
        return writing.write(papers)

    def strays(self) -> tuple[str, ...]:
        """Return the works that have passages of another revision than the work's, or of a removed work."""
        live = self._checked(self.live())
        found: list[str] = []
        after: dict[str, Any] | None = None
        while True:
            (answer,) = self._msearch(self._names.index("passages", live), [queries.revisions(after=after)])
            page = answer["aggregations"]["works"]
            seen = {
                bucket["key"]["work_id"]: {bucket["oldest"]["value"], bucket["newest"]["value"]}
                for bucket in page["buckets"]
            }
            held = self._sources(live, seen, ["revision", "removed"])
            found += [w for w, revisions in seen.items() if _is_stray(revisions, held.get(w))]
            after = page.get("after_key")
            if after is None:
                return tuple(found)

    def refuse_late_writes(self, generation: str) -> None:
        """Refuse what writers that have begun before still send, however late it comes."""
        self._generations.renew_fence(self._generations.named(generation))

    def expunge(self, generation: str) -> None:
        """Leave nothing on disk of documents that were deleted or replaced."""
        chosen = self._generations.named(generation)
        expunging.expunge(self._client, self._url, [self._names.index(kind, chosen) for kind in KINDS])

    def copies(self) -> tuple[Copy, ...]:
        """Return the snapshots that hold indices of this prefix."""
        return expunging.copies(self._client, self._url, self._names.prefix)

    def mark_applied(self, generation: str, files: Collection[str], gone: Collection[str] = ()) -> None:
        """Record that the facts of these lake files are in; `gone` ones need not be remembered any more."""
        self._generations.mark_applied(generation, files, gone)

    def publish(self, generation: str) -> None:
        """Make it the live one, in one step for all readers."""
        self._generations.make_indices(self._named(generation))
        self._generations.publish(generation)

    def drop(self, generation: str) -> None:
        """Delete a generation that is not live; an unknown one is no error."""
        self._generations.drop(generation)

    def destroy(self) -> None:
        """Delete every index under this prefix; nothing of the store is left."""
        self._generations.destroy()

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    # -------------------------------------------------------------- inside
    def _on_live(self, read: Callable[[Generation], T]) -> T:
        """Return what `read` makes of the live generation; once more if that was dropped meanwhile."""
        try:
            return read(self._checked(self.live()))
        except IndexMissing:
            self._generations.forget_live()
            return read(self._checked(self.live()))

    def _begun(self, generation: Generation) -> Writing:
        fence = self._generations.fence(generation)
        writing = Writing(self._client, self._url, self._names, generation, fence)
        writing.begin()
        return writing

    def _named(self, name: str) -> Generation:
        return self._checked(self._generations.named(name))

    def _checked(self, generation: Generation) -> Generation:
        if generation.schema_hash != schema_hash():
            raise SchemaMismatch(
                f"generation {generation.name} at {self._url} was made with other mappings",
                advice="run `citewell index rebuild`",
            )
        return generation

    def _msearch(self, index: str, bodies: Sequence[Query]) -> list[dict[str, Any]]:
        return self._msearches([(index, body) for body in bodies])

    def _msearches(self, searches: Sequence[tuple[str, Query]]) -> list[dict[str, Any]]:
        """Send several searches in one request; one that fails, even on a single shard, raises."""
        common = {
            # The same copy of each shard for all parts: copies refresh at different moments.
            "preference": secrets.token_hex(4),
            # Word statistics over all shards; Elasticsearch leaves the extra round out where there is one.
            "search_type": "dfs_query_then_fetch",
            "allow_partial_search_results": False,
        }
        with engine_errors(self._url):
            parts = [part for index, body in searches for part in ({"index": index, **common}, body)]
            answer = self._client.msearch(searches=parts)
        for part in answer["responses"]:
            if "error" in part:
                raise refusal(self._url, part["status"], part)
        return list(answer["responses"])

    def _hits(self, index: str, body: Query) -> list[dict[str, Any]]:
        (answer,) = self._msearch(index, [body])
        hits: list[dict[str, Any]] = answer["hits"]["hits"]
        return hits

    def _pages(
        self, generation: Generation, kind: Kind, page: Callable[[Sequence[Any] | None], Query]
    ) -> Iterator[dict[str, Any]]:
        """Yield all hits of a search that is sorted by something unique."""
        index = self._names.index(kind, generation)
        after: Sequence[Any] | None = None
        while True:
            body = page(after)
            hits = self._hits(index, body)
            yield from hits
            if len(hits) < body["size"]:
                return
            after = hits[-1]["sort"]

    def _current_hits(self, live: Generation, work_id: str, *, vectors: bool) -> list[dict[str, Any]]:
        """Return the hits for a work's passages of the revision that counts.

        That is the work's; between two refreshes, the one that is there.
        """

        def page(after: Sequence[Any] | None) -> Query:
            return queries.passages_of(work_id, after=after, vectors=vectors)

        hits = list(self._pages(live, "passages", page))
        held = self._sources(live, [work_id], ["revision", "removed"]).get(work_id)
        if not hits or (held and held["removed"]):
            return []
        revisions = {hit["_source"]["revision"] for hit in hits}
        counts = held["revision"] if held and held["revision"] in revisions else max(revisions)
        return [hit for hit in hits if hit["_source"]["revision"] == counts]

    def _sources(
        self, generation: Generation, ids: Collection[str], fields: list[str]
    ) -> dict[str, dict[str, Any]]:
        """Return fields of works by id, as searches see them (a get would see what is not refreshed yet)."""
        found: dict[str, dict[str, Any]] = {}
        for part in _parts(ids):
            with engine_errors(self._url):
                answer = self._client.mget(
                    index=self._names.index("works", generation),
                    ids=part,
                    source_includes=fields,
                    realtime=False,
                )
            for document in answer["docs"]:
                if "error" in document:
                    raise refusal(self._url, 500, document)
                if document["found"]:
                    found[document["_id"]] = document["_source"]
        return found


def _parts(ids: Collection[str]) -> Iterator[list[str]]:
    wanted = list(dict.fromkeys(ids))
    for start in range(0, len(wanted), LOOKUP):
        yield wanted[start : start + LOOKUP]


def _is_stray(revisions: set[float], work: dict[str, Any] | None) -> bool:
    # Aggregations give doubles: exact to 2^53, and microseconds since 1970 pass that in the year 2255.
    return work is None or work["removed"] or revisions != {float(work["revision"])}


def _is_current(passage: PassageDocument, work: dict[str, Any] | None) -> bool:
    """Whether a passage is not superseded: a work that is not seen yet, or is older, has newer passages."""
    return work is None or (not work["removed"] and passage.revision >= work["revision"])
