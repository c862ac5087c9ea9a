"""Raised and lowered runs, recognised by geometry and written so that 10⁴ never becomes 104.

A raised run of one character is written `^4`, of several `^{12}` or `^{-3}`; a lowered one `_i` or
`_{ij}`; runs nest: `2^{n^2}`. Primes and degree rings stand as they are (x′, 90◦), and so do the
endings of ordinals (19th). Raised citation numbers and footnote marks (after a word or punctuation)
are left out: they are no part of the sentence.
"""

# ruff: noqa: RUF001, RUF002 - the characters are meant as they are
from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from search.documents.characters import expand
from search.documents.pages import Span

#: A script is at most this part of the size it hangs on: TeX sets 7 on 10, 8 on 12, 6 on 8, 5 on 7 (0.71
#: to 0.75); Word about 0.65; \footnotesize in a footnote 6 on 7 (0.86).
SCRIPT_RATIO = 0.9
#: How far a script's baseline is off, in sizes of its base: TeX raises by 0.29 to 0.41, lowers by 0.13 to
#: 0.25; a misplaced baseline is off by less than 0.05.
RAISED_FROM, LOWERED_FROM = 0.13, 0.08
#: Beyond this it is another row (a limit of a sum, a numerator), still written as a script.
FARTHEST = 1.6
#: A run of the same size counts as raised where the reader says so too (Word's "raised by 3 points").
SAME_SIZE_RAISED = (0.2, 0.7)
#: A footnote's mark that opens its line, 0.41 in amsart; a numerator in a display stands 0.68 higher.
OPENING_MARK_RAISED = (0.2, 0.5)

_MARKS = r"[\[(]?[\d*∗†‡§¶‖∥⋆#]+[\])]?"
#: One, or several: "3", "3,5", "1),2)", "[4]-[6]".
_MARK = re.compile(rf"{_MARKS}(?:\s*[,;–—-]\s*{_MARKS})*[,.]?")
_ORDINAL_ENDING = re.compile(r"st|nd|rd|th")
_AS_IT_STANDS = re.compile("[′″‴'’◦°]+")
_LAST_WORD = re.compile(r"[^\W\d_]+$")
_ELEMENT = re.compile(r"[A-Z][a-z]?(?![a-z])")
_MATH_FONT = re.compile(
    r"MI\d|MI$|SY\d|SY$|MSBM|MSAM|EUFM|EUSM|BX?MI|Math|mtmi|txmi|RSFS|CMMIB", re.IGNORECASE
)
#: Glyph boxes of these fonts hang from their top, so their baselines say nothing.
_EXTENSION_FONT = re.compile(r"CMEX|MTEX|txex|pxex|Extension|MTExtra|EXT", re.IGNORECASE)

#: Elements whose isotopes papers speak of; those that are English words too ("In", "As") are left out.
_ISOTOPES = frozenset(
    """
    H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge Se Br Kr Rb Sr
    Y Zr Nb Mo Tc Ru Rh Pd Ag Cd Sn Sb Te Xe Cs Ba La Ce Nd Sm Eu Gd Dy Er Yb Lu Hf Ta Re Os Ir Pt Au Hg
    Tl Pb Bi Po Rn Ra Ac Th Pa U Np Pu Am Cm
    """.split()  # noqa: SIM905 - a list of quoted words reads worse
)

#: After these a raised number is an exponent: units, and functions whose power is written on their name.
_EXPONENT_BASES = frozenset(
    """
    km cm mm nm m s kg g mg Hz kHz MHz GHz eV keV MeV GeV TeV pc kpc Mpc Gpc yr sr K deg arcsec arcmin
    fm fb pb mol Pa kPa MPa sec hr min erg Jy mJy dex Torr rad log ln exp sin cos tan cot sec csc sinh
    cosh tanh arcsin arccos arctan max min det dim ker sup inf lim Tr tr Re Im diag grad div sgn erf Var
    Cov var cov arg mod gcd Ext Tor Hom Aut End Sym chi
    """.split()  # noqa: SIM905 - a list of quoted words reads worse
)


@dataclass(slots=True)
class _Level:
    """One level of a line: the ordinary text, or a script that hangs on the level below it."""

    size: float
    baseline: float
    kind: str = ""
    #: Where its first character begins and its last one ends.
    x0: float = 0.0
    x1: float = 0.0
    parts: list[str] = field(default_factory=list)
    #: The raised script that was written last: its place among the parts, and where it ends on the page.
    raised: tuple[int, float] | None = None
    #: The marks that were left out, and where.
    marks: list[tuple[int, str]] = field(default_factory=list)

    def text(self) -> str:
        return "".join(self.parts)


def line_text(
    spans: Sequence[Span], size: float, baseline: float, left_out: list[tuple[int, str]] | None = None
) -> str:
    """Return the text of a printed line, scripts marked and marks left out.

    Args:
        spans: from left to right.
        size: the size of the line's ordinary text, in points.
        baseline: the y of its baseline.
        left_out: takes the marks that are left out, each with its place in the text.
    """
    if len(spans) == 1:
        return expand(spans[0].text)
    levels = [_Level(size, baseline)]
    font, end = "", spans[0].x0
    for span in spans:
        text = expand(span.text)
        gap = span.x0 - end > 0.12 * span.size
        if text.isspace() and span.x0 < end - 0.5 and span.x1 < end + 0.12 * span.size:
            continue  # between an index and what follows the wider exponent above it
        # Of two scripts above one another, the wider one says where the line goes on.
        end = max(end, span.x1) if span.x0 < end else span.x1
        if not text.strip():
            if text:
                levels[-1].parts.append(text)
            continue
        kind = _settle(levels, span, text, font, attached=not gap)
        if not kind and gap and levels[0].parts and not levels[0].parts[-1].endswith(" "):
            levels[0].parts.append(" ")
        levels[-1].parts.append(text)
        levels[-1].x1 = span.x1
        if len(levels) == 1:
            font = span.font
    while len(levels) > 1:
        _close(levels, "", font)
    if left_out is not None:
        left_out += levels[0].marks
    return levels[0].text()


def _settle(levels: list[_Level], span: Span, text: str, font: str, *, attached: bool) -> str:
    """Close and open levels until the last one is the level that `span` belongs to; return its kind."""
    while True:
        top = levels[-1]
        if abs(span.baseline - top.baseline) <= 0.1 * top.size and 0.88 <= span.size / top.size <= 1.14:
            return top.kind
        kind = script_kind(span, top.size, top.baseline)
        if kind and span.size > SCRIPT_RATIO * top.size and not (attached and _is_exponent(levels, text)):
            kind = ""  # the numerator of a fraction
        kind = kind or _opening_mark(span, text, levels)
        if kind:
            levels.append(_Level(span.size, span.baseline, kind, span.x0, span.x1))
            return kind
        if len(levels) == 1:
            if not _EXTENSION_FONT.search(span.font):
                top.size, top.baseline = span.size, span.baseline
            return ""
        _close(levels, text, font, above=_stands_under(span, top, levels[-2]))


def _stands_under(span: Span, raised: _Level, base: _Level) -> bool:
    """Return whether a lowered run begins under a raised one: both are a symbol's, none is a mark."""
    return (
        raised.kind == "^"
        and span.x0 < raised.x1 - 0.2 * raised.size
        and script_kind(span, base.size, base.baseline) == "_"
    )


def _opening_mark(span: Span, text: str, levels: list[_Level]) -> str:
    """Return `^` for a raised mark at a line's beginning that is hardly smaller than the text, else nothing.

    Fonts that are not scaled in TeX's steps set a footnote's mark at 7.4 points before text of 8.
    """
    base = levels[0]
    low, high = OPENING_MARK_RAISED
    raised = low <= (base.baseline - span.baseline) / base.size <= high
    opens = len(levels) == 1 and not base.text().strip() and bool(_MARK.fullmatch(text.strip()))
    return "^" if opens and raised and span.size < 0.97 * base.size else ""


def _is_exponent(levels: list[_Level], text: str) -> bool:
    """Return whether a run of full size can be an exponent: digits right after a letter or a digit."""
    before = levels[-1].text()[-1:]
    return text.strip().isdecimal() and before.isalnum()


def script_kind(span: Span, size: float, baseline: float) -> str:
    """Return `^` or `_` where `span` hangs on text of this size and baseline, else an empty string."""
    shift = (baseline - span.baseline) / size
    if span.size <= SCRIPT_RATIO * size:
        if RAISED_FROM <= shift <= FARTHEST:
            return "^"
        if -FARTHEST <= shift <= -LOWERED_FROM:
            return "_"
    elif (
        span.raised_hint and SAME_SIZE_RAISED[0] <= shift <= SAME_SIZE_RAISED[1] and span.size <= 1.05 * size
    ):
        return "^"
    return ""


def _close(levels: list[_Level], following: str, font: str, *, above: bool = False) -> None:
    """Write the innermost script into the level below, or leave it out; `above` an index it is none."""
    script = levels.pop()
    raw = script.text()
    text = raw.strip()
    parent = levels[-1]
    before = parent.text()
    if not text:
        parent.parts.append(raw)
        return
    if script.kind == "^" and len(levels) == 1 and not above and is_mark(text, before, following, font):
        parent.marks.append((len(before), text))
    else:
        _write(parent, script, _written(script.kind, text, before))
    if raw[-1].isspace():
        parent.parts.append(" ")


def _write(parent: _Level, script: _Level, written: str) -> None:
    """Put a script into the level below: of two above one another the lower first, as formulas are typed."""
    if script.kind == "_" and parent.raised and parent.raised[0] == len(parent.parts) - 1:
        at, end = parent.raised
        if script.x0 < end - 0.2 * script.size:
            parent.parts.insert(at, written)
            return
    parent.parts.append(written)
    parent.raised = (len(parent.parts) - 1, script.x1) if script.kind == "^" else None


def _written(kind: str, text: str, before: str) -> str:
    if kind == "^" and (
        _AS_IT_STANDS.fullmatch(text) or (_ORDINAL_ENDING.fullmatch(text) and before[-1:].isdigit())
    ):
        return text
    return f"{kind}{text}" if len(text) == 1 else f"{kind}{{{text}}}"


def is_mark(text: str, before: str, following: str, font: str) -> bool:
    """Return whether a raised run is a citation number or a footnote mark.

    Args:
        text: the run.
        before: the line up to it.
        following: what comes right after it, as far as is known.
        font: the font of the ordinary text before it.
    """
    stem = before.rstrip()
    element = _ELEMENT.match(following) if not stem or before[-1].isspace() else None
    if not _MARK.fullmatch(text) or (element and element[0] in _ISOTOPES):
        return False
    if not stem or (text[-1] == ")" and "(" not in text):  # "3)" and "*)" are no exponents
        return True
    last = stem[-1]
    if last in ".,;:!?\"'”’“":
        return not (last == "." and stem[-2:-1].isdigit() and len(text) > 3)
    if last in ")]}":
        word = _LAST_WORD.search(stem[:-1])
        return word is not None and len(word[0]) > 2 and stem[: word.start()][-1:] != "_"
    return _is_prose_word(stem, font)


def _is_prose_word(stem: str, font: str) -> bool:
    """Return whether a line ends with a word of prose, after which no exponent can stand."""
    word = _LAST_WORD.search(stem)
    if not word:
        return False
    attached = stem[: word.start()][-1:] in {"^", "_", "{", "\\"}
    return not (attached or len(word[0]) == 1 or word[0] in _EXPONENT_BASES or bool(_MATH_FONT.search(font)))
