"""Broken and hostile PDFs: what becomes of each, and of a batch that they are part of.

    python evals/broken_pdfs.py [--good 200] [--json]

Each file is made here, byte by byte. First each is read alone and its outcome printed; then those that
cannot be read are put among `--good` sound PDFs (the demo's papers and, where they are, the shared real
ones, again and again) into a lake, and the stage `read` reads them all. Exit status 1 where an outcome is
not the one that the file should have, or a sound PDF was not read.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cached_property
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import pymupdf

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from search.arxiv.records import ArxivRecord  # noqa: E402
from search.demo.papers import own_pdfs  # noqa: E402
from search.documents.reading_pool import ReadingPool  # noqa: E402
from search.errors import CitewellError  # noqa: E402
from search.ingest.read import read  # noqa: E402
from search.lake.batch import Outcome  # noqa: E402
from search.lake.facts import ArxivFact  # noqa: E402
from search.lake.lake import Lake  # noqa: E402
from search.models import ReadPaper  # noqa: E402

DATA = Path(os.environ.get("CITEWELL_DATA", ROOT.parent / "shared" / "data"))
#: Limits for the files that would run on for ever or eat everything; an honest paper needs a tenth.
SECONDS, MEMORY_MB = 20.0, 1024
TEXT = "A sentence that stands on this page and says that everything is well. " * 12


@dataclass
class Broken:
    """One file, and what should become of it: `read`, or the names of errors that fit."""

    name: str
    make: Callable[[], bytes]
    expected: tuple[str, ...]

    @cached_property
    def content(self) -> bytes:
        """The file's bytes, made once: a bomb takes a while."""
        return self.make()


# ---------------------------------------------------------------- making them
def sound(pages: int = 2, **save: Any) -> bytes:
    """Return an ordinary PDF."""
    with closing(pymupdf.open()) as document:
        for number in range(1, pages + 1):
            page = document.new_page()
            page.insert_text((72, 72), f"{number} Section {number}", fontsize=14)
            page.insert_textbox((72, 100, 520, 700), TEXT, fontsize=10)
        content: bytes = document.tobytes(**save)
    return content


def image_only() -> bytes:
    """Return a page that is a picture."""
    with closing(pymupdf.open()) as document:
        page = document.new_page()
        picture = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 200, 200))
        picture.clear_with(180)
        page.insert_image(page.rect, pixmap=picture)
        content: bytes = document.tobytes()
    return content


def assembled(objects: Sequence[bytes]) -> bytes:
    """Return a PDF of these objects, numbered from 1; the first is the catalogue."""
    out = bytearray(b"%PDF-1.7\n")
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for place in places:
        out += b"%010d 00000 n \n" % place
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(out)


CATALOGUE = b"<< /Type /Catalog /Pages 2 0 R >>"
PAGES = b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"


def page_with(content: bytes, *, filters: bytes = b"", resources: bytes = b"/Font << /F 5 0 R >>") -> bytes:
    """Return a one-page PDF with this content stream."""
    page = (
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << " + resources + b" >> >>"
    )
    stream = b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(content), filters, content)
    return assembled([CATALOGUE, PAGES, page, stream, FONT])


def bomb(levels: int, size: int) -> bytes:
    """Return a content stream of some KB that unfolds to `size` bytes through `levels` compressions."""
    packer = zlib.compressobj(9)
    block = b"0 0 m 1 1 l S " * 70_000
    packed = bytearray()
    for _ in range(size // len(block)):
        packed += packer.compress(block)
    content = bytes(packed + packer.flush())
    for _ in range(levels - 1):
        content = zlib.compress(content, 9)
    return page_with(content, filters=b"/Filter [" + b"/FlateDecode " * levels + b"]")


def text_bomb() -> bytes:
    """Return a page of 20 million words, which takes gigabytes once it is read."""
    words = b"BT /F 9 Tf 9 0 0 9 72 700 Tm " + b"(word) Tj 0 0 Td " * 20_000_000 + b" ET"
    return page_with(zlib.compress(words, 9), filters=b"/Filter /FlateDecode")


def nested_array(depth: int) -> bytes:
    """Return a PDF whose page holds arrays in arrays in arrays."""
    page = (
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Deep "
        + b"[" * depth + b"]" * depth + b" >>"
    )  # fmt: skip
    return assembled([CATALOGUE, PAGES, page, b"<< /Length 0 >>\nstream\n\nendstream"])


def nested_page_tree(depth: int) -> bytes:
    """Return a PDF whose tree of pages is a chain."""
    chain = [
        b"<< /Type /Pages /Kids [%d 0 R] /Count 1 %s>>" % (n + 3, b"/Parent %d 0 R " % (n + 1) if n else b"")
        for n in range(depth)
    ]
    page = b"<< /Type /Page /Parent %d 0 R /MediaBox [0 0 612 792] >>" % (depth + 1)
    return assembled([CATALOGUE, *chain, page])


def form_in_itself() -> bytes:
    """Return a page whose form draws itself."""
    page = (
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /XObject << /X 5 0 R >> >> >>"
    )
    form = (
        b"<< /Type /XObject /Subtype /Form /BBox [0 0 1 1] /Resources << /XObject << /X 5 0 R >> >> "
        b"/Length 4 >>\nstream\n/X Do\nendstream"
    )
    return assembled([CATALOGUE, PAGES, page, b"<< /Length 5 >>\nstream\n/X Do\nendstream", form])


def without_cross_references() -> bytes:
    """Return a sound PDF whose table of objects points nowhere: readers rebuild it."""
    content = sound()
    at = content.rindex(b"startxref")
    return content[:at] + b"startxref\n99999999\n%%EOF\n"


def with_rubbish_inside() -> bytes:
    """Return a sound PDF in whose middle 200 bytes were overwritten."""
    content = bytearray(sound(pages=6))
    middle = len(content) // 2
    content[middle : middle + 200] = b"\xff" * 200
    return bytes(content)


def unreadable_files() -> list[Broken]:
    """Return the twenty that cannot be read, each with the reasons that are right for it."""
    damaged, textless = ("DamagedPDF",), ("NoTextInPDF",)
    #: A hostile file may be refused by the parser at once, or stopped by a limit: both are right.
    stopped = ("DamagedPDF", "NoTextInPDF", "ReadingTimeout", "ReadingOverMemory", "ReaderCrashed")
    return [
        Broken("empty file", lambda: b"", damaged),
        Broken("an HTML page", lambda: b"<html><body>Please wait</body></html>" * 40, damaged),
        Broken("a PNG picture", lambda: b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20, damaged),
        Broken("random bytes", lambda: bytes((n * 7919) % 251 for n in range(50_000)), damaged),
        Broken("the header alone", lambda: b"%PDF-1.7\n", damaged),
        Broken("a header, then zeros", lambda: b"%PDF-1.7\n" + bytes(100_000), damaged),
        Broken("cut off in the middle", lambda: (c := sound(40))[: len(c) // 2], damaged),
        Broken("cut off before the last line", lambda: sound(4)[:-200], damaged),
        Broken(
            "encrypted, with a password",
            lambda: sound(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="secret", owner_pw="owner"),
            ("EncryptedPDF",),
        ),
        Broken(
            "encrypted with RC4, with a password",
            lambda: sound(encryption=pymupdf.PDF_ENCRYPT_RC4_128, user_pw="secret", owner_pw="owner"),
            ("EncryptedPDF",),
        ),
        Broken("no page", lambda: assembled([CATALOGUE, b"<< /Type /Pages /Kids [] /Count 0 >>"]), damaged),
        Broken("a page that is a picture", image_only, textless),
        Broken("a page without content", lambda: page_with(b""), textless),
        Broken(
            "pages that contain themselves",
            lambda: assembled([CATALOGUE, b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 >>"]),
            stopped,
        ),
        Broken("a form that draws itself", form_in_itself, stopped),
        Broken("arrays nested 200,000 deep", lambda: nested_array(200_000), stopped),
        Broken("a tree of pages 100,000 deep", lambda: nested_page_tree(100_000), stopped),
        Broken("a bomb of lines: a few KB become 3 GB", lambda: bomb(3, 3 << 30), stopped),
        Broken("a bomb of text: 20 million words", text_bomb, stopped),
        Broken("a page with rubbish for content", lambda: page_with(bytes(range(256)) * 400), stopped),
    ]


def mended_files() -> list[Broken]:
    """Return odd files that can be read all the same, and must be."""
    return [
        Broken("1,000 pages", lambda: sound(1000), ("read",)),
        Broken("no valid table of objects", without_cross_references, ("read",)),
        Broken("200 bytes of rubbish in the middle", with_rubbish_inside, ("read",)),
        Broken(
            "encrypted, to be read by everybody",
            lambda: sound(encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw="owner"),
            ("read",),
        ),
        Broken("rubbish before the header", lambda: b"\n\n  \n" + sound(), ("read",)),
    ]


# ---------------------------------------------------------------- reading them
def alone(files: Sequence[Broken]) -> Iterator[dict[str, Any]]:
    """Yield the outcome of each file, read with nothing beside it."""
    with ReadingPool(1, seconds=SECONDS, memory_mb=MEMORY_MB) as pool:
        for broken in files:
            content = broken.content
            began = time.monotonic()
            try:
                found = pool.read(content)
                outcome, reason = "read", f"{found.quality.pages} pages, {len(found.passages)} passages"
            except CitewellError as error:
                outcome, reason = error.code, error.message
            yield {
                "file": broken.name,
                "bytes": len(content),
                "outcome": outcome,
                "reason": reason,
                "seconds": round(time.monotonic() - began, 2),
                "right": outcome in broken.expected,
            }


def sound_files(count: int) -> Iterator[bytes]:
    """Yield so many PDFs that can be read."""
    real = sorted((DATA / "pdf" / "arxiv").glob("*.pdf"))
    ours: list[Callable[[], bytes]] = [lambda content=content: content for content in own_pdfs().values()]  # type: ignore[misc]
    for load in islice(cycle([*ours, *(path.read_bytes for path in real)]), count):
        yield load()


def batch(good: int, bad: Sequence[Broken]) -> dict[str, Any]:
    """Return what the stage `read` made of both kinds in one lake."""
    with tempfile.TemporaryDirectory(prefix="citewell-broken-") as folder:
        lake = Lake(str(Path(folder) / "lake"), Path(folder))
        every = max(1, good // len(bad))
        contents: dict[str, bytes] = {}
        files = sound_files(good)
        for number in range(good):
            contents[f"2401.{number:05d}"] = next(files)
            if number % every == 0 and number // every < len(bad):
                contents[f"2402.{number // every:05d}"] = bad[number // every].content
        lake.write_facts([_fact(work_id) for work_id in contents])
        lines = [lake.write_pdf(work_id, 1, content) for work_id, content in contents.items()]
        lake.write_fetched(lines, [Outcome(work_id, 1) for work_id in contents])
        began = time.monotonic()
        report = read(lake, readers=lambda: ReadingPool(seconds=SECONDS, memory_mb=MEMORY_MB))
        seconds = time.monotonic() - began
        failed = {f.work_id: f"{f.error}: {f.message}" for f in report.failed}
        states = list(lake.catalogue.states(contents))
        read_well = sum(
            isinstance(lake.catalogue.paper(state.paper), ReadPaper) for state in states if state.paper
        )
    return {
        "good": good,
        "good_read": read_well,
        "bad": len(bad),
        "reasons": [failed.get(f"2402.{n:05d}", "") for n in range(len(bad))],
        "good_failed": {name: why for name, why in failed.items() if name.startswith("2401")},
        "seconds": round(seconds, 1),
    }


def _fact(work_id: str) -> ArxivFact:
    now = datetime.now(UTC)
    record = ArxivRecord(work_id=work_id, format="arXivRaw", title=f"Paper {work_id}", abstract="None.")
    return ArxivFact(work_id=work_id, version=1, datestamp=date(2024, 1, 1), response_date=now, record=record)


def main() -> None:
    """Print both tables; exit 1 where something is not as it should be."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--good", type=int, default=200)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    bad = unreadable_files()
    rows = list(alone([*bad, *mended_files()]))
    together = batch(arguments.good, bad)
    if arguments.json:
        print(json.dumps({"files": rows, "batch": together}))
    else:
        for row in rows:
            print(f"{'' if row['right'] else 'WRONG '}{row['file']} ({row['bytes']:,} bytes)")
            print(f"    {row['outcome']}, {row['seconds']} s: {row['reason']}")
        print(json.dumps({k: v for k, v in together.items() if k != "reasons"}, indent=1))
    whole = together["good_read"] == together["good"] and all(together["reasons"])
    sys.exit(0 if whole and all(row["right"] for row in rows) else 1)


if __name__ == "__main__":
    main()
