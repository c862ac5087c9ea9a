"""What a scheduler calls: one function per stage, over a library that the environment's settings name.

Each function opens what it needs, does its stage, and lets go. It takes and returns small JSON values,
keys and counts only, so that a scheduler can hand them on and show them. Whatever it does is in the lake
when it returns; called again it does what is left, so that a task may be retried at any time, and next to
any other.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Any

from search.errors import GateFailed, IndexFailure, ModelUnavailable, UsageError
from search.ingest.pipeline import Pipeline
from search.ingest.reports import StageReport
from search.lake.shares import Share, shares

logger = logging.getLogger(__name__)

#: Papers of a share. At arXiv's 15 s a PDF it is ten minutes of downloads, after which somebody with more
#: right to the one slot of the pool may have it; and a minute or two of reading or embedding.
PER_SHARE = 40
#: Shares of one daily run: 1,280 PDFs, or five hours of downloads. arXiv announces about a thousand
#: papers a day; what is left over is taken at the next run, newest first.
DAILY_SHARES = 32
#: Shares of one run: Airflow maps a task over 1,024 values at most.
MOST = 1000
#: Works that a service is asked about in one task: ten of Semantic Scholar's batches. The rest waits a day.
ASKED = 5_000
#: Paper ids in a result: enough to look at, small enough to hand on.
SHOWN = 20
#: Who is told of what saved searches find: what was told here is still new to a person who asks.
SCHEDULER = "scheduler"
#: How far back the daily check looks: the run of the day before is compared once more.
RECENT = timedelta(days=2)

Result = dict[str, Any]


# ---------------------------------------------------------------- harvest
def harvest(*, run: str | None = None) -> list[str]:
    """Harvest from the first day that is not closed to now; return the shares in which work is due.

    The window comes from the lake, not from the caller's clock or interval: after an outage of a week, or
    started by hand, it begins where the last whole harvest ended.

    Raises:
        TransportError: arXiv cannot be asked; `retry_after` says when it can.
    """
    from search.ingest.harvest import harvest as harvest_records

    with Pipeline() as pipeline:
        with pipeline.recorded("harvest", run=run or "") as record, pipeline.oai() as client:
            base_url = pipeline.settings.oai_base_url
            report = record.report(harvest_records(pipeline.lake, client, base_url=base_url))
        logger.info("from %s on: %d records, %d new", report.from_, report.records, report.new)
        return _due_shares(pipeline, DAILY_SHARES)


def windows(from_: str, until: str) -> list[str]:
    """Return the windows of a backfill, `"2024-01-01_2024-01-07"`, without the days harvested whole before.

    Args:
        from_: first day, as YYYY-MM-DD.
        until: last day, inclusive.

    Raises:
        UsageError: these are no days, or the last comes before the first.
    """
    from search.ingest.harvest import backfill_keys

    with Pipeline() as pipeline:
        base_url = pipeline.settings.oai_base_url
        return backfill_keys(pipeline.lake, base_url=base_url, from_=_day(from_), until=_day(until))


def harvest_window(window: str, *, run: str | None = None) -> Result:
    """Harvest one window that `windows` named.

    Raises:
        TransportError: arXiv cannot be asked; `retry_after` says when it can.
    """
    from search.ingest.harvest import harvest_window as harvest_days

    with (
        Pipeline() as pipeline,
        pipeline.recorded("harvest", run=run or "") as record,
        pipeline.oai() as client,
    ):
        base_url = pipeline.settings.oai_base_url
        report = record.report(harvest_days(pipeline.lake, client, base_url=base_url, key=window))
    return {"window": window, "records": report.records, "new": report.new}


def split(*, run: str | None = None) -> list[str]:  # noqa: ARG001 - every stage is told its run
    """Return the shares in which work is due, at least one and at most a thousand."""
    with Pipeline() as pipeline:
        return _due_shares(pipeline, MOST)


# ---------------------------------------------------------------- one share of the papers
def fetch(share: str, *, run: str | None = None) -> Result:
    """Download the PDFs of a share that are not there yet, at most `PER_SHARE`, the newest papers first.

    Raises:
        NetworkUnreachable: three papers in a row could not be asked for; what came before is kept.
    """
    from search.arxiv.licences import POLICIES
    from search.ingest.fetch import fetch as fetch_pdfs
    from search.ingest.wanted import due as due_papers
    from search.ingest.wanted import wanted_from

    mine = Share.parse(share)
    with (
        Pipeline() as pipeline,
        pipeline.recorded("fetch", share=share, run=run or "") as record,
        pipeline.pdfs() as transport,
    ):
        selection, bulk = wanted_from(pipeline.settings)
        policy = POLICIES[pipeline.settings.licence_policy]
        due = due_papers(pipeline.lake, selection, policy, share=mine, limit=PER_SHARE)
        report = record.report(
            fetch_pdfs(
                pipeline.lake,
                transport,
                base_url=pipeline.settings.pdf_base_url,
                due=due,
                bulk=bulk,
                policy=policy,
            )
        )
    return _result(report, [work_id for work_id, _ in due.papers])


def read(share: str, *, run: str | None = None) -> Result:
    """Read the fetched PDFs of a share."""
    from search.documents import reader_version
    from search.documents.reading_pool import ReadingPool
    from search.ingest.read import read as read_pdfs

    mine = Share.parse(share)
    with Pipeline() as pipeline, pipeline.recorded("read", share=share, run=run or "") as record:
        lake = pipeline.lake
        lake.catalogue.refresh()
        due = [work_id for work_id, *_ in lake.catalogue.to_read("", mine)]
        # A library of abstracts needs no PDF reader.
        due = [work_id for work_id, *_ in lake.catalogue.to_read(reader_version(), mine)] if due else []
        readers = partial(ReadingPool.from_settings, pipeline.settings)
        report = record.report(read_pdfs(lake, share=mine, readers=readers))
    return _result(report, due)


def link(share: str, *, run: str | None = None) -> Result:
    """Turn the references of a share's read papers into citation edges, and ask the services set for more.

    Raises:
        TransportError: a service cannot be asked; what it said before is kept.
    """
    from search.ingest.citations import ask, configured
    from search.ingest.link import link as link_papers

    mine = Share.parse(share)
    with Pipeline() as pipeline, pipeline.recorded("link", share=share, run=run or "") as record:
        pipeline.lake.catalogue.refresh()
        due = [work_id for work_id, *_ in pipeline.lake.catalogue.to_link(mine)]
        report = record.report(link_papers(pipeline.lake, share=mine))
        for name in configured(pipeline.settings):
            record.report(ask(pipeline.lake, pipeline.citation_source(name), share=mine, limit=ASKED))
    return _result(report, due)


def embed(share: str, *, run: str | None = None) -> Result:
    """Compute the vectors that a share's papers lack; without a model there is nothing to do."""
    from time import monotonic

    from search.ingest.embed import Embedded
    from search.ingest.embed import embed as embed_papers

    mine = Share.parse(share)
    with Pipeline() as pipeline, pipeline.recorded("embed", share=share, run=run or "") as record:
        began = monotonic()
        lake, embedder = pipeline.lake, pipeline.embedder
        if embedder is None:
            logger.warning("no source has %s: words only", pipeline.settings.embedding_model)
            return _result(StageReport(stage="embed"), [])
        lake.catalogue.refresh()
        due = lake.catalogue.to_embed(embedder.fingerprint, mine)
        total = Embedded()
        for total in embed_papers(lake, embedder, share=mine):
            logger.info("%d of %d papers", total.works, len(due))
        report = StageReport(stage="embed", done=total.works, seconds=monotonic() - began)
        record.report(report)
    return _result(report, due)


# ---------------------------------------------------------------- the index
def index(*, run: str | None = None) -> str:
    """Bring the live index, or where none is live a new one, to what the lake says; return its name.

    Raises:
        ModelMismatch: the live index holds another model's vectors; `begin_rebuild` begins a new one.
        WriterBusy: another process writes to it.
    """
    from search.ingest.index import generation_to_fill

    with Pipeline() as pipeline, pipeline.recorded("index", run=run or "") as record:
        generation = generation_to_fill(pipeline.store, pipeline.embedder).name
        papers = _apply(pipeline, generation)
        record.counted(papers, generation=generation)
    return generation


def check(generation: str, *, run: str | None = None) -> str:
    """Compare what the last days brought with the index; return the generation's name where it is right.

    Raises:
        IndexFailure: the index differs from the lake; which papers do, and how.
    """
    from search.ingest.recent import recent_differences

    with Pipeline() as pipeline, pipeline.recorded("check", run=run or "") as record:
        since = datetime.now(UTC) - RECENT
        compared, found = recent_differences(
            pipeline.lake, pipeline.store, pipeline.embedder, generation, since=since
        )
        kinds = {kind: sum(d.kind == kind for d in found) for kind in sorted({d.kind for d in found})}
        record.counted(compared, failures=kinds, generation=generation)
        if found:
            named = ", ".join(f"{d.work_id} ({d.kind})" for d in found[:SHOWN])
            raise IndexFailure(
                f"{len(found)} of {compared} papers are not in {generation} as the lake has them: {named}",
                advice="run `citewell doctor --fix`",
            )
    logger.info("%d papers compared, all as the lake has them", compared)
    return generation


def publish(generation: str, *, run: str | None = None) -> str:
    """Make a generation the live one, where it is not, and apply what has come meanwhile; return its name."""
    from search.ingest.index import drop_old, find_generation, live_generation

    with Pipeline() as pipeline, pipeline.recorded("publish", run=run or "") as record:
        store = pipeline.store
        if find_generation(store, generation).state == "building":
            former = live_generation(store)
            store.publish(generation)
            drop_old(store, former=former.name if former else None)
        _apply(pipeline, generation)
        record.counted(store.counts(generation).works, generation=generation)
    return generation


def begin_rebuild(*, run: str | None = None) -> str:  # noqa: ARG001 - every stage is told its run
    """Return the name of a new generation beside the live one, or of one that an interrupted rebuild left.

    Raises:
        ModelUnavailable: there is no model, and the live generation holds vectors.
    """
    from search.ingest.index import live_generation
    from search.ingest.publish import new_generation

    with Pipeline() as pipeline:
        live = live_generation(pipeline.store)
        if live and live.fingerprint and pipeline.embedder is None:
            raise ModelUnavailable(
                "a rebuild would lose the vectors of the live index",
                advice="run `citewell doctor`: it says why there is no model",
            )
        return new_generation(pipeline.lake, pipeline.store, pipeline.embedder).name


def fill(generation: str, *, run: str | None = None) -> str:
    """Bring one generation to what the lake says; return its name."""
    with Pipeline() as pipeline, pipeline.recorded("index", run=run or "") as record:
        record.counted(_apply(pipeline, generation), generation=generation)
    return generation


def publish_rebuilt(generation: str, *, run: str | None = None) -> str:
    """Put a rebuilt generation in the live one's place, if it holds and finds what it should.

    Raises:
        GateFailed: it does not; the live one stays.
    """
    from search.ingest.gate import Gate
    from search.ingest.publish import publish as publish_generation

    with Pipeline() as pipeline, pipeline.recorded("publish", run=run or "") as record:
        report = publish_generation(
            pipeline.lake,
            pipeline.store,
            generation,
            pipeline.embedder,
            gate=Gate.from_settings(pipeline.settings),
        )
        for note in report.notes:
            logger.info("%s", note)
        record.counted(report.works, generation=generation)
        if not report.published:
            raise GateFailed(
                f"{generation} was not published: {'; '.join(report.refused)}",
                advice="the live index stays; its events and `citewell index check` say more",
            )
    return generation


def compact(*, run: str | None = None) -> Result:
    """Merge the lake's old files of records into fewer; beside any other stage, and nothing is said anew.

    Returns how many files were merged, how many they became, and their megabytes.
    """
    from search.ingest.index import note_merged

    with Pipeline() as pipeline, pipeline.recorded("compact", run=run or "") as record:
        done = pipeline.lake.compact()
        note_merged(pipeline.store, pipeline.lake)
        record.counted(0)
    return {"merged": done.merged, "into": done.into, "megabytes": round(done.bytes / 1e6, 1)}


def watch(*, run: str | None = None) -> Result:
    """Run all saved searches over what is new; what they found is a file in `news/` of the home.

    Returns how many searches there are, how many found something, and the ids of the papers found.

    Raises:
        IndexMissing: nothing was built yet.
    """
    from search.ingest.watch import WatchReport, run_watches

    with Pipeline() as pipeline:
        file = pipeline.settings.home / "news" / f"{datetime.now(UTC):%Y-%m-%dT%H%M%S.%f}.json"

        def deliver(reports: Sequence[WatchReport]) -> None:
            told = [report.model_dump(mode="json") for report in reports if report.papers]
            if not told:
                return
            file.parent.mkdir(parents=True, exist_ok=True)
            part = file.with_suffix(".part")
            part.write_text(
                json.dumps({"run": run or "", "searches": told}, indent=2) + "\n", encoding="utf-8"
            )
            part.replace(file)
            logger.info("what is new is in %s", file)

        found = run_watches(
            pipeline.lake,
            pipeline.store,
            pipeline.loaded_embedder,
            deliver,
            reader=SCHEDULER,
            dense=pipeline.settings.dense_weight,
        )
    papers = dict.fromkeys(paper.work_id for report in found for paper in report.papers)
    return {
        "searches": len(found),
        "found": sum(bool(report.papers) for report in found),
        "papers": list(papers)[:SHOWN],
    }


def report(*, run: str | None = None) -> Result:  # noqa: ARG001 - every stage is told its run
    """Return how much the lake and the live index hold, and how many papers wait for what."""
    with Pipeline() as pipeline:
        pipeline.lake.catalogue.refresh()
        counts = pipeline.store.counts()
        failures = pipeline.lake.catalogue.failures()
        stages = sorted({failure.stage for failure in failures})
        return {
            "generation": pipeline.store.live().name,
            "works": counts.works,
            "passages": counts.passages,
            "vectors": counts.vectors,
            "failed": {stage: sum(f.stage == stage for f in failures) for stage in stages},
        }


# ---------------------------------------------------------------- inside
def _due_shares(pipeline: Pipeline, most: int) -> list[str]:
    """Return the shares in which anything is due: one at least, so that no stage is passed over."""
    from search.arxiv.licences import POLICIES
    from search.ingest.wanted import count_due, wanted_from

    selection, _ = wanted_from(pipeline.settings)
    policy = POLICIES[pipeline.settings.licence_policy]
    works = most * PER_SHARE
    pipeline.lake.catalogue.refresh()
    model = pipeline.embedder.fingerprint if pipeline.embedder else None
    waiting = pipeline.lake.catalogue.due(model, most=works).values()
    return shares(max(1, count_due(pipeline.lake, selection, policy, most=works), *waiting), PER_SHARE, most)


def _apply(pipeline: Pipeline, generation: str) -> int:
    """Apply what a generation lacks; return how many papers were written."""
    from search.ingest.index import apply

    return apply(pipeline.store, generation, pipeline.lake, pipeline.embedder).written


def _result(report: StageReport, due: Sequence[str]) -> Result:
    """Return what a stage of a share did: counts, and the ids of the first papers that it was about."""
    for failed in report.failed:
        logger.warning("%s: %s: %s", failed.work_id, failed.error, failed.message)
    return {
        "done": report.done,
        "failed": len(report.failed),
        "waiting": report.waiting,
        "papers": list(due[:SHOWN]),
    }


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{text!r} is no day", advice="write YYYY-MM-DD") from None
