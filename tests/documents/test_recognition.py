"""Pages without text, or with other text than is printed, are read from their pictures."""

from __future__ import annotations

import importlib.util
import random
import string

import pytest

from search.documents import read_pdf, reader_version
from search.documents.garbled import is_garbled, naturalness
from search.documents.reading_pool import ReadingPool
from search.errors import NoTextInPDF

engine = pytest.mark.skipif(
    importlib.util.find_spec("rapidocr") is None, reason="text recognition needs the extra citewell[ocr]"
)
SENTENCES = (
    "Citations are printed so that readers can look for themselves.",
    "Every number on this page was counted twice before it was written down.",
    "Whoever reads a scanned paper wants to search it like any other paper.",
    "Between two measurements the temperature of the sample never changed.",
    "Nothing in the margin belongs to the sentence that stands beside it.",
    "Small samples make large differences look more certain than they are.",
    "Several laboratories repeated our experiment without telling each other.",
    "Errors of measurement grow quickly when results are multiplied together.",
    "Patient colleagues checked the tables against the original notebooks.",
)
TEXT = " ".join(SENTENCES)


def shifted(text, by=7):
    """The letters of a text moved along the alphabet, as a font with a wrong table gives them."""
    letters = string.ascii_lowercase
    return text.translate(str.maketrans(letters, letters[by:] + letters[:by]))


@pytest.fixture
def page(make_pdf):
    """A page of sentences."""
    lines = [SENTENCES[n % len(SENTENCES)] for n in range(20)]
    return make_pdf([[(72, 90 + 20 * n, line, 11, "tiro") for n, line in enumerate(lines)]])


def as_picture(content):
    """The same pages as pictures of themselves."""
    pymupdf = pytest.importorskip("pymupdf")
    source, target = pymupdf.open(stream=content), pymupdf.open()
    for page in source:
        picture = page.get_pixmap(dpi=150)
        target.new_page(width=page.rect.width, height=page.rect.height).insert_image(
            page.rect, pixmap=picture
        )
    return target.tobytes()


def with_a_wrong_table(content, by=7):
    """The same page with fonts that tell other letters than they draw."""
    pymupdf = pytest.importorskip("pymupdf")
    document = pymupdf.open(stream=content)
    letters = string.ascii_lowercase
    lines = [
        f"<{ord(a):02x}> <{ord(b):04x}>" for a, b in zip(letters, letters[by:] + letters[:by], strict=True)
    ]
    table = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def 1 begincodespacerange "
        f"<00> <ff> endcodespacerange {len(lines)} beginbfchar {' '.join(lines)} endbfchar endcmap end end"
    )
    for font in document.get_page_fonts(0):
        xref = document.get_new_xref()
        document.update_object(xref, "<<>>")
        document.update_stream(xref, table.encode())
        document.xref_set_key(font[0], "ToUnicode", f"{xref} 0 R")
    return document.tobytes()


@pytest.mark.parametrize(
    "text",
    [
        TEXT * 2,
        "Les résultats de cette expérience montrent que la température reste constante. " * 5,
        "Die Ergebnisse dieser Messungen zeigen, dass sich die Temperatur nicht verändert hat. " * 5,
        "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O " * 10,
        "Результаты этих измерений показывают, что температура образца не изменилась. " * 8,
        "",
    ],
)
def test_natural_text_passes(text):
    """Text in several languages, chess games and empty pages are taken as they are."""
    assert not is_garbled(text)


def test_mixed_up_letters_are_noticed():
    """Letters moved along the alphabet or swapped at random do not look like a language."""
    assert all(is_garbled(shifted(TEXT * 2, by)) for by in range(1, 26))
    letters = list(string.ascii_lowercase)
    noticed = 0
    for seed in range(100):
        swapped = letters[:]
        random.Random(seed).shuffle(swapped)
        noticed += is_garbled(
            (TEXT * 2).lower().translate(str.maketrans(dict(zip(letters, swapped, strict=True))))
        )
    assert noticed >= 90


def test_characters_without_meaning_are_noticed():
    """A page of private-use characters tells nothing."""
    assert is_garbled("\ue001\ue002\ue003 " * 200)


def test_too_little_text_is_not_judged():
    """Under a few hundred letters nobody can say."""
    assert naturalness("zzzz qqqq") is None


@engine
def test_a_scan_is_read_and_says_so(page):
    """A picture of a page gives its sentences; the quality names the page and the engine."""
    with ReadingPool(1) as pool:
        paper = pool.read(as_picture(page))
    text = " ".join(passage.text for passage in paper.passages)
    assert sum(sentence in text for sentence in SENTENCES) >= 4
    assert paper.quality.recognised_pages == (1,)
    assert "rapidocr" in " ".join(paper.quality.notes)


@engine
def test_a_garbled_page_is_read_from_its_picture(page):
    """Where the font's table is wrong, what is printed counts."""
    paper = read_pdf(with_a_wrong_table(page))
    text = " ".join(passage.text for passage in paper.passages)
    assert sum(sentence in text for sentence in SENTENCES) >= 4
    assert paper.quality.recognised_pages == (1,)


@engine
def test_an_empty_picture_stays_without_text(make_pdf):
    """Recognition that finds nothing leaves the usual reason."""
    with pytest.raises(NoTextInPDF):
        read_pdf(as_picture(make_pdf([[]])))


def test_without_the_engine_the_advice_names_it(monkeypatch, page):
    """A scan fails with the command that installs the extra, and another reader's name tries it again."""
    monkeypatch.setattr("search.documents.reading.recogniser", lambda: None)
    with pytest.raises(NoTextInPDF) as caught:
        read_pdf(as_picture(page))
    assert "ocr" in caught.value.advice
    assert "rapidocr" not in reader_version()
