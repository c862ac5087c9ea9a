"""Photograph the pages of an Airflow for docs/images, with Debian's chromium.

    python evals/airflow_pictures.py HOME [--out docs/images]

HOME is an Airflow home in which the DAGs have run, such as `tests/airflow/test_three_days.py` leaves one
with `--basetemp`: grid and graph. Where a daily run has failed, as in `test_embedded.py`, that run is
photographed instead. An Airflow is started on it and ended; nothing in it is run.
"""

from __future__ import annotations

import argparse
import base64
import json
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from websockets.sync.client import ClientConnection, connect

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "airflow"))

from standalone import Airflow, airflow_standalone  # noqa: E402

WIDTH, HEIGHT = 1500, 820
#: Seconds until a page must show what it is photographed for.
PATIENCE = 180.0


class Page:
    """A tab of a headless chromium, over its own protocol."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._last = 0

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command and return its result; what happens meanwhile is passed over."""
        self._last += 1
        self._socket.send(json.dumps({"id": self._last, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv())
            if message.get("id") == self._last:
                result: dict[str, Any] = message.get("result", {})
                return result

    def run(self, script: str) -> Any:
        """Run JavaScript and return its value."""
        found = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        return found.get("result", {}).get("value")

    def until(self, script: str) -> None:
        """Wait for a script to be true."""
        deadline = time.monotonic() + PATIENCE
        while not self.run(script):
            if time.monotonic() > deadline:
                raise TimeoutError(f"{script}; the page says: {self.run('document.body.innerText')!r:.800}")
            time.sleep(0.5)

    def show(self, url: str, text: str) -> None:
        """Go to a page and wait until it says something."""
        self.call("Page.navigate", url=url)
        self.until(f"document.body && document.body.innerText.includes({json.dumps(text)})")

    def size(self, width: int, height: int) -> None:
        """Set how large the page is, in pixels."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip

    def press(self, key: str) -> None:
        """Press a letter."""
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent", type=kind, key=key, text=key if kind == "keyDown" else "",
                code=f"Key{key.upper()}", windowsVirtualKeyCode=ord(key.upper()),
            )  # fmt: skip

    def widen(self, to: int) -> None:
        """Draw the line between the two halves of a DAG's page to the right."""
        separator = "document.querySelector('[role=separator]').getBoundingClientRect()"
        self.until("!!document.querySelector('[role=separator]')")
        x, y = self.run(f"[{separator}.x + {separator}.width / 2, 600]")
        for kind, at in (("mouseMoved", x), ("mousePressed", x), ("mouseMoved", to), ("mouseReleased", to)):
            self.call(
                "Input.dispatchMouseEvent", type=kind, x=at, y=y, button="left", clickCount=1,
                buttons=0 if kind == "mouseReleased" else 1,
            )  # fmt: skip

    def photograph(self, file: Path) -> None:
        """Write what is seen."""
        time.sleep(4)  # until what slides in has stopped
        picture = self.call("Page.captureScreenshot", format="png")["data"]
        file.write_bytes(base64.b64decode(picture))
        print(file, file.stat().st_size)


@contextmanager
def browser() -> Iterator[Page]:
    """Yield a tab of a chromium that ends with the block."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("there is no chromium: apt-get install chromium")
    with tempfile.TemporaryDirectory(prefix="citewell-chromium-") as profile:
        process = subprocess.Popen(
            [
                chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0",
                f"--user-data-dir={profile}", f"--window-size={WIDTH},{HEIGHT}", "about:blank",
            ],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            ports = Path(profile) / "DevToolsActivePort"
            deadline = time.monotonic() + PATIENCE
            while not (ports.is_file() and ports.read_text().strip()) and time.monotonic() < deadline:
                time.sleep(0.2)
            port = ports.read_text().split()[0]
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/json") as answer:
                (tab,) = [t for t in json.loads(answer.read()) if t["type"] == "page"]
            with connect(tab["webSocketDebuggerUrl"], max_size=None) as socket:
                page = Page(socket)
                page.size(WIDTH, HEIGHT)
                yield page
        finally:
            process.terminate()
            process.wait()


def photograph(airflow: Airflow, page: Page, out: Path) -> None:
    """Take the pictures that docs/airflow.md shows."""
    out.mkdir(parents=True, exist_ok=True)
    dag = f"{airflow.url}/dags/citewell_daily"
    failed = [run["dag_run_id"] for run in airflow.runs("citewell_daily") if run["state"] == "failed"]
    if failed:
        page.show(f"{dag}/runs/{quote(failed[-1], safe='')}", "Upstream Failed")
        page.photograph(out / "airflow-failed.png")
        return
    page.show(dag, "publish")
    # The page remembers which groups are open; this is how it opens them for itself.
    page.run("localStorage.setItem('citewell_daily/open-groups', '[\"papers\"]')")
    page.show(dag, "embed")
    page.widen(WIDTH // 2)
    page.photograph(out / "airflow-grid.png")
    run = airflow.runs("citewell_daily")[-1]["dag_run_id"]
    page.show(f"{dag}/runs/{quote(run, safe='')}", "publish")
    page.press("g")
    page.size(WIDTH, 440)
    page.run(
        "document.head.insertAdjacentHTML('beforeend', "
        "'<style>.react-flow__minimap { display: none !important }</style>')"
    )
    page.run("document.querySelector('button[aria-label=\"Collapse Details Panel\"]').click()")
    page.until("document.querySelectorAll('.react-flow__node').length >= 6")
    page.run("document.querySelector('.react-flow__controls-fitview').click()")
    page.photograph(out / "airflow-graph.png")


def main() -> None:
    """Start, photograph, end."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("home", type=Path)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "images")
    arguments = parser.parse_args()
    with (
        airflow_standalone(arguments.home.resolve(), {"CITEWELL_HOME": "/nonexistent"}) as airflow,
        browser() as page,
    ):
        for found in airflow.ask("dags")["dags"]:
            if found["dag_id"] != "citewell_daily":  # nothing is to begin while we look
                airflow.switch_on(found["dag_id"], on=False)
        photograph(airflow, page, arguments.out)


if __name__ == "__main__":
    main()
