"""A real Elasticsearch 9 for tests and evaluations: found, or started and ended with its user.

In this order: the server that `CITEWELL_TEST_ES_URL` names; Docker, where an engine answers; the
distribution that Elastic publishes on Maven Central (a JDK from 21 on and Maven are needed), with the
token filters that it leaves out compiled from `shim/`.

    with elasticsearch_server() as url: ...          # in Python
    python tests/elastic/server.py                   # prints the URL, runs until stdin closes

The server runs under a supervisor (this file as a script) that ends it when its stdin closes: however
the tests end, kill -9 included, no server is left behind.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import zipfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

VERSION = "9.5.0"
ARTIFACT = f"org.elasticsearch.distribution.integ-test-zip:elasticsearch:{VERSION}:zip"
IMAGE = f"docker.elastic.co/elasticsearch/elasticsearch:{VERSION}"
HEAP = "1g"
#: Elasticsearch 9 runs on Java 21 and newer.
JAVA = 21
#: Seconds until a starting server must answer; 12 s were seen on two cores.
START_TIMEOUT = 180.0
#: The user that runs the server where the caller is root, whom Elasticsearch refuses.
NOBODY = 65534
#: Exit status of the supervisor when this machine has no way to run a server (EX_UNAVAILABLE).
NO_SERVER = 69
REMEDY = (
    "set CITEWELL_TEST_ES_URL to a throw-away Elasticsearch 9, or start Docker, or install Maven and a JDK "
    f"from {JAVA} on (JAVA_HOME or ES_JAVA_HOME names it)"
)
ROOT = Path(__file__).resolve().parent.parent.parent
SHIM = Path(__file__).resolve().parent / "shim"


class NoServerError(Exception):
    """This machine can't run an Elasticsearch. The message says what was tried."""


class ServerStartError(Exception):
    """A server was started and did not come up. The message holds the end of its log."""


@contextmanager
def elasticsearch_server() -> Iterator[str]:
    """Yield the URL of a running Elasticsearch 9 without security; one we started ends with the block.

    Raises:
        NoServerError: there is neither a named server, nor Docker, nor Maven with a JDK.
        ServerStartError: it was started and did not come up.
    """
    if url := os.environ.get("CITEWELL_TEST_ES_URL"):
        _wait_until_ready(url.rstrip("/"), lambda: None)
        yield url.rstrip("/")
        return
    with (
        tempfile.TemporaryFile("w+") as said,
        subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
            start_new_session=True,  # Ctrl-C reaches us, and we close its stdin
        ) as supervisor,  # leaving the block closes its stdin and waits for its end
    ):
        assert supervisor.stdout
        url = supervisor.stdout.readline().strip()
        if not url:
            impossible = supervisor.wait() == NO_SERVER
            said.seek(0)
            raise (NoServerError if impossible else ServerStartError)(said.read().strip())
        yield url


def main() -> int:
    """Run a server, print its URL, and end it when stdin closes or SIGTERM arrives."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    tried: list[str] = []
    for way in (_docker_server, _distribution_server):
        try:
            with way() as url:
                print(url, flush=True)
                sys.stdin.read()
                return 0
        except NoServerError as impossible:
            tried.append(str(impossible))
        except ServerStartError as failed:
            print(failed, file=sys.stderr)
            return 1
    print("; ".join(tried), file=sys.stderr)
    return NO_SERVER


# ---------------------------------------------------------------- Docker
@contextmanager
def _docker_server() -> Iterator[str]:
    docker = shutil.which("docker")
    if docker is None:
        raise NoServerError("there is no docker command")
    engine = subprocess.run(
        [docker, "info", "--format", "{{.ServerVersion}}"], capture_output=True, text=True, check=False
    )
    if engine.returncode or not engine.stdout.strip():
        raise NoServerError("no Docker engine answers")
    started = subprocess.run(
        [
            docker, "run", "--detach", "--rm", "--publish", "127.0.0.1::9200",
            "--env", "discovery.type=single-node", "--env", "xpack.security.enabled=false",
            "--env", "cluster.routing.allocation.disk.threshold_enabled=false",
            "--env", f"ES_JAVA_OPTS=-Xms{HEAP} -Xmx{HEAP}", IMAGE,
        ],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if started.returncode:
        raise NoServerError(f"Docker can't run {IMAGE}: {_last_line(started.stderr)}")
    container = started.stdout.strip()
    try:
        port = _output([docker, "port", container, "9200/tcp"]).splitlines()[0].rsplit(":", 1)[1]
        url = f"http://127.0.0.1:{port}"

        def died() -> str | None:
            state = subprocess.run([docker, "inspect", container], capture_output=True, check=False)
            return f"the container of {IMAGE} ended" if state.returncode else None

        _wait_until_ready(url, died)
        yield url
    finally:
        subprocess.run([docker, "rm", "--force", "--volumes", container], capture_output=True, check=False)


# ---------------------------------------------------------------- Maven Central's distribution
@contextmanager
def _distribution_server() -> Iterator[str]:
    jdk = find_jdk()
    home = _prepare(jdk)
    room = Path(tempfile.mkdtemp(prefix="citewell-elasticsearch-"))
    try:
        with _running(home, jdk, room) as url:
            yield url
    finally:
        shutil.rmtree(room, ignore_errors=True)


def find_jdk() -> Path:
    """Return the home of a JDK (with javac) that Elasticsearch runs on."""
    named = [Path(os.environ[name]) for name in ("ES_JAVA_HOME", "JAVA_HOME") if os.environ.get(name)]
    usual = [
        *sorted(Path("/usr/lib/jvm").glob("*"), reverse=True),
        *sorted(Path("/Library/Java/JavaVirtualMachines").glob("*/Contents/Home"), reverse=True),
        *sorted((Path.home() / ".sdkman/candidates/java").glob("*"), reverse=True),
    ]
    for jdk in [*named, *usual]:
        if (jdk / "bin" / "javac").is_file() and _java_version(jdk) >= JAVA:
            return jdk
    raise NoServerError(f"there is no JDK from {JAVA} on")


def _java_version(jdk: Path) -> int:
    """Return the major version that a JDK's `release` file states, 0 if it has none."""
    try:
        lines = (jdk / "release").read_text().splitlines()
    except OSError:
        return 0
    stated = [line.partition("=")[2].strip('"') for line in lines if line.startswith("JAVA_VERSION=")]
    major = stated[0].split(".")[0] if stated else ""
    return int(major) if major.isdigit() else 0


def _prepare(jdk: Path) -> Path:
    """Return the unpacked distribution with the shim in it; made once, then kept in the cache."""
    cache = Path(os.environ.get("CITEWELL_CACHE") or ROOT / ".cache") / "elasticsearch"
    cache.mkdir(parents=True, exist_ok=True)
    sources = b"".join(path.read_bytes() for path in sorted(SHIM.iterdir()))
    home = cache / f"{VERSION}-{hashlib.sha256(sources).hexdigest()[:8]}"
    with FileLock(cache / "lock"):
        if not home.is_dir():
            archive = _download(cache)
            with tempfile.TemporaryDirectory(dir=cache) as unpacking:
                with zipfile.ZipFile(archive) as packed:
                    packed.extractall(unpacking)
                unpacked = Path(unpacking) / f"elasticsearch-{VERSION}"
                _build_shim(unpacked, jdk)
                _let_all_read(unpacked)
                unpacked.rename(home)  # whole or not at all
    return home


def _download(cache: Path) -> Path:
    """Return the distribution's archive, fetched by Maven unless it is there."""
    archive = cache / f"elasticsearch-{VERSION}.zip"
    if archive.is_file():
        return archive
    maven = shutil.which("mvn")
    if maven is None:
        raise NoServerError("there is no Maven")
    with tempfile.TemporaryDirectory(dir=cache) as arriving:
        fetched = subprocess.run(
            [maven, "-q", "-B", "dependency:copy", f"-Dartifact={ARTIFACT}", f"-DoutputDirectory={arriving}"],
            capture_output=True, text=True, check=False, cwd=arriving,
        )  # fmt: skip
        if fetched.returncode:
            raise NoServerError(
                f"Maven can't fetch {ARTIFACT}: {_last_line(fetched.stdout + fetched.stderr)}"
            )
        (Path(arriving) / archive.name).replace(archive)
    return archive


def _build_shim(home: Path, jdk: Path) -> None:
    """Compile the shim against the distribution's own libraries and lay it where plugins are."""
    plugin = home / "plugins" / "citewell-analysis-shim"
    plugin.mkdir(parents=True)
    descriptor = (SHIM / "plugin-descriptor.properties").read_text()
    (plugin / "plugin-descriptor.properties").write_text(
        descriptor.replace("@elasticsearch.version@", VERSION)
    )
    with tempfile.TemporaryDirectory() as classes:
        sources = [str(path) for path in sorted(SHIM.glob("*.java"))]
        javac = [str(jdk / "bin/javac"), "--release", str(JAVA), "-nowarn", "-proc:none"]
        _output([*javac, "-cp", f"{home}/lib/*", "-d", classes, *sources])
        _output([str(jdk / "bin/jar"), "cf", str(plugin / "shim.jar"), "-C", classes, "."])


def _let_all_read(home: Path) -> None:
    """Give what zipfile unpacked the modes that it lost, and read access to the server's user."""
    for path in [home, *home.rglob("*")]:
        path.chmod(0o755 if path.is_dir() or path.parent.name == "bin" else 0o644)


@contextmanager
def _running(home: Path, jdk: Path, room: Path) -> Iterator[str]:
    """Run the distribution with all it writes in `room`; yield its URL."""
    user = _ordinary_user()
    if user and not _reachable_by_all(home):
        home = shutil.copytree(home, room / "home", symlinks=True)
    config, logs = room / "config", room / "logs"
    shutil.copytree(home / "config", config)
    for folder in (logs, room / "data", room / "tmp", room / "snapshots"):
        folder.mkdir()
    (config / "elasticsearch.yml").write_text(json.dumps(_settings(room)))
    if user:
        for path in [room, *room.rglob("*")]:
            os.chown(path, NOBODY, NOBODY)
    console = (room / "console.log").open("wb")
    process = subprocess.Popen(
        [str(home / "bin/elasticsearch")],
        cwd=room, env=_environment(jdk, config, room), stdin=subprocess.PIPE,
        stdout=console, stderr=subprocess.STDOUT, start_new_session=True, **user,
    )  # fmt: skip

    def died() -> str | None:
        if process.poll() is None:
            return None
        return (
            f"Elasticsearch {VERSION} ended with status {process.returncode}:\n{_tail(room / 'console.log')}"
        )

    try:
        url = _wait_for_address(logs / "http.ports", died)
        _wait_until_ready(url, died)
        yield url
    finally:
        _end_group(process)
        console.close()


def _settings(room: Path) -> dict[str, Any]:
    """Return elasticsearch.yml (JSON is YAML): one node on loopback, ports chosen by the system."""
    return {
        "discovery.type": "single-node",
        "network.host": "127.0.0.1",
        "http.port": 0,
        "transport.port": 0,
        "node.portsfile": True,
        "path.data": str(room / "data"),
        "path.logs": str(room / "logs"),
        "path.repo": [str(room / "snapshots")],
        "xpack.security.enabled": False,
        "cluster.routing.allocation.disk.threshold_enabled": False,
    }


def _environment(jdk: Path, config: Path, room: Path) -> dict[str, str]:
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(room),
        "ES_JAVA_HOME": str(jdk),
        "ES_PATH_CONF": str(config),
        "ES_TMPDIR": str(room / "tmp"),
        "ES_JAVA_OPTS": f"-Xms{HEAP} -Xmx{HEAP}",
    }


def _ordinary_user() -> dict[str, Any]:
    """Return what Popen needs to run as nobody where we are root, else nothing."""
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}


def _reachable_by_all(path: Path) -> bool:
    return all(folder.stat().st_mode & 0o001 for folder in [path, *path.parents])


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """End the launcher and the server that it started."""
    for ending in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, ending)
            process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            continue
        except ProcessLookupError:
            return
    process.wait()


# ---------------------------------------------------------------- waiting
def _wait_for_address(ports: Path, died: Callable[[], str | None]) -> str:
    """Return the URL that the server wrote down once it was bound."""
    deadline = time.monotonic() + START_TIMEOUT
    while not (ports.is_file() and ports.read_text().strip()):
        _check(died, deadline)
    return f"http://{ports.read_text().split()[0]}"


def _wait_until_ready(url: str, died: Callable[[], str | None]) -> None:
    """Return when the cluster answers and has no missing primary shard."""
    deadline = time.monotonic() + START_TIMEOUT
    while True:
        try:
            with urllib.request.urlopen(
                f"{url}/_cluster/health?wait_for_status=yellow&timeout=5s", timeout=10
            ):
                return
        except (OSError, urllib.error.URLError) as error:
            _check(died, deadline, last=error)


def _check(died: Callable[[], str | None], deadline: float, *, last: object = "") -> None:
    if reason := died():
        raise ServerStartError(reason)
    if time.monotonic() > deadline:
        raise ServerStartError(f"Elasticsearch did not answer within {START_TIMEOUT:.0f} s {last}".strip())
    time.sleep(0.1)


def _output(command: Sequence[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ServerStartError(f"{' '.join(command)[:300]}\n{done.stderr}")
    return done.stdout


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return next((line for line in lines if "ERROR" in line), lines[-1] if lines else "no reason given")


def _tail(log: Path, lines: int = 40) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])


if __name__ == "__main__":
    raise SystemExit(main())
