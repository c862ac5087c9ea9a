"""Section numbers: 2, 2.1, IV, B, A.2, Appendix C; and which of them may follow which."""

# ruff: noqa: RUF001 - the characters are meant as they are
from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
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
    #: Whether the word before it says what it is: "Appendix C", "Chapter 2".
    named: bool = False
    #: How deep it lies among the numbers it runs with; 0 until that is known.
    depth: int = 0

    @property
    def level(self) -> int:
        """1 for a main section; below roman numbers letters are subsections, and digits below those."""
        return self.depth or len(self.parts) + (1 if self.scheme == "letter" else 0)


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
        if not match["space"] and not match["point"] and (title or not _is_chapter(match["word"])):
            return None, text
        printed = re.sub(r"\s", "", match["arabic"])
        parts = tuple(int(part) for part in printed.split("."))
        return Number(printed, "arabic", parts, named=_is_chapter(match["word"])), title
    if match["roman"] and (match["point"] or match["word"] or len(match["roman"]) > 1):
        if match["word"] and match["word"].lower().startswith("app"):
            return Number(match["roman"], "appendix", (_roman(match["roman"]),), named=True), title
        return Number(match["roman"], "roman", (_roman(match["roman"]),), len(match["roman"]) == 1), title
    letters = match["letter"] or match["roman"]
    if not letters or not (
        match["point"]
        or match["word"]
        or any(map(str.isdigit, letters))
        or (match["space"] and _alone(letters, title))  # not CRediT
    ):
        return None, text
    printed = re.sub(r"\s", "", letters)
    digits = [int(part) for part in re.findall(r"\d+", printed)]
    named = bool(match["word"])
    return Number(printed, "appendix", (ord(printed[0]) - 64, *digits), named=named), title


def _alone(letters: str, title: str) -> bool:
    """Return whether a letter without a point is a number: "B Proofs" is, "A note" and "I" are not."""
    return letters != "I" and title[:1].isupper()


def _is_chapter(word: str | None) -> bool:
    return bool(word) and str(word).casefold().startswith("chapter")


def _roman(text: str) -> int:
    values = [_ROMAN[c] for c in text]
    return sum(-v if v < max(values[i:]) else v for i, v in enumerate(values))


#: From the main section down: the sort of each part of a number, and its count. 2.1 is (("1", 2), ("1", 1)),
#: II.A (("I", 2), ("A", 1)), of which only the A is printed.
Path = tuple[tuple[str, int], ...]

#: What may stand below what, where only the last part is printed (REVTeX, IEEE): I, A, 1.
#: Below what a word calls an appendix ("P"), A (IEEE) or 1 (REVTeX).
_BELOW = {"I": "A", "A": "1", "P": "A1"}
_NO_STEP = float("-inf")


def _symbols(number: Number) -> list[tuple[str, int]]:
    """Return what a number of one printed part can be: a letter may be roman, a roman a letter."""
    count = number.parts[0]
    if number.scheme == "arabic":
        return [("1", count)]
    if number.scheme == "roman" and number.ambiguous:
        return [("I", count), ("A", ord(number.printed) - 64)]
    return [("I", count)] if number.scheme == "roman" else [("A", count)]


def _paths(number: Number, previous: Path, *, nested: bool) -> list[tuple[Path, float]]:
    """Return what a printed number can mean after another, each with a bonus for what speaks for it.

    `nested`: the paper prints only the last part of a number, as those with roman sections do.
    """
    if len(number.parts) > 1:
        firsts = "1" if number.scheme == "arabic" else "AP" if nested else "A"
        rest = [("1", part) for part in number.parts[1:]]
        return [(((first, number.parts[0]), *rest), 0.0) for first in firsts]
    if nested and number.named and number.scheme == "appendix":
        return [((("P", number.parts[0]),), 0.0)]
    found: list[tuple[Path, float]] = []
    for symbol in _symbols(number):
        found.append(((symbol,), 0.0))
        if number.named or not nested:
            continue
        found += [
            ((*previous[:depth], symbol), 0.0)
            for depth in range(1, len(previous))
            if previous[depth][0] == symbol[0] and symbol[0] in _BELOW.get(previous[depth - 1][0], "")
        ]
        if previous and symbol[0] in _BELOW.get(previous[-1][0], ""):
            # A list below a lettered section is numbered 1, 2, 3 as well.
            found.append(((*previous, symbol), -0.5 if symbol[0] == "1" else 0.0))
    return found


def _opening(path: Path) -> float:
    """Return the bonus for the first number of a paper: 1, I or A; 2 and 1.1 where the first was missed."""
    if len(path) == 1 and path[0][1] == 1:
        return 0.5
    return -1.5 if path[0][1] <= 2 and path[0][0] != "A" else _NO_STEP


#: The first number below another: .1, or with a level or a heading missed in between.
_FIRST_BELOW = {(1,): 0.5, (0, 1): 0.3, (1, 1): -0.5, (2,): -1.0}
#: The next number but one, or but two: what stands between was missed.
_AHEAD = {1: 0.5, 2: -1.0, 3: -2.0}


def _step(previous: Path, path: Path) -> float:
    """Return the bonus for one number right after another; minus infinity where it cannot follow."""
    if path[: len(previous)] == previous and len(path) > len(previous):
        return _FIRST_BELOW.get(tuple(count for _, count in path[len(previous) :]), _NO_STEP)
    if path[0][0] != previous[0][0]:
        # Appendices begin anew, with a letter (or, after arabic numbers, with what their word says).
        begins = path[0] in {("A", 1), ("P", 1)} and previous[0][0] != "P"
        return _NO_STEP if not begins else 0.4 if len(path) == 1 else -0.5
    depth = next((i for i, (a, b) in enumerate(zip(previous, path, strict=False)) if a != b), len(path))
    if depth >= len(path) or depth >= len(previous) or previous[depth][0] != path[depth][0]:
        return _NO_STEP
    ahead = path[depth][1] - previous[depth][1]
    rest = [count for _, count in path[depth + 1 :]]
    if not rest:
        return _AHEAD.get(ahead, _NO_STEP)
    return -0.8 if ahead == 1 and all(count == 1 for count in rest) else _NO_STEP


def longest_run(numbers: Sequence[tuple[Number, float]]) -> list[tuple[int, Number]]:
    """Return the numbers that run in order with the greatest sum of scores: index, and what the print means.

    Args:
        numbers: section numbers in reading order, each with the evidence that it is one.
    """
    nested = any(number.scheme == "roman" for number, _ in numbers)
    # For each state: the sum of scores, index, path, and the state before.
    states: list[tuple[float, int, Path, int]] = []
    for index, (number, score) in enumerate(numbers):
        best: dict[Path, tuple[float, int]] = {}
        for path, bonus in _paths(number, (), nested=nested):
            opening = _opening(path) + bonus
            if opening > _NO_STEP:
                best[path] = (opening, -1)
        for position, (sum_before, _, previous, _) in enumerate(states):
            for path, bonus in _paths(number, previous, nested=nested):
                step = _step(previous, path)
                if step > _NO_STEP and (path not in best or sum_before + step + bonus > best[path][0]):
                    best[path] = (sum_before + step + bonus, position)
        states += [(value + score, index, path, before) for path, (value, before) in best.items()]
    if not states:
        return []
    position = max(range(len(states)), key=lambda p: states[p][0])
    run: list[tuple[int, Number]] = []
    while position >= 0:
        _, index, path, before = states[position]
        run.append((index, replace(numbers[index][0], depth=len(path))))
        position = before
    return run[::-1]
