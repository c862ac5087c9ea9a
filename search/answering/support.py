"""Whether a claim says no more, and nothing else, than the quotes it rests on.

*Full* support: the claim stands in the quoted sentences as it is, or its numbers and names are the
quotes' own and at least `OVERLAP_FULL` of its content words are. *Partial*: a name comes from the
paper's title, section or passage, a bound or a "may" of the quote is left out, or the overlap is between
`OVERLAP_FLOOR` and `OVERLAP_FULL`. Anything else is not supported.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Literal

from search.answering.canonical import normalised, stands_in
from search.answering.edits import sensitive_edit
from search.answering.names import exchanged, first_words, mentions, names
from search.answering.polarity import disagreement, doubted, hedged
from search.answering.quantities import Bound, Quantity, quantities
from search.answering.wording import FUNCTION_WORDS, GENERIC_WORDS, content_stems, stem, words
from search.documents.sentences import sentences

#: Share of a claim's content words that its quotes must hold: below the first it is not supported, from
#: the second on fully. SciFact train at 0.5: 28 % of the claims that people wrote from an abstract pass, and
#: 14 % of those that contradict theirs (evals/answering.py). Neither was swept.
OVERLAP_FLOOR = 0.5
OVERLAP_FULL = 0.8

#: By these a sentence speaks of something that was named before it.
_ANAPHOR = re.compile(
    r"\b(?:it|its|this|these|they|their|we|our|us|the (?:proposed |same )?(?:model|method|system|approach|"
    r"algorithm|architecture|network|framework|technique|latter|former|authors?)s?)\b",
    re.IGNORECASE,
)


class Unsupported(Exception):
    """What the claim says and its quotes do not."""


@dataclass(frozen=True)
class Cited:
    """A quote that stands in its passage, with what is around it."""

    quote: str
    passage: str
    section: str
    title: str

    @cached_property
    def context(self) -> str:
        """The whole sentences that the quote touches."""
        return quoted_sentences(self.quote, self.passage)


def support(claim: str, cited: Sequence[Cited]) -> Literal["full", "partial"]:
    """Return how well the quotes carry the claim.

    Raises:
        Unsupported: a number, a name, the polarity or most of the words are not theirs.
    """
    quotes = " ".join(_closed(c.quote) for c in cited)
    context = " ".join(_closed(c.context) for c in cited)
    if any(_whole(claim, c) for c in cited):
        return "full"
    _check_sense(claim, cited, context)
    verbatim = any(stands_in(claim, c.quote) for c in cited)
    exact = [_check_figures(claim, quotes, context), _check_names(claim, cited), not hedged(claim, context)]
    overlap = 1.0 if verbatim else _overlap(claim, quotes)
    if overlap < OVERLAP_FLOOR:
        raise Unsupported(f"the quotes hold {overlap:.0%} of the claim's words")
    return "full" if all(exact) and overlap >= OVERLAP_FULL else "partial"


def _check_sense(claim: str, cited: Sequence[Cited], context: str) -> None:
    """Check what the claim asserts of whom, numbers and names apart."""
    doubt = doubted(claim, context)
    if doubt:
        raise Unsupported(f"the quote only asks or supposes it (“{doubt}”)")
    turned = disagreement(claim, context)
    if turned:
        raise Unsupported(turned)
    verb = exchanged(claim, context)
    if verb:
        raise Unsupported(f"the two sides of “{verb}…” are exchanged")
    for one in cited:
        edit = sensitive_edit(claim, one.context)
        if edit:
            raise Unsupported(edit)


def quoted_sentences(quote: str, passage: str) -> str:
    """Return the fewest whole sentences of `passage` that hold `quote`; the passage if it is none of them."""
    spans = sentences(passage)
    single = [passage[a:b] for a, b in spans if stands_in(quote, passage[a:b])]
    if single:
        return " ".join(single)
    windows = sorted(combinations(range(len(spans)), 2), key=lambda w: w[1] - w[0])
    for first, last in windows:
        window = passage[spans[first][0] : spans[last][1]]
        if stands_in(quote, window):
            return window
    return passage


def _whole(claim: str, cited: Cited) -> bool:
    """Whether the claim is a quoted sentence as it stands."""
    return _bare(claim) == _bare(cited.context) and stands_in(claim, cited.quote)


def _bare(text: str) -> str:
    return normalised(text).strip(" .;:\"'")


def _closed(text: str) -> str:
    """Return the text with a full stop at its end, so that two texts side by side stay two sentences."""
    text = text.strip()
    return text if text.endswith((".", "!", "?")) else f"{text}."


# ---------------------------------------------------------------- numbers
def _check_figures(claim: str, quotes: str, context: str) -> bool:
    """Check every number of the claim; return whether each is as exact as the quotes have it."""
    stated = quantities(claim)
    if not stated:
        return True
    quoted = quantities(quotes, citation_marks=False)
    around = quantities(context, citation_marks=False)
    exact = True
    for figure in stated:
        if not any(figure.same_figure(q) for q in quoted):
            near = ", ".join(q.printed for q in quoted[:6]) or "no number"
            raise Unsupported(f"the claim says {figure.printed}, the quotes say {near}")
        bounds = {q.bound for q in around if figure.same_figure(q)} or {"none"}
        if figure.bound not in bounds and (figure.bound != "none" or len(bounds) > 1):
            raise Unsupported(
                f"the claim says {_with_bound(figure)}, the quotes say {_with_bound(figure, bounds)}"
            )
        exact = exact and figure.bound in bounds
    if _figures_exchanged(claim, context):
        raise Unsupported("the claim gives the quote's numbers to other things")
    return exact


def _with_bound(figure: Quantity, bounds: set[Bound] | None = None) -> str:
    bound = min(bounds) if bounds else figure.bound
    return {"over": "more than ", "under": "less than ", "none": "exactly "}[bound] + figure.printed


def _figures_exchanged(claim: str, context: str) -> bool:
    """Whether numbers stand in another order than in the evidence, beside words in the same order."""
    ours, theirs = _figure_places(claim), _figure_places(context)
    shared = [v for v in ours if v in theirs]
    anchors_here, anchors_there = _word_places(claim), _word_places(context)
    anchors = [a for a in anchors_here if a in anchors_there]
    for one, two in combinations(shared, 2):
        if (ours[one] < ours[two]) == (theirs[one] < theirs[two]):
            continue
        low, high = sorted((ours[one], ours[two]))
        same = turned = 0
        for a, b in combinations(anchors, 2):
            # only words that tell the two figures apart: one beside each
            if (anchors_here[a] < low + 1) == (anchors_here[b] < low + 1) and not low < anchors_here[
                b
            ] < high:
                continue
            if (anchors_here[a] < anchors_here[b]) == (anchors_there[a] < anchors_there[b]):
                same += 1
            else:
                turned += 1
        if same > turned:
            return True
    return False


def _figure_places(text: str) -> dict[tuple[object, str], int]:
    places: dict[tuple[object, str], int] = {}
    for q in quantities(text, citation_marks=False):
        places.setdefault((q.value, q.unit), q.start)
    return places


def _word_places(text: str) -> dict[str, int]:
    places: dict[str, int] = {}
    for word in words(text):
        if word.printed.lower() not in FUNCTION_WORDS:
            places.setdefault(word.stem, word.start)
    return places


# ---------------------------------------------------------------- names and words
def _check_names(claim: str, cited: Sequence[Cited]) -> bool:
    """Check every name of the claim; return whether the quotes themselves hold all of them."""
    quotes = mentions(" ".join(c.context for c in cited))
    about = mentions(" ".join(f"{c.section} {c.title}" for c in cited))
    passages = mentions(" ".join(c.passage for c in cited))
    speaks_of_earlier = any(_ANAPHOR.search(c.context) for c in cited)
    perhaps = first_words(claim)
    exact = True
    for key, printed in names(claim).items():
        if key in quotes or (key in perhaps and _everyday(printed, quotes | about)):
            continue
        if _parts(printed) and all(part in quotes for part in _parts(printed)):
            continue
        if key not in about and not (key in passages and speaks_of_earlier):
            where = "the quote" if key in passages else "the passage"
            raise Unsupported(f"{where} does not speak of {printed}")
        exact = False
    return exact


def _everyday(printed: str, near: frozenset[str]) -> bool:
    """Whether the capitalised first word of a sentence is an ordinary word, as far as can be told."""
    lowered = printed.lower()
    return lowered in FUNCTION_WORDS or lowered in GENERIC_WORDS or stem(printed) in {stem(n) for n in near}


def _parts(printed: str) -> list[str]:
    """Return the parts of "LSTM-based": each may stand alone in the quote. GPT-4 has none: 4 is no part."""
    parts = [p for p in printed.split("-") if p]
    if len(parts) < 2 or any(p[0].isdigit() for p in parts):
        return []
    return [re.sub(r"[^\w^+]", "", p).lower() for p in parts]


def _overlap(claim: str, quotes: str) -> float:
    ours = content_stems(claim)
    if not ours:
        return 1.0 if quantities(claim) else 0.0
    theirs = set(content_stems(quotes))
    return sum(s in theirs for s in ours) / len(ours)
