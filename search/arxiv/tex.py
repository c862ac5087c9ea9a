r"""LaTeX accents and spaces in arXiv's metadata, written as Unicode: `Bal\'azs` is `Balázs`.

Only letters are touched. Formulas (`$...$`), fonts (`{\it ...}`) and quotation marks stay as the
authors typed them, because a quote of an abstract must be found in it.
"""

from __future__ import annotations

import re
import unicodedata

#: TeX's accents, as the combining character that does the same.
_ACCENTS = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307",
    "u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "k": "\u0328", "r": "\u030a", "d": "\u0323",
    "b": "\u0331",
}  # fmt: skip
_LETTERS = {
    "ss": "ß", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ",
    "aa": "å", "AA": "Å", "dh": "ð", "DH": "Ð", "dj": "đ", "DJ": "Đ", "th": "þ", "TH": "Þ",
    "ng": "ŋ", "NG": "Ŋ", "i": "\u0131", "j": "\u0237",
}  # fmt: skip

_FORMULA = re.compile(r"(?<!\\)(\$\$.+?(?<!\\)\$\$|\$.+?(?<!\\)\$|\\\(.+?\\\)|\\\[.+?\\\])", re.DOTALL)
# The letter an accent stands on: `e`, `{e}`, `\i`, `{\i}`; accents may nest (`\'{\^e}`), inner ones go first.
_BASE = (
    r"(?:\{\s*(?:\\(?P<dotless_braced>[ij])|(?P<braced>[^\W\d_][\u0300-\u036f]*))\s*\}"
    r"|\\(?P<dotless>[ij])(?![A-Za-z])\s?|(?P<bare>[^\W\d_][\u0300-\u036f]*))"
)
_MARK = re.compile(r"\\(?P<mark>['`^\"~=.])\s*" + _BASE)
_WORD_MARK = re.compile(r"\\(?P<mark>[uvHckrdb])(?:\s+|(?=[{\\]))" + _BASE)
_LETTER = re.compile(
    rf"\\(?P<letter>{'|'.join(sorted(_LETTERS, key=len, reverse=True))})(?:\{{\}}|(?![A-Za-z])\s?)"
)
# `{é}` is left of `{\'e}`, and `{ø}` of `{\o}`.
_LONE_BRACES = re.compile(r"\{([^\W\d_A-Za-z][\u0300-\u036f]*)\}")
_ESCAPED = re.compile(r"\\([&%#_])")


def to_unicode(text: str) -> str:
    r"""Return `text` with TeX's accented and special letters as Unicode, in one line, in NFC.

    >>> to_unicode(r"C. Bal\'azs and Fran\c{c}ois {\O}rsted")
    'C. Balázs and François Ørsted'
    """
    if "\\" in text or "~" in text:
        parts = _FORMULA.split(text)
        # Odd parts are formulas.
        text = "".join(part if i % 2 else _letters(part) for i, part in enumerate(parts))
    flat = text.replace("\n ", " ").replace("\n", " ")
    if flat.isascii() and flat.isprintable() and "  " not in flat:
        return flat.strip()  # the same as below, four times as fast; most abstracts are such
    return unicodedata.normalize("NFC", " ".join(text.split()))


def _letters(text: str) -> str:
    if "\\" not in text and "~" not in text:
        return text
    previous = None
    while previous != text:
        previous = text
        text = _WORD_MARK.sub(_accented, _MARK.sub(_accented, text))
    text = _LETTER.sub(lambda match: _LETTERS[match["letter"]], text)
    text = _ESCAPED.sub(r"\1", _LONE_BRACES.sub(r"\1", unicodedata.normalize("NFC", text)))
    # A tie is a space (`J.~Smith`); not so in `z~2.5` and in addresses (`/~gould`).
    return re.sub(r"(?<=[\w.,])~(?=[^\W\d_])|\\ ", " ", text)


def _accented(match: re.Match[str]) -> str:
    letter = match["dotless_braced"] or match["dotless"] or match["braced"] or match["bare"]
    return unicodedata.normalize("NFC", letter[:1] + _ACCENTS[match["mark"]] + letter[1:])
