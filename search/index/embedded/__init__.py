"""The embedded store: tantivy for words, numpy for vectors, files in a folder, no server."""

from search.index.embedded.store import EmbeddedStore

__all__ = ["EmbeddedStore"]
