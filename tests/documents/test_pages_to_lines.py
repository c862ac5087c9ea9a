"""From pages to lines in reading order, on plain data."""

from __future__ import annotations

import pytest

from search.documents.columns import gutter, gutters, reading_order
from search.documents.furniture import without_furniture
from search.documents.lines import join
from search.documents.pages import Line, Page, Span


def line(text: str, x: float, y: float, width: float, block: int = 0, *, horizontal: bool = True) -> Line:
    span = Span(text, "Serif", 10, False, False, False, x, y - 8, x + width, y + 2, y)
    return Line([span], x, y - 8, x + width, y + 2, block, horizontal)


def text(lines: list[Line]) -> list[str]:
    return [each.spans[0].text for each in lines]


def two_columns(number: int = 1) -> Page:
    """A page whose file draws line after line over both columns, with a heading over both in the middle."""
    lines = []
    for row in range(12):
        if row == 6:
            lines.append(line("both", 60, 100 + 14 * row, 490, block=50))
            continue
        lines.append(line(f"left {row}", 60, 100 + 14 * row, 230, block=2 * row))
        lines.append(line(f"right {row}", 320, 100 + 14 * row, 230, block=2 * row + 1))
    return Page(number, 612, 792, lines)


def test_bands_then_columns():
    """Above and below what spans both columns, the left column is read first; nothing is interleaved."""
    page = two_columns()
    (edge,) = gutters([page.lines], [page])
    order = [text(piece) for piece in reading_order(page.lines, edge)]
    assert order == [
        [f"left {row}" for row in range(6)],
        [f"right {row}" for row in range(6)],
        ["both"],
        [f"left {row}" for row in range(7, 12)],
        [f"right {row}" for row in range(7, 12)],
    ]


def test_a_nearly_empty_last_page_has_the_columns_of_the_others():
    """Two lines on the right are not enough to tell; the other pages tell."""
    last = Page(3, 612, 792, [line("left", 60, 100, 230, 0), line("right", 320, 100, 230, 1)])
    pages = [two_columns(1), two_columns(2), last]
    edges = gutters([page.lines for page in pages], pages)
    assert edges[2] == edges[0] == 320
    assert [text(piece) for piece in reading_order(last.lines, edges[2])] == [["left"], ["right"]]


def test_left_and_right_pages_have_their_own_gutters():
    """Where the margins of left and right pages differ, so does the place of the gutter."""
    pages = []
    for number in range(1, 9):
        shift = 0 if number % 2 else 27
        columns = [
            line(f"{number} {x} {row}", x + shift, 100 + 14 * row, 230)
            for x in (57, 298)
            for row in range(0 if number < 8 else 30, 40)
            if number < 8 or x == 57
        ]
        pages.append(Page(number, 612, 792, columns))
    assert gutters([page.lines for page in pages], pages) == [298, 325] * 4


def test_a_page_of_formulas_at_the_edge_has_columns():
    """Short formulas at the left edge of both columns hide no gutter; in one column text crosses it."""
    rows = [line("y = x", x, 100 + 14 * row, 30, block=row) for x in (54, 317) for row in range(14)]
    wide = [line("so we find a functor", x, 300 + 14 * n, 240, 40) for x in (54, 317) for n in range(2)]
    page = Page(1, 612, 792, [*rows, *wide])
    assert gutter(page.lines, page) == 317
    assert gutter([*page.lines, line("and this crosses it", 54, 250, 500)], page) is None


def test_one_column_stays_one():
    """A page of full lines has no gutter."""
    page = Page(1, 612, 792, [line(f"line {row}", 72, 100 + 14 * row, 460) for row in range(20)])
    assert gutters([page.lines], [page]) == [None]


def test_number_and_title_on_one_baseline_are_one_line():
    """What the reader hands over as "1" and "Introduction" is one printed line of two pieces."""
    joined = join([line("1", 72, 100, 6), line("Introduction", 90, 100, 70), line("Text", 72, 120, 30)], 1, 0)
    assert [(each.text, each.pieces) for each in joined] == [("1 Introduction", 2), ("Text", 1)]


def test_a_letter_under_its_accent_goes_on_with_the_line():
    """A line that ends with a ring is over where the A under it begins, not where the ring ends."""
    ring, under = line("˚", 130, 100, 8), line("A apart", 130.1, 100, 40)
    before = Line([*line("They are 4", 60, 100, 70).spans, *ring.spans], 60, 92, 138, 102, 0)
    assert [row.text for row in join([before, under], 1, 0)] == ["They are 4Å apart"]


def test_running_heads_numbers_and_stamps_leave():
    """What repeats in the margins, page numbers and text on its side are dropped; the text all stays."""
    pages = [
        Page(number, 612, 792, [
            line("arXiv:1234.56789v1 [cs.CL] 1 Jan 2012", 20, 500, 10, 9, horizontal=False),
            line(f"A. Cox: Feathers {number}", 200, 40, 150),
            *[line(f"Line {row} of page {number}", 72, 100 + 14 * row, 460, 1) for row in range(40)],
            line(str(number), 300, 760, 6, 2),
        ])
        for number in range(1, 5)
    ]  # fmt: skip
    for number, kept in enumerate(without_furniture(pages), 1):
        assert text(kept) == [f"Line {row} of page {number}" for row in range(40)]


def test_stacked_bands_of_columns_are_read_one_after_the_other():
    """Text in two columns, and a list in two columns below it: the text comes first, as the file draws it."""
    drawn = [
        line(f"{part} {side} {number}", x, top + 12 * number, 240, block)
        for block, (part, side, x, top) in enumerate([
            ("text", "left", 54, 80), ("text", "right", 317, 80),
            ("list", "left", 54, 250), ("list", "right", 317, 250),
        ])
        for number in range(6)
    ]  # fmt: skip
    page = Page(1, 612, 792, drawn)
    order = [t.rsplit(" ", 1)[0] for piece in reading_order(drawn, gutter(drawn, page)) for t in text(piece)]
    assert list(dict.fromkeys(order)) == ["text left", "text right", "list left", "list right"]


def test_a_line_that_runs_over_the_gutter_divides_nothing():
    """An address that is too long for its column stays in it, and both columns whole."""
    page = two_columns()
    long = line("https://example.org/" + 40 * "x", 54, 140, 290, block=1)
    lines = [*page.lines, long]
    pieces = reading_order(lines, 317.0)
    assert sum(len(piece) for piece in pieces) == len(lines)
    assert any(long in piece and len(piece) > 5 for piece in pieces)


def test_a_gap_divides_no_line_over_both_columns():
    """A caption over both columns whose first line comes in two pieces is read as one, with its short end."""
    page = two_columns()
    caption = [
        line("Figure 5: How feathers fall.", 60, 60, 335, 99), line("Left: air.", 401, 60, 60, 99),
        line("Right:", 468, 60, 82, 99), line("lead.", 60, 74, 40, 99),
    ]  # fmt: skip
    pieces = reading_order([*caption, *page.lines], 320.0)
    assert text(pieces[0]) == ["Figure 5: How feathers fall.", "Left: air.", "Right:", "lead."]


def test_an_index_stays_with_its_formula_over_the_gutter():
    """A display in the middle of an abstract over two columns reaches over the gutter, its index too."""
    page = two_columns()
    abstract = [line("An abstract over both columns", 60, 50, 490, 90), line("y = 3x^2", 290, 66, 35, 91),
                line("3", 321, 68, 4, 92), line("and it goes on.", 60, 82, 490, 93)]  # fmt: skip
    pieces = reading_order([*abstract, *page.lines], 320.0)
    assert ["y = 3x^2", "3"] in [text(piece) for piece in pieces]


def test_the_last_index_of_a_formula_is_no_page_number():
    """A digit at the foot of a page that touches a formula stays; the number that counts the pages leaves."""
    pages = [
        Page(n, 612, 792, [*(line(f"line {n} {i}", 72, 80 + 12 * i, 400) for i in range(50)),
                           line("y = x", 250, 690, 40), line("6", 290, 695, 5), line(str(n), 300, 740, 6)])
        for n in (5, 6, 7)
    ]  # fmt: skip
    kept = [text(lines) for lines in without_furniture(pages)]
    assert all(lines[-2:] == ["y = x", "6"] for lines in kept)


def test_an_index_below_the_zones_border_is_no_page_number():
    """A formula that reaches into the foot's zone keeps the index that hangs on it, page after page."""
    pages = [
        Page(n, 612, 792, [*(line(f"line {n} {i}", 72, 80 + 12 * i, 400) for i in range(48)),
                           line("y = x", 250, 692, 40), line("3", 290, 700, 5), line(str(n), 300, 740, 6)])
        for n in (2, 3, 4, 5)
    ]  # fmt: skip
    assert all(text(lines)[-2:] == ["y = x", "3"] for lines in without_furniture(pages))


def test_the_last_word_of_footnotes_is_no_foot():
    """A word that comes back at one height goes on with the line above it, and so does other text there."""
    last = ["page.", "page.", "page.", "so they end there.", "page."]
    pages = [
        Page(n, 612, 792, [*(line(f"line {n} {i}", 72, 80 + 12 * i, 400) for i in range(48)),
                           line(words, 72, 656, 60), line(str(n), 300, 690, 6)])
        for n, words in enumerate(last, start=1)
    ]  # fmt: skip
    assert [text(lines)[-1] for lines in without_furniture(pages)] == last


def test_the_last_word_of_widely_set_footnotes_is_no_foot():
    """In one and a half spacing lines stand nearly their height apart."""
    pages = [
        Page(n, 612, 792, [*(line(f"line {n} {i}", 72, 80 + 18 * i, 400) for i in range(32)),
                           line("page.", 72, 656, 60), line(str(n), 300, 690, 6)])
        for n in range(1, 6)
    ]  # fmt: skip
    assert [text(lines)[-1] for lines in without_furniture(pages)] == ["page."] * 5


def test_heads_of_left_and_right_pages_leave_a_short_paper():
    """Authors on even pages and the title on odd ones are heads, though each comes only twice."""
    pages = [
        Page(n, 612, 792, [line(f"{n} A. Author" if n % 2 == 0 else f"On feathers {n}", 72, 40, 90),
                           *(line(f"line {n} {i}", 72, 80 + 12 * i, 400) for i in range(50))])
        for n in (2, 3, 4, 5)
    ]  # fmt: skip
    assert not any("uthor" in t or "feathers" in t for lines in without_furniture(pages) for t in text(lines))


def test_a_head_that_names_each_section_leaves_by_its_place():
    """What stands on the row of other pages' heads is one, whatever it says."""
    names = ["Introduction", "Introduction", "Introduction", "Results", "Introduction"]
    pages = [
        Page(n, 612, 792, [line(name, 72, 40, 90),
                           *(line(f"line {n} {i}", 72, 80 + 12 * i, 400) for i in range(50))])
        for n, name in enumerate(names, start=1)
    ]  # fmt: skip
    assert "Results" not in text(without_furniture(pages)[3])


def test_the_last_word_of_a_caption_stays():
    """A short line that comes back at one height is text where it goes on with text above it."""
    pages = [
        Page(n, 612, 792, [line(f"Table {n}. All that is known of {bird}, set in four", 72, 60, 400),
                           line("columns.", 72, 71, 40),
                           *(line(f"line {n} {i}", 72, 110 + 12 * i, 400) for i in range(50))])
        for n, bird in enumerate(("owls", "wrens", "larks", "rooks"), start=1)
    ]  # fmt: skip
    assert all("columns." in text(lines) for lines in without_furniture(pages))


def test_the_words_of_a_caption_in_low_small_capitals_stay():
    """Below "Table 1" the same words come back at one height; their font says that it is low."""
    words = "Values that are known"
    low = Line([Span(words, "Caps", 8, False, False, False, 72, 64, 200, 68, 68)], 72, 64, 200, 68, 0)
    pages = [
        Page(n, 612, 792, [line(f"Table {n}", 120, 58, 40), low,
                           *(line(f"line {n} {i}", 72, 110 + 12 * i, 400) for i in range(50))])
        for n in range(1, 6)
    ]  # fmt: skip
    for page in pages:
        page.lines[0].y1 = 59.8
    assert all(words in text(lines) for lines in without_furniture(pages))


def test_one_title_under_four_numbers_stays():
    """Sections of one name may begin at the top of four pages; their numbers are not the pages'."""
    numbers = ["2", "4.1", "7", "8"]
    pages = [
        Page(n, 612, 792, [line(number, 72, 60, 8), line("Methods", 90, 60, 60),
                           *(line(f"line {n} {i}", 72, 80 + 12 * i, 400) for i in range(50))])
        for n, number in enumerate(numbers, start=1)
    ]  # fmt: skip
    assert all("Methods" in text(lines) for lines in without_furniture(pages))


def test_formulas_side_by_side_are_no_table_over_both_columns():
    """Short formulas of two columns at one height stay in theirs; rows drawn in turn are a table."""
    left = [line(f"left {row}", 60, 100 + 14 * row, 230, row) for row in range(8)]
    right = [line(f"right {row}", 320, 100 + 14 * row, 230, 40 + row) for row in range(8)]
    cells = [
        [line(f"y {row} {x}", x, 300 + 14 * row, 30, 100 + row + x) for row in range(4)]
        for x in (150, 220, 420, 490)
    ]
    texts = [{each.spans[0].text for each in column} for column in cells]
    by_column = [*left, *cells[0], *cells[1], *right, *cells[2], *cells[3]]
    assert [set(text(piece)) for piece in reading_order(by_column, 320)] == [
        {*text(left), *texts[0], *texts[1]},
        {*text(right), *texts[2], *texts[3]},
    ]
    by_row = [*left, *right, *(column[row] for row in range(4) for column in cells)]
    assert [set(text(piece)) for piece in reading_order(by_row, 320)][2:] == [
        {t for each in texts for t in each}
    ]


def short_paper(*head: Line) -> list[list[str]]:
    """Return what is left of a paper of two pages in two columns, the second with a head."""
    first = [line("On the Weight of Feathers", 150, 60, 300), line("Ada Example", 250, 80, 100)]
    columns = [
        [line(f"{n} {x} {i}", x, 120 + 12 * i, 240) for x in (50, 320) for i in range(45)] for n in (1, 2)
    ]
    pages = [
        Page(1, 612, 792, [*first, *columns[0]]),
        Page(
            2,
            612,
            792,
            [*head, *[Line(each.spans, each.x0, each.y0, each.x1, each.y1, 1) for each in columns[1]]],
        ),
    ]
    kept = without_furniture(pages)
    assert len(kept[0]) == 92
    return [text(lines) for lines in kept]


def test_a_head_leaves_a_paper_of_two_pages_though_it_comes_once():
    """Words at both ends of the first line are a head, and so are the authors' names; titles are none."""
    for head in (
        (line("Tests, 2022", 50, 60, 60), line("A. Example et al.", 490, 60, 70)),
        (line("2", 50, 60, 6), line("A. Example et al.", 66, 60, 80)),
    ):
        assert len(short_paper(*head)[1]) == 90
    for title in (
        (line("2", 50, 60, 6), line("Methods", 66, 60, 80)),
        (line("Results of it all", 50, 60, 90),),
    ):
        assert len(short_paper(*title)[1]) == 90 + len(title)


def test_a_notice_of_rights_is_no_note():
    """What the first page prints small about rights leaves, up to the next column or footnote."""

    def small(words: str, x: float, y: float, mark: str = "") -> Line:
        spans = [Span(words, "Serif", 7, False, False, False, x, y - 6, x + 240, y + 1, y)]
        if mark:
            spans.insert(0, Span(mark, "Serif", 5, False, False, True, x, y - 6, x + 3, y - 1, y - 2))
        return Line(spans, x, y - 6, x + 240, y + 1, 9)

    left = [line(f"left {i}", 50, 100 + 12 * i, 240) for i in range(40)]
    right = [line(f"right {i}", 320, 100 + 12 * i, 240) for i in range(40)]
    notes = [small("Remarks of ours.", 50, 600, "1")]
    notice = [
        small("Permission to make digital or hard copies of all or part", 50, 610),
        small("of this work is granted without fee.", 50, 618),
        small("© 2022 The Authors", 50, 626),
    ]
    later = [small("More remarks.", 50, 640, "2")]
    page = Page(1, 612, 792, [*left, *notes, *notice, *later, *right])
    (kept,) = without_furniture([page])
    assert text(kept) == text([*left, *notes, *later, *right])
    (kept,) = without_furniture(
        [Page(1, 612, 792, [*left, line("© 2022 is set large", 50, 610, 240), *right])]
    )
    assert len(kept) == 81


def test_headings_that_come_back_at_the_top_of_pages_stay():
    """ "Evaluation" three times in ten pages is no running head where text begins as high elsewhere."""
    tops = {2: "Evaluation", 5: "Evaluation", 8: "Evaluation"}
    pages = []
    for n in range(1, 11):
        words = chr(96 + n) * 9
        first = line(tops.get(n, words), 72, 80, 100 if n in tops else 400)
        others = [line(f"{words} {i}", 72, 104 + 24 * i, 400) for i in range(26)]
        pages.append(Page(n, 612, 792, [first, *others]))
    assert [text(lines)[0] for lines in without_furniture(pages)][1] == "Evaluation"


def test_a_foot_that_stands_a_point_lower_on_the_first_page_leaves():
    """The height of a foot differs by the font of its other half, and it is the same foot."""
    pages = [
        Page(n, 612, 792, [*(line(f"line {n} {i}", 72, 80 + 12 * i, 400) for i in range(50)),
                           line("A. Author et al.: On feathers", 72, 765.1 if n == 1 else 764.9, 140)])
        for n in range(1, 6)
    ]  # fmt: skip
    assert all(text(lines)[-1].startswith("line") for lines in without_furniture(pages))


def test_a_notice_of_submission_after_the_authors_leaves_a_single_page():
    """ "A. Author et al.: Preprint submitted to …", and what stands beside it, is a foot wherever it is."""
    page = Page(1, 612, 792, [
        *(line(f"line {i}", 72, 80 + 12 * i, 400) for i in range(50)),
        line("A. Author et al.: Preprint submitted to a journal", 72, 760, 200),
        line("Page 1 of 1", 440, 760, 50),
    ])  # fmt: skip
    assert text(without_furniture([page])[0])[-1] == "line 49"


def test_a_head_leaves_a_single_page():
    """Words at one end of the first line and the page's number at the other are a head; a title is none."""
    body = [line(f"line {i}", 50, 120 + 12 * i, 500) for i in range(45)]
    head = [line("A. Example: On Feathers", 50, 40, 110), line("1", 544, 40, 6)]
    (kept,) = without_furniture([Page(1, 612, 792, [*head, *body])])
    assert text(kept) == text(body)
    title = line("On the Weight of Feathers", 150, 60, 300)
    (kept,) = without_furniture([Page(1, 612, 792, [title, *body])])
    assert len(kept) == 46


def test_pages_in_a_table_of_contents_are_no_line_numbers():
    """Numbers that rise at the right of one page are an entry's pages; on most pages they count lines."""
    contents = [line(f"Section {n}", 72, 100 + 14 * n, 300) for n in range(1, 9)]
    numbers = [line(str(n), 500, 100 + 14 * n, 6) for n in range(1, 9)]
    others = [
        Page(p, 612, 792, [line(f"line {p} {i}", 72, 100 + 12 * i, 430) for i in range(40)])
        for p in (2, 3, 4)
    ]
    kept = without_furniture([Page(1, 612, 792, [*contents, *numbers]), *others])
    assert len(kept[0]) == 16
    kept = without_furniture([Page(p, 612, 792, [*contents, *numbers]) for p in (1, 2)])
    assert not {str(n) for n in range(1, 9)} & {*text(kept[0]), *text(kept[1])}


@pytest.mark.parametrize(("at", "words"), [(60, 270), (545, 470)])
def test_what_stands_beside_a_page_number_is_a_head(at: float, words: float):
    """On the row of a number that counts the pages stands a head, even if it never comes back."""
    heads = ["On Feathers", "Ada Tester", "A third one"]
    pages = [
        Page(number, 612, 792, [
            line(str(number), at, 40, 5, 0), line(head, words, 40, 60, 1),
            line(f"It begins {head}", 60, 60, 490, 2),
            *(line("text", 60, 74 + 14 * row, 490, 2) for row in range(40)),
        ])
        for number, head in enumerate(heads, start=1)
    ]  # fmt: skip
    assert [text(lines)[0] for lines in without_furniture(pages)] == [f"It begins {head}" for head in heads]


def test_a_foot_above_the_number_of_the_page_is_a_foot_on_two_pages():
    """ "Page 2/3" stands further out than the journal's name, which comes back on one page more only."""
    names = ["", "Journal of Tests 27", "Journal of Tests 27"]
    pages = [
        Page(number, 612, 792, [
            *(line(f"text {chr(96 + number)}{chr(97 + row)}", 60, 60 + 14 * row, 490) for row in range(46)),
            *([line(name, 60, 712, 100, 3)] if name else []), line(f"Page {number}/3", 280, 724, 40, 4),
        ])
        for number, name in enumerate(names, start=1)
    ]  # fmt: skip
    for lines in without_furniture(pages):
        assert all(each.startswith("text") for each in text(lines))
        assert len(lines) == 46


def test_a_number_far_above_the_foot_leaves():
    """A note at the paper's lower edge is further out than numbers usually are from what is outermost."""
    pages = [
        Page(number, 612, 792, [
            *(line(f"text {chr(96 + number)}{chr(97 + row)}", 60, 60 + 14 * row, 490) for row in range(44)),
            line(str(number), 300, 700, 5, 3), line("Under review.", 250, 772, 60, 4),
        ])
        for number in range(1, 5)
    ]  # fmt: skip
    assert [len(lines) for lines in without_furniture(pages)] == [44] * 4


def test_the_first_rows_of_tables_at_the_top_of_pages_stay():
    """The rows of made tables come back word by word, and stand at other rows that do not."""
    pages = [
        Page(number, 612, 792, [
            line("On birds and feathers", 200, 40, 150, 0),
            *(line(cell, 200, 66 + 12 * row, 50, 1) for row, cell in enumerate(("Name", "case", "other"))),
            *(line(f"text {chr(96 + number)}{chr(97 + row)}", 60, 102 + 12 * row, 490) for row in range(46)),
        ])
        for number in range(1, 5)
    ]  # fmt: skip
    assert [text(lines)[:3] for lines in without_furniture(pages)] == [["Name", "case", "other"]] * 4


def test_one_title_below_the_number_of_the_page_stays():
    """ "2. Evaluation" twice at the top of a page, below its number, is a heading of two sections."""
    titles = ["", "2. Evaluation", "2. Evaluation"]
    pages = [
        Page(number, 612, 792, [
            line(str(number), 540, 40, 5, 0), *([line(title, 60, 60, 80, 1)] if title else []),
            *(line(f"text {chr(96 + number)}{chr(97 + row)}", 60, 74 + 14 * row, 490) for row in range(46)),
        ])
        for number, title in enumerate(titles, start=1)
    ]  # fmt: skip
    kept = [text(lines) for lines in without_furniture(pages)]
    assert [lines[0] for lines in kept] == ["text aa", "2. Evaluation", "2. Evaluation"]


def chapter(number: int, *, head: str = "", title: str = "") -> Page:
    """A page of text below a slanted head, or below a section's title in larger letters."""
    lines = [line(f"text {chr(96 + number)}{chr(97 + row)}", 60, 110 + 14 * row, 490) for row in range(40)]
    if head:
        lines.insert(0, line(head, 60, 60, 80, 1))
    if title:
        span = Span(title, "Serif", 20, True, False, False, 60, 84, 260, 108, 100)
        lines.insert(0, Line([span], 60, 84, 260, 108, 2))
    return Page(number, 612, 792, lines)


def test_a_head_that_names_a_section_leaves_though_it_comes_once():
    """The section's title stands in larger letters on a page before; other words at the top stay."""
    pages = [
        chapter(1, title="1 Of birds"), chapter(2, head="1 Of birds"), chapter(3, title="2 Of fish"),
        chapter(4, head="2 Of fish"), chapter(5, head="Of what we saw"),
    ]  # fmt: skip
    kept = [text(lines)[0] for lines in without_furniture(pages)]
    assert kept == ["1 Of birds", "text ba", "2 Of fish", "text da", "Of what we saw"]


def test_titles_at_the_top_of_double_spaced_pages_stay():
    """The text of other pages begins at their height, its next lines two leadings below."""
    titles = ["", "Methods", "", "Methods", "", "Methods", "", ""]
    pages = [
        Page(number, 612, 792, [
            line(str(number), 300, 740, 5, 9),
            line(title or f"first {chr(96 + number)}", 60, 84, 80 if title else 490, 1),
            *(line(f"text {chr(96 + number)}{chr(97 + row)}", 60, 112 + 28 * row, 490) for row in range(22)),
        ])
        for number, title in enumerate(titles, start=1)
    ]  # fmt: skip
    kept = [text(lines)[0] for lines in without_furniture(pages)]
    assert [first for first in kept if first == "Methods"] == ["Methods"] * 3


def test_a_part_named_as_an_earlier_section_stays_at_the_top_of_its_page():
    """Where no heads are, the text of other pages begins at the height of its title."""
    tops = {5: ("Results", 80)}
    pages = [
        Page(number, 612, 792, [
            line(words, 60, 84, width, 1),
            *(line(f"text {chr(96 + number)}{chr(97 + row)}", 60, 98 + 14 * row, 490) for row in range(44)),
        ])
        for number in range(1, 7)
        for words, width in [tops.get(number, (f"first {chr(96 + number)}", 490))]
    ]  # fmt: skip
    pages[1].lines.append(Line([Span("Results", "Serif", 20, True, False, False, 60, 720, 160, 744, 740)],
                               60, 720, 160, 744, 2))  # fmt: skip
    assert text(without_furniture(pages)[4])[0] == "Results"
