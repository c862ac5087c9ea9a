"""The demo: a small arXiv on this machine, harvested, read, indexed, searched and asked.

Everything between the loopback server and the answer is what production runs.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from search.demo.collection import collection
from search.demo.papers import own_pdfs, own_records
from search.ingest.reports import BuildReport, HarvestReport, StageReport
from search.models import Answer, Model, SearchResult
from search.progress import ProgressSink, silent

if TYPE_CHECKING:
    from search.demo.records import DemoRecord
    from search.library import Library
    from search.settings import Settings

#: A tour over several fields.
DEMO_SEARCHES: tuple[str, ...] = (
    "dark matter in the Bullet cluster",
    "pooled tests for rare infections",
    "random walks that return to their start",
    "low precision arithmetic in numerical methods and neural networks",
)
#: Answerable from our own papers alone; the first is the one that the demo shows.
DEMO_QUESTIONS: tuple[str, ...] = (
    "How does the error of a Monte Carlo estimate fall with the number of samples?",
    "What is the best pool size for pooled testing at a prevalence of 1 %?",
    "Is min-max fusion better than reciprocal rank fusion for hybrid search?",
    "How many hash functions give a Bloom filter with ten bits per key the lowest false positive rate?",
    "How many hash bits does a passage identifier need?",
)
#: Nothing in the collection answers this.
UNANSWERABLE = "What is the boiling point of tungsten?"

#: A tour, not a result list; and one citation step, so that the graph has its part.
SHOWN, HOPS = 3, 1
#: Small enough that the harvester has to follow resumption tokens.
PAGE_SIZE = 50


class DemoReport(Model):
    """What the demo did, in its order."""

    #: Folder of the demo's library; it stays, and can be searched and asked further.
    home: str
    #: Real papers, found by summaries of our own; and our own demo papers, read in full.
    real_papers: int
    own_papers: int
    harvest: HarvestReport
    fetch: StageReport
    build: BuildReport
    #: Citations that the reader found between papers of the collection.
    citations: int
    searches: tuple[SearchResult, ...]
    answers: tuple[Answer, ...]
    next_steps: tuple[str, ...]
    seconds: float


def demo_records() -> list[DemoRecord]:
    """Return what the demo's arXiv knows: the real papers, then our own."""
    return [*collection(), *own_records()]


def demo_pdfs() -> dict[str, bytes]:
    """Return the PDFs that the demo's arXiv serves, by `<id>v<n>`: our own papers, every version.

    Raises:
        MissingExtra: pymupdf is not installed.
    """
    return own_pdfs()


def demo(settings: Settings, *, progress: ProgressSink = silent) -> DemoReport:
    """Fill a library of its own from a loopback arXiv, then search it and ask it.

    The library is `demo` inside the set home (on Elasticsearch: beside yours, under its own prefix), and
    running the demo again brings it up to date.

    Raises:
        MissingExtra: pymupdf is not installed.
    """
    from search.demo.server import LoopbackArxiv
    from search.library import Library

    began = time.monotonic()
    records, pdfs = demo_records(), demo_pdfs()
    own = sorted({key.rpartition("v")[0] for key in pdfs})
    with LoopbackArxiv(records, pdfs, PAGE_SIZE) as arxiv:
        local = settings.model_copy(
            update={
                "home": settings.home / "demo",
                "lake_url": "",
                "index_prefix": f"{settings.index_prefix}-demo",
                "oai_base_url": arxiv.oai_url,
                "pdf_base_url": arxiv.pdf_url,
                "oai_interval": 0.0,
                "pdf_interval": 0.0,
            }
        )
        with Library(local) as library:
            first = min(record.stamp for record in records)
            harvest = library.harvest(from_=first, progress=progress)
            fetch = library.fetch(own, progress=progress)
            build = library.build(progress=progress)
            # Whoever took a paper out, by `remove`, does not get it back by trying the demo again.
            held = {work.work_id for work in library.list()}
            return DemoReport(
                home=str(local.home),
                real_papers=len(records) - len(own),
                own_papers=len(own),
                harvest=harvest,
                fetch=fetch,
                build=build,
                citations=sum(len(library.info(work_id).cites) for work_id in own if work_id in held),
                searches=tuple(library.search(query, limit=SHOWN, hops=HOPS) for query in DEMO_SEARCHES),
                answers=_answers(library),
                next_steps=_next_steps(str(local.home)),
                seconds=time.monotonic() - began,
            )


def _answers(library: Library) -> tuple[Answer, ...]:
    return tuple(library.ask(question) for question in (DEMO_QUESTIONS[0], UNANSWERABLE))


def _next_steps(home: str) -> tuple[str, ...]:
    """Return what a person can type next, with the demo's library and with real papers."""
    today = datetime.now(UTC).date()
    more = f'CITEWELL_HOME="{home}" citewell ask "{DEMO_QUESTIONS[2]}"'
    harvest = f"citewell harvest --set cs:cs:IR --from {today.replace(day=1)}"
    return (
        f"ask the demo's library more: {more}",
        "add real papers by their ids: citewell add 1810.04805 2212.11790",
        f"harvest what arXiv announced: {harvest}, then citewell index build",
        'ask your own library: citewell ask "..."',
        "say who you are, so that arXiv can reach you: CITEWELL_CONTACT=you@example.org",
    )
