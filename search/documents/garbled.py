"""Does a page's text say what is printed? Fonts with a wrong table of characters give other letters."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter

#: Share of each letter in English, in percent (Lewand, *Cryptological Mathematics*, 2000). Other languages in
#: Latin script are like it: French, German and Spanish have a cosine of 0.9 and more with it.
_ENGLISH = dict(
    zip(
        "etaoinshrdlcumwfgypbvkjxqz",
        (12.7, 9.06, 8.17, 7.51, 6.97, 6.75, 6.33, 6.09, 5.99, 4.25, 4.03, 2.78, 2.76, 2.41, 2.36, 2.23,
         2.02, 1.97, 1.93, 1.49, 0.98, 0.77, 0.15, 0.15, 0.10, 0.07),
        strict=True,
    )
)  # fmt: skip
_LENGTH = math.sqrt(sum(share**2 for share in _ENGLISH.values()))
#: Words of four letters and more: formulas, tables and chess games have few.
_WORD = re.compile(r"[a-z]{4,}")
#: Letters in such words, each word counted once, under which a page says too little about its letters.
ENOUGH_LETTERS = 300
#: Of 1,660 pages with enough letters (81 arXiv and 31 ACL papers) the least natural had 0.80. Letters mixed
#: up by chance have 0.59 on average.
NATURAL = 0.72
#: A page with so many articles is English, in a font whose table of characters is right.
_PLAIN_ENGLISH = 4
#: Share of characters without a meaning. The highest of those pages was 0.15, in a diagram of arrows.
_MEANINGLESS = 0.3


def naturalness(text: str) -> float | None:
    """Return the cosine between the page's letters and English ones; None where there are too few."""
    letters = "".join(dict.fromkeys(_WORD.findall(text.lower())))
    if len(letters) < ENOUGH_LETTERS:
        return None
    counts = [letters.count(letter) for letter in _ENGLISH]
    product = sum(share * count for share, count in zip(_ENGLISH.values(), counts, strict=True))
    return product / (_LENGTH * math.sqrt(sum(count**2 for count in counts)))


def is_garbled(text: str) -> bool:
    """Return whether the characters of a page are not those that are printed on it.

    Text in another script has no Latin words to judge by and passes.
    """
    if text.count(" the ") < _PLAIN_ENGLISH:  # which spares most pages the counting of letters
        natural = naturalness(text)
        if natural is not None and natural < NATURAL:
            return True
    if text.isprintable() and "\ufffd" not in text:
        return False
    meaningless = sum(n for character, n in Counter(text).items() if _is_meaningless(character))
    return len(text) >= ENOUGH_LETTERS and meaningless > _MEANINGLESS * len(text)


def _is_meaningless(character: str) -> bool:
    return character == "\ufffd" or (
        unicodedata.category(character) in {"Co", "Cn", "Cc"} and not character.isspace()
    )
