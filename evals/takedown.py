"""Take a paper down, then look for it in every byte of the home: nothing may be left of it.

    python evals/takedown.py [--index-url URL] [--sentences 20] [--work ID] [--home DIR] [--json]

The demo's library is made (ten papers read in full, and abstracts), a reader's traces and a killed writer's
left-over are put beside it, and an older index generation is kept. Twenty sentences of the most cited own
paper, its title and its vectors are then looked for before and after `remove --tombstone`: in each file as it
is, unpacked (gzip), in the text of SQLite databases, and in what the index's own engine still returns from
every generation. On Elasticsearch also in all indices of the prefix, and in the server's files on disk,
where they are on this machine. Compressed blocks hide text from a byte search: so each sentence is looked
for by its rarest word too, which dictionaries of terms hold as it is.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import shutil
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from search.demo.run import demo  # noqa: E402
from search.documents.sentences import sentences  # noqa: E402
from search.library import Library  # noqa: E402
from search.models import ReadPaper  # noqa: E402
from search.settings import read_settings  # noqa: E402

#: Letters of a sentence that are looked for: a line may end after them, or a ligature come.
LETTERS = 60


def victim(library: Library) -> str:
    """Return the own paper with most passages."""
    held = [work.work_id for work in library.list() if work.holds == "full text"]
    return max(held, key=lambda work_id: library.info(work_id).passages)


def of_others(library: Library, work_id: str) -> str:
    """Return all that other papers hold, their references too: what they say of this paper is theirs."""
    found = [json.dumps(ReadPaper.model_json_schema())]  # field names are nobody's words
    for work in library.list():
        if work.work_id != work_id:
            info = library.info(work.work_id)
            found += [p.text for p in library.store.passages_of(work.work_id)]
            found += [reference.raw for reference in info.references]
            found += [info.work.model_dump_json(), " ".join(section.title for section in info.sections)]
    return "\n".join(found)


def chosen_sentences(library: Library, work_id: str, others: str, count: int) -> list[str]:
    """Return sentences from all over a paper that stand in no other one."""
    each = [
        p.text[a:b]
        for p in library.store.passages_of(work_id)
        for a, b in sentences(p.text)
        if b - a >= LETTERS
        and p.text[a : a + LETTERS] not in others
        # JSON would write these otherwise.
        and not any(c in '"\\\n\t' for c in p.text[a : a + LETTERS])
    ]
    found = list({text[:LETTERS]: text for text in each}.values())  # passages overlap
    step = max(1, len(found) // count)
    return found[::step][:count]


def rare_words(library: Library, work_id: str, others: str) -> list[str]:
    """Return words of seven letters or more that no other paper holds."""
    own = " ".join(p.text for p in library.store.passages_of(work_id)).lower()
    return [word for word in dict.fromkeys(re.findall(r"[a-z]{7,}", own)) if word not in others.lower()]


# ---------------------------------------------------------------- looking
def contents(root: Path) -> Iterator[tuple[str, bytes]]:
    """Yield every file under a folder: as it is, unpacked, and the text of a database."""
    for path in sorted(root.rglob("*")):
        if not path.is_file():
            continue
        name = str(path.relative_to(root))
        content = path.read_bytes()
        yield name, content
        if content[:2] == b"\x1f\x8b":
            yield f"{name} (unpacked)", gzip.decompress(content)
        if content[:15] == b"SQLite format 3":
            yield f"{name} (rows)", dumped(path)
        if content[:5] == b"%PDF-":
            yield f"{name} (text)", pdf_text(content)


def dumped(path: Path) -> bytes:
    """Return every value of every table of a database."""
    with tempfile.TemporaryDirectory() as folder:
        for suffix in ("", "-wal", "-shm"):
            if Path(f"{path}{suffix}").exists():
                shutil.copy(f"{path}{suffix}", folder)
        db = sqlite3.connect(Path(folder, path.name))
        rows = []
        for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            rows += [repr(row).encode() for row in db.execute(f"SELECT * FROM {table}")]
        db.close()
    return b"\n".join(rows)


def pdf_text(content: bytes) -> bytes:
    """Return a PDF's text as the reader takes it, on one line."""
    from search.documents import read_pdf

    paper = read_pdf(content)
    return " ".join(passage.text for passage in paper.passages).encode()


def stored(library: Library) -> bytes:
    """Return what the engine still returns from every generation, old and unfinished ones too."""
    found = []
    for generation in library.store.generations():
        view = library.store.at(generation.name)
        for work in view.contents():
            found.append(work.model_dump_json().encode())
            found += [p.model_dump_json().encode() for p in view.passages_of(work.work_id)]
    return b"\n".join(found)


def elastic_indices(library: Library, url: str) -> bytes:
    """Return every document of every index of the prefix, as the server has it."""
    from elasticsearch import Elasticsearch
    from elasticsearch.helpers import scan

    client = Elasticsearch(url)
    client.indices.refresh(index=f"{library.settings.index_prefix}-*")
    hits = scan(client, index=f"{library.settings.index_prefix}-*", query={"query": {"match_all": {}}})
    found = b"\n".join(json.dumps(hit["_source"], ensure_ascii=False).encode() for hit in hits)
    client.close()
    return found


def data_folders(url: str) -> list[Path]:
    """Return the server's data folders, where they can be read from here."""
    from elasticsearch import Elasticsearch

    client = Elasticsearch(url)
    paths: list[str] = []
    for node in client.nodes.info()["nodes"].values():
        path = node["settings"]["path"]["data"]
        paths += [path] if isinstance(path, str) else path
    client.close()
    return [Path(path) for path in paths if Path(path).is_dir()]


class Searched:
    """What is looked for, and where it was found."""

    def __init__(self, needles: dict[str, list[bytes]]) -> None:
        self.needles = needles
        #: The places where anything was found, and what.
        self.last: dict[str, list[str]] = {}

    def count(self, sources: Iterator[tuple[str, bytes]]) -> dict[str, int]:
        """Return how many needles of each kind were found, and in how many files any was."""
        found: dict[str, set[bytes]] = {kind: set() for kind in self.needles}
        files: set[str] = set()
        for name, content in sources:
            for kind, needles in self.needles.items():
                here = {needle for needle in needles if needle in content}
                found[kind] |= here
                if here:
                    files.add(name)
        hits = sorted(repr(hit) for kind, all_ in found.items() if kind != "vectors" for hit in all_)
        self.last.update(dict.fromkeys(sorted(files), hits))
        return {**{kind: len(hits) for kind, hits in found.items()}, "places": len(files)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--index-url", default="embedded")
    parser.add_argument("--sentences", type=int, default=20)
    parser.add_argument("--work", default="")
    parser.add_argument("--home", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="citewell-takedown-"))
    try:
        report = measure(options, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(json.dumps(report, indent=2) if options.json else table(report))
    return 0 if not report["found_after"]["all"] else 1


def measure(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Make the library, take the paper down, and count what is found before and after."""
    home, prefix = folder / "home", f"takedown-{uuid4().hex[:8]}"
    settings = read_settings(home=home, index_url=options.index_url, index_prefix=prefix)
    if options.home:
        shutil.copytree(options.home, home)
    else:
        demo(settings)
    settings = read_settings(home=home / "demo", index_url=options.index_url, index_prefix=f"{prefix}-demo")
    with Library(settings) as library:
        library.rebuild()  # the first generation is kept as the one to go back to
        work_id = options.work or victim(library)
        others = of_others(library, work_id)
        chosen = chosen_sentences(library, work_id, others, options.sentences)
        vectors = library.store.vectors_of(work_id)
        work = library.info(work_id).work
        needles = {
            "sentences": [s[:LETTERS].encode() for s in chosen],
            "title": [] if work.title in others else [work.title.encode()],
            "words": [word.encode() for word in rare_words(library, work_id, others)],
            "vectors": list({row.tobytes() for row in vectors}) if vectors is not None else [],
        }
        answer = library.ask(f"What does the paper say: {chosen[0]}")
        beside(settings.home, work_id, answer.model_dump_json(), chosen)
        searched = Searched(needles)
        found_before = look(library, options.index_url, searched)
        began = time.monotonic()
        report = library.take_down(work_id)
        seconds = time.monotonic() - began
    # A new library, so that nothing comes from what this one has in memory.
    with Library(settings) as library:
        searched.last.clear()
        found_after = look(library, options.index_url, searched)
        sound = library.check().differences
        if options.index_url != "embedded":
            library.store.destroy()
    everything = sum(
        count for where in found_after.values() for kind, count in where.items() if kind != "places"
    )
    return {
        "work": work_id,
        "store": "embedded" if options.index_url == "embedded" else "Elasticsearch",
        "looked_for": {kind: len(values) for kind, values in needles.items()},
        "found_before": found_before,
        "found_after": {**found_after, "all": everything},
        "seconds": round(seconds, 2),
        "rewritten": len(report.rewritten),
        "deleted": len(report.deleted),
        "generations": len(report.generations),
        "to_embed_again": report.to_embed_again,
        "left": list(report.left),
        "still_found": searched.last,
        "differences": [f"{d.work_id}: {d.kind}" for d in sound],
    }


def beside(home: Path, work_id: str, answer: str, chosen: list[str]) -> None:
    """Put what else a home may hold: an answer's trace, an export, what a killed writer left."""
    for name, text in {
        "traces/one.json": answer,
        "exports/refs.bib": f"@misc{{x, eprint={{{work_id}}}}}",
        "lake/papers/2026-01/.0123.part": json.dumps({"work_id": work_id, "text": chosen}),
    }.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def look(library: Library, url: str, searched: Searched) -> dict[str, dict[str, int]]:
    """Look everywhere."""
    found = {
        "files of the home": searched.count(contents(library.settings.home)),
        "what the engine returns": searched.count(iter([("engine", stored(library))])),
    }
    if url != "embedded":
        found["all indices"] = searched.count(iter([("indices", elastic_indices(library, url))]))
        folders = data_folders(url)
        if folders:
            found["the server's files"] = searched.count(x for f in folders for x in contents(f))
    return found


def table(report: dict[str, Any]) -> str:
    """Return the counts as a table for people."""
    kinds = list(report["looked_for"])
    lines = [
        f"{report['work']} on {report['store']}: "
        + ", ".join(f"{count} {kind}" for kind, count in report["looked_for"].items()),
        "",
        f"| where | {' | '.join(f'{kind}: before → after' for kind in kinds)} |",
        f"|---|{'---|' * len(kinds)}",
    ]
    for where, before in report["found_before"].items():
        after = report["found_after"][where]
        cells = " | ".join(f"{before[kind]} → {after[kind]}" for kind in kinds)
        lines.append(f"| {where} | {cells} |")
    lines += [
        "",
        (
            f"{report['seconds']} s; {report['rewritten']} files written anew, {report['deleted']} deleted, "
            f"{report['generations']} generations cleared; {report['to_embed_again']} papers to embed again"
        ),
        *(f"still found: {name}: {', '.join(hits)}" for name, hits in report["still_found"].items()),
        *(f"left: {text}" for text in report["left"]),
        *(f"index differs: {text}" for text in report["differences"]),
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
