"""The application: routes to `Library`, who may call them, and nothing else.

Endpoints are plain functions, so that the framework runs them in its threads: the core is synchronous.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import Depends, FastAPI, Query, Response

from search import __version__
from search.errors import CitewellError, IndexMissing
from search.library import WorkInfo
from search.models import Answer, Model, SearchResult
from search.web.failures import Failure, install
from search.web.guard import Guard
from search.web.limits import LargestBody
from search.web.metrics import CONTENT_TYPE, Measured, Metrics
from search.web.requests import MOST_HITS, QuestionRequest, SearchRequest

if TYPE_CHECKING:
    from search.library import Library

_failures: dict[int | str, dict[str, Any]] = {
    status: {"model": Failure} for status in (400, 401, 404, 422, 500, 502, 503)
}


class Health(Model):
    """Whether searches can be answered."""

    #: `no index`: the engine answers and nothing was published yet.
    status: Literal["ok", "no index"]
    generation: str = ""
    works: int = 0
    passages: int = 0
    version: str = __version__


def create_app(library: Library) -> FastAPI:
    """Return the application over a library, which stays the caller's to close."""
    metrics = Metrics()
    app = FastAPI(
        title="Citewell",
        version=__version__,
        description="Searches arXiv papers and answers questions; every sentence can be checked.",
        # The pages that these would serve load scripts from a third party.
        docs_url=None,
        redoc_url=None,
    )
    app.add_middleware(LargestBody)
    app.add_middleware(Measured, metrics=metrics)
    install(app)

    guarded: dict[str, Any] = {
        "dependencies": [Depends(Guard(library.settings.api_token).check)],
        "responses": _failures,
    }

    @app.post("/search", **guarded)
    def search(body: SearchRequest) -> SearchResult:
        """Papers that match a query, best first, each with why it is there."""
        return library.search(
            body.query,
            limit=body.limit,
            filters=body.filters,
            mode=body.mode,
            hops=body.hops,
            threshold=body.threshold,
        )

    @app.post("/qa", **guarded)
    def qa(body: QuestionRequest) -> Answer:
        """An answer made of claims, each with verbatim quotes that were verified."""
        return library.ask(body.question, filters=body.filters)

    @app.get("/work/{work_id:path}", **guarded)
    def work(work_id: str) -> WorkInfo:
        """Everything the library knows of one paper; the id in any form (2101.00001, math/0501170v2)."""
        return library.info(work_id)

    @app.get("/similar/{work_id:path}", **guarded)
    def similar(
        work_id: str,
        limit: Annotated[int, Query(ge=1, le=MOST_HITS)] = 10,
        hops: Annotated[int, Query(ge=0, le=2)] = 0,
    ) -> SearchResult:
        """Papers like one that the library holds."""
        return library.similar(work_id, limit=limit, hops=hops)

    @app.get("/healthz", responses={503: {"model": Failure}})
    def healthz() -> Health:
        """Whether the index can be asked; open to all, so that a load balancer needs no token."""
        try:
            live = library.store.live()
        except IndexMissing:
            return Health(status="no index")
        counts = library.store.counts(live.name)
        return Health(status="ok", generation=live.name, works=counts.works, passages=counts.passages)

    @app.get("/metrics", **guarded)
    def measured() -> Response:
        """Requests, their times and the size of the index, as Prometheus reads it."""
        return Response(metrics.text(_gauges(library)), media_type=CONTENT_TYPE)

    return app


def _gauges(library: Library) -> dict[str, tuple[str, float]]:
    gauges = {"citewell_index_up": ("Whether the index can be asked.", 0.0)}
    try:
        counts = library.store.counts()
    except CitewellError:  # told by the gauge
        return gauges
    return {
        "citewell_index_up": (gauges["citewell_index_up"][0], 1.0),
        "citewell_works": ("Papers in the index.", counts.works),
        "citewell_passages": ("Passages in the index.", counts.passages),
        "citewell_vectors": ("Passages with a vector.", counts.vectors),
    }
