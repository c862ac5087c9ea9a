"""`index build` and `index rebuild`: from the lake to a published index, resumable at every step."""

from __future__ import annotations

import time
from collections.abc import Callable

from search.documents.reading_pool import ReadingPool
from search.embedding.protocol import Embedder
from search.errors import IndexMissing, ModelUnavailable
from search.index.protocol import Counts, Generation, IndexStore
from search.ingest.embed import Embedded, embed
from search.ingest.gate import Gate
from search.ingest.index import apply, generation_to_fill, live_generation
from search.ingest.link import link
from search.ingest.publish import new_generation, publish
from search.ingest.read import read
from search.ingest.reports import BuildReport, StageReport
from search.lake.lake import Lake
from search.progress import Progress, ProgressSink, silent

#: How often a build looks for the generation to fill: one that is deleted under its hands was live two
#: rebuilds ago, and to meet that again and again is no accident.
TRIES = 3


def build(
    lake: Lake,
    store: IndexStore,
    embedder: Embedder | None,
    *,
    without_model: str = "",
    readers: Callable[[], ReadingPool] = ReadingPool,
    progress: ProgressSink = silent,
) -> BuildReport:
    """Bring the index to what the lake says: read, link, index the words, publish, then the vectors.

    Words are searchable before the first vector is computed. An interrupted run resumes: what is in the
    lake stays, and a generation knows which files it has applied.

    Args:
        lake: the truth.
        store: the index to fill.
        embedder: the model; None indexes words only.
        without_model: why there is no model, for the report's notes.
        readers: makes the processes that read PDFs, with their limits.
        progress: told how far it is.
    """
    started = time.monotonic()
    stages = [read(lake, readers=readers, progress=progress), link(lake, progress=progress)]
    for tries_left in reversed(range(TRIES)):
        generation = generation_to_fill(store, embedder)
        try:
            found, embedded = _fill(lake, store, generation, embedder, progress)
            live = live_generation(store)
            if live and live.name != generation.name and live.fingerprint == generation.fingerprint:
                # Another process has rebuilt the index meanwhile: what was made here is for its readers.
                apply(store, live.name, lake, embedder)
            counts = store.counts(generation.name)
            break
        except IndexMissing:  # rebuilds by other processes have taken its place, and deleted it since
            if not tries_left:
                raise
    report = BuildReport(
        generation=generation.name,
        published=generation.state == "building",
        stages=(*stages, *found),
        model=embedder.name if embedder else None,
        seconds=time.monotonic() - started,
        notes=(without_model,) if without_model else (),
    )
    return _counted(report, counts, embedded)


def _fill(
    lake: Lake,
    store: IndexStore,
    generation: Generation,
    embedder: Embedder | None,
    progress: ProgressSink,
) -> tuple[list[StageReport], Embedded]:
    """Write the words, publish a generation that is being built, then the vectors.

    Raises:
        IndexMissing: another process has deleted the generation.
    """
    began = time.monotonic()
    written = apply(store, generation.name, lake, embedder, progress)
    stages = [StageReport(stage="index", done=written.written, seconds=time.monotonic() - began)]
    if generation.state == "building":
        store.publish(generation.name)
        apply(store, generation.name, lake, embedder)
    if embedder is None:
        return stages, Embedded()
    embedded, stage = _embed(lake, store, generation.name, embedder, progress)
    return [*stages, stage], embedded


def rebuild(
    lake: Lake,
    store: IndexStore,
    embedder: Embedder | None,
    *,
    gate: Gate | None,
    without_model: str = "",
    readers: Callable[[], ReadingPool] = ReadingPool,
    progress: ProgressSink = silent,
) -> BuildReport:
    """Build a new generation from the lake alone beside the live one, and publish it if it is as good.

    Nobody sees it before, so vectors come first and everything is written once. An interrupted run
    resumes. `report.publication` says how it was examined; where it was refused, the live one stays.

    Args:
        lake: the truth.
        store: the index.
        embedder: the model; None indexes words only.
        gate: what the new generation must pass; None: its counts must hold, and no more.
        without_model: why there is no model, for the report's notes.
        readers: makes the processes that read PDFs, with their limits.
        progress: told how far it is.

    Raises:
        ModelUnavailable: without a model, words only would take the place of words and vectors.
        UsageError: the gate's folder is not of the layout, or judges no work of the library.
    """
    started = time.monotonic()
    live = live_generation(store)
    if embedder is None and live and live.fingerprint:
        raise ModelUnavailable(
            "a rebuild would lose the vectors of the live index", advice=without_model or "give a model"
        )
    lake.catalogue.refresh()
    if gate:
        gate.judgments(lake)  # what is wrong with it should be told before hours of building
    stages = [read(lake, readers=readers, progress=progress), link(lake, progress=progress)]
    embedded = Embedded()
    if embedder:
        embedded, stage = _embed(lake, None, "", embedder, progress)
        stages.append(stage)
    generation = new_generation(lake, store, embedder, retry=gate is None)
    began = time.monotonic()
    written = apply(store, generation.name, lake, embedder, progress)
    stages.append(StageReport(stage="index", done=written.written, seconds=time.monotonic() - began))
    publication = publish(lake, store, generation.name, embedder, gate=gate, progress=progress)
    report = BuildReport(
        generation=generation.name,
        published=publication.published,
        stages=tuple(stages),
        model=embedder.name if embedder else None,
        seconds=time.monotonic() - started,
        notes=(*((without_model,) if without_model else ()), *publication.notes),
        publication=publication,
    )
    counts = Counts(publication.works, publication.passages, publication.vectors)
    return _counted(report, counts, embedded)


def _counted(report: BuildReport, counts: Counts, embedded: Embedded) -> BuildReport:
    """Fill in what the generation holds and what embedding it took."""
    return report.model_copy(
        update={
            "works": counts.works,
            "passages": counts.passages,
            "vectors": counts.vectors,
            "semantic_coverage": counts.vectors / counts.passages if counts.passages else 0.0,
            "cut_off_share": embedded.cut_off / max(1, embedded.embedded),
            "model_seconds": embedded.model_seconds,
        }
    )


def _embed(
    lake: Lake, store: IndexStore | None, generation: str, embedder: Embedder, progress: ProgressSink
) -> tuple[Embedded, StageReport]:
    """Embed shard by shard, applying each to the index, where one is given, as it comes."""
    due = len(lake.catalogue.to_embed(embedder.fingerprint))
    began = time.monotonic()
    progress(Progress("embed", 0, due))
    total = Embedded()
    for total in embed(lake, embedder):
        if store is not None:
            apply(store, generation, lake, embedder)
        progress(Progress("embed", total.works, due, f"{total.embedded:,} passages"))
    return total, StageReport(stage="embed", done=total.works, seconds=time.monotonic() - began)
