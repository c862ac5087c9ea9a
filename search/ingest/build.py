"""`index build` and `index rebuild`: from the lake to a published index, resumable at every step."""

from __future__ import annotations

import time

from search.embedding.protocol import Embedder
from search.errors import ModelUnavailable
from search.index.protocol import IndexStore
from search.ingest.embed import Embedded, embed
from search.ingest.index import apply, building_generation, drop_old, generation_to_fill, live_generation
from search.ingest.link import link
from search.ingest.read import read
from search.ingest.reports import BuildReport, StageReport
from search.lake.lake import Lake
from search.progress import Progress, ProgressSink, silent


def build(
    lake: Lake,
    store: IndexStore,
    embedder: Embedder | None,
    *,
    rebuild: bool = False,
    without_model: str = "",
    progress: ProgressSink = silent,
) -> BuildReport:
    """Bring the index to what the lake says: read, link, index the words, publish, then the vectors.

    Words are searchable before the first vector is computed. An interrupted run resumes: what is in the
    lake stays, and a generation knows which files it has applied.

    Args:
        lake: the truth.
        store: the index to fill.
        embedder: the model; None indexes words only.
        rebuild: fill a new generation from all of the lake and publish it whole, instead of the live one.
        without_model: why there is no model, for the report's notes.
        progress: told how far it is.

    Raises:
        ModelUnavailable: a rebuild without a model would put words only in the place of words and vectors.
    """
    started = time.monotonic()
    live = live_generation(store)
    if rebuild and embedder is None and live and live.fingerprint:
        raise ModelUnavailable(
            "a rebuild would lose the vectors of the live index", advice=without_model or "give a model"
        )
    stages = [read(lake, progress=progress), link(lake, progress=progress)]
    pick = building_generation if rebuild else generation_to_fill
    generation = pick(store, embedder)
    began = time.monotonic()
    written = apply(store, generation.name, lake, embedder, progress)
    stages.append(StageReport(stage="index", done=written.written, seconds=time.monotonic() - began))
    publish = generation.state == "building"
    if publish and not rebuild:
        store.publish(generation.name)
        apply(store, generation.name, lake, embedder)
    embedded = Embedded()
    if embedder:
        embedded, stage = _embed(lake, store, generation.name, embedder, progress)
        stages.append(stage)
    if publish and rebuild:
        store.publish(generation.name)
        # What another process wrote into the lake while this one was building: a removal applies itself
        # to the live generation only.
        apply(store, generation.name, lake, embedder, progress)
        drop_old(store)
    live = live_generation(store)
    if live and live.name != generation.name and live.fingerprint == generation.fingerprint:
        # Another process has rebuilt the index meanwhile: what was made here is for its readers.
        apply(store, live.name, lake, embedder)
    counts = store.counts(generation.name)
    notes = [without_model] if without_model else []
    return BuildReport(
        generation=generation.name,
        published=publish,
        stages=tuple(stages),
        works=counts.works,
        passages=counts.passages,
        vectors=counts.vectors,
        semantic_coverage=counts.vectors / counts.passages if counts.passages else 0.0,
        cut_off_share=embedded.cut_off / max(1, embedded.embedded),
        model=embedder.name if embedder else None,
        seconds=time.monotonic() - started,
        model_seconds=embedded.model_seconds,
        notes=tuple(notes),
    )


def _embed(
    lake: Lake, store: IndexStore, generation: str, embedder: Embedder, progress: ProgressSink
) -> tuple[Embedded, StageReport]:
    """Embed shard by shard, applying each to the index as it comes."""
    due = len(lake.catalogue.to_embed(embedder.fingerprint))
    began = time.monotonic()
    progress(Progress("embed", 0, due))
    total = Embedded()
    for total in embed(lake, embedder):
        apply(store, generation, lake, embedder)
        progress(Progress("embed", total.works, due, f"{total.embedded:,} passages"))
    return total, StageReport(stage="embed", done=total.works, seconds=time.monotonic() - began)
