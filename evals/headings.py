"""Precision, recall and F1 of headings on LaTeX outlines, levels 1 and 2.

    python evals/headings.py [--all] [--show FILE]

Bookmarks, named destinations and links are stripped from each PDF before it is read, or they would leak
the answer (49 of the 51 files have them). A heading counts as found where its title is nearly the same
(ratio of 0.85 of letters and digits) and its page differs by at most one. Abstract, references,
acknowledgements and contents are left out on both sides (`--all` counts them): LaTeX lists them or does
not, by class. Where the outline's root is the paper's title, it is left out and what
stands below moves up by one level.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
import unicodedata
from difflib import SequenceMatcher
from pathlib import Path

import pymupdf

from search.documents import read_pdf

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("CITEWELL_DATA", ROOT.parent / "shared" / "data"))

#: Titles that an outline of LaTeX holds or does not, by document class.
UNLISTED = {"abstract", "references", "bibliography", "contents", "acknowledgements", "acknowledgments",
            "acknowledgement", "acknowledgment"}  # fmt: skip

Entry = tuple[int, str, int]


def key(title: str) -> str:
    """Return the letters and digits of a title, lower-case and without its number."""
    title = re.sub(
        r"^\s*(?:appendix\s+)?(?:[A-Z]|[IVX]+|\d+)?(?:\.?\d+)*[.:]?\s+",
        "",
        unicodedata.normalize("NFKC", title),
        flags=re.IGNORECASE,
    )
    return "".join(c for c in unicodedata.normalize("NFKD", title).casefold() if c.isalnum())


def truth_of(outline: list[Entry], title: str) -> list[Entry]:
    """Return the outline's entries of level 1 and 2, the paper's title left out."""
    if outline and SequenceMatcher(None, key(outline[0][1]), key(title)).ratio() > 0.8:
        below = [(level - 1, text, page) for level, text, page in outline[1:] if level > 1]
        outline = below + [entry for entry in outline[1:] if entry[0] == 1]
    return [
        (level, text, page)
        for level, text, page in outline
        if level <= 2 and key(text) and key(text) not in UNLISTED
    ]


def stripped(path: Path) -> bytes:
    """Return the PDF without bookmarks, named destinations and links."""
    document = pymupdf.open(path)
    document.set_toc([])
    catalog = document.pdf_catalog()
    for name in ("Names", "Dests"):
        document.xref_set_key(catalog, name, "null")
    for page in document:
        document.xref_set_key(page.xref, "Annots", "null")
    content = document.tobytes(garbage=1)
    document.close()
    return bytes(content)


def matches(truth: list[Entry], found: list[Entry]) -> list[tuple[Entry, Entry]]:
    """Return pairs of the same heading, each used once, in order of the truth."""
    free = list(found)
    pairs = []
    for entry in truth:
        for other in free:
            if (
                abs(other[2] - entry[2]) <= 1
                and SequenceMatcher(None, key(entry[1]), key(other[1])).ratio() >= 0.85
            ):
                pairs.append((entry, other))
                free.remove(other)
                break
    return pairs


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--show", default="", help="print what was missed and invented in files whose name holds this"
    )
    parser.add_argument("--all", action="store_true", help="count references and the like too")
    arguments = parser.parse_args()
    if arguments.all:
        UNLISTED.intersection_update({"abstract"})
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    wanted = all_found = hits = levels = 0
    pages, seconds = 0, 0.0
    for line in (DATA / "pdf/truth/outlines.jsonl").read_text().splitlines():
        record = json.loads(line)
        content = stripped(DATA / "pdf/arxiv" / record["file"])
        start = time.perf_counter()
        paper = read_pdf(content)
        seconds += time.perf_counter() - start
        pages += paper.quality.pages
        truth = truth_of([tuple(entry) for entry in record["toc"]], paper.title)
        found = [
            (s.level, s.title, s.page)
            for s in paper.sections
            if s.level <= 2 and key(s.title) not in UNLISTED
        ]
        pairs = matches(truth, found)
        wanted, all_found, hits = wanted + len(truth), all_found + len(found), hits + len(pairs)
        levels += sum(a[0] == b[0] for a, b in pairs)
        print(f"{record['file']:<28} truth {len(truth):3}  found {len(found):3}  right {len(pairs):3}")
        if arguments.show and arguments.show in record["file"]:
            print("   missed  ", [entry for entry in truth if entry not in [a for a, _ in pairs]])
            print("   invented", [entry for entry in found if entry not in [b for _, b in pairs]])
    precision, recall = hits / all_found, hits / wanted
    f1 = 2 * precision * recall / (precision + recall)
    print(f"precision {precision:.3f}  recall {recall:.3f}  F1 {f1:.3f}  right level {levels / hits:.3f}  "
          f"({wanted} headings, {pages / seconds:.0f} pages/s)")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
