"""Section numbers: 2, 2.1, IV, B, A.2, Appendix C; and which of them may follow which."""

# ruff: noqa: RUF001 - the characters are meant as they are
from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

_NUMBERED = re.compile(
    r"(?P<word>(?:Section|Sec\.|Chapter|Appendix|APPENDIX|§)\s*)?"
    r"(?:(?P<arabic>\d{1,2}(?:\s?\.\s?\d{1,2}){0,3})"
    r"|(?P<roman>[IVX]{1,5})"
    r"|(?P<letter>[A-Z](?:\s?\.?\s?\d{1,2}){0,3}(?:\.\d{1,2}){0,2}))"
    r"(?P<point>\s?[.:)—–-])?(?P<space>\s+|(?=[A-Z][a-z])|$)(?P<title>.*)"
)
_ROMAN = {"I": 1, "V": 5, "X": 10}

Scheme = Literal["arabic", "roman", "letter", "appendix"]


@dataclass(frozen=True, slots=True)
class Number:
    """A section number, as printed and as a list of counts."""

    printed: str
    scheme: Scheme
    parts: tuple[int, ...]
    #: Other readings of the same print: "C." may be roman, "I." a letter.
    ambiguous: bool = False

    @property
    def level(self) -> int:
        """1 for a main section; a letter after roman numbers is a subsection (see `readings`)."""
        return len(self.parts) + (1 if self.scheme == "letter" else 0)


def parse_number(text: str) -> tuple[Number | None, str]:  # noqa: PLR0911 - one return for each scheme
    """Return the section number at the beginning of a heading, and the rest.

    >>> parse_number("2.1 Data")
    (Number(printed='2.1', scheme='arabic', parts=(2, 1), ambiguous=False), 'Data')
    """
    match = _NUMBERED.match(text)
    if not match or (not match["title"] and not match["word"]):
        return None, text
    title = match["title"].strip()
    if match["arabic"]:
        if not match["space"] and not match["point"]:
            return None, text
        printed = re.sub(r"\s", "", match["arabic"])
        parts = tuple(int(part) for part in printed.split("."))
        return Number(printed, "arabic", parts), title
    if match["roman"] and (match["point"] or match["word"] or len(match["roman"]) > 1):
        if match["word"] and match["word"].lower().startswith("app"):
            return Number(match["roman"], "appendix", (_roman(match["roman"]),)), title
        return Number(match["roman"], "roman", (_roman(match["roman"]),), len(match["roman"]) == 1), title
    letters = match["letter"] or match["roman"]
    if not letters or not (
        match["point"] or match["word"] or any(map(str.isdigit, letters)) or _alone(letters, title)
    ):
        return None, text
    printed = re.sub(r"\s", "", letters)
    digits = [int(part) for part in re.findall(r"\d+", printed)]
    return Number(printed, "appendix", (ord(printed[0]) - 64, *digits)), title


def _alone(letters: str, title: str) -> bool:
    """Return whether a letter without a point is a number: "B Proofs" is, "A note" and "I" are not."""
    return letters != "I" and title[:1].isupper()


def _roman(text: str) -> int:
    values = [_ROMAN[c] for c in text]
    return sum(-v if v < max(values[i:]) else v for i, v in enumerate(values))


def readings(number: Number) -> list[Number]:
    """Return what a printed number can mean: a letter is an appendix or, after romans, a subsection."""
    if (
        number.scheme == "appendix"
        and len(number.parts) == 1
        and number.printed.isalpha()
        and len(number.printed) == 1
    ):
        return [number, Number(number.printed, "letter", number.parts)]
    if number.scheme == "roman" and number.ambiguous:
        letter = ord(number.printed) - 64
        return [
            number,
            Number(number.printed, "letter", (letter,)),
            Number(number.printed, "appendix", (letter,)),
        ]
    return [number]


#: What a legal step costs, from none (the very next number) to what a missed heading costs.
_NO_STEP = float("-inf")


def step(previous: Number | None, number: Number) -> float:
    """Return the bonus for `number` right after `previous`; minus infinity where it cannot follow."""
    if previous is None:
        return _opening(number)
    if number.scheme == previous.scheme:
        return _after(previous.parts, number.parts)
    schemes = (previous.scheme, number.scheme)
    if schemes == ("roman", "letter"):
        return 0.5 if number.parts == (1,) else _NO_STEP
    if schemes == ("letter", "roman"):
        # Only the search for the longest run knows which roman number came last; it checks the order.
        return 0.3
    return 0.4 if number.scheme == "appendix" and number.parts[0] == 1 else _NO_STEP


def _opening(number: Number) -> float:
    """Return the bonus for the first number of a paper: 1, I or A; 2 and 1.1 where the first was missed."""
    if number.scheme == "letter":
        return _NO_STEP
    if number.parts == (1,):
        return 0.5
    return -1.5 if number.parts[0] <= 2 and number.scheme != "appendix" else _NO_STEP


#: The first number below another: .1, or with a level or a heading missed in between.
_FIRST_BELOW = {(1,): 0.5, (1, 1): -0.5, (2,): -1.0}


def _after(previous: tuple[int, ...], parts: tuple[int, ...]) -> float:
    """Return the bonus for one number after another of the same scheme."""
    if parts[: len(previous)] == previous and len(parts) > len(previous):
        return _FIRST_BELOW.get(parts[len(previous) :], _NO_STEP)
    depth = len(parts) - 1
    if depth < len(previous) and parts[:depth] == previous[:depth]:
        ahead = parts[depth] - previous[depth]
        return 0.5 if ahead == 1 else -1.0 if ahead == 2 else _NO_STEP
    if parts[0] == previous[0] + 1 and all(part == 1 for part in parts[1:]):
        return -0.8
    return _NO_STEP


def longest_run(numbers: Sequence[tuple[Number, float]]) -> list[tuple[int, Number]]:
    """Return the numbers that run in order with the greatest sum of scores: index, and what the print means.

    Args:
        numbers: section numbers in reading order, each with the evidence that it is one.
    """
    states: list[tuple[float, int, Number, int, int]] = []  # score, index, reading, state before, last roman
    for index, (printed, score) in enumerate(numbers):
        fresh = []
        for number in readings(printed):
            best: tuple[float, int] | None = None
            opening = step(None, number)
            if opening > _NO_STEP:
                best = (opening, -1)
            for position, (sum_before, _, previous, _, roman) in enumerate(states):
                bonus = step(previous, number)
                if number.scheme == "roman" and previous.scheme == "letter" and number.parts[0] != roman + 1:
                    continue
                if bonus > _NO_STEP and (best is None or sum_before + bonus > best[0]):
                    best = (sum_before + bonus, position)
            if best is not None:
                before = best[1]
                roman = (
                    number.parts[0] if number.scheme == "roman" else states[before][4] if before >= 0 else 0
                )
                fresh.append((best[0] + score, index, number, before, roman))
        states += fresh
    if not states:
        return []
    position = max(range(len(states)), key=lambda p: states[p][0])
    run: list[tuple[int, Number]] = []
    while position >= 0:
        run.append((states[position][1], states[position][2]))
        position = states[position][3]
    return run[::-1]
