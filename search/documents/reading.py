"""A PDF as a `ReadPaper`: pages to lines, lines to sections, sections to passages and references."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from pathlib import Path

from search.documents.big_signs import write_signs
from search.documents.bitmap_fonts import mend_sizes
from search.documents.bookmarks import confirmed, named, names_section
from search.documents.characters import readable_share
from search.documents.citation_marks import raised_marks, with_citations
from search.documents.collection import without_collection
from search.documents.columns import gutters, reading_order
from search.documents.contents_list import without_contents
from search.documents.end_marks import write_end_marks
from search.documents.furniture import without_furniture
from search.documents.headings import find_headings
from search.documents.labels import without_labels
from search.documents.layout import evidence
from search.documents.levels import Heading
from search.documents.lines import TextLine, join
from search.documents.pages import Link, Page, PageReader
from search.documents.paragraphs import vocabulary_of
from search.documents.passages import Piece, passages
from search.documents.recognition import doubtful, has_no_text, recognise, recogniser
from search.documents.references import references, unheaded_list
from search.documents.run_in import split_run_in
from search.documents.sections import has_list, parts
from search.documents.style import BodyStyle, body_style
from search.documents.titles import find_title
from search.errors import NoTextInPDF, install
from search.models import Passage, Quality, ReadPaper, Reference, Section

#: Of our own reading, whatever reads the pages. It goes up whenever the same PDF would give another text.
READING = 7
#: Under so many characters the paper as a whole has no text.
_NO_TEXT = 100


def read_pdf(
    source: Path | bytes,
    *,
    layout: bool = False,
    before_recognising: Callable[[int], None] = lambda _: None,
) -> ReadPaper:
    """Return title, sections, passages and references of a PDF.

    Text is verbatim as on the page, with words divided at line ends put together, ligatures and
    mathematical letters written out, raised and lowered runs as `^4`, `_{ij}` (see
    `search.documents.runs`), and without running heads, page numbers and raised citation marks.
    The passages of a section are its running text, then its captions, tables and footnotes; what stands
    before the first heading and is no prose (authors, addresses) is in no passage.

    Args:
        source: a path, or the file's bytes.
        layout: ask pymupdf's layout model about each page as well: half a second a page
            (docs/decisions/0025-layout-tier.md says what that gains).
        before_recognising: told the number of each page that is read from its picture, before that is done.

    Raises:
        MissingExtra: pymupdf is not installed.
        EncryptedPDF: the file wants a password.
        DamagedPDF: it is no PDF, or broken beyond repair, or was cut off, or has no page.
        NoTextInPDF: it holds pictures of text only.
        OSError: the path cannot be read.
    """
    from search.documents.pymupdf_reader import PyMuPDFReader

    with without_collection():
        reader = PyMuPDFReader(source)
        try:
            label = source.name if isinstance(source, Path) else "the PDF"
            return read(reader, label, before_recognising, layout=layout)
        finally:
            reader.close()


def reader_version() -> str:
    """Return the name of the reader: what it could not read, one with another name tries again.

    Raises:
        MissingExtra: pymupdf is not installed.
    """
    from search.documents.pymupdf_reader import reader_name

    engine = recogniser()
    return f"{reader_name()}/{READING}" + (f"+{engine}" if engine else "")


def read(
    reader: PageReader,
    label: str = "the PDF",
    before_recognising: Callable[[int], None] = lambda _: None,
    *,
    layout: bool = False,
) -> ReadPaper:
    """Return what an opened document holds; `label` names it in errors."""
    return read_placed(reader, label, before_recognising, layout=layout)[0]


def read_placed(
    reader: PageReader,
    label: str = "the PDF",
    before_recognising: Callable[[int], None] = lambda _: None,
    *,
    layout: bool = False,
) -> tuple[ReadPaper, list[Piece]]:
    """Return what an opened document holds, and for each passage the printed lines that it was made of."""
    pages = list(reader.pages())
    notes = ["the file's structure was damaged and has been rebuilt"] if reader.repaired else []
    recognised = _recognised(reader, pages, notes, before_recognising)
    _must_have_text(pages, label)
    if mend_sizes(pages):
        notes.append("bitmap fonts without sizes: sizes are estimated, letters may be missing")
    write_signs(pages)
    lines = _lines(pages)
    if not lines:
        raise NoTextInPDF(f"{label} has no text outside its margins")
    body = body_style(lines)
    title, rest = find_title(lines, body)
    rest = split_run_in(without_labels(without_contents(rest), body.size), body)
    vocabulary = vocabulary_of(rest)
    marks = confirmed(rest, reader.bookmarks()) or named(rest, reader.destinations(names_section))
    seen = evidence(rest, reader.regions) if layout else ()
    headings = find_headings(rest, body, marks, vocabulary, seen)
    write_end_marks(rest, reader.squares)
    if not has_list(rest, headings):
        headings = _with_references(rest, headings)
    sections, found, entries, pieces = _contents(rest, headings, body, vocabulary, reader.links)
    if not headings:
        notes.append("no headings were found; the whole paper is one section")
    paper = ReadPaper(
        title=title,
        sections=tuple(sections),
        passages=with_citations(found, entries, raised_marks(pieces)),
        references=tuple(entries),
        quality=Quality(
            pages=len(pages),
            characters=sum(len(line.text) for line in lines),
            readable=round(readable_share([line.text for line in lines]), 4),
            headings=len(headings),
            structure="headings" if headings else "whole paper",
            recognised_pages=recognised,
            notes=tuple(notes),
        ),
        reader=f"{reader.name}/{READING}" + ("+layout" if layout else ""),
    )
    return paper, pieces


def _recognised(
    reader: PageReader, pages: list[Page], notes: list[str], before: Callable[[int], None]
) -> tuple[int, ...]:
    """Put recognised text in the place of missing or garbled text; return the numbers of those pages."""
    bad = doubtful(pages)
    if not bad:
        return ()
    engine = recogniser()
    better = {page.number: page for page in recognise(reader, bad, before)} if engine else {}
    pages[:] = [better.get(page.number, page) for page in pages]
    left = [page for page in bad if page.number not in better]
    empty = [str(page.number) for page in left if has_no_text(page)]
    garbled = [str(page.number) for page in left if not has_no_text(page)]
    if better:
        notes.append(f"read from their pictures by {engine}: pages {', '.join(map(str, better))}")
    if empty:
        notes.append(f"pages without text: {', '.join(empty)}")
    if garbled:
        notes.append(f"pages whose text is not what is printed on them: {', '.join(garbled)}")
    return tuple(better)


def _must_have_text(pages: Sequence[Page], label: str) -> None:
    lengths = accumulate(len(span.text) for page in pages for line in page.lines for span in line.spans)
    if not any(length >= _NO_TEXT for length in lengths):
        advice = "text recognition found none on its pictures either"
        if not recogniser():
            advice = f"if it is a scan, text recognition can read it: {install('ocr')}"
        raise NoTextInPDF(f"{label} has no text on its {len(pages)} pages", advice=advice)


def _lines(pages: Sequence[Page]) -> list[TextLine]:
    """Return the printed lines of the whole paper, in reading order."""
    found = []
    texts = without_furniture(pages)
    for page, kept, middle in zip(pages, texts, gutters(texts, pages), strict=True):
        for column, piece in enumerate(reading_order(kept, middle)):
            found += [line for line in join(piece, page.number, column) if line.text]
    return found


def _with_references(lines: Sequence[TextLine], headings: Sequence[Heading]) -> list[Heading]:
    """Return the headings and, where a list of references stands without one, one for it."""
    start = unheaded_list(lines)
    if start is None:
        return list(headings)
    implied = Heading(start, start, "References", None, 1, lines[start].page)
    return sorted([*headings, implied], key=lambda heading: heading.start)


def _contents(
    lines: Sequence[TextLine],
    headings: Sequence[Heading],
    body: BodyStyle,
    vocabulary: frozenset[str],
    links: Callable[[int], Sequence[Link]],
) -> tuple[list[Section], list[Passage], list[Reference], list[Piece]]:
    """Return the sections, their passages, the reference lists' entries, and the passages' lines."""
    sections: list[Section] = []
    found: list[Passage] = []
    entries: list[TextLine] = []
    pieces: list[Piece] = []
    for part in parts(lines, headings, body):
        name = ""
        if part.section:
            sections.append(part.section)
            name = " > ".join(part.section.path)
            if part.section.kind == "references":
                entries += part.lines
        for piece in passages(part.paragraphs, vocabulary):
            pieces.append(piece)
            found.append(
                Passage(
                    ordinal=len(found) + 1,
                    section=name,
                    page=piece.page,
                    boxes=piece.boxes,
                    text=piece.text,
                    kind=piece.kind,
                )
            )
    return sections, found, references(entries, vocabulary, links), pieces
