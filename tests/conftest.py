"""Fixtures that every room's tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

#: A real Elasticsearch for any room's tests: `elasticsearch_url`, `index_prefix`.
pytest_plugins = ["elastic.fixtures"]
pytest.register_assert_rewrite("index.conformance")

ROOT = Path(__file__).resolve().parent.parent
#: In CI nothing that the suite can start or install may be skipped.
CI = os.environ.get("CI", "").lower() in {"1", "true"}

# No test has a time limit: a busy machine is no failure. In CI the examples are the same each time.
settings.register_profile(
    "house", deadline=None, derandomize=CI, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("house")


def data_folder() -> Path | None:
    """Return the folder of real data, or None: `CITEWELL_DATA`, else `../shared/data` beside the project."""
    folder = Path(os.environ.get("CITEWELL_DATA", ROOT.parent / "shared" / "data"))
    return folder if folder.is_dir() else None


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data that is not part of the project."""
    folder = data_folder()
    if folder is None:
        pytest.skip("the real data is not on this machine: set CITEWELL_DATA to its folder")
    return folder
