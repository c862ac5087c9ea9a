"""Making text from outside safe to show: titles and quotes come from strangers, terminals obey them."""

from __future__ import annotations

import re

#: Terminal control sequences of ECMA-48: CSI, then OSC, DCS, SOS, PM and APC with their strings, then
#: the two-character escapes. An unterminated string is cut at the end of its line.
_SEQUENCES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]"
)
#: Control characters, line and paragraph separators, and the marks that reorder text on a screen
#: (Unicode TR 9). Newline and tab are white space and stay.
_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff"
_CONTROL = re.compile(f"[{_CONTROLS}]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
#: What JSON leaves unescaped and a terminal may still obey.
_JSON_UNSAFE = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


def clean(text: str) -> str:
    """Return `text` without anything that a terminal would obey, its line breaks kept."""
    return _LONE_SURROGATE.sub("\ufffd", _CONTROL.sub("", _SEQUENCES.sub("", text.replace("\r\n", "\n"))))


def line(text: str) -> str:
    """Return `text` cleaned and on one line, with single spaces."""
    return " ".join(clean(text).split())


def shorten(text: str, length: int) -> str:
    """Return `text` on one line, at most `length` characters, cut between words and marked by an ellipsis."""
    whole = line(text)
    if len(whole) <= length:
        return whole
    cut = whole[: length - 1]
    return (cut.rsplit(" ", 1)[0] if " " in cut[length // 2 :] else cut) + "…"


def json_safe(text: str) -> str:
    """Return JSON text with the characters escaped that a terminal might obey; the values stay equal."""
    return _JSON_UNSAFE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def counted(number: int, one: str, many: str = "") -> str:
    """Return the number with its noun: `1 paper`, `2,000 papers`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
