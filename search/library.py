"""`Library`: the one object that every surface uses. It owns a home folder, its lake and its index."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from search.errors import (
    BadIdentifier,
    CitewellError,
    IndexMissing,
    ModelUnavailable,
    SettingsError,
    UsageError,
    WorkNotFound,
    WorkTakenDown,
)
from search.ingest.reports import (
    BuildReport,
    CheckReport,
    FailedPaper,
    HarvestReport,
    LinkReport,
    PublishReport,
    SnapshotReport,
    StageReport,
)
from search.models import Answer, Filters, Mode, Model, Reference, SearchResult, Section, Work
from search.progress import Progress, ProgressSink, silent
from search.settings import Settings, read_settings

if TYPE_CHECKING:
    from search.arxiv.identifiers import Identifier
    from search.arxiv.transport import Transport
    from search.embedding.protocol import Embedder
    from search.index.protocol import IndexStore
    from search.ingest.doctor import DoctorReport
    from search.ingest.events import Recorder
    from search.ingest.selection import SelectionReport
    from search.ingest.takedown import TakedownReport
    from search.ingest.versions import UpdateReport
    from search.ingest.watch import Watch, WatchReport
    from search.lake.compaction import Compaction
    from search.lake.lake import Lake
    from search.retrieval.retriever import Retriever


T = TypeVar("T")


class WorkSummary(Model):
    """One line of `list`."""

    work_id: str
    version: int
    title: str
    authors: tuple[str, ...] = ()
    year: int | None = None
    categories: tuple[str, ...] = ()
    withdrawn: str = "no"
    pinned: bool = False
    #: `full text`, `fetched` (PDF not read yet) or `abstract`.
    holds: str
    #: What did not work out and is tried again: the stage and the error's name.
    failed: tuple[str, ...] = ()


class WorkInfo(Model):
    """Everything the library knows of one work."""

    work: Work
    removed: bool = False
    holds: str
    sections: tuple[Section, ...] = ()
    passages: int = 0
    references: tuple[Reference, ...] = ()
    #: Where another version was asked for than the library holds.
    note: str = ""
    #: Works of the library that it cites, and that cite it.
    cites: tuple[str, ...] = ()
    cited_by: tuple[str, ...] = ()
    failures: tuple[FailedPaper, ...] = ()


class AddReport(Model):
    """What `add` did."""

    #: Papers that the library now holds, if by their metadata only.
    added: tuple[str, ...]
    stages: tuple[StageReport, ...] = ()
    build: BuildReport | None = None


class Library:
    """A collection of papers that can be searched and asked. Use it as a context manager, or `close` it.

    Reading methods (`search`, `ask`, `similar`, `list`, `info`) may be called from many threads. Methods
    that change the library may be interrupted anywhere and run again.

    Args:
        settings: what to use; None reads the environment.
        **overrides: single settings by name, e.g. `home="papers"`.

    Raises:
        SettingsError: a setting that cannot be.
    """

    def __init__(self, settings: Settings | None = None, **overrides: Any) -> None:
        if settings is not None and overrides:
            values = {**settings.model_dump(), **overrides}
            settings = read_settings(**values)
        self.settings = settings or read_settings(**overrides)
        if self.settings.home.is_file():
            raise SettingsError(
                f"the home {self.settings.home} is a file",
                advice="name a folder with --home or CITEWELL_HOME; it is made if it is not there",
            )
        self._lock = threading.Lock()
        self._embedder: Embedder | None = None
        self._parts: dict[str, Any] = {}
        self._parts_lock = threading.RLock()

    # ------------------------------------------------------------------ parts, made when first needed
    @property
    def store(self) -> IndexStore:
        """The index."""
        from search.index import open_store

        return self._once("store", lambda: open_store(self.settings))

    @property
    def readable(self) -> IndexStore:
        """The index as readers see it: an order to take a work down counts before the index is cleared."""
        from search.index.obeying import ObeyingStore
        from search.lake.takedown import Takedowns

        def make() -> ObeyingStore:
            lake: Lake | None = self._parts.get("lake")
            return ObeyingStore(self.store, lake.takedowns if lake else Takedowns(self.settings.lake))

        return cast("IndexStore", self._once("readable", make))

    @property
    def lake(self) -> Lake:
        """The lake."""
        from search.lake.lake import Lake

        return self._once("lake", lambda: Lake(self.settings.lake, self.settings.home / "cache"))

    @property
    def retriever(self) -> Retriever:
        """The ranking over the index."""
        from search.arxiv.licences import POLICIES
        from search.retrieval.retriever import Retriever, Weights

        return self._once(
            "retriever",
            lambda: Retriever(
                self.readable,
                self.embedder,
                Weights.from_settings(self.settings),
                POLICIES[self.settings.licence_policy],
            ),
        )

    def _once(self, name: str, make: Callable[[], T]) -> T:
        """Return a part, made by the first thread that needs it: `cached_property` has no lock since 3.12."""
        with self._parts_lock:
            if name not in self._parts:
                self._parts[name] = make()
            part: T = self._parts[name]
            return part

    def embedder(self) -> Embedder:
        """Return the embedding model, loaded once.

        Raises:
            ModelUnavailable: no source has it.
        """
        with self._lock:
            if self._embedder is None:
                from search.embedding import open_embedder

                self._embedder = open_embedder(self.settings)
            return self._embedder

    # ------------------------------------------------------------------ finding
    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        filters: Filters | None = None,
        mode: Mode = "hybrid",
        hops: int = 0,
        threshold: float | None = None,
    ) -> SearchResult:
        """Return the works that match a query, best first, each with why it is there.

        Args:
            query: words, or a question.
            limit: how many works at most.
            filters: hard conditions; None: none.
            mode: both legs, or one of them.
            hops: citation steps to expand by, 0 to 2.
            threshold: lowest `final_score` to return, 0 to 1.

        Raises:
            EmptyQuery: no word in the query.
            IndexMissing: nothing was built yet.
            ModelMismatch: the index was built with another embedding model.
            EngineUnavailable: the search engine does not answer.
        """
        with self._index_explained():
            return self.retriever.search(
                query, filters=filters or Filters(), limit=limit, mode=mode, hops=hops, threshold=threshold
            )

    def similar(
        self, work_id: str, *, limit: int = 10, filters: Filters | None = None, hops: int = 0
    ) -> SearchResult:
        """Return the works most like one of the library's, itself left out.

        Raises:
            WorkNotFound: the library does not hold it.
        """
        work_id = _work_id(work_id)
        with self._index_explained():
            try:
                return self.retriever.similar(work_id, filters=filters or Filters(), limit=limit, hops=hops)
            except WorkNotFound as missing:
                self._state(work_id)  # raises where the library does not hold it either
                raise WorkNotFound(
                    f"the index does not hold {work_id} yet", advice="run `citewell index build`"
                ) from missing

    def ask(self, question: str, *, filters: Filters | None = None, llm: str | None = None) -> Answer:
        """Answer a question from the library's papers; every claim is quoted verbatim and verified.

        Args:
            question: in plain words.
            filters: hard conditions on the papers that may be used.
            llm: language model in litellm's notation; None: `CITEWELL_LLM_MODEL`, else extractive.

        Raises:
            LLMError: the language model could not be asked.
        """
        from search.answering import answer

        with self._index_explained():
            return answer(
                question,
                retriever=self.retriever,
                store=self.readable,
                settings=self.settings,
                filters=filters or Filters(),
                llm_model=llm,
            )

    # ------------------------------------------------------------------ filling
    def harvest(
        self,
        *,
        from_: date | None = None,
        until: date | None = None,
        set_: str | None = None,
        base_url: str | None = None,
        full_text: bool = False,
        progress: ProgressSink = silent,
    ) -> HarvestReport:
        """Bring the metadata of a window of days into the lake, and with `full_text` the PDFs too.

        Args:
            from_: first day; None: the last closed day minus one, or a week ago.
            until: last day, inclusive; None: to the newest record.
            set_: an OAI-PMH set such as "cs:cs:CL".
            base_url: another endpoint than the set one.
            full_text: also fetch the PDF of every work that has none yet, however it came in.
            progress: told how far it is.

        Raises:
            UsageError: `from_` is in the future.
        """
        from search.ingest.harvest import harvest

        today = datetime.now(UTC).date()
        if from_ is not None and from_ > today:
            raise UsageError(
                f"{from_} has not begun: it is {today} in UTC, which the server counts in",
                advice="give a first day that is not in the future",
            )
        url = base_url or self.settings.oai_base_url
        with self._recorded("harvest") as event, self._oai(url, progress) as client:
            report = event.report(
                harvest(
                    self.lake, client, base_url=url, from_=from_, until=until, set_=set_, progress=progress
                )
            )
        if full_text:
            report = report.model_copy(update={"stages": (self.fetch(progress=progress),)})
        return report

    def import_snapshot(self, file: Path, *, progress: ProgressSink = silent) -> SnapshotReport:
        """Bring a metadata snapshot of arXiv into the lake; an interrupted import goes on where it was.

        Args:
            file: the JSON-lines file of Kaggle or the public bucket, plain, gzip or zip.
            progress: told how far it is.

        Raises:
            UsageError: there is no such file, or it is no snapshot.
            MalformedResponse: it breaks off.
        """
        from search.ingest.snapshot import import_snapshot

        return import_snapshot(self.lake, file, base_url=self.settings.oai_base_url, progress=progress)

    def fetch(
        self, ids: Sequence[str] | None = None, *, limit: int | None = None, progress: ProgressSink = silent
    ) -> StageReport:
        """Download missing PDFs: of the papers that `CITEWELL_SELECTION` wants, or those of `ids`.

        Raises:
            SettingsError: the selection's file cannot be read.
            NetworkUnreachable: three papers in a row could not be asked for; what came before is kept.
        """
        from search.arxiv.licences import POLICIES
        from search.ingest.fetch import fetch
        from search.ingest.wanted import wanted_from

        selection, bulk = wanted_from(self.settings)
        seconds = self.settings.pdf_interval
        with self._recorded("fetch") as event, self._transport("pdf", seconds, progress) as transport:
            return event.report(
                fetch(
                    self.lake,
                    transport,
                    base_url=self.settings.pdf_base_url,
                    ids=None if ids is None else [_work_id(text) for text in ids],
                    limit=limit,
                    selection=selection,
                    bulk=bulk,
                    policy=POLICIES[self.settings.licence_policy],
                    progress=progress,
                )
            )

    def explain_selection(
        self, ids: Sequence[str] | None = None, *, limit: int | None = None
    ) -> SelectionReport:
        """Return for each paper whether `CITEWELL_SELECTION` gives it full text, and why; fetch nothing."""
        from search.arxiv.licences import POLICIES
        from search.ingest.selection import read_selection
        from search.ingest.wanted import explain

        file = self.settings.selection
        return explain(
            self.lake,
            read_selection(file),
            ids=None if ids is None else [_work_id(text) for text in ids],
            file=str(file) if file else None,
            limit=limit,
            policy=POLICIES[self.settings.licence_policy],
        )

    def add(
        self,
        ids: Sequence[str],
        *,
        pdf: Path | None = None,
        lift: bool = False,
        progress: ProgressSink = silent,
    ) -> AddReport:
        """Add papers by identifier: metadata, PDF, and both into the index. Also brings back removed ones.

        Args:
            ids: arXiv identifiers in any form, or `.bib` files that name some. One with a version holds
                that version fast, one without follows the newest.
            pdf: a file to use instead of downloading; for a single identifier only.
            lift: let papers in again that were taken down.
            progress: told how far it is.

        Raises:
            WorkTakenDown: the only one, and it is not lifted; of several it is reported as failed.
        """
        from search.arxiv.licences import POLICIES
        from search.errors import NotAPDF
        from search.ingest.fetch import keep_pdf, permit
        from search.ingest.harvest import bring_back, harvest_ids
        from search.ingest.takedown import admit

        identifiers = {found.work_id: found for text in ids for found in _identifiers(text)}
        wanted = list(identifiers)
        if pdf is not None and len(wanted) != 1:
            raise UsageError("a PDF belongs to one paper", advice="give one identifier with --pdf")
        content = pdf.read_bytes() if pdf else None
        if content is not None and b"%PDF-" not in content[:1024]:
            raise NotAPDF(f"{pdf} does not begin as a PDF does", advice="give the paper's PDF file")
        self.lake.catalogue.refresh()
        stages = admit(self.lake, identifiers, lift=lift)
        wanted = list(identifiers)
        asked = bring_back(self.lake, list(identifiers.values()))
        if asked:
            url = self.settings.oai_base_url
            with self._recorded("harvest") as event, self._oai(url, progress) as client:
                stages.append(event.report(harvest_ids(self.lake, client, asked)))
            refused = {failed.work_id for failed in stages[-1].failed}
            wanted = [work_id for work_id in wanted if work_id not in refused]
        if content is not None:
            state = self.lake.catalogue.state(wanted[0])
            if state and state.work:
                permit(self.lake, POLICIES[self.settings.licence_policy], wanted[0])
                keep_pdf(self.lake, wanted[0], state.work.version, content)
        else:
            stages.append(self.fetch(wanted, progress=progress))
        return AddReport(added=tuple(wanted), stages=tuple(stages), build=self.build(progress=progress))

    def update(
        self, ids: Sequence[str] | None = None, *, unpin: bool = False, progress: ProgressSink = silent
    ) -> UpdateReport:
        """Ask arXiv for the current records of papers, move those that are not pinned, and say what changed.

        Args:
            ids: papers of the library; None: all of them, three seconds each.
            unpin: let pinned ones follow the newest version again.
            progress: told how far it is.

        Raises:
            WorkNotFound: one of `ids` is not in the library.
        """
        from search.ingest.versions import update

        wanted = None if ids is None else [_work_id(text) for text in ids]
        with self._recorded("update") as event, self._oai(self.settings.oai_base_url, progress) as client:
            report = update(self.lake, client, wanted, unpin=unpin, progress=progress)
            event.counted(report.asked, failures=Counter(failed.error for failed in report.failed))
        stages = (self.fetch(report.to_fetch, progress=progress),) if report.to_fetch else ()
        build = self.build(progress=progress) if report.changes else None
        return report.model_copy(update={"stages": stages, "build": build})

    def remove(self, work_id: str) -> None:
        """Take a paper out of the library: harvests do not bring it back, `add` does.

        Removing it once more is harmless: that is how an interrupted removal is finished.

        Raises:
            WorkNotFound: the library has never held it.
            WriterBusy: another process writes to the index. The lake has the removal, and so will the index
                with the next build.
        """
        from search.ingest.index import remove
        from search.lake.facts import UserFact

        work_id = _work_id(work_id)
        self.lake.catalogue.refresh()
        state = self.lake.catalogue.state(work_id)
        if state is None or not (state.work or state.removed):
            raise _not_found(work_id)
        fact = None
        if not state.removed:
            fact = self.lake.write_facts([UserFact(work_id=work_id, topic="removed", value=1)])
            self.lake.catalogue.refresh()
        remove(self.store, self.lake, work_id, fact)

    def take_down(self, work_id: str, *, progress: ProgressSink = silent) -> TakedownReport:
        """Take a paper down: nothing of it stays, in the lake, the index or the caches, and it stays out.

        Once more finishes what was interrupted; `add` with `lift` lets it in again.

        Raises:
            WorkNotFound: the library has never held it.
        """
        from search.ingest.takedown import take_down

        work_id = _work_id(work_id)
        self.lake.catalogue.refresh()
        state = self.lake.catalogue.state(work_id)
        if state is None or not (state.work or state.removed):
            raise _not_found(work_id)
        report = take_down(self.lake, self.store, self.settings.home, work_id, progress=progress)
        if not report.to_embed_again:
            return report
        try:
            return report.model_copy(update={"build": self.build(progress=progress)})
        except CitewellError as error:
            return report.model_copy(update={"build_failed": str(error)})

    # ------------------------------------------------------------------ the index
    def link(
        self, *, sources: Sequence[str] = (), limit: int | None = None, progress: ProgressSink = silent
    ) -> LinkReport:
        """Turn the references of read papers into citation edges, and ask services for more.

        What is done stays done if a service fails; the same call goes on from there.

        Args:
            sources: services to ask: "semantic-scholar", "crossref", "openalex".
            limit: ask each of them for at most so many works.
            progress: told how far it is.

        Raises:
            SettingsError: no such service.
            TransportError: a service cannot be asked.
        """
        from search.ingest.citations import ask, open_source
        from search.ingest.link import link

        asked = [
            open_source(name, self.settings, lambda kind, interval: self._transport(kind, interval, progress))
            for name in sources
        ]
        stages = [link(self.lake, progress=progress)]
        stages += [ask(self.lake, source, limit=limit, progress=progress) for source in asked]
        return LinkReport(stages=tuple(stages), edges=self.lake.catalogue.edge_counts())

    def build(self, *, progress: ProgressSink = silent) -> BuildReport:
        """Read what was fetched and bring the index to what the lake says; an interrupted run resumes.

        Raises:
            ModelMismatch: the index holds vectors of another model; `rebuild` makes a new one.
            WriterBusy: another process is building.
        """
        from search.documents.reading_pool import ReadingPool
        from search.ingest.build import build

        embedder, missing = self._embedder_or_why()
        with self._recorded("build") as event:
            return event.report(
                build(
                    self.lake,
                    self.store,
                    embedder,
                    without_model=f"words only: {missing}" if missing else "",
                    readers=partial(ReadingPool.from_settings, self.settings),
                    progress=progress,
                )
            )

    def rebuild(self, *, gate: bool = True, progress: ProgressSink = silent) -> BuildReport:
        """Build a new generation from the lake beside the live one; publish it if it is as good.

        Args:
            gate: whether it must find what the live one finds. A generation that was refused is kept;
                without the gate it is brought up to date and published.
            progress: told how far it is.
        """
        from search.documents.reading_pool import ReadingPool
        from search.ingest.build import rebuild
        from search.ingest.gate import Gate

        embedder, missing = self._embedder_or_why()
        with self._recorded("build") as event:
            return event.report(
                rebuild(
                    self.lake,
                    self.store,
                    embedder,
                    gate=Gate.from_settings(self.settings) if gate else None,
                    without_model=f"words only: {missing}" if missing else "",
                    readers=partial(ReadingPool.from_settings, self.settings),
                    progress=progress,
                )
            )

    def rollback(self, *, to: str | None = None, progress: ProgressSink = silent) -> PublishReport:
        """Go back to the index that was published before, brought up to date; the same again goes forward.

        Args:
            to: its name; None: the newest published one that is not live.
            progress: told how far it is.

        Raises:
            IndexMissing: there is none.
            ModelMismatch: it was built with another embedding model than the one set now.
        """
        from search.ingest.rollback import rollback

        embedder, _ = self._embedder_or_why()
        return rollback(self.lake, self.store, embedder, to=to, progress=progress)

    def check(self, *, progress: ProgressSink = silent) -> CheckReport:
        """Compare the index with the lake, work by work."""
        from search.ingest.check import check

        embedder, _ = self._embedder_or_why()
        return check(self.lake, self.store, embedder, progress=progress)

    def compact(self) -> Compaction:
        """Merge the lake's old batch files, so that there are fewer to list; the facts stay the same."""
        from search.ingest.index import note_merged

        done = self.lake.compact()
        note_merged(self.store, self.lake)
        return done

    def doctor(self, *, fix: bool = False, progress: ProgressSink = silent) -> DoctorReport:
        """Look for trouble; with `fix`, mend what can be mended and look again.

        What is gone and can be had from arXiv again is asked for there, at its pace.
        """
        from search.ingest import examining
        from search.ingest.doctor import examine
        from search.ingest.gate import Gate
        from search.ingest.mending import Network, mend

        def look() -> DoctorReport:
            return examine(self.settings, self.lake, lambda: self.store, self.embedder, progress=progress)

        report = look()
        # Downloads that fail again and again are no damage, and are tried once more all the same.
        if not fix or (report.sound and all(finding.name != "downloads" for finding in report.findings)):
            return report
        half = self.lake.catalogue.half_taken_down() if examining.is_readable(self.lake) else []
        takedowns = [self.take_down(work_id, progress=progress) for work_id in half]
        embedder, missing = self._embedder_or_why()
        network = Network(
            pdfs=lambda: self._transport("pdf", self.settings.pdf_interval, progress),
            oai=lambda: self._oai(self.settings.oai_base_url, progress),
            pdf_base_url=self.settings.pdf_base_url,
            oai_base_url=self.settings.oai_base_url,
        )
        mended = mend(
            self.lake,
            self.store,
            embedder,
            network,
            gate=Gate.from_settings(self.settings),
            without_model=f"words only: {missing}" if missing else "",
            progress=progress,
        )
        cleared = [f"cleared the lake of {t.work_id}, which was taken down" for t in takedowns if not t.left]
        left = [said for takedown in takedowns for said in takedown.left]
        done = {
            "mended": (*cleared, *mended.done),
            "left": (*left, *mended.left),
            "fixed": mended.build,
        }
        return look().model_copy(update=done)

    # ------------------------------------------------------------------ saved searches
    def watch_add(
        self,
        name: str,
        query: str,
        *,
        filters: Filters | None = None,
        mode: Mode = "hybrid",
        threshold: float = 0.6,
    ) -> Watch:
        """Save a search; `watch_run` tells what is new for it. One of the same name is replaced.

        Args:
            name: what to call it.
            query: words, or a question.
            filters: hard conditions; None: none.
            mode: both legs, or one of them.
            threshold: lowest score, 0 to 1; 1 is as good as the library's best paper for the query.
        """
        from search.ingest.watch import add_watch

        return add_watch(self.lake, name, query, filters=filters, mode=mode, threshold=threshold)

    def watch_remove(self, name: str) -> None:
        """Forget a saved search.

        Raises:
            UsageError: there is none of this name.
        """
        from search.ingest.watch import remove_watch

        remove_watch(self.lake, name)

    def watches(self) -> list[Watch]:
        """Return the saved searches, by name."""
        from search.ingest.watch import Watches

        return Watches(self.lake).all()

    def watch_run(
        self,
        names: Sequence[str] | None = None,
        *,
        reader: str = "me",
        deliver: Callable[[Sequence[WatchReport]], None] | None = None,
        progress: ProgressSink = silent,
    ) -> list[WatchReport]:
        """Return what is new for the saved searches since a reader was told the last time.

        Args:
            names: which ones; None: all.
            reader: who is told; what one reader was told is new to another.
            deliver: is given the reports before they count as told; where it raises, they do not.
            progress: told how far it is.
        """
        from search.ingest.watch import run_watches

        with self._index_explained():
            return run_watches(
                self.lake,
                self.store,
                self.embedder,
                deliver or (lambda _: None),
                names=names,
                reader=reader,
                dense=self.settings.dense_weight,
                progress=progress,
            )

    # ------------------------------------------------------------------ looking
    def list(self) -> list[WorkSummary]:
        """Return all works of the library, by id."""
        self.lake.catalogue.refresh()
        states = self.lake.catalogue.states(self.lake.catalogue.work_ids())
        failed: dict[str, list[str]] = {}
        for failure in self.lake.catalogue.failures():
            failed.setdefault(failure.work_id, []).append(f"{failure.stage}: {failure.error}")
        return [
            WorkSummary(
                work_id=state.work_id,
                version=state.work.version,
                title=state.work.title,
                authors=state.work.authors,
                year=state.work.year,
                categories=state.work.categories,
                withdrawn=state.work.withdrawn,
                pinned=state.work.pinned,
                holds=_holds(paper=state.paper, pdf=state.pdf),
                failed=tuple(failed.get(state.work_id, ())),
            )
            for state in states
            if state.work
        ]

    def info(self, work_id: str) -> WorkInfo:
        """Return everything known of one work.

        Raises:
            WorkNotFound: the library does not hold it.
        """
        asked, work_id = work_id, _work_id(work_id)
        state = self._state(work_id)
        paper = self.lake.catalogue.paper(state.paper) if state.paper else None
        cites: Sequence[str] = ()
        cited_by: Sequence[str] = ()
        try:
            document = self.readable.works([work_id]).get(work_id)
            if document:
                cites = list(self.readable.works(document.references))
            cited_by = self.readable.citing([work_id]).get(work_id, ())
        except IndexMissing:
            pass  # harvested and not built yet: the lake knows the rest
        failures = [f for f in self.lake.catalogue.failures() if f.work_id == work_id]
        return WorkInfo(
            work=state.work,
            note=_other_version(asked, state.work),
            holds=_holds(paper=state.paper, pdf=state.pdf),
            sections=paper.sections if paper else (),
            passages=len(paper.passages) if paper else 0,
            references=paper.references if paper else (),
            cites=tuple(cites),
            cited_by=tuple(cited_by),
            failures=tuple(
                FailedPaper(
                    work_id=f.work_id, version=f.version, stage=f.stage, error=f.error, message=f.message,
                    tries=f.tries, retryable=f.retryable,
                )
                for f in failures
            ),
        )  # fmt: skip

    # ------------------------------------------------------------------ inside
    def _state(self, work_id: str) -> Any:
        """Return a work's state, or say that it is not there."""
        self.lake.catalogue.refresh()
        state = self.lake.catalogue.state(work_id)
        if state is None or state.removed or state.work is None:
            order = self.lake.takedowns.orders().get(work_id)
            raise WorkTakenDown(work_id, order.stamp) if order and order.stands else _not_found(work_id)
        return state

    @contextmanager
    def _index_explained(self) -> Iterator[None]:
        """Where no index is there because no paper is, say that: building one would not help."""
        from search.lake.files import LakeFiles

        try:
            yield
        except IndexMissing as missing:
            if LakeFiles(self.settings.lake).names("works"):
                raise
            raise IndexMissing(
                f"the library in {self.settings.home} is empty",
                advice="add papers with `citewell add ID` or `citewell harvest`, or name another home",
            ) from missing

    def _recorded(self, stage: str) -> AbstractContextManager[Recorder]:
        """Record what a stage does as ingest events."""
        from search.ingest.events import recorded

        return recorded(self.lake, self.settings, stage)

    def _embedder_or_why(self) -> tuple[Embedder | None, str]:
        """Return the model, or None and the reason: words can be indexed without one."""
        try:
            return self.embedder(), ""
        except ModelUnavailable as error:
            return None, str(error)

    @contextmanager
    def _transport(self, kind: str, interval: float, progress: ProgressSink) -> Iterator[Transport]:
        from search.arxiv.transport import Transport

        def waiting(seconds: float, why: str) -> None:
            progress(Progress("wait", 0, None, f"{seconds:.0f} s: {why}"))

        with Transport.from_settings(self.settings, kind, interval, waiting) as transport:
            yield transport

    @contextmanager
    def _oai(self, base_url: str, progress: ProgressSink) -> Iterator[Any]:
        from search.arxiv.oai import OAIClient

        with self._transport("oai", self.settings.oai_interval, progress) as transport:
            yield OAIClient(base_url, transport)

    def close(self) -> None:
        """Let go of files, locks and connections."""
        with self._parts_lock:
            if "store" in self._parts:
                self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _identifiers(text: str) -> Sequence[Identifier]:
    """Return the identifier that a text is, or those that a BibTeX file names."""
    from search.arxiv.identifiers import from_bibtex, parse

    if not text.lower().endswith(".bib"):
        return [parse(text)]
    path = Path(text)
    if not path.is_file():
        raise UsageError(f"there is no file {text}", advice="give arXiv identifiers, or a .bib file")
    found = from_bibtex(path.read_text(encoding="utf-8", errors="replace"))
    if not found:
        raise UsageError(f"{text} names no arXiv identifier", advice="add papers by their ids instead")
    return found


def _work_id(text: str) -> str:
    """Return the work id that a person meant; what is no arXiv identifier stays as it is."""
    from search.arxiv.identifiers import parse

    if not isinstance(text, str):
        raise UsageError(f"an identifier is a string, not {type(text).__name__}", advice="give one at a time")
    try:
        return parse(text).work_id
    except BadIdentifier:
        return text.encode("utf-8", "replace").decode()  # a shell may hand over bytes that are no text


def _not_found(work_id: str) -> WorkNotFound:
    from search.arxiv.identifiers import parse

    try:
        parse(work_id)
        advice = f"run `citewell add {work_id}`"
    except BadIdentifier:
        advice = "papers are named as 2101.00001 or math/0501170; `citewell list` shows what is there"
    return WorkNotFound(f"{work_id} is not in this library", advice=advice)


def _other_version(asked: str, work: Work) -> str:
    """Say that another version was asked for than the library holds; empty: it was not."""
    from search.arxiv.identifiers import parse

    try:
        version = parse(asked).version
    except BadIdentifier:
        return ""
    if version is None or version == work.version:
        return ""
    return f"the library holds version {work.version}, not version {version}"


def _holds(*, paper: object, pdf: object) -> str:
    return "full text" if paper else "fetched" if pdf else "abstract"
