"""Pages per second of reading a PDF, against a bare pymupdf `get_text("dict")` loop over the same files.

    python evals/reading_speed.py [--every 1]

Both are measured in one process, file by file in turn, so that whatever else the machine does falls on both
alike; processor seconds of the process, not of the clock, and one core. Files with pages that text
recognition would read are left out and counted: recognition has its own price.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

import pymupdf

from search.documents import read_pdf

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("CITEWELL_DATA", ROOT.parent / "shared" / "data"))


def bare(content: bytes) -> int:
    """Read every page of a PDF as dict; return the number of pages."""
    flags = pymupdf.TEXTFLAGS_DICT & ~pymupdf.TEXT_PRESERVE_IMAGES
    with pymupdf.open(stream=content) as document:
        for page in document:
            page.get_text("dict", flags=flags)
        return int(document.page_count)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--every", type=int, default=1, help="only each n-th file")
    arguments = parser.parse_args()
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    pages, left_out = 0, 0
    plain = reading = 0.0
    for path in sorted((DATA / "pdf" / "arxiv").glob("*.pdf"))[:: arguments.every]:
        content = path.read_bytes()
        start = time.process_time()
        count = bare(content)
        middle = time.process_time()
        paper = read_pdf(content)
        end = time.process_time()
        if paper.quality.recognised_pages:
            left_out += 1
            continue
        pages += count
        plain += middle - start
        reading += end - middle
    print(
        f"{pages} pages ({left_out} files left out): bare {pages / plain:.0f}, read {pages / reading:.0f} "
        f"pages/s, ratio {plain / reading:.2f}"
    )
    return int(plain / reading < 0.5)


if __name__ == "__main__":
    sys.exit(main())
