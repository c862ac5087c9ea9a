"""Settings: environment variables that begin with `CITEWELL_`, read once when a `Settings` is made.

docs/settings.md holds the same table for people; a test compares the two.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from platformdirs import user_data_path
from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from search.errors import SettingsError


class Settings(BaseSettings):
    """Everything a person or an operator can set. Pass keyword arguments to override the environment."""

    model_config = SettingsConfigDict(
        env_prefix="CITEWELL_", env_ignore_empty=True, extra="forbid", frozen=True
    )

    home: Path = Field(default_factory=lambda: user_data_path("citewell"))
    """Folder of this library: lake, catalogue, embedded index, caches."""
    lake_url: str = ""
    """Where the lake is: a path or any fsspec URL; empty: `lake` inside `home`."""

    index_url: str = "embedded"
    """`embedded`, or an Elasticsearch URL."""
    index_prefix: str = "citewell"
    """First part of every index and alias name on Elasticsearch."""
    index_api_key: SecretStr | None = None
    """Elasticsearch API key."""
    index_ca_certs: Path | None = None
    """Certificate authorities for an Elasticsearch behind TLS."""
    index_shards: int = Field(default=1, ge=1)
    """Primary shards of each Elasticsearch index."""
    index_replicas: int = Field(default=0, ge=0)
    """Replicas of each Elasticsearch index once it is published."""
    kibana_url: str = ""
    """Where Kibana is: the scheduler's tasks link to their events there; empty: no link."""

    gate: Path | None = None
    """Folder of queries and judgments that a rebuilt index must answer as well as the live one."""
    gate_measure: Literal["nDCG@10", "R@20", "R@100", "RR@10"] = "nDCG@10"
    """What is measured on them."""
    gate_fall: float = Field(default=0.02, ge=0, le=1)
    """How far a measure may fall below the live index's, in points of 1."""

    reading_processes: int = Field(default=0, ge=0)
    """Processes that read PDFs; 0: one per core."""
    reading_seconds: float = Field(default=60.0, gt=0)
    """Seconds of processor time that reading one PDF may take."""
    reading_memory_mb: int = Field(default=2048, ge=512)
    """Memory (address space) in MiB that a process which reads PDFs may have."""

    embedding_model: str = "all-MiniLM-L6-v2"
    """A model's name on the hub, or a folder that holds it."""
    embedding_backend: Literal["onnx", "sentence-transformers"] = "onnx"
    """`onnx` (light) or `sentence-transformers` (the torch extra; for bulk work on a GPU)."""
    embedding_max_tokens: int = Field(default=512, ge=32)
    """Longest text given to the model, in tokens; longer passages are split before."""
    embedding_threads: int = Field(default=0, ge=0)
    """Threads of the embedding model; 0: one per core."""
    offline: bool = False
    """Never ask the model hub."""

    llm_model: str | None = None
    """Language model in litellm's notation; unset: extractive answers, no network."""
    llm_api_base: str | None = None
    """Base URL of an OpenAI-compatible server."""
    llm_api_key: SecretStr | None = None
    """Key for the language model."""
    llm_timeout: float = Field(default=120.0, gt=0)
    """Seconds to wait for the language model."""

    api_token: SecretStr | None = None
    """What REST clients must send as `Authorization: Bearer …`; unset: only this machine is served."""

    oai_base_url: str = "https://oaipmh.arxiv.org/oai"
    """OAI-PMH endpoint."""
    pdf_base_url: str = "https://export.arxiv.org/pdf"
    """PDFs are fetched from `<base>/<id>v<version>`."""
    contact: str | None = None
    """Mail address or URL that the User-Agent names, so that arXiv can reach you."""
    oai_interval: float = Field(default=3.0, ge=0)
    """Seconds between two OAI-PMH requests."""
    pdf_interval: float = Field(default=15.0, ge=0)
    """Seconds between two PDF downloads."""
    read_timeout: float = Field(default=60.0, gt=0)
    """Seconds without a byte after which an answer counts as stalled; it is then asked for again."""
    politeness_folder: Path | None = None
    """Folder in which processes keep their turns at arXiv; unset: this user's runtime folder."""
    pdf_bulk_url: str = ""
    """A copy of arXiv's public PDF bucket, as an fsspec URL; empty: PDFs come from arXiv."""
    selection: Path | None = None
    """TOML file that decides which papers get full text; unset: all of them."""

    citation_sources: str = ""
    """Services asked for citations in daily runs, divided by commas: semantic-scholar, crossref, openalex."""
    citation_interval: float = Field(default=1.0, ge=0)
    """Seconds between two requests to one of them."""
    semantic_scholar_url: str = "https://api.semanticscholar.org/graph/v1"
    """Semantic Scholar's Academic Graph."""
    semantic_scholar_api_key: SecretStr | None = None
    """Key for it; unset: the budget that everybody shares."""
    crossref_url: str = "https://api.crossref.org"
    """Crossref's REST interface."""
    openalex_url: str = "https://api.openalex.org"
    """OpenAlex's interface."""
    openalex_api_key: SecretStr | None = None
    """Key for it."""

    licence_policy: Literal["standard", "cautious", "open"] = "standard"
    """What is kept and shown of full texts, by licence class: see LICENSE_MATRIX.md."""

    dense_weight: float = Field(default=0.6, ge=0, le=1)
    """Weight of the semantic leg in the fusion; the lexical leg has the rest."""
    graph_weight: float = Field(default=0.3, ge=0)
    """Weight of the citation graph's score, where hops are asked for."""
    recency_weight: float = Field(default=0.0, ge=0)
    """Weight of recency; 0: age does not count."""
    recency_half_life: float = Field(default=5.0, gt=0)
    """Years after which the recency score has halved."""

    @field_validator("home", mode="before")
    @classmethod
    def _nowhere_is_unset(cls, home: Any) -> Any:
        """An empty path would be the current folder, which nobody means by it."""
        return user_data_path("citewell") if home == "" else home

    @property
    def lake(self) -> str:
        """Where the lake is, as an fsspec URL or path."""
        return self.lake_url or str(self.home / "lake")


def read_settings(**values: Any) -> Settings:
    """Return the settings of the environment with `values` over them.

    Raises:
        SettingsError: one of them cannot be; its name and what is wrong with it.
    """
    try:
        settings = Settings(**values)
    except ValidationError as wrong:
        first = wrong.errors()[0]
        name = "CITEWELL_" + "_".join(str(part) for part in first["loc"]).upper()
        fault = first["msg"].removeprefix("Value error, ")
        raise SettingsError(f"{name}: {fault}", advice="docs/settings.md lists what it may be") from wrong
    if settings.index_url != "embedded" and not settings.index_url.startswith(("http://", "https://")):
        raise SettingsError(
            "CITEWELL_INDEX_URL: neither `embedded` nor an address that begins with http:// or https://",
            advice="docs/settings.md lists what it may be",
        )
    return settings
