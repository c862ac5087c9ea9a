# ruff: noqa: RUF001 - the signs that papers print are the subject here
"""The form that quotes are compared in, and the numbers that are read from it."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from search.answering.canonical import canonical, stands_in
from search.answering.quantities import quantities

RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
numbers = st.one_of(
    st.integers(0, 10**7).map(str),
    st.decimals(0, 10**4, places=2, allow_nan=False).map(str),
    st.tuples(st.integers(2, 99), st.integers(-20, 20)).map(lambda p: f"{p[0]}^{{{p[1]}}}"),
)
DIGITS = ["0123456789", "０１２３４５６７８９", "𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗", "𝟘𝟙𝟚𝟛𝟜𝟝𝟞𝟟𝟠𝟡", "𝟶𝟷𝟸𝟹𝟺𝟻𝟼𝟽𝟾𝟿"]
MINUS = ["-", "−", "–", "‐", "‑"]
VULGAR = {
    Fraction(1, 2): "½",
    Fraction(1, 3): "⅓",
    Fraction(1, 4): "¼",
    Fraction(3, 4): "¾",
    Fraction(7, 8): "⅞",
}
#: What a number is, whichever way it is written; and one way to write it.
Written = tuple[tuple[object, ...], str]


@st.composite
def written_numbers(  # noqa: C901, PLR0911 - one branch for each notation
    draw: st.DrawFn,
) -> Written:
    """A number as papers write it: its value and unit (or the name that it is the index of), its print."""
    alphabet = str.maketrans("0123456789", draw(st.sampled_from(DIGITS)))

    def digits(number: int) -> str:
        return str(number).translate(alphabet)

    def script(mark: str, inside: str) -> str:
        name = {"^": "sup", "_": "sub"}[mark]
        forms = [
            f"{mark}{{{inside}}}",
            f"{mark}{{ {inside} }}",
            f"<{name}>{inside}</{name}>",
            f"{mark}{inside}",
        ]
        if mark == "^" and inside.isascii():
            forms.append(inside.translate(RAISED))
        return draw(st.sampled_from(forms))

    # Few digits, so that two numbers often have the same ones.
    number, other = draw(st.sampled_from([1, 2, 5, 10, 11, 12, 100, 101, 110])), draw(st.integers(1, 12))
    negative = draw(st.booleans())
    sign = draw(st.sampled_from(MINUS)) if negative else ""
    times = -1 if negative else 1
    kind = draw(st.sampled_from(["whole", "decimal", "power", "small power", "index", "percent", "fraction",
                                 "mixed", "thousands", "scientific"]))  # fmt: skip
    if kind == "whole":
        return ("number", Fraction(times * number)), sign + digits(number)
    if kind == "decimal":
        comma = draw(st.sampled_from([".", ",", "·"]))
        # With three digits after it, a comma is for thousands.
        return (
            "number",
            times * (number + Fraction(other, 100)),
        ), f"{sign}{digits(number)}{comma}{digits(100 + other)[1:]}"
    if kind == "power":
        return ("number", times * Fraction(number) ** (other % 9 + 2)), sign + digits(number) + script(
            "^", str(other % 9 + 2)
        )
    if kind == "small power":
        exponent = other % 9 + 1
        minus = draw(st.sampled_from(["-", "−"]))
        return ("number", times * Fraction(1, number**exponent)), sign + digits(number) + script(
            "^", f"{minus}{exponent}"
        )
    if kind == "index":
        name = draw(st.sampled_from(["x", "10", "F"]))
        return ("index of", name, other), name + script("_", str(other))
    if kind == "percent":
        unit = draw(st.sampled_from(["%", " %", r"\%", "‰"]))
        return (unit.strip(" \\"), times * number), sign + digits(number) + unit
    if kind == "fraction":
        return ("number", times * Fraction(number, other + 1)), f"{sign}{digits(number)}/{digits(other + 1)}"
    if kind == "mixed":
        part = draw(st.sampled_from(sorted(VULGAR)))
        return ("number", times * (number + part)), f"{sign}{digits(number)}{VULGAR[part]}"
    if kind == "thousands":
        gap = draw(st.sampled_from([",", "\u2009", "\u202f", "\xa0"]))
        return (
            "number",
            Fraction(times * (1000 * number + other)),
        ), f"{sign}{digits(number)}{gap}{digits(1000 + other)[1:]}"
    power = draw(st.sampled_from([" × ", "×", r" \times ", "·"]))
    return ("number", times * number * Fraction(10) ** other), f"{sign}{digits(number)}{power}10" + script(
        "^", str(other)
    )


prose = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=60)


@given(st.integers(1, 999), st.integers(-40, 40))
def test_notations_of_one_power_agree_and_its_digits_side_by_side_do_not(base, power):
    """10⁴, 10^4, 10^{4}, 10<sup>4</sup> and $10^4$ are one text, and never 104."""
    forms = [f"{base}^{power}", f"{base}^{{{power}}}", f"{base}<sup>{power}</sup>", f"${base}^{{{power}}}$",
             f"{base}{str(power).translate(RAISED)}"]  # fmt: skip
    assert len({canonical(f"over {form} models") for form in forms}) == 1
    assert canonical(f"over {base}{power} models") != canonical(f"over {forms[0]} models")
    assert not stands_in(f"over {base}{power} models", f"over {forms[0]} models")


@given(numbers, numbers)
def test_two_different_numbers_are_never_equal(one, other):
    """Different numerals have different canonical forms, and neither stands in a text that has the other."""
    if one != other:
        assert canonical(f"a {one} b") != canonical(f"a {other} b")
        assert not stands_in(one, f"we train {other} models")


@settings(max_examples=500)
@given(
    written_numbers(),
    written_numbers(),
    st.sampled_from(["a {} b", "({}).", "{}, and", "${}$ and", "by {} or so"]),
)
def test_different_numbers_stay_different_however_they_are_written(one, other, sentence):
    """Two numbers of different value, in any two of the notations that papers use, have different forms."""
    (value, text), (other_value, other_text) = one, other
    assume(value != other_value)
    assert canonical(sentence.format(text)) != canonical(sentence.format(other_text))
    assert not stands_in(f"trained {text} models", f"we trained {other_text} models")


@settings(max_examples=500)
@given(written_numbers(), written_numbers())
def test_a_number_stands_in_no_other(one, other):
    """A quote that is a number alone is not found inside another number that its digits are part of."""
    (value, text), (other_value, other_text) = one, other
    assume(value != other_value)
    assert not stands_in(text, f"we train {other_text} models")


@given(prose)
def test_the_form_of_a_form_is_itself(text):
    """Canonical form is idempotent on any text, and it adds and loses no ASCII digit."""
    form = canonical(text)
    assert canonical(form) == form


@given(prose, prose, prose)
def test_a_verbatim_stretch_stands_in_its_text(before, quote, after):
    """Whole words copied from a text are found there again; a soft hyphen before joins them to its word."""
    assume(not before.endswith("\u00ad"))
    words = f"alpha {quote} omega"
    assert stands_in(words, f"{before} {words} {after}")


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("information retrieval", "in\u00adforma-\ntion retrieval"),
        ("state-of-the-art results", "state-of-the-\nart results"),
        ("efficient flow", "eﬃcient ﬂow"),
        ('the model\'s "own" words', "the model’s “own” words"),
        ("a gain - 5% - in recall", "a gain – 5 % – in recall"),
        ("We find that", "Here we find that it holds"),
        ("post-training quantization", "pre- and post-training quantization"),
        ("x_i is bold", "the x_{i} is bold"),
    ],
)
def test_other_spellings_of_the_same_words_are_the_same(quote, text):
    """Hyphenation, ligatures, quotation marks, dashes and spaces make no difference."""
    assert stands_in(quote, text)


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("104", "10^4"),
        ("10", "10^4"),
        ("4", "10^4"),
        ("1.5", "15"),
        ("15", "1.5"),
        ("10^4", "10^{-4}"),
        ("5", "0.5"),
        ("5", "-5"),
        ("5", "5%"),
        ("5", "5 million"),
        ("x_1", "x1"),
        ("1000", "1,000"),
        ("5 mW", "5 MW"),
        ("improve", "improves"),
        ("5×10^4", "1.5×10^4"),
        ("104", "10\u200b4"),
        ("104", "10\u00ad4"),
        ("5", "5 × 10^3"),
        ("", "anything"),
        ("...", "a ... b"),
    ],
)
def test_what_looks_alike_and_is_not(quote, text):
    """A quote that cuts a word or a number, or writes another one, does not stand in the text."""
    assert not stands_in(quote, f"we use {text} here")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("10,000", [10_000]),
        ("10^4", [10_000]),
        ("1e4", [10_000]),
        ("ten thousand", [10_000]),
        ("104", [104]),
        ("340M and 7 billion", [340_000_000, 7_000_000_000]),
        ("5 × 10^-3", [Fraction(1, 200)]),
        ("1½", [Fraction(3, 2)]),
        ("-3.5", [Fraction(-7, 2)]),
        ("3-5 layers", [3, 5]),
        ("GPT-4 on CIFAR-10 with x_{1}", []),
        ("twenty-one", [21]),
        ("two hundred and five", [200, 5]),
        ("one of them", []),
        ("one model", [1]),
        ("two, three", [2, 3]),
        ("the third of 2nd", [3, 2]),
        ("2019", [2019]),
        ("WMT14 and F1", []),
    ],
)
def test_numbers_are_read_exactly(text, values):
    """Numerals, powers, scales and number words become one exact value; digits of names become none."""
    assert [q.value for q in quantities(text)] == values


@pytest.mark.parametrize(
    ("text", "unit", "bound"),
    [
        ("90%", "%", "none"),
        ("90 percent", "%", "none"),
        ("more than 5 ms", "ms", "over"),
        ("at most 3 GB", "GB", "under"),
        ("no more than 5", "", "under"),
        ("not less than 5", "", "over"),
        ("< 7", "", "under"),
        ("50% or more", "%", "over"),
        ("up to 12 hours", "h", "under"),
        ("exceeding 4", "", "over"),
    ],
)
def test_units_and_bounds_are_read(text, unit, bound):
    """The unit is canonical, and words before or after make the number a bound."""
    (figure,) = quantities(text)
    assert (figure.unit, figure.bound) == (unit, bound)


@given(st.text(st.sampled_from("0123456789.,^{}eE+-×% kMB"), max_size=80))
def test_no_string_of_digits_breaks_the_reader(text):
    """Hostile numerals are read or passed over, without an error and without long arithmetic."""
    assert all(abs(q.value) < Fraction(10) ** 30_000 for q in quantities(text))
