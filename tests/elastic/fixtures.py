"""Fixtures for whatever needs a real Elasticsearch: one server a run, and a prefix that no other run uses.

The first test that asks for it starts the server (or finds it); a run without such tests starts none.
"""

from __future__ import annotations

import os
import secrets
import urllib.error
import urllib.request
from typing import TYPE_CHECKING

import pytest
from elastic.server import REMEDY, NoServerError, elasticsearch_server

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Why the Elasticsearch tests were skipped; the summary at the end of the run prints it.
_SKIPPED = pytest.StashKey[str]()


@pytest.fixture(scope="session")
def elasticsearch_url(pytestconfig: pytest.Config) -> Iterator[str]:
    """The URL of a running Elasticsearch 9. Skipped where none is possible; a failure in CI."""
    server = elasticsearch_server()
    try:
        url = server.__enter__()
    except NoServerError as impossible:
        if os.environ.get("CI", "").lower() in {"1", "true"}:
            pytest.fail(f"no Elasticsearch in CI: {impossible}; {REMEDY}", pytrace=False)
        pytestconfig.stash[_SKIPPED] = str(impossible)
        pytest.skip(f"no Elasticsearch can run here: {impossible}")
    try:
        yield url
    finally:
        server.__exit__(None, None, None)


@pytest.fixture
def index_prefix(elasticsearch_url: str) -> Iterator[str]:
    """An index prefix that nobody else uses; what bears it is deleted after the test."""
    prefix = f"test-{secrets.token_hex(6)}"
    yield prefix
    with urllib.request.urlopen(f"{elasticsearch_url}/_cat/indices/{prefix}-*?h=index") as answer:
        names = answer.read().decode().split()
    if names:
        request = urllib.request.Request(f"{elasticsearch_url}/{','.join(names)}", method="DELETE")
        urllib.request.urlopen(request).close()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say loudly that the Elasticsearch tests did not run, and what would make them."""
    if reason := config.stash.get(_SKIPPED, None):
        terminalreporter.section("Elasticsearch was NOT tested", yellow=True, bold=True)
        terminalreporter.line(f"Why: {reason}.")
        terminalreporter.line(f"Remedy: {REMEDY}.")
