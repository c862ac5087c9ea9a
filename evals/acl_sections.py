"""Precision, recall and F1 of section titles on ACL papers with section XML.

    python evals/acl_sections.py [--show]

The XML (SciSumm's reference papers) was made from OCR and lists main sections only, without pages. Nothing
was tuned on these papers. How its noise is treated, by rule and the same for every paper:

- A title with fewer than three letters ("54.3") or that is printed nowhere in the PDF is left out and listed.
- A title that OCR cut at the end of its first line counts as found where ours begins with it.
- Order stands in for pages: titles are matched in reading order, each once.
- Lines that OCR took for titles ("Nora pushed the package.") stay in, and cost recall.
- Abstract, References, Acknowledgements are left out on both sides, as in evals/headings.py, whose
  comparison of titles this is.
- A main section that the XML lacks stays a mistake of ours, though it is printed on the page: the last line
  says how many of what counts as wrong have a number; `--show` lists them, to be judged by eye.
"""

from __future__ import annotations

import argparse
import html
import re
import sys
import time
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path

import pymupdf

sys.path.insert(0, str(Path(__file__).resolve().parent))

import headings as truth

from search.documents import read_pdf

_TITLE = re.compile(r'<SECTION\s+title\s*=\s*"([^"]*)"')
#: Letters that a cut title must have to be taken for the beginning of another.
_ENOUGH = 8


@dataclass
class Paper:
    """What the XML says, what we found, and how the two fit."""

    wanted: list[str]
    left_out: list[str]
    found: list[tuple[str, str | None]]
    right: int = 0
    missed: list[str] = field(default_factory=list)
    wrong: list[tuple[str, str | None]] = field(default_factory=list)


def main_sections(xml: str, letters: str) -> tuple[list[str], list[str]]:
    """Return the XML's titles that can be looked for, and those that cannot.

    Args:
        xml: the file.
        letters: letters and digits of the whole PDF, as `truth.key` writes them.
    """
    wanted, left_out = [], []
    for title in map(html.unescape, _TITLE.findall(xml)):
        name = truth.key(title)
        if name in truth.UNLISTED:
            continue
        can = sum(map(str.isalpha, name)) >= 3 and name in letters
        (wanted if can else left_out).append(title)
    return wanted, left_out


def is_same(wanted: str, found: str) -> bool:
    """Return whether a title is the XML's one, or that one in full."""
    name, other = truth.key(wanted), truth.key(found)
    if SequenceMatcher(None, name, other).ratio() >= 0.85:
        return True
    return len(name) >= _ENOUGH and other.startswith(name)


def compare(path: Path) -> Paper:
    """Return how our main sections fit those of the XML beside a PDF."""
    content = path.read_bytes()
    letters = "".join(truth.page_letters(content).values())
    wanted, left_out = main_sections(path.with_suffix(".xml").read_text(errors="replace"), letters)
    found = [
        (section.title, section.number)
        for section in read_pdf(content).sections
        if section.level == 1 and truth.key(section.title) not in truth.UNLISTED
    ]
    paper = Paper(wanted, left_out, found)
    at = 0
    for title in wanted:
        match = next((i for i in range(at, len(found)) if is_same(title, found[i][0])), None)
        if match is None:
            paper.missed.append(title)
            continue
        paper.wrong += found[at:match]
        paper.right += 1
        at = match + 1
    paper.wrong += found[at:]
    return paper


def main() -> int:
    """Print a line for each paper, and the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--show", action="store_true", help="what was missed and what counts as wrong")
    arguments = parser.parse_args()
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    began = time.process_time()
    papers = []
    for path in sorted((truth.DATA / "pdf" / "acl").glob("*.pdf")):
        paper = compare(path)
        papers.append(paper)
        left = f"  left out: {'; '.join(paper.left_out)}" if paper.left_out else ""
        counts = f"wanted {len(paper.wanted):3}  found {len(paper.found):3}  right {paper.right:3}"
        print(f"{path.stem:<10} {counts}{left}")
        if arguments.show:
            print("   missed", paper.missed, "\n   wrong ", paper.wrong)
    right = sum(paper.right for paper in papers)
    precision = right / sum(len(paper.found) for paper in papers)
    recall = right / sum(len(paper.wanted) for paper in papers)
    wrong = [number for paper in papers for _, number in paper.wrong]
    print(
        f"{len(papers)} papers: precision {precision:.3f}  recall {recall:.3f}  "
        f"F1 {2 * precision * recall / (precision + recall):.3f}; of {len(wrong)} wrong ones "
        f"{sum(map(bool, wrong))} have a number ({time.process_time() - began:.0f} processor seconds)"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
