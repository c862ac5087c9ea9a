"""Whether a quote's boxes hold the quote: sentences of real papers, words taken out of their boxes.

    python evals/quote_boxes.py [--every 3] [--sentences 12] [--show] [FOLDER]

From every third PDF a dozen sentences are drawn (fixed seed) out of the passages, tables left out, and their
boxes asked for as `search.documents.highlights.quote_boxes` does. What stands in the boxes is read with
pymupdf's `rawdict`, character by character. Compared are letters and digits, how many of each, as a formula's
rows are read in another order: `right` where the two are the same; `close` where at most three characters or
3 % differ. A raised citation number in the sentence, which its text leaves out, makes it `close`.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import unicodedata
from collections import Counter
from pathlib import Path

import pymupdf

from search.documents.highlights import boxes_of_range
from search.documents.pymupdf_reader import PyMuPDFReader
from search.documents.reading import read_placed
from search.documents.sentences import sentences
from search.models import Box

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("CITEWELL_DATA", ROOT.parent / "shared" / "data"))

#: A character, its middle, and a point right above its baseline.
Character = tuple[str, float, float]


def characters(page: pymupdf.Page) -> list[Character]:
    """Return the page's characters in text fonts and where they stand; signs of formulas have no letters."""
    flags = pymupdf.TEXTFLAGS_RAWDICT & ~pymupdf.TEXT_PRESERVE_IMAGES
    return [
        (char["c"], (char["bbox"][0] + char["bbox"][2]) / 2, char["origin"][1] - 1.0)
        for block in page.get_text("rawdict", flags=flags)["blocks"]
        for line in block["lines"]
        for span in line["spans"]
        if "EX" not in span["font"].upper()
        for char in span["chars"]
    ]


def inside(found: list[Character], boxes: list[Box]) -> str:
    """Return what stands in any of the boxes, in the page's order."""
    return "".join(c for c, x, y in found if any(b.x0 <= x <= b.x1 and b.y0 <= y <= b.y1 for b in boxes))


def letters(text: str) -> str:
    """Return the letters and digits, accents left out."""
    plain = unicodedata.normalize("NFKD", text)
    return "".join(c for c in plain if c.isalnum() and c.isascii())


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, default=DATA / "pdf" / "arxiv")
    parser.add_argument("--every", type=int, default=3)
    parser.add_argument("--sentences", type=int, default=12)
    parser.add_argument("--show", action="store_true", help="print what is wrong")
    arguments = parser.parse_args()
    chosen = random.Random(5)
    counts: Counter[str] = Counter()
    for path in sorted(arguments.folder.glob("*.pdf"))[:: arguments.every]:
        reader = PyMuPDFReader(path)
        _, pieces = read_placed(reader)
        places = [
            (number, start, end)
            for number, piece in enumerate(pieces)
            for start, end in sentences(piece.text)
            if end - start > 40 and piece.kind != "table"
        ]
        pages: dict[int, list[Character]] = {}
        with pymupdf.open(path) as document:
            for number, start, end in chosen.sample(places, min(len(places), arguments.sentences)):
                boxes = boxes_of_range(pieces[number], start, end, reader.characters)
                for box in boxes:
                    if box.page not in pages:
                        pages[box.page] = characters(document[box.page - 1])
                printed = letters("".join(
                    inside(there, [box for box in boxes if box.page == page]) for page, there in pages.items()
                ))  # fmt: skip
                wanted = letters(pieces[number].text[start:end])
                verdict = judge(wanted, printed)
                counts[verdict] += 1
                if arguments.show and verdict != "right":
                    print(
                        f"{path.name} {number + 1} {pieces[number].kind} {verdict}\n   {wanted}\n   {printed}"
                    )
        reader.close()
    total = counts.total()
    right, close = counts["right"], counts["close"]
    print(f"{total} sentences: right {right / total:.3f}, right or close {(right + close) / total:.3f}")
    return 0


def judge(wanted: str, printed: str) -> str:
    """Return "right", "close" or "wrong"."""
    one, other = Counter(wanted), Counter(printed)
    off = (one - other).total() + (other - one).total()
    return "right" if not off else "close" if off <= max(3, 0.03 * len(wanted)) else "wrong"


if __name__ == "__main__":
    sys.exit(main())
