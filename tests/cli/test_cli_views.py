"""What a person sees of search results, answers, papers and reports."""

from __future__ import annotations

import io
from datetime import date

import pytest
from rich.console import Console

from search.cli.views.answer import show_answer
from search.cli.views.evaluation import show_evaluation
from search.cli.views.paper import show_paper
from search.cli.views.search import show_result, why
from search.cli.views.stages import show_build, show_check, show_doctor, show_harvest
from search.cli.views.work import show_info, show_list
from search.ingest.doctor import DoctorReport, Finding
from search.ingest.reports import (
    BuildReport,
    CheckReport,
    Difference,
    FailedPaper,
    HarvestReport,
    StageReport,
)
from search.library import WorkInfo, WorkSummary
from search.models import (
    Answer,
    AnswerReference,
    Citation,
    Claim,
    DroppedClaim,
    Hit,
    MatchedPassage,
    Passage,
    Quality,
    ReadPaper,
    Reference,
    SearchMetrics,
    SearchResult,
    Section,
    Work,
)

HOSTILE = "[red]\x1b[31mOn \x9b2JMarkup[/red]\u202e"
AS_SHOWN = "[red]On Markup[/red]"


def rendered(view, result, *, width=100, **options) -> str:
    """What a view prints on a console without colours."""
    out = io.StringIO()
    console = Console(file=out, width=width, markup=False, highlight=False, emoji=False, force_terminal=False)
    view(console, result, **options)
    return out.getvalue()


def hit(**changes) -> Hit:
    """A hit that both legs found."""
    fields = {
        "rank": 1,
        "work_id": "2101.00001",
        "version": 2,
        "title": "A title",
        "authors": ("Ada Lovelace", "Charles Babbage", "Mary Somerville", "John Herschel"),
        "year": 2021,
        "bm25_score": 12.345,
        "vector_score": 0.7131,
        "final_score": 0.8124,
        "passages": (
            MatchedPassage(
                passage_id="2101.00001v2:3:aa",
leg="lexical", score=12.3, section="Methods", page=3, text="We measure."
            ),
            MatchedPassage(passage_id="2101.00001v2:0:bb", leg="semantic", score=0.7, text="An abstract."),
        ),
    }  # fmt: skip
    return Hit(**{**fields, **changes})


def result(*hits: Hit, **changes) -> SearchResult:
    """A result of these hits."""
    metrics = SearchMetrics(
        hits=len(hits), works=126, semantic_coverage=1.0, milliseconds={"legs": 3.0, "total": 9.0}
    )
    fields = {"query": "q", "mode": "hybrid", "outcome": "hits", "hits": hits, "metrics": metrics, **changes}
    return SearchResult(**fields)


def test_a_hit_says_what_it_is_and_why_it_is_there():
    """Rank, title, version, year, first authors, scores and the best passage with its place are shown."""
    text = rendered(show_result, result(hit()))
    for part in (
        "1  A title",
        "2101.00001v2 · 2021 · Ada Lovelace, Charles Babbage, Mary Somerville and 1 more",
        "score 0.812 · words 12.35 · meaning 0.713",
        "Methods, p. 3: “We measure.”",
        "1 hit in 126 papers · hybrid · 9 ms",
    ):
        assert part in text
    assert "An abstract." not in text


def test_explain_shows_every_passage_and_stage():
    """With --explain each passage has its id, leg and score, and each stage its time."""
    text = rendered(show_result, result(hit()), explain=True)
    assert "2101.00001v2:0:bb · abstract · meaning 0.700" in text
    assert "“An abstract.”" in text
    assert "legs 3.0 ms" in text


def test_signals_without_a_part_are_not_shown():
    """A score of None is left out, and a hit that the graph brought says how far it stands."""
    assert why(hit(bm25_score=None, graph_distance=2, graph_score=0.25)) == (
        "relative score 0.812 · meaning 0.713 · graph 0.250 · 2 citation steps away"
    )


def test_a_hostile_title_is_only_text():
    """Markup stays visible as text and control sequences vanish, in results and answers alike."""
    text = rendered(show_result, result(hit(title=HOSTILE, authors=(HOSTILE,))))
    assert text.count(AS_SHOWN) == 2
    assert not set("\x1b\x9b\u202e") & set(text)


def test_withdrawn_and_pinned_papers_are_marked():
    """A reader sees at once that a paper is withdrawn, or that an older version is pinned."""
    text = rendered(show_result, result(hit(withdrawn="yes", pinned=True)))
    assert "withdrawn" in text
    assert "pinned" in text


def test_no_hits_say_why():
    """An empty result shows its message, not an empty screen."""
    empty = result(
        outcome="filtered out",
        message="3 papers match, none of them passes the filters.",
        metrics=SearchMetrics(hits=0),
    )
    assert "3 papers match, none of them passes the filters." in rendered(show_result, empty)


def test_an_index_without_all_vectors_says_so():
    """Where the semantic leg covers a part only, the summary says how much and what helps."""
    metrics = SearchMetrics(hits=1, works=10, semantic_coverage=0.4)
    assert "40% of the passages are embedded" in rendered(
        show_result, result(hit(), metrics=metrics), width=200
    )


def answer(**changes) -> Answer:
    """An answer with one claim, one reference and one dropped claim."""
    cite = Citation(
        work_id="2401.99001", version=1, passage_id="p", section="Results", page=4, quote="It rose to 10^4."
    )
    fields = {
        "question": "Did it rise?",
        "answer_summary": "It rose.",
        "claims": (Claim(text="It rose to ten thousand.", supporting_citations=(cite,)),),
        "references": (AnswerReference(rank=1, work_id="2401.99001", version=1, title=HOSTILE, year=2024),),
        "confidence": "medium",
        "confidence_factors": {"citations": 1},
        "dropped_claims": (DroppedClaim(text="It fell.", reason="fabricated", evidence="nowhere"),),
        "refinements": ("ask about one field",),
        "route": "extractive",
        "trace_id": "t1",
    }
    return Answer(**{**fields, **changes})


def test_a_claim_stands_with_its_quote_and_place():
    """Each claim carries the mark of its reference, and the verbatim quote with paper, section and page."""
    text = rendered(show_answer, answer())
    assert "It rose to ten thousand. [1]" in text
    assert "[1] “It rose to 10^4.” 2401.99001v1, Results, p. 4" in text
    assert f"[1] {AS_SHOWN}" in text
    assert "Confidence: medium" in text


def test_a_verbatim_claim_is_shown_once():
    """Where the claim is the paper's own sentence, the quote stands for it."""
    cite = Citation(work_id="2401.99001", version=1, passage_id="p", page=4, quote="It rose to 10^4.")
    claims = (Claim(text="It rose to 10^4.", supporting_citations=(cite,)),)
    assert rendered(show_answer, answer(claims=claims)).count("It rose to 10^4.") == 1


def test_dropped_claims_are_counted_and_with_explain_listed():
    """What the verifier took out is never hidden."""
    assert "1 claim dropped by the verifier" in rendered(show_answer, answer())
    assert "fabricated: It fell. (nowhere)" in rendered(show_answer, answer(), explain=True)


def test_an_abstention_shows_what_to_try_and_the_closest_papers():
    """Without claims the references are called what they are, and refinements are offered."""
    text = rendered(show_answer, answer(claims=(), confidence="insufficient_evidence"))
    assert "Confidence: insufficient evidence" in text
    assert "Closest papers" in text
    assert "- ask about one field" in text


def test_a_read_paper_shows_its_outline_and_references():
    """`parse` shows sections with pages and passages, what references resolve to, and the reader's doubts."""
    paper = ReadPaper(
        title="Title",
        sections=(Section(title="Methods", number="2", page=3, path=("Methods",)),),
        passages=(Passage(ordinal=1, section="Methods", page=3, text="t"),),
        references=(Reference(ordinal=1, raw="A. Author, Title", arxiv_id="2101.00001"),),
        quality=Quality(
            pages=9,
            characters=40_000,
            readable=0.99,
            headings=1,
            structure="headings",
            notes=("two columns",),
        ),
        reader="pymupdf",
    )
    text = rendered(show_paper, paper)
    for part in (
        "9 pages · 40,000 characters · 99% readable",
        "2 Methods",
        "1 passage",
        "→ 2101.00001",
        "two columns",
    ):
        assert part in text


def test_reports_name_every_failed_paper():
    """A failure is shown with paper, stage and reason, in harvests and builds alike."""
    failed = FailedPaper(
        work_id="2101.00001",
        version=1,
        stage="fetch",
        error="PDFNotFound",
        message="no PDF for this version",
        tries=3,
    )
    stage = StageReport(stage="fetch", done=4, failed=(failed,), seconds=1.25)
    harvest = HarvestReport(base_url="http://x", from_=date(2024, 1, 1), records=5, new=5, stages=(stage,))
    build = BuildReport(generation="g1", published=True, stages=(stage,), works=4, notes=("look here",))
    for text in (rendered(show_harvest, harvest), rendered(show_build, build, width=200)):
        assert "2101.00001v1, fetch: no PDF for this version (PDFNotFound, tried 3 times)" in " ".join(
            text.split()
        )
    assert "- look here" in rendered(show_build, build)


def test_a_list_shows_what_the_library_holds():
    """Each paper has its id, year, what is there of it, and its marks; an empty library says what to do."""
    work = WorkSummary(
        work_id="2101.00001",
        version=2,
        title=HOSTILE,
        authors=("Ada Lovelace",),
        year=2021,
        withdrawn="yes",
        holds="full text",
    )
    text = rendered(show_list, [work])
    assert f"2101.00001v2  2021  full text  {AS_SHOWN} [withdrawn] · Ada Lovelace" in text
    assert "1 paper, 1 with full text" in text
    assert "citewell add" in rendered(show_list, [])


def test_info_shows_everything_known_of_a_paper():
    """Card, abstract, outline, citations in both directions and failures stand in one view."""
    work = Work(
        work_id="math/0501170",
        version=1,
        title=HOSTILE,
        abstract="We prove.",
        authors=("Ada Lovelace",),
        doi="10.1/x",
    )
    info = WorkInfo(
        work=work, holds="full text", passages=7, cites=("2101.00001",), cited_by=("2101.00002",),
        sections=(Section(title="Proof", number="2", page=3),),
        failures=(FailedPaper(work_id="math/0501170", stage="read", error="DamagedPDF", message="cut off"),),
    )  # fmt: skip
    text = rendered(show_info, info)
    for part in (
        AS_SHOWN, "math/0501170, version 1", "10.1/x", "We prove.", "Outline (7 passages)", "2 Proof · p. 3",
        "Cites (1 in the library)", "2101.00002", "read: cut off (DamagedPDF)",
    ):  # fmt: skip
        assert part in text


def test_many_failures_of_one_kind_are_told_once():
    """A hundred papers without a PDF are one line of ids and one example, not a hundred lines."""
    failed = tuple(
        FailedPaper(work_id=f"2101.{n:05}", stage="fetch", error="PDFNotFound", message="no PDF")
        for n in range(100)
    )
    report = HarvestReport(base_url="http://x", stages=(StageReport(stage="fetch", failed=failed),))
    text = " ".join(rendered(show_harvest, report).split())
    assert "Failed: fetch (100)" in text
    assert "100 papers with PDFNotFound: 2101.00000, 2101.00001" in text
    assert "and 80 more (--json has all)" in text
    assert text.count("no PDF") == 1


def test_an_unsound_index_lists_its_differences():
    """`index check` says that the index differs, and where."""
    report = CheckReport(
        generation="g", works=1, passages=1, vectors=1, lake_works=2, sound=False,
        differences=(Difference(work_id="2101.00001", kind="missing"),),
    )  # fmt: skip
    text = rendered(show_check, report)
    assert "The index is not what the lake says" in text
    assert "- 2101.00001: missing" in text


def test_an_evaluation_is_a_table_of_runs():
    """Every run has a row, every measure a column, to four digits; a missing one is a dash."""
    runs = {"lexical": {"nDCG@10": 0.67891, "p50_ms": 3.21}, "hybrid": {"nDCG@10": 0.71}}
    report = {
        "documents": 5183,
        "queries": 1,
        "build_seconds": 2.0,
        "model": "m",
        "store": "embedded",
        "runs": runs,
    }
    text = rendered(show_evaluation, {**report, "runs": runs})
    assert "5,183 documents, 1 query" in text
    rows = [row.split() for row in text.splitlines()[2:]]
    assert rows == [["run", "nDCG@10", "p50_ms"], ["lexical", "0.6789", "3.2"], ["hybrid", "0.7100", "-"]]


def test_the_doctor_says_what_to_do():
    """Each finding shows its state and, where there is one, the next step."""
    finding = Finding(
        name="index", state="bad", message="3 works are missing", advice="run `citewell index build`"
    )
    text = rendered(show_doctor, DoctorReport(findings=(finding,), sound=False))
    assert "bad  index  3 works are missing" in text
    assert "→ run `citewell index build`" in text


@pytest.mark.parametrize("width", [20, 40, 200])
def test_views_keep_to_the_terminals_width(width):
    """No line is wider than the terminal."""
    text = rendered(show_result, result(hit(title="word " * 50)), width=width)
    assert max(map(len, text.splitlines())) <= width
