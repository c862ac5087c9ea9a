r"""Which work of a library a printed reference names, told by its title.

A reference is not parsed for this: the titles of the library are looked for in it. So it does not matter
where a bibliography style puts the year or whether it quotes titles. Titles are compared by their letters
and digits alone (`pre-training`, `pretraining` and a word divided at a line's end are the same), and a
title that stands in the reference counts only where it stands as a title: between marks that end names and
sentences, with an author of the work in front of it, and in a year in which it can have been published.
How often that is right is measured by evals/edges.py.
"""

# ruff: noqa: RUF001 - the characters are meant as they are
from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

#: Letters of a title's beginning and end that it is looked up by: few others share them. Of 6,545 titles of
#: NeurIPS and ICML papers 2.9 % have their first 24 letters in common with another one.
KEY_LETTERS = 24
#: A title of fewer letters or words names too many things ("Deep learning", "Introduction").
SHORTEST, FEWEST_WORDS = 12, 2
#: Below so many letters or words a title also needs its year.
SHORT, FEW_WORDS = 28, 4
#: How like a title that is not printed letter for letter must be: one wrong letter in twelve.
NEAR = 0.92
#: Years from the first version on arXiv to what a reference prints: papers come out later than their
#: preprints, and some are put on arXiv long after they came out.
YEARS_BEFORE, YEARS_AFTER = 1, 6
#: The same for titles that leave no doubt.
LONG_BEFORE, LONG_AFTER = 25, 12

#: Of the edges that rest on a title: set a little under what evals/edges.py measured (evals/results.md).
EXACT_CONFIDENCE, NEAR_CONFIDENCE = 0.98, 0.95

_FONTS = re.compile(
    r"\\(?:math(?:cal|bb|rm|bf|sf|it|frak|scr|tt)?|text(?:bf|it|rm|sc|sf|tt)?|operatorname|emph|ensuremath"
    r"|boldsymbol|bm|rm|it|bf|sf|sc|cal|em|left|right|over|widetilde|tilde|bar|hat|overline|vec|sqrt|frac)"
    r"(?![A-Za-z])"
)
_PLACEHOLDER = re.compile(r"\{\{\w+:[^{}]*\}\}")
_YEAR = re.compile(r"(?<!\d)(1[89]\d\d|20[0-4]\d)(?!\d)")
_SERIES = re.compile(r"[\s.,:;–—-]*(?:\(?part\s+)?(?:[IVX]{1,4}|\d{1,2})\b(?![.,]?\s*\d)\s*(?:[.:,)]|$)")
#: What a title follows: the end of names, of a year or of a sentence, a quotation mark.
_BEFORE = re.compile(r"(?:^|[.,;:)\]\"“”„‘’'`«]|[–—]{2,}|(?<!\w)(?:19|20)\d\d[a-z]?)[\s\"“”„‘’'`«(]*$")
#: A colon in front of a title ends a list of names only after an initial ("Sun, J.:") or "et al.:".
_COLON_AFTER_NAMES = re.compile(r"(?:\b\w\.|\bal\.?|\(eds?\.\)|\b[A-Z][\w’'-]+,\s\w)\s*:\s*[\"“”`']*$")
_AFTER = re.compile(r"\s*(?:$|[.,;?!\"”“’'»)(\[]|[–—]\s|\b(?:In|in|arXiv|ArXiv|arxiv|CoRR|URL|doi|Tech)\b)")
_NUMBER_WORD = re.compile(r"^(?:\d+[a-z]?|[ivx]+)$")

#: Letters that Unicode does not take apart.
_PLAIN = str.maketrans({
    "ø": "o", "Ø": "o", "ł": "l", "Ł": "l", "đ": "d", "Đ": "d", "ı": "i", "ȷ": "j", "æ": "ae", "Æ": "ae",
    "œ": "oe", "Œ": "oe", "ð": "d", "þ": "th",
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ϵ": "epsilon", "ζ": "zeta",
    "η": "eta", "θ": "theta", "κ": "kappa", "λ": "lambda", "μ": "mu", "µ": "mu", "ν": "nu", "ξ": "xi",
    "π": "pi", "ρ": "rho", "σ": "sigma", "τ": "tau", "φ": "phi", "ϕ": "phi", "χ": "chi", "ψ": "psi",
    "ω": "omega", "Γ": "gamma", "Δ": "delta", "Λ": "lambda", "Σ": "sigma", "Φ": "phi", "Ψ": "psi",
    "Ω": "omega", "ℓ": "l", "∞": "infty",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class TitledWork:
    """What of a work can be recognised in a reference."""

    work_id: str
    title: str
    #: Names as printed, given name first; empty where nobody knows them.
    authors: tuple[str, ...] = ()
    #: Of the first version.
    year: int | None = None


@dataclass(frozen=True, slots=True)
class TitleMatch:
    """A work whose title a reference prints."""

    work_id: str
    confidence: float
    #: Where the title stands in the reference.
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Letters:
    """A text reduced to its letters and digits, each with its place in the text."""

    text: str
    #: The text's letters in lower case, without accents.
    letters: str
    #: Where each letter comes from: its position in `text`.
    places: tuple[int, ...]
    #: Indices into `letters` at which words begin, in order.
    starts: tuple[int, ...]

    @property
    def ends(self) -> tuple[int, ...]:
        """Indices into `letters` right after each word."""
        return (*self.starts[1:], len(self.letters))

    def words(self, start: int, end: int) -> list[str]:
        """Return the words between two indices into `letters`."""
        cuts = [at for at in self.starts if start <= at < end]
        return [self.letters[a:b] for a, b in pairwise([*cuts, end])]


def letters(text: str) -> Letters:
    """Return the letters and digits of a text."""
    found: list[str] = []
    places: list[int] = []
    starts: list[int] = []
    apart = True
    for place, character in enumerate(text):
        if character.isascii():
            plain = character.lower() if character.isalnum() else ""
        elif unicodedata.combining(character):
            continue
        else:
            plain = "".join(
                c
                for c in unicodedata.normalize("NFKD", character.translate(_PLAIN)).casefold()
                if c.isalnum()
            )
        if not plain:
            apart = True
            continue
        if apart:
            starts.append(len(places))
            apart = False
        found.append(plain)
        places += [place] * len(plain)
    return Letters(text, "".join(found), tuple(places), tuple(starts))


def title_letters(title: str) -> Letters:
    """Return a title's letters, TeX's fonts and braces left out."""
    return letters(_FONTS.sub(" ", title).replace("\\", ""))


def title_keys(title: str) -> tuple[int, ...]:
    """Return what a title is looked up by: its first and last letters, hashed; none if it is too short."""
    bare = title_letters(title)
    if len(bare.letters) < SHORTEST or len(bare.starts) < FEWEST_WORDS:
        return ()
    return tuple(dict.fromkeys((key_of(bare.letters[:KEY_LETTERS]), key_of(bare.letters[-KEY_LETTERS:]))))


def reference_keys(raw: str) -> tuple[int, ...]:
    """Return the keys of all titles that can stand in a reference: two for each word, and the short ones."""
    text = letters(_PLACEHOLDER.sub(" ", raw))
    found: dict[int, None] = {}
    ends = text.ends
    for index, start in enumerate(text.starts):
        head = text.letters[start : start + KEY_LETTERS]
        if len(head) == KEY_LETTERS:
            found[key_of(head)] = None
        for end in ends[index:]:
            if end - start > KEY_LETTERS:
                break
            if end - start >= SHORTEST:
                found[key_of(text.letters[start:end])] = None
    for end in ends:
        if end >= KEY_LETTERS:
            found[key_of(text.letters[end - KEY_LETTERS : end])] = None
    return tuple(found)


def key_of(text: str) -> int:
    """Return a 64-bit hash, the same on every machine; signed, as SQLite's integers are."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big", signed=True)


def match(raw: str, candidates: Iterable[TitledWork]) -> TitleMatch | None:
    """Return the work that a reference names, None where there is none or it could be several.

    Args:
        raw: the reference as printed.
        candidates: works that share a key with it.
    """
    text = letters(_PLACEHOLDER.sub(" ", raw))
    found = [one for work in candidates if (one := _found(text, work))]
    if not found:
        return None
    best = max(found, key=lambda one: (one.end - one.start, one.confidence))
    # Two papers of one title: no title can tell them apart.
    rivals = {one.work_id for one in found if (one.start, one.end) == (best.start, best.end)}
    return best if len(rivals) == 1 else None


def _found(text: Letters, work: TitledWork) -> TitleMatch | None:
    title = title_letters(work.title)
    if len(title.letters) < SHORTEST or len(title.starts) < FEWEST_WORDS:
        return None
    place, exact = _place(text, title)
    if place is None or not _stands_alone(text, *place):
        return None
    if not _plausible(text, place, title, work, exact=exact):
        return None
    start, end = place
    confidence = EXACT_CONFIDENCE if exact else NEAR_CONFIDENCE
    return TitleMatch(work.work_id, confidence, text.places[start], text.places[end - 1] + 1)


def _place(text: Letters, title: Letters) -> tuple[tuple[int, int] | None, bool]:
    """Return where a title stands among a reference's letters, and whether letter for letter."""
    wanted = title.letters
    starts, ends = set(text.starts), set(text.ends)
    at = text.letters.find(wanted)
    while at >= 0:
        if at in starts and at + len(wanted) in ends:
            return (at, at + len(wanted)), True
        at = text.letters.find(wanted, at + 1)
    if len(wanted) < SHORT:
        return None, False
    best: tuple[float, tuple[int, int]] = (0.0, (0, 0))
    for start, end in _windows(text, wanted):
        likeness = SequenceMatcher(None, wanted, text.letters[start:end], autojunk=False).ratio()
        if likeness > best[0]:
            best = (likeness, (start, end))
    if best[0] < NEAR or not _same_words(title.words(0, len(wanted)), text.words(*best[1])):
        return None, False
    return best[1], False


def _windows(text: Letters, wanted: str) -> Iterable[tuple[int, int]]:
    """Yield stretches of whole words, nearly as long as a title, that begin or end as it does."""
    slack = max(3, len(wanted) // 12)
    at = text.letters.find(wanted[:KEY_LETTERS])
    if at in set(text.starts):
        yield from ((at, end) for end in text.ends if abs(end - at - len(wanted)) <= slack)
    tail = text.letters.find(wanted[-KEY_LETTERS:])
    if tail >= 0 and (end := tail + KEY_LETTERS) in set(text.ends):
        yield from ((at, end) for at in text.starts if abs(end - at - len(wanted)) <= slack)


def _same_words(title: Sequence[str], printed: Sequence[str]) -> bool:
    """Return whether two nearly equal titles can be one: a figure or a prefix makes another paper.

    "II" is not "III", and "Symmetric motion" is not "Asymmetric motion".
    """
    if [w for w in title if _NUMBER_WORD.match(w)] != [w for w in printed if _NUMBER_WORD.match(w)]:
        return False
    alone, other = set(title) - set(printed), set(printed) - set(title)
    return not any(a.endswith(b) or b.endswith(a) for a in alone for b in other)


def _stands_alone(text: Letters, start: int, end: int) -> bool:
    """Return whether letters stand as a title does: not as a part of a longer one, or of a series."""
    before = text.text[: text.places[start]]
    after = text.text[text.places[end - 1] + 1 :].lstrip("}$")
    if not _BEFORE.search(before) or not _AFTER.match(after) or _SERIES.match(after):
        return False
    return not before.rstrip("\"“”`' ").endswith(":") or bool(_COLON_AFTER_NAMES.search(before))


def _plausible(
    text: Letters, place: tuple[int, int], title: Letters, work: TitledWork, *, exact: bool
) -> bool:
    """Return whether authors and year allow that the reference names this work."""
    short = len(title.letters) < SHORT or len(title.starts) < FEW_WORDS
    named = _authors_agree(text, place, work)
    if named is False or (named is None and (short or not exact)):
        return False
    years = [int(year) for year in _YEAR.findall(text.text)]
    if not years or work.year is None:
        return not short
    before, after = (
        (LONG_BEFORE, LONG_AFTER) if named and exact and not short else (YEARS_BEFORE, YEARS_AFTER)
    )
    return any(work.year - before <= year <= work.year + after for year in years)


def _authors_agree(text: Letters, place: tuple[int, int], work: TitledWork) -> bool | None:
    """Return whether the names in front of a title are the work's; None where one side has none.

    The first author must be among them, or two others: "et al." cuts lists, and some begin with a dash
    in place of the names of the entry before.
    """
    surnames = [name.letters for author in work.authors if (name := _surname(author))]
    front = set(text.words(0, place[0]))
    joined = text.letters[: place[0]]
    if not surnames or sum(len(word) > 1 and not word.isdigit() for word in front) < 1:
        return None
    there = [name for name in surnames if name in front or (len(name) > 6 and name in joined)]
    return bool(there) and (there[0] == surnames[0] or len(there) > 1)


def _surname(author: str) -> Letters | None:
    words = [word for word in author.split() if word.rstrip(".").lower() not in {"jr", "sr", "ii", "iii"}]
    found = letters(words[-1]) if words else None
    return found if found and found.letters else None
