"""Text from outside is made safe before a terminal sees it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.cli.text import clean, counted, json_safe, line, shorten


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x9b31mred", "red"),
        ("\x1b]0;new window title\x07after", "after"),
        ("\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bP+q544e\x1b\\after", "after"),
        ("clear\x1bc screen", "clear screen"),
        ("bell\x07 back\x08space\x7f", "bell backspace"),
        ("evil\u202etxt.exe", "eviltxt.exe"),
        ("[red]not markup[/red]", "[red]not markup[/red]"),
        ("lone \ud800 surrogate", "lone \ufffd surrogate"),
    ],
)
def test_terminal_orders_are_taken_out(hostile, shown):
    """Control sequences, control characters and reordering marks vanish; brackets are text and stay."""
    assert clean(hostile) == shown


@given(st.text())
def test_cleaned_text_never_holds_a_control_character(text):
    """Whatever comes in, nothing comes out that a terminal would obey, and it can be encoded."""
    cleaned = clean(text)
    assert not [c for c in cleaned if (ord(c) < 32 and c not in "\n\t") or 0x7F <= ord(c) <= 0x9F]
    cleaned.encode()


def test_an_unterminated_sequence_does_not_swallow_the_next_line():
    """A string sequence without its end is cut at the end of its line, so that no later text is lost."""
    assert line("\x1b]0;title\nabstract") == "abstract"


@given(st.text(min_size=1), st.integers(min_value=2, max_value=80))
def test_shortened_text_fits(text, length):
    """A shortened text is never longer than asked, and unchanged where it fits."""
    short = shorten(text, length)
    assert len(short) <= length
    if len(line(text)) <= length:
        assert short == line(text)


def test_text_is_cut_between_words():
    """The cut falls between words and is marked."""
    assert shorten("graph neural networks for molecules", 24) == "graph neural networks…"


@given(st.text())
def test_json_made_safe_means_the_same(text):
    """Escaping what a terminal might obey changes no value."""
    safe = json_safe(json.dumps(text, ensure_ascii=False))
    assert json.loads(safe) == text
    assert "\x9b" not in safe


def test_nouns_follow_their_number():
    """One paper, two papers."""
    assert [counted(1, "paper"), counted(2000, "paper"), counted(0, "hit")] == [
        "1 paper",
        "2,000 papers",
        "0 hits",
    ]
