"""The arguments and options that commands share, each written once.

Only typer and the standard library are imported here: `citewell --help` stays fast. The literals are
those of search.models, which needs pydantic; a test compares the two.
"""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer

Mode: TypeAlias = Literal["hybrid", "lexical", "semantic"]
Withdrawn: TypeAlias = Literal["include", "exclude", "only"]


class Licence(StrEnum):
    """Licence classes; an enumeration because typer reads no list of literals."""

    open = "open"
    restricted = "restricted"
    arxiv = "arxiv"
    unknown = "unknown"


# ------------------------------------------------------------------ of every command
HomeOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--home",
        metavar="DIR",
        help="Folder of the library (else CITEWELL_HOME, else the user's data folder).",
    ),
]
JsonOption: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON, also on a terminal.")]
HumanOption: TypeAlias = Annotated[
    bool, typer.Option("--human", help="Print the rendered view, also into a pipe.")
]

# ------------------------------------------------------------------ what a command is about
Query: TypeAlias = Annotated[
    list[str], typer.Argument(metavar="QUERY", help="Words to search for, quoted or not.")
]
Question: TypeAlias = Annotated[
    list[str], typer.Argument(metavar="QUESTION", help="The question, as a sentence, quoted or not.")
]
WorkId: TypeAlias = Annotated[
    str, typer.Argument(metavar="ID", help="A paper: 2101.00001, math/0501170, with or without version.")
]
WorkIds: TypeAlias = Annotated[
    list[str],
    typer.Argument(metavar="ID…", help="Papers: 2101.00001, math/0501170, with or without version."),
]

# ------------------------------------------------------------------ how to search
Limit: TypeAlias = Annotated[int, typer.Option("--limit", "-n", metavar="N", min=1, help="Papers to return.")]
Threshold: TypeAlias = Annotated[
    float | None,
    typer.Option("--threshold", metavar="T", help="Leave out papers whose final score is lower."),
]
YearFrom: TypeAlias = Annotated[
    int | None, typer.Option("--year-from", metavar="Y", help="First year of first publication.")
]
YearTo: TypeAlias = Annotated[
    int | None, typer.Option("--year-to", metavar="Y", help="Last year of first publication.")
]
Categories: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--category", "-c", metavar="C", help="Category (cs.CL) or archive (cs); repeat for: any of these."
    ),
]
Authors: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--author",
        "-a",
        metavar="A",
        help="Full name, surname, or initial and surname; repeat for: all of these.",
    ),
]
Ids: TypeAlias = Annotated[
    list[str] | None, typer.Option("--id", metavar="ID", help="Only these papers; repeatable.")
]
Licences: TypeAlias = Annotated[
    list[Licence] | None,
    typer.Option(
        "--licence", metavar="open|restricted|arxiv|unknown", help="Licence class; repeat for: any of these."
    ),
]
WithdrawnOption: TypeAlias = Annotated[
    Withdrawn,
    typer.Option("--withdrawn", metavar="include|exclude|only", help="What to do with withdrawn papers."),
]
ModeOption: TypeAlias = Annotated[
    Mode, typer.Option("--mode", metavar="hybrid|lexical|semantic", help="Words, meaning, or both.")
]
Hops: TypeAlias = Annotated[
    int, typer.Option("--hops", metavar="N", min=0, max=2, help="Steps along the citation graph.")
]
Explain: TypeAlias = Annotated[
    bool, typer.Option("--explain", help="Show every score and passage (JSON always has them).")
]


# ------------------------------------------------------------------ harvesting
def day(text: str) -> date:
    """Return the day that a person wrote."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(f"{text} is no day; write YYYY-MM-DD") from None


From: TypeAlias = Annotated[
    date | None,
    typer.Option(
        "--from",
        metavar="D",
        parser=day,
        help="First day of changes, as 2026-11-30 (else where the last harvest ended).",
    ),
]
Until: TypeAlias = Annotated[
    date | None,
    typer.Option(
        "--until",
        metavar="D",
        parser=day,
        help="Last day of changes, inclusive (else today).",
    ),
]
