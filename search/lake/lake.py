"""`Lake`: what the stages write through and ask."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Collection, Iterable, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from search.arxiv.oai_pages import without_records
from search.embedding.protocol import Vector
from search.errors import LakeDamaged, WorkTakenDown
from search.lake.batch import Outcome, Writer, read_outcomes, write_batch
from search.lake.catalogue import Catalogue
from search.lake.compaction import OLD, Compaction, compact
from search.lake.facts import ArxivFact, UserFact
from search.lake.files import LakeFiles
from search.lake.place import borrowed, can_write
from search.lake.takedown import KIND, TOPIC, Takedowns
from search.lake.titles import TitleIndex, titles_path
from search.lake.vectors import ShardCache, write_shard
from search.models import ReadPaper

#: Kinds of files whose facts an index holds; the order has no meaning.
INDEXED = ("tombstones", "works", "papers", "edges", "vectors")


class Lake:
    """The append-only store of one library.

    Args:
        url: where the files are, a path or any fsspec URL.
        cache: a local folder for the catalogue.
    """

    def __init__(self, url: str, cache: Path) -> None:
        self.files = LakeFiles(url)
        self.writer = Writer()
        # One catalogue per lake: a home that is pointed at another lake must not mix the two.
        lake = hashlib.sha256(self.files.address.encode()).hexdigest()[:12]
        path = cache / f"catalogue-{lake}.sqlite"
        path = path if can_write(path) else borrowed(path, self)
        self.catalogue = Catalogue(path, self.files)
        #: Where a stage may keep what it can compute again, under names that begin with this one's stem.
        self.cache = path
        self.titles = TitleIndex(self.catalogue, self.files, titles_path(path))
        self.shards = ShardCache(self.files)
        self.takedowns = Takedowns(url, self.files)

    # ------------------------------------------------------------------ works
    def write_raw(self, window: str, response_date: datetime, page: int, raw: bytes) -> str:
        """Keep one OAI answer as it was received, but for taken-down works; return its name."""
        moment = response_date.strftime("%Y%m%dT%H%M%SZ")
        name = f"raw/oai/{window}/{moment}-{page:05d}.xml.gz"
        raw = without_records(raw, self.takedowns.ids())
        # Level 5 makes it 15 % smaller and takes three times as long, 28 us of a record's 150.
        self.files.write(name, gzip.compress(raw, compresslevel=1, mtime=0))
        return name

    def write_facts(self, facts: Sequence[ArxivFact | UserFact], failed: Sequence[Outcome] = ()) -> str:
        """Write one batch of the works log, and in it only what is new; return its name, "" for nothing.

        A record that says just what the log says already is left out: the day by which harvests overlap
        would else be folded, split and compared with the index every day. Left out too: taken-down works.
        """
        return self._write_news([fact.line() for fact in facts], failed)

    def write_fact_lines(self, lines: Sequence[dict[str, Any]]) -> str:
        """Write arXiv facts in the form of `ArxivFact.line` as `write_facts` does; return the batch's name.

        For facts by the ten thousand, which need no models on their way.
        """
        return self._write_news(lines, [])

    def _write_news(self, lines: Sequence[dict[str, Any]], failed: Sequence[Outcome]) -> str:
        taken = self.takedowns.ids()
        lines = [line for line in lines if line["work_id"] not in taken]
        kept = self.catalogue.news(lines)
        outcomes = [Outcome(line["work_id"], line.get("version")) for line in kept]
        if len(kept) < len(lines):
            # A record that could be read again ends its failure, be it the old record.
            mended = self.catalogue.failed("works", {line["work_id"] for line in lines})
            outcomes += [Outcome(work_id) for work_id in mended - {line["work_id"] for line in kept}]
        outcomes += [outcome for outcome in failed if outcome.work_id not in taken]
        return self._write("works", kept, outcomes) if kept or outcomes else ""

    def write_order(self, work_id: str, value: int) -> str:
        """Write an order about taking a work down (`search.lake.takedown`); return its name."""
        fact = UserFact(work_id=work_id, topic=TOPIC, value=value)
        name = self._write(KIND, [fact.line()], [Outcome(work_id)])
        self.takedowns.look_again()
        return name

    def write_window(
        self,
        *,
        base_url: str,
        set_: str | None,
        from_: date | None,
        until: date | None,
        response_date: datetime,
        purpose: str = "",
    ) -> str:
        """Record that a window was harvested whole, and for what purpose; return the batch's name."""
        record = {
            "base_url": base_url,
            "set": set_ or "",
            "from": from_.isoformat() if from_ else "",
            "until": until.isoformat() if until else "",
            "response_date": response_date.isoformat(),
            "purpose": purpose,
        }
        return self._write("windows", [record], [])

    # ------------------------------------------------------------------ PDFs and what was read
    def pdf_name(self, work_id: str, version: int) -> str:
        """Return where a version's PDF is kept."""
        shard = hashlib.sha256(work_id.encode()).hexdigest()[:2]
        return f"pdf/{shard}/{work_id.replace('/', '_')}v{version}.pdf"

    def write_pdf(self, work_id: str, version: int, content: bytes) -> dict[str, Any]:
        """Keep a PDF; return the line that a `fetched` batch records of it.

        Raises:
            WorkTakenDown: while it was fetched.
        """
        self._allowed([work_id])
        name = self.pdf_name(work_id, version)
        self.files.write(name, content)
        sha256 = hashlib.sha256(content).hexdigest()
        return {"work_id": work_id, "version": version, "name": name, "sha256": sha256, "bytes": len(content)}

    def write_fetched(self, lines: Iterable[dict[str, Any]], outcomes: Sequence[Outcome]) -> str:
        """Write one batch of what was fetched; return its name."""
        return self._write("fetched", lines, outcomes)

    def write_papers(self, papers: Iterable[tuple[str, int, ReadPaper]], outcomes: Sequence[Outcome]) -> str:
        """Write one batch of read papers, taken-down works left out; return its name."""
        taken = self.takedowns.ids()
        lines = (
            {"work_id": work_id, "version": version, "paper": paper.model_dump(mode="json")}
            for work_id, version, paper in papers
            if work_id not in taken
        )
        return self._write("papers", lines, outcomes)

    def write_edges(self, lines: Iterable[dict[str, Any]], outcomes: Sequence[Outcome]) -> str:
        """Write one batch of citation edges, taken-down works left out; return its name."""
        taken = self.takedowns.ids()
        lines = (line for line in lines if line["work_id"] not in taken)
        return self._write("edges", lines, outcomes)

    def _allowed(self, ids: Iterable[str]) -> None:
        taken = self.takedowns.ids().intersection(ids)
        if taken:
            raise WorkTakenDown(min(taken), self.takedowns.orders()[min(taken)].stamp)

    def _write(self, kind: str, lines: Iterable[dict[str, Any]], outcomes: Sequence[Outcome]) -> str:
        self.writer.seen(self.catalogue.newest)
        return write_batch(self.files, self.writer, kind, lines, outcomes)

    # ------------------------------------------------------------------ vectors
    def write_vectors(
        self, fingerprint: str, keys: Sequence[bytes], vectors: Vector, outcomes: Sequence[Outcome]
    ) -> str:
        """Write one shard of vectors and which works are complete with it; return the batch's name.

        Raises:
            WorkTakenDown: one of them, meanwhile; which of the vectors are its own cannot be told here.
        """
        self._allowed([outcome.work_id for outcome in outcomes])
        self.writer.seen(self.catalogue.newest)
        return write_shard(
            self.files, self.writer, fingerprint, keys=keys, vectors=vectors, outcomes=outcomes
        )

    def vectors(self, fingerprint: str, keys: Sequence[bytes]) -> list[Vector | None]:
        """Return the vector of each key, None where there is none."""
        places = self.catalogue.vectors(fingerprint, keys)
        return [self.shards.row(*places[key]) if key in places else None for key in keys]

    # ------------------------------------------------------------------ what an index needs
    def indexed_files(self) -> list[str]:
        """Return the names of all files whose facts an index holds, oldest first; all of them are folded."""
        self.catalogue.refresh()
        return self.catalogue.files(INDEXED)

    def unapplied(self, applied: Collection[str]) -> tuple[list[str], list[str]]:
        """Return the files that an index lacks, and those that it has under the names of others.

        The second were merged out of files that were applied: nothing of them is new.
        """
        names = [name for name in self.indexed_files() if name not in applied]
        merged = self.catalogue.merged()

        def held(name: str) -> bool:
            return name in applied or (name in merged and all(map(held, merged[name])))

        return [name for name in names if not held(name)], [name for name in names if held(name)]

    def compact(self, *, older_than: timedelta | None = None) -> Compaction:
        """Merge old batch files (`search.lake.compaction`); the same again is harmless."""

        def taken_down() -> frozenset[str]:
            self.takedowns.look_again()
            return self.takedowns.ids()

        done = compact(self.files, taken_down, older_than=OLD if older_than is None else older_than)
        self.catalogue.refresh()
        return done

    def missing_files(self) -> list[str]:
        """Return the names of PDFs, papers and vectors that the log speaks of and that are gone."""
        there = {name for kind in ("pdf", "papers", "shards") for name in self.files.names(kind)}
        return [name for name in self.catalogue.named_files() if name not in there]

    def touched(self, name: str) -> set[str]:
        """Return the ids of the works that a batch says something about."""
        while True:
            try:
                batch = read_outcomes(self.files, name)
                break
            except LakeDamaged:
                if self.files.exists(name):
                    raise
                name, _ = self.catalogue.moved(name)  # merged with others since: some works more
        return {o.work_id for o in batch.outcomes if o.state == "done"}
