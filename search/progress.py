"""How a long stage tells whoever waits how far it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """One step of a stage."""

    #: What is being done, in a word or two: "harvest", "fetch", "read", "embed".
    stage: str
    done: int
    #: None where nobody can know.
    total: int | None = None
    #: The paper or window at hand, or why we wait.
    note: str = ""


ProgressSink = Callable[[Progress], None]


def silent(_: Progress) -> None:
    """Tell nobody."""
