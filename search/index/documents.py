"""What an index holds: one document per work, one per passage. Both stores hold exactly these."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import orjson

from search.embedding.protocol import Vector
from search.models import Box, LicenceClass, Model, PassageKind, Version, Withdrawn

_NO_LETTER = re.compile(r"[^0-9A-Za-z]+")


class PassageDocument(Model):
    """One searchable text with a small copy of its work's card, so that one query answers."""

    #: `<work id>v<version>:<ordinal>:<8 hex of the text's SHA-256>`: the same id is the same text for ever.
    passage_id: str
    work_id: str
    version: int
    #: Microseconds since 1970 of the newest lake fact that the paper's documents were computed from.
    revision: int
    ordinal: int
    text: str
    #: The title, on the work's first passage only: the title is searched there.
    lead: str = ""
    section: str = ""
    page: int | None = None
    boxes: tuple[Box, ...] = ()
    kind: PassageKind = "text"
    licence_class: LicenceClass = "unknown"
    #: Whether an answer may quote it (a summary that is not the authors' own never is).
    evidence: bool = True

    # the card
    title: str
    authors: tuple[str, ...] = ()
    #: What an author filter compares with: see `author_keys`.
    author_keys: tuple[str, ...] = ()
    published: date | None = None
    year: int | None = None
    categories: tuple[str, ...] = ()
    #: Categories and the archives they belong to ("cs.CL", "cs").
    category_keys: tuple[str, ...] = ()
    withdrawn: Withdrawn = "no"
    pinned: bool = False
    url: str | None = None


class ReferenceDetail(Model):
    """Where one citation edge comes from."""

    #: `arxiv:<id>` or `doi:<doi>`.
    cited: str
    source: str
    confidence: float = 1.0
    sentence: str = ""


class WorkDocument(Model):
    """One paper. A removed paper keeps one of these with `removed` set and no text."""

    work_id: str
    version: int
    revision: int
    #: SHA-256 over everything a reader could see of the paper; equal means nothing needs writing.
    content_hash: str
    removed: bool = False
    title: str = ""
    abstract: str = ""
    authors: tuple[str, ...] = ()
    author_keys: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    category_keys: tuple[str, ...] = ()
    published: date | None = None
    updated: date | None = None
    year: int | None = None
    versions: tuple[Version, ...] = ()
    licence: str | None = None
    licence_class: LicenceClass = "unknown"
    doi: str | None = None
    journal_ref: str | None = None
    comments: str | None = None
    withdrawn: Withdrawn = "no"
    pinned: bool = False
    url: str | None = None
    #: What it cites: work ids where the cited paper is on arXiv, `doi:<doi>` otherwise.
    references: tuple[str, ...] = ()
    reference_details: tuple[ReferenceDetail, ...] = ()
    passages: int = 0
    #: Whether the PDF was read, or only the metadata is known.
    full_text: bool = False


@dataclass(frozen=True, slots=True)
class PaperDocuments:
    """Everything an index holds of one paper, written as one."""

    work: WorkDocument
    passages: tuple[PassageDocument, ...] = ()
    #: One per passage, `float32[dimensions]`; None where the vector has not been computed yet.
    vectors: tuple[Vector | None, ...] = ()


def passage_id(work_id: str, version: int, ordinal: int, text: str) -> str:
    """Return the id that stands for this text for ever."""
    return f"{work_id}v{version}:{ordinal}:{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def fold(text: str) -> str:
    """Return `text` lower-cased, without accents, with single spaces: how names are compared."""
    if text.isascii():  # most are, and it takes a fifth of the time
        return " ".join(_NO_LETTER.sub(" ", text).lower().split())
    decomposed = unicodedata.normalize("NFKD", text)
    letters = "".join(c if c.isalnum() else " " for c in decomposed if not unicodedata.combining(c))
    return " ".join(letters.casefold().split())


def author_keys(authors: Sequence[str]) -> tuple[str, ...]:
    """Return what an author filter may say: full name, surname, initial and surname; all folded.

    >>> author_keys(["Cs. Balázs"])
    ('cs balazs', 'balazs', 'c balazs')
    """
    keys: dict[str, None] = {}
    for author in authors:
        words = fold(author).split()
        if words:
            keys[" ".join(words)] = None
            keys[words[-1]] = None
            keys[f"{words[0][0]} {words[-1]}"] = None
    return tuple(keys)


def category_keys(categories: Sequence[str]) -> tuple[str, ...]:
    """Return the categories and their archives: a filter may say "cs.CL" or "cs"."""
    keys: dict[str, None] = {}
    for category in categories:
        keys[category.lower()] = None
        keys[category.split(".")[0].lower()] = None
    return tuple(keys)


def content_hash(
    work: WorkDocument, passages: Sequence[PassageDocument], vector_keys: Sequence[str | None]
) -> str:
    """Return the SHA-256 over all that a reader could see of a paper, revisions left out.

    `vector_keys` says which vector each passage has (None: none yet), so that a vector that follows
    later counts as a change.
    """
    seen = [
        work.model_dump(mode="json", exclude={"revision", "content_hash"}),
        [p.model_dump(mode="json", exclude={"revision"}) for p in passages],
        list(vector_keys),
    ]
    return hashlib.sha256(orjson.dumps(seen, option=orjson.OPT_SORT_KEYS)).hexdigest()
