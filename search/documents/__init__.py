"""From a PDF to sections, passages and references, each with its place on the page."""

from __future__ import annotations

from search.documents.reading import read_pdf, reader_version

__all__ = ["read_pdf", "reader_version"]
