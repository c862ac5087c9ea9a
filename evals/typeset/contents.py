"""The sample's papers as blocks of known text: what TeX is given and what the page then says.

Formulas are not the authors': each marker is replaced by one of a few whose printed form is known for
certain (10^{4}, x_{3}, k = 7), chosen by the marker's own name, so that a run repeats to the letter.
"""

# ruff: noqa: RUF001 - the characters are meant as they are
from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

#: Longer papers are cut here (in characters of the sample's text), after a paragraph: three of 49.
LONGEST = 100_000
#: Stands in plain text where a citation mark is printed, in whatever form.
CITATION = "\ue000"
#: Stands where a displayed formula's number is printed.
EQUATION_NUMBER = "\ue004"

_MARKER = re.compile(r"\{\{(formula|cite|figure|table):([^}]+)\}\}")
_DISPLAY = re.compile(r"\n\s*\{\{formula:([^}]+)\}\}")
_THEOREM = re.compile(
    r"(Theorem|Lemma|Proposition|Corollary|Definition|Remark|Example)\s+[\d.]+\s*(?:\([^)]*\))?\s*\n"
)
_CAPITAL_AFTER_STOP = re.compile(r"(?<=[.?!])\s+(?=[A-Z\ue001\ue002])")
_NO_END = re.compile(
    r"(?:\b(?:Fig|Figs|Eq|Eqs|Sec|Ref|Refs|Tab|Dr|Prof|vs|cf|et al|etc|i\.e|e\.g|resp|No|St|Thm|Prop|Def"
    r"|approx|ca|Mr|Mrs)|\b[A-Z]|\.\.)\.$"
)
_FAMILY = str.maketrans({
    "\xa0": " ", "–": "\ue010", "—": "\ue011", "“": "\ue012", "”": "\ue013", "‘": "\ue014", "’": "'",
})  # fmt: skip
_LETTERS = "éäöüóíçÉêõïßòùôãèČłÄàŁáëñøØÅåÖÜñúýžšřćńś"
_TEX = {
    "&": r"\&", "%": r"\%", "#": r"\#", "$": r"\$", "{": r"\{", "}": r"\}", "<": "$<$", ">": "$>$",
    "|": "$|$", "\ue010": "--", "\ue011": "---", "\ue012": "``", "\ue013": "''", "\ue014": "`", '"': "''",
    "±": r"$\pm$", "µ": r"$\mu$",
}  # fmt: skip
_PRINTED = {"\ue010": "–", "\ue011": "—", "\ue012": "“", "\ue013": "”", "\ue014": "‘", '"': "”", "µ": "μ"}

Kind = Literal["text", "theorem", "proof", "item"]


@dataclass
class Piece:
    """A stretch of a paragraph: what TeX reads and what is printed."""

    tex: str
    printed: str
    keys: tuple[str, ...] = ()
    #: "scripts": with exponents or indices; "display", "rows": a formula on lines of its own.
    kind: str = ""


@dataclass
class Block:
    """A heading or a paragraph."""

    kind: Kind | Literal["heading"]
    pieces: list[Piece]
    level: int = 0
    numbered: bool = True
    name: str = ""


@dataclass
class Paper:
    """What is set."""

    id: str
    category: str
    title: Piece
    abstract: list[Piece]
    blocks: list[Block]
    captions: list[Piece]
    tables: list[Piece]
    #: key, raw as printed, arXiv id, DOI.
    references: list[tuple[str, Piece, str, str]] = field(default_factory=list)


def number(name: str) -> int:
    """Return a number that is the same for a name in every run."""
    return zlib.crc32(name.encode())


def plain(text: str) -> Piece:
    """Return ordinary text; what the fonts do not have is left out of both."""
    text = re.sub(r"-{3}", "\ue011", text.translate(_FAMILY))
    text = re.sub(r"-{2}", "\ue010", text)
    text = "".join(
        c for c in text
        if (c.isascii() and (c.isprintable() or c.isspace()) and c not in "\\^_~`") or c in _LETTERS or c in _TEX
    )  # fmt: skip
    text = re.sub(r"\s+", " ", text)
    # Two commas make a quotation mark in some fonts, and ?` ¡: what TeX ties together is kept apart.
    text = re.sub(r",(?=,)", "", text)
    return Piece("".join(_TEX.get(c, c) for c in text), "".join(_PRINTED.get(c, c) for c in text))


def formula(name: str) -> Piece:
    """Return an inline formula whose print is known."""
    n = number(name)
    a, b = 2 + n // 16 % 11, 1 + n // 256 % 9
    tex, printed, kind = [
        (f"10^{{{a}}}", f"10^{{{a}}}", "scripts"),
        (f"10^{{-{a}}}", f"10^{{-{a}}}", "scripts"),
        (f"x_{{{b}}}", f"x_{{{b}}}", "scripts"),
        (f"x_{{{b}}}^{{{a}}}", f"x_{{{b}}}^{{{a}}}", "scripts"),
        (f"{b}^{{n}}", f"{b}^{{n}}", "scripts"),
        (r"\alpha", "α", ""),
        ("n", "n", ""),
        (f"k={b}", f"k = {b}", ""),
        (r"f(x)", "f(x)", ""),
        (f"O(n^{{{b + 1}}})", f"O(n^{{{b + 1}}})", "scripts"),
        (r"\mathcal{A}_{ij}", "A_{ij}", "scripts"),
        (rf"\beta_{{{b}}}", f"β_{{{b}}}", "scripts"),
        (f"{a}.{b}", f"{a}.{b}", ""),
        (rf"{b} \times 10^{{{a}}}", f"{b} × 10^{{{a}}}", "scripts"),
        (r"\mathbb{R}^{d}", "R^{d}", "scripts"),
        ("N", "N", ""),
    ][n % 16]
    return Piece(f"${tex}$", printed, kind=kind)


def display(name: str) -> Piece:
    """Return a displayed formula: one row, with or without a number, or (one in eight) three rows."""
    n = number(name)
    a, b = 1 + n // 16 % 9, 2 + n // 256 % 8
    row = rf"y_{{{a}}} = {b} x_{{{b}}}^{{{a}}}"
    if n % 8 == 7:
        rows = r" \\ ".join(rf"z_{{{a + i}}} &= {b} w_{{{i}}}" for i in range(3))
        return Piece(rf"\begin{{align*}}{rows}\end{{align*}}", "\ue003", kind="rows")
    if n % 2:
        return Piece(
            rf"\begin{{equation}}{row}\end{{equation}}",
            f"y_{{{a}}} = {b}x_{{{b}}}^{{{a}}} {EQUATION_NUMBER}",
            kind="display",
        )
    return Piece(rf"\[{row}\]", f"y_{{{a}}} = {b}x_{{{b}}}^{{{a}}}", kind="display")


def pieces(text: str, keys: frozenset[str]) -> list[Piece]:
    """Return a paragraph's text with its markers replaced."""
    text = re.sub(r"\bREF\b", "3", text)
    text = re.sub(r"(\}\})\s+([.,;:)-])", r"\1\2", text)
    text = _DISPLAY.sub(r" {{display:\1}} ", text)
    found: list[Piece] = []
    at = 0
    for match in re.finditer(r"\{\{(\w+):([^}]+)\}\}(?:\s*,?\s*(?=\{\{cite))?", text):
        found.append(plain(text[at : match.start()]))
        at = match.end()
        kind, name = match[1], match[2]
        if kind == "display":
            found.append(display(name))
        elif kind == "formula":
            found.append(formula(name))
        elif kind == "cite" and name in keys:
            last = next((p for p in reversed(found) if p.tex or p.keys), None)
            if last and last.keys:  # neighbours are one mark
                last.keys += (name,)
            else:
                found.append(Piece("", CITATION, (name,)))
        elif kind in ("figure", "table"):
            found.append(plain("3"))
    found.append(plain(text[at:]))
    kept = [p for p in found if p.tex or p.keys]
    for p in kept:
        p.tex = p.tex or rf"\cite{{{','.join(dict.fromkeys(p.keys))}}}"
    if kept and not kept[0].keys and not kept[0].kind:
        kept[0] = Piece(kept[0].tex.lstrip(), kept[0].printed.lstrip())
    return [p for p in kept if p.tex]


def sentences(block: list[Piece]) -> Iterator[list[Piece]]:
    """Yield a paragraph's sentences: a stop, space, a capital or a formula; abbreviations excepted."""
    current: list[Piece] = []
    for index, piece in enumerate(block):
        if piece.keys or piece.kind or piece.tex.startswith("$"):
            current.append(piece)
            continue
        parts = _CAPITAL_AFTER_STOP.split(piece.printed)
        begins = ""
        for position, part in enumerate(parts):
            begins += part
            if position < len(parts) - 1:
                if _NO_END.search(begins) or not begins.strip():
                    begins += " "
                    continue
                current.append(Piece("", begins))
                yield current
                current, begins = [], ""
        following = block[index + 1] if index + 1 < len(block) else None
        current.append(Piece("", begins))
        stop = re.search(r"[.?!]\s+$", begins)
        if stop and following and not following.keys and not _NO_END.search(begins.rstrip()) \
                and following.kind not in ("display", "rows"):  # fmt: skip
            yield current
            current = []
    if current:
        yield current


def paper(record: dict[str, Any]) -> Paper:
    """Return a record of the sample as blocks."""
    keys = frozenset(record["bib_entries"])
    blocks: list[Block] = []
    before: tuple[str, str] | None = None
    length = 0
    for paragraph in record["body_text"]:
        here = (paragraph["sec_number"], paragraph["section"])
        title = plain(_MARKER.sub("", paragraph["section"] or "")).tex.strip(" .:-")
        if here != before and len(title) > 2 and any(map(str.isalpha, title)):
            blocks.append(_heading(paragraph, title))
        before = here
        length += len(_MARKER.sub("x", paragraph["text"]))
        if length > LONGEST:
            break
        blocks += _paragraphs(paragraph, keys)
    captions = {"figure": [], "table": []}
    for entry in record["ref_entries"].values():
        text = entry.get("caption", "")
        if entry["type"] in captions and len(text) > 40 and "\\" not in text:
            captions[entry["type"]].append(plain(" ".join(text.split())[:600]))
    meta = record["metadata"]
    return Paper(
        id=record["paper_id"],
        category=meta["categories"].split()[0],
        title=plain(re.sub(r"\$[^$]*\$", "n", meta["title"])),
        abstract=_abstract(record["paper_id"], meta["abstract"], keys),
        blocks=blocks,
        captions=captions["figure"],
        tables=captions["table"],
        references=[_reference(key, entry) for key, entry in record["bib_entries"].items()],
    )


def _abstract(name: str, text: str, keys: frozenset[str]) -> list[Piece]:
    count = iter(range(1000))
    marked = re.sub(r"\$\$?[^$]*\$\$?", lambda _: f"{{{{formula:{name}-{next(count)}}}}}", text)
    return pieces(marked, keys)


def _heading(paragraph: dict[str, Any], title: str) -> Block:
    level = {"section": 1, "subsection": 2, "subsubsection": 3}.get(paragraph["sec_type"], 0)
    starred = paragraph["sec_number"] == "-1"
    if not level:
        level = 1 if starred else 4
    piece = Piece(title, plain(_MARKER.sub("", paragraph["section"] or "")).printed.strip(" .:-"))
    return Block("heading", [piece], level, numbered=not starred)


def _paragraphs(paragraph: dict[str, Any], keys: frozenset[str]) -> Iterator[Block]:
    text = paragraph["text"].strip("\n ")
    theorem = _THEOREM.match(text)
    kind: Kind = "text"
    name = ""
    if theorem:
        kind, name, text = "theorem", theorem[1], text[theorem.end() :]
    elif paragraph["content_type"] == "proof":
        kind = "proof"
        text = re.sub(r"^Proof\.?\s*", "", text)
    if paragraph["content_type"] == "list":
        for item in text.split("\n"):
            found = pieces(item, keys)
            if found:
                yield Block("item", found)
        return
    found = pieces(text, keys)
    if found and sum(len(p.printed) for p in found) > 2:
        yield Block(kind, found, name=name)


def _reference(key: str, entry: dict[str, Any]) -> tuple[str, Piece, str, str]:
    """Return an entry; ids that the sample knows are printed after it where it does not print them itself."""
    raw = " ".join(entry["bib_entry_raw"].split()) or "Anonymous. Unpublished."
    ids = entry.get("ids") or {"arxiv_id": "", "doi": ""}
    printed = re.search(r"(?:arXiv\s*:\s*|abs/)(\d{4}\.\d{4,5}|[a-z-]+/\d{7})", raw, re.IGNORECASE)
    doi = re.search(r"10\.\d{4,9}/[^\s,;]+[^\s,;.)\]]", raw)
    arxiv_id = printed[1] if printed else ids["arxiv_id"] or ""
    extra = "" if printed or not arxiv_id else f" arXiv:{arxiv_id}."
    found = doi[0] if doi else ids["doi"] or ""
    if not re.fullmatch(r"10\.\d{4,9}/[\w.()/:;-]+", found) or "_" in found:
        raw = raw.replace(doi[0], "") if doi else raw
        found, doi = "", None
    if found and not doi:
        extra += f" doi:{found}."
    parts = pieces(raw + extra, frozenset())  # formulas of titles among them
    return key, Piece("".join(p.tex for p in parts), "".join(p.printed for p in parts)), arxiv_id, found
