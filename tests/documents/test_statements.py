"""Theorems, definitions, remarks and proofs."""

from __future__ import annotations

import pytest

from search.documents import read_pdf
from search.documents.lines import TextLine, text_line
from search.documents.pages import Line, Span
from search.documents.statements import ends_proof, leaves_statement, opens_statement

FONTS = {"b": "CMBX10", "i": "CMTI10", "r": "CMR10", "m": "CMMI10"}


def line(*parts: tuple[str, str]) -> TextLine:
    """A printed line of pieces of text, each in bold, italic, roman or mathematical."""
    spans, x = [], 50.0
    for text, font in parts:
        width = 5.0 * len(text)
        spans.append(
            Span(text, FONTS[font], 10, font == "b", font in "im", False, x, 90, x + width, 102, 100)
        )
        x += width
    return text_line([Line(spans, 50, 90, x, 102, 0)], 1, 0)


@pytest.mark.parametrize(
    ("parts", "kind"),
    [
        ([("Theorem 3.2", "b"), (" (Kim). ", "r"), ("Let all be", "i")], "theorem"),
        ([("Lemma 2.", "b"), (" Let all be", "i")], "theorem"),
        ([("3.1. Proposition.", "b"), (" Let all be", "i")], "theorem"),
        ([("Corollary VII.1. The second order", "r")], "theorem"),
        ([("Definition ", "b"), ("A ", "i"), ("system ", "b"), ("is small", "i")], "definition"),
        ([("Remark. ", "b"), ("Above all", "r")], "remark"),
        ([("Satz 2 ", "b"), ("Sei ein", "i")], "theorem"),
        ([("Proof. ", "i"), ("We see", "r")], "proof"),
        ([("Proof of Theorem 2.1. We see", "r")], "proof"),
        ([("Sketch of proof. We see", "r")], "proof"),
        ([("Theorem 3.4 allows us to define ", "r"), ("x", "m"), (" here", "r")], None),
        ([("Lemma 5 implies that ", "r"), ("every one", "i")], None),
        ([("Proofs are hard to ", "r"), ("write", "i")], None),
        ([("Example Retrieval: ", "b"), ("Above, we", "r")], None),
        ([("Claim Nobody was there. Answer", "r")], None),
        ([("Observation 4 The plains are", "r")], None),
    ],
)
def test_statements_are_told_by_their_label(parts, kind):
    """A label set apart, or a full stop after it, opens a statement; a sentence about one does not."""
    assert opens_statement(line(*parts)) == kind


@pytest.mark.parametrize("end", ["as desired. □", "as desired. ■", "Q.E.D.", "this shows it. QED"])
def test_end_marks(end):
    """Boxes and Q.E.D. end a proof."""
    assert ends_proof(line((end, "r")))
    assert not ends_proof(line(("as desired.", "r")))


def test_upright_prose_leaves_a_slanted_statement():
    """What follows a theorem's last formula and is upright is no part of it; formulas can be."""
    theorem = line(("Theorem 2. ", "b"), ("Let every walk of it be finite, so that", "i"))
    proof = line(("Proof. ", "i"), ("Let every walk of it be finite, so that", "r"))
    prose = line(("The proof stands in the appendix.", "r"))
    assert leaves_statement(theorem, prose)
    assert not leaves_statement(theorem, line(("then all of them are short", "i")))
    assert not leaves_statement(theorem, line(("f", "m"), ("(2) = 3", "r")))
    assert not leaves_statement(proof, prose)


@pytest.fixture(scope="module")
def paper(make_pdf):
    """A page with a lemma and its list, and a proof of three paragraphs with a drawn end mark."""
    prose = "These words are here to make the running text of this page the most common kind of it."
    texts = [
        (100, 80, "On Statements of Every Kind", 18, "tibo"),
        (72, 120, "1", 12, "tibo"), (92, 120, "Introduction", 12, "tibo"),
        *((72, 140 + 12 * n, prose, 10, "tiro") for n in range(8)),
        (72, 260, "Lemma 1.", 10, "tibo"),
        (120, 260, "Let the graph be finite. Then all of these hold:", 10, "tiit"),
        (80, 280, "(i) every walk in it is finite,", 10, "tiit"),
        (80, 300, "(ii) every set of walks is finite.", 10, "tiit"),
        (72, 330, "Proof.", 10, "tiit"), (105, 330, "Suppose that some walk is infinite.", 10, "tiro"),
        (84, 350, "Then it comes back to a vertex, since there are few.", 10, "tiro"),
        (84, 370, "This contradicts what we supposed of it.", 10, "tiro"),
        (84, 400, "After the proof the paper goes on as before, with prose.", 10, "tiro"),
        *((72, 412 + 12 * n, prose, 10, "tiro") for n in range(8)),
    ]  # fmt: skip
    pymupdf = pytest.importorskip("pymupdf")
    document = pymupdf.open(stream=make_pdf([texts]))
    x, y, side = 500, 363, 6
    for start, end in (((x, y), (x + side, y)), ((x, y + side), (x + side, y + side)),
                       ((x, y), (x, y + side)), ((x + side, y), (x + side, y + side))):  # fmt: skip
        document[0].draw_line(start, end, width=0.4)
    content = bytes(document.tobytes())
    document.close()
    return read_pdf(content)


def test_a_statement_is_one_passage_with_its_list(paper):
    """A lemma and the items that it lists stand in one passage, and nothing else does."""
    (lemma,) = [passage for passage in paper.passages if passage.kind == "theorem"]
    assert lemma.text.startswith("Lemma 1. Let the graph")
    assert lemma.text.endswith("(ii) every set of walks is finite.")


def test_a_proof_goes_to_its_end_mark_though_that_is_drawn(paper):
    """The box of four strokes ends the proof and is in its text; what follows is running text again."""
    (proof,) = [passage for passage in paper.passages if passage.kind == "proof"]
    assert proof.text.startswith("Proof. Suppose")
    assert proof.text.endswith("what we supposed of it. □")
    assert any("After the proof" in passage.text for passage in paper.passages if passage.kind == "text")
