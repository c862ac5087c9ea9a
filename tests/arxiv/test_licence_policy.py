"""The licence policy: its table in words is its table in code, and shortening stays verbatim."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from search.arxiv.licences import POLICIES, SHORT, STANDARD, PolicyName, shortened
from search.models import LicenceClass
from search.settings import Settings

ROOT = Path(__file__).resolve().parent.parent.parent
CLASSES = get_args(LicenceClass)


def in_words(terms):
    """The three cells of the matrix."""
    shown = {None: "whole passages", 0: "nothing"}.get(terms.show, f"{terms.show} characters")
    return ["yes" if terms.store else "no", shown, "yes" if terms.page else "no"]


@pytest.mark.parametrize("name", get_args(PolicyName))
def test_the_matrix_says_what_the_code_does(name):
    """LICENSE_MATRIX.md has a row for each policy and class, with the same cells."""
    rows = [
        [cell.strip().strip("`") for cell in line.strip().strip("|").split("|")]
        for line in (ROOT / "LICENSE_MATRIX.md").read_text().splitlines()
        if line.startswith("|")
    ]
    said = {(row[0], row[1]): row[2:5] for row in rows if len(row) >= 5}
    for licence in CLASSES:
        assert said[name, licence] == in_words(POLICIES[name].terms[licence])


def test_every_policy_knows_every_class():
    """No class is forgotten, and the setting offers the policies that there are."""
    assert set(POLICIES) == set(get_args(Settings.model_fields["licence_policy"].annotation))
    assert all(set(policy.terms) == set(CLASSES) for policy in POLICIES.values())


def test_the_standard_keeps_and_shows_what_it_always_did():
    """Without a setting every full text is kept and every passage shown whole."""
    assert Settings(_env_file=None).licence_policy == "standard"
    assert STANDARD.keeps_everything
    assert {STANDARD.shows(licence, 3) for licence in CLASSES} == {None}


def test_metadata_is_shown_under_every_policy():
    """A passage without a page is the abstract, which arXiv gives away."""
    assert {policy.shows(licence, None) for policy in POLICIES.values() for licence in CLASSES} == {None}


@pytest.mark.parametrize("text", ["word " * 100, "x" * 400, "short", "a" * SHORT + " b"])
def test_shortened_text_is_a_verbatim_part(text):
    """It is a beginning of the text, not longer than asked, and cuts no word where it need not."""
    short = shortened(text, SHORT)
    assert text.startswith(short)
    assert 0 < len(short) <= SHORT
    assert short == text or text[len(short)] == " " or " " not in text
