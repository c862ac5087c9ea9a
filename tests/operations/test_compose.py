"""docker-compose.yml, Dockerfile and .env.example: valid, whole, and in step with the code."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from search import __version__
from search.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
COMPOSE = ROOT / "docker-compose.yml"
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
#: Settings that a person may give in .env and whose names the containers see.
SETTINGS = {f"CITEWELL_{name.upper()}" for name in Settings.model_fields}
#: Paths of containers that a volume covers or the image's maker documents.
KNOWN_IN_IMAGES = {"/usr/share/elasticsearch/data", "/var/lib/postgresql/data"}


@pytest.fixture(scope="module")
def compose():
    """The file with its merges resolved."""
    return yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def services(compose):
    """The services by name."""
    return compose["services"]


def substitutions(text):
    """Every `${NAME…}` as name and what follows it."""
    return re.findall(r"(?<!\$)\$\{([A-Z_]+)([^}]*)\}", text)


def test_it_is_a_compose_file():
    """The file is valid by the Compose specification's own schema."""
    done = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", COMPOSE],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_schema_is_really_asked(tmp_path):
    """A file with a key that Compose does not know is refused: the check above can fail."""
    broken = tmp_path / "docker-compose.yml"
    broken.write_text(COMPOSE.read_text().replace("    read_only: true", "    readonly: true"))
    done = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", broken],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1


def test_every_setting_that_containers_get_exists(services):
    """A variable that begins with CITEWELL_ is a setting of the code, in containers and in .env."""
    given = {name for service in services.values() for name in service.get("environment", {})}
    given |= set(re.findall(r"^#?([A-Z_]+)=", (ROOT / ".env.example").read_text(), flags=re.MULTILINE))
    given |= {name for name, _ in substitutions(COMPOSE.read_text())}
    ours = {name for name in given if name.startswith("CITEWELL_")}
    assert len(ours) > 8
    assert ours - SETTINGS == set()


def test_settings_of_containers_are_accepted(services, monkeypatch):
    """What each of our containers gets is read by the settings without complaint."""
    from search.settings import read_settings

    for name in [name for name in os.environ if name.startswith("CITEWELL_")]:
        monkeypatch.delenv(name)
    for service in services.values():
        ours = {k: v for k, v in service.get("environment", {}).items() if k.startswith("CITEWELL_")}
        if "CITEWELL_HOME" not in ours:
            continue
        with monkeypatch.context() as patch:
            for name, value in ours.items():
                patch.setenv(name, re.sub(r"(?<!\$)\$\{([A-Z_]+)(:-([^}]*)|[^}]*)\}", r"\3", value))
            settings = read_settings()
        assert str(settings.home) == "/var/lib/citewell"
        assert settings.index_url.endswith("@elasticsearch:9200")


def test_no_password_has_a_default(compose):
    """A secret is required with a message, never filled in; what has a default is no secret."""
    secret = re.compile(r"PASSWORD|SECRET|TOKEN|KEY")
    for name, rest in substitutions(COMPOSE.read_text()):
        if secret.search(name) and not name.startswith("CITEWELL_LLM"):
            assert rest.startswith(":?"), name
        assert rest.startswith((":?", ":-")), name
    for service, described in compose["services"].items():
        for name, value in described.get("environment", {}).items():
            if secret.search(name) and not name.endswith("_FILE"):
                assert str(value).startswith("${"), (service, name)


def test_every_variable_stands_in_the_example():
    """.env.example names each variable of the compose file and no other, and holds no value of a secret."""
    lines = (ROOT / ".env.example").read_text().splitlines()
    named = {m[1]: m[2] for line in lines if (m := re.match(r"#?([A-Z_]+)=(.*)$", line))}
    assert set(named) == {name for name, _ in substitutions(COMPOSE.read_text())}
    assert {
        name for name, value in named.items() if value and re.search(r"PASSWORD|SECRET|TOKEN|KEY", name)
    } == set()
    for name, rest in substitutions(COMPOSE.read_text()):
        if rest.startswith(":-"):
            assert f"#{name}={rest[2:]}" in lines
        else:
            assert f"{name}=" in lines


def test_ports_are_open_to_this_machine_only(services):
    """Every published port is bound to 127.0.0.1, and no two services want the same."""
    ports = [port for service in services.values() for port in service.get("ports", [])]
    assert len(ports) == 4
    assert all(re.fullmatch(r"127\.0\.0\.1:\d+:\d+", port) for port in ports)
    assert len({port.split(":")[1] for port in ports}) == len(ports)


def test_images_are_pinned(services):
    """Every image has a full version: of others a release, of ours the package's."""
    for name, service in services.items():
        image, _, tag = service["image"].rpartition(":")
        assert re.match(r"\d+\.\d+", tag), name
        if image.startswith("citewell"):
            assert tag == __version__
    (python,) = re.findall(r"^FROM python:(\S+) AS base$", DOCKERFILE, flags=re.MULTILINE)
    assert re.match(r"3\.\d+\.\d+-", python)


def test_elasticsearch_is_the_version_that_the_tests_run(services):
    """What is deployed is what the suite runs on; Kibana has the same version, as it must."""
    from elastic.server import IMAGE, VERSION

    ours = {service["image"] for service in services.values() if "elastic.co" in service["image"]}
    assert ours == {IMAGE, f"docker.elastic.co/kibana/kibana:{VERSION}"}


def test_what_services_wait_for_can_come(services):
    """Who waits for health has a health check to wait for; who waits for an end waits for one that ends."""
    for name, service in services.items():
        for other, wait in service.get("depends_on", {}).items():
            target = services[other]
            if wait["condition"] == "service_healthy":
                assert "healthcheck" in target, (name, other)
            else:
                assert wait["condition"] == "service_completed_successfully"
                assert target["restart"].startswith("on-failure"), (name, other)


def test_nobody_waits_in_a_circle(services):
    """The order of starting has a beginning."""
    waiting = {name: set(service.get("depends_on", {})) for name, service in services.items()}
    while ready := {name for name, others in waiting.items() if not others}:
        waiting = {name: others - ready for name, others in waiting.items() if name not in ready}
    assert waiting == {}


def test_what_runs_on_has_health_limits_and_a_restart(services):
    """Every service that stays has a health check, a memory limit, restarts and bounded logs."""
    staying = {n: s for n, s in services.items() if not s["restart"].startswith("on-failure")}
    assert len(staying) == 7
    for name, service in staying.items():
        assert service["restart"] == "unless-stopped", name
        assert service["healthcheck"]["test"], name
        assert service["deploy"]["resources"]["limits"]["memory"], name
        assert service["logging"]["options"]["max-size"], name


def test_data_lies_in_named_volumes(compose, services):
    """Whatever must outlive a container is in a volume that is declared; each declared one is used."""
    used = set()
    for name, service in services.items():
        for volume in service.get("volumes", []):
            source, target = volume.split(":")[:2]
            if source.startswith("./"):
                assert (ROOT / source).is_file(), source
                assert volume.endswith(":ro")
                continue
            used.add(source)
            in_image = re.search(
                rf"install --directory .*{re.escape(target)}(\s|$)", DOCKERFILE, re.MULTILINE
            )
            owned = target in KNOWN_IN_IMAGES or in_image
            assert owned or "elasticsearch-volumes" in (name, *service.get("depends_on", {})), (name, target)
    assert used == set(compose["volumes"])


def test_targets_and_paths_of_the_dockerfile_exist(services):
    """Every COPY finds what it copies, every stage that is named is there, and so is every build target."""
    stages = re.findall(r"^FROM (\S+) AS (\S+)$", DOCKERFILE, flags=re.MULTILINE)
    names = [name for _, name in stages]
    assert all(base in names[:at] or ":" in base for at, (base, _) in enumerate(stages))
    for line in re.findall(r"^COPY (.+)$", DOCKERFILE, flags=re.MULTILINE):
        words = shlex.split(line)
        if words[0].startswith("--from="):
            assert words[0].removeprefix("--from=") in names
            continue
        for source in words[:-1]:
            assert (ROOT / source).exists(), source
    targets = {service["build"]["target"] for service in services.values() if "build" in service}
    assert targets == {"api", "airflow"} <= set(names)


def test_the_build_sees_what_it_copies_and_no_secret():
    """.dockerignore lets in exactly what the Dockerfile copies: no .env, no library, no .git."""
    lines = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and line[0] != "#"]
    assert lines[0] == "*"
    allowed = {line[1:] for line in lines if line.startswith("!")}
    copied = {
        source.removeprefix("./")
        for line in re.findall(r"^COPY (?!--from)(.+)$", DOCKERFILE, flags=re.MULTILINE)
        for source in shlex.split(line)[:-1]
    }
    assert allowed == copied


def test_the_build_has_all_that_the_package_needs():
    """What pyproject.toml names (readme, licence, mappings) is copied before the package is installed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    needed = {project["project"]["readme"], *project["project"]["license-files"], "search"}
    needed |= set(project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"])
    source = DOCKERFILE[DOCKERFILE.index("AS source") : DOCKERFILE.index("AS api-packages")]
    assert needed | {"pyproject.toml", "constraints.txt"} <= set(re.findall(r"[\w.]+", source))
    extras = set(project["project"]["optional-dependencies"])
    installed = re.findall(r'"\.\[([a-z,]+)\]"', DOCKERFILE)
    assert len(installed) == 2
    assert all(set(one.split(",")) <= extras for one in installed)
    assert "pdf" not in installed[0].split(",")  # the AGPL stays out of what serves a network
    assert DOCKERFILE.count("pip install --constraint constraints.txt") == 2


def test_what_is_installed_besides_is_pinned_too():
    """Packages that only the Dockerfile names have their version in constraints.txt."""
    pinned = {line.split("==")[0] for line in (ROOT / "constraints.txt").read_text().splitlines()}
    assert {"apache-airflow-providers-postgres", "psycopg2-binary", "asyncpg"} <= pinned


def test_images_do_not_run_as_root():
    """Both images change to an ordinary user before they start anything; ours may gain no rights."""
    for name in ("api", "airflow"):
        stage = DOCKERFILE[DOCKERFILE.index(f"FROM base AS {name}\n") :].split("\nFROM ")[0]
        assert "\nUSER citewell\n" in stage
        assert stage.index("USER citewell") < stage.index("ENTRYPOINT")


def test_our_containers_have_no_capabilities(services):
    """Containers of our images drop every capability and cannot regain one."""
    ours = [service for service in services.values() if service["image"].startswith("citewell")]
    assert len(ours) == 5
    for service in ours:
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]


def test_commands_of_the_api_container_parse(services):
    """The arguments that the container gives `citewell` are ones that the command takes."""
    from typer.main import get_command

    from search.cli.app import app

    with get_command(app).make_context("citewell", list(services["api"]["command"])) as context:
        command = context.command.commands["serve"]
        parsed = command.make_context("serve", services["api"]["command"][1:])
    assert (parsed.params["host"], parsed.params["port"]) == ("0.0.0.0", 8000)


def test_health_checks_of_our_images_are_python_that_runs(services):
    """The health checks run, fail where nothing listens, and are the same in image and file."""
    for name in ("api", "airflow-api"):
        test = services[name]["healthcheck"]["test"]
        assert test[:2] == ["CMD", "python"]
        port = re.search(r"127\.0\.0\.1:(\d+)", test[3])[1]
        code = test[3].replace(f":{port}/", ":9/")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert "refused" in done.stderr
    (in_image,) = re.findall(r"HEALTHCHECK .*\\\n +CMD (\[.*\])$", DOCKERFILE, flags=re.MULTILINE)
    told = [word.replace("'", '"') for word in json.loads(in_image)]
    assert told == services["api"]["healthcheck"]["test"][1:]


def test_the_api_is_given_longer_to_end_than_it_takes(services):
    """Docker waits longer than the server gives answers under way."""
    from search.web.serve import LAST_ANSWERS

    assert int(services["api"]["stop_grace_period"].removesuffix("s")) > LAST_ANSWERS
