"""The daily check: what the last days brought, work by work, beside one generation of the index.

It costs what those days cost, not what the lake costs; `search.ingest.check` compares everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from search.embedding.protocol import Embedder
from search.errors import ModelUnavailable
from search.index.protocol import IndexStore
from search.ingest.index import find_generation, on_their_way
from search.ingest.papers import documents_of
from search.ingest.reports import Difference
from search.lake.batch import stamp_of
from search.lake.lake import Lake

#: Works compared at most, the newest first. arXiv's two days are about as many; after a backfill of
#: hundreds of thousands the daily check must still cost what a day costs.
MOST_COMPARED = 5_000


def recent_differences(
    lake: Lake, store: IndexStore, embedder: Embedder | None, generation: str, *, since: datetime
) -> tuple[int, list[Difference]]:
    """Return how many works were compared, and in what the generation differs from the lake.

    Compared are the works that any lake file written since then says something about, `MOST_COMPARED` of
    them at most. One that a file touches which the generation has not applied yet is on its way, and no
    difference.

    Args:
        lake: the truth.
        store: where the generation is.
        embedder: the model that its texts were split for; None: words only.
        generation: the name of a generation, published or not.
        since: how far back to look.

    Raises:
        IndexMissing: there is no such generation.
        ModelUnavailable: it holds vectors, and there is no model to tell how its texts were split.
    """
    moment = int(since.timestamp() * 1_000_000)
    names = [name for name in lake.indexed_files() if stamp_of(name) >= moment]
    lake.catalogue.refresh()
    held = find_generation(store, generation)
    if held.fingerprint and embedder is None:
        raise ModelUnavailable(
            f"the index {generation} cannot be compared with the lake without its embedding model",
            advice="run `citewell doctor`: it says why there is no model",
        )
    newest: set[str] = set()
    for name in reversed(names):
        if len(newest) >= MOST_COMPARED:
            break
        newest |= lake.touched(name)
    touched = sorted(newest)[:MOST_COMPARED]
    different = _different(lake, store, embedder, generation, touched)
    if different:
        # Another run may have brought something while we looked: what is not applied yet is not amiss.
        coming = on_their_way(lake, find_generation(store, generation))
        different = [difference for difference in different if difference.work_id not in coming]
    return len(touched), different


def _different(
    lake: Lake, store: IndexStore, embedder: Embedder | None, generation: str, ids: Sequence[str]
) -> list[Difference]:
    """Compare the content hashes of these works."""
    found = {work_id: work.content_hash for work_id, work in store.at(generation).works(ids).items()}
    fingerprint = embedder.fingerprint if embedder else None
    differences = []
    with lake.catalogue.session():
        for state in lake.catalogue.states(ids, fingerprint):
            held = found.get(state.work_id)
            if state.removed:
                if held is not None:
                    differences.append(Difference(work_id=state.work_id, kind="extra"))
            elif held != documents_of(state, lake, embedder).work.content_hash:
                kind = "missing" if held is None else "stale"
                differences.append(Difference(work_id=state.work_id, kind=kind))
    return differences
