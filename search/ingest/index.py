"""Lake facts into index generations: each applies the files that it has not applied yet."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator

from search.embedding.protocol import Embedder
from search.errors import IndexMissing, ModelMismatch, SchemaMismatch, WriterBusy
from search.index.documents import PaperDocuments
from search.index.mappings import schema_hash
from search.index.protocol import Generation, IndexStore, Written
from search.ingest.papers import documents_of
from search.lake.lake import Lake
from search.progress import Progress, ProgressSink, silent

#: Generations kept after a rebuild, the live one included: one to go back to.
KEPT_GENERATIONS = 2
#: Seconds to wait for another writer, looking this often: a removal writes for a blink, a build between
#: two shards as well, and neither should fail for the other.
PATIENCE, LOOK_AGAIN = 10.0, 0.1


def find_generation(store: IndexStore, name: str) -> Generation:
    """Return a generation as it stands now.

    Raises:
        IndexMissing: another process has dropped it.
    """
    for generation in store.generations():
        if generation.name == name:
            return generation
    raise IndexMissing(f"the index {name} was dropped meanwhile", advice="run the same command again")


def live_generation(store: IndexStore) -> Generation | None:
    """Return the published generation as it is at this moment: `store.live` may be a second behind."""
    return next((g for g in store.generations() if g.state == "live"), None)


def published(store: IndexStore) -> Generation:
    """Return the same, and raise `IndexMissing` where there is none."""
    return live_generation(store) or store.live()


def generation_to_fill(store: IndexStore, embedder: Embedder | None) -> Generation:
    """Return the live generation, else one that an interrupted build left, else a new one.

    Raises:
        ModelMismatch: the live one holds another model's vectors.
        SchemaMismatch: the live one was made with other mappings.
    """
    live = live_generation(store)
    if live:
        _must_match(live, embedder)
        return _with_model(store, live, embedder)
    return building_generation(store, embedder)


def building_generation(store: IndexStore, embedder: Embedder | None) -> Generation:
    """Return the newest unpublished generation of this model and these mappings, else a new one."""
    fingerprint = embedder.fingerprint if embedder else None
    for generation in reversed(store.generations()):
        fits = generation.schema_hash == schema_hash() and generation.fingerprint in {None, fingerprint}
        if generation.state == "building" and fits:
            return _with_model(store, generation, embedder)
    return store.create(fingerprint=fingerprint, dimensions=embedder.dimensions if embedder else None)


def apply(
    store: IndexStore,
    generation: str,
    lake: Lake,
    embedder: Embedder | None,
    progress: ProgressSink = silent,
) -> Written:
    """Apply every lake file that a generation has not applied; the same again is harmless.

    The documents are always computed from all that the lake knows of a work by now, so the order in which
    files are applied does not matter. Files are marked only after their works are durable in the index, and
    only where nothing of them is left out for want of a model: vectors are then applied when it is there.

    Raises:
        ModelMismatch: the generation holds another model's vectors.
        SchemaMismatch: it was made with other mappings.
        WriterBusy: another process writes to it for longer than we wait.
    """
    # All of them are folded: a file that another process adds meanwhile is applied the next time.
    held = find_generation(store, generation)
    _must_match(held, embedder)
    files, merged = lake.unapplied(held.applied)
    if embedder is None:
        files = [name for name in files if not name.startswith("vectors/")]
    if held.applied:
        touched = sorted({work_id for name in files for work_id in lake.touched(name)})
    else:
        touched = [*lake.catalogue.work_ids(), *lake.catalogue.work_ids(removed=True)]
    fingerprint = embedder.fingerprint if embedder else None

    def papers() -> Iterator[PaperDocuments]:
        with lake.catalogue.session():
            for position, state in enumerate(lake.catalogue.states(touched, fingerprint)):
                progress(Progress("index", position, len(touched), state.work_id))
                yield documents_of(state, lake, embedder)

    takedown = lake.takedowns.demanded(files)
    if takedown:
        store.refuse_late_writes(generation)
    written = write(store, generation, papers)
    if takedown:
        store.expunge(generation)
    if files and (embedder or not held.fingerprint):
        store.mark_applied(generation, files)
    _note_merged(store, held, lake, merged)
    progress(Progress("index", len(touched), len(touched)))
    return written


def on_their_way(lake: Lake, generation: Generation) -> set[str]:
    """Return the ids of the works of which the lake knows something that a generation has not applied.

    What is asked of it is judged without them: another process is writing, and nobody is at fault.
    """
    lake.catalogue.refresh()
    return {work_id for name in lake.unapplied(generation.applied)[0] for work_id in lake.touched(name)}


def note_merged(store: IndexStore, lake: Lake) -> None:
    """Tell every generation that it has the facts of merged files, where it has those that they replaced."""
    for generation in store.generations():
        _, merged = lake.unapplied(generation.applied)
        _note_merged(store, generation, lake, merged)


def _note_merged(store: IndexStore, generation: Generation, lake: Lake, merged: list[str]) -> None:
    if merged:
        made_of = lake.catalogue.merged()
        store.mark_applied(generation.name, merged, {part for name in merged for part in made_of[name]})


def write(store: IndexStore, generation: str, papers: Callable[[], Iterable[PaperDocuments]]) -> Written:
    """Write papers, waiting a little where another process is writing.

    Raises:
        WriterBusy: it has not finished by then.
    """
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return store.write(generation, papers())
        except WriterBusy:
            if time.monotonic() > until:
                raise
            time.sleep(LOOK_AGAIN)


def remove(store: IndexStore, lake: Lake, work_id: str, fact: str | None) -> None:
    """Take a work that the lake says is removed out of the live index; the same again is harmless.

    A generation that is being built applies the fact itself, at the latest after it was published.

    Args:
        store: the index.
        lake: the truth.
        work_id: what was removed.
        fact: the batch that says so and nothing else, if it has just been written.
    """
    generation = live_generation(store)
    if generation is None:
        return  # never built: there is nothing to take out
    write(
        store,
        generation.name,
        lambda: [documents_of(s, lake, None) for s in lake.catalogue.states([work_id])],
    )
    if fact:
        store.mark_applied(generation.name, [fact])


def drop_old(store: IndexStore, *, former: str | None = None) -> list[str]:
    """Delete all but the newest published generations, and what was begun before the live one and left.

    Args:
        store: the index.
        former: the generation that was live before this one: it is what a rollback goes back to. None:
            the newest of those that were published.

    Returns:
        The names of those that went.
    """
    live = published(store)
    others = [g for g in store.generations() if g.name != live.name]
    former_ones = sorted((g for g in others if g.state == "old"), key=lambda g: (g.name == former, g.created))
    doomed = former_ones[: max(0, len(former_ones) - (KEPT_GENERATIONS - 1))]
    doomed += [g for g in others if g.state == "building" and g.created < live.created]
    for generation in doomed:
        store.drop(generation.name)
    return [generation.name for generation in doomed]


def _must_match(generation: Generation, embedder: Embedder | None) -> None:
    if generation.schema_hash != schema_hash():
        raise SchemaMismatch(
            f"the index {generation.name} was made with other mappings than this version of Citewell has",
            advice="run `citewell index rebuild`: it makes a new one beside it from the lake",
        )
    if embedder and generation.fingerprint not in {None, embedder.fingerprint}:
        raise ModelMismatch(
            f"the index {generation.name} holds vectors of another embedding model than {embedder.name}",
            advice="run `citewell index rebuild`, or set CITEWELL_EMBEDDING_MODEL back",
        )


def _with_model(store: IndexStore, generation: Generation, embedder: Embedder | None) -> Generation:
    """Name the model of a generation that was begun with words only."""
    if embedder is None or generation.fingerprint:
        return generation
    store.set_model(generation.name, fingerprint=embedder.fingerprint, dimensions=embedder.dimensions)
    return find_generation(store, generation.name)
