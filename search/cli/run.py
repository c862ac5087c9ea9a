"""Running one command line: from arguments to an exit code, whatever happens in between."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence

import typer
from typer.main import get_command

from search.cli.app import app
from search.cli.output import write_error
from search.errors import CitewellError, UsageError

FAILURE, USAGE, INTERRUPTED = 1, 2, 130
#: Commands that keep what they have finished, and go on from there.
RESUMED = {"demo", "harvest", "fetch", "add", "build", "rebuild", "rollback", "doctor"}
#: What the operating system says where the right to write is missing.
_REFUSED = {errno.EACCES, errno.EPERM, errno.EROFS}


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; every failure ends in one line, not in a traceback.

    An exception that Citewell does not raise on purpose is a fault of the program: its traceback stays.
    """
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if not os.environ.get("COLUMNS", "1").isdecimal() or os.environ.get("COLUMNS") == "0":
        del os.environ["COLUMNS"]  # a width of nothing shows nothing
    for stream in (sys.stdout, sys.stderr):  # a title must not crash a terminal that cannot show it
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="replace")
    try:
        code = _invoke(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        kept = RESUMED.intersection(arguments)
        more = " What was finished is kept; run the same command again to go on." if kept else ""
        print(f"\nInterrupted.{more}", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        _forget_stdout()
        return 0
    except OSError as failure:  # telling the error failed too: stdout itself is a full disk
        _forget_stdout()
        print(f"Error: the output could not be written: {failure.strerror}", file=sys.stderr)
        return FAILURE
    return code


def _invoke(arguments: list[str]) -> int:
    """Parse and run; turn what Citewell and typer raise on purpose into messages and exit codes."""
    as_json = wants_json(arguments)
    try:
        with get_command(app).make_context("citewell", list(arguments or ["--help"])) as context:
            context.command.invoke(context)
    except typer.Exit as leave:
        return leave.exit_code
    except typer.Abort:
        raise KeyboardInterrupt from None
    except typer.TyperException as wrong:
        if show := getattr(wrong, "show", None):
            show()
        if as_json and arguments:
            # A group without a command has its whole help for a message, which stderr has already.
            message = wrong.format_message()
            message = "a command is missing" if message.startswith("Usage:") else message
            write_error("UsageError", message, "citewell --help lists the commands", quiet=True)
        return wrong.exit_code
    except CitewellError as failure:
        write_error(failure.code, failure.message, failure.advice, as_json=as_json)
        return USAGE if isinstance(failure, UsageError) else FAILURE
    except BrokenPipeError:
        raise
    except OSError as failure:
        name = f"{failure.filename}: " if failure.filename else ""
        advice = "check who may read and write there" if failure.errno in _REFUSED else ""
        write_error(type(failure).__name__, f"{name}{failure.strerror or failure}", advice, as_json=as_json)
        return FAILURE
    return 0


def wants_json(arguments: Sequence[str]) -> bool:
    """Return whether an error must be JSON too: said by flag, else by where stdout goes.

    The same rule as `search.cli.surface` applies, but it must hold for arguments that do not parse.
    """
    options = [a for a in arguments if a in {"--json", "--human"}]
    return options[-1] == "--json" if options else not sys.stdout.isatty()


def _forget_stdout() -> None:
    """Point stdout at nothing: nobody reads it any more, and the flush at exit must not say so."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
