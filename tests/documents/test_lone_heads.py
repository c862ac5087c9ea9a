"""Running heads that come once in short papers."""

from __future__ import annotations

import pytest

from search.documents.lone_heads import without_lone_heads, without_notice
from search.documents.pages import Line, Span


def line(text: str, x0: float, x1: float, y0: float, size: float = 10, *, bold: bool = False) -> Line:
    """A line of one span."""
    span = Span(text, "CMR10", size, bold, False, False, x0, y0, x1, y0 + size, y0 + 0.8 * size)
    return Line([span], x0, y0, x1, y0 + size, 0)


@pytest.fixture
def pages() -> list[list[Line]]:
    """Two pages of text, without heads."""
    text = [line("The running text goes over the whole width.", 50, 350, 100 + 12 * n) for n in range(9)]
    return [[line("On Feathers and Their Weights", 100, 300, 60, 16), *text], list(text)]


@pytest.mark.parametrize(
    "head",
    [
        [line("Ada Tester", 50, 100, 70), line("Volume 3", 310, 350, 70)],
        [line("Feathers and Weights", 50, 140, 70)],
        [line("Short notes", 175, 225, 70, 8)],
    ],
    ids=["at both ends", "the title's words", "small, in the middle"],
)
def test_a_head_that_comes_once_is_left_out(pages, head):
    """What stands alone above the second page's text and looks like a head is none of its text."""
    assert without_lone_heads([pages[0], [*head, *pages[1]]]) == pages


@pytest.mark.parametrize(
    "first",
    [
        line("Results of weighing", 160, 240, 70, bold=True),
        line("in the middle, as large as the text", 150, 250, 70),
        line("small, at the edge", 50, 110, 70, 8),
        line("Figure 3: small, in the middle", 150, 250, 70, 8),
        line("small, in the middle, next to the text", 130, 270, 91, 8),
    ],
    ids=["bold", "large", "at the edge", "caption", "no gap"],
)
def test_text_at_the_top_stays(pages, first):
    """Headings, captions and lines of the text are kept."""
    both = [pages[0], [first, *pages[1]]]
    assert without_lone_heads(both) == both


def test_heads_beside_the_numbers_of_pages_are_left_out(pages):
    """Numbers in step with the pages, one of them after words, are no sections'."""
    others = [
        [line("2 A. Case and B. Sample", 50, 150, 70), *pages[1]],
        [line("In short 3", 300, 350, 70), *pages[1]],
    ]
    assert without_lone_heads([pages[0], *others]) == [pages[0], pages[1], pages[1]]
    alone = [line("In short 2", 300, 350, 70, 8), *pages[1]]
    assert without_lone_heads([pages[0], alone]) == [pages[0], pages[1]]
    sections = [[line("2 Feathers", 50, 150, 70), *pages[1]], [line("3 In short", 50, 150, 70), *pages[1]]]
    assert without_lone_heads([pages[0], *sections])[2] == sections[1]


def test_longer_papers_are_left_alone(pages):
    """There heads repeat, which tells more."""
    many = [pages[0], *([line("Short notes", 175, 225, 70, 8), *pages[1]] for _ in range(4))]
    assert without_lone_heads(many) == many


def test_a_notice_as_large_as_the_text_ends_with_its_block(pages):
    """At the foot of the page; where the text begins with such words, they are text."""
    notice = [line("© 2002 A. Publisher. Printed here.", 50, 350, 300 + 12 * n) for n in range(2)]
    for each in notice:
        each.block = 1
    after = line("The other column's text.", 50, 350, 330)
    after.block = 2
    assert without_notice([*pages[0], *notice, after]) == [*pages[0], after]
    assert without_notice([*notice[:1], *pages[0]][::-1]) == [*pages[0][::-1]]
    above = [line("© 2002 A. Publisher. Printed here.", 50, 350, 40), *pages[0]]
    assert without_notice(above) == above
