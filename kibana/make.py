"""Make Kibana's saved objects: data views of the indices, and a dashboard over the ingest events.

    python kibana/make.py > kibana/citewell.ndjson
    python kibana/make.py --prefix papers > papers.ndjson     # where CITEWELL_INDEX_PREFIX is `papers`

The objects are in the form of Kibana 8.9, which every later one takes and brings up to date when it imports
them. Standard library only, so that it runs where Citewell is not installed.
"""

# ruff: noqa: INP001 - a script by itself
from __future__ import annotations

import argparse
import json
from typing import Any

#: Of the form below; Kibana migrates from there.
CORE_VERSION, DATA_VIEW_VERSION, DASHBOARD_VERSION = "8.8.0", "8.0.0", "8.9.0"
#: Columns of a dashboard.
WIDTH = 48
LAYER = "events"

Json = dict[str, Any]


# ---------------------------------------------------------------- data views
def data_view(prefix: str, kind: str, *, time: str = "", formats: Json | None = None) -> Json:
    """Return the data view of one index."""
    attributes = {
        "title": f"{prefix}-{kind}",
        "name": f"Citewell {kind}",
        "fieldFormatMap": dumps(formats or {}),
        "fields": "[]",
        "runtimeFieldMap": "{}",
        "sourceFilters": "[]",
        "typeMeta": "{}",
    }
    if time:
        attributes["timeFieldName"] = time
    return saved("index-pattern", f"{prefix}-{kind}", attributes, [], DATA_VIEW_VERSION)


# ---------------------------------------------------------------- columns of a panel
def over_time() -> Json:
    """Return the column that groups by time."""
    return {
        "label": "Time",
        "customLabel": True,
        "dataType": "date",
        "operationType": "date_histogram",
        "sourceField": "@timestamp",
        "isBucketed": True,
        "scale": "interval",
        "params": {"interval": "auto", "includeEmptyRows": True, "dropPartials": False},
    }


def by(field: str, label: str, *, ordered_by: str) -> Json:
    """Return the column that groups by the most frequent values of a field."""
    return {
        "label": label,
        "customLabel": True,
        "dataType": "string",
        "operationType": "terms",
        "sourceField": field,
        "isBucketed": True,
        "scale": "ordinal",
        "params": {
            "size": 12,
            "orderBy": {"type": "column", "columnId": ordered_by},
            "orderDirection": "desc",
            "otherBucket": True,
            "missingBucket": False,
            "parentFormat": {"id": "terms"},
        },
    }


def total(field: str, label: str, *, unit: str = "number") -> Json:
    """Return the column that adds up a field."""
    return {
        "label": label,
        "customLabel": True,
        "dataType": "number",
        "operationType": "sum",
        "sourceField": field,
        "isBucketed": False,
        "scale": "ratio",
        "params": {"emptyAsNull": True, "format": {"id": unit, "params": {"decimals": 0}}},
    }


def documents(label: str) -> Json:
    """Return the column that counts events."""
    return {
        "label": label,
        "customLabel": True,
        "dataType": "number",
        "operationType": "count",
        "sourceField": "___records___",
        "isBucketed": False,
        "scale": "ratio",
        "params": {"emptyAsNull": False},
    }


# ---------------------------------------------------------------- panels
def number(title: str, column: Json, query: str) -> Json:
    """Return a panel that shows one number."""
    shown = {"layerId": LAYER, "layerType": "data", "metricAccessor": "value"}
    return lens(title, "lnsMetric", shown, {"value": column}, query)


def bars(title: str, column: Json, field: str, label: str, query: str) -> Json:
    """Return a panel of bars over time, one colour a value of a field."""
    columns = {"group": by(field, label, ordered_by="value"), "time": over_time(), "value": column}
    layer = {
        "layerId": LAYER,
        "layerType": "data",
        "seriesType": "bar_stacked",
        "xAccessor": "time",
        "splitAccessor": "group",
        "accessors": ["value"],
    }
    shown = {
        "preferredSeriesType": "bar_stacked",
        "legend": {"isVisible": True, "position": "right"},
        "valueLabels": "hide",
        "layers": [layer],
    }
    return lens(title, "lnsXY", shown, columns, query)


def table(title: str, groups: dict[str, str], values: dict[str, Json], query: str) -> Json:
    """Return a panel that lists values by groups: `groups` from field to label."""
    first = next(iter(values))
    columns = {f"by_{field}": by(field, label, ordered_by=first) for field, label in groups.items()} | values
    shown = {
        "layerId": LAYER,
        "layerType": "data",
        "columns": [{"columnId": name, "isTransposed": False} for name in columns],
        "sorting": {"columnId": first, "direction": "desc"},
    }
    return lens(title, "lnsDatatable", shown, columns, query)


def lens(title: str, kind: str, shown: Json, columns: Json, query: str) -> Json:
    """Return a visualization; its data view is named when it is put on a dashboard."""
    layer = {"columnOrder": list(columns), "columns": columns, "incompleteColumns": {}}
    return {
        "title": title,
        "description": "",
        "type": "lens",
        "visualizationType": kind,
        "state": {
            "visualization": shown,
            "query": {"language": "kuery", "query": query},
            "filters": [],
            "datasourceStates": {"formBased": {"layers": {LAYER: layer}}, "textBased": {"layers": {}}},
            "internalReferences": [],
            "adHocDataViews": {},
        },
    }


# ---------------------------------------------------------------- the dashboard
def ingest_panels() -> list[tuple[Json, tuple[int, int, int, int]]]:
    """Return the panels with where they are: x, y, width, height."""
    runs, failures, broken = "kind: run", "kind: failure", "kind: run and state: failed"
    return [
        (number("Papers indexed", total("papers", "papers"), f"{runs} and stage: index"), (0, 0, 12, 6)),
        (number("Papers that failed", total("failures", "papers"), runs), (12, 0, 12, 6)),
        (number("Stages ended by an error", documents("runs"), broken), (24, 0, 12, 6)),
        (number("Written into the lake", total("bytes", "bytes", unit="bytes"), runs), (36, 0, 12, 6)),
        (bars("Papers per stage", total("papers", "papers"), "stage", "stage", runs), (0, 6, 48, 12)),
        (bars("Failures by error", total("failed", "papers"), "error", "error", failures), (0, 18, 24, 12)),
        (bars("Seconds per stage", total("seconds", "seconds"), "stage", "stage", runs), (24, 18, 24, 12)),
        (
            bars("Bytes per stage", total("bytes", "bytes", unit="bytes"), "stage", "stage", runs),
            (0, 30, 24, 12),
        ),
        (bars("Papers by machine", total("papers", "papers"), "host", "machine", runs), (24, 30, 24, 12)),
        (
            table(
                "Failures by stage and error",
                {"stage": "stage", "error": "error"},
                {"value": total("failed", "papers")},
                failures,
            ),
            (0, 42, 24, 12),
        ),
        (
            table(
                "Stages ended by an error",
                {"stage": "stage", "error": "error", "run": "run"},
                {"value": documents("runs")},
                broken,
            ),
            (24, 42, 24, 12),
        ),
    ]


def dashboard(prefix: str) -> Json:
    """Return the dashboard over the events of one prefix."""
    panels, references = [], []
    for place, (attributes, (x, y, width, height)) in enumerate(ingest_panels(), start=1):
        name, index = f"indexpattern-datasource-layer-{LAYER}", str(place)
        view = {"type": "index-pattern", "id": f"{prefix}-events", "name": name}
        references.append({**view, "name": f"{index}:{name}"})
        panels.append(
            {
                "type": "lens",
                "title": attributes["title"],
                "panelIndex": index,
                "gridData": {"x": x, "y": y, "w": width, "h": height, "i": index},
                "embeddableConfig": {"attributes": {**attributes, "references": [view]}, "enhancements": {}},
            }
        )
    options = {"useMargins": True, "syncColors": True, "syncCursor": True, "hidePanelTitles": False}
    attributes = {
        "title": "Citewell: ingestion",
        "description": "What each stage did: papers, failures, seconds and bytes.",
        "panelsJSON": dumps(panels),
        "optionsJSON": dumps(options),
        "timeRestore": True,
        "timeFrom": "now-30d",
        "timeTo": "now",
        "refreshInterval": {"pause": False, "value": 60_000},
        "kibanaSavedObjectMeta": {
            "searchSourceJSON": dumps({"query": {"language": "kuery", "query": ""}, "filter": []})
        },
        "version": 1,
    }
    return saved("dashboard", f"{prefix}-ingest", attributes, references, DASHBOARD_VERSION)


def saved(kind: str, key: str, attributes: Json, references: list[Json], version: str) -> Json:
    """Return one saved object."""
    return {
        "type": kind,
        "id": key,
        "attributes": attributes,
        "references": references,
        "managed": False,
        "coreMigrationVersion": CORE_VERSION,
        "typeMigrationVersion": version,
    }


def objects(prefix: str) -> list[Json]:
    """Return all saved objects, each after those it refers to."""
    units = {"bytes": {"id": "bytes"}, "seconds": {"id": "number", "params": {"pattern": "0,0.0"}}}
    return [
        data_view(prefix, "works", time="updated"),
        data_view(prefix, "passages", time="published"),
        data_view(prefix, "events", time="@timestamp", formats=units),
        dashboard(prefix),
    ]


def dumps(value: Any) -> str:
    """Return compact JSON: some fields of saved objects are JSON in a string."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def main() -> None:
    """Print one object a line, as Kibana's import wants them."""
    parser = argparse.ArgumentParser(description="Make Kibana's saved objects for Citewell.")
    parser.add_argument("--prefix", default="citewell", help="CITEWELL_INDEX_PREFIX (citewell)")
    for one in objects(parser.parse_args().prefix):
        print(dumps(one))


if __name__ == "__main__":
    main()
