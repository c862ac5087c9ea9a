"""Theorems, definitions, remarks and proofs, told by the word and number that they begin with.

The word is set apart from the text that follows it (bold, small capitals, slanted), or a full stop or colon
stands after its number: "Theorem 3.4 allows us to define …" opens a paragraph of prose and no theorem.
"""

# ruff: noqa: RUF001 - the characters are meant as they are
from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from search.documents.formulas import is_math_font
from search.documents.lines import TextLine
from search.documents.pages import Span
from search.models import PassageKind

if TYPE_CHECKING:
    from search.documents.paragraphs import Paragraph

#: English, French and German names of amsthm's three styles, and of proofs.
_WORDS: Mapping[PassageKind, str] = {
    "theorem": "Theorem|Lemma|Proposition|Corollary|Sublemma|Claim|Conjecture|Assumption|Hypothesis|Axiom"
    "|Criterion|Principle|Observation|Fact|Property|Théorème|Lemme|Corollaire|Satz|Hilfssatz|Korollar|Folgerung"
    "|Behauptung",
    "definition": "Definition|Notation|Convention|Construction|Définition",
    "remark": "Remarks?|Examples?|Exercise|Question|Problem|Remarque|Exemple|Bemerkung|Beispiel",
    "proof": "Proofs?|Preuve|Démonstration|Beweis",
}
#: What is stated or proved: passages of their own, where mathematicians look.
STATED: frozenset[PassageKind] = frozenset(_WORDS)
_KIND_OF: dict[str, PassageKind] = {
    word.removesuffix("s?"): kind for kind, words in _WORDS.items() for word in words.split("|")
}
#: Words of prompts, lists and captions as well: only with a number.
_NUMBERED_ONLY = frozenset(
    ["Question", "Problem", "Observation", "Fact", "Property", "Principle", "Criterion", "Construction",
     "Example", "Exercise", "Hypothesis"]
)  # fmt: skip
_NUMBER = r"(?:[A-Z]{1,4}[.-]?)?\d+(?:[.-]\d+)*[a-z′']?|[A-Z]{1,4}[′']?|\([A-Z\d]{1,3}\)"
_WORD = "|".join(word for words in _WORDS.values() for word in words.split("|"))
_LABEL = re.compile(
    rf"(?:(?P<before>\d+(?:\.\d+)*)[.)]?\s+)?(?:(?:Main|MAIN|Key|Technical|Informal)\s+)?"
    rf"(?:(?:Sketch|Outline|Idea) of (?:the )?)?"
    rf"(?P<word>{_WORD}|{_WORD.upper()}|(?<=of )proof|(?<=the )proof)(?![^\W\d_])"
    rf"(?:\s+(?P<number>{_NUMBER})(?=[\s.:(\[,;–—-]|$))?"
)
#: What stands between the label and the statement: a full stop, or a name in brackets and a full stop.
_MARKED = re.compile(r"\s*(?:[.:—]|[(\[](?:[^()]|\([^()]*\))*[)\]]\s*[.:—])")
_LOWER_WORD = re.compile(r"[\s.:—]*[a-z]{2}")
_PROOF = re.compile(
    r"[^.:]{5,40}?(?:\s*\([^)]{1,60}\)|\s+(?:of|sketch|de|du|von)\b(?:[^.:]|\.\d){0,80})?\s*[.:—]"
)
#: Paragraphs in which a proof's end mark is looked for; those of real papers end within 30.
_LONGEST_PROOF = 60
_MOSTLY = 0.5
#: Share of slanted characters in lines of slanted statements, at least, and in lines of other text, at most:
#: signs and digits of formulas are upright here and slanted there.
_SOME = 0.35
#: Letters in words of upright prose that no slanted statement has in one line.
_ENOUGH_PROSE = 15
_PROSE = re.compile(r"[^\W\d_]{2,}")
_ITEM = re.compile(r"(?:[•◦▪–∗*]|\(?(?:[A-Z]?\d{1,2}|[a-zA-Z]|[ivx]{1,4})[.)])\s")
#: What ends a proof, as text: amsthm's box as fonts name it, Halmos' tombstone.
_QED = re.compile(r"[□■▢∎◻◽▪◼⊓]\s*$|\bQ\.?\s?E\.?\s?D\.?\s*$")
_QED_ENDS = frozenset("□■▢∎◻◽▪◼⊓D. ")


def opens_statement(line: TextLine) -> PassageKind | None:
    """Return what a line opens: "theorem", "definition", "remark", "proof", or None for prose."""
    text = line.text
    if text[:1].islower():
        return None
    match = _LABEL.match(text)
    if not match:
        return None
    word = match["word"].capitalize()
    kind = _KIND_OF[word if word in _KIND_OF else word[:-1]]
    if kind == "proof":
        apart = _set_apart(line) and _reads_on(text, match.end("word"))
        return kind if _PROOF.match(text) or apart else None
    numbered = bool(match["number"] or match["before"])
    if (numbered and _reads_on(text, match.end())
            and (_MARKED.match(text, match.end()) or _set_apart(line) or line.bold > _MOSTLY)):  # fmt: skip
        return kind
    if word in _NUMBERED_ONLY or (match["number"] and any(map(str.isdigit, match["number"]))):
        return None
    # "Definition A graph is …": the letter is no number.
    end = match.end("word")
    marked = _MARKED.match(text, end) and (text[end] != ":" or _set_apart(line))
    return kind if _reads_on(text, end) and (marked or _set_apart(line)) else None


def _reads_on(text: str, at: int) -> bool:
    """Return whether a statement can begin here, and not the rest of a sentence about one."""
    return not _LOWER_WORD.match(text, at)


def ends_proof(line: TextLine) -> bool:
    """Return whether a proof's end mark stands at a line's end."""
    return line.text[-1:] in _QED_ENDS and _QED.search(line.text) is not None


def _set_apart(line: TextLine) -> bool:
    """Return whether words of a line stand in another font than its first one."""
    first = line.spans[0]
    return any(
        (span.font, round(span.size)) != (first.font, round(first.size))
        for span in line.spans
        if sum(map(str.isalpha, span.text)) >= 2 and not is_math_font(span.font)
    )


def leaves_statement(first: TextLine, line: TextLine) -> bool:
    """Return whether a line is upright prose after a statement that begins with `first` and is slanted.

    A theorem that ends with a formula has nothing else at its end.
    """
    if first.italic < _SOME or line.italic > _SOME:  # of most lines no more is asked
        return False
    upright = sum(len(word) for span in line.spans if _is_upright(span) for word in _PROSE.findall(span.text))
    return upright >= _ENOUGH_PROSE and opens_statement(first) not in {None, "proof"}


def _is_upright(span: Span) -> bool:
    return not (span.italic or span.bold or is_math_font(span.font))


def mark_statements(flow: Sequence[Paragraph]) -> None:
    """Give statements and proofs their kind, paragraph by paragraph.

    What belongs to a statement after its first paragraph: what is slanted as that is, the items of its list,
    and the rest of a sentence. To a proof: all up to its end mark, where one is visible before the next
    statement begins.
    """
    kind: PassageKind | None = None
    slanted = False
    last_of_proof = -1
    for index, paragraph in enumerate(flow):
        opened = opens_statement(paragraph.lines[0])
        if opened:
            kind, paragraph.opens, opening = opened, True, paragraph.lines[0]
            slanted = opened != "proof" and _slant(paragraph.lines) > _MOSTLY
            last_of_proof = _end_of_proof(flow, index) if opened == "proof" else -1
        elif kind and not (
            index <= last_of_proof
            or (slanted and _slant(paragraph.lines) > _MOSTLY)
            or (_goes_on(flow[index - 1], paragraph) and not leaves_statement(opening, paragraph.lines[0]))
        ):
            kind = None
        if kind:
            paragraph.kind = kind


def _end_of_proof(flow: Sequence[Paragraph], start: int) -> int:
    """Return the index of the paragraph with the end mark; where none is visible, the first one's."""
    for index in range(start, min(start + _LONGEST_PROOF, len(flow))):
        if index > start and opens_statement(flow[index].lines[0]):
            break
        if ends_proof(flow[index].lines[-1]):
            return index
    return start


def _goes_on(before: Paragraph, paragraph: Paragraph) -> bool:
    """Return whether a paragraph is the rest of a statement's sentence, or an item of its list."""
    end, begins = before.lines[-1].text[-1:], paragraph.lines[0].text
    item = _ITEM.match(begins)
    if item:
        first = item[0].strip("(.) ") in {"1", "i", "a", "A", "I"}
        return first or end in ":,;" or bool(_ITEM.match(before.lines[0].text) and not before.opens)
    return end.isalnum() or end in ",;" or (end not in ".!?:)" and not begins[:1].isupper())


def _slant(lines: Sequence[TextLine]) -> float:
    """Return the share of slanted characters, 0 to 1."""
    total = sum(len(line.text) for line in lines)
    return sum(line.italic * len(line.text) for line in lines) / max(total, 1)
