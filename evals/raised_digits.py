"""Of the places where a raised digit follows a digit, how many does the reader join ("104" for 10^4)?

    python evals/raised_digits.py [--show] [FOLDER]

The places come from pymupdf's single characters, not from the reader's spans and lines: a digit smaller
than the digit on its left (ratio under 0.9), close to it, with its baseline higher by 10 to 80 % of that
digit's size. What the reader wrote is then looked up in the passages whose boxes hold the place: by the
digits on both sides and the letters around them. `kept`: a `^` stands between the two digits. `joined`:
they stand together. `left out`: the raised digits were taken for a footnote mark. `in no passage`: the
place lies in a figure, a reference list, a running head. Exit status 1 where more than 1 % of the places
that are in passages are joined.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import pymupdf

from search.documents import read_pdf
from search.models import Passage

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("CITEWELL_DATA", ROOT.parent / "shared" / "data"))
#: Letters and digits on each side that tell a place from its neighbours.
CONTEXT = 8


@dataclass(frozen=True)
class Place:
    """A raised digit right after a digit."""

    page: int
    x: float
    y: float
    #: Letters and digits before, the digits of both levels, letters and digits after.
    before: str
    base: str
    raised: str
    after: str


def places(document: pymupdf.Document) -> list[Place]:
    """Return the places of a PDF, from the geometry of single characters."""
    found = []
    flags = pymupdf.TEXTFLAGS_RAWDICT & ~pymupdf.TEXT_PRESERVE_IMAGES
    for page in document:
        chars = [
            (char["c"], span["size"], *char["origin"], *char["bbox"])
            for block in page.get_text("rawdict", flags=flags)["blocks"]
            for line in block["lines"]
            if line["dir"] == (1.0, 0.0)
            for span in line["spans"]
            for char in span["chars"]
            if not char["c"].isspace()
        ]
        for i in range(1, len(chars)):
            c, size, x, y, *box = chars[i]
            base, base_size, _, base_y, *base_box = chars[i - 1]
            if not (c.isdecimal() and base.isdecimal() and size < 0.9 * base_size):
                continue
            if not (-0.3 <= (x - base_box[2]) / base_size <= 0.3 and 0.1 <= (base_y - y) / base_size <= 0.8):
                continue
            end = i
            while end < len(chars) and chars[end][0].isdecimal() and abs(chars[end][3] - y) < 0.5:
                end += 1
            start = i - 1
            while start and chars[start - 1][0].isdecimal() and abs(chars[start - 1][3] - base_y) < 0.5 \
                    and chars[start][4] - chars[start - 1][6] < 0.15 * base_size:  # fmt: skip
                start -= 1
            found.append(
                Place(
                    page.number + 1, box[0], (box[1] + box[3]) / 2,
                    plain("".join(char[0] for char in chars[max(0, start - CONTEXT) : start])),
                    "".join(char[0] for char in chars[start:i]),
                    "".join(char[0] for char in chars[i:end]),
                    plain("".join(char[0] for char in chars[end : end + CONTEXT])),
                )
            )  # fmt: skip
    return found


def plain(text: str) -> str:
    """Return the ASCII letters and digits of a text."""
    return "".join(c for c in text if c.isascii() and c.isalnum())


def verdict(place: Place, passages: tuple[Passage, ...]) -> str:
    """Return what the reader wrote at a place."""
    near = [
        p.text for p in passages
        if any(
            b.page == place.page and b.x0 - 2 <= place.x <= b.x1 + 2 and b.y0 - 2 <= place.y <= b.y1 + 2
            for b in p.boxes
        )
    ]  # fmt: skip
    if not near:
        return "in no passage"
    anything = r"[^A-Za-z0-9]*"
    left = anything.join(map(re.escape, place.before[-4:]))
    right = anything.join(map(re.escape, place.after[:3]))
    head = f"{left}{anything}{place.base}"
    for name, pattern in (
        ("kept", rf"{head}\^\{{?{place.raised}(?!\d){anything}{right}"),
        ("joined", rf"{head}{place.raised}{anything}{right}"),
        ("left out", rf"{head}(?!\d){anything}{right}"),
        ("kept", rf"{place.base}\^\{{?{place.raised}(?!\d)"),
        ("joined", rf"(?<!\d){place.base}{place.raised}(?!\d)"),
    ):
        if any(re.search(pattern, text) for text in near):
            return name
    return "not found"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, default=DATA / "pdf" / "arxiv")
    parser.add_argument("--show", action="store_true", help="print every place that is not kept")
    arguments = parser.parse_args()
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    columns = ("kept", "joined", "left out", "not found", "in no passage")
    total = dict.fromkeys(columns, 0)
    files = 0
    print(f"{'file':<26}" + "".join(f"{name:>15}" for name in columns))
    for path in sorted(arguments.folder.glob("*.pdf")):
        found = places(pymupdf.open(path))
        if not found:
            continue
        files += 1
        counts = dict.fromkeys(columns, 0)
        passages = read_pdf(path).passages
        for place in found:
            name = verdict(place, passages)
            counts[name] += 1
            total[name] += 1
            if arguments.show and name != "kept":
                print(f"   {name}: page {place.page} at {place.x:.0f},{place.y:.0f}: "
                      f"{place.before}^{place.raised} {place.after}")  # fmt: skip
        print(f"{path.name:<26}" + "".join(f"{counts[name]:>15}" for name in columns))
    print(f"{f'all ({files} files)':<26}" + "".join(f"{total[name]:>15}" for name in columns))
    inside = sum(total.values()) - total["in no passage"]
    share = total["joined"] / inside if inside else 0.0
    print(
        f"joined: {total['joined']} of {inside} places in passages, {share:.2%} "
        f"({sum(total.values())} places in all)"
    )
    return int(share > 0.01)


if __name__ == "__main__":
    sys.exit(main())
