"""Measure the answering room on real sentences: what the verifier accepts and refuses, what extraction picks.

Only training data is read: SciFact train and validation claims, the CL-SciSumm training topics, and PubMedQA
questions that are not in its test set. Usage: `python evals/answering.py [--data FOLDER]`.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from search.answering import answer, extractive
from search.answering.confidence import coverage
from search.answering.drafts import Draft, Quote
from search.answering.names import names
from search.answering.relevance import bm25
from search.answering.verifier import verify
from search.answering.wording import content_stems, inverse_frequencies
from search.index.documents import PassageDocument, WorkDocument, passage_id
from search.models import Hit, SearchMetrics, SearchResult
from search.settings import Settings

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Gold:
    """A question, the sentences of its paper, and the numbers of those that answer it."""

    question: str
    title: str
    sentences: tuple[str, ...]
    answers: frozenset[int]
    label: str = ""


class Shelf:
    """The two reading methods of `IndexStore` that the verifier calls, over passages in memory."""

    def __init__(self, passages: Sequence[PassageDocument]) -> None:
        self._passages = {p.passage_id: p for p in passages}
        self._works = {
            p.work_id: WorkDocument(
                work_id=p.work_id, version=p.version, revision=p.revision, content_hash="", title=p.title
            )
            for p in passages
        }

    def passages(self, ids: Sequence[str]) -> dict[str, PassageDocument]:
        """Return those that are there."""
        return {i: self._passages[i] for i in ids if i in self._passages}

    def works(self, ids: Sequence[str]) -> dict[str, WorkDocument]:
        """Return those that are there."""
        return {i: self._works[i] for i in ids if i in self._works}


def passage(work_id: str, title: str, text: str, ordinal: int = 0) -> PassageDocument:
    return PassageDocument(
        passage_id=passage_id(work_id, 1, ordinal, text), work_id=work_id, version=1,
        revision=1, ordinal=ordinal,
        text=text, title=title,
    )  # fmt: skip


# ---------------------------------------------------------------- gold
def scifact(data: Path, split: str) -> Iterator[Gold]:
    """Yield a claim and an abstract that supports or contradicts it."""
    folder = data / "retrieval" / "scifact"
    corpus = {d["_id"]: d for d in map(json.loads, (folder / "corpus.jsonl").read_text().splitlines())}
    grouped: dict[tuple[str, str, str], set[int]] = {}
    with (folder / f"claims_{split}.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            if row["evidence_doc_id"] in corpus:
                key = (row["claim"], row["evidence_doc_id"], row["evidence_label"])
                grouped.setdefault(key, set()).update(map(int, re.findall(r"\d+", row["evidence_sentences"])))
    for (claim, doc, label), answers in grouped.items():
        yield Gold(
            claim,
            corpus[doc]["title"],
            tuple(s.strip() for s in corpus[doc]["sentences"]),
            frozenset(answers),
            label,
        )


_SENTENCE = re.compile(r'<S sid\s*=\s*"(\d+)"[^>]*>(.*?)</S>', re.DOTALL)


def scisumm(data: Path) -> Iterator[Gold]:
    """Yield a citing sentence and the cited paper (training topics carry `.ann.txt`)."""
    for notes in sorted((data / "qa" / "cl_scisumm").glob("*.ann.txt")):
        paper = (notes.parent / notes.name.replace(".ann.txt", ".xml")).read_text(
            encoding="utf-8", errors="replace"
        )
        found = [(int(n), " ".join(t.split())) for n, t in _SENTENCE.findall(paper)]
        place = {n: i for i, (n, _) in enumerate(found)}
        for block in notes.read_text(encoding="utf-8", errors="replace").split("Citance Number:")[1:]:
            citing = " ".join(
                t
                for _, t in _SENTENCE.findall(block.split("Citation Text:")[1].split("Reference Offset:")[0])
            )
            numbers = re.findall(r"\d+", block.split("Reference Offset:")[1].split("|")[0])
            answers = frozenset(place[int(n)] for n in numbers if int(n) in place)
            if citing and answers:
                yield Gold(
                    " ".join(citing.split()),
                    found[0][1],
                    tuple(t for _, t in found[1:]),
                    frozenset(a - 1 for a in answers if a),
                )


def pubmedqa(data: Path) -> list[tuple[str, str, str]]:
    """Return (id, question, abstract) of the questions outside the test set."""
    folder = data / "qa" / "pubmedqa"
    test = set(json.loads((folder / "test_ground_truth.json").read_text()))
    every = json.loads((folder / "ori_pqal.json").read_text())
    return [(i, q["QUESTION"], " ".join(q["CONTEXTS"])) for i, q in every.items() if i not in test]


# ---------------------------------------------------------------- mutations
_FIGURE = re.compile(r"(?<![\w.,^{-])\d+(?:\.\d+)?(?![\w^{]|[.,]\d)")
_VERB = re.compile(r"\b(is|are|was|were|can|may|does|did|has|have)\b(?! (?:not|no)\b)")
_NEGATION = re.compile(r"\b(?:not|no|never|without)\b ?")
_TURN = dict(
    pair
    for a, b in (
        ("increased", "decreased"), ("higher", "lower"), ("increase", "decrease"), ("improves", "worsens"),
        ("more", "less"),
        ("improved", "worsened"), ("greater", "smaller"), ("positive", "negative"), ("reduced", "raised"),
        ("better", "worse"),
        ("reduces", "raises"), ("promotes", "inhibits"), ("outperforms", "underperforms"),
    )
    for pair in ((a, b), (b, a))
)  # fmt: skip
_OTHERS = ("Kestrel", "ZQX-7", "Brandt", "HMP2", "Velora")


def other_number(text: str, rng: random.Random) -> str | None:
    places = list(_FIGURE.finditer(text))
    if not places:
        return None
    place = rng.choice(places)
    value = place[0]
    digit = rng.randrange(len(value))
    while not value[digit].isdigit():
        digit = rng.randrange(len(value))
    new = str((int(value[digit]) + rng.randint(1, 9)) % 10)
    changed = value[:digit] + new + value[digit + 1 :]
    return None if float(changed) == float(value) else text[: place.start()] + changed + text[place.end() :]


def negated(text: str, rng: random.Random) -> str | None:
    places = list(_VERB.finditer(text))
    if not places:
        return None
    place = rng.choice(places)
    return f"{text[: place.end()]} not{text[place.end() :]}"


def affirmed(text: str, _rng: random.Random) -> str | None:
    return _NEGATION.sub("", text, count=1) if _NEGATION.search(text) else None


def turned(text: str, _rng: random.Random) -> str | None:
    found = [w for w in _TURN if re.search(rf"\b{w}\b", text)]
    return re.sub(rf"\b{found[0]}\b", _TURN[found[0]], text, count=1) if found else None


def renamed(text: str, rng: random.Random) -> str | None:
    found = [n for n in names(text).values() if len(n) > 2 and not text.startswith(n)]
    return text.replace(rng.choice(found), rng.choice(_OTHERS)) if found else None


def exchanged(text: str, _rng: random.Random) -> str | None:
    """Two numbers change places."""
    places = list(_FIGURE.finditer(text))
    if len(places) < 2 or places[0][0] == places[1][0]:
        return None
    a, b = places[:2]
    return text[: a.start()] + b[0] + text[a.end() : b.start()] + a[0] + text[b.end() :]


MUTATIONS: dict[str, Callable[[str, random.Random], str | None]] = {
    "a digit changed": other_number, "two numbers exchanged": exchanged, "negation added": negated,
    "negation removed": affirmed, "antonym put in": turned, "name replaced": renamed,
}  # fmt: skip


def verifier_table(gold: Sequence[Gold], *, most: int, show: int) -> list[tuple[str, int, int]]:
    """Return (row, tried, refused or accepted)."""
    rng = random.Random(7)
    pairs = list(
        dict.fromkeys(
            (g.title, g.sentences, g.sentences[i])
            for g in gold
            for i in sorted(g.answers)
            if i < len(g.sentences)
        )
    )
    rng.shuffle(pairs)
    rows: list[tuple[str, int, int]] = []
    shelf_of = {}
    accepted = 0
    for title, every, sentence in pairs[:most]:
        document = shelf_of.setdefault(every, passage(f"w{len(shelf_of)}", title, " ".join(every)))
        kept = _verify(sentence, sentence, document)
        accepted += kept
        if not kept and show:
            print("  refused verbatim:", sentence[:200])
    rows.append(("verbatim sentence: accepted", len(pairs[:most]), accepted))
    for name, mutate in MUTATIONS.items():
        tried = refused = shown = 0
        for _, every, sentence in pairs[:most]:
            changed = mutate(sentence, rng)
            if changed is None:
                continue
            tried += 1
            kept = _verify(changed, sentence, shelf_of[every])
            refused += not kept
            if kept and shown < show:
                shown += 1
                print(f"  accepted, {name}: {changed[:300]}\n     of: {sentence[:300]}")
        rows.append((f"{name}: refused", tried, refused))
    return rows


def paraphrase_table(gold: Sequence[Gold], *, show: int) -> list[tuple[str, int, int]]:
    rows = []
    for label, wanted in (("SUPPORT", True), ("CONTRADICT", False)):
        tried = good = shown = 0
        reasons: Counter[str] = Counter()
        for g in gold:
            if g.label != label:
                continue
            tried += 1
            document = passage("w", g.title, " ".join(g.sentences))
            quotes = tuple(Quote(document.passage_id, g.sentences[i]) for i in sorted(g.answers))
            verdict = verify([Draft(g.question, quotes)], store=Shelf([document]), evidence=[document])
            ok = bool(verdict.kept) == wanted
            good += ok
            if verdict.dropped:
                reasons[re.sub(r"[“(].*|\d+", "", verdict.dropped[0].evidence)[:34]] += 1
            if not ok and shown < show:
                shown += 1
                why = verdict.dropped[0].evidence if verdict.dropped else "KEPT"
                print(f"  {label} {why}: {g.question}\n      {' '.join(q.text for q in quotes)[:400]}")
        rows.append((f"written claim, {label}: {'accepted' if wanted else 'refused'}", tried, good))
        if show:
            print(reasons.most_common(12))
    return rows


def _verify(claim: str, quote: str, document: PassageDocument) -> bool:
    draft = Draft(claim, (Quote(document.passage_id, quote),))
    return bool(verify([draft], store=Shelf([document]), evidence=[document]).kept)


# ---------------------------------------------------------------- selection
def selection_table(
    gold: Sequence[Gold], at: Sequence[int], *, baselines: bool = True
) -> list[tuple[str, str, float]]:
    """Return (method, measure, share of questions with a gold sentence among the first k)."""
    methods: dict[str, Callable[[Gold], list[int]]] = {
        "first sentences": lambda g: list(range(len(g.sentences))),
        "last sentences": lambda g: list(range(len(g.sentences)))[::-1],
        "BM25 sentences": lambda g: _by_score(_bm25(g.question, g.sentences)),
        "extractive": picked,
    }
    rows = []
    for name, method in methods.items() if baselines else [("extractive", picked)]:
        orders = [method(g) for g in gold]
        for k in at:
            hits = sum(bool(set(order[:k]) & g.answers) for order, g in zip(orders, gold, strict=True))
            rows.append((name, f"hit@{k}", hits / len(gold)))
    return rows


def _bm25(question: str, texts: Sequence[str]) -> list[float]:
    return bm25(content_stems(question), [_stems(t) for t in texts])


@cache
def _stems(text: str) -> tuple[str, ...]:
    return content_stems(text)


def _by_score(scores: Sequence[float]) -> list[int]:
    return sorted(range(len(scores)), key=lambda i: (-scores[i], i))


def picked(gold: Gold) -> list[int]:
    """Return the sentences that `extractive.rank` puts first, over passages of about 1,250 characters."""
    passages: list[PassageDocument] = []
    held: list[str] = []
    for sentence in [*gold.sentences, ""]:
        if held and (not sentence or sum(map(len, held)) + len(sentence) > 1250):
            passages.append(passage("w", gold.title, " ".join(held), len(passages)))
            held = []
        held.append(sentence)
    scores = _bm25(gold.question, [p.text for p in passages])
    ranked = extractive.rank(gold.question, list(zip(scores, passages, strict=True)))
    order: list[int] = []
    for chosen in ranked:
        match = next(
            (
                i
                for i, s in enumerate(gold.sentences)
                if i not in order and (chosen.text in s or s in chosen.text)
            ),
            None,
        )
        if match is not None:
            order.append(match)
    return order


# ---------------------------------------------------------------- abstention
def abstention_table(questions: Sequence[tuple[str, str, str]]) -> list[tuple[float, float, float]]:
    """Return (threshold, share answered with the paper there, share answered without it)."""
    texts = [t for _, _, t in questions]
    with_it: list[float] = []
    without: list[float] = []
    for i, (_, question, _) in enumerate(questions):
        order = _by_score(_bm25(question, texts))[:9]
        for chosen, seen in (
            ([j for j in order if j != i][:8], without),
            (([i] + [j for j in order if j != i])[:8], with_it),
        ):
            background = [texts[j] for j in chosen]
            weights = inverse_frequencies(content_stems(t) for t in background)
            seen.append(max(coverage(question, [t], weights).share for t in background))
    return [
        (
            t / 20,
            sum(s >= t / 20 for s in with_it) / len(with_it),
            sum(s >= t / 20 for s in without) / len(without),
        )
        for t in range(4, 17, 1)
    ]


class Desk:
    """The two searching methods of `Retriever`, over the passages that one question is given."""

    def __init__(self, question: str, passages: Sequence[PassageDocument]) -> None:
        scores = _bm25(question, [p.text for p in passages])
        best = max(scores, default=0.0) or 1.0
        self._found = sorted(((s / best, p) for s, p in zip(scores, passages, strict=True)), key=_first)

    def search(self, query: str, **_: object) -> SearchResult:
        """Return every paper, best first."""
        hits = tuple(
            Hit(rank=i, work_id=p.work_id, version=1, title=p.title, final_score=s)
            for i, (s, p) in enumerate(self._found, start=1)
        )
        return SearchResult(
            query=query, mode="lexical", outcome="hits", hits=hits, metrics=SearchMetrics(hits=len(hits))
        )

    def evidence(
        self, _question: str, _work_ids: Sequence[str], *, size: int
    ) -> list[tuple[float, PassageDocument]]:
        """Return every passage, best first."""
        return self._found[:size]


def _first(found: tuple[float, PassageDocument]) -> tuple[float, str]:
    return -found[0], found[1].passage_id


def confidence_table(questions: Sequence[tuple[str, str, str]]) -> list[tuple[str, float, float]]:
    """Return (confidence, share with the question's paper among eight abstracts, share without it)."""
    documents = [passage(work_id, "", text) for work_id, _, text in questions]
    texts = [t for _, _, t in questions]
    levels: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    for i, (_, question, _) in enumerate(questions):
        others = [j for j in _by_score(_bm25(question, texts))[:9] if j != i]
        for chosen, seen in ((([i, *others])[:8], levels[0]), (others[:8], levels[1])):
            held = [documents[j] for j in chosen]
            found = answer(
                question, retriever=Desk(question, held), store=Shelf(held), settings=Settings(llm_model=None)
            )
            seen[found.confidence] += 1
    return [
        (level, *(seen[level] / len(questions) for seen in levels))
        for level in ("high", "medium", "low", "insufficient_evidence")
    ]


def main() -> None:  # noqa: C901 - one branch a table
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--most", type=int, default=600, help="sentences a row")
    parser.add_argument("--show", type=int, default=0, help="print so many mistakes a row")
    parser.add_argument("--questions", type=int, default=1000, help="questions a selection table")
    parser.add_argument("--part", default="verify,paraphrase,select,abstain,confidence")
    chosen = parser.parse_args()
    claims = list(scifact(chosen.data, "train"))
    citing = list(scisumm(chosen.data))
    if "verify" in chosen.part:
        for name, gold in (("SciFact train", claims), ("CL-SciSumm training topics", citing)):
            print(f"\n## Verifier, {name}")
            for row, tried, good in verifier_table(gold, most=chosen.most, show=chosen.show):
                print(f"| {row} | {good} of {tried} | {good / max(tried, 1):.1%} |")
    if "paraphrase" in chosen.part:
        print("\n## Verifier, claims that people wrote from SciFact abstracts")
        for row, tried, good in paraphrase_table(claims, show=chosen.show):
            print(f"| {row} | {good} of {tried} | {good / max(tried, 1):.1%} |")
    if "select" in chosen.part:
        for name, gold, at in (
            ("SciFact train", claims, (1, 3)),
            ("CL-SciSumm training topics", citing, (1, 5)),
        ):
            print(f"\n## Selection, {name}, {len(gold)} questions")
            for method, measure, share in selection_table(gold[: chosen.questions], at):
                print(f"| {method} | {measure} | {share:.3f} |")
    if "abstain" in chosen.part:
        print("\n## Abstention, PubMedQA outside its test set, 8 abstracts a question")
        print("| least coverage | answered, paper there | answered, paper missing |")
        for threshold, there, missing in abstention_table(pubmedqa(chosen.data)):
            print(f"| {threshold:.2f} | {there:.1%} | {missing:.1%} |")
    if "confidence" in chosen.part:
        print("\n## Confidence of whole answers, the same questions")
        print("| confidence | paper there | paper missing |")
        for level, there, missing in confidence_table(pubmedqa(chosen.data)):
            print(f"| {level} | {there:.1%} | {missing:.1%} |")


if __name__ == "__main__":
    main()
