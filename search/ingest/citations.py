"""What services know of the library's citations, as edges in the lake."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import timedelta
from typing import Any

from search.arxiv.transport import Transport
from search.citations.source import Asked, CitationSource, Cited
from search.errors import SettingsError
from search.ingest.reports import StageReport
from search.lake.batch import Outcome
from search.lake.lake import Lake
from search.lake.shares import Share
from search.progress import Progress, ProgressSink, silent
from search.settings import Settings

#: A service is asked for the same work again after this time: references of a paper hardly change, but
#: services learn of new papers late.
REFRESH = timedelta(days=90)
NAMES = ("semantic_scholar", "crossref", "openalex")


def ask(
    lake: Lake,
    source: CitationSource,
    *,
    share: Share | None = None,
    limit: int | None = None,
    progress: ProgressSink = silent,
) -> StageReport:
    """Write what a service says of every work that it was not asked for within `REFRESH`.

    Each request's answer is in the lake before the next one is made: an interruption loses nothing, and
    the next run goes on where this one ended.

    Args:
        lake: what to ask for, and where the edges go.
        source: the service.
        share: of the works; None: all.
        limit: ask for at most so many works.
        progress: told how far it is.

    Raises:
        TransportError: the service cannot be asked; what it said before is kept.
        MalformedResponse: likewise.
    """
    started = time.monotonic()
    lake.catalogue.refresh()
    lake.titles.refresh()
    before = int((time.time() - REFRESH.total_seconds()) * 1_000_000)
    due = lake.catalogue.to_ask(source.name, before, share)[:limit]
    for start in range(0, len(due), source.batch):
        progress(Progress("citations", start, len(due), source.name))
        part = due[start : start + source.batch]
        asked = [Asked(s.work_id, s.work.doi) for s in lake.catalogue.states(part) if s.work]
        told = source.cited(asked)
        lines = [line_of(work.work_id, source, told, lake) for work in asked]
        lake.write_edges(lines, [Outcome(work.work_id) for work in asked])
    lake.catalogue.refresh()
    progress(Progress("citations", len(due), len(due), source.name))
    return StageReport(stage=f"citations: {source.name}", done=len(due), seconds=time.monotonic() - started)


def line_of(work_id: str, source: CitationSource, told: Cited, lake: Lake) -> dict[str, Any]:
    """Return a work's line of an edges batch; of a work that the service does not know, without edges."""
    cited: dict[str, None] = {}
    for name in told.get(work_id) or ():
        held = lake.titles.by_doi(name.removeprefix("doi:")) if name.startswith("doi:") else None
        cited[f"arxiv:{held}" if held else name] = None
    cited.pop(f"arxiv:{work_id}", None)
    edges = [
        {"cited": name, "source": source.name, "confidence": source.confidence, "sentence": ""}
        for name in cited
    ]
    # Version 0: services know works, not versions.
    return {"work_id": work_id, "version": 0, "source": source.name, "paper": 0, "edges": edges}


def configured(settings: Settings) -> tuple[str, ...]:
    """Return the names of the services that the settings name.

    Raises:
        SettingsError: one of them is none of `NAMES`.
    """
    names = [name.strip().replace("-", "_") for name in settings.citation_sources.split(",")]
    return tuple(_known(name) for name in names if name)


def open_source(
    name: str,
    settings: Settings,
    transport: Callable[[str, float], AbstractContextManager[Transport]],
) -> CitationSource:
    """Return a service by its name.

    Args:
        name: one of `NAMES`.
        settings: addresses and keys.
        transport: makes one, given the kind of request and the seconds between two of them.

    Raises:
        SettingsError: the name is none of `NAMES`.
    """
    name = _known(name.replace("-", "_"))
    interval = settings.citation_interval
    with transport("api", interval) as way:  # holds nothing open between requests
        if name == "crossref":
            from search.citations.crossref import Crossref

            return Crossref(way, base_url=settings.crossref_url)
        if name == "openalex":
            from search.citations.openalex import OpenAlex

            key = settings.openalex_api_key
            return OpenAlex(
                way, base_url=settings.openalex_url, api_key=key.get_secret_value() if key else None
            )
        from search.citations.semantic_scholar import SemanticScholar

        key = settings.semantic_scholar_api_key
        return SemanticScholar(
            way, base_url=settings.semantic_scholar_url, api_key=key.get_secret_value() if key else None
        )


def _known(name: str) -> str:
    if name not in NAMES:
        listed: Sequence[str] = [known.replace("_", "-") for known in NAMES]
        raise SettingsError(
            f"{name!r} is no service that knows citations", advice=f"name one of {', '.join(listed)}"
        )
    return name
