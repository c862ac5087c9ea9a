# ruff: noqa: RUF001 - the signs that papers print are the subject here
"""The form that quotes are compared in, and the numbers that are read from it."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from search.answering.canonical import canonical, stands_in
from search.answering.quantities import quantities

RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
numbers = st.one_of(
    st.integers(0, 10**7).map(str),
    st.decimals(0, 10**4, places=2, allow_nan=False).map(str),
    st.tuples(st.integers(2, 99), st.integers(-20, 20)).map(lambda p: f"{p[0]}^{{{p[1]}}}"),
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
