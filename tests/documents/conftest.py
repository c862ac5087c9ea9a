"""PDFs made on the spot."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

#: x, baseline, text, size, name of a base-14 font ("helv", "hebo" bold, "tiro", "tibo").
Text = tuple[float, float, str, float, str]


@pytest.fixture(scope="session")
def make_pdf() -> Callable[..., bytes]:
    """Return a function that makes a PDF from lists of texts, one list a page."""
    pymupdf = pytest.importorskip("pymupdf", reason="reading PDFs needs the extra citewell[pdf]")

    def make(pages: Sequence[Sequence[Text]], **save: object) -> bytes:
        document = pymupdf.open()
        for texts in pages:
            page = document.new_page(width=612, height=792)
            for x, y, text, size, font in texts:
                page.insert_text((x, y), text, fontsize=size, fontname=font)
        content = bytes(document.tobytes(**save))
        document.close()
        return content

    return make


def _prose(words: str, count: int) -> list[str]:
    sentence = f"The {words} was measured in every one of the runs that we made."
    return [f"{sentence}" for _ in range(count)]


@pytest.fixture(scope="session")
def two_column_paper(make_pdf: Callable[..., bytes]) -> bytes:
    """A paper of two pages in two columns, with running heads, page numbers, exponents and references."""
    pages: list[list[Text]] = []
    for number in (1, 2, 3):
        texts: list[Text] = [
            (250, 40, "A running head of ours", 8, "tiro"),
            (300, 770, str(number), 9, "tiro"),
        ]
        if number == 1:
            texts.append((150, 90, "On the Weight of Feathers", 18, "tibo"))
            texts.append((270, 120, "Ada Example", 11, "tiro"))
        for side, x in (("left", 60.0), ("right", 320.0)):
            y = 160.0
            heading = {
                (1, "left"): "1", (1, "right"): "2", (2, "left"): "3", (2, "right"): "4", (3, "left"): "5",
            }.get((number, side))  # fmt: skip
            if heading:
                texts += [
                    (x, y, heading, 12, "tibo"),
                    (x + 20, y, f"{side.title()} Part {heading}", 12, "tibo"),
                ]
                y += 24
            elif number == 3:
                texts.append((x, y, "References", 12, "tibo"))
                y += 24
                for entry in (
                    "[1] A. Example and B. Sample. Feathers in air.",
                    "Journal of Weight, 12:1-9, 1999.",
                    "[2] C. Case. Lead and its friends. arXiv:1706.03762, 2017.",
                ):
                    texts.append((x, y, entry, 9, "tiro"))
                    y += 11
                continue
            for line in range(30):
                texts.append((x, y, f"The {side} {number} sample had a mass of {line} grams.", 10, "tiro"))
                y += 12
            texts += [
                (x, y, "We counted 10", 10, "tiro"),
                (x + 60.5, y - 4, "4", 7, "tiro"),
                (x + 66, y, "of them.", 10, "tiro"),
            ]
        pages.append(texts)
    return make_pdf(pages)
