"""The scripts that set up a deployment, run against a real Elasticsearch with security on."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request
from datetime import UTC, date, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
SHIM = Path(__file__).resolve().parent / "shim"
PASSWORDS = {
    "ELASTIC_PASSWORD": "elastic-0123456789",
    "KIBANA_PASSWORD": "kibana_0123456789",
    "INDEX_PASSWORD": "index0123456789ab",
}


def script(name, *arguments, **environment):
    """Run one of the scripts as a container would."""
    return subprocess.run(
        ["bash", DEPLOY / name, *arguments],
        capture_output=True, text=True, check=False, env={"PATH": os.environ["PATH"], **environment},
    )  # fmt: skip


def ask(url, path, user, method="GET", body=None):
    """Ask Elasticsearch as a user; return status and answer."""
    request = urllib.request.Request(f"{url}/{path}", method=method, data=body and json.dumps(body).encode())
    request.add_header("Authorization", "Basic " + base64.b64encode(":".join(user).encode()).decode())
    request.add_header("Content-Type", "application/json")
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.loads(answer.read() or b"{}")
    except urllib.error.HTTPError as refused:
        return refused.code, {}


@pytest.fixture(scope="module")
def secured():
    """The URL of a real Elasticsearch that asks for passwords, and its folder of snapshots."""
    from elastic import server

    try:
        jdk = server.find_jdk()
        home = server._prepare(jdk)
    except server.NoServerError as impossible:
        pytest.skip(f"no Elasticsearch can run here: {impossible}")
    room = Path(tempfile.mkdtemp(prefix="citewell-elasticsearch-"))
    user = server._ordinary_user()
    home = shutil.copytree(home, room / "home", symlinks=True)
    _add_shim(server, home, jdk)
    shutil.copytree(home / "config", room / "config")
    for folder in ("logs", "data", "tmp", "snapshots"):
        (room / folder).mkdir()
    settings = server._settings(room) | {
        "xpack.security.enabled": True,
        "xpack.security.autoconfiguration.enabled": False,
        "xpack.security.http.ssl.enabled": False,
        "xpack.security.transport.ssl.enabled": False,
    }
    (room / "config" / "elasticsearch.yml").write_text(json.dumps(settings))
    environment = server._environment(jdk, room / "config", room)
    keystore = [home / "bin" / "elasticsearch-keystore"]
    subprocess.run([*keystore, "create"], env=environment, check=True, capture_output=True)
    subprocess.run(
        [*keystore, "add", "--stdin", "--force", "bootstrap.password"],
        input=PASSWORDS["ELASTIC_PASSWORD"], text=True, env=environment, check=True, capture_output=True,
    )  # fmt: skip
    if user:
        for path in [room, *room.rglob("*")]:
            os.chown(path, server.NOBODY, server.NOBODY)
    with (room / "console.log").open("wb") as console:
        process = subprocess.Popen(
            [home / "bin" / "elasticsearch"], cwd=room, env=environment, stdin=subprocess.DEVNULL,
            stdout=console, stderr=subprocess.STDOUT, start_new_session=True, **user,
        )  # fmt: skip
        try:
            url = server._wait_for_address(room / "logs" / "http.ports", lambda: _ended(process, room))
            elastic = ("elastic", PASSWORDS["ELASTIC_PASSWORD"])
            while ask(url, "_cluster/health?wait_for_status=yellow&timeout=5s", elastic)[0] != 200:
                assert _ended(process, room) is None
                time.sleep(0.2)
            yield url, room / "snapshots"
        finally:
            server._end_group(process)
    shutil.rmtree(room, ignore_errors=True)


def _add_shim(server, home, jdk):
    """Compile what the index of users needs and lay it where plugins are."""
    plugin = home / "plugins" / "citewell-security-shim"
    plugin.mkdir()
    descriptor = (SHIM / "plugin-descriptor.properties").read_text()
    (plugin / "plugin-descriptor.properties").write_text(
        descriptor.replace("@elasticsearch.version@", server.VERSION)
    )
    with tempfile.TemporaryDirectory() as classes:
        javac = [jdk / "bin" / "javac", "--release", str(server.JAVA), "-nowarn", "-proc:none"]
        subprocess.run(
            [*javac, "-cp", f"{home}/lib/*", "-d", classes, SHIM / "SecurityShim.java"], check=True
        )
        subprocess.run([jdk / "bin" / "jar", "cf", plugin / "shim.jar", "-C", classes, "."], check=True)


def _ended(process, room):
    return None if process.poll() is None else (room / "console.log").read_text()[-2000:]


@pytest.mark.elastic
def test_elasticsearch_setup_gives_citewell_its_own_user(secured, tmp_path):
    """After the script Citewell builds, searches and ships as a user that reaches its own indices only."""
    from search.demo.server import DemoRecord, DemoVersion, LoopbackArxiv
    from search.library import Library

    url, snapshots = secured
    given = {"ELASTICSEARCH_URL": url, "SNAPSHOTS": str(snapshots), **PASSWORDS}
    for _ in range(2):  # a container that is started again runs it again
        done = script("elasticsearch.sh", **given)
        assert done.returncode == 0, done.stderr
        assert not any(password in done.stdout + done.stderr for password in PASSWORDS.values())
    citewell = ("citewell", PASSWORDS["INDEX_PASSWORD"])
    assert ask(url, "other", citewell, "PUT")[0] == 403
    assert ask(url, "_security/user", citewell)[0] == 403
    assert ask(url, "_cluster/health", ("citewell", "wrong"))[0] == 401
    assert ask(url, "_cluster/health", ("kibana_system", PASSWORDS["KIBANA_PASSWORD"]))[0] == 200

    address = url.replace("//", "//" + ":".join(citewell) + "@")
    fields = {"title": "Pebbles", "abstract": "On sparse graphs.", "categories": "math.CO"}
    version = DemoVersion(datetime(2024, 2, 1, 8, tzinfo=UTC))
    record = DemoRecord(id="2402.00001", versions=(version,), **fields)
    with (
        LoopbackArxiv([record]) as arxiv,
        Library(home=tmp_path, index_url=address, oai_base_url=arxiv.oai_url, oai_interval=0) as library,
    ):
        library.harvest(from_=date(2024, 1, 1))
        library.build()
        assert [hit.work_id for hit in library.search("pebbles", mode="lexical").hits] == ["2402.00001"]
        assert library.rebuild().published
    elastic = ("elastic", PASSWORDS["ELASTIC_PASSWORD"])
    ask(url, "citewell-events/_refresh", elastic, "POST")
    status, found = ask(url, "citewell-events/_count", elastic)
    assert (status, found["count"] > 0) == (200, True)

    # A backup and its restoration, as docs/operations.md does them.
    status, taken = ask(url, "_snapshot/citewell/day-1?wait_for_completion=true", elastic, "PUT")
    assert (status, taken["snapshot"]["state"]) == (200, "SUCCESS")
    assert ask(url, "_snapshot/citewell/_all", citewell)[0] == 200
    indices = sorted(name for name in ask(url, "citewell-*", elastic)[1])
    assert ask(url, ",".join(indices), elastic, "DELETE")[0] == 200
    body = {"indices": "citewell-*", "include_global_state": False}
    assert (
        ask(url, "_snapshot/citewell/day-1/_restore?wait_for_completion=true", elastic, "POST", body)[0]
        == 200
    )
    with Library(home=tmp_path, index_url=address) as library:
        assert [hit.work_id for hit in library.search("pebbles", mode="lexical").hits] == ["2402.00001"]
        assert library.check().sound


@pytest.mark.parametrize(
    "password", ["", "short", "with space in it", 'quote"quote"quote', "slash/slash/slash"]
)
def test_passwords_that_break_an_address_are_refused(password):
    """A password that would break a URL or JSON is refused by name, before anything is asked."""
    done = script("elasticsearch.sh", **{**PASSWORDS, "INDEX_PASSWORD": password})
    assert done.returncode != 0
    assert "INDEX_PASSWORD" in done.stderr


def test_an_elasticsearch_that_is_away_fails_the_script():
    """The container ends with an error, so that what depends on it does not start."""
    done = script("elasticsearch.sh", ELASTICSEARCH_URL="http://127.0.0.1:9", **PASSWORDS)
    assert done.returncode != 0
    assert "127.0.0.1" in done.stderr


class _Kibana(BaseHTTPRequestHandler):
    """Answers an import as the test says, and keeps what was sent."""

    status, answer = 200, b'{"successCount":4,"success":true}'
    received: list[tuple[str, dict[str, str], bytes]]

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        type(self).received.append((self.path, dict(self.headers), body))
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(self.answer)))
        self.end_headers()
        self.wfile.write(self.answer)

    def log_message(self, *_):
        pass


@pytest.fixture
def kibana():
    """A server in Kibana's place."""
    handler = type("Handler", (_Kibana,), {"received": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield handler, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def import_objects(url):
    """Run the import of the committed objects."""
    given = {"KIBANA_URL": url, "ELASTIC_PASSWORD": PASSWORDS["ELASTIC_PASSWORD"]}
    return script("kibana.sh", str(ROOT / "kibana" / "citewell.ndjson"), **given)


def test_kibana_is_given_the_objects_whole(kibana):
    """The import carries every object, who asks, and the header without which Kibana refuses."""
    handler, url = kibana
    done = import_objects(url)
    assert done.returncode == 0, done.stderr
    ((path, headers, body),) = handler.received
    assert path == "/api/saved_objects/_import?overwrite=true"
    headers = {name.lower(): value for name, value in headers.items()}
    assert headers["kbn-xsrf"]
    assert base64.b64decode(headers["authorization"].split()[1]).decode() == (
        f"elastic:{PASSWORDS['ELASTIC_PASSWORD']}"
    )
    assert (ROOT / "kibana" / "citewell.ndjson").read_bytes() in body
    assert b'filename="objects.ndjson"' in body


@pytest.mark.parametrize(
    ("status", "answer"),
    [(200, b'{"successCount":3,"success":false,"errors":[{"id":"x"}]}'), (401, b"{}"), (400, b"not ready")],
)
def test_an_import_that_took_nothing_fails(kibana, status, answer):
    """Kibana answers 200 also where it refused an object: the script looks at what it says."""
    handler, url = kibana
    handler.status, handler.answer = status, answer
    done = import_objects(url)
    assert done.returncode != 0
    assert PASSWORDS["ELASTIC_PASSWORD"] not in done.stdout + done.stderr


def test_secrets_are_filled_and_nothing_else():
    """deploy/secrets.sh fills each empty secret with its own, which the setup takes, and leaves the rest."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    made = script("secrets.sh").stdout
    values = dict(re.findall(r"^([A-Z_]+)=(.*)$", made, flags=re.MULTILINE))
    asked = dict(re.findall(r"^([A-Z_]+)=(.*)$", (ROOT / ".env.example").read_text(), flags=re.MULTILINE))
    assert values.keys() == asked.keys()
    assert values.pop("CITEWELL_CONTACT") == ""
    assert all(re.fullmatch(r"[0-9a-f]{48}", value) for value in values.values())
    assert len(set(values.values())) == len(values)
