"""`index check`: the index beside the lake, work by work."""

from __future__ import annotations

from search.embedding.protocol import Embedder
from search.errors import ModelUnavailable
from search.index.protocol import IndexStore
from search.ingest.index import published
from search.ingest.papers import documents_of
from search.ingest.reports import CheckReport, Difference, FailedPaper
from search.lake.lake import Lake
from search.progress import Progress, ProgressSink, silent


def check(
    lake: Lake, store: IndexStore, embedder: Embedder | None, *, progress: ProgressSink = silent
) -> CheckReport:
    """Compute every work's documents anew and compare their content hash with the index's.

    Raises:
        IndexMissing: there is nothing to check.
        ModelUnavailable: the index holds vectors, and there is no model to tell how its texts were split.
    """
    live = published(store)
    waiting, _ = lake.unapplied(live.applied)
    if live.fingerprint and embedder is None:
        raise ModelUnavailable(
            f"the index {live.name} cannot be compared with the lake without its embedding model",
            advice="run `citewell doctor`: it says why there is no model",
        )
    counts = store.counts(live.name)
    hashes: dict[str, str] = {}
    removed: set[str] = set()
    said = 0
    for work in store.contents(live.name):
        hashes[work.work_id] = work.content_hash
        removed.update([work.work_id] if work.removed else ())
        said += 0 if work.removed else work.passages
    ids = [*lake.catalogue.work_ids(), *lake.catalogue.work_ids(removed=True)]
    fingerprint = embedder.fingerprint if embedder else None
    differences = []
    with lake.catalogue.session():
        for position, state in enumerate(lake.catalogue.states(ids, fingerprint)):
            progress(Progress("check", position, len(ids), state.work_id))
            expected = documents_of(state, lake, embedder).work.content_hash
            found = hashes.pop(state.work_id, None)
            if found != expected and not (state.removed and found is None):
                kind = "missing" if found is None else "stale"
                differences.append(Difference(work_id=state.work_id, kind=kind))
    # That something was removed which the lake has never had is no text too many.
    differences += [Difference(work_id=work_id, kind="extra") for work_id in sorted(hashes.keys() - removed)]
    named = {difference.work_id for difference in differences}
    differences += [Difference(work_id=w, kind="stray") for w in store.strays() if w not in named]
    # Without a model, vectors that the lake holds of one are not missed.
    unapplied = sum(not (embedder is None and n.startswith("vectors/")) for n in waiting)
    without = len(lake.catalogue.to_embed(fingerprint)) if fingerprint else 0
    failures = tuple(
        FailedPaper(
            work_id=f.work_id, version=f.version, stage=f.stage, error=f.error, message=f.message,
            tries=f.tries, retryable=f.retryable,
        )
        for f in lake.catalogue.failures()
    )  # fmt: skip
    notes = []
    if fingerprint and live.fingerprint and live.fingerprint != fingerprint:
        notes.append("the index holds vectors of another embedding model; run `citewell index rebuild`")
    elif unapplied or without:
        notes.append("run `citewell index build`")
    elif differences:
        # All of the lake was applied to it, so it has been changed since.
        notes.append("the index is not what was written to it; run `citewell index rebuild`")
    elif said != counts.passages:
        notes.append(
            f"the index holds {counts.passages:,} passages, and its works say {said:,}; "
            "run `citewell index rebuild`"
        )
    elif fingerprint and counts.vectors < counts.passages:
        missing = counts.passages - counts.vectors
        notes.append(f"{missing:,} passages of the index have no vector; run `citewell index rebuild`")
    return CheckReport(
        generation=live.name,
        works=counts.works,
        passages=counts.passages,
        vectors=counts.vectors,
        lake_works=len(lake.catalogue.work_ids()),
        differences=tuple(differences),
        unapplied_files=unapplied,
        without_vectors=without,
        failures=failures,
        sound=not (differences or unapplied or without or notes),
        notes=tuple(notes),
    )
