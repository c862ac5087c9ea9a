"""Fixtures for what needs Airflow. Without it these tests are skipped, loudly; in CI that is a failure."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent.parent
REMEDY = "install the extra: uv pip install -c constraints.txt -e '.[airflow]'"
_SKIPPED = pytest.StashKey[bool]()


@pytest.fixture(scope="session")
def airflow_installed(pytestconfig: pytest.Config) -> None:
    """Airflow is there; else the test is skipped."""
    # This folder is on the path under the same name; it has no origin, as it holds no package.
    found = find_spec("airflow")
    if found is not None and found.origin is not None:
        return
    if os.environ.get("CI", "").lower() in {"1", "true"}:
        pytest.fail(f"no Airflow in CI; {REMEDY}", pytrace=False)
    pytestconfig.stash[_SKIPPED] = True
    pytest.skip("Airflow is not installed")


@pytest.fixture(scope="session")
def plugins(airflow_installed: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The plugins folder on the path, as Airflow puts it there, and an Airflow home for this process."""
    folder = ROOT / "plugins"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AIRFLOW_HOME", str(tmp_path_factory.mktemp("airflow")))
        patch.setenv("AIRFLOW__CORE__LOAD_EXAMPLES", "False")
        patch.setenv("AIRFLOW__CORE__PLUGINS_FOLDER", str(folder))
        patch.setenv("AIRFLOW__CORE__DAGS_FOLDER", str(ROOT / "dags"))
        patch.setattr(sys, "path", [str(folder), *sys.path])
        yield folder


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say loudly that the Airflow tests did not run, and what would make them."""
    if config.stash.get(_SKIPPED, False):
        terminalreporter.section("Airflow was NOT tested", yellow=True, bold=True)
        terminalreporter.line(f"Remedy: {REMEDY}.")
