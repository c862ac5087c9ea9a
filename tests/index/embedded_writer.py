"""A process that writes editions of papers into an embedded index until it is killed or has finished.

    python embedded_writer.py FOLDER GENERATION FIRST_EDITION LAST_EDITION

Prints each edition's number when it is durable. An edition's vectors say which paper, edition and
passage they belong to, so that a reader can tell whether words and vectors are of the same moment.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from index.papers import paper

from search.index.documents import PaperDocuments
from search.index.embedded import EmbeddedStore

PAPERS = 12
PASSAGES = 3


def vector(number: int, edition: int, passage: int) -> np.ndarray:
    """Return the vector of one passage of one edition of one paper, not of unit length."""
    return np.array([1, number, edition, passage, 0, 0, 0, 0], dtype=np.float32)


def papers(edition: int) -> list[PaperDocuments]:
    """Return one edition of all papers."""
    return [
        paper(
            f"p{number}",
            *(f"common paper{number} edition{edition} passage{i}" for i in range(PASSAGES)),
            revision=edition,
            version=edition,
            vectors=[vector(number, edition, i) for i in range(PASSAGES)],
        )
        for number in range(PAPERS)
    ]


def main() -> None:
    """Write the editions; half of the papers in one call, half in another."""
    folder, generation, first, last = sys.argv[1:]
    store = EmbeddedStore(Path(folder))
    for edition in range(int(first), int(last) + 1):
        everything = papers(edition)
        store.write(generation, everything[: PAPERS // 2])
        store.write(generation, everything[PAPERS // 2 :])
        print(edition, flush=True)


if __name__ == "__main__":
    main()
