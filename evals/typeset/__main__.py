"""Set the sample's papers in thirty-three classes, and in sets of preambles, with the truth as JSON beside each PDF.

    python evals/typeset [--classes article,llncs] [--papers N] [--jobs 2]

Needs Debian's texlive (latex-extra, publishers, fonts-recommended, science, plain-generic, lmodern). The PDFs go to
.cache/typeset/<class>/, outside the repository's history: their texts are other people's. A PDF that is
there is kept; `--again` sets all anew. What is exact and how is in contents.py, variants.py and classes.py; the sets in preambles.py.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from classes import set_paper
from contents import number, paper
from preambles import base, varied
from variants import FINAL, SETS, WORK, Setting, Variant

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("CITEWELL_DATA", ROOT.parent / "shared" / "data"))
OUT = ROOT / ".cache" / "typeset"


def typeset(record: dict[str, Any], place: int, name: str) -> str:
    """Set one paper, the `place`-th, in a class or set; return what went wrong, or an empty string."""
    target = OUT / name / record["paper_id"]
    class_name = base(name, place)
    variant = Variant(class_name, number(f"{class_name} {record['paper_id']}"))
    setting = set_paper(paper(record), class_name)
    varied(setting, name, record["paper_id"], place, variant)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "paper.tex").write_text(setting.tex, encoding="utf-8")
        for _ in range(5 if "{lineno}" in setting.tex else 2):  # sides of numbers settle late
            subprocess.run(
                ["pdflatex", "-interaction=nonstopmode", "-no-shell-escape", "paper.tex"],
                cwd=folder, capture_output=True, timeout=600, check=False,
            )  # fmt: skip
        made = Path(folder) / "paper.pdf"
        log = (Path(folder) / "paper.log").read_text(encoding="latin-1")
        mistakes = re.findall(r"^! .*(?:\n.*){0,4}", log, re.MULTILINE)
        target.parent.mkdir(parents=True, exist_ok=True)
        if not made.exists():
            return f"{target.name} {name}: no PDF; {mistakes[:1]}"
        aux = (Path(folder) / "paper.aux").read_text(encoding="utf-8", errors="replace")
        truth = _truth(setting, aux, variant)
        shutil.copyfile(made, target.with_name(target.name + ".pdf.part"))
    target.with_name(target.name + ".tex").write_text(setting.tex, encoding="utf-8")
    target.with_name(target.name + ".json").write_text(
        json.dumps(truth, ensure_ascii=False, indent=1), encoding="utf-8"
    )
    target.with_name(target.name + ".pdf.part").replace(f"{target}.pdf")
    return f"{target.name} {name}: {len(mistakes)} mistakes; {mistakes[0]}" if mistakes else ""


def _truth(setting: Setting, aux: str, variant: Variant) -> dict[str, Any]:
    """Return the truth; heading numbers and pages come from what TeX wrote down itself."""
    labels = {
        match[1]: (match[2], int(match[3]))
        for match in re.finditer(r"\\newlabel\{(known:\d+)\}\{\{(.*?)\}\{(\d+)\}", aux)
    }
    places = {f"known:{n}": int(page) for n, page in re.findall(r"\\knownplace *\{(\d+)\}\{(\d+)\}", aux)}
    for heading in setting.headings:
        label = str(heading.pop("label"))
        printed, page = labels.get(label, ("", 0))
        printed = re.sub(r"\\M@TitleReference \{(.*?)\}\{.*", r"\1", printed)  # memoir's
        heading["page"] = places.get(label, page)
        heading["number"] = (
            re.sub(r"[{}]|\\[a-zA-Z]+ ?|\\ ", "", printed) if heading.pop("numbered") else None
        )
        if heading["number"] == "":  # a paper's only appendix in jpsj2: the word without a letter
            heading |= {"title": f"Appendix: {heading['title']}", "number": None}
    return {
        "variant": {
            key: getattr(variant, key)
            for key in (
                "hyperref",
                "contents",
                "author_year",
                "alpha",
                "raised",
                "two_columns",
                "chapters",
                "in_parentheses",
                "line_numbers",
            )
        },
        "headings": setting.headings,
        "sentences": setting.sentences,
        "notes": setting.notes,
        "captions": setting.captions,
        "references": setting.references,
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--classes", default=",".join((*WORK, *SETS, *FINAL)))
    parser.add_argument("--papers", type=int, default=49)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--again", action="store_true")
    arguments = parser.parse_args()
    source = DATA / "corpus" / "unarxive_sample" / "arXiv_src_2212_086.jsonl"
    records = [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]
    work = [
        (record, place, name) for place, record in enumerate(records[: arguments.papers])
        for name in arguments.classes.split(",")
        if arguments.again or not (OUT / name / f"{record['paper_id']}.pdf").exists()
    ]  # fmt: skip
    with ThreadPoolExecutor(arguments.jobs) as pool:
        problems = [text for text in pool.map(lambda job: typeset(*job), work) if text]
    print("\n".join(problems))
    print(f"{len(work)} set, {len(problems)} with mistakes")
    return int(any("no PDF" in problem for problem in problems))


if __name__ == "__main__":
    sys.exit(main())
