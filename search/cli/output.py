"""Writing results: JSON for programs, and errors for both."""

from __future__ import annotations

import json
import sys
from typing import Any

from search.cli.text import clean, json_safe


def write_json(value: Any) -> None:
    """Write a model, or a list of models, as one JSON document in UTF-8 to stdout."""
    from pydantic_core import to_json

    _write_utf8(json_safe(to_json(value, indent=2).decode()))


def write_error(code: str, message: str, advice: str, *, as_json: bool = False, quiet: bool = False) -> None:
    """Tell a failure: on stderr for a person, and with `as_json` or `quiet` (JSON alone) on stdout too.

    A program that reads stdout so always gets one JSON document: the result, or
    `{"error": {"code", "message", "advice"}}`.
    """
    if not quiet:
        print(f"Error: {clean(message)}", file=sys.stderr)
        if advice:
            print(f"  {clean(advice)}", file=sys.stderr)
    if as_json or quiet:
        error = {"error": {"code": code, "message": message, "advice": advice}}
        _write_utf8(json_safe(json.dumps(error, indent=2, ensure_ascii=False)))


def _write_utf8(text: str) -> None:
    """Write a line to stdout: JSON is UTF-8 whatever the terminal's locale says (RFC 8259, section 8.1)."""
    data = text.encode("utf-8", "replace") + b"\n"
    if buffer := getattr(sys.stdout, "buffer", None):
        sys.stdout.flush()
        buffer.write(data)
        buffer.flush()
    else:
        sys.stdout.write(data.decode())
