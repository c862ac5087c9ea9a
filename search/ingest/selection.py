"""The manifest: which papers get full text, as a small TOML file, and why for each of them.

Everything but reading the file is a function of data. docs/selection.md describes the file for people.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from heapq import merge
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from search.errors import SettingsError
from search.models import Model, Withdrawn, Work

#: A keyword in the title is about the paper; in the abstract alone it may be about its surroundings.
IN_TITLE, IN_ABSTRACT = 1.0, 0.5
#: A category that is the paper's first, and one that it is cross-listed in.
PRIMARY, CROSS_LISTED = 1.0, 0.5
#: Relevance and recency weigh the same: set by judgement, there is nothing here to measure it on.
RELEVANCE_WEIGHT = 0.5
DAYS_A_YEAR = 365.25

Standing = Literal[
    "chosen", "has full text", "asked for", "does not match", "over budget", "withdrawn", "waits"
]


class Selection(Model):
    """What a group wants to read whole. An empty one wants everything."""

    #: Any of these: a category ("cs.CL") or a whole archive ("cs").
    categories: tuple[str, ...] = ()
    #: First and last day of first publication, inclusive.
    from_: date | None = Field(default=None, alias="from")
    until: date | None = None
    #: All of these groups must be met, each by any of its words or phrases.
    keywords: tuple[tuple[str, ...], ...] = ()
    #: Papers with full text at most, in the whole library; None: no limit.
    budget: int | None = Field(default=None, ge=0)
    #: Years after which recency has halved.
    half_life: float = Field(default=3.0, gt=0)

    @cached_property
    def patterns(self) -> tuple[tuple[str, re.Pattern[str]], ...]:
        """Each keyword group as it is written and as it is looked for."""
        return tuple((" or ".join(group), keyword_pattern(group)) for group in self.keywords)


class Choice(Model):
    """Whether one paper gets full text, and why."""

    work_id: str
    title: str = ""
    standing: Standing
    #: Whether its PDF is to be fetched now.
    fetch: bool
    #: In words, for a person.
    why: str
    #: Place among the papers that match and have no full text yet, from 1.
    rank: int | None = None
    #: All from 0 to 1; None where the paper does not match.
    score: float | None = None
    relevance: float | None = None
    recency: float | None = None


class SelectionReport(Model):
    """What a selection makes of a library."""

    #: The file; None where no selection is set.
    file: str | None = None
    budget: int | None = None
    #: Papers that have a PDF already.
    holding: int = 0
    #: How many papers stand how.
    counts: dict[str, int] = Field(default_factory=dict)
    choices: tuple[Choice, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A paper without full text, and what a selection makes of its metadata."""

    work_id: str
    title: str
    #: Day of the first version.
    published: date | None
    withdrawn: Withdrawn
    pinned: bool
    matches: bool
    #: Why it does, or does not.
    why: str
    #: 0 to 1.
    relevance: float = 0.0
    #: Why its full text may not be kept; empty where it may.
    refused: str = ""


def recency(published: date | None, today: date, half_life: float) -> float:
    """Return 1 for a paper of today, half of it after `half_life` years; 0 where its day is not known."""
    if published is None:
        return 0.0
    return float(0.5 ** (max(0, (today - published).days) / DAYS_A_YEAR / half_life))


def score(relevance: float, recency: float) -> float:
    """Return what papers are ranked by, 0 to 1."""
    return RELEVANCE_WEIGHT * relevance + (1 - RELEVANCE_WEIGHT) * recency


def read_selection(path: Path | None) -> Selection | None:
    """Return the selection that a file holds; None where no file is set.

    Raises:
        SettingsError: the file is not there, is no TOML, or holds what is no entry of a selection.
    """
    if path is None:
        return None
    advice = "docs/selection.md shows what it may hold"
    try:
        return Selection.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise SettingsError(f"CITEWELL_SELECTION: {path}: {error.strerror}", advice=advice) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"CITEWELL_SELECTION: {path} is no TOML: {error}", advice=advice) from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise SettingsError(f"CITEWELL_SELECTION: {path}: {where}: {first['msg']}", advice=advice) from error


def keyword_pattern(group: Iterable[str]) -> re.Pattern[str]:
    r"""Return what finds any of these words or phrases as a whole, whatever their case.

    >>> bool(keyword_pattern(["language model*"]).search("Large Language-Models"))
    True
    """
    found = []
    for keyword in group:
        words = [re.escape(word) for word in re.split(r"[\s-]+", keyword.rstrip("*").strip()) if word]
        if words:
            found.append(r"[\s-]+".join(words) + (r"\w*" if keyword.endswith("*") else ""))
    if not found:
        return re.compile(r"(?!)")
    return re.compile(rf"(?<!\w)(?:{'|'.join(found)})(?!\w)", re.IGNORECASE)


def candidate(selection: Selection, work: Work) -> Candidate:
    """Return whether a paper is one that the selection asks for, how well it matches, and why."""

    def made(why: str, relevance: float | None = None) -> Candidate:
        matches = relevance is not None
        return Candidate(
            work.work_id,
            work.title,
            work.published,
            work.withdrawn,
            work.pinned,
            matches,
            why,
            relevance or 0.0,
        )

    parts, reasons = [], []
    if selection.categories:
        category = next((c for c in work.categories if _is_in(c, selection.categories)), None)
        if category is None:
            return made(f"none of its categories ({', '.join(work.categories) or 'none'})")
        parts.append(PRIMARY if _is_in(work.categories[0], selection.categories) else CROSS_LISTED)
        reasons.append(
            f"{category} is {'its primary category' if parts[-1] == PRIMARY else 'a cross-listing'}"
        )
    if refused := _outside(selection, work.published):
        return made(refused)
    found = []
    for group, pattern in selection.patterns:
        if pattern.search(work.title):
            found.append(IN_TITLE)
        elif pattern.search(work.abstract):
            found.append(IN_ABSTRACT)
        else:
            return made(f"neither title nor abstract holds {group}")
        reasons.append(f"{group} in the {'title' if found[-1] == IN_TITLE else 'abstract'}")
    if found:
        parts.append(sum(found) / len(found))
    return made(", ".join(reasons) or "every paper matches", sum(parts) / len(parts) if parts else 1.0)


def choose(
    selection: Selection,
    candidates: Iterable[Candidate],
    *,
    today: date,
    holding: int = 0,
    asked_for: frozenset[str] = frozenset(),
    waiting: dict[str, str] | None = None,
) -> Iterator[Choice]:
    """Yield, for papers without full text, whether each gets it; in the order of the ranking.

    Args:
        selection: what is wanted; an empty one wants everything.
        candidates: the papers that have no PDF.
        today: the day it is.
        holding: papers that have one; they count against the budget.
        asked_for: ids of papers that somebody added by name.
        waiting: papers that a server refused so recently that they are not asked for now, and why.
    """
    late = waiting or {}
    ranked: list[tuple[float, str, float, Candidate]] = []
    for one in candidates:
        if one.withdrawn == "yes":
            yield _choice(one, "withdrawn", "its newest version is withdrawn")
        elif one.refused:
            yield _choice(one, "waits", one.refused)
        elif one.work_id in late:
            # It keeps no place of the budget: others would wait for what may never come.
            yield _choice(one, "waits", late[one.work_id])
        elif one.work_id in asked_for or one.pinned:
            holding += 1
            yield _choice(one, "asked for", "it was added by its id", fetch=True)
        elif not one.matches:
            yield _choice(one, "does not match", one.why)
        else:
            age = recency(one.published, today, selection.half_life)
            ranked.append((score(one.relevance, age), one.work_id, age, one))
    ranked.sort(key=itemgetter(0, 1), reverse=True)  # of equal ones the newest identifier first
    places = len(ranked) if selection.budget is None else max(0, selection.budget - holding)
    for rank, (points, work_id, age, one) in enumerate(ranked, start=1):
        inside = rank <= places
        share = f"score {points:.2f}: relevance {one.relevance:.2f}, recency {age:.2f}"
        over = f"; place {rank:,} of {len(ranked):,}, and the budget has {places:,} left"
        yield Choice(
            work_id=work_id, title=one.title, standing="chosen" if inside else "over budget", fetch=inside,
            why=f"{one.why} ({share}{'' if inside else over})", rank=rank, score=points,
            relevance=one.relevance, recency=age,
        )  # fmt: skip


def best_first(
    papers: Iterable[tuple[float, Iterable[tuple[date | None, str]]]], *, today: date, half_life: float
) -> Iterator[str]:
    """Yield the ids of papers in the order of the ranking, and look at no more of them than are taken.

    Args:
        papers: of each relevance the papers that have it, as (day of first publication, id): the newest
            first, of one day the largest id first, and those of an unknown day last.
        today: the day it is.
        half_life: years after which recency has halved.
    """

    def ranked(relevance: float, some: Iterable[tuple[date | None, str]]) -> Iterator[tuple[float, str]]:
        scored = ((score(relevance, recency(day, today, half_life)), work_id) for day, work_id in some)
        for _, equal in groupby(scored, itemgetter(0)):  # papers of several days may have the same score
            yield from sorted(equal, reverse=True)

    for _, work_id in merge(*(ranked(*one) for one in papers), reverse=True):
        yield work_id


def _choice(one: Candidate, standing: Standing, why: str, *, fetch: bool = False) -> Choice:
    return Choice(work_id=one.work_id, title=one.title, standing=standing, fetch=fetch, why=why)


def _is_in(category: str, wanted: Iterable[str]) -> bool:
    return any(category == one or category.startswith(f"{one}.") for one in wanted)


def _outside(selection: Selection, published: date | None) -> str:
    """Return why a day is not among those that are wanted; empty where it is."""
    if selection.from_ is None and selection.until is None:
        return ""
    if published is None:
        return "the day of its first version is not known"
    if selection.from_ and published < selection.from_:
        return f"first published on {published}, before {selection.from_}"
    if selection.until and published > selection.until:
        return f"first published on {published}, after {selection.until}"
    return ""
