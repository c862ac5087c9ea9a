"""Citation marks in round parentheses: "(12)", "(3, 5-7)", as some journals print them.

What stands so in a text may also be an equation's number or a reference to one, an item of an enumeration,
a function's argument. Whether a paper cites in this way at all is told by how much of its list these marks
name (see `citation_marks.bibliography_of`); here single ones are told from what else they can be.
"""

# ruff: noqa: RUF001 - the characters are meant as they are
from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

_NUMBERS = r"\d{1,3}(?:\s?[,;–—‒-]\s?\d{1,3})*"
_NOTE = r"(?:[,;]\s?(?:[A-Z§¶]|pp?\.|sec|eq|fig|ch|app|and ref)[^()\[\]]{0,60})?"
_ROUND = re.compile(rf"\((?:see |e\.g\.,? |cf\. |Refs?\. )?\s?(?P<numbers>{_NUMBERS})\s?{_NOTE}\)")
#: What ends before the parenthesis names no work: "Eqs. (3)", "Table (2)", "SU (2)".
_NAMED = re.compile(
    r"(?:\b(?:eqn?s?|equations?|(?:in)?equalit(?:y|ies)|identit(?:y|ies)|formula[es]?|fig(?:ure)?s?|tab(?:le)?s?"
    r"|sec(?:tion)?s?|items?|appendix)\.?|\b(?:SU|SO|Sp|Spin|SL|GL|PSL|SE))\s?$",
    re.IGNORECASE,
)
#: These as well, where a paper can have so many: "algorithm (2)"; of "algorithm (72)" it tells the source.
_COUNTED = re.compile(
    r"\b(?:theorems?|lemmas?|propositions?|corollar(?:y|ies)|remarks?|claims?|examples?|steps?|parts?|conditions?"
    r"|propert(?:y|ies)|assumptions?|constraints?|algorithms?|lines?|rows?|definitions?)\s?$",
    re.IGNORECASE,
)
#: Before a number that an equation of the paper has, these lead to it as often as to a work.
_LEADS = re.compile(
    r"\b(?:by|from|in|into|of|on|to|with|using|via|and|or|that|see|both|than|as|for|at|through|then|since"
    r"|satisf(?:y|ies|ying)|solv(?:e|es|ing)|combin(?:e|es|ing)|recall(?:ing)?|problems?|systems?|bounds?"
    r"|estimates?|relations?|expressions?|forms?|terms?|inserting|substituting|imply|implies|give|gives"
    r"|limits?|definitions?|sums?|integrals?|ansatz|laws?|models?)\s?$",
    re.IGNORECASE,
)
#: Between two references to equations: "Eqs. (3) to (6), (8) and (9)".
_AND = re.compile(r"\s*(?:[,;–—-]|,?\s*(?:and|or|to|through|&))\s*")
_ITEM = re.compile(r"(?:[,;:.]|\b(?:and|or))\s$")
_FUNCTION = re.compile(
    r"(?:sin|cos|tan|sinh|cosh|tanh|log|exp|max|min|det|dim|mod|ker|gcd|sup|inf|arg)$", re.IGNORECASE
)
_WORD = re.compile(r"(?P<word>[^\W\d_][^\W\d_.’'/‐-]*(?:[.’'/‐-]+[^\W\d_]+)*)[.,;:!?\"'”’)\]]*(?P<gap>\s?)$")
#: A name or a value with digits, after a word: "version 10 (13)", "pretrained on IG65M (14)".
_MIXED = re.compile(r"[^\W\d_]{2,}[^\w=^{}<>]*\s[\w.+/-]*\d[\w+/-]*[)\]\"'”’]*\s$")
#: Letters of a function's name or a group's, and numbers of a pair.
_SHORT = 2
#: Of an equation's number and the next one that is found, so far apart at most: a page may be badly read.
_UNSEEN = 2
#: Such low numbers may be those of an enumeration's items.
_FIRST = 4
#: Items of an enumeration, or theorems, are hardly more.
_MOST_ITEMS = 20
#: Characters before a mark that say what it is.
_REACH = 40


def round_matches(text: str, equations: int) -> Iterator[re.Match[str]]:
    """Return the numbers in parentheses that may cite, as group `numbers`.

    Args:
        text: of a passage.
        equations: how many numbered equations the paper has (see `numbered_equations`).
    """
    reference_end = -1
    for match in _ROUND.finditer(text):
        front = text[max(0, match.start() - _REACH) : match.start()]
        chained = reference_end >= 0 and _AND.fullmatch(text, reference_end, match.start())
        if (
            chained
            or _NAMED.search(front)
            or (_is_low(match, max(equations, _MOST_ITEMS)) and _COUNTED.search(front))
            or (_is_low(match, equations) and _LEADS.search(front))
        ):
            reference_end = match.end()
            continue
        reference_end = -1
        if _follows_words(match, front, equations) and not _is_item(match, front) and not _goes_on(match):
            yield match


def numbered_equations(texts: Iterable[str]) -> dict[str, int]:
    """Return how many numbered equations a paper has up to each of its texts, the next few included.

    What stands after a formula tells their numbers. Hardly a text leads to an equation far below it.
    """
    found: dict[str, int] = {}
    last = 0
    for text in texts:
        for match in _ROUND.finditer(text):
            # They rise through a paper; of what is cited after a formula hardly a number goes on with them.
            if (
                match["numbers"].isdecimal()
                and last < int(match["numbers"]) <= last + _UNSEEN
                and not _WORD.search(text[max(0, match.start() - _REACH) : match.start()])
            ):
                last = int(match["numbers"])
        found[text] = max(_FIRST, last + _UNSEEN)
    return found


def _is_low(match: re.Match[str], most: int) -> bool:
    return match["numbers"].isdecimal() and int(match["numbers"]) <= most


def _follows_words(match: re.Match[str], front: str, equations: int) -> bool:
    """Return whether prose ends before a mark, no formula and no function's name; or the mark is clear."""
    if front.endswith((".", ",", ";", " (", " [")) or _is_rising(match["numbers"]) or ";" in match["numbers"]:
        return True
    word = _WORD.search(front)
    if not word or len(word["word"]) == 1:
        above = match["numbers"].isdecimal() and not _is_low(match, equations)
        return above and bool(_MIXED.search(front))
    attached = word.end("word") == len(front)
    return not attached or (len(word["word"]) > _SHORT and not _FUNCTION.search(front))


def _is_rising(numbers: str) -> bool:
    """Return whether these are several numbers in order, as no coordinates are: "(14,20,25)"."""
    found = [int(number) for number in re.findall(r"\d+", numbers)]
    return len(found) > _SHORT and all(low < high for low, high in pairwise(found))


def _is_item(match: re.Match[str], front: str) -> bool:
    """Return whether a number begins an item of an enumeration: "to do: (1) read, and (2) write"."""
    begins = match.string[match.end() : match.end() + 2]
    return (
        match["numbers"].isdecimal()
        and begins[:1] == " "
        and begins[1:].isalpha()
        and int(match["numbers"]) <= _MOST_ITEMS
        and bool(_ITEM.search(front))
        and _is_counted(match)
    )


def _is_counted(match: re.Match[str]) -> bool:
    """Return whether an item's neighbour stands in the text; "As shown earlier, (40) found" has none."""
    number = int(match["numbers"])
    return (
        number == 1
        or match.string.rfind(f"({number - 1})", 0, match.start()) >= 0
        or match.string.find(f"({number + 1})", match.end()) >= 0
    )


def _goes_on(match: re.Match[str]) -> bool:
    """Return whether a formula or a compound goes on behind the parenthesis: "(2)-category", "(1)^n"."""
    return match.string[match.end() : match.end() + 1] in tuple("^_=+×·/-‐")
