"""OpenAlex: what its works cite. Since February 2026 it wants a key.

Source: https://docs.openalex.org/api-entities/works
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from search.arxiv.transport import Transport
from search.citations.source import Asked, Cited, cited_as, distinct, json_of
from search.errors import MalformedResponse

#: Works per request: the longest list of alternatives in one filter is 100.
BATCH = 50
#: Names per request, when cited works are looked up.
NAMES = 100
#: Seconds between two requests: a tenth of what it allows.
INTERVAL = 1.0
#: It matches references by machine.
CONFIDENCE = 0.9
ARXIV_DOI = "10.48550/arxiv."


class OpenAlex:
    """Asks for works by their DOIs, arXiv's among them, then for the DOIs of what they cite.

    Args:
        transport: how to ask.
        base_url: without a slash at its end.
        api_key: a key of one's own.
    """

    name = "openalex"
    batch = BATCH
    confidence = CONFIDENCE

    def __init__(self, transport: Transport, *, base_url: str, api_key: str | None = None) -> None:
        self._transport = transport
        self._url = f"{base_url.rstrip('/')}/works"
        # A header, not a parameter: addresses stand in logs and errors.
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else None

    def cited(self, works: Sequence[Asked]) -> Cited:
        """Return what each of these works cites.

        Raises:
            TransportError: see `search.arxiv.transport`.
            MalformedResponse: the answer is no list of works.
        """
        owners = {f"{ARXIV_DOI}{work.work_id.lower()}": work.work_id for work in works}
        owners |= {work.doi.lower(): work.work_id for work in works if work.doi}
        cited: dict[str, list[str]] = {}
        dois = list(owners)
        for start in range(0, len(dois), NAMES):
            for work in self._works("doi", dois[start : start + NAMES], "doi,referenced_works"):
                owner = owners.get(_bare(work.get("doi")))
                if owner:
                    cited.setdefault(owner, []).extend(work.get("referenced_works") or [])
        names = self._names(sorted({name for listed in cited.values() for name in listed}))
        return {
            work.work_id: distinct([names.get(name) for name in cited[work.work_id]])
            if work.work_id in cited
            else None
            for work in works
        }

    def _names(self, ids: Sequence[str]) -> dict[str, str | None]:
        found: dict[str, str | None] = {}
        for start in range(0, len(ids), NAMES):
            part = [name.rsplit("/", 1)[-1] for name in ids[start : start + NAMES]]
            for work in self._works("ids.openalex", part, "id,doi"):
                found[str(work.get("id"))] = cited_as(None, _bare(work.get("doi")))
        return found

    def _works(self, field: str, values: Sequence[str], select: str) -> list[dict[str, Any]]:
        if not values:
            return []
        # A comma or a bar would end the value.
        wanted = "|".join(value for value in values if "," not in value and "|" not in value)
        params = {"filter": f"{field}:{wanted}", "select": select, "per-page": str(NAMES)}
        answer = self._transport.get(self._url, params, headers=self._headers)
        listed = json_of(answer)
        results = listed.get("results") if isinstance(listed, dict) else None
        if not isinstance(results, list):
            raise MalformedResponse(f"{answer.url.split('?')[0]} did not answer with a list of works")
        return results


def _bare(doi: str | None) -> str:
    return (doi or "").lower().removeprefix("https://doi.org/")
