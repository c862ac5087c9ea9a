"""The command tree. Nothing heavy is imported here: `citewell --help` shows the cost of this module."""

from __future__ import annotations

from typing import Annotated

import typer

from search.cli import finding, keeping, linking, operating, watching
from search.cli.options import HomeOption
from search.cli.surface import command

# rich_markup_mode=None: help rendered by rich takes 240 ms instead of 85.
app = typer.Typer(
    name="citewell",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
index = typer.Typer(
    rich_markup_mode=None, no_args_is_help=True, help="Build, rebuild, check, roll back or compact the index."
)

watch = typer.Typer(rich_markup_mode=None, no_args_is_help=True, help="Saved searches on what is new.")


def _version(wanted: bool) -> None:
    if wanted:
        from search import __version__

        print(f"citewell {__version__}")
        raise typer.Exit


@app.callback()
def citewell(
    home: HomeOption = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Answer questions from arXiv papers; every sentence of the answer can be checked.

    Results are JSON when piped or with --json, and rendered on a terminal or with --human. Progress goes
    to stderr. Exit codes: 0 success (also for no hits), 1 failure, 2 wrong usage.
    """


app.command()(command(operating.demo))
app.command()(command(keeping.harvest))
app.command()(command(keeping.fetch))
app.command()(command(keeping.add))
app.command("list")(command(keeping.list_))
app.command()(command(keeping.info))
app.command()(command(keeping.update))
app.command()(command(keeping.remove))
app.command()(command(keeping.parse))
app.command()(command(linking.link))
app.command()(command(finding.search))
app.command()(command(finding.semantic))
app.command()(command(finding.similar))
app.command()(command(finding.ask))
app.add_typer(index, name="index")
app.add_typer(watch, name="watch")
watch.command("add")(command(watching.watch_add))
watch.command("list")(command(watching.watch_list))
watch.command("run")(command(watching.watch_run))
watch.command("remove")(command(watching.watch_remove))
index.command()(command(operating.build))
index.command()(command(operating.rebuild))
index.command()(command(operating.check))
index.command()(command(operating.compact))
index.command()(command(operating.rollback))
app.command("eval")(command(operating.eval_))
app.command()(command(operating.doctor))
app.command()(command(operating.serve))
