"""REST: the library over HTTP, with OpenAPI. Needs the `web` extra; `citewell serve` runs it."""

from __future__ import annotations

from search.errors import MissingExtra

try:
    import fastapi as _fastapi
    import uvicorn as _uvicorn  # noqa: F401
except ImportError as missing:
    raise MissingExtra("fastapi and uvicorn", "web", why="the REST API") from missing

del _fastapi
