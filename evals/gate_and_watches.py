"""What the gate's known items and the threshold of saved searches are worth, on 6,545 real abstracts.

    python evals/gate_and_watches.py --home FOLDER [--known 500] [--noise 150] [--queries 200]

FOLDER is what `evals/neurips_build.py --home FOLDER` has filled. Printed are the share of known items
(`search.ingest.gate`) that each mode finds among its first ten by their titles, the same with the vectors of
queries replaced by noise, and, for each threshold, how many of the papers that a paper cites its title would
tell of, beside how many of 500 papers drawn at random.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
import time
import zlib
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from search import Library  # noqa: E402
from search.ingest.gate import known_items  # noqa: E402
from search.models import Filters, Mode, Work  # noqa: E402
from search.retrieval.matching import matches  # noqa: E402
from search.retrieval.retriever import Retriever  # noqa: E402

MODES: tuple[Mode, ...] = ("lexical", "semantic", "hybrid")
THRESHOLDS = (0.4, 0.5, 0.6, 0.7, 0.8)
#: Papers that a query must cite, and others drawn beside them.
CITES, OTHERS = 5, 500


class Noise:
    """The library's model, but that the vectors of queries have nothing to do with them."""

    def __init__(self, model: Any) -> None:
        self.name, self.fingerprint = model.name, model.fingerprint
        self.dimensions, self.max_tokens = model.dimensions, model.max_tokens

    def embed_query(self, text: str) -> Any:
        """Return a direction drawn by the text's checksum."""
        drawn = np.random.default_rng(zlib.crc32(text.encode()))
        vector = drawn.standard_normal(self.dimensions).astype(np.float32)
        return vector / np.linalg.norm(vector)


def found(retriever: Retriever, works: list[Work], mode: Mode) -> tuple[float, float]:
    """Return the share of works that their titles find among the first ten, and milliseconds a search."""
    began = time.monotonic()
    hits = sum(
        any(h.work_id == work.work_id for h in retriever.search(work.title, mode=mode, limit=10).hits)
        for work in works
    )
    return hits / len(works), (time.monotonic() - began) / len(works) * 1000


def citations(path: Path, ids: set[str]) -> dict[str, set[str]]:
    """Return which papers of the library each one cites."""
    cited: dict[str, set[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        citing, *rest = (re.sub(r"v\d+$", "", field) for field in line.split("\t"))
        if rest and citing in ids and rest[0] in ids and citing != rest[0]:
            cited.setdefault(citing, set()).add(rest[0])
    return cited


def told(library: Library, edges: dict[str, set[str]], count: int) -> list[tuple[float, float, float]]:
    """Return (threshold, share of cited papers told of, others told of in a thousand)."""
    ids = library.lake.catalogue.work_ids()
    chance = random.Random(7)
    queries = [work_id for work_id in sorted(edges) if len(edges[work_id]) >= CITES]
    chance.shuffle(queries)
    scores: tuple[list[float], list[float]] = ([], [])
    for query in queries[:count]:
        cited = edges[query]
        others = chance.sample([one for one in ids if one not in cited and one != query], OTHERS)
        state = library.lake.catalogue.state(query)
        assert state is not None
        assert state.work is not None
        among = [*sorted(cited), *others]
        match = {
            one.work_id: one.score
            for one in matches(
                library.store, library.embedder, state.work.title, among,
                filters=Filters(exclude_ids=(query,)), dense=library.settings.dense_weight, threshold=0,
            )
        }  # fmt: skip
        for some, into in zip((sorted(cited), others), scores, strict=True):
            into += [match.get(work_id, 0.0) for work_id in some]
    return [
        (t, *(sum(score >= t for score in some) / len(some) for some in scores)) for t in THRESHOLDS
    ]  # fmt: skip


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    default = os.environ.get("CITEWELL_DATA", ROOT.parent / "shared" / "data")
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--known", type=int, default=500)
    parser.add_argument("--noise", type=int, default=150)
    parser.add_argument("--queries", type=int, default=200)
    arguments = parser.parse_args()
    with Library(home=arguments.home) as library:
        library.lake.catalogue.refresh()
        works = known_items(library.lake)
        model = library.embedder()
        asked: list[tuple[str, Any, int]] = [
            ("", model, arguments.known),
            ("noise: ", Noise(model), arguments.noise),
        ]
        for name, embedder, count in asked:
            retriever = Retriever(library.store, lambda embedder=embedder: embedder)
            for mode in MODES:
                share, milliseconds = found(retriever, works[:count], mode)
                print(f"{name}{mode}: {share:.3f} of {len(works[:count])}, {milliseconds:.1f} ms a search")
        edges = citations(
            arguments.data / "corpus" / "neurips_icml" / "edges_bbl_derived.tsv",
            set(library.lake.catalogue.work_ids()),
        )
        for threshold, cited, others in told(library, edges, arguments.queries):
            print(f"threshold {threshold}: {cited:.3f} of cited papers, {others * 1000:.1f} of 1,000 others")


if __name__ == "__main__":
    main()
