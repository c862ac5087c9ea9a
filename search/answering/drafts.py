"""What a generator hands to the verifier: a sentence and the quotes it says it rests on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Quote:
    """Words that are said to stand in a passage."""

    passage_id: str
    text: str


@dataclass(frozen=True, slots=True)
class Draft:
    """A claim that nobody has checked yet."""

    text: str
    quotes: tuple[Quote, ...]
