"""Which papers get full text: the file, the ranking, the reasons, and what `fetch` makes of them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.arxiv.bulk import BulkPDFs, bulk_path
from search.arxiv.identifiers import Identifier
from search.arxiv.oai import OAIClient
from search.arxiv.transport import Transport
from search.demo.server import DemoRecord, DemoVersion, LoopbackArxiv
from search.errors import NotAPDF, PDFNotFound, SettingsError, TruncatedPDF
from search.ingest.fetch import fetch
from search.ingest.harvest import harvest, harvest_ids
from search.ingest.selection import Selection, candidate, choose, keyword_pattern, read_selection
from search.ingest.wanted import explain
from search.lake.lake import Lake
from search.models import Work

TODAY = date(2026, 11, 22)
PDF = b"%PDF-1.5\n" + b"x" * 2000 + b"\n%%EOF\n"


def work(number, **fields):
    """A paper of a year ago on something."""
    fields = {
        "title": f"Paper {number}", "abstract": "On something.", "categories": ("cs.IR",),
        "published": date(2025, 11, 22),
    } | fields  # fmt: skip
    return Work(work_id=f"2511.{number:05}", **fields)


def selection(**entries):
    return Selection.model_validate(entries)


def chosen(wanted, works, **options):
    """The choices by the paper's number."""
    candidates = [candidate(wanted, work) for work in works]
    return {int(c.work_id[5:]): c for c in choose(wanted, candidates, today=TODAY, **options)}


# ------------------------------------------------------------------ the file
def test_the_page_of_the_documentation_is_a_selection(tmp_path):
    """The file that docs/selection.md shows is read as it stands there."""
    from pathlib import Path

    page = Path(__file__).parents[2] / "docs" / "selection.md"
    file = tmp_path / "selection.toml"
    file.write_text(page.read_text(encoding="utf-8").split("```toml\n")[1].split("```")[0])
    wanted = read_selection(file)
    assert (wanted.categories, wanted.budget, wanted.half_life) == (("cs.CL", "cs.IR", "stat"), 2000, 3.0)
    assert (wanted.from_, wanted.until) == (date(2020, 1, 1), date(2026, 12, 31))
    assert wanted.keywords == (("retrieval", "search engine"), ("language model*", "LLM"))


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("categories = [", "no TOML"),
        ("category = ['cs.CL']", "category"),
        ("budget = -1", "budget"),
        ("budget = 'many'", "budget"),
        ("keywords = ['retrieval']", "keywords"),
        ("from = 'soon'", "from"),
        ("half_life = 0", "half_life"),
        ("\xff", "no TOML"),
    ],
)
def test_a_file_that_cannot_be_meant(tmp_path, content, why):
    """A wrong entry is refused by name before anything is fetched."""
    file = tmp_path / "selection.toml"
    file.write_bytes(content.encode("latin-1"))
    with pytest.raises(SettingsError, match=f"CITEWELL_SELECTION.*{why}"):
        read_selection(file)


def test_a_file_that_is_not_there(tmp_path):
    """A setting that points nowhere is an error; no setting is no selection."""
    with pytest.raises(SettingsError, match="No such file"):
        read_selection(tmp_path / "nothing.toml")
    assert read_selection(None) is None


# ------------------------------------------------------------------ matching
@pytest.mark.parametrize(
    ("keyword", "text", "found"),
    [
        ("retrieval", "Dense Retrieval.", True),
        ("retrieval", "retrievals", False),
        ("retriev*", "retrievals", True),
        ("language model*", "large language-\nmodels", True),
        ("LLM", "an llm", True),
        ("LLM", "LLMs", False),
        ("C++", "in C++ and", True),
        ("", "anything", False),
        ("(", "f(x", False),
    ],
)
def test_keywords_are_whole_words(keyword, text, found):
    """Case, hyphens and line ends do not matter, word boundaries do; nothing in a keyword is a pattern."""
    assert bool(keyword_pattern([keyword]).search(text)) is found


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"categories": ("math.CO",)}, "none of its categories (math.CO)"),
        ({"categories": ()}, "none of its categories (none)"),
        ({"categories": ("cs",)}, "none of its categories (cs)"),
        ({"published": date(2019, 12, 31)}, "before 2020-01-01"),
        ({"published": None}, "is not known"),
        ({"title": "Sparse", "abstract": "Nothing."}, "neither title nor abstract holds dense or late"),
    ],
)
def test_what_does_not_match_says_why(fields, why):
    """Each condition that fails is named, with what the paper has instead."""
    wanted = selection(categories=["cs.IR", "stat"], **{"from": "2020-01-01"}, keywords=[["dense", "late"]])
    choice = chosen(wanted, [work(1, **{"title": "Dense"} | fields)])[1]
    assert (choice.fetch, choice.standing) == (False, "does not match")
    assert why in choice.why


def test_a_title_counts_more_than_an_abstract_and_the_first_category_more_than_the_others():
    """Two equally old papers are ranked by where the words stand and which category is the first."""
    wanted = selection(categories=["cs"], keywords=[["dense"]], budget=1)
    found = chosen(
        wanted,
        [
            work(1, abstract="A dense one."),
            work(2, title="Dense"),
            work(3, title="Dense", categories=("math.CO", "cs.LG")),
        ],
    )
    assert found[2].rank == 1
    assert found[2].relevance == 1.0
    assert found[1].relevance == found[3].relevance == 0.75
    assert [n for n in found if found[n].fetch] == [2]
    assert "cs.LG is a cross-listing" in found[3].why
    assert found[1].standing == "over budget"
    assert "place 3 of 3" in found[1].why


def test_recent_papers_come_first():
    """Of equally relevant papers the newer one is fetched, and recency halves in the time that is set."""
    wanted = selection(budget=1, half_life=1.0)
    found = chosen(wanted, [work(1), work(2, published=TODAY), work(3, published=None)])
    assert [n for n in found if found[n].fetch] == [2]
    assert found[2].recency == 1.0
    assert found[1].recency == pytest.approx(0.5, abs=0.01)
    assert found[3].recency == 0.0


def test_the_budget_counts_what_is_there():
    """Papers with full text use the budget up; those that were asked for by name come on top, and count."""
    works = [work(n) for n in range(1, 6)]
    found = chosen(selection(budget=4), works, holding=2, asked_for=frozenset({"2511.00001"}))
    assert [n for n in found if found[n].fetch] == [1, 5]
    assert found[1].standing == "asked for"
    assert [c.fetch for c in chosen(selection(budget=2), works, holding=9).values()] == [False] * 5


def test_withdrawn_papers_and_those_that_wait_take_no_place():
    """A withdrawn paper is never fetched; one that was refused waits and leaves its place to another."""
    works = [work(1, withdrawn="yes"), work(2), work(3)]
    found = chosen(selection(budget=1), works, waiting={"2511.00003": "refused 2 times"})
    assert {n: found[n].standing for n in found} == {1: "withdrawn", 2: "chosen", 3: "waits"}
    assert found[3].why == "refused 2 times"


@given(
    st.lists(st.tuples(st.sampled_from(["cs.IR", "math.CO"]), st.integers(0, 4000)), max_size=30),
    st.integers(0, 12),
)
def test_every_paper_has_one_choice_and_the_best_are_chosen(papers, budget):
    """Nobody is passed over without a reason, the budget holds, and no better paper is left out."""
    works = [
        work(n, categories=(category,), published=TODAY - timedelta(days=age))
        for n, (category, age) in enumerate(papers)
    ]
    found = chosen(selection(categories=["cs.IR"], budget=budget), works)
    assert set(found) == set(range(len(works)))
    assert all(choice.why for choice in found.values())
    inside = [c.score for c in found.values() if c.fetch]
    outside = [c.score for c in found.values() if c.standing == "over budget"]
    assert len(inside) == min(budget, len(inside) + len(outside))
    assert not (inside and outside) or min(inside) >= max(outside)


# ------------------------------------------------------------------ fetching
@pytest.fixture
def lake(tmp_path):
    return Lake(str(tmp_path / "lake"), tmp_path / "cache")


@pytest.fixture
def arxiv(lake):
    """A loopback arXiv with six papers and their PDFs, harvested."""
    records = [
        DemoRecord(
            id=f"2402.0000{n}", title=f"Dense retrieval {n}" if n % 2 else f"Knots {n}", abstract="Words.",
            versions=(DemoVersion(datetime(2024, 2, n, 8, tzinfo=UTC)),),
        )
        for n in range(1, 7)
    ]  # fmt: skip
    pdfs = {f"2402.0000{n}v1": PDF for n in range(1, 7)}
    with LoopbackArxiv(records, pdfs) as server, Transport(contact=None, interval=0) as transport:
        client = OAIClient(server.oai_url, transport)
        harvest(lake, client, base_url=server.oai_url, from_=date(2024, 2, 1), until=date(2024, 2, 28))
        yield server


@pytest.fixture
def take(lake, arxiv):
    """Fetch from that server; return the ids in the order in which they were asked for."""

    def run(**options):
        before = len(arxiv.requests("/pdf"))
        with Transport(contact=None, interval=0, kind="pdf", tries=1, sleep=lambda _: None) as transport:
            fetch(lake, transport, base_url=arxiv.pdf_url, **options)
        return [request.path[-7:] for request in arxiv.requests("/pdf")[before:]]

    return run


DENSE = {"keywords": [["dense"]], "budget": 2}


def test_only_what_is_selected_is_fetched(take, lake):
    """The newest two of the three that match are fetched, the best first; nothing more later."""
    assert take(selection=selection(**DENSE)) == ["00005v1", "00003v1"]
    assert take(selection=selection(**DENSE)) == []
    assert take(selection=selection(**DENSE | {"budget": 3})) == ["00001v1"]
    assert len(take()) == 3


def test_a_paper_that_was_asked_for_is_fetched_whatever_is_selected(take, lake, arxiv):
    """`add` of a paper that does not match, its PDF lost on the way: the next fetch brings it."""
    with Transport(contact=None, interval=0) as transport:
        harvest_ids(lake, OAIClient(arxiv.oai_url, transport), [Identifier("2402.00002")])
    assert take(selection=selection(**DENSE)) == ["00002v1", "00005v1"]
    assert take(selection=selection(budget=0), ids=["2402.00004"]) == ["00004v1"]


def test_a_failed_paper_is_never_passed_over(take, lake, arxiv, monkeypatch):
    """A 404 leaves its place to the next best, is told of, and is tried again when its day has passed."""
    import time

    pdf = arxiv.pdfs.pop("2402.00005v1")
    assert take(selection=selection(**DENSE)) == ["00005v1", "00003v1"]
    (failure,) = lake.catalogue.failures()
    assert (failure.work_id, failure.error, failure.tries) == ("2402.00005", "PDFNotFound", 1)
    report = explain(lake, selection(**DENSE))
    waits = next(c for c in report.choices if c.work_id == "2402.00005")
    assert waits.standing == "waits"
    assert "refused 1 times" in waits.why
    assert take(selection=selection(**DENSE)) == ["00001v1"]
    arxiv.pdfs["2402.00005v1"] = pdf
    later = time.time_ns() + int(timedelta(days=1.1).total_seconds() * 1e9)
    monkeypatch.setattr("time.time_ns", lambda: later)
    assert take(selection=selection(**DENSE | {"budget": 3})) == ["00005v1"]
    assert lake.catalogue.failures() == []


def test_explaining_fetches_nothing_and_tells_of_everybody(take, lake, arxiv):
    """Each paper has a reason, the counts are of all, and no PDF was asked for."""
    take(ids=["2402.00001"])
    report = explain(lake, selection(**DENSE), file="s.toml", limit=1)
    assert report.counts == {"chosen": 1, "over budget": 1, "does not match": 3, "has full text": 1}
    assert (report.holding, report.budget, report.file) == (1, 2, "s.toml")
    assert [c.work_id for c in report.choices] == ["2402.00005"]
    named = explain(lake, None, ids=["2402.00001", "2402.00002"]).choices
    assert [(c.work_id, c.standing) for c in named] == [
        ("2402.00002", "chosen"),
        ("2402.00001", "has full text"),
    ]
    assert len(arxiv.requests("/pdf")) == 1


def test_only_what_changed_is_looked_at_again(take, lake, arxiv, monkeypatch):
    """The second run looks at what has changed since, and sees it; another selection looks anew."""
    looked = []
    states = lake.catalogue.states

    def counted(ids, *rest):
        looked.append(list(ids))
        return states(looked[-1], *rest)

    monkeypatch.setattr(lake.catalogue, "states", counted)
    wanted = selection(keywords=[["knots"]])
    assert take(selection=wanted, limit=1) == ["00006v1"]
    assert len(looked) == 1
    arxiv.put(
        DemoRecord(
            id="2402.00003", title="Knots after all", abstract="Words.", datestamp=date(2024, 2, 9),
            versions=(DemoVersion(datetime(2024, 2, 3, 8, tzinfo=UTC)),),
        )
    )  # fmt: skip
    with Transport(contact=None, interval=0) as transport:
        client = OAIClient(arxiv.oai_url, transport)
        harvest(lake, client, base_url=arxiv.oai_url, from_=date(2024, 2, 9), until=date(2024, 2, 28))
    assert take(selection=wanted, limit=2) == ["00004v1", "00003v1"]
    assert [len(ids) for ids in looked[1:]] == [1]
    assert take(selection=selection(**DENSE)) == []


# ------------------------------------------------------------------ the bucket
@pytest.fixture
def bucket(tmp_path):
    """A folder laid out as the public bucket."""
    root = tmp_path / "bucket"
    for name, content in {
        "arxiv/pdf/2402/2402.00001v1.pdf": PDF,
        "arxiv/pdf/2402/2402.00002v1.pdf": b"<html><title>Sorry</title></html>",
        "arxiv/pdf/2402/2402.00003v1.pdf": PDF[:-10],
        "hep-th/pdf/9901/9901001v2.pdf": PDF,
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    return root


def test_paths_of_the_bucket():
    """New identifiers lie by month under arxiv, old ones by month under their archive."""
    assert bulk_path("0704.0001", 1) == "arxiv/pdf/0704/0704.0001v1.pdf"
    assert bulk_path("cond-mat/0001001", 3) == "cond-mat/pdf/0001/0001001v3.pdf"


def test_a_pdf_of_the_bucket_is_checked_as_one_of_arxiv(bucket):
    """A whole one arrives; a page, a cut file, a missing and an endless one are refused by name."""
    pdfs = BulkPDFs(bucket.as_uri())
    assert pdfs.download("hep-th/9901001", 2).content == PDF
    with pytest.raises(NotAPDF, match="Sorry"):
        pdfs.download("2402.00002", 1)
    with pytest.raises(TruncatedPDF, match="end-of-file"):
        pdfs.download("2402.00003", 1)
    with pytest.raises(PDFNotFound, match=r"2402\.00009v1\.pdf is not there"):
        pdfs.download("2402.00009", 1)
    with pytest.raises(NotAPDF, match="larger"):
        pdfs.download("2402.00001", 1, largest=100)


def test_what_the_bucket_lacks_comes_from_arxiv(bucket, take, lake, arxiv):
    """Whole files of the bucket are taken from there, broken and missing ones from arXiv."""
    assert take(bulk=BulkPDFs(str(bucket))) == ["00006v1", "00005v1", "00004v1", "00003v1", "00002v1"]
    assert [state.pdf is not None for state in lake.catalogue.states(lake.catalogue.work_ids())] == [True] * 6
    assert lake.files.read(lake.pdf_name("2402.00001", 1)) == PDF


def test_a_bucket_that_cannot_be(tmp_path):
    """An address that no file system is known for is a settings error."""
    with pytest.raises(SettingsError, match="CITEWELL_PDF_BULK_URL"):
        BulkPDFs("nonsense://x")
