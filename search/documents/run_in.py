"""Run-in headings: "5.1. Invariants of curves. One natural …", with the text on the heading's line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from search.documents.lines import TextLine, split_line
from search.documents.pages import Span

#: Only numbered ones of level 2 and deeper: what is bold at the beginning of a paragraph and has no number
#: is as often a term that is defined, an item of a list or the name of a theorem.
_NUMBERED = re.compile(r"(?:\d{1,2}(?:\.\d{1,2}){1,3}\.?|\d{1,2}\))\s+\S")


def split_run_in(lines: Sequence[TextLine]) -> list[TextLine]:
    """Return the lines; where one begins with a numbered heading in another style, heading and text apart."""
    found: list[TextLine] = []
    for line in lines:
        at = _end_of_heading(line) if _NUMBERED.match(line.text) else None
        if at is None:
            found.append(line)
        else:
            heading, rest = split_line(line, at)
            found += [heading, rest] if heading.text and rest.text else [line]
    return found


def _end_of_heading(line: TextLine) -> int | None:
    """Return the index of the first span after the heading: the style changes after a full stop or colon."""
    spans = [(index, span) for index, span in enumerate(line.spans) if span.text.strip()]
    title = [(index, span) for index, span in spans if any(map(str.isalpha, span.text))]
    if len(title) < 2:
        return None
    style = _style(title[0][1])
    for (_, before), (index, span) in pairwise(spans):
        if index > title[0][0] and before.text.rstrip().endswith((".", ":")) and _style(span) != style:
            return index
    return None


def _style(span: Span) -> tuple[str, bool]:
    return span.font, span.bold
