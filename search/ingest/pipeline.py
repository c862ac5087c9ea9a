"""`Pipeline`: what the stages work on, opened when it is first needed and closed at the end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Self

from search.errors import ModelUnavailable
from search.settings import Settings, read_settings

if TYPE_CHECKING:
    from search.arxiv.oai import OAIClient
    from search.arxiv.transport import Transport
    from search.citations.source import CitationSource
    from search.embedding.protocol import Embedder
    from search.index.protocol import IndexStore
    from search.ingest.events import Recorder
    from search.lake.lake import Lake


class Pipeline:
    """The lake, the index, the model and the ways to arXiv of one library, for one process and thread.

    Args:
        settings: what to use; None reads the environment.
    """

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or read_settings()
        self._opened_store: IndexStore | None = None

    @cached_property
    def lake(self) -> Lake:
        """The lake."""
        from search.lake.lake import Lake

        return Lake(self.settings.lake, self.settings.home / "cache")

    @property
    def store(self) -> IndexStore:
        """The index."""
        if self._opened_store is None:
            from search.index import open_store

            self._opened_store = open_store(self.settings)
        return self._opened_store

    @cached_property
    def embedder(self) -> Embedder | None:
        """The embedding model; None where no source has it: words are indexed without one."""
        from search.embedding import open_embedder

        try:
            return open_embedder(self.settings)
        except ModelUnavailable:
            return None

    def loaded_embedder(self) -> Embedder:
        """Return the embedding model.

        Raises:
            ModelUnavailable: no source has it.
        """
        from search.embedding import open_embedder

        return self.embedder or open_embedder(self.settings)

    @contextmanager
    def oai(self) -> Iterator[OAIClient]:
        """Yield the OAI-PMH client."""
        from search.arxiv.oai import OAIClient

        with self._transport("oai", self.settings.oai_interval) as transport:
            yield OAIClient(self.settings.oai_base_url, transport)

    def pdfs(self) -> AbstractContextManager[Transport]:
        """Return the way to the PDFs."""
        return self._transport("pdf", self.settings.pdf_interval)

    def _transport(self, kind: str, interval: float) -> Transport:
        from search.arxiv.transport import Transport

        return Transport.from_settings(self.settings, kind, interval)

    def citation_source(self, name: str) -> CitationSource:
        """Return a service that knows citations, by its name in the settings."""
        from search.ingest.citations import open_source

        return open_source(name, self.settings, self._transport)

    def recorded(self, stage: str, *, share: str = "", run: str = "") -> AbstractContextManager[Recorder]:
        """Record what a stage does as ingest events."""
        from search.ingest.events import recorded

        return recorded(self.lake, self.settings, stage, share=share, run=run)

    def close(self) -> None:
        """Let go of the index's files, locks and connections."""
        if self._opened_store is not None:
            self._opened_store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
