"""How new a work is, as a score that halves with age."""

from __future__ import annotations

from datetime import date

_DAYS_A_YEAR = 365.2425


def recency_score(published: date | None, *, today: date, half_life: float) -> float:
    """Return 1 for a work of today, 0.5 after `half_life` years, 0 where the date is not known.

    Args:
        published: date of the first version.
        today: the day that ages are counted to; later dates count as today.
        half_life: years, more than 0.
    """
    if published is None:
        return 0.0
    years: float = max(0, (today - published).days) / _DAYS_A_YEAR
    score: float = 0.5 ** (years / half_life)
    return score
