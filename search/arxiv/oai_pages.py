"""OAI-PMH answers as bytes: what can be done to one that is kept without parsing it whole."""

from __future__ import annotations

import re
from collections.abc import Collection

from search.arxiv.identifiers import parse
from search.errors import BadIdentifier

#: A record, the last of a truncated page included.
_RECORD = re.compile(rb"<((?:[\w.-]+:)?record)(?:\s[^>]*)?>.*?(?:</\1\s*>|\Z)", re.DOTALL)
_IDENTIFIER = re.compile(rb"<(?:[\w.-]+:)?identifier>\s*([^<\s]+)\s*</")


def without_records(page: bytes, ids: Collection[str]) -> bytes:
    """Return a page without the records of these works; the same page where it has none of them.

    What is left is well-formed where the page was. Other records that name these works stay.
    """
    if not any(work_id.encode() in page for work_id in ids):
        return page
    return _RECORD.sub(lambda found: b"" if _work_id(found[0]) in ids else found[0], page)


def _work_id(record: bytes) -> str:
    """Return the work that a record's header names; empty: none."""
    found = _IDENTIFIER.search(record)
    try:
        return parse(found[1].decode("ascii", "replace")).work_id if found else ""
    except BadIdentifier:
        return ""
