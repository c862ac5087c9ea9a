"""Kibana's saved objects: structure, references, and every field that they name."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from search.index.mappings import mapping
from search.ingest.events import Event, failure_documents, run_document

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "kibana" / "citewell.ndjson"
MAKE = ROOT / "kibana" / "make.py"


@pytest.fixture(scope="module")
def objects():
    """The saved objects by id."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    return {saved["id"]: saved for saved in map(json.loads, lines)}


@pytest.fixture(scope="module")
def panels(objects):
    """The dashboard's panels."""
    return json.loads(objects["citewell-ingest"]["attributes"]["panelsJSON"])


def layer(panel):
    """The columns of a panel, by id, as they stand in its only layer."""
    (one,) = panel["embeddableConfig"]["attributes"]["state"]["datasourceStates"]["formBased"][
        "layers"
    ].values()
    return one


def fields(kind):
    """The fields of an index."""
    return mapping(kind)["mappings"]["properties"]


def test_the_file_is_what_the_script_makes():
    """kibana/citewell.ndjson is kibana/make.py's output, which needs nothing but Python."""
    made = subprocess.run([sys.executable, "-I", MAKE], capture_output=True, text=True, check=True)
    assert made.stdout == FILE.read_text(encoding="utf-8")


def test_another_prefix_reaches_every_object():
    """With another index prefix no object, title or reference is left with the default one."""
    made = subprocess.run(
        [sys.executable, MAKE, "--prefix", "papers"], capture_output=True, text=True, check=True
    )
    lines = [json.loads(line) for line in made.stdout.splitlines()]
    assert {line["id"] for line in lines} == {
        "papers-works",
        "papers-passages",
        "papers-events",
        "papers-ingest",
    }
    assert "citewell-" not in made.stdout


def test_every_reference_resolves_to_an_object_before_it(objects):
    """Whatever an object refers to stands in the file, earlier, so that an import finds it."""
    seen = set()
    for saved in objects.values():
        assert {(ref["type"], ref["id"]) for ref in saved["references"]} <= seen
        seen.add((saved["type"], saved["id"]))
    assert [saved["type"] for saved in objects.values()] == ["index-pattern"] * 3 + ["dashboard"]


def test_every_object_says_which_form_it_has(objects):
    """Kibana migrates from the version that an object names; without one it would guess."""
    for saved in objects.values():
        assert saved["coreMigrationVersion"] == "8.8.0"
        assert saved["typeMigrationVersion"] in {"8.0.0", "8.9.0"}


def test_data_views_name_the_aliases_and_a_date(objects):
    """Each data view is over the index or alias of its kind, and its time field is a date there."""
    for kind in ("works", "passages", "events"):
        attributes = objects[f"citewell-{kind}"]["attributes"]
        assert attributes["title"] == f"citewell-{kind}"
        assert fields(kind)[attributes["timeFieldName"]]["type"] == "date"
        assert set(json.loads(attributes["fieldFormatMap"])) <= set(fields(kind))


def test_panels_use_fields_that_can_do_it(panels):
    """Every column's field is in the mapping, with doc values, and of a type that its operation takes."""
    wanted = {"sum": {"long", "double"}, "terms": {"keyword"}, "date_histogram": {"date"}}
    for panel in panels:
        for column in layer(panel)["columns"].values():
            if column["operationType"] == "count":
                continue
            field = fields("events")[column["sourceField"]]
            assert field["type"] in wanted[column["operationType"]], (panel["title"], column["sourceField"])
            assert field.get("doc_values", True)


def test_panels_hold_together(panels):
    """Column order, sort columns and what is drawn name columns that are there; groups come before values."""
    for panel in panels:
        columns = layer(panel)["columns"]
        assert set(layer(panel)["columnOrder"]) == set(columns)
        bucketed = [columns[name]["isBucketed"] for name in layer(panel)["columnOrder"]]
        assert bucketed == sorted(bucketed, reverse=True)
        for column in columns.values():
            assert column.get("params", {}).get("orderBy", {}).get("columnId", "value") in columns
        drawn = json.dumps(panel["embeddableConfig"]["attributes"]["state"]["visualization"])
        assert all(f'"{name}"' in drawn for name in columns)


def test_panels_lie_beside_each_other(panels):
    """No panel covers another or leaves the grid of 48 columns."""
    cells = [
        (x, y)
        for grid in (panel["gridData"] for panel in panels)
        for x in range(grid["x"], grid["x"] + grid["w"])
        for y in range(grid["y"], grid["y"] + grid["h"])
    ]
    assert len(cells) == len(set(cells))
    assert max(x for x, _ in cells) < 48
    assert len({panel["panelIndex"] for panel in panels}) == len(panels)


def test_queries_ask_for_values_that_events_have(panels):
    """The filters of panels name kinds and states that documents really carry."""
    event = Event(event_id="1-a", time="2026-11-20T00:00:00Z", stage="fetch", failures={"NotAPDF": 1})
    kinds = {run_document(event)["kind"], *(d["kind"] for _, d in failure_documents(event))}
    states = set(Event.model_fields["state"].annotation.__args__)
    for panel in panels:
        query = panel["embeddableConfig"]["attributes"]["state"]["query"]["query"]
        asked = dict(part.split(": ") for part in query.split(" and "))
        assert asked.pop("kind") in kinds
        assert asked.pop("state", "failed") in states
        assert asked in ({}, {"stage": "index"})


@pytest.mark.elastic
def test_the_queries_of_all_panels_answer(elasticsearch_url, index_prefix, tmp_path, panels):
    """Each panel's grouping and sum, asked of a real index of events, gives the number that it should."""
    from search.index.elastic.connection import connect
    from search.ingest.events import keep, ship
    from search.lake.lake import Lake
    from search.settings import read_settings

    settings = read_settings(home=tmp_path, index_url=elasticsearch_url, index_prefix=index_prefix)
    lake = Lake(str(tmp_path / "lake"), tmp_path / "cache")
    common = {"time": "2026-11-20T00:00:00Z", "seconds": 2.5, "bytes": 100, "host": "h"}
    events = [
        Event(event_id="1763596800000001-a", stage="index", papers=7, **common),
        Event(event_id="1763596800000002-a", stage="fetch", papers=3, failures={"NotAPDF": 2}, **common),
        Event(event_id="1763596800000003-a", stage="read", state="failed", error="DiskFull", **common),
    ]
    keep(lake, events)
    assert ship(lake, settings, events) == 3
    expected = [7, 2, 1, 300, 10, 2, 7.5, 300, 10, 2, 1]
    with connect(settings) as client:
        name = f"{index_prefix}-events"
        client.indices.refresh(index=name)
        for panel, value in zip(panels, expected, strict=True):
            state = panel["embeddableConfig"]["attributes"]["state"]
            columns = layer(panel)["columns"]
            query = " AND ".join(state["query"]["query"].replace(": ", ":").split(" and "))
            groups = {
                f"group{n}": {"terms": {"field": column["sourceField"]}}
                for n, column in enumerate(columns.values())
                if column["operationType"] == "terms"
            }
            summed = [c["sourceField"] for c in columns.values() if c["operationType"] == "sum"]
            sums = {"value": {"sum": {"field": summed[0]}}} if summed else {}
            found = client.search(
                index=name, size=0, query={"query_string": {"query": query}}, aggregations=groups | sums
            )
            total = found["aggregations"]["value"]["value"] if sums else found["hits"]["total"]["value"]
            assert total == value, panel["title"]
            assert all(found["aggregations"][group]["buckets"] for group in groups if group != "group2")
