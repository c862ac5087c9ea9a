"""The paper's title."""

from __future__ import annotations

from documents.sheets import BODY, Sheet

from search.documents.titles import find_title


def test_the_title_stands_on_a_page_of_its_own():
    """In the middle of the first page, above names only; the larger title of a chapter comes later."""
    sheet = Sheet()
    sheet.line(("Of the birds", "Roman", 17), gap=220, centred=True)
    sheet.line(("Ada Tester", "Roman", 12), gap=40, centred=True)
    first = len(sheet.lines)
    sheet.y = 100
    sheet.line(("Introduction", "Bold", 25), gap=40)
    for _ in range(12):
        sheet.text()
    for line in sheet.lines[first:]:
        line.page = 2
    title, rest = find_title(sheet.lines, BODY)
    assert title == "Of the birds"
    assert rest[1].text == "Introduction"
