"""What authors recommend, and when two papers recommend opposite things."""

from __future__ import annotations

import re

from search.answering.wording import content_stems

_ASKS = re.compile(
    r"\b(?:should|recommend\w*|better|prefer\w*|choos\w+|choice|safer|versus|vs)\b"
    r"|\bwhich\b.*\b(?:use|take|pick)\b",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"\?$|^(?:which|what|who|when|where|why|how|is|are|does|do|did|can|should|would|will)\b", re.IGNORECASE
)
#: The authors' own advice; "a recent study recommends" is somebody else's.
_RECOMMENDS = re.compile(
    r"\b(?:we|I|our results|the authors)\s+(?:\w+\s+)?(?:recommend|advise|suggest using|advocate)\s+"
    r"(?:using\s+|the use of\s+)?(?P<what>[^,;:.]+?)"
    r"(?:\s+(?:as|for|over|instead of|rather than)\s+(?P<purpose>[^,;.]+))?(?=[,;.]|$)",
    re.IGNORECASE,
)
_IS_THE_CHOICE = re.compile(
    r"^(?P<what>[^,;:.]+?)\s+(?:is|are)\s+(?:therefore\s+)?the\s+(?:safer|safest|better|best|right|preferred)\s+"
    r"(?P<purpose>(?:default|choice|option)[^,;.]*)",
    re.IGNORECASE,
)
_BETTER_THAN = re.compile(
    r"^(?P<left>[^,;:.]+?)\s+(?:is|are|was|were)\s+(?:\w+\s+)?(?:better|safer|superior|preferable|faster|"
    r"stronger|cheaper)\s+(?:than|to)\s+(?P<right>[^,;:.]+?)(?:\s+(?P<where>(?:for|on|in|at|with|when|if|under)"
    r"\s[^,;.]+))?(?=[,;.]|$)",
    re.IGNORECASE,
)
_WEAKER_ADVICE = re.compile(
    r"\bshould\b|\b(?:is|are) the (?:safer|better|best|right) (?:default|choice|option)\b", re.IGNORECASE
)
#: Share of the words by which two recommendations serve one purpose, and two sides are one thing.
SAME_PURPOSE = 0.5


def asks_advice(question: str) -> bool:
    """Whether a question wants a choice made: which is better, what should be used.

    A statement that is looked up ("BERT is better") wants its own words found.
    """
    return _ASKS.search(question) is not None and _QUESTION.search(question.strip()) is not None


def advises(text: str) -> float:
    """Return 1 where the authors recommend something, a quarter where they say what should be, else 0."""
    if _RECOMMENDS.search(text) or _IS_THE_CHOICE.search(text):
        return 1.0
    return 0.25 if _WEAKER_ADVICE.search(text) else 0.0


def opposed(one: str, other: str) -> bool:
    """Whether two sentences recommend different things for one purpose, or each says it is the better one."""
    first, second = _advice(one), _advice(other)
    if first and second:
        for_one, for_other = first[1], second[1]
        differ = bool(first[0] - second[0]) and bool(second[0] - first[0])
        return differ and bool(for_one & for_other) and _alike(for_one, for_other) >= SAME_PURPOSE
    left, right = _better(one), _better(other)
    if left and right and left[2] == right[2]:
        return min(_alike(left[0], right[1]), _alike(left[1], right[0])) >= SAME_PURPOSE and (
            max(_alike(left[0], right[0]), _alike(left[1], right[1])) < SAME_PURPOSE
        )
    return False


def _advice(text: str) -> tuple[frozenset[str], frozenset[str]] | None:
    match = _RECOMMENDS.search(text) or _IS_THE_CHOICE.search(text)
    if not match or not match["purpose"]:
        return None
    return frozenset(content_stems(match["what"])), frozenset(content_stems(match["purpose"]))


def _better(text: str) -> tuple[frozenset[str], frozenset[str], frozenset[str]] | None:
    match = _BETTER_THAN.search(text)
    if not match:
        return None
    left, right, where = (frozenset(content_stems(match[g] or "")) for g in ("left", "right", "where"))
    return left, right, where


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / (len(one | other) or 1)
