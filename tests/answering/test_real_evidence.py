"""The verifier on sentences that people marked as evidence."""

from __future__ import annotations

import csv
import json
import random
import re

import pytest

from search.answering.drafts import Draft, Quote
from search.answering.verifier import verify
from search.index.documents import PassageDocument, WorkDocument, passage_id

#: How many sentences are tried: enough that one in a hundred shows.
SENTENCES = 200


@pytest.fixture(scope="module")
def marked(data):
    """(abstract as one passage, marked sentence) of SciFact train claims."""
    folder = data / "retrieval" / "scifact"
    corpus = {d["_id"]: d for d in map(json.loads, (folder / "corpus.jsonl").read_text().splitlines())}
    found = {}
    with (folder / "claims_train.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            doc = corpus.get(row["evidence_doc_id"])
            for number in map(int, re.findall(r"\d+", row["evidence_sentences"])) if doc else ():
                text = " ".join(s.strip() for s in doc["sentences"])
                found[doc["sentences"][number].strip()] = PassageDocument(
                    passage_id=passage_id(doc["_id"], 1, 0, text),
                    work_id=doc["_id"],
                    version=1,
                    revision=1,
                    ordinal=0,
                    text=text,
                    title=doc["title"],
                )
    return random.Random(3).sample(sorted(found.items(), key=lambda i: i[0]), SENTENCES)


class Shelf:
    """One passage."""

    def __init__(self, passage):
        self.passage = passage

    def passages(self, ids):
        return {self.passage.passage_id: self.passage} if self.passage.passage_id in ids else {}

    def works(self, ids):
        p = self.passage
        return {p.work_id: WorkDocument(work_id=p.work_id, version=1, revision=1, content_hash="")}


def kept(claim, sentence, passage) -> bool:
    draft = Draft(claim, (Quote(passage.passage_id, sentence),))
    return bool(verify([draft], store=Shelf(passage), evidence=[passage]).kept)


def test_marked_sentences_are_accepted_as_they_stand(marked):
    """At least 99 % of the evidence sentences of real abstracts pass when they quote themselves."""
    assert sum(kept(sentence, sentence, passage) for sentence, passage in marked) >= 0.99 * len(marked)


@pytest.mark.parametrize(
    ("pattern", "change"),
    [
        (r"(?<![\w.,])[1-9]\d*(?![\w.,])", lambda m: str(int(m[0]) + 7)),
        (r"\b(?:was|were|is|are)\b(?! not)", lambda m: f"{m[0]} not"),
        (r"\bnot ", lambda m: ""),
        (r"\b(?:increased|higher)\b", lambda m: {"increased": "decreased", "higher": "lower"}[m[0]]),
    ],
    ids=["another number", "a negation more", "a negation less", "an antonym"],
)
def test_changed_sentences_are_refused(marked, pattern, change):
    """At least 98 % of the same sentences fall when one number, negation or antonym is changed."""
    tried = refused = 0
    for sentence, passage in marked:
        changed = re.sub(pattern, change, sentence, count=1)
        if changed != sentence:
            tried += 1
            refused += not kept(changed, sentence, passage)
    assert tried >= 10
    assert refused >= 0.98 * tried
