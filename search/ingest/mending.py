"""Mending a library: each step finds one kind of trouble and ends it, or says why it cannot."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from search.arxiv.pdf import download_pdf
from search.errors import (
    CitewellError,
    EngineRefused,
    EngineUnavailable,
    IndexFailure,
    LakeDamaged,
    TransportError,
    WriterBusy,
)
from search.index.papers import tombstone
from search.ingest import examining
from search.ingest.build import build, rebuild
from search.ingest.check import check
from search.ingest.fetch import fetch, keep_pdf
from search.ingest.harvest import harvest_window
from search.ingest.index import live_generation, published, write
from search.ingest.papers import documents_of, embedding_texts
from search.lake.batch import Outcome, stamp_of, write_batch
from search.lake.database import throw_away
from search.lake.vectors import vector_key
from search.progress import Progress, ProgressSink, silent

if TYPE_CHECKING:
    from search.arxiv.oai import OAIClient
    from search.arxiv.transport import Transport
    from search.embedding.protocol import Embedder
    from search.index.documents import PaperDocuments
    from search.index.protocol import IndexStore
    from search.ingest.gate import Gate
    from search.ingest.reports import BuildReport, CheckReport
    from search.lake.lake import Lake

#: Works written one by one before a whole new index is the shorter way.
FEW = 1_000


@dataclass(frozen=True, slots=True)
class Network:
    """The ways to arXiv, opened where something has to be had from there again."""

    pdfs: Callable[[], AbstractContextManager[Transport]]
    oai: Callable[[], AbstractContextManager[OAIClient]]
    pdf_base_url: str
    oai_base_url: str


@dataclass(slots=True)
class Mended:
    """What was done, and what could not be."""

    done: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    build: BuildReport | None = None


def mend(
    lake: Lake,
    store: IndexStore,
    embedder: Embedder | None,
    network: Network,
    *,
    gate: Gate | None,
    without_model: str = "",
    progress: ProgressSink = silent,
) -> Mended:
    """Bring lake, catalogue and index back to where each says what the one before it says.

    The order matters: what a step needs is mended by those before it. Running it again is harmless.
    """
    mended = Mended()
    mend_left_overs(lake, mended)
    mend_catalogue(lake, mended)
    if embedder:
        mend_shards(lake, embedder, mended, progress)
    for step in (mend_pdfs, mend_holes, mend_downloads):
        try:
            step(lake, network, mended, progress)
        except (TransportError, LakeDamaged) as error:
            mended.left.append(str(error))
    mend_index(lake, store, embedder, mended, gate=gate, without_model=without_model, progress=progress)
    return mended


# ------------------------------------------------------------------ the lake
def mend_left_overs(lake: Lake, mended: Mended) -> None:
    """Delete what killed writers left half-written; nobody ever read it."""
    found = examining.left_overs(lake)
    for name in found:
        lake.files.delete(name)
    if found:
        mended.done.append(f"deleted {len(found):,} half-written files")


def mend_catalogue(lake: Lake, mended: Mended) -> None:
    """Throw the catalogue away where it is damaged or says something else than the lake; fold it anew.

    Where files of the works log are gone, the catalogue is the last that knows what they said: that is
    written into the lake first.
    """
    if not examining.is_readable(lake):
        _unlink_catalogue(lake)
        lake.catalogue.refresh()
        mended.done.append("folded the catalogue anew: it was damaged")
        return
    gone = examining.gone_logs(lake)
    works = [name for name in gone if name.startswith("works/")]
    if works:
        lines = examining.facts_written(lake, [stamp_of(name) for name in works])
        outcomes = [Outcome(work_id) for work_id in sorted({str(line["work_id"]) for line in lines})]
        if lines:
            lake.writer.seen(lake.catalogue.newest)
            write_batch(lake.files, lake.writer, "works", lines, outcomes)
        mended.done.append(
            f"wrote {len(lines):,} facts again from the catalogue, for {len(works):,} files of the works log "
            "are gone"
        )
    lies = examining.catalogue_lies(lake) if not gone else []
    if gone or lies:
        lake.catalogue.forget()
        lake.catalogue.refresh()
        why = f"{len(gone):,} log files are gone" if gone else f"it was wrong about {', '.join(lies)}"
        mended.done.append(f"folded the catalogue anew: {why}")


def _unlink_catalogue(lake: Lake) -> None:
    for path in lake.catalogue.paths():
        throw_away(path)
    lake.catalogue.forget()


def mend_shards(lake: Lake, embedder: Embedder, mended: Mended, progress: ProgressSink) -> None:
    """Compute the vectors of shards that are gone once more, and put the shards back where they were."""
    gone = [name for name in lake.missing_files() if name.startswith("shards/")]
    places = {key: place for shard in gone for key, place in _places(lake, shard, embedder).items()}
    if not gone:
        return
    texts = _texts_of(lake, embedder, set(places), progress)
    shards: dict[str, dict[int, str]] = {shard: {} for shard in gone}
    for key, text in texts.items():
        shard, row = places[key]
        shards[shard][row] = text
    for shard, rows in shards.items():
        if rows:
            _write_shard(lake, embedder, shard, rows)
    whole = sum(bool(rows) for rows in shards.values())
    mended.done.append(f"computed {len(texts):,} vectors again for {whole:,} shards that were gone")


def _places(lake: Lake, shard: str, embedder: Embedder) -> dict[bytes, tuple[str, int]]:
    """Return where in the shard the vectors of this model lay; those of others cannot be computed here."""
    keys = examining.keys_of_shard(lake, shard)
    return {key: (shard, row) for key, (model, row) in keys.items() if model == embedder.fingerprint}


def _texts_of(lake: Lake, embedder: Embedder, keys: set[bytes], progress: ProgressSink) -> dict[bytes, str]:
    """Return the strings that these keys stand for, as far as a work has them now."""
    found: dict[bytes, str] = {}
    ids = lake.catalogue.work_ids()
    for position, state in enumerate(lake.catalogue.states(ids)):
        if len(found) == len(keys):
            break
        progress(Progress("texts", position, len(ids), state.work_id))
        for text in embedding_texts(state, lake, embedder):
            if (key := vector_key(embedder.fingerprint, text)) in keys:
                found[key] = text
    return found


def _write_shard(lake: Lake, embedder: Embedder, shard: str, rows: dict[int, str]) -> None:
    """Write a shard anew; rows whose text no work has any more are empty, and nobody asks for them."""
    import numpy as np

    order = sorted(rows)
    vectors = np.zeros((order[-1] + 1, embedder.dimensions), dtype=np.float32)
    vectors[order] = embedder.embed_passages([rows[row] for row in order])
    buffer = io.BytesIO()
    np.save(buffer, vectors)
    lake.files.write(shard, buffer.getvalue())


# ------------------------------------------------------------------ what has to be had again
def mend_pdfs(lake: Lake, network: Network, mended: Mended, progress: ProgressSink) -> None:
    """Download PDFs that the lake speaks of and does not have."""
    gone = [name for name in lake.missing_files() if name.startswith("pdf/")]
    papers = examining.pdfs_named(lake, gone)
    if not papers:
        return
    had = 0
    with network.pdfs() as transport:
        for position, (work_id, version) in enumerate(papers):
            progress(Progress("fetch", position, len(papers), f"{work_id}v{version}"))
            try:
                pdf = download_pdf(transport, network.pdf_base_url, work_id, version)
            except CitewellError as error:
                mended.left.append(f"the PDF of {work_id}v{version} is gone: {error}")
                continue
            keep_pdf(lake, work_id, version, pdf.content)
            had += 1
    if had:
        mended.done.append(f"downloaded {had:,} PDFs that were gone")


def mend_holes(lake: Lake, network: Network, mended: Mended, progress: ProgressSink) -> None:
    """Harvest the days that lie between two harvests and belong to none."""
    found = examining.holes(lake, network.oai_base_url)
    if not found:
        return
    with network.oai() as client:
        for window in found:
            report = harvest_window(
                lake, client, base_url=network.oai_base_url, key=str(window), progress=progress
            )
            mended.done.append(f"harvested {window}: {report.records:,} records")


def mend_downloads(lake: Lake, network: Network, mended: Mended, progress: ProgressSink) -> None:
    """Try once more what has failed again and again."""
    ids = examining.stubborn_downloads(lake)
    if not ids:
        return
    with network.pdfs() as transport:
        report = fetch(lake, transport, base_url=network.pdf_base_url, ids=ids, progress=progress)
    if report.done:
        mended.done.append(f"downloaded {report.done:,} PDFs that had failed again and again")
    mended.left += [f"{f.work_id}: {f.error} after {f.tries} tries: {f.message}" for f in report.failed]


# ------------------------------------------------------------------ the index
def mend_index(
    lake: Lake,
    store: IndexStore,
    embedder: Embedder | None,
    mended: Mended,
    *,
    gate: Gate | None,
    without_model: str = "",
    progress: ProgressSink = silent,
) -> None:
    """Bring the index to what the lake says: by a build, by single works, or by a new index."""

    def anew(why: str) -> None:
        mended.build = rebuild(
            lake, store, embedder, gate=gate, without_model=without_model, progress=progress
        )
        if mended.build.published:
            mended.done.append(f"built the index anew: {why}")
        else:
            refused = mended.build.publication.refused if mended.build.publication else ()
            mended.left.append(f"a new index was not published: {'; '.join(refused)}")

    live = live_generation(store)
    if embedder and live and live.fingerprint not in {None, embedder.fingerprint}:
        anew("it held another model's vectors")
        return
    if embedder is None and live and live.fingerprint:
        mended.build = build(lake, store, None, without_model=without_model, progress=progress)
        mended.left.append(f"the index was not compared: {without_model or 'there is no embedding model'}")
        return
    try:
        mended.build = build(lake, store, embedder, without_model=without_model, progress=progress)
        report = check(lake, store, embedder, progress=progress)
        if report.differences and len(report.differences) <= FEW:
            _write_singly(lake, store, embedder, report, mended)
            report = check(lake, store, embedder, progress=progress)
    except (EngineUnavailable, EngineRefused, WriterBusy):
        raise
    except IndexFailure as broken:
        anew(broken.message)
        return
    if report.differences or (report.notes and not report.unapplied_files):
        anew(report.notes[0] if report.notes else "it is not what was written to it")


def _write_singly(
    lake: Lake, store: IndexStore, embedder: Embedder | None, report: CheckReport, mended: Mended
) -> None:
    """Write the works that differ; what the lake has never had leaves nothing but its id."""
    live = published(store)
    lost = examining.lost_files(lake, live)
    kinds = {d.work_id: d.kind for d in report.differences}
    known = {state.work_id for state in lake.catalogue.states(sorted(kinds))}
    extra = sorted(work_id for work_id, kind in kinds.items() if kind == "extra" and work_id not in known)
    if lost and extra:
        mended.left.append(
            f"{len(extra):,} works of the index are not in the lake, such as {extra[0]}, and "
            f"{len(lost):,} files of the lake are gone, such as {lost[0]}: restore them from a copy"
        )
        extra = []
    revisions = {w.work_id: w.revision for w in store.contents() if w.work_id in extra} if extra else {}

    def papers() -> Iterator[PaperDocuments]:
        fingerprint = embedder.fingerprint if embedder else None
        for state in lake.catalogue.states(sorted(kinds), fingerprint):
            yield documents_of(state, lake, embedder)
        for work_id in extra:
            yield tombstone(work_id, revisions.get(work_id, 0))

    written = write(store, live.name, papers)
    if written.written:
        wrong = _counted(list(kinds.values()))
        mended.done.append(f"wrote {written.written:,} works that the index had wrong: {wrong}")


def _counted(kinds: Sequence[str]) -> str:
    return ", ".join(f"{kinds.count(kind):,} {kind}" for kind in sorted(set(kinds)))
