"""How much of what was typeset is read as it is: headings, sentences, exponents, references.

    python evals/typeset                      # once: sets the papers
    python evals/reading_truth.py             # the classes for work
    python evals/reading_truth.py --final     # three others; once, before anything is done for them
    python evals/reading_truth.py --show article/2212.11831
    python evals/reading_truth.py --untold    # do passages keep to sections whose headings are missed?

What is counted. Headings: levels 1 to 3, same title (letters and digits, ratio 0.85), page off by at most
one; References, Abstract, Contents and Acknowledgements are left out on both sides; run-in paragraph
headings (level 4) count for nothing. Sentences: found verbatim in the canonical form in one passage, a
citation mark printed in any form of up to 120 characters (30 for each of more than four names), three-row
displays in any form; in order: those on the longest run of growing places, of which one can stand in
several. Captions: in any case. Citations: the entries that each passage cites,
against the keys of the citation commands in its sentences. Kinds: sentences of theorems, definitions,
remarks and proofs that stand in a passage of that kind. arXiv ids: all that an entry prints. Scripts: each
exponent or index put into the text, with up to 12 characters on both sides. `--stripped` takes bookmarks,
named destinations and links out of the PDFs first. `--untold` makes the reader miss every heading but the
first and the list's, and cut no title from the text it runs into: what is left is whether a passage ends
where a section does though nothing says so.

One paper, 2212.11739, is left out: its body is one line of TeX's options. All classes for work but the first
three were scored before anything was done for them, three at a time, in the order in which
typeset/variants.py names them; those first figures are in results.md.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import pymupdf
from headings import UNLISTED, key, stripped

from search.answering.canonical import canonical
from search.documents import read_pdf, reading
from search.documents.levels import Heading
from search.documents.lines import TextLine
from search.models import Passage, ReadPaper

sys.path.insert(0, str(Path(__file__).parent / "typeset"))
from variants import FINAL, WORK

OUT = Path(__file__).resolve().parents[1] / ".cache" / "typeset"

_CITATION, _ROWS, _EQUATION_NUMBER = "\ue000", "\ue003", "\ue004"
_WILD = {
    _CITATION: r"\s*.{0,120}?\s*",
    _ROWS: r"\s*.{0,200}?\s*",
    _EQUATION_NUMBER: r"\s*\((?:[A-Z]|\d+)?\.?\d+\)\s*",
}
_FURNITURE = re.compile(
    r"(?<!\()A\. ?Tester|On what is known|Preprint submitted to|Accepted in \S*Quantum"
    r"|Preprint typeset using|Annals of Mathematics (?:00|196) \((?:XXXX|2022)"
    r"|(?:E[JC]P|Probab\.)\s*27\s*\(2022\), (?:paper|article no\.) 13|Page \d+/\d+|imstat\.org/e[jc]p"
    r"|Journal of Known Texts"
    r"|Ada Tester(?:,| and) Ben Sample|Tester and Sample|Lecture Notes in Informatics|Reader et al\. \(Hrsg"
    r"|Isr\. J\. Math|Israel Journal of Mathematics \d|Vol\. \d+, 20\d\d|Full Paper|Typeset with jpsj2"
    r"|Printed in the Netherlands|paper\.tex; \d|12th ACM Conference on Tests|TEST 2002|Permission to make digital|copies bear this"
    r"|ACM 1-58113-000|This preprint was prepared with AGU|extension package .AGU|by P\. ?W\. Daly, version"
    r"|Submitted to J\. Geophys\. Res\., 2002"
    r"|Advance Access Publication|Published by Oxford University|For Publisher Only|/known/abc",
    re.IGNORECASE,
)
#: So many names and years fit into a mark of usual length; of more each takes so many characters.
_FEW, _A_NAME = 4, 30

#: Sentences of a body; one of the 49 papers has a line of TeX's options instead.
_SHORTEST = 2

Score = Counter[str]


def pattern(text: str, cites: Sequence[Sequence[str]] = ()) -> re.Pattern[str]:
    """Return what finds a sentence in a passage's canonical text; `cites` are the keys of its marks."""
    parts = re.split(f"([{_CITATION}{_ROWS}{_EQUATION_NUMBER}])", canonical(text))
    written = "".join(_WILD.get(part) or re.escape(part.strip()) for part in parts if part.strip())
    most = max(map(len, cites), default=1)
    if most > _FEW:  # "Sirunyan (2000a,b); Aad (2000a); …"
        written = written.replace(_WILD[_CITATION], rf"\s*.{{0,{_A_NAME * most}}}?\s*")
    # Some fonts leave a gap before or after a slanted f, or between two letters of an index.
    written = written.replace(r"f\(x\)", r"\s?f\s?\(x\)").replace("ij", r"i\s?j")
    return re.compile(written, re.DOTALL)


def literal(text: str) -> str:
    """Return the longest stretch of a sentence that holds no wild card: a cheap test."""
    return max(
        re.split(f"[{_CITATION}{_ROWS}{_EQUATION_NUMBER}]|f\\(x\\)|ij", canonical(text)), key=len
    ).strip()


def score_paper(truth: dict[str, Any], paper: ReadPaper, show: bool) -> Score:
    score: Score = Counter()
    _score_headings(truth, paper, score, show)
    texts = [(passage, canonical(passage.text)) for passage in paper.passages]
    placed = _score_sentences(truth, texts, score, show)
    _score_kinds(placed, texts, score, show)
    for name, kind in (("notes", "footnote"), ("captions", "caption")):
        of_kind = [text for passage, text in texts if passage.kind == kind]
        for text in truth[name]:
            score[f"{name}"] += 1
            # Small capitals that a font does not have are capitals in the file.
            found = any(canonical(text).casefold() in other.casefold() for other in of_kind)
            score[f"{name} found"] += found
            if show and not found:
                print(f"   {kind} not found:", text[:150])
    for passage, text in texts:
        score["passages"] += 1
        stamp = re.search(r"arXiv:\s?2212\.\d{5}v1\s+\[", passage.text)
        if stamp or _FURNITURE.search(text):
            score["furniture"] += 1
            if show:
                print("   furniture:", passage.text[:200])
    _score_citations(placed, _score_references(truth, paper, score, show), texts, score, show)
    return score


def _score_headings(truth: dict[str, Any], paper: ReadPaper, score: Score, show: bool) -> None:
    # What was typeset says whether keywords stand below a heading; real outlines do not.
    left_out = UNLISTED - {"keywords"}
    wanted = [h for h in truth["headings"] if key(h["title"]) and key(h["title"]) not in left_out]
    free = [s for s in paper.sections if key(s.title) not in left_out]
    for heading in wanted:
        counted = heading["level"] <= 3
        score["headings"] += counted
        match = next(
            (s for s in free if abs(s.page - heading["page"]) <= 1 and _same(heading["title"], s.title)), None
        )
        if match is None:
            if show and counted:
                print("   heading missed:", heading)
            continue
        free.remove(match)
        if counted:
            score["headings right"] += 1
            score["headings found"] += 1
            score["levels right"] += match.level == heading["level"]
            score["numbers right"] += _last(match.number) == _last(heading["number"])
            if show and match.level != heading["level"]:
                print("   level", match.level, "for", heading)
    score["headings found"] += len(free)
    if show:
        for section in free:
            print("   heading invented:", section.page, section.level, section.number, section.title[:90])


def _same(title: str, other: str) -> bool:
    a, b = key("1 " + title), key("1 " + other)
    return a == b or SequenceMatcher(None, a, b).ratio() >= 0.85


def _last(number: str | None) -> str:
    """Return the last part of a number: II-A is printed A."""
    return re.split(r"[.,\\-]+", number.strip("."))[-1].strip(")") if number else ""


def _score_sentences(  # noqa: C901, PLR0912
    truth: dict[str, Any], texts: list[tuple[Passage, str]], score: Score, show: bool
) -> list[tuple[dict[str, Any], list[int]]]:
    """Score where sentences stand; return each one with the passages that hold it."""
    found: list[tuple[dict[str, Any], list[int]]] = []
    level = {i: h["level"] for i, h in enumerate(truth["headings"])}
    owner = -1
    owners = {-1: -1}
    for index in range(len(truth["headings"])):
        owner = index if level[index] <= 3 else owner
        owners[index] = owner
    counts = Counter(sentence["text"] for sentence in truth["sentences"])
    places: list[list[tuple[int, int]]] = []
    inside: dict[int, set[int]] = {}
    everything = "\n".join(text for _, text in texts)
    for sentence in truth["sentences"]:
        text = sentence["text"]
        if sum(map(str.isalpha, text)) < 15:
            found.append((sentence, []))
            continue
        start, finder = literal(text), pattern(text, sentence["cites"])
        hits = [
            (index, match.end()) for index, (_, other) in enumerate(texts)
            if start in other for match in finder.finditer(other)
        ]  # fmt: skip
        places.append(hits)
        score["sentences"] += 1
        # Passages of one text overlap; the same words in two places are told apart by nothing.
        held_by = sorted({index for index, _ in hits})
        together = hits and held_by[-1] - held_by[0] < len(held_by)
        together = together and len({texts[index][0].section for index in held_by}) == 1
        found.append((sentence, held_by if together else []))
        if not hits:
            if show:
                print(f"   sentence ({sentence['kind']}) not found:", text[:1000].replace("\ue000", "[c]"))
                print("       read:", _nearest(finder.pattern, texts))
        elif counts[text] == 1 and len(text) > 40 and together:
            for index in held_by:
                inside.setdefault(index, set()).add(owners[sentence["heading"]])
        for script in sentence["scripts"]:
            at = text.find(script)
            near = text[max(0, at - 12) : at + len(script) + 12]
            near = re.sub(f"^.*?[{_CITATION}{_ROWS}{_EQUATION_NUMBER}](?=.*{re.escape(script)})", "", near)
            near = re.split(f"[{_CITATION}{_ROWS}{_EQUATION_NUMBER}]", near)[0]
            # The canonical form leaves out hyphens between letters, and half of that one is cut off.
            near = near.strip("-")
            score["scripts"] += 1
            right = canonical(near) in everything or pattern(near.strip()).search(everything) is not None
            score["scripts right"] += right
            if show and not right:
                print("   script:", near)
    in_order = longest_growing(places)
    if show:
        _show_disorder(places, in_order, texts)
    score["sentences found"] += sum(map(bool, places))
    score["sentences right"] += len(in_order)
    score["crossing"] += sum(len(sections) > 1 for sections in inside.values())
    if show:
        for index, sections in inside.items():
            if len(sections) > 1:
                print("   crossing:", index, sections, texts[index][0].section, texts[index][0].text[:100])
    return found


def _show_disorder(
    places: Sequence[Sequence[tuple[int, int]]],
    in_order: Mapping[int, tuple[int, int]],
    texts: list[tuple[Passage, str]],
) -> None:
    before = (-1, 0)
    for number, hits in enumerate(places):
        before = in_order.get(number, before)
        if hits and number not in in_order:
            index, end = hits[0]
            passage, text = texts[index]
            print(f"   out of order: after {before}, {hits} {passage.kind} {text[max(0, end - 90) : end]!r}")


def _nearest(wanted: str, texts: list[tuple[Passage, str]]) -> str:
    """Return what stands where most of the pattern's words stand."""
    words = re.findall(r"[^\W\d_]{5,}", wanted)
    passage, text = max(texts, key=lambda pair: sum(word in pair[1] for word in words))
    at = min((text.find(word) for word in words[:6] if word in text), default=0)
    return f"{passage.ordinal} {passage.kind} …{text[max(0, at - 30) : at + len(wanted)]!r}"


def longest_growing(places: Sequence[Sequence[tuple[int, int]]]) -> dict[int, tuple[int, int]]:
    """Return the longest run of growing places, by sentence; of what stands in several, one place is enough.

    The same words can stand twice in a text, and passages overlap.
    """
    tails: list[tuple[int, int]] = []
    ends: list[tuple[int, tuple[int, int]]] = []
    before: dict[tuple[int, tuple[int, int]], tuple[int, tuple[int, int]] | None] = {}
    for number, hits in enumerate(places):
        for place in sorted(hits, reverse=True):
            at = bisect_left(tails, place)
            before[number, place] = ends[at - 1] if at else None
            tails[at : at + 1] = [place]
            ends[at : at + 1] = [(number, place)]
    run: dict[int, tuple[int, int]] = {}
    step = ends[-1] if ends else None
    while step:
        run[step[0]] = step[1]
        step = before[step]
    return run


#: amsthm's environments as kinds of passages; other sentences are in neither.
_KINDS = {
    **dict.fromkeys(("theorem", "lemma", "proposition", "corollary"), "theorem"),
    **dict.fromkeys(("remark", "example"), "remark"),
    "definition": "definition",
    "proof": "proof",
}


_SPELLED = re.compile(
    r"Proof\b[.:]?|(?:Theorem|Lemma|Proposition|Corollary|Definition|Remark)\s[\d.]+\s+[A-Z]"
)


def _score_kinds(
    found: Sequence[tuple[dict[str, Any], list[int]]],
    texts: Sequence[tuple[Passage, str]],
    score: Score,
    show: bool,
) -> None:
    """Score theorems, definitions, remarks and proofs, by sentence.

    Papers are left out whose sources spell some of them as plain text: what those are, nothing says.
    """
    if any(
        sentence["kind"] in ("text", "item") and _SPELLED.match(sentence["text"]) for sentence, _ in found
    ):
        return
    for sentence, indices in found:
        if not indices:
            continue
        wanted = _KINDS.get(sentence["kind"], "")
        read = texts[indices[0]][0].kind
        read = read if read in _KINDS.values() else ""
        score["kinds wanted"] += bool(wanted)
        score["kinds found"] += bool(read)
        score["kinds right"] += bool(wanted) and wanted == read
        if show and wanted != read:
            print(f"   kind: {read or 'none'} for {wanted or 'none'}: {sentence['text'][:90]}")


def _score_citations(
    found: Sequence[tuple[dict[str, Any], list[int]]],
    ordinals: Mapping[str, int],
    texts: Sequence[tuple[Passage, str]],
    score: Score,
    show: bool,
) -> None:
    """Score which entries each passage cites, as (passage, entry).

    Of a sentence that stands in several passages (they overlap), one has to have its citations, and all may.
    A sentence that was found in no passage or in places that nothing tells apart has to have its citations
    in any passage that nothing else explains.
    """
    read = {(index, ordinal) for index, (passage, _) in enumerate(texts) for ordinal in passage.cites}
    explained: set[tuple[int, int]] = set()
    loose: list[int] = []
    for sentence, indices in found:
        for cited in dict.fromkeys(cited for mark in sentence["cites"] for cited in mark):
            ordinal = ordinals.get(cited, 0)
            if not indices:
                loose.append(ordinal)
                continue
            pairs = {(index, ordinal) for index in indices}
            explained |= pairs
            score["citations"] += 1
            score["citations right"] += bool(pairs & read)
            if show and not pairs & read:
                print(f"   citation missed: {cited} ({ordinal}) in {sentence['text'][:150]!r}")
    rest = read - explained
    for ordinal in loose:
        pair = next((pair for pair in sorted(rest) if pair[1] == ordinal), None)
        rest.discard(pair) if pair else None
        score["citations"] += 1
        score["citations right"] += pair is not None
    score["citations found"] += len(read)
    score["citations wrong"] += len(rest)
    if show:
        for index, ordinal in sorted(rest):
            print(f"   citation invented: {ordinal} in {texts[index][0].text[:1500]!r}")


#: An arXiv id in any form that lists print it in. In the 49 papers this and the reader differ nowhere.
_PRINTED_ID = re.compile(
    r"(?:(?<=abs/)|(?<=pdf/)|(?<=org/)|(?<=arxiv\.)|(?<![\w./-]))(?P<new>\d\d(?:0[1-9]|1[0-2])\.\d{4,5})(?!\d)"
    r"|(?<!\w)(?P<archive>acc-phys|alg-geom|astro-ph|cmp-lg|cond-mat|cs|dg-ga|funct-an|gr-qc|hep-(?:ex|lat|ph|th)"
    r"|math(?:-ph)?|nlin|nucl-(?:ex|th)|patt-sol|physics|q-alg|q-bio|quant-ph|solv-int)(?:\.[A-Z]{2})?/"
    r"(?P<old>\d{7})(?!\d)",
    re.IGNORECASE,
)


def printed_ids(raw: str) -> set[str]:
    """Return the arXiv ids that an entry prints, without version and subject class."""
    return {m["new"] or f"{m['archive'].casefold()}/{m['old']}" for m in _PRINTED_ID.finditer(raw)}


def _score_references(truth: dict[str, Any], paper: ReadPaper, score: Score, show: bool) -> dict[str, int]:
    """Score the reference list; return the read entries' ordinals by the true ones' keys."""
    ordinals: dict[str, int] = {}
    free = {index: (alnum(r.raw), r) for index, r in enumerate(paper.references)}
    score["references"] += len(truth["references"])
    score["references found"] += len(free)
    for entry in truth["references"]:
        wanted = alnum(entry["raw"])
        match = next((i for i, (text, _) in free.items() if _same_entry(wanted, text)), None)
        printed = printed_ids(entry["raw"])
        score["arxiv wanted"] += len(printed)
        score["doi wanted"] += bool(entry["doi"])
        if match is None:
            if show:
                print("   reference missed:", entry["label"], entry["raw"][:120])
            continue
        _, reference = free.pop(match)
        score["references right"] += 1
        ordinals[entry["key"]] = reference.ordinal
        score["labels right"] += (reference.label or "") == entry["label"]
        more = {name.removeprefix("arxiv:") for name in reference.more if name.startswith("arxiv:")}
        ids = more | ({reference.arxiv_id} if reference.arxiv_id else set())
        score["arxiv found"] += len(ids)
        score["arxiv right"] += len(ids & printed)
        if show and ids != printed:
            print(f"   arxiv: {ids} for {printed} in {entry['raw'][-100:]}")
        if reference.doi:
            score["doi found"] += 1
            score["doi right"] += reference.doi.casefold() == entry["doi"].casefold()
            if show and reference.doi.casefold() != entry["doi"].casefold():
                print(f"   doi: {reference.doi} for {entry['doi']!r} in {entry['raw'][-100:]}")
    if show:
        for _, reference in free.values():
            print("   reference invented:", reference.raw[:120])
    return ordinals


def alnum(text: str) -> str:
    return "".join(c for c in canonical(text).casefold() if c.isalnum() and c.isascii())


def _same_entry(wanted: str, found: str) -> bool:
    if found.endswith(wanted) and len(found) - len(wanted) <= 25:
        return True
    if abs(len(wanted) - len(found)) > 0.2 * len(wanted) + 25:
        return False
    return wanted[:12] in found[:60] and SequenceMatcher(None, wanted, found, autojunk=False).ratio() > 0.9


def report(name: str, s: Score) -> None:
    def share(part: str, whole: str) -> str:
        return f"{s[part] / s[whole]:.4f}" if s[whole] else "-"

    f1 = 2 * s["headings right"] / max(s["headings"] + s["headings found"], 1)
    precision = 1 - s["citations wrong"] / max(s["citations found"], 1)
    recall = s["citations right"] / max(s["citations"], 1)
    entries = 2 * s["references right"] / max(s["references"] + s["references found"], 1)
    print(
        f"{name:<12} headings F1 {f1:.4f} (n {s['headings']})  levels {share('levels right', 'headings right')}"
        f"  numbers {share('numbers right', 'headings right')}  sentences {share('sentences found', 'sentences')}"
        f"  in order {share('sentences right', 'sentences')} (n {s['sentences']})"
        f"  scripts {share('scripts right', 'scripts')} (n {s['scripts']})\n{'':<12}"
        f" notes {share('notes found', 'notes')}  captions {share('captions found', 'captions')}"
        f"  crossing {s['crossing']}  furniture {s['furniture']} of {s['passages']} passages"
        f"  references F1 {entries:.4f} (n {s['references']})  labels {share('labels right', 'references right')}"
        f"  arXiv P {share('arxiv right', 'arxiv found')} R {share('arxiv right', 'arxiv wanted')}"
        f"  DOI P {share('doi right', 'doi found')} R {share('doi right', 'doi wanted')}\n{'':<12}"
        f" citations P {precision:.4f} R {recall:.4f} F1 {_f1(precision, recall):.4f} (n {s['citations']})"
        f"  theorems and proofs P {share('kinds right', 'kinds found')} R {share('kinds right', 'kinds wanted')}"
        f" (n {s['kinds wanted']})"
    )


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / max(precision + recall, 1e-9)


def miss_headings() -> None:
    """Make the reader miss all headings but the first and those of lists of references."""
    find = reading.find_headings

    def first_and_lists(lines: Sequence[TextLine], *rest: Any) -> list[Heading]:
        found = find(lines, *rest)
        return [h for at, h in enumerate(found) if at == 0 or reading.has_list(lines, [h])]

    reading.find_headings = first_and_lists
    reading.split_run_in = lambda lines, _: list(lines)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--final", action="store_true")
    parser.add_argument("--classes", default="")
    parser.add_argument("--stripped", action="store_true")
    parser.add_argument("--untold", action="store_true")
    parser.add_argument("--show", default="", help="class/paper: print what was not right")
    parser.add_argument("--each", action="store_true", help="a line for each paper with a mistake")
    arguments = parser.parse_args()
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    if arguments.final and not FINAL:
        parser.error("all classes have been looked at; set three others and name them in typeset/variants.py")
    names = FINAL[:3] if arguments.final else WORK
    if arguments.classes:
        names = tuple(arguments.classes.split(","))
    if arguments.untold:
        miss_headings()
    total: Score = Counter()
    pages, seconds = 0, 0.0
    for name in names:
        score: Score = Counter()
        for path in sorted((OUT / name).glob("*.pdf")):
            label = f"{name}/{path.name.removesuffix('.pdf')}"
            if arguments.show and arguments.show not in label:
                continue
            truth = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
            if sum(sentence["kind"] != "abstract" for sentence in truth["sentences"]) < _SHORTEST:
                continue
            content = stripped(path) if arguments.stripped else path.read_bytes()
            start = time.perf_counter()
            paper = read_pdf(content)
            seconds += time.perf_counter() - start
            pages += paper.quality.pages
            if arguments.show:
                print(label, truth["variant"])
            own = score_paper(truth, paper, bool(arguments.show))
            if arguments.each:
                report(label[:24], own)
            score += own
        report(name, score)
        total += score
    report("all", total)
    print(f"{pages} pages, {pages / seconds:.0f} pages/s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
