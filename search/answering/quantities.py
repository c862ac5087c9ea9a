# ruff: noqa: RUF001 - the signs that papers print are the subject here
"""The numbers that a sentence states: value, unit and whether it is a bound.

Values are exact fractions, so that 10,000, 10^4, 1e4 and "ten thousand" are one number, and 104 another.
A digit inside a name (GPT-4, x_{1}, n^{2}) is no number here: `names` takes care of those.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from search.answering.canonical import normalised
from search.answering.spelt import SCALES, spelt

Bound = Literal["over", "under", "none"]

#: Letters that follow a number at once: 340M parameters, 10k steps.
_LETTER_SCALES = {"k": 10**3, "K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}
#: Characters of a number, and its largest power of ten: the observable universe has 10^80 atoms.
LONGEST_NUMBER = 60
LARGEST_POWER = 400
_FRACTIONS = {
    "½": Fraction(1, 2),
    "⅓": Fraction(1, 3),
    "⅔": Fraction(2, 3),
    "¼": Fraction(1, 4),
    "¾": Fraction(3, 4),
}

#: Spellings of the units that make one figure another when they are swapped.
_UNITS = {
    "percent": "%", "per cent": "%", "percentage points": "%", "percentage point": "%", "pp": "%", "%": "%",
    "millisecond": "ms", "milliseconds": "ms", "ms": "ms", "second": "s", "seconds": "s", "s": "s",
    "minute": "min", "minutes": "min", "min": "min", "hour": "h", "hours": "h", "h": "h",
    "day": "d", "days": "d", "week": "week", "weeks": "week", "month": "month", "months": "month",
    "year": "year", "years": "year",
    "kilobytes": "KB", "megabytes": "MB", "gigabytes": "GB", "terabytes": "TB",
    **{u: u for u in ("KB", "MB", "GB", "TB", "bits", "bytes", "nm", "μm", "mm", "cm", "m", "km", "Hz", "kHz",
                      "MHz", "GHz", "eV", "keV", "MeV", "GeV", "TeV", "mg", "g", "kg", "mW", "W", "kW", "MW",
                      "GW", "K", "°C", "dB", "pc", "kpc", "Mpc")},
}  # fmt: skip
_UNIT_FORMS = "|".join(sorted((re.escape(u) for u in _UNITS), key=len, reverse=True))

_UNIT_AFTER_WORD = re.compile(rf"[\s-]({_UNIT_FORMS})(?!\w)")

_NUMBER = re.compile(
    r"""
    (?<![\w^{}]) (?<![^\W\d][-_.]) (?<!\d[,.:])
    (?P<sign>(?<![\w)\]%])[-+])?
    (?:
        (?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)
        (?P<fraction>[½⅓⅔¼¾])?
        (?:[eE](?P<exponent>[+-]?\d+)(?!\w))?
        (?:\^\{(?P<power>[+-]?\d+)\})?
        (?:[×·*x]\s?10\^\{(?P<ten>[+-]?\d+)\})?
        (?:(?P<letter>[kKMBT])(?![\w-]))?
      | (?P<alone>[½⅓⅔¼¾])
    )
    (?P<scale>(?:\s|-)(?:hundred|thousand|million|billion|trillion)\b)?
    (?:(?P<gap>[\s-]?)(?P<unit>"""
    + _UNIT_FORMS
    + r""")(?![\w^{]))?
    (?P<tail>[A-Za-z]+)?
    """,
    re.VERBOSE,
)
_OVER = re.compile(
    r"(?:(?:more|greater|larger|higher|longer|better|no less|no fewer|not less) than|at least|over|above|"
    r"exceed(?:s|ed|ing)?|beyond|minimum of|upwards of|>|≥|>=)[\s~]*$",
    re.IGNORECASE,
)
_UNDER = re.compile(
    r"(?:(?:less|fewer|smaller|lower|shorter|worse|no more|not more|no greater) than|at most|under|below|"
    r"up to|maximum of|<|≤|<=)[\s~]*$",
    re.IGNORECASE,
)
_FLIPPED_OVER = re.compile(
    r"(?:no|not|n't)\s+(?:more|greater|larger|higher|longer)\s+than[\s~]*$", re.IGNORECASE
)
_FLIPPED_UNDER = re.compile(
    r"(?:no|not|n't)\s+(?:less|fewer|smaller|lower|shorter)\s+than[\s~]*$", re.IGNORECASE
)
_OR_MORE = re.compile(r"\s*(?:[%\w]+\s)?or (?:more|greater|higher|above)\b|\+(?!\d)", re.IGNORECASE)
_OR_LESS = re.compile(r"\s*(?:[%\w]+\s)?or (?:less|fewer|lower|below)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Quantity:
    """One number of a sentence."""

    value: Fraction
    #: Canonical unit (`%`, `ms`, `GB`), "ordinal" for the third, empty where none is known.
    unit: str
    #: Whether it is a lower bound ("more than 5"), an upper one, or the figure itself.
    bound: Bound
    #: As printed, for messages.
    printed: str
    #: Where it begins in `normalised(text)`.
    start: int

    def same_figure(self, other: Quantity) -> bool:
        """Whether value and unit agree; a claim may leave out a unit, but for a percent sign."""
        if self.value != other.value:
            return False
        return self.unit == other.unit or (not self.unit and other.unit not in ("%", "ordinal"))


#: "[3]", "[3, 14-16]": where an entry of the reference list stands, not what was measured.
_CITATION_MARK = re.compile(r"\[\d{1,3}(?:\s?[,;-]\s?\d{1,3})*\]")


def quantities(text: str, *, citation_marks: bool = True) -> tuple[Quantity, ...]:
    """Return the numbers stated in `text`, in order.

    With `citation_marks` off, the 12 of "[12]" is none: evidence that cites entry 12 says nothing of
    twelve layers. In a claim every number counts.
    """
    text = normalised(text)
    if not citation_marks:
        text = _CITATION_MARK.sub(lambda m: " " * len(m[0]), text)
    found = [q for match in _NUMBER.finditer(text) if (q := _from_digits(match, text)) is not None]
    taken = {q.start for q in found}
    found += [q for q in _from_words(text) if q.start not in taken]
    return tuple(sorted(found, key=lambda q: q.start))


def _from_digits(match: re.Match[str], text: str) -> Quantity:
    printed, start = match[0].strip(), match.start()
    tail = match["tail"] or ""
    value = _value(match)
    if value is None:
        return Quantity(Fraction(0), printed, "none", printed, start)
    if tail.lower() in ("st", "nd", "rd", "th"):
        return Quantity(value, "ordinal", "none", printed, start)
    # letters that follow at once and are no known unit ("5x", "3D") are one all the same
    unit = (match["unit"] or "") + tail if tail else _UNITS.get(match["unit"] or "", "")
    return Quantity(value, unit, _bound(text, start, match.end()), printed, start)


def _value(match: re.Match[str]) -> Fraction | None:
    """Return the exact value; None for what no paper measures and would take for ever to write out."""
    if len(match[0]) > LONGEST_NUMBER:
        return None
    if any(abs(int(p)) > LARGEST_POWER for p in (match["exponent"], match["power"], match["ten"]) if p):
        return None
    if match["alone"]:
        value = _FRACTIONS[match["alone"]]
    else:
        value = Fraction(match["digits"].replace(",", "")) + _FRACTIONS.get(match["fraction"] or "", 0)
        if match["exponent"]:
            value *= Fraction(10) ** int(match["exponent"])
        if match["power"]:
            value = value ** int(match["power"]) if value else value
        if match["ten"]:
            value *= Fraction(10) ** int(match["ten"])
        value *= _LETTER_SCALES.get(match["letter"] or "", 1)
    value *= SCALES.get((match["scale"] or "").strip(" -"), 1)
    return -value if match["sign"] == "-" else value


def _bound(text: str, start: int, end: int) -> Bound:
    before = text[max(0, start - 32) : start]
    if _FLIPPED_OVER.search(before) or _OR_LESS.match(text, end):
        return "under"
    if _FLIPPED_UNDER.search(before) or _OR_MORE.match(text, end):
        return "over"
    if _OVER.search(before):
        return "over"
    return "under" if _UNDER.search(before) else "none"


def _from_words(text: str) -> Iterator[Quantity]:
    for number in spelt(text):
        start, end = number.start, number.end
        printed = text[start:end]
        if number.kind == "cardinal":
            unit = _UNIT_AFTER_WORD.match(text, end)
            name = _UNITS[unit[1]] if unit else ""
            yield Quantity(number.value, name, _bound(text, start, end), printed, start)
        else:
            yield Quantity(number.value, number.kind, "none", printed, start)
