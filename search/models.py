"""The nouns of Citewell, as pydantic models: works, read papers, search results, answers.

No I/O happens here. Everything is frozen: a stage makes new objects, it never changes what it was given.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

#: How an abstract begins that is not the authors' own. Such a text is found, but never evidence.
SUMMARY_PREFIX = "Summary (not the authors' abstract): "

Withdrawn = Literal["no", "suspected", "yes"]
#: What a licence lets a reader do: `open` (CC BY, CC BY-SA, CC0, public domain: may be passed on),
#: `restricted` (CC with NC or ND), `arxiv` (arXiv's non-exclusive licence: link back, short quotes),
#: `unknown` (nothing stated).
LicenceClass = Literal["open", "restricted", "arxiv", "unknown"]
SectionKind = Literal[
    "abstract",
    "introduction",
    "related work",
    "methods",
    "experiments",
    "results",
    "discussion",
    "conclusion",
    "acknowledgements",
    "references",
    "appendix",
    "other",
]
PassageKind = Literal[
    "abstract", "text", "caption", "table", "formula", "footnote", "theorem", "definition", "remark", "proof"
]
Mode = Literal["hybrid", "lexical", "semantic"]


class Model(BaseModel):
    """What all models share: frozen, and unknown fields are an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


# ------------------------------------------------------------------ works
class Version(Model):
    """One line of a paper's version history, as arXivRaw gives it."""

    number: int
    date: datetime | None = None
    size: str | None = None
    #: arXiv's source type letters; an `I` on the newest version means withdrawn.
    source_type: str | None = None


class Work(Model):
    """One paper: what the newest arXiv facts and the user's own decisions say of it."""

    work_id: str
    #: The version this library holds: the newest, or the pinned one.
    version: int = 1
    versions: tuple[Version, ...] = ()
    title: str
    abstract: str = ""
    #: Names as printed, given name first ("Ada Lovelace").
    authors: tuple[str, ...] = ()
    #: Primary category first.
    categories: tuple[str, ...] = ()
    #: Date of version 1.
    published: date | None = None
    #: Date of the version held.
    updated: date | None = None
    #: Licence URL as arXiv states it.
    licence: str | None = None
    licence_class: LicenceClass = "unknown"
    doi: str | None = None
    journal_ref: str | None = None
    comments: str | None = None
    withdrawn: Withdrawn = "no"
    pinned: bool = False
    #: Where a person can look at it; None for papers that exist nowhere else (the demo's own).
    url: str | None = None

    @property
    def year(self) -> int | None:
        """The year of the first version."""
        return self.published.year if self.published else None

    @property
    def abstract_is_summary(self) -> bool:
        """Whether the abstract is somebody else's summary: found, never evidence."""
        return self.abstract.startswith(SUMMARY_PREFIX)


# ------------------------------------------------------------------ read papers
class Box(Model):
    """A rectangle on a page, in PDF points (1/72 inch), origin at the top left."""

    #: Page number, from 1.
    page: int
    x0: float
    y0: float
    x1: float
    y1: float


class Section(Model):
    """A heading of the paper and where it stands."""

    title: str
    #: As printed: "2.1", "IV", "A"; None for unnumbered ones.
    number: str | None = None
    #: 1 for the paper's main sections.
    level: int = 1
    kind: SectionKind = "other"
    #: Page number, from 1.
    page: int
    #: Titles from the main section down to this one.
    path: tuple[str, ...] = ()


class Passage(Model):
    """A verbatim stretch of one section: what is searched, embedded and quoted."""

    #: Position in the paper, from 1 (0 is the abstract of the metadata).
    ordinal: int
    #: Section path joined by " > ".
    section: str = ""
    #: Page on which it begins, from 1; None for the metadata's abstract.
    page: int | None = None
    boxes: tuple[Box, ...] = ()
    text: str
    kind: PassageKind = "text"
    #: Entries of the paper's reference list that it cites, as their ordinals, ascending.
    cites: tuple[int, ...] = ()


class Reference(Model):
    """One entry of the reference list."""

    #: Position in the list, from 1.
    ordinal: int
    #: The entry as printed, on one line.
    raw: str
    #: The printed label: "12", "Knu84"; None where the style has none.
    label: str | None = None
    authors: tuple[str, ...] = ()
    year: int | None = None
    title: str | None = None
    #: Without version.
    arxiv_id: str | None = None
    doi: str | None = None
    url: str | None = None
    #: Further papers that a composite entry names, as `arxiv:<id>` or `doi:<doi>`.
    more: tuple[str, ...] = ()


class Quality(Model):
    """How far the reading can be trusted, by measure."""

    pages: int
    characters: int
    #: Share of characters that are letters, digits, punctuation or space, 0 to 1.
    readable: float
    headings: int
    #: "headings" found, or the "whole paper" as one section where none were.
    structure: Literal["headings", "whole paper"]
    #: Pages whose text was recognised from their picture: single letters in it may be wrong.
    recognised_pages: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()


class ReadPaper(Model):
    """What the reader made of one PDF."""

    title: str
    sections: tuple[Section, ...] = ()
    passages: tuple[Passage, ...] = ()
    references: tuple[Reference, ...] = ()
    quality: Quality
    #: Reader and version, e.g. "pymupdf-2.0/1".
    reader: str


# ------------------------------------------------------------------ searching
class Filters(Model):
    """Hard conditions on works. Fields combine by AND; see each field for its own values."""

    #: First and last year of first publication, inclusive.
    year_from: int | None = None
    year_to: int | None = None
    #: Any of these: a category ("cs.CL") or a whole archive ("cs").
    categories: tuple[str, ...] = ()
    #: All of these: a full name, a surname, or initial and surname; case and accents do not matter.
    authors: tuple[str, ...] = ()
    #: Any of these work ids; None: every work. An empty tuple keeps nothing.
    ids: tuple[str, ...] | None = None
    #: None of these work ids.
    exclude_ids: tuple[str, ...] = ()
    #: Any of these licence classes.
    licences: tuple[LicenceClass, ...] = ()
    withdrawn: Literal["include", "exclude", "only"] = "include"

    def keeps_everything(self) -> bool:
        """Whether no condition is set."""
        return self == Filters()


class MatchedPassage(Model):
    """Why a work was found: one passage, and the leg that found it."""

    passage_id: str
    leg: Literal["lexical", "semantic"]
    score: float
    section: str = ""
    page: int | None = None
    boxes: tuple[Box, ...] = ()
    text: str
    #: Why less than the passage is shown; empty: it is whole.
    cut: str = ""


class Hit(Model):
    """One work of a result, and why it is there. A score is None where that signal had no part."""

    rank: int
    work_id: str
    version: int
    title: str
    authors: tuple[str, ...] = ()
    year: int | None = None
    categories: tuple[str, ...] = ()
    withdrawn: Withdrawn = "no"
    pinned: bool = False
    url: str | None = None
    bm25_score: float | None = None
    vector_score: float | None = None
    #: Citation steps from the nearest seed: 0 for a seed, 1 or 2 for works that the graph brought.
    graph_distance: int | None = None
    graph_score: float | None = None
    recency_score: float | None = None
    rerank_score: float | None = None
    final_score: float
    passages: tuple[MatchedPassage, ...] = ()


class SearchMetrics(Model):
    """What the search did and cost."""

    hits: int
    average_score: float | None = None
    top_score: float | None = None
    #: Wall time by stage, in milliseconds: plan, embed, legs, fusion, graph, fetch, total.
    milliseconds: dict[str, float] = {}
    #: Works in the index, and the share of their passages that the semantic leg covers, 0 to 1.
    works: int = 0
    semantic_coverage: float = 0.0


class SearchResult(Model):
    """The ranked works for a query."""

    query: str
    mode: Mode
    filters: Filters = Filters()
    #: `hits`; `no match` (nothing in the index resembles the query); `filtered out` (works match, but
    #: none of them passes the filters); `empty index`.
    outcome: Literal["hits", "no match", "filtered out", "empty index"]
    #: One sentence for a person, where the outcome needs one.
    message: str = ""
    hits: tuple[Hit, ...] = ()
    metrics: SearchMetrics
    #: Name of the index generation that answered.
    generation: str = ""


# ------------------------------------------------------------------ answering
class Citation(Model):
    """A verbatim quote and the place it stands at."""

    work_id: str
    version: int
    passage_id: str
    section: str = ""
    page: int | None = None
    boxes: tuple[Box, ...] = ()
    quote: str
    url: str | None = None
    status: Literal["current", "pinned"] = "current"


class Claim(Model):
    """One sentence of the answer and what supports it."""

    text: str
    supporting_citations: tuple[Citation, ...]
    support: Literal["full", "partial"] = "full"


DropReason = Literal["fabricated", "misattributed", "unsupported", "stale", "withdrawn"]


class DroppedClaim(Model):
    """A claim that the verifier removed, and why."""

    text: str
    reason: DropReason
    #: What the verifier saw: the quote that is nowhere, the number that differs.
    evidence: str = ""


class AnswerReference(Model):
    """A paper that the answer draws on, in order of weight."""

    rank: int
    work_id: str
    version: int
    title: str
    authors: tuple[str, ...] = ()
    year: int | None = None
    url: str | None = None
    #: How many of the answer's citations are to it.
    citations: int = 0
    withdrawn: Withdrawn = "no"


class Contradiction(Model):
    """Two claims that cannot both hold as stated."""

    claims: tuple[str, str]
    about: str


class Discovery(Model):
    """Something that the evidence cites and the library does not hold."""

    cited: str
    cited_by: tuple[str, ...]


class Cost(Model):
    """What the answer cost; `usd` is None where the price is not known."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    embedding_calls: int = 0
    usd: float | None = None


Confidence = Literal["high", "medium", "low", "insufficient_evidence"]


class Answer(Model):
    """A question's answer: claims that stand, what was removed, and how sure we are."""

    question: str
    answer_summary: str
    claims: tuple[Claim, ...] = ()
    references: tuple[AnswerReference, ...] = ()
    confidence: Confidence
    confidence_factors: dict[str, float | int | str] = {}
    limitations: tuple[str, ...] = ()
    dropped_claims: tuple[DroppedClaim, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    gaps: tuple[str, ...] = ()
    discoveries: tuple[Discovery, ...] = ()
    refinements: tuple[str, ...] = ()
    plan: tuple[str, ...] = ()
    route: Literal["extractive", "llm"]
    generation: str = ""
    cost: Cost = Cost()
    trace_id: str
