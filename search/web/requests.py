"""What clients send."""

from __future__ import annotations

from pydantic import Field

from search.models import Filters, Mode, Model

#: Longer than any question that people write; a whole paper is refused before it costs anything.
LONGEST_TEXT = 4_000
#: The legs find 100 works each; a page of a client is far smaller.
MOST_HITS = 100


class SearchRequest(Model):
    """Body of `POST /search`."""

    query: str = Field(max_length=LONGEST_TEXT)
    limit: int = Field(default=10, ge=1, le=MOST_HITS)
    mode: Mode = "hybrid"
    #: Steps along the citation graph.
    hops: int = Field(default=0, ge=0, le=2)
    #: Lowest `final_score` to return.
    threshold: float | None = Field(default=None, ge=0, le=1)
    filters: Filters = Filters()


class QuestionRequest(Model):
    """Body of `POST /qa`. Which language model answers, if any, is the operator's to set."""

    question: str = Field(max_length=LONGEST_TEXT)
    filters: Filters = Filters()
