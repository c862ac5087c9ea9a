"""How papers lie in tantivy: one document a passage; a work's first document also carries the work.

A work document of its own would count in BM25's number of documents and halve its average length, so
that scores would differ from Elasticsearch's, which keeps works in another index. Only a work without
passages (a tombstone) is a document without text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import cache

import orjson
import tantivy

from search.index.documents import PaperDocuments, PassageDocument, WorkDocument
from search.index.embedded.analysis import ANALYZER


class Kind(StrEnum):
    """What a tantivy document holds; it may be several."""

    #: The work document.
    WORK = "work"
    #: The work document of a removed paper.
    REMOVED = "removed"
    PASSAGE = "passage"
    #: A passage whose vector is known.
    VECTOR = "vector"


@cache
def schema() -> tantivy.Schema:
    """Return the schema: keywords for filters, one text field, two numbers for collapse and vectors."""
    builder = tantivy.SchemaBuilder()
    # A column too, so that the works that cite another come back by name without their stored text.
    builder.add_text_field("work_id", fast=True, tokenizer_name="raw", index_option="basic")
    for keyword in (
        "passage_id", "kind", "category_keys", "author_keys", "licence_class", "withdrawn", "references",
    ):  # fmt: skip
        builder.add_text_field(keyword, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("content", tokenizer_name=ANALYZER, index_option="freq")
    builder.add_integer_field("year", indexed=True, fast=True)
    # tantivy's Python side reads numbers out of columns, but no strings: collapsing needs a number.
    builder.add_unsigned_field("work_key", fast=True)
    builder.add_unsigned_field("row", fast=True)
    builder.add_bytes_field("passage", stored=True)
    builder.add_bytes_field("work", stored=True)
    return builder.build()


def work_key(work_id: str) -> int:
    """Return 64 bits that stand for the work: among ten million works, 3 in a million that any two meet."""
    return int.from_bytes(hashlib.blake2b(work_id.encode(), digest_size=8).digest(), "big")


def documents(paper: PaperDocuments, rows: Sequence[int | None]) -> Iterator[tantivy.Document]:
    """Yield a paper's tantivy documents; `rows` says where each passage's vector lies, None: nowhere."""
    if not paper.passages:
        yield _head(tantivy.Document(), paper.work)
    for position, (passage, row) in enumerate(zip(paper.passages, rows, strict=True)):
        document = _passage(passage, row)
        yield document if position else _head(document, paper.work, has_work_id=True)


def _head(document: tantivy.Document, work: WorkDocument, *, has_work_id: bool = False) -> tantivy.Document:
    if not has_work_id:
        document.add_text("work_id", work.work_id)
        document.add_unsigned("work_key", work_key(work.work_id))
    document.add_text("kind", Kind.REMOVED if work.removed else Kind.WORK)
    for cited in dict.fromkeys(work.references):
        document.add_text("references", cited)
    document.add_bytes("work", work.model_dump_json().encode())
    return document


def _passage(passage: PassageDocument, row: int | None) -> tantivy.Document:
    document = tantivy.Document()
    document.add_text("work_id", passage.work_id)
    document.add_unsigned("work_key", work_key(passage.work_id))
    document.add_text("passage_id", passage.passage_id)
    document.add_text("kind", Kind.PASSAGE)
    if row is not None:
        document.add_text("kind", Kind.VECTOR)
        document.add_unsigned("row", row)
    if passage.year is not None:
        document.add_integer("year", passage.year)
    for field in ("category_keys", "author_keys"):
        for key in getattr(passage, field):
            document.add_text(field, key)
    document.add_text("licence_class", passage.licence_class)
    document.add_text("withdrawn", passage.withdrawn)
    document.add_text("content", f"{passage.lead}\n{passage.text}" if passage.lead else passage.text)
    document.add_bytes("passage", passage.model_dump_json().encode())
    return document


def stored_passage(document: tantivy.Document) -> PassageDocument:
    """Return the passage that a tantivy document holds."""
    return PassageDocument.model_validate_json(document.get_first("passage"))


def stored_work(document: tantivy.Document) -> WorkDocument:
    """Return the work that a tantivy document holds."""
    return WorkDocument.model_validate_json(document.get_first("work"))


def stored_state(document: tantivy.Document) -> tuple[int, str]:
    """Return revision and content hash of the work that a tantivy document holds."""
    work = orjson.loads(document.get_first("work"))
    return work["revision"], work["content_hash"]
