# ruff: noqa: RUF001 - the signs that papers print are the subject here
r"""The form that quotes are compared in: the same words and the same numbers, however they are typed.

Two spellings of one text meet here: line-break hyphens, ligatures, kinds of quotation marks and dashes,
spaces, and the notations of raised and lowered runs (`10⁴`, `10^4`, `10^{4}`, `10<sup>4</sup>`, `$10^4$`).
Two different numbers never do: `10^4` is not `104`, `1.5` is not `15`, `1,000` stays as it is printed.
Case is kept, because mW is not MW; only the first letter of a quote may differ.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ", "0123456789+-=()ni", strict=True))
_LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎", "0123456789+-=()", strict=True))
_RAISED_RUN = re.compile(f"[{''.join(_RAISED)}]+")
_LOWERED_RUN = re.compile(f"[{''.join(_LOWERED)}]+")

#: One character for each family. NFKC would do most of this, but turns 10² into 102 and 1½ into 11/2.
_PLAIN = str.maketrans(
    {
        **dict.fromkeys("‐‑‒–−﹣", "-"),
        **dict.fromkeys("—―", "—"),
        **dict.fromkeys("‘’‚‛ʼ´`", "'"),
        **dict.fromkeys("“”„‟«»", '"'),
        "ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st",
        "…": "...", "∗": "*", "∼": "~", "µ": "μ", "∙": "·", "⋅": "·",
    }
)  # fmt: skip
#: Characters that take no room on the page. Between two digits one still keeps them apart.
_INVISIBLE = re.compile("[\u200b-\u200d\u2060\ufeff]")
_INVISIBLE_BETWEEN_DIGITS = re.compile("(?<=\\d)[\u200b-\u200d\u2060\ufeff\u00ad]+(?=\\d)")
_SOFT_HYPHEN = re.compile("\u00ad\\s*")

_HTML_RUN = re.compile(r"<\s*(su[pb])\s*>\s*(.*?)\s*<\s*/\s*\1\s*>", re.IGNORECASE | re.DOTALL)
_COMMANDS = {
    r"\times": "×", r"\cdot": "·", r"\pm": "±", r"\leq": "≤", r"\le": "≤", r"\geq": "≥", r"\ge": "≥",
    r"\sim": "~", r"\approx": "≈", r"\neq": "≠", r"\%": "%", r"\&": "&", r"\_": "_",
}  # fmt: skip
_COMMAND = re.compile(r"\\(?:times|cdot|pm|leq?|geq?|sim|approx|neq)(?![A-Za-z])|\\[%&_]")
_SPACED_BRACES = re.compile(r"([\^_])\s*\{\s*([^{}]*?)\s*\}")
_BARE_RAISED = re.compile(r"\^\s?([+-]?\d+(?:\.\d+)?|[A-Za-z*](?![A-Za-z]))")
_BARE_LOWERED = re.compile(r"_([+-]?\d+|[A-Za-z](?![A-Za-z0-9]))")

_BEFORE_PUNCTUATION = re.compile(r"\s+([,;:.!?)\]%])(?!\d)")
_AFTER_BRACKET = re.compile(r"([(\[])\s+")
_AROUND_SIGN = re.compile(r"\s*([×·±=<>≤≥≈~])\s*")
_SPACED_DASH = re.compile(r"\s*(?:—|(?<=\s)--?-?(?=\s)(?=[^\d]*[^\W\d])|(?<=[^\W\d])---?(?=[^\W\d]))\s*")
_BROKEN_WORD = re.compile(r"(?<=[^\W\d])-\s+(?=[^\W\d])")
_HYPHEN = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")


@lru_cache(maxsize=4096)
def normalised(text: str) -> str:
    """Return `text` with one spelling for every character and notation; words keep their hyphens."""
    text = unicodedata.normalize("NFC", text)
    text = _INVISIBLE_BETWEEN_DIGITS.sub(" ", text)
    text = _SOFT_HYPHEN.sub("", _INVISIBLE.sub("", text))
    text = _HTML_RUN.sub(lambda m: f"{'^' if m[1].lower() == 'sup' else '_'}{{{m[2]}}}", text)
    # Where a formula's delimiters stand apart, in the text and in a quote of half of it, pairs would differ.
    text = text.replace("\\$", "").replace("$", "")
    text = _COMMAND.sub(lambda m: _COMMANDS[m[0]], text)
    text = _RAISED_RUN.sub(lambda m: "^{" + "".join(_RAISED[c] for c in m[0]) + "}", text)
    text = _LOWERED_RUN.sub(lambda m: "_{" + "".join(_LOWERED[c] for c in m[0]) + "}", text)
    text = "".join(map(_one_character, text)).translate(_PLAIN)
    text = text.replace("''", '"')
    text = _SPACED_BRACES.sub(r"\1{\2}", text)
    text = _BARE_RAISED.sub(r"^{\1}", text)
    text = _BARE_LOWERED.sub(r"_{\1}", text)
    text = " ".join(text.split())
    text = _SPACED_DASH.sub("—", text)
    text = _BEFORE_PUNCTUATION.sub(r"\1", _AFTER_BRACKET.sub(r"\1", text))
    return _AROUND_SIGN.sub(r"\1", text).strip()


@lru_cache(maxsize=4096)
def canonical(text: str) -> str:
    """Return the form in which two verbatim copies of one text are equal; idempotent.

    Hyphens between letters are left out, so that a word broken at a line's end is the word; a hyphen
    beside a digit stays (GPT-3, 3-5, -4).
    """
    return _HYPHEN.sub("", _BROKEN_WORD.sub("", normalised(text)))


def stands_in(quote: str, text: str) -> bool:
    """Return whether `quote` stands verbatim in `text`, no word and no number cut at its edges.

    `10` does not stand in `10^4`, nor `5` in `-5`, `0.5`, `5%` or `5 million`. An empty quote stands nowhere.
    """
    # "pre- and post-training" reads "preand" with broken words joined: both readings are tried
    return _found(canonical(quote), canonical(text)) or _found(_unbroken(quote), _unbroken(text))


def _unbroken(text: str) -> str:
    return _HYPHEN.sub("", normalised(text).replace("- ", " "))


def _found(quote: str, text: str) -> bool:
    quote = quote.strip(" \"'")
    if not any(c.isalnum() for c in quote):
        return False
    other = quote[0].swapcase() + quote[1:]
    for form in (quote, other):
        start = text.find(form)
        while start >= 0:
            end = start + len(form)
            if _whole_at_start(text, start, quote) and _whole_at_end(text, end, quote):
                return True
            start = text.find(form, start + 1)
    return False


_CUT_BEFORE_DIGIT = re.compile(r"(?:[\w^_{/]|[-+±~<>≤≥=×·]|\d[.,:]|[×·]10)$")
_CUT_AFTER_DIGIT = re.compile(
    r"[\w^_{%‰/⁄]|[.,:]\d|-\d|[×·±]|\s?(?:percent|per cent|thousand|million|billion|trillion)\b"
)
#: Thousands set apart by a space (10 000), and the fraction of a mixed number (1 1/2).
_THREE_DIGITS_AFTER, _THREE_DIGITS_FIRST = re.compile(r" \d{3}(?!\d)"), re.compile(r"\d{3}(?!\d)")
_GROUP_BEFORE = re.compile(r"(?<![\d.,])\d{1,3} $")
_GROUP_LAST = re.compile(r"(?<![\d.,])\d{1,3}(?: \d{3})*$")
_FRACTION_FIRST = re.compile(r"\d+[/⁄]\d|[½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞]")


def _whole_at_start(text: str, start: int, quote: str) -> bool:
    before = text[max(0, start - 4) : start]
    if quote[0].isdigit():
        group = _GROUP_BEFORE.search(text[max(0, start - 8) : start]) and _THREE_DIGITS_FIRST.match(quote)
        mixed = _FRACTION_FIRST.match(quote) and before[-1:] == " " and before[-2:-1].isdigit()
        return not (group or mixed or _CUT_BEFORE_DIGIT.search(before))
    if quote[0] in "+-^_" and quote[1:2] and quote[1] in "0123456789{":
        return not (before[-1:].isalnum() or before[-1:] in ("}", "^", "_", "{"))
    if quote[0] in ".," and quote[1:2].isdigit():
        return not before[-1:].isdigit()
    return not (quote[0].isalnum() and before[-1:].isalnum())


def _whole_at_end(text: str, end: int, quote: str) -> bool:
    after = text[end : end + 12]
    if quote[-1].isdigit():
        group = _THREE_DIGITS_AFTER.match(after) and _GROUP_LAST.search(quote)
        return not (group or _CUT_AFTER_DIGIT.match(after))
    if quote[-1] == "}" and after[:1] in ("^", "_", "%"):
        return False
    return not (quote[-1].isalnum() and after[:1] and (after[0].isalnum() or after[0] in "^_"))


def _one_character(char: str) -> str:
    """Return letters and digits of mathematical, full-width and letter-like alphabets as plain ones."""
    point = ord(char)
    if 0x1D400 <= point <= 0x1D7FF or 0xFF01 <= point <= 0xFF5E:
        return unicodedata.normalize("NFKC", char)
    return char
