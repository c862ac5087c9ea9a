"""Sums, integrals, large brackets and roots of TeX's extension font, which say letters in most PDFs.

The glyphs of CMEX10 have names that no list of Unicode has ("summationdisplay"), so readers hand over their
codes: "P" and "X" for a sum, "s" for a root, a control character for a bracket. The codes are those of the
OMX encoding (D. Knuth, Computer Modern Typefaces; LaTeX Project, encguide.pdf).
"""

# ruff: noqa: RUF001 - the characters are meant as they are
from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from search.documents.pages import Page, Span

_FONT = re.compile(r"(?:^|\+)(?:CMEX|txex|pxex|LMMathExtension|BLEX|EUEX)", re.IGNORECASE)

_BRACKETS = "()[]⌊⌋⌈⌉{}⟨⟩"
_ROWS = {
    0x00: _BRACKETS + "|‖/\\",
    0x10: "()" + _BRACKETS + "/\\",
    # 0x20 may be a space that the reader put in; a round bracket may come from a table of the file's own.
    0x21: ")[]⌊⌋⌈⌉",
    0x2A: "⟨⟩/\\/",
    0x30: "()[]",
    0x38: "{}",
    0x44: "⟨⟩⊔⊔∮∮⊙⊙⊕⊕⊗⊗",
    0x50: "∑∏∫⋃⋂⊎⋀⋁∑∏∫",
    0x5E: "⋀⋁∐∐ˆˆˆ˜˜˜[]⌊⌋⌈⌉{}",
    0x70: "√√√√√",
    0x78: "↑↓",
}
#: The middles and ends of brackets that are put together of pieces, and of braces over a formula.
_PIECES = (*range(0x34, 0x38), *range(0x3A, 0x44), 0x75, 0x76, 0x77, 0x7A)
_SIGNS: dict[int, str | None] = {code + i: sign for code, row in _ROWS.items() for i, sign in enumerate(row)}
_SIGNS |= dict.fromkeys(_PIECES)
#: Pieces that Adobe's list of glyph names knows, in its private range: one end stands for the bracket.
_SIGNS |= {0xF8EB: "(", 0xF8F6: ")", 0xF8EE: "[", 0xF8F9: "]", 0xF8F1: "{", 0xF8FC: "}"}
_SIGNS |= {code: None for code in range(0xF8E5, 0xF8FF) if code not in _SIGNS}


@lru_cache(maxsize=4096)
def is_extension(font: str) -> bool:
    """Return whether a font is TeX's for signs larger than a line."""
    return _FONT.search(font) is not None


#: Width of the bracket whose code is that of a space, in sizes: 0.792; spaces that a reader puts in differ.
_BRACKET_WIDTH = (0.77, 0.83)


def write_signs(pages: Sequence[Page]) -> None:
    """Write the signs of extension fonts as what they are, in the pages' spans.

    Codes that a reader could have had from a table of the file's own (a plain round bracket) stay. Of a line
    that is put together of pieces above one another, one stays.
    """
    for page in pages:
        for line in page.lines:
            before: Span | None = None
            for span in line.spans:
                if is_extension(span.font):
                    span.text = _written(span, before)
                    if span.text == " ":
                        continue
                before = span


def _written(span: Span, before: Span | None) -> str:
    if span.text == " ":
        width = (span.x1 - span.x0) / max(span.size, 0.1)
        return "(" if _BRACKET_WIDTH[0] <= width <= _BRACKET_WIDTH[1] else " "
    text = span.text.translate(_SIGNS)
    repeated = text in {"|", "‖"} and before is not None and before.text == text
    return " " if not text or (repeated and before is not None and abs(before.x0 - span.x0) < 1) else text
