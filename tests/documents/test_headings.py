"""Headings, of lines as several document classes set them."""

from __future__ import annotations

from documents.sheets import BODY, FULL, Sheet

from search.documents.bookmarks import Mark
from search.documents.headings import find_headings
from search.documents.levels import Heading
from search.documents.lines import text_line
from search.documents.pages import Line, Span
from search.documents.run_in import split_run_in
from search.documents.style import BodyStyle


def headings(sheet: Sheet, marks: tuple[Mark, ...] = ()) -> list[Heading]:
    return find_headings(split_run_in(sheet.lines, BODY), BODY, marks)


def told(headings: list[Heading]) -> list[tuple[str | None, str, int]]:
    return [(heading.number, heading.title, heading.level) for heading in headings]


def test_small_capitals_end_where_the_text_begins():
    """A title in imitated small capitals takes its second line along, and no line of the text right below."""
    sheet = Sheet()
    for texts in (("I. Introduction",), ("II. The Relation Between Images And", "their densities In Space")):
        sheet.small_capitals(*texts)
        sheet.text(gap=14)
    assert told(headings(sheet)) == [
        ("I", "INTRODUCTION", 1),
        ("II", "THE RELATION BETWEEN IMAGES AND THEIR DENSITIES IN SPACE", 1),
    ]


def test_a_title_below_the_word_appendix_belongs_to_it():
    """ "Appendix A" alone on its line has the next line's title, what it begins with notwithstanding."""
    sheet = Sheet()
    for texts in (("I. Introduction",), ("II. All Results",), ("Appendix A", "Proof Of The Statement")):
        sheet.small_capitals(*texts)
        sheet.text(gap=14)
    assert told(headings(sheet))[-1] == ("A", "PROOF OF THE STATEMENT", 1)


def test_a_title_in_another_font_below_the_word_appendix_belongs_to_it():
    """ "Appendix A" in bold in the middle has the slanted title below, on one line or more."""
    sheet = Sheet()
    for title in ("1. Introduction", "2. All Results"):
        sheet.line((title, "Bold", 10), gap=26, centred=True)
        sheet.text(gap=24)
    sheet.line(("Appendix A", "Bold", 10), gap=26, centred=True)
    sheet.line(("All that was left to be proved of", "Italic", 10), centred=True)
    sheet.line(("the statement", "Italic", 10), centred=True)
    sheet.text(gap=24)
    assert told(headings(sheet))[-1] == ("A", "All that was left to be proved of the statement", 1)


def test_a_number_of_three_parts_makes_a_heading_of_a_line_in_the_font_of_the_text():
    """Below a small gap "1.1.1. Method" is a heading without any other sign; a line of text is none."""
    sheet = Sheet()
    for part in ("1. Introduction", "1.1. All Methods"):
        sheet.line((part, "Bold", 10), gap=26)
        sheet.text(gap=14)
    for part in ("1.1.1. The Method", "1.1.2. The Data"):
        sheet.line((part, "Roman", 10), gap=14.5)
        sheet.text(gap=14)
    sheet.line(("1.1.3. That was all there", "Roman", 10))
    sheet.text()
    assert [heading.number for heading in headings(sheet)] == ["1", "1.1", "1.1.1", "1.1.2"]


def test_run_in_numbers_stand_below_lettered_sections():
    """ "1) Methods:" in the middle of text without a gap is a heading of level 3 where its number runs."""
    sheet = Sheet()
    sheet.small_capitals("I. Introduction")
    sheet.text(gap=14)
    for letter, name in (("A", "Tools"), ("B", "Data")):
        sheet.line((f"{letter}. {name}", "Italic", 10), gap=20)
        sheet.text(gap=16)
        for number, title in ((1, "Methods"), (2, "Evaluation")):
            sheet.line((f"{number}) {title}:", "Italic", 10), (" In this we are like others.", "Roman", 10))
            sheet.text()
    assert [(number, level) for number, _, level in told(headings(sheet))] == [
        ("I", 1), ("A", 2), ("1", 3), ("2", 3), ("B", 2), ("1", 3), ("2", 3),
    ]  # fmt: skip


def test_bold_beginnings_without_a_number_stand_below_numbered_sections():
    """Where bold titles run in and sections have lines of their own, the former are of level 3 at least."""
    sheet = Sheet()
    for number, title in ((1, "Introduction"), (2, "Methods")):
        sheet.line((f"{number} {title}", "Bold", 12), gap=26)
        sheet.text(gap=20)
        sheet.line((f"{number}.1 The first part", "Bold", 10), gap=24)
        sheet.text(gap=18)
        sheet.line(
            ("Text feature", "Bold", 10), (" The features of the text are those.", "Roman", 10), gap=26
        )
        sheet.text()
    assert told(headings(sheet)) == [
        ("1", "Introduction", 1), ("1.1", "The first part", 2), (None, "Text feature", 3),
        ("2", "Methods", 1), ("2.1", "The first part", 2), (None, "Text feature", 3),
    ]  # fmt: skip


def test_titles_that_run_in_before_a_dash_are_without_it():
    """ "1.1. Measures. — The …" has the title "Measures"."""
    sheet = Sheet()
    for number, title in ((1, "Introduction"), (2, "Methods")):
        sheet.line((f"{number}. {title}", "Bold", 10), gap=26, centred=True)
        sheet.text(gap=20)
        sheet.line(
            (f"{number}.1. Measures. —", "Bold", 10), (" The birds are measured.", "Roman", 10), gap=22
        )
        sheet.text()
    assert told(headings(sheet)) == [
        ("1", "Introduction", 1), ("1.1", "Measures", 2), ("2", "Methods", 1), ("2.1", "Measures", 2)
    ]  # fmt: skip


def test_bold_citations_make_no_heading():
    """A line of few words and many bold citations is text."""
    sheet = Sheet()
    for title in ("1 Introduction", "2 Methods"):
        sheet.line((title, "Bold", 10), gap=26)
        sheet.line(
            ("Others [", "Roman", 10), ("Ab20x, Cd21, Ef22, Gh23", "Bold", 10), ("]", "Roman", 10), gap=24
        )
        sheet.text()
    assert [title for _, title, _ in told(headings(sheet))] == ["Introduction", "Methods"]


def test_titles_that_run_in_where_nothing_has_numbers_stand_right_below_the_sections():
    """Where all lines of their own are sections, what runs in is of level 2."""
    sheet = Sheet()
    for title in ("Introduction", "Methods", "Birds"):
        sheet.line((title, "Bold", 12), gap=26)
        sheet.text(gap=20)
        sheet.line(("Measures of it. —", "Bold", 10), (" The birds are measured.", "Roman", 10), gap=22)
        sheet.text()
    assert [level for _, _, level in told(headings(sheet))] == [1, 2] * 3


def test_an_outline_without_the_unnumbered_sections_does_not_hide_them():
    """What looks as the bookmarked sections do is a section; a bold line of another size is none."""
    sheet = Sheet()
    marks = []
    for title in ("1 Introduction", "2 Methods", "3 Conclusions", "Data availability"):
        if title[0].isdigit():
            marks.append(Mark(len(sheet.lines), len(sheet.lines) + 1, 1))
        sheet.line((title, "Bold", 12), gap=26)
        sheet.text(gap=20)
    sheet.line(("Notes by the editor", "Bold", 10), gap=26)
    sheet.text(gap=20)
    assert [title for _, title, _ in told(headings(sheet, tuple(marks)))] == [
        "Introduction", "Methods", "Conclusions", "Data availability",
    ]  # fmt: skip


def test_a_long_title_takes_all_its_lines():
    """A title of five lines in a narrow column is one heading, and what follows is text."""
    sheet = Sheet()
    sheet.line(("1 INTRODUCTION", "Bold", 12), gap=24)
    sheet.text(gap=16)
    words = (
        "NUMERICAL EVIDENCE",
        "FOR THE INABILITY",
        "OF RANDOM FEATURES",
        "IN SOLVING THE",
        "MIXTURE PROBLEM",
    )
    for number, text in enumerate(words):
        sheet.line((("2 " if not number else "") + text, "Bold", 12), gap=14 if number else 24)
    sheet.text(gap=16)
    assert told(headings(sheet)) == [("1", "INTRODUCTION", 1), ("2", " ".join(words), 1)]


def test_keywords_alone_on_a_line_are_a_heading():
    """Where keywords stand below a heading of their own, they are no part of the abstract."""
    sheet = Sheet()
    for title in ("ABSTRACT", "KEYWORDS", "1 INTRODUCTION"):
        sheet.line((title, "Bold", 12), gap=24)
        sheet.text(gap=16)
    assert [title for _, title, _ in told(headings(sheet))] == ["ABSTRACT", "KEYWORDS", "INTRODUCTION"]


def test_a_number_that_fits_between_others_in_their_style_is_enough():
    """What looks as other headings do and has the number between theirs needs no more; other text does."""
    sheet = Sheet()
    sheet.line(("1. Introduction", "Bold", 10), gap=24)
    sheet.text(gap=16)
    for title in ("1.1. Samples", "1.2. D&C", "1.3. bordered diagrams", "1.4. Measures"):
        sheet.line((title, "Italic", 10), gap=20)
        sheet.text(gap=16 if title[-1] == "s" else 12)
    sheet.line(("1.5. this is what we say of it all", "Roman", 10), gap=20)
    sheet.text(gap=16)
    assert [number for number, _, _ in told(headings(sheet))] == ["1", "1.1", "1.2", "1.3", "1.4"]


def test_a_slanted_line_above_text_is_a_heading_where_numbered_ones_are_set_so():
    """Without a number it needs a gap and a paragraph below; words between formulas do not."""
    sheet = Sheet()
    sheet.line(("1 Introduction", "Bold", 12), gap=24)
    sheet.text(gap=16)
    sheet.line(("1.1 Samples", "Italic", 10), gap=20)
    sheet.text(gap=16)
    sheet.line(("Related work of others", "Italic", 10), gap=20)
    sheet.text(gap=16)
    sheet.line(("1.2 Measures", "Italic", 10), gap=20)
    sheet.text(gap=16)
    for _ in range(2):
        sheet.line(("Moreover we have", "Italic", 10), gap=20)
        sheet.line(("y = 2", "Formula", 10), gap=20)
    sheet.text(gap=20)
    assert told(headings(sheet)) == [
        ("1", "Introduction", 1),
        ("1.1", "Samples", 2),
        (None, "Related work of others", 2),
        ("1.2", "Measures", 2),
    ]


def unnumbered(*titles: tuple[str, float]) -> Sheet:
    """Return a paper with bold titles of their own lines, each above some text."""
    sheet = Sheet()
    for title, size in titles:
        sheet.line((title, "Bold", size), gap=26)
        sheet.text(gap=18)
    return sheet


def test_three_styles_without_numbers_are_three_levels():
    """Sections, parts and parts of parts without numbers are told by size, whatever the list's is."""
    sheet = unnumbered(
        ("Introduction", 17), ("The tools", 14), ("Earlier work", 12), ("Summary", 12), ("CBT", 14),
        ("Their use", 12), ("Other tools", 14), ("Conclusion", 17), ("Bibliography", 20),
    )  # fmt: skip
    assert [level for _, _, level in told(headings(sheet))] == [1, 2, 3, 3, 2, 3, 2, 1, 1]


def test_an_article_is_no_number():
    """ "A Mapping" alone is no appendix among sections without numbers, and hides none of them."""
    sheet = unnumbered(
        ("Introduction", 17), ("A Mapping of Everything", 17), ("The first part", 14), ("Results", 17)
    )
    assert told(headings(sheet)) == [
        (None, "Introduction", 1), (None, "A Mapping of Everything", 1), (None, "The first part", 2),
        (None, "Results", 1),
    ]  # fmt: skip


def test_titles_in_wide_spacing_keep_their_second_lines():
    """In double spacing a title's lines stand far apart as well, large ones and those of the text's size."""
    body = BodyStyle(10, "Roman", 20)
    sheet = Sheet()
    for number, size, step in ((1, 17, 34), (2, 17, 34), (3, 10, 20), (4, 10, 20)):
        sheet.line((f"{number} The title of a section that is as long as", "Bold", size), gap=40)
        sheet.line(("the line", "Bold", size), gap=step)
        for gap in (34, 20, 20):
            sheet.line((FULL, "Roman", 10), gap=gap)
    found = find_headings(sheet.lines, body)
    assert [heading.end - heading.start for heading in found] == [2, 2, 2, 2]


def test_an_outline_that_ends_at_the_second_level_does_not_hide_the_third():
    """What looks as listed headings do, only smaller, stands below them."""
    sheet = Sheet()
    starts = []
    for number in (1, 2, 3):
        for title, size in (
            (f"{number} Section", 14), (f"{number}.1 Part", 12), (f"{number}.2 Part", 12), ("Its detail", 11)
        ):  # fmt: skip
            starts.append(len(sheet.lines))
            sheet.line((title, "Bold", size), gap=26)
            sheet.text(gap=18)
    listed = [start for index, start in enumerate(starts) if index % 4 != 3]
    marks = tuple(Mark(start, start + 1, 1 if index % 3 == 0 else 2) for index, start in enumerate(listed))
    assert [level for _, _, level in told(headings(sheet, marks))] == 3 * [1, 2, 2, 3]


def test_a_section_that_hyperref_does_not_name_is_known_by_its_look():
    """Names of numbered sections do not hide the one that a class sets by a command of its own."""
    sheet = Sheet()
    starts = []
    for title in ("1 Introduction", "2 Methods", "3 Results", "CRediT authorship contribution statement"):
        starts.append(len(sheet.lines))
        sheet.line((title, "Bold", 12), gap=26)
        sheet.text(gap=18)
    marks = tuple(Mark(start, None, 1, listed=False) for start in starts[:-1])
    assert told(headings(sheet, marks))[-1] == (None, "CRediT authorship contribution statement", 1)


def test_a_small_label_of_keywords_is_no_heading():
    """ "Keywords:" in small slanted print, does not take the abstract along."""
    sheet = Sheet()
    sheet.line(("Keywords:", "Italic", 8), gap=22)
    sheet.line(("known texts", "Roman", 8), gap=9)
    sheet.line(("1 Introduction", "Bold", 12), gap=26)
    sheet.text(gap=18)
    sheet.line(("2 Methods", "Bold", 12), gap=26)
    sheet.text(gap=18)
    assert told(headings(sheet)) == [("1", "Introduction", 1), ("2", "Methods", 1)]


def test_a_style_that_comes_once_is_known_by_its_larger_sisters():
    """One small bold title among larger ones without numbers is a heading, and stands below them."""
    sheet = unnumbered(("Introduction", 17), ("The tools", 17), ("One detail", 12), ("Conclusion", 17))
    assert told(headings(sheet))[2] == (None, "One detail", 2)


def test_what_is_smaller_stands_below_both_levels_that_look_alike():
    """Where sections and their parts have one style, a title without a number below them is of level 3."""
    sheet = unnumbered(("1 Introduction", 14), ("2 Methods", 14), ("3 Results", 14), ("3.1 Parts", 14),
                       ("3.2 More", 14), ("A detail of them", 12), ("4 Conclusion", 14))  # fmt: skip
    assert told(headings(sheet))[5] == (None, "A detail of them", 3)


def test_a_long_title_is_set_as_shorter_ones_without_numbers_are():
    """Below numbered sections a title of two lines needs no more than to look as the others do."""
    long = "The whole of a title that goes on and on for as long as there is any room left for it on the page"
    sheet = unnumbered(("1 Introduction", 14), ("Detail", 12), (long + " at all", 12), ("2 Conclusion", 14))
    assert [title for _, title, _ in told(headings(sheet))][1:3] == ["Detail", long + " at all"]


def test_centred_titles_stand_above_those_at_the_edge_and_upright_above_slanted():
    """In one size without numbers, place and slant tell three levels apart."""
    sheet = Sheet()
    for title, font, centred in (
        ("Introduction", "Bold", True), ("The tools", "Bold", False), ("A hammer", "Italic", False),
        ("Other tools", "Bold", False), ("A nail", "Italic", False), ("Results", "Bold", True),
    ):  # fmt: skip
        sheet.line((title, font, 12), gap=26, centred=centred)
        sheet.text(gap=18)
    for line in sheet.lines[len(sheet.lines) // 2 :]:
        line.page = 2
    assert [level for _, _, level in told(headings(sheet))] == [1, 2, 3, 2, 3, 1]


def test_a_paper_whose_only_known_heading_is_its_list_can_have_others():
    """They stand before the list, on later pages than the authors' names."""
    sheet = unnumbered(("Ada Example", 14), ("Contributions of the authors", 14), ("References", 14))
    for line in sheet.lines[4:]:
        line.page = 2
    assert [title for _, title, _ in told(headings(sheet))] == ["Contributions of the authors", "References"]


def test_a_list_of_works_cited_is_known_by_its_name():
    """ "Works Cited" and "Literature" head a list in any style, as "References" does."""
    for title in ("Works Cited", "Literature", "Literaturverzeichnis", "Références"):
        sheet = Sheet()
        for number in ("1. Matter", "2. Light"):
            sheet.line((number, "Bold", 12), gap=24)
            sheet.text(gap=24)
        sheet.line((title, "Italic", 10), gap=24)
        sheet.text(gap=24)
        assert told(headings(sheet))[-1] == (None, title, 1)


def test_entries_set_as_the_text_are_no_headings_of_a_paper_without_numbers():
    """An entry begins with a letter and a point too; it looks like the text, as "Keywords" does here."""
    sheet = Sheet()
    sheet.line(("Keywords", "Roman", 10), gap=24)
    sheet.text(gap=24)
    for title in ("Orbital interactions", "Further orbitals"):
        sheet.line((title, "Bold", 10), gap=24)
        sheet.text(gap=24)
    sheet.line(("References", "Bold", 10), gap=24)
    for entry in ("A. Tester and B. Sample, Journal of Tests", "R. Known, Journal of Texts"):
        sheet.line((entry, "Roman", 10), gap=16)
        sheet.line(("and what goes on with the entry", "Roman", 10))
    found = [title for _, title, _ in told(headings(sheet))]
    assert found[-3:] == ["Orbital interactions", "Further orbitals", "References"]


def test_no_heading_stands_before_the_text_of_a_paper_without_sections():
    """Authors and dates in large letters are no headings, though nothing else is set so large."""
    sheet = Sheet()
    for text in ("Ada Example and Ben Sample", "November 22, 2026"):
        sheet.line((text, "Roman", 17), gap=30, centred=True)
    for _ in range(3):
        sheet.text(gap=20)
    assert told(headings(sheet)) == []


def test_a_title_that_fills_its_line_is_set_as_those_that_run_in():
    """Its text begins on the line below; three others of the style have theirs beside them."""
    sheet = Sheet()
    sheet.line(("Introduction", "Bold", 12), gap=24)
    filling = "What do all of these birds have that fly over the hills and sing?!"
    for page, title in enumerate(
        ("Why does it fly?", "Why does it sing?", "Why is it there?", filling), start=2
    ):
        sheet.text(gap=14)
        beside = [(" Words that fill a line to its right edge and no more.", "Roman", 10)] * (page < 5)
        sheet.line((title, "CMCSC10", 10), *beside, gap=20)
        sheet.line((FULL, "Roman", 10))
        for line in sheet.lines[-5:]:
            line.page = page
    titles = [title for _, title, _ in told(headings(sheet))]
    assert len(titles) == 5
    assert titles[-1].startswith("What do all of these birds")


def test_a_number_of_three_parts_needs_no_style_between_gaps():
    """ "1.1.1 Methods" set as the text, on a line of its own, is a heading if its number fits."""
    sheet = Sheet()
    for parts in (
        ("1 Introduction", "Bold", 12),
        ("1.1 All of it", "Italic", 10),
        ("1.1.1 Methods", "Roman", 10),
    ):
        sheet.line(parts, gap=20)
        sheet.text(gap=16)
    assert [number for number, _, _ in told(headings(sheet))] == ["1", "1.1", "1.1.1"]


def test_the_last_word_of_a_paragraph_is_no_heading():
    """ "Appendix" as a line of its own, set as the text and right below it, is the end of a sentence."""
    sheet = Sheet()
    sheet.line(("1 Introduction", "Bold", 12), gap=24)
    sheet.text(gap=16)
    sheet.line(("Appendix", "Roman", 10), gap=12)
    sheet.text(gap=16)
    sheet.line(("Appendix", "Roman", 10), gap=20)
    sheet.text(gap=16)
    assert told(headings(sheet)) == [("1", "Introduction", 1), (None, "Appendix", 1)]


def test_the_last_word_of_a_paragraph_on_the_next_page_is_no_heading():
    """ "… are displayed in the" ends a page, and "Appendix." is all that the next one has of the sentence."""
    sheet = Sheet()
    sheet.line(("1 Introduction", "Bold", 12), gap=24)
    sheet.text(gap=16)
    sheet.line((f"{FULL[:50]} displayed in the", "Roman", 10))
    sheet.line(("Appendix.", "Roman", 10))
    sheet.text(gap=16)
    for line in sheet.lines[5:]:
        line.page = 2
    assert told(headings(sheet)) == [("1", "Introduction", 1)]


def test_a_title_of_hardly_a_letter_needs_a_number_and_a_font_of_its_own():
    """ "1.2. D&C." is one, though its number is set as the text."""
    sheet = Sheet()
    sheet.line(("1. Introduction", "Bold", 10), gap=24)
    sheet.text(gap=16)
    for title in ("Samples.", "D&C.", "Measures."):
        number = {"S": "1.1. ", "D": "1.2. ", "M": "1.3. "}[title[0]]
        sheet.line((number, "Roman", 10), (title, "Bold", 10), (" We tell of it here.", "Roman", 10), gap=20)
        sheet.text()
    assert [number for number, _, _ in told(headings(sheet))] == ["1", "1.1", "1.2", "1.3"]


def test_a_short_word_ends_a_title_in_capitals():
    """ "DAY" on the last line belongs to the title above it."""
    sheet = Sheet()
    for first, last in (("1 ALL THAT WE MEASURED IN A", "DAY"), ("2 WHAT WE SAW", "LATER")):
        sheet.line((first, "Bold", 10), gap=24)
        sheet.line((last, "Bold", 10), gap=12)
        sheet.text(gap=16)
    assert [title for _, title, _ in told(headings(sheet))] == [
        "ALL THAT WE MEASURED IN A DAY",
        "WHAT WE SAW LATER",
    ]


def test_proof_below_the_word_appendix_belongs_to_it_in_small_letters_too():
    """A title that begins with a statement's name is the appendix's where its line has none."""
    sheet = Sheet()
    for texts in (("1 Introduction",), ("2 All Results",), ("Appendix A", "Proof of the statement")):
        for number, text in enumerate(texts):
            sheet.line((text, "Caps", 10), gap=12 if number else 24, centred=True)
        sheet.text(gap=16)
    assert told(headings(sheet))[-1] == ("A", "Proof of the statement", 1)


def test_the_head_of_a_table_above_a_row_is_no_heading():
    """Bold words in pieces above a line of text are cells, though headings look so."""
    sheet = Sheet()
    for title in ("1 Introduction", "2 Results"):
        sheet.line((title, "Bold", 10), gap=24)
        sheet.text(gap=16)
    spans = [
        Span(text, "Bold", 10, True, False, False, x, sheet.y + 14, x + 40, sheet.y + 26, sheet.y + 24)
        for text, x in (("Metric", 50), ("Ours", 150), ("Theirs", 250))
    ]
    sheet.y += 24
    sheet.lines.append(
        text_line([Line([span], span.x0, span.y0, span.x1, span.y1, 0) for span in spans], 1, 0)
    )
    sheet.text(gap=16)
    assert len(headings(sheet)) == 2


def small_sections(numbered: bool) -> Sheet:
    """Sections in centred capitals, with or without numbers, and slanted subsections."""
    sheet = Sheet()
    for number, title in enumerate(("INTRODUCTION", "GROWTH OF FEATHERS"), start=1):
        sheet.line((f"{number}. {title}" if numbered else title, "Roman", 10), gap=24, centred=True)
        sheet.text()
        if numbered:
            sheet.line((f"{number}.1. On the Wing", "Italic", 10), gap=24, centred=True)
            sheet.text()
    return sheet


def test_titles_in_capitals_without_a_number_are_set_as_numbered_ones_are():
    """Slanted capitals without a number have the level that slanted titles with numbers have."""
    sheet = small_sections(numbered=True)
    sheet.line(("IN THE AIR AND ON LAND", "Italic", 10), gap=24, centred=True)
    sheet.text()
    assert told(headings(sheet))[-1] == (None, "IN THE AIR AND ON LAND", 2)


def test_slanted_capitals_stand_below_upright_ones():
    """Where nothing has a number, capitals of two fonts are sections and, slanted, their parts."""
    sheet = small_sections(numbered=False)
    for title in ("IN THE AIR", "ON LAND AND IN WATER"):
        sheet.line((title, "Italic", 10), gap=24, centred=True)
        sheet.text()
        for line in sheet.lines[-4:]:
            line.page = len(title) // 10 + 1
    assert [level for _, _, level in told(headings(sheet))] == [1, 1, 2, 2]


def test_sections_below_the_word_appendix_are_set_as_it_is():
    """Centred capitals as small as "APPENDIX" are sections too, also of a proof above a short line."""
    sheet = small_sections(numbered=True)
    for title in ("APPENDIX", "REVIEW OF FEATHERS", "PROOF OF WHAT IS SAID ABOVE"):
        sheet.line((title, "Roman", 8), gap=24, centred=True)
        sheet.line(("Short.", "Roman", 10))
        sheet.text()
    assert [(title, level) for _, title, level in told(headings(sheet))[-3:]] == [
        ("APPENDIX", 1), ("REVIEW OF FEATHERS", 1), ("PROOF OF WHAT IS SAID ABOVE", 1),
    ]  # fmt: skip


def test_centred_sections_without_numbers_stand_above_parts_at_the_edge():
    """Sections with numbers are centred capitals; mixed letters in the middle are sections, too."""
    sheet = Sheet()
    for number, title in enumerate(("INTRODUCTION", "GROWTH OF FEATHERS"), start=1):
        sheet.line((f"{number}. {title}", "Bold", 11), gap=24, centred=True)
        sheet.text()
        sheet.line((f"{number}.1 On the Wing", "Bold", 11), gap=24)
        sheet.text()
    for title, centred in (("Data and Code", True), ("In the Air", False)):
        sheet.line((title, "Bold", 11), gap=24, centred=centred)
        sheet.text()
    assert told(headings(sheet))[-2:] == [(None, "Data and Code", 1), (None, "In the Air", 2)]


def test_authors_initials_are_no_numbers_of_sections():
    """ "A. Name" and "B. Name" above the abstract are no sections A and B."""
    sheet = Sheet()
    for name in ("A. Tester, Institute of Tests", "B. Sample, University of Texts"):
        sheet.line((name, "Roman", 12), gap=20, centred=True)
    for title in ("Abstract", "INTRODUCTION", "GROWTH OF FEATHERS", "CONCLUSION"):
        sheet.line((title, "Bold", 12), gap=24)
        sheet.text()
    assert told(headings(sheet))[0] == (None, "Abstract", 1)


def test_run_in_titles_stand_right_below_the_sections_they_look_like():
    """What is set alike on its own line, with another distance to the text below, stands below those."""
    sheet = Sheet()
    for number, title in enumerate(("Introduction", "Growth of Feathers", "Flight"), start=1):
        sheet.line((f"{number} {title}", "Bold", 10), gap=24)
        sheet.text(gap=16)
        sheet.line((f"Wing {title}. ", "Bold", 10), ("We take the samples", "Roman", 10), gap=24)
        sheet.text()
        sheet.line((f"Samples of {title}", "Bold", 10), gap=30)
        sheet.text(gap=24)
    assert [level for _, _, level in told(headings(sheet))] == [1, 2, 3] * 3


def test_a_chapters_title_stands_below_its_number():
    """ "Chapter 2", and in larger letters far below it "Of the birds": one heading with that number."""
    sheet = Sheet()
    for number, title in ((1, "Introduction"), (2, "Of the birds"), (3, "Conclusion")):
        sheet.line((f"Chapter {number}", "Bold", 20), gap=60)
        sheet.line((title, "Bold", 25), gap=50)
        sheet.text(gap=52)
    assert told(headings(sheet)) == [
        ("1", "Introduction", 1), ("2", "Of the birds", 1), ("3", "Conclusion", 1),
    ]  # fmt: skip


def test_an_entry_is_no_section_that_follows_the_last():
    """Below the list's title, "3. A. Name" set as the text follows two sections and is none."""
    sheet = unnumbered(("1 Introduction", 14), ("2 Methods", 14), ("References", 14))
    for entry in ("3. A. Name and B. Other, Journal of Tests 3, 2", "4. C. Name, Journal of Texts 5, 5"):
        sheet.line((entry, "Roman", 10), gap=24, centred=True)
        sheet.line(("and what goes on with the entry in its next line", "Roman", 10))
    assert [title for _, title, _ in told(headings(sheet))] == ["Introduction", "Methods", "References"]


def test_slanted_titles_are_known_beside_slanted_statements():
    """Lines of slanted statements begin at no gap, and do not count against slanted titles."""
    sheet = Sheet()
    for page, title in enumerate(("Growth", "Colour", "Flight", "Song"), start=1):
        begins = len(sheet.lines)
        sheet.line((f"Part {title}", "Bold", 12), gap=30)
        sheet.text(gap=18)
        sheet.line((f"Its own {title.lower()}", "Italic", 10), gap=24)
        sheet.text(gap=20)
        sheet.line(("Claim. ", "Bold", 10), ("All birds that we have seen until", "Italic", 10), gap=16)
        for _ in range(3):
            sheet.line(("All birds that we have seen until the end of a day were", "Italic", 10))
        sheet.text(gap=16)
        for line in sheet.lines[begins:]:
            line.page = page
    titles = [title for _, title, _ in told(headings(sheet))]
    assert [title for title in titles if title.startswith("Its own")] == [
        "Its own growth", "Its own colour", "Its own flight", "Its own song",
    ]  # fmt: skip


def test_letters_set_as_the_roman_sections_are_appendices():
    """After roman sections, a letter in their style is an appendix, and letters in small are its parts."""
    sheet = unnumbered(
        ("I. Introduction", 14), ("II. Methods", 14), ("A. Of birds", 11), ("B. Of fish", 11),
        ("III. Results", 14), ("A. Proofs", 14), ("A. Of the first", 11), ("B. Of the other", 11),
    )  # fmt: skip
    assert [level for _, _, level in told(headings(sheet))] == [1, 1, 2, 2, 1, 1, 2, 2]


def test_lettered_appendices_do_not_say_that_sections_have_numbers():
    """Where sections have none, their parts are known by their style, though the appendix has a letter."""
    sheet = Sheet()
    titles = ("Introduction", "Of birds", "Of fish", "Of all", "Conclusion", "Appendix A. Proofs")
    for page, title in enumerate(titles, start=1):
        begins = len(sheet.lines)
        sheet.line((title, *(("Italic", 10) if title.startswith("Of") else ("Bold", 14))), gap=24)
        sheet.text(gap=12)
        for line in sheet.lines[begins:]:
            line.page = page
    assert told(headings(sheet))[1:4] == [(None, "Of birds", 2), (None, "Of fish", 2), (None, "Of all", 2)]


def test_an_outline_of_parts_only_stands_below_the_sections_that_it_leaves_out():
    """Bookmarks that name no section in capitals are of the second level, though the outline says first."""
    sheet = Sheet()
    starts = []
    for title in ("INTRODUCTION", "Of birds", "Of fish", "METHODS", "Of all", "CONCLUSION"):
        if not title.isupper():
            starts.append(len(sheet.lines))
        sheet.line((title, "Bold", 12), gap=26)
        sheet.text(gap=18)
    marks = tuple(Mark(start, start + 1, 1) for start in starts)
    assert [level for _, _, level in told(headings(sheet, marks))] == [1, 2, 2, 1, 2, 1]


def test_a_small_title_of_a_list_is_one():
    """ "References:" in the small print of its entries, below addresses, has nothing else to tell it."""
    sheet = unnumbered(("1 Introduction", 14), ("2 Methods", 14))
    sheet.line(("References:", "Roman", 8), gap=18)
    for entry in ("Name, A. 2012, Journal of Tests, 3, 2", "Other, B. 2013, Journal of Texts, 5, 5"):
        sheet.line((entry, "Roman", 8), gap=10)
    assert told(headings(sheet))[-1] == (None, "References", 1)
