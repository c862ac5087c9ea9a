"""A library of a few papers beside a loopback arXiv, on either store, for the tests of keeping an index."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, date, datetime

import numpy as np
import pytest

from search.demo.server import DemoRecord, DemoVersion
from search.lake.lake import Lake
from search.library import Library

#: What the papers are about, three words each: no two titles share one.
SUBJECTS = (
    "sparse graph rigidity", "photon pair production", "dense vector retrieval", "lattice fermion doubling",
    "protein folding landscapes", "turbulent pipe flows", "neural machine translation", "dark matter haloes",
    "quantum error correction", "robot grasp planning", "glacier melt models", "prime number gaps",
)  # fmt: skip
BOTH_STORES = ["embedded", pytest.param("elastic", marks=pytest.mark.elastic)]


def record(number, versions=1, **fields):
    """Paper `number` of the small arXiv, 1 to 12, or one with a subject of its own."""
    subject = SUBJECTS[(number - 1) % len(SUBJECTS)]
    tail = "" if number <= len(SUBJECTS) else f" in case {number}"
    history = tuple(DemoVersion(datetime(2024, 2, 1 + n, 8, tzinfo=UTC)) for n in range(versions))
    fields = {
        "title": f"On {subject}{tail}",
        "abstract": f"We study {subject}{tail} and report what was found.",
        "categories": "cs.IR",
        **fields,
    }
    return DemoRecord(id=work_id(number), versions=history, **fields)


def work_id(number):
    """The id of paper `number`."""
    return f"2402.{number:05d}"


@contextmanager
def opened(store, tmp_path, arxiv, request, **options):
    """A library in `tmp_path` on one of the stores."""
    if store == "elastic":
        url, prefix = request.getfixturevalue("elasticsearch_url"), request.getfixturevalue("index_prefix")
        options |= {"index_url": url, "index_prefix": prefix}
    options = {"oai_base_url": arxiv.oai_url, "pdf_base_url": arxiv.pdf_url, **options}
    with Library(home=tmp_path, oai_interval=0, pdf_interval=0, **options) as library:
        yield library


def harvested(library):
    """The library after a harvest and a build."""
    library.harvest(from_=date(2024, 1, 1))
    library.build()
    return library


def same_lake(library):
    """The library's lake as another process has it."""
    return Lake(library.settings.lake, library.settings.home / "elsewhere")


def held(library):
    """What the live index holds: each work's content hash and passage ids; removed works left out."""
    return {
        work.work_id: (
            work.content_hash,
            tuple(p.passage_id for p in library.store.passages_of(work.work_id)),
        )
        for work in library.store.contents()
        if not work.removed
    }


class Noise:
    """An embedding model that was put together wrongly: it knows strings apart, not what they mean."""

    name, fingerprint, dimensions, max_tokens = "noise", "noise-1", 8, 512

    def embed_query(self, text):
        """A direction that has nothing to do with the text's."""
        return self._of(f"query {text}")

    def embed_passages(self, texts):
        """The same for each text."""
        return np.array([self._of(text) for text in texts], dtype=np.float32)

    def count_tokens(self, texts):
        """Words."""
        return [len(text.split()) for text in texts]

    @staticmethod
    def _of(text):
        import zlib

        vector = np.random.default_rng(zlib.crc32(text.encode())).standard_normal(8).astype(np.float32)
        return vector / np.linalg.norm(vector)
