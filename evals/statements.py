"""Sentences of theorems and proofs that are in passages of their kind, and others that are not.

    python evals/typeset                  # once: sets the papers
    python evals/statements.py [--final] [--show article/2212.11831]

Every sentence of the typeset truth (see reading_truth.py) that is found verbatim in one passage is counted
by the kind that it was set as (running text, an amsthm theorem, lemma, definition or remark, a proof) and
the passage's. Texts whose theorems were no environments of their LaTeX count as running text.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter

import pymupdf
from reading_truth import FINAL, OUT, WORK, literal, pattern

from search.answering.canonical import canonical
from search.documents import read_pdf

_STATED = {"theorem", "definition", "remark"}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--final", action="store_true", help="the three classes that nothing was tuned on")
    parser.add_argument("--show", default="", help="only papers whose name holds this, with what is wrong")
    arguments = parser.parse_args()
    pymupdf.TOOLS.mupdf_display_errors(False)
    counts: Counter[tuple[str, str]] = Counter()
    for name in FINAL if arguments.final else WORK:
        for path in sorted((OUT / name).glob("*.pdf")):
            if arguments.show not in f"{name}/{path.stem}":
                continue
            truth = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
            if not any(sentence["kind"] in {"theorem", "proof"} for sentence in truth["sentences"]):
                continue
            texts = [(passage.kind, canonical(passage.text)) for passage in read_pdf(path).passages]
            for sentence in truth["sentences"]:
                start, finder = literal(sentence["text"]), pattern(sentence["text"])
                kind = next((k for k, text in texts if start in text and finder.search(text)), None)
                if kind is None or len(start) < 25:
                    continue
                found = "theorem" if kind in _STATED else kind
                wanted = "text" if sentence["kind"] == "item" else sentence["kind"]
                counts[wanted, found] += 1
                if arguments.show and wanted != found and {wanted, found} & {"theorem", "proof"}:
                    print(f"{name}/{path.stem} {wanted} read as {found}: {sentence['text'][:130]}")
    for kind in ("theorem", "proof"):
        right = counts[kind, kind]
        set_as = sum(n for (wanted, _), n in counts.items() if wanted == kind)
        read_as = sum(n for (_, found), n in counts.items() if found == kind)
        print(f"{kind:<8} sentences {set_as}, right {right}: recall {right / max(set_as, 1):.3f}, "
              f"precision {right / max(read_as, 1):.3f}")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
