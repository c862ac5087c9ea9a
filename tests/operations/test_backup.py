"""Backup and restoration as docs/operations.md tells them: the lake is all that is needed."""

from __future__ import annotations

import re
import shutil
from datetime import UTC, date, datetime
from pathlib import Path

from search.demo.server import DemoRecord, DemoVersion, LoopbackArxiv
from search.ingest.events import last_events
from search.library import Library

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")


def test_a_copy_of_the_lake_is_the_library(tmp_path):
    """From a copy of the lake alone a new home holds the same papers, removals and events."""
    version = DemoVersion(datetime(2024, 2, 1, 8, tzinfo=UTC))
    fields = {"versions": (version,), "abstract": "On sparse graphs.", "categories": "math.CO"}
    records = [DemoRecord(id=f"2402.{n:05d}", title=f"Paper {n}", **fields) for n in range(1, 6)]
    with (
        LoopbackArxiv(records) as arxiv,
        Library(home=tmp_path / "home", oai_base_url=arxiv.oai_url, oai_interval=0) as library,
    ):
        library.harvest(from_=date(2024, 1, 1))
        library.build()
        library.remove("2402.00003")
        before = [(work.work_id, work.title) for work in library.list()]
        events = [event.event_id for event in last_events(library.lake)]
        contents = {work.work_id: work.content_hash for work in library.store.contents()}
    shutil.copytree(tmp_path / "home" / "lake", tmp_path / "restored" / "lake")
    with Library(home=tmp_path / "restored", oai_base_url="http://127.0.0.1:9/oai") as restored:
        restored.rebuild()
        assert restored.check().sound
        assert [(work.work_id, work.title) for work in restored.list()] == before
        assert {work.work_id: work.content_hash for work in restored.store.contents()} == contents
        assert set(events) <= {event.event_id for event in last_events(restored.lake, 100)}
    assert len(before) == 4


def test_the_page_names_commands_that_exist():
    """Every `citewell …` of the page parses: the command is there, and so are its options."""
    from typer.main import get_command

    from search.cli.app import app

    top = get_command(app)
    told = re.findall(r"(?:^|`|&& )citewell ((?:index )?[a-z]+)((?: --[a-z-]+)*)", PAGE, re.MULTILINE)
    for words, options in told:
        first, *rest = words.split()
        command = top.commands[first].commands[rest[0]] if rest else top.commands[first]
        assert set(options.split()) <= {option for one in command.params for option in one.opts}
    assert len(told) > 15


def test_the_page_names_services_and_files_that_exist():
    """Every service, script and file of the page is there."""
    import yaml

    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    assert set(re.findall(r"docker compose exec (?:-T )?([a-z-]+)", PAGE)) <= set(services)
    for file in re.findall(r"(?:bash|python) ((?:deploy|kibana)/[\w.]+)", PAGE):
        assert (ROOT / file).is_file()
    assert set(re.findall(r"CITEWELL_([A-Z_]+)", PAGE)) <= {
        n.upper() for n in Library(home="x").settings.model_dump()
    }
