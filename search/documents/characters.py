"""Characters: ligatures and mathematical letters written out, accents put on their letters.

Never NFKC over the whole text: it turns 10² into 102.
"""

# ruff: noqa: RUF001, RUF002 - the characters are meant as they are
from __future__ import annotations

import re
import unicodedata
from collections import Counter

#: Ligatures (U+FB00 to U+FB06), mathematical alphanumerics (U+1D400 to U+1D7FF) and the Planck constant
#: that fills the gap among the italics; spaces of all widths; what has no width at all.
_EXPANSIONS: dict[int, str | None] = {
    **{code: unicodedata.normalize("NFKC", chr(code)) for code in (*range(0xFB00, 0xFB07), 0x210E)},
    **{
        code: unicodedata.normalize("NFKC", chr(code))
        for code in range(0x1D400, 0x1D800)
        if unicodedata.name(chr(code), "")
    },
    **dict.fromkeys((0x09, 0x0A, 0x0D, 0xA0, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000), " "),
    **dict.fromkeys((*range(0x09), 0x0B, 0x0C, *range(0x0E, 0x20), 0x7F, *range(0x80, 0xA0)), None),
    **dict.fromkeys((0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF), None),
}

#: An accent that TeX's old fonts draw as a character of its own before its letter.
ACCENTS = {
    "´": "\u0301", "¨": "\u0308", "ˆ": "\u0302", "˜": "\u0303", "ˇ": "\u030c", "˘": "\u0306",
    "˚": "\u030a", "¯": "\u0304", "˙": "\u0307", "˝": "\u030b",
}  # fmt: skip
_ACCENTED = re.compile("([" + "".join(ACCENTS) + "]) ?([A-Za-zıȷ])")
#: A grave accent is a back quote's twin: it counts within a word, and as the word "à".
_GRAVE = re.compile(r"(?<=[^\W\d_])`([AEIOUaeiouı])|(?<!\S)` ?([Aa])(?=\s)")
#: A cedilla is drawn after its letter, or before it where the letter's own font lacks the place.
_CEDILLA = re.compile(r"([cCsSt]) ?¸|¸ ?([cCsSt])")
_DOTLESS = {"ı": "i", "ȷ": "j"}


def expand(text: str) -> str:
    """Return `text` with ligatures and mathematical letters written out, and without control characters.

    >>> expand("conﬁned 𝒙²")
    'confined x²'
    """
    return text if text.isascii() and text.isprintable() else text.translate(_EXPANSIONS)


def compose_accents(text: str) -> str:
    """Return `text` with free-standing accents put on the letter that follows.

    >>> compose_accents("Montr´eal, Erd˝os, Rivi`ere, Franc¸a")
    'Montréal, Erdős, Rivière, França'
    """
    if "`" in text:
        text = _GRAVE.sub(_with_grave, text)
    if text.isascii():
        return text
    if "¸" in text:
        text = _CEDILLA.sub(_with_cedilla, text)
    return _ACCENTED.sub(_composed, text)


def _with_grave(match: re.Match[str]) -> str:
    letter = match[1] or match[2]
    return unicodedata.normalize("NFC", _DOTLESS.get(letter, letter) + "\u0300")


def _with_cedilla(match: re.Match[str]) -> str:
    return unicodedata.normalize("NFC", (match[1] or match[2]) + "\u0327")


def _composed(match: re.Match[str]) -> str:
    letter = _DOTLESS.get(match[2], match[2])
    both = unicodedata.normalize("NFC", letter + ACCENTS[match[1]])
    return both if len(both) == 1 else match[0]


#: All of ASCII that is printed is readable.
_NOT_PLAIN = re.compile(r"[^ -~]")


def readable_share(texts: list[str]) -> float:
    """Return the share of characters that are letters, digits, punctuation, mathematical signs or space."""
    whole = "".join(texts)
    counts = Counter(_NOT_PLAIN.findall(whole))
    total = len(whole)
    bad = sum(n for c, n in counts.items() if not _is_readable(c))
    return (total - bad) / total if total else 0.0


def _is_readable(character: str) -> bool:
    category = unicodedata.category(character)
    return character.isspace() or category[0] in "LNPM" or category in {"Sm", "Sc", "Sk"}
