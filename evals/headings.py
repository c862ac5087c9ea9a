"""Precision, recall and F1 of headings on LaTeX outlines, levels 1 and 2.

    python evals/headings.py             # the 26 papers for work
    python evals/headings.py --final     # the other 25, for the final figure only
    python evals/headings.py --as-is     # with the file's own bookmarks and named destinations

The truth is the outline that the authors' LaTeX run wrote. The split is fixed: by SHA-256 of the file's
name, the first 26 are for work. Unless `--as-is` is given, bookmarks, named destinations and links are
taken out of each PDF before it is read, or they would leak the answer (49 of the 51 files have them).

A heading counts as found where its title is nearly the same (ratio of 0.85 of letters and digits, with or
without its number) and its page differs by at most one; each occurrence by itself. Left out on both sides:
Abstract, Keywords, Contents, References, Acknowledgements (LaTeX lists them or does not, by class). Left
out of the truth and listed: the paper's title, and bookmarks that are not printed on their page. Levels are
relative to the shallowest numbered heading.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import sys
import time
import unicodedata
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import pymupdf

from search.documents import read_pdf

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("CITEWELL_DATA", ROOT.parent / "shared" / "data"))

#: Titles that an outline of LaTeX holds or does not, by document class. acmart prints Keywords as a heading.
UNLISTED = {"abstract", "references", "bibliography", "contents", "acknowledgements", "acknowledgments",
            "acknowledgement", "acknowledgment", "keywords",
            "literature", "workscited"}  # fmt: skip

Entry = tuple[int, str, int]


def key(title: str) -> str:
    """Return the letters and digits of a title, lower-case and without its number."""
    title = re.sub(
        r"^\s*(?:appendix\s+)?(?:[A-Z]|[IVX]+|\d+)?(?:-[A-Z]\d*)?(?:\.?\d+)*[.:]?\s+",
        "",
        unicodedata.normalize("NFKC", title),
        flags=re.IGNORECASE,
    )
    return "".join(c for c in unicodedata.normalize("NFKD", title).casefold() if c.isalnum())


_HAS_NUMBER = re.compile(
    r"\s*(?:(?:appendix|section|chapter)\s+)?(?:\d+|[IVX]+(?=[.\s-])|[A-Z](?=[.\s\d:]))", re.IGNORECASE
)


def truth_of(outline: list[Entry], title: str, printed: dict[int, str]) -> tuple[list[Entry], list[str]]:
    """Return the outline's entries of level 1 and 2, and what of them was left out.

    Args:
        outline: as the file holds it.
        title: of the paper.
        printed: letters and digits of each page (from 1).
    """
    left_out: list[str] = []
    kept = []
    for level, text, page in outline:
        name = key(text)
        near = "".join(printed.get(p, "") for p in (page - 1, page, page + 1))
        if not name or name in UNLISTED:
            continue
        if SequenceMatcher(None, name, key(title)).ratio() > 0.8 or not _printed(name, near):
            left_out.append(text)
            continue
        kept.append((_by_number(text) or level, text, page))
    numbered = [level for level, text, _ in kept if _HAS_NUMBER.match(text)]
    shallowest = min(numbered or [level for level, _, _ in kept], default=1)
    relative = [(max(1, level - shallowest + 1), text, page) for level, text, page in kept]
    return [entry for entry in relative if entry[0] <= 2], left_out


def _printed(name: str, page: str) -> bool:
    """Return whether a title is on its page: most of its letters in one piece, or all but a few in order."""
    match = SequenceMatcher(None, page, name, autojunk=False).find_longest_match()
    return match.size >= 0.6 * len(name) or match.size >= 12


def _by_number(text: str) -> int:
    """Return the level that a title's own number says: one outline puts 1 and 2 on one level with 2.1."""
    match = re.match(r"\s*(\d+(?:\.\d+)*)\.?\s", text)
    return match[1].count(".") + 1 if match else 0


def page_letters(content: bytes) -> dict[int, str]:
    """Return the letters and digits of each page, as `key` writes them."""
    with pymupdf.open(stream=content) as document:
        return {page.number + 1: key("1 " + page.get_text()) for page in document}


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


def _named(name: str, names: list[str]) -> bool:
    return any(SequenceMatcher(None, name, other).ratio() >= 0.85 for other in names)


def split(records: list[dict[str, Any]], *, final: bool) -> list[dict[str, Any]]:
    """Return the 26 papers for work, or the 25 others."""
    ordered = sorted(records, key=lambda record: hashlib.sha256(record["file"].encode()).hexdigest())
    return ordered[26:] if final else ordered[:26]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--show", default="", help="only files whose name holds this, with what was missed and invented"
    )
    parser.add_argument("--final", action="store_true", help="the 25 papers that nothing was tuned on")
    parser.add_argument("--as-is", action="store_true", help="with bookmarks, destinations and links")
    parser.add_argument("--layout", action="store_true", help="with pymupdf's layout model")
    arguments = parser.parse_args()
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    wanted = all_found = hits = levels = 0
    pages, seconds = 0, 0.0
    lines = (DATA / "pdf/truth/outlines.jsonl").read_text().splitlines()
    for record in split([json.loads(line) for line in lines], final=arguments.final):
        if arguments.show not in record["file"]:
            continue
        path = DATA / "pdf/arxiv" / record["file"]
        content = path.read_bytes() if arguments.as_is else stripped(path)
        start = time.perf_counter()
        paper = read_pdf(content, layout=arguments.layout)
        seconds += time.perf_counter() - start
        pages += paper.quality.pages
        truth, left_out = truth_of([tuple(e) for e in record["toc"]], paper.title, page_letters(content))
        found = [
            (s.level, s.title, s.page)
            for s in paper.sections
            if s.level <= 2 and key(s.title) not in UNLISTED
        ]
        pairs = matches(truth, found)
        # What the truth leaves out is neither right nor wrong.
        names = [key(text) for text in left_out]
        found = [f for f in found if f in [b for _, b in pairs] or not _named(key(f[1]), names)]
        wanted, all_found, hits = wanted + len(truth), all_found + len(found), hits + len(pairs)
        levels += sum(a[0] == b[0] for a, b in pairs)
        print(f"{record['file']:<28} truth {len(truth):3}  found {len(found):3}  right {len(pairs):3}"
              f"{'  left out: ' + '; '.join(left_out) if left_out else ''}")  # fmt: skip
        if arguments.show and arguments.show in record["file"]:
            print("   missed  ", [entry for entry in truth if entry not in [a for a, _ in pairs]])
            print("   invented", [entry for entry in found if entry not in [b for _, b in pairs]])
            print("   level   ", [(a, b[0]) for a, b in pairs if a[0] != b[0]])
    precision, recall = hits / all_found, hits / wanted
    f1 = 2 * precision * recall / (precision + recall)
    print(f"precision {precision:.3f}  recall {recall:.3f}  F1 {f1:.3f}  right level {levels / hits:.3f}  "
          f"({wanted} headings, {pages / seconds:.0f} pages/s)")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
