"""The view of every other result: its fields by name, nested ones indented, lists of records as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic_core import to_jsonable_python
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from search.cli.text import line, shorten

#: Rows of a table shown before the rest is counted; JSON has them all.
ROWS_SHOWN = 50
#: Longest cell of a table, in characters.
CELL = 120


def show_report(console: Console, report: Any) -> None:
    """Print a model, a mapping or a list by its structure alone."""
    console.print(_render(to_jsonable_python(report)))


def _render(value: Any) -> RenderableType:
    if isinstance(value, Mapping):
        return _fields(value)
    if _is_records(value):
        return _table(value)
    if isinstance(value, list):
        return Text("\n".join(f"- {_scalar(item)}" for item in value) or "none")
    return Text(_scalar(value), style=_style(value))


def _fields(fields: Mapping[str, Any]) -> RenderableType:
    """Scalars beside their names; whatever has structure of its own below."""
    plain = Table.grid(padding=(0, 2))
    plain.add_column(style="bold", no_wrap=True)
    plain.add_column()
    nested: list[RenderableType] = []
    for name, value in fields.items():
        if _is_plain(value):
            plain.add_row(_words(name), Text(_scalar(value), style=_style(value)))
        elif value:
            nested += [Text(_words(name), style="bold"), Padding(_render(value), (0, 0, 0, 2))]
    return Group(*([plain] if plain.row_count else []), *nested)


def _table(records: Sequence[Mapping[str, Any]]) -> RenderableType:
    names = list(dict.fromkeys(name for record in records for name in record))
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in names:
        numeric = all(isinstance(record.get(name), int | float | None) for record in records)
        table.add_column(_words(name), justify="right" if numeric else "left", overflow="fold")
    for record in records[:ROWS_SHOWN]:
        table.add_row(
            *(
                Text(shorten(_scalar(record.get(name)), CELL), style=_style(record.get(name)))
                for name in names
            )
        )
    more = len(records) - ROWS_SHOWN
    return Group(table, Text(f"and {more:,} more (--json has all)", style="dim")) if more > 0 else table


def _is_records(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) for item in value)


def _is_plain(value: Any) -> bool:
    """Whether a value fits on the line of its name: scalars, short lists of scalars, what is empty."""
    if isinstance(value, list):
        return all(not isinstance(item, list | Mapping) for item in value) and len(_scalar(value)) <= CELL
    return not isinstance(value, Mapping)


def _scalar(value: Any) -> str:
    match value:
        case None:
            shown = "-"
        case bool():
            shown = "yes" if value else "no"
        case int():
            shown = f"{value:,}" if abs(value) >= 10_000 else str(value)  # a year is no 2,024
        case float():
            shown = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
        case list():
            shown = ", ".join(_scalar(item) for item in value) or "none"
        case Mapping():
            shown = ", ".join(f"{_words(name)} {_scalar(item)}" for name, item in value.items()) or "none"
        case _:
            shown = line(str(value))
    return shown


def _style(value: Any) -> str:
    return "red" if value is False else ""


def _words(name: str) -> str:
    return line(str(name)).replace("_", " ")
