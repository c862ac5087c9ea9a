"""Section numbers, and which of them run in order."""

from __future__ import annotations

import pytest

from search.documents.numbering import longest_run, parse_number


@pytest.mark.parametrize(
    ("text", "printed", "scheme", "parts", "title"),
    [
        ("1 Introduction", "1", "arabic", (1,), "Introduction"),
        ("2.1. Data", "2.1", "arabic", (2, 1), "Data"),
        ("3.2.1 More of it", "3.2.1", "arabic", (3, 2, 1), "More of it"),
        ("IV. RESULTS", "IV", "roman", (4,), "RESULTS"),
        ("B. Setup", "B", "appendix", (2,), "Setup"),
        ("A.2 Proofs", "A.2", "appendix", (1, 2), "Proofs"),
        ("Chapter 2", "2", "arabic", (2,), ""),
        ("Appendix C: Tables", "C", "appendix", (3,), "Tables"),
    ],
)
def test_numbers_of_all_styles(text, printed, scheme, parts, title):
    """Arabic, roman and letters, with and without points, leave the title behind."""
    number, rest = parse_number(text)
    assert (number.printed, number.scheme, number.parts, rest) == (printed, scheme, parts, title)


@pytest.mark.parametrize(
    "text", ["Introduction", "In this paper", "I am not a number", "2019", "3D", "CRediT statement"]
)
def test_words_are_no_numbers(text):
    """A word, a year and a pronoun are no section numbers."""
    number, rest = parse_number(text)
    assert number is None
    assert rest == text


def run(*texts: str) -> list[str]:
    numbers = [parse_number(f"{text} Title")[0] for text in texts]
    return [texts[index] for index, _ in longest_run([(number, 2.0) for number in numbers])]


def test_what_runs_out_of_order_is_left_out():
    """A list item "3." between 1 and 1.1, and a table's 12, are no sections."""
    assert run("1", "3", "1.1", "1.2", "12", "2", "2.1", "3") == ["1", "1.1", "1.2", "2", "2.1", "3"]


def test_letters_below_romans_are_subsections_and_after_them_appendices():
    """In "I, A, B, II, A, III" the letters are of level 2; "1, 2, A, A.1" ends with an appendix."""
    numbers = [parse_number(f"{text} Title")[0] for text in ("I.", "A.", "B.", "II.", "A.", "III.")]
    found = longest_run([(number, 2.0) for number in numbers])
    assert [number.level for _, number in found] == [1, 2, 2, 1, 2, 1]
    assert run("1", "2", "A", "A.1", "B") == ["1", "2", "A", "A.1", "B"]


def test_nothing_runs_in_nothing():
    """No numbers, no run."""
    assert longest_run([]) == []


def test_sections_below_an_appendix_are_subsections_where_only_the_last_part_is_printed():
    """In "I, A, 1), Appendix A, A, B, 1), Appendix B" what follows an appendix stands below it."""
    texts = ("I.", "A.", "1)", "2)", "B.", "Appendix A", "A.", "B.", "1)", "Appendix B")
    numbers = [parse_number(f"{text} Title")[0] for text in texts]
    found = longest_run([(number, 2.0) for number in numbers])
    assert [number.level for _, number in found] == [1, 2, 3, 3, 2, 1, 2, 2, 3, 1]
    assert run("1", "2", "Appendix A", "A.1", "A.2", "Appendix B") == [
        "1", "2", "Appendix A", "A.1", "A.2", "Appendix B",
    ]  # fmt: skip
