"""Writing papers so that a reader sees the old one or the new one.

Per batch of papers: their new passages, then their works with the new revision and the deletion of
passages of older revisions. Nothing of it is seen by searches before the refresh at the end (the indices
never refresh by themselves), and a refresh shows all of a shard's changes in one step; a paper's passages
lie on one shard. A crash in between leaves a state in which old and new passages can be seen together;
readers then keep the newest revision, and the next write of the paper, even of an unchanged one, deletes
what is left over.

A late write of an older revision is refused by the work's revision, for as long as the index exists:
removed works keep a document. Versions of deleted passages are forgotten after a minute; a writer that asked
before the removal and is held up for longer is refused where the index was cleared of a taken-down paper
meanwhile (`Generations.renew_fence`), and else takes back what it wrote when its work is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from search.errors import IndexMissing, ModelMismatch, WriterBusy
from search.index.elastic import bulk, queries
from search.index.elastic.connection import engine_errors, refusal
from search.index.protocol import Written

if TYPE_CHECKING:
    from elasticsearch import Elasticsearch

    from search.index.documents import PaperDocuments
    from search.index.elastic.generations import Names
    from search.index.protocol import Generation

#: Papers in one batch. Two clauses a paper stay below Elasticsearch's limit of at least 1,024 in one query.
BATCH_PAPERS = 256
#: Bytes of text and vectors in one batch: what a batch holds in memory at once, about twice.
BATCH_BYTES = 8_000_000


class Writing:
    """One `write` call on one generation."""

    def __init__(
        self, client: Elasticsearch, url: str, names: Names, generation: Generation, fence: str
    ) -> None:
        self.written = Written()
        self._client = client
        self._url = url
        self._generation = generation
        self._works = names.index("works", generation)
        self._passages = names.index("passages", generation)
        self._works_alias = names.writing("works", generation, fence)
        self._passages_alias = names.writing("passages", generation, fence)
        #: Works written since the last refresh: searches do not see their passages yet.
        self._unseen: set[str] = set()

    def begin(self) -> None:
        """Show what a killed writer left unseen, so that left-overs are found.

        Raises:
            IndexMissing: the generation has no indices.
        """
        self._refresh()

    def write(self, papers: Iterable[PaperDocuments]) -> Written:
        """Bring each paper's documents to what is given; see `IndexStore.write`."""
        for batch in _batches(papers):
            for paper in batch.values():
                self._check(paper)
            self._write_batch(batch)
        if self._unseen:
            self._refresh()
        return self.written

    # ------------------------------------------------------------ one batch
    def _write_batch(self, batch: dict[str, PaperDocuments]) -> None:
        if self._unseen & batch.keys():
            self._refresh()
        held = self._held(batch)
        changed, bounds = self._sort_out(batch, held)
        older = self._older(bounds)
        self._unseen |= {*changed, *older.values()}

        self._send(
            bulk.put_passage(self._passages_alias, passage, vector)
            for paper in changed.values()
            for passage, vector in _passages(paper)
        )
        kept = {p.passage_id for paper in changed.values() for p, _ in _passages(paper)}
        # A deletion carries the revision too, so that it is harmless where another writer was faster.
        deletions = [
            bulk.delete_passage(self._passages_alias, passage_id, work_id, max(bounds[work_id] - 1, 0))
            for passage_id, work_id in older.items()
            if passage_id not in kept
        ]
        works = [bulk.put_work(self._works_alias, paper.work) for paper in changed.values()]
        outcomes = self._send([*works, *deletions])[: len(works)]
        refused = [w for w, outcome in zip(changed, outcomes, strict=True) if outcome == "newer exists"]
        self._take_back([changed[work_id] for work_id in refused])
        self.written.stale += refused
        self.written.written += len(changed) - len(refused)

    def _take_back(self, papers: Iterable[PaperDocuments]) -> None:
        """Delete the passages that we wrote for works which another writer brought further meanwhile.

        Those that are also the other writer's carry its newer revision, and stay.
        """
        self._send(
            bulk.delete_passage(self._passages_alias, passage.passage_id, passage.work_id, passage.revision)
            for paper in papers
            for passage, _ in _passages(paper)
        )

    def _sort_out(
        self, batch: dict[str, PaperDocuments], held: dict[str, tuple[int, str]]
    ) -> tuple[dict[str, PaperDocuments], dict[str, int]]:
        """Return the papers to write, and for each work the revision below which passages are left over.

        Of a paper that is written, passages of the same revision count as well: they may be another text.
        """
        changed: dict[str, PaperDocuments] = {}
        bounds: dict[str, int] = {}
        for work_id, paper in batch.items():
            revision, content_hash = held.get(work_id, (-1, ""))
            if content_hash == paper.work.content_hash:
                self.written.unchanged += 1
                bounds[work_id] = revision
            elif revision > paper.work.revision:
                self.written.stale.append(work_id)
            else:
                changed[work_id] = paper
                bounds[work_id] = paper.work.revision + 1
        return changed, bounds

    def _send(self, operations: Iterable[bulk.Operation]) -> list[bulk.Outcome]:
        try:
            return bulk.send(self._client, self._url, list(operations))
        except IndexMissing as missing:
            raise WriterBusy(
                f"the index was cleared of a taken-down paper while this wrote to it: {missing}",
                advice="run the same command again",
            ) from missing

    # ------------------------------------------------------------ asking the index
    def _held(self, ids: Iterable[str]) -> dict[str, tuple[int, str]]:
        """Return revision and content hash of the works that the index holds, written a moment ago or not."""
        with engine_errors(self._url):
            answer = self._client.mget(
                index=self._works, ids=list(ids), source_includes=["revision", "content_hash"], realtime=True
            )
        held: dict[str, tuple[int, str]] = {}
        for document in answer["docs"]:
            if "error" in document:
                raise refusal(self._url, 500, document)
            if document["found"]:
                source = document["_source"]
                held[document["_id"]] = source["revision"], source["content_hash"]
        return held

    def _older(self, bounds: dict[str, int]) -> dict[str, str]:
        """Return ids and works of the passages that a search sees and whose revision is below the bound."""
        found: dict[str, str] = {}
        after: list[Any] | None = None
        while bounds:
            with engine_errors(self._url):
                answer = self._client.search(
                    index=self._passages,
                    body=queries.older_passages(bounds, after=after),
                    allow_partial_search_results=False,
                )
            hits = answer["hits"]["hits"]
            found.update((hit["_id"], hit["_source"]["work_id"]) for hit in hits)
            if len(hits) < queries.MAX_RESULTS:
                break
            after = hits[-1]["sort"]
        return found

    def _refresh(self) -> None:
        """Show searches what was written so far."""
        with engine_errors(self._url):
            self._client.indices.refresh(index=[self._passages, self._works])
        self._unseen.clear()

    def _check(self, paper: PaperDocuments) -> None:
        dimensions = self._generation.dimensions
        for vector in paper.vectors:
            if vector is not None and vector.shape != (dimensions,):
                raise ModelMismatch(
                    f"{paper.work.work_id}: a vector of shape {vector.shape} "
                    f"for an index of {dimensions} dimensions",
                    advice="name the generation's model first, or run `citewell index rebuild`",
                )


def _passages(paper: PaperDocuments) -> Iterator[tuple[Any, Any]]:
    """Yield a paper's passages with their vectors; a removed paper has none."""
    if not paper.work.removed:
        yield from zip(paper.passages, paper.vectors or (None,) * len(paper.passages), strict=True)


def _batches(papers: Iterable[PaperDocuments]) -> Iterator[dict[str, PaperDocuments]]:
    """Yield papers by work id, in the order given; a batch holds no work twice."""
    batch: dict[str, PaperDocuments] = {}
    size = 0
    for paper in papers:
        if paper.work.work_id in batch or len(batch) >= BATCH_PAPERS or size >= BATCH_BYTES:
            yield batch
            batch, size = {}, 0
        batch[paper.work.work_id] = paper
        size += sum(len(p.text) for p in paper.passages) + sum(
            v.nbytes for v in paper.vectors if v is not None
        )
    if batch:
        yield batch
