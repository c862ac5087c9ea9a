"""The command `citewell`: a thin surface over `search.library`.

JSON on stdout when piped or with `--json`, a rendered view on a terminal or with `--human`; progress and
logs on stderr. Exit codes: 0 success (also for no hits), 1 failure, 2 wrong usage, 130 interrupted.
docs/cli.md is the contract.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code. `arguments` default to the process's own."""
    try:
        from search.cli.run import run
    except KeyboardInterrupt:
        print("\nInterrupted.", file=sys.stderr)
        return 130

    return run(arguments)
