"""`index rollback`: readers go back to the generation before, brought up to date from the lake first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from search.errors import IndexMissing, ModelMismatch, UsageError, WriterBusy
from search.ingest.index import apply, find_generation, live_generation
from search.ingest.publish import shortfalls
from search.ingest.reports import PublishReport
from search.progress import ProgressSink, silent

if TYPE_CHECKING:
    from search.embedding.protocol import Embedder
    from search.index.protocol import Generation, IndexStore
    from search.lake.lake import Lake


def rollback(
    lake: Lake,
    store: IndexStore,
    embedder: Embedder | None,
    *,
    to: str | None = None,
    progress: ProgressSink = silent,
) -> PublishReport:
    """Make the generation live that was published before; the same again goes forward.

    It is brought up to date first: papers that came since are found after it, removed ones are not. No
    gate is asked, for a person decides this, but what the lake has must be in it.

    Args:
        lake: the truth.
        store: the index.
        embedder: the model; None brings it up to date by words only.
        to: a published generation's name; None: the newest that is not live.
        progress: told how far it is.

    Raises:
        IndexMissing: there is no other published generation.
        ModelMismatch: it holds another model's vectors than the one set now.
        SchemaMismatch: another version of Citewell made it.
    """
    live = live_generation(store)
    target = _target(store, live, to)
    if embedder and target.fingerprint not in {None, embedder.fingerprint}:
        raise ModelMismatch(
            f"the index {target.name} holds vectors of another model than {embedder.name}",
            advice="set CITEWELL_EMBEDDING_MODEL and CITEWELL_EMBEDDING_MAX_TOKENS to what it was "
            "built with, then roll back",
        )
    apply(store, target.name, lake, embedder, progress)
    target = find_generation(store, target.name)
    wrong, notes = shortfalls(lake, store, target, None, None, progress=progress)
    counts = store.counts(target.name)
    report = PublishReport(
        generation=target.name, former=live.name if live else None, published=not wrong, refused=wrong,
        works=counts.works, passages=counts.passages, vectors=counts.vectors, notes=notes,
    )  # fmt: skip
    if wrong:
        return report
    store.publish(target.name)
    try:
        apply(store, target.name, lake, embedder)
    except WriterBusy as busy:  # a daily run at work on it: that one, or the next, applies the same files
        return report.model_copy(update={"notes": (*notes, busy.message)})
    return report


def _target(store: IndexStore, live: Generation | None, name: str | None) -> Generation:
    """Return the generation to go back to."""
    others = [g for g in store.generations() if g.state == "old"]
    if name is None:
        if not others:
            raise IndexMissing(
                "there is no other published index to go back to",
                advice="`citewell index rebuild` makes one, and keeps the one before it",
            )
        return others[-1]
    if live and name == live.name:
        raise UsageError(f"the index {name} is the live one", advice="leave --to out to go to the other one")
    for generation in others:
        if generation.name == name:
            return generation
    raise IndexMissing(
        f"there is no published index {name} to go back to",
        advice="published beside the live one: " + (", ".join(g.name for g in others) or "none"),
    )
