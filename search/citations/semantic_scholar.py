"""Semantic Scholar's Academic Graph: up to 500 works a request.

Source: https://api.semanticscholar.org/api-docs/graph#tag/Paper-Data/operation/post_graph_get_papers
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from search.arxiv.transport import Response, Transport
from search.citations.source import Asked, Cited, cited_as, distinct, json_of
from search.errors import MalformedResponse, RequestRefused

#: Works per request; the service's limit.
BATCH = 500
#: Seconds between two requests: what a key is given at first. Without one, everybody shares one budget.
INTERVAL = 1.0
#: Its extraction is a machine's too; nobody has measured it here.
CONFIDENCE = 0.9
FIELDS = "externalIds,references.externalIds"


class SemanticScholar:
    """Asks the batch endpoint.

    Args:
        transport: how to ask; one request a second.
        base_url: of the graph, without a slash at its end.
        api_key: a key of one's own; None: the budget that everybody shares.
    """

    name = "semantic_scholar"
    batch = BATCH
    confidence = CONFIDENCE

    def __init__(self, transport: Transport, *, base_url: str, api_key: str | None = None) -> None:
        self._transport = transport
        self._url = f"{base_url.rstrip('/')}/paper/batch"
        self._headers = {"x-api-key": api_key} if api_key else None

    def cited(self, works: Sequence[Asked]) -> Cited:
        """Return what each of these works cites.

        An answer that would be too large for the service (10 MB) is asked for in halves.

        Raises:
            TransportError: see `search.arxiv.transport`; 403 means a key that it does not know.
            MalformedResponse: the answer is not one line per work.
        """
        if not works:
            return {}
        payload = json.dumps({"ids": [f"ARXIV:{work.work_id}" for work in works]}).encode()
        answer = self._transport.get(
            self._url, {"fields": FIELDS}, accept={200, 400}, headers=self._headers, payload=payload
        )
        if answer.status == 400:
            return self._refused(works, answer)
        papers = json_of(answer)
        if not isinstance(papers, list) or len(papers) != len(works):
            raise MalformedResponse(
                f"{answer.url} did not answer with one entry for each of {len(works)} ids"
            )
        return {work.work_id: _cited(paper) for work, paper in zip(works, papers, strict=True)}

    def _refused(self, works: Sequence[Asked], answer: Response) -> Cited:
        said = str(json_of(answer))
        if "No valid paper ids" in said:
            return dict.fromkeys((work.work_id for work in works), None)
        if len(works) == 1:
            raise RequestRefused(f"{answer.url} answered 400: {said[:200]}", url=answer.url)
        middle = len(works) // 2
        return {**self.cited(works[:middle]), **self.cited(works[middle:])}


def _cited(paper: dict[str, Any] | None) -> tuple[str, ...] | None:
    if paper is None:
        return None
    names = [reference.get("externalIds") or {} for reference in paper.get("references") or []]
    return distinct([cited_as(name.get("ArXiv"), name.get("DOI")) for name in names])
