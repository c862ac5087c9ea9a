"""What every command is given: where the library is, and how to show results and progress."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

import typer

from search.cli.options import HomeOption, HumanOption, JsonOption

if TYPE_CHECKING:
    from rich.console import Console

    from search.library import Library
    from search.progress import ProgressSink
    from search.settings import Settings


@dataclass(frozen=True, slots=True)
class Surface:
    """How one run of one command talks to the person or the program that started it."""

    home: Path | None
    as_json: bool

    def settings(self) -> Settings:
        """Return the settings of the environment, with `--home` over them."""
        from search.settings import read_settings

        return read_settings(home=self.home.expanduser().absolute()) if self.home else read_settings()

    @contextmanager
    def library(self) -> Iterator[Library]:
        """Open the library; its warnings go to stderr."""
        import logging

        from search.library import Library

        logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s", stream=sys.stderr)
        with Library(self.settings()) as library:
            yield library

    @contextmanager
    def progress(self) -> Iterator[ProgressSink]:
        """Give a callback that shows progress on stderr."""
        from search.cli.progress import showing

        with showing(sys.stderr) as report:
            yield report

    def show(self, result: object, view: Callable[[Console], None]) -> None:
        """Write to stdout: `result` as JSON, or what `view` prints of it."""
        if self.as_json:
            from search.cli.output import write_json

            write_json(result)
            return
        from rich.console import Console

        class Pipe(Console):
            """A console whose reader may leave early: rich would exit 1, `search.cli.run` knows better."""

            def on_broken_pipe(self) -> None:
                raise BrokenPipeError

        # Titles are not markup, and numbers in quotes are no numbers to paint.
        view(Pipe(file=sys.stdout, markup=False, highlight=False, emoji=False))


def command(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that all share, as its first argument, a `Surface`.

    typer reads a function's signature; this writes the signature so that no command can lack `--home`,
    `--json` or `--human`, which override the ones given before the command's name.
    """
    hints = get_type_hints(function, include_extras=True)
    own = [p.replace(annotation=hints[p.name]) for p in inspect.signature(function).parameters.values()][1:]
    shared = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, default, annotation in (
            ("context", inspect.Parameter.empty, typer.Context),
            ("home", None, HomeOption),
            ("json", False, JsonOption),
            ("human", False, HumanOption),
        )
    ]

    def run(*, context: typer.Context, home: Path | None, json: bool, human: bool, **given: Any) -> None:
        if json and human:
            raise typer.BadParameter("--json and --human exclude each other")
        surface = Surface(
            home or context.find_root().params.get("home"), json or not (human or sys.stdout.isatty())
        )
        function(surface, **given)

    parameters = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own] + shared
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    run.__name__, run.__doc__, run.__module__ = function.__name__, function.__doc__, function.__module__
    return run
