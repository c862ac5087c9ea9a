"""What a service that knows citations looks like from here."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from search.arxiv.identifiers import parse
from search.arxiv.transport import Response
from search.errors import BadIdentifier, MalformedResponse


@dataclass(frozen=True, slots=True)
class Asked:
    """A work of the library, by the names under which services know works."""

    work_id: str
    #: Of the published paper, where the metadata states one.
    doi: str | None = None


#: What a work cites, as `arxiv:<id>` or `doi:<doi>`; None: the service does not know the work.
Cited = Mapping[str, Sequence[str] | None]


class CitationSource(Protocol):
    """A service that tells what works cite."""

    #: As edges name it.
    name: str
    #: How many works are asked for in one go; what is learnt of them is kept before the next.
    batch: int
    #: How far its edges are believed, 0 to 1.
    confidence: float

    def cited(self, works: Sequence[Asked]) -> Cited:
        """Return what each of these works cites, at most `batch` of them.

        Raises:
            TransportError: the service cannot be asked; nothing is known of any of these works then.
            MalformedResponse: it answers something else than it should.
        """
        ...


def cited_as(arxiv_id: str | None, doi: str | None) -> str | None:
    """Return how an edge names a cited paper: by its arXiv id, also where only arXiv's DOI says it."""
    for name in filter(None, (arxiv_id, doi)):
        with suppress(BadIdentifier):
            return f"arxiv:{parse(name).work_id}"
    return f"doi:{doi.lower()}" if doi and doi.lower().startswith("10.") else None


def distinct(names: Sequence[str | None]) -> tuple[str, ...]:
    """Return the names that there are, each once, in order."""
    return tuple(dict.fromkeys(name for name in names if name))


def json_of(response: Response) -> Any:
    """Return an answer's JSON.

    Raises:
        MalformedResponse: it is none.
    """
    try:
        return json.loads(response.content)
    except ValueError as error:
        raise MalformedResponse(
            f"{response.url} sent {response.content_type or 'something'} that is no JSON",
            advice="ask again later; a proxy or the service may have sent an error page",
        ) from error
