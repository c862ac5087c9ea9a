"""Crossref: the references that publishers deposit with a DOI.

Source: https://api.crossref.org/swagger-ui/index.html (`/works/{doi}`).
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from search.arxiv.transport import Transport
from search.citations.source import Asked, Cited, cited_as, distinct, json_of
from search.errors import MalformedResponse

#: Works whose answers are kept together; each is a request of its own.
BATCH = 20
#: Seconds between two requests: a tenth of what the polite pool allows.
INTERVAL = 1.0
#: Publishers deposit most DOIs themselves, and Crossref matches others.
CONFIDENCE = 0.95


class Crossref:
    """Asks for each work that has a DOI of its own; others it cannot know.

    Args:
        transport: how to ask; its contact puts one into the polite pool.
        base_url: without a slash at its end.
    """

    name = "crossref"
    batch = BATCH
    confidence = CONFIDENCE

    def __init__(self, transport: Transport, *, base_url: str) -> None:
        self._transport = transport
        self._url = f"{base_url.rstrip('/')}/works"

    def cited(self, works: Sequence[Asked]) -> Cited:
        """Return what each of these works cites.

        Raises:
            TransportError: see `search.arxiv.transport`.
            MalformedResponse: the answer is no work of Crossref's.
        """
        return {work.work_id: self._of(work.doi) if work.doi else None for work in works}

    def _of(self, doi: str) -> tuple[str, ...] | None:
        answer = self._transport.get(f"{self._url}/{quote(doi, safe='/')}", accept={200, 404})
        if answer.status == 404:
            return None
        message = json_of(answer)
        try:
            references = message["message"].get("reference", [])
            return distinct([cited_as(None, reference.get("DOI")) for reference in references])
        except (AttributeError, KeyError, TypeError) as error:
            raise MalformedResponse(f"{answer.url} did not answer with a work") from error
