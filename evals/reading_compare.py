"""Headings found by Citewell's reader and by what else a user would take, on the same papers in one run.

    pip install kreuzberg opendataloader-pdf     # beside the project, for this script alone; see below
    python evals/reading_compare.py [--final] [--every N] [--readers citewell,layout-tier,…]

Truth, split and matching are those of evals/headings.py: LaTeX outlines, bookmarks, named destinations and
links taken out first. Other readers state no levels or others, so levels do not count here, for none of
them: a heading that the outline has at level 3 or deeper is neither right nor wrong, and the same holds for
the paper's title, Abstract, Contents, References, Acknowledgements. A reader that does not say on which page
a heading stands is matched by title alone, which is to its advantage.

- `citewell`: the fast tier, titles of paragraphs that run in included, which few outlines list;
  `two-levels`: of these what it says is of level 1 or 2, as outlines mostly do; `layout-tier`: with
  pymupdf's layout model's evidence.
- `layout-model`: what the model alone calls a section header (`page.get_layout()`).
- `pymupdf4llm`: markdown of the same pymupdf (`pymupdf4llm.to_markdown`), pages without OCR.
- `kreuzberg` (Rust over pdfium): markdown. `opendataloader` (Java 11 or later): JSON; one Java process a
  file, its start is counted and printed.

Each with its defaults. Our rules were made on the papers for work and the others' were not, which flatters
ours. Readers that want models from elsewhere (docling, marker, MinerU) are left out. Seconds are
of processors, child processes included, and of one warm process for each reader.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import pymupdf

sys.path.insert(0, str(Path(__file__).resolve().parent))

import headings as truth

from search.documents import read_pdf

Found = tuple[str, int | None]
Reader = Callable[[bytes], list[Found]]

_MARKUP = re.compile(r"[*_`#]+|<[^>]+>")
_PAGE = re.compile(r"<!-- PAGE (\d+) -->")


# ---------------------------------------------------------------- the readers
def citewell(content: bytes) -> list[Found]:
    """Return what the fast tier finds."""
    return [(section.title, section.page) for section in read_pdf(content).sections]


def two_levels(content: bytes) -> list[Found]:
    """Return what the fast tier finds and says is of level 1 or 2."""
    return [(section.title, section.page) for section in read_pdf(content).sections if section.level <= 2]


def layout_tier(content: bytes) -> list[Found]:
    """Return what the layout tier finds."""
    return [(section.title, section.page) for section in read_pdf(content, layout=True).sections]


def layout_model(content: bytes) -> list[Found]:
    """Return the words in each region that the model calls a section header."""
    import pymupdf.layout

    found: list[Found] = []
    with pymupdf.open(stream=content) as document:
        for page in document:
            page.get_layout()
            for *place, kind in page.layout_information or ():
                if kind == "section-header":
                    text = page.get_text(clip=pymupdf.Rect(place))
                    found.append((" ".join(text.split()), page.number + 1))
    return found


def pymupdf4llm_markdown(content: bytes) -> list[Found]:
    """Return the headings of pymupdf's markdown."""
    import pymupdf4llm

    with pymupdf.open(stream=content) as document:
        chunks = pymupdf4llm.to_markdown(document, page_chunks=True, use_ocr=False)
    return [
        (title, number) for number, chunk in enumerate(chunks, start=1) for title in _headings(chunk["text"])
    ]


def kreuzberg_markdown(content: bytes) -> list[Found]:
    """Return the headings of kreuzberg's markdown."""
    from kreuzberg import ExtractionConfig, PageConfig, extract_bytes_sync

    config = ExtractionConfig(
        output_format="markdown",
        pages=PageConfig(insert_page_markers=True, marker_format="\n\n<!-- PAGE {page_num} -->\n\n"),
        use_cache=False,
    )
    text = extract_bytes_sync(content, "application/pdf", config=config).content
    pages = _PAGE.split(text)
    numbered = zip(map(int, pages[1::2]), pages[2::2], strict=True)
    return [(title, None) for title in _headings(pages[0])] + [
        (title, number) for number, on_page in numbered for title in _headings(on_page)
    ]


def opendataloader(content: bytes) -> list[Found]:
    """Return the headings of OpenDataLoader's JSON."""
    import opendataloader_pdf

    with tempfile.TemporaryDirectory(prefix="citewell-compare-") as folder:
        source = Path(folder) / "paper.pdf"
        source.write_bytes(content)
        opendataloader_pdf.convert(
            str(source), output_dir=folder, format="json", quiet=True, image_output="off"
        )
        tree = json.loads((Path(folder) / "paper.json").read_text())
    return list(_headings_of(tree))


def _headings_of(node: Any) -> Iterator[Found]:
    if isinstance(node, dict):
        if node.get("type") == "heading":
            yield node.get("content", ""), node.get("page number")
        for value in node.values():
            yield from _headings_of(value)
    elif isinstance(node, list):
        for value in node:
            yield from _headings_of(value)


def _headings(markdown: str) -> list[str]:
    """Return the titles of a markdown text's headings, without marks of weight and slant."""
    lines = (line.strip() for line in markdown.splitlines())
    return [title for line in lines if line.startswith("#") and (title := _MARKUP.sub("", line).strip())]


READERS: dict[str, tuple[Reader, str]] = {
    "citewell": (citewell, ""),
    "two-levels": (two_levels, ""),
    "layout-tier": (layout_tier, ""),
    "layout-model": (layout_model, ""),
    "pymupdf4llm": (pymupdf4llm_markdown, "pymupdf4llm"),
    "kreuzberg": (kreuzberg_markdown, "kreuzberg"),
    "opendataloader": (opendataloader, "opendataloader_pdf"),
}


# ---------------------------------------------------------------- comparing them
def score(record: dict[str, Any], content: bytes, found: list[Found], title: str) -> tuple[int, int, int]:
    """Return how many headings there are, how many were stated, and how many of those are right."""
    outline = [tuple(entry) for entry in record["toc"]]
    wanted, left_out = truth.truth_of(outline, title, truth.page_letters(content))
    names = {truth.key(text) for _, text, _ in wanted}
    neutral = [truth.key(text) for text in (*left_out, title, *(text for _, text, _ in outline))]
    neutral = [name for name in neutral if name not in names]
    stated = [
        (text, page) for text, page in found if truth.key(text) and truth.key(text) not in truth.UNLISTED
    ]
    free = list(stated)
    right = []
    for _, text, page in wanted:
        for other in free:
            near = other[1] is None or abs(other[1] - page) <= 1
            if near and SequenceMatcher(None, truth.key(text), truth.key(other[0])).ratio() >= 0.85:
                right.append(other)
                free.remove(other)
                break
    wrong = [other for other in free if not truth._named(truth.key(other[0]), neutral)]  # noqa: SLF001
    return len(wanted), len(right) + len(wrong), len(right)


def _processor_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def usable(names: list[str]) -> list[str]:
    """Return the readers that are installed, and print which are not."""
    kept = []
    for name in names:
        module = READERS[name][1]
        if module and importlib.util.find_spec(module) is None:
            print(f"{name}: not installed")
        elif name == "opendataloader" and not shutil.which("java"):
            print(f"{name}: needs Java")
        else:
            kept.append(name)
    return kept


def main() -> int:
    """Print a row for each reader."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--final", action="store_true", help="the 25 papers that nothing was tuned on")
    parser.add_argument("--every", type=int, default=1, help="only each n-th paper")
    parser.add_argument("--readers", default=",".join(READERS), help="names, with commas between")
    arguments = parser.parse_args()
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    names = usable(arguments.readers.split(","))
    lines = (truth.DATA / "pdf/truth/outlines.jsonl").read_text().splitlines()
    records = truth.split([json.loads(line) for line in lines], final=arguments.final)[:: arguments.every]
    totals = {name: [0, 0, 0, 0.0] for name in names}
    pages = 0
    warm = truth.stripped(truth.DATA / "pdf/arxiv" / records[0]["file"])
    for name in names:
        READERS[name][0](warm)
    for record in records:
        content = truth.stripped(truth.DATA / "pdf/arxiv" / record["file"])
        title = read_pdf(content).title
        pages += len(truth.page_letters(content))
        for name in names:
            began = _processor_seconds()
            found = READERS[name][0](content)
            seconds = _processor_seconds() - began
            for at, value in enumerate((*score(record, content, found, title), seconds)):
                totals[name][at] += value
        print(record["file"], totals, file=sys.stderr, flush=True)
    print(f"{len(records)} papers, {pages} pages\n")
    print("| reader | precision | recall | F1 | processor seconds | pages/s |\n|---|---|---|---|---|---|")
    for name, (wanted, stated, right, seconds) in totals.items():
        precision, recall = right / max(stated, 1), right / wanted
        f1 = 2 * precision * recall / max(precision + recall, 1e-9)
        print(
            f"| {name} | {precision:.3f} | {recall:.3f} | {f1:.3f} | {seconds:.1f} | {pages / seconds:.1f} |"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
