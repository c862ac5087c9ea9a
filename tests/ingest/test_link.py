"""From reference lists to citation edges."""

# ruff: noqa: RUF001 - the characters are meant as they are
from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from search.arxiv.records import ArxivRecord
from search.ingest.link import link
from search.lake.batch import Outcome, read_batch
from search.lake.facts import ArxivFact, UserFact
from search.lake.lake import Lake
from search.lake.shares import Share
from search.lake.titles import titles_path
from search.models import Passage, Quality, ReadPaper, Reference, Version

MOMENT = datetime(2024, 3, 1, tzinfo=UTC)


@pytest.fixture
def lake(tmp_path):
    """An empty lake."""
    return Lake(str(tmp_path / "lake"), tmp_path / "cache")


def work(lake, work_id, title, *, authors=("Ada Lovelace",), versions=1, **fields):
    """Bring a work's metadata into the lake."""
    history = tuple(Version(number=n, date=MOMENT) for n in range(1, versions + 1))
    record = ArxivRecord(
        work_id=work_id, format="arXivRaw", title=title, authors=authors, versions=history, **fields
    )
    fact = ArxivFact(
        work_id=work_id, version=versions, datestamp=date(2024, 3, 1), response_date=MOMENT, record=record
    )
    lake.write_facts([fact])


def read(lake, work_id, *raws, version=1, text="", links=(), titles=None):
    """Bring a read paper with these references into the lake."""
    references = tuple(
        Reference(
            ordinal=n,
            raw=f"[{n}] {raw}",
            label=str(n),
            title=(titles or {}).get(n),
            doi=dict(links).get(n),
        )
        for n, raw in enumerate(raws, start=1)
    )
    paper = ReadPaper(
        title="T",
        passages=(Passage(ordinal=1, text=text),) if text else (),
        references=references,
        quality=Quality(pages=1, characters=10, readable=1.0, headings=0, structure="whole paper"),
        reader="test/1",
    )
    lake.write_papers([(work_id, version, paper)], [Outcome(work_id, version)])


def edges(lake, work_id):
    """What a work cites: (cited, source)."""
    return [(edge["cited"], edge["source"]) for edge in lake.catalogue.state(work_id).edges]


def test_what_is_printed_is_cited(lake):
    """Ids in all forms, several in one entry, arXiv's own DOIs; a DOI where no id stands; not itself."""
    work(lake, "2403.00001", "Weighing feathers in still air")
    read(
        lake, "2403.00001",
        "A. Cox, Phys. Lett. B 4, 1 (1998) [arXiv:hep-th/9711200]; ibid. 5, 2 [hep-lat/9801031].",
        "B. Dee. Lead. arXiv preprint arXiv:2101.12345v2, 2021.",
        "C. Eve. Tin. https://doi.org/10.48550/arXiv.2203.00001",
        "D. Fox. Zinc. J. Ores 3. doi:10.1000/ABC.1.",
        "A. Lovelace. Weighing feathers in still air. arXiv:2403.00001.",
        "B. Dee. Lead, again. arXiv:2101.12345.",
    )  # fmt: skip
    assert link(lake).done == 1
    assert edges(lake, "2403.00001") == [
        ("arxiv:hep-th/9711200", "reference"),
        ("arxiv:hep-lat/9801031", "reference"),
        ("arxiv:2101.12345", "reference"),
        ("arxiv:2203.00001", "reference"),
    ]
    read(lake, "2403.00001", "D. Fox. Zinc. J. Ores 3. doi:10.1000/ABC.1.", links=[(1, "10.1000/abc.1")])
    link(lake)
    assert edges(lake, "2403.00001") == [("doi:10.1000/abc.1", "reference")]


def test_an_edge_keeps_the_sentence_that_cites(lake):
    """The first sentence in which the mark stands goes with the edge."""
    work(lake, "2403.00001", "Weighing feathers")
    text = "Feathers weigh little. That was shown before [1, 2]. It is known [2]."
    read(lake, "2403.00001", "A. Cox. arXiv:2101.00001.", "B. Dee. arXiv:2101.00002.", text=text)
    link(lake)
    sentences = [edge["sentence"] for edge in lake.catalogue.state("2403.00001").edges]
    assert sentences == ["That was shown before [1, 2]."] * 2


def test_titles_and_dois_lead_to_the_librarys_works(lake):
    """A reference without an id is matched by its title, one with a DOI by the work that states it."""
    work(lake, "2403.00001", "A paper that cites")
    work(lake, "2403.00002", "Weighing feathers in $\\alpha$-still air")
    work(lake, "2403.00003", "On tin", doi="10.1000/Tin.7")
    read(
        lake, "2403.00001",
        "A. Lovelace. Weighing feathers in α-still air. J. Air, 2024.",
        "C. Eve, Metals 4, 5 (2023).",
        links=[(2, "10.1000/tin.7")],
    )  # fmt: skip
    link(lake)
    found = lake.catalogue.state("2403.00001").edges
    assert [edge["cited"] for edge in found] == ["arxiv:2403.00002", "arxiv:2403.00003"]
    assert found[0]["source"] == "title"
    assert found[0]["confidence"] < 1.0


def test_it_does_not_matter_which_paper_came_first(lake):
    """A paper is linked again when a work that it cites by title or DOI comes in, and then only once."""
    work(lake, "2403.00001", "A paper that cites")
    raws = ["A. Lovelace. Weighing feathers in still air. J. Air, 2024.", "C. Eve, Metals 4, 5 (2023)."]
    titles = {1: "Weighing feathers in still air"}
    read(lake, "2403.00001", *raws, titles=titles, links=[(2, "10.1000/tin.7")])
    link(lake)
    assert edges(lake, "2403.00001") == [("doi:10.1000/tin.7", "link")]
    work(lake, "2403.00002", "Weighing Feathers in Still Air")
    work(lake, "2403.00003", "On tin", doi="10.1000/Tin.7")
    assert link(lake, share=Share(1 - Share(0, 2).holds("2403.00001"), 2)).done == 1
    assert edges(lake, "2403.00001") == [("arxiv:2403.00002", "title"), ("arxiv:2403.00003", "link")]
    assert link(lake).done == 0
    work(lake, "2403.00004", "Another paper about feathers in general")
    assert link(lake).done == 0


def test_the_order_of_files_does_not_matter_either(lake, tmp_path):
    """A cache made anew from the same lake knows the same: nothing is due, or the same paper is."""
    work(lake, "2403.00001", "A paper that cites")
    titles = {1: "Weighing feathers in still air"}
    read(lake, "2403.00001", "A. Lovelace. Weighing feathers in still air. J. Air, 2024.", titles=titles)
    link(lake)
    work(lake, "2403.00002", "Weighing Feathers in Still Air")
    other = Lake(str(tmp_path / "lake"), tmp_path / "other cache")
    other.catalogue.refresh()
    other.titles.refresh()
    assert other.titles.to_link_again() == ["2403.00001"]
    assert link(lake).done == 1
    other = Lake(str(tmp_path / "lake"), tmp_path / "third cache")
    other.catalogue.refresh()
    other.titles.refresh()
    assert other.titles.to_link_again() == []


def test_a_new_version_replaces_its_own_edges(lake):
    """What version 1 cited and version 2 does not is no edge any more; a service's edges stay."""
    work(lake, "2403.00001", "A paper that cites")
    read(lake, "2403.00001", "A. Cox. arXiv:2101.00001.")
    link(lake)
    told = [{"cited": "doi:10.1/x", "source": "crossref", "confidence": 0.9, "sentence": ""}]
    lake.write_edges(
        [{"work_id": "2403.00001", "version": 0, "source": "crossref", "paper": 0, "edges": told}],
        [Outcome("2403.00001")],
    )
    work(lake, "2403.00001", "A paper that cites", versions=2)
    read(lake, "2403.00001", "B. Dee. arXiv:2101.00002.", version=2)
    link(lake)
    assert edges(lake, "2403.00001") == [("doi:10.1/x", "crossref"), ("arxiv:2101.00002", "reference")]


def test_a_removed_or_retitled_work_is_not_found_by_its_old_title(lake):
    """The titles follow the works: a removed one leaves, a new version's title replaces the old."""
    raw = "A. Lovelace. Weighing feathers in still air. J. Air, 2024."
    work(lake, "2403.00002", "Weighing feathers in still air")
    lake.catalogue.refresh()
    lake.titles.refresh()
    assert lake.titles.find(raw).work_id == "2403.00002"
    work(lake, "2403.00002", "Weighing feathers in a vacuum", versions=2)
    lake.catalogue.refresh()
    lake.titles.refresh()
    assert lake.titles.find(raw) is None
    work(lake, "2403.00002", "Weighing feathers in still air", versions=3)
    lake.write_facts([UserFact(work_id="2403.00002", topic="removed", value=1)])
    lake.catalogue.refresh()
    lake.titles.refresh()
    assert lake.titles.find(raw) is None


def test_titles_that_are_no_database_any_more_are_made_again(lake):
    """Zeros where a power cut ended a write cost nothing but the time to fold."""
    raw = "A. Lovelace. Weighing feathers in still air. J. Air, 2024."
    work(lake, "2403.00002", "Weighing feathers in still air")
    lake.catalogue.refresh()
    lake.titles.refresh()
    titles_path(lake.catalogue.paths()[0]).write_bytes(b"\0" * 8192)
    lake.titles.refresh()
    assert lake.titles.find(raw).work_id == "2403.00002"


def test_forgetting_the_catalogue_forgets_the_titles(lake, tmp_path):
    """Both caches hold what papers say; both are thrown away together, and made again."""
    work(lake, "2403.00002", "Weighing feathers in still air")
    lake.catalogue.refresh()
    lake.titles.refresh()
    assert list((tmp_path / "cache").glob("titles-*"))
    lake.catalogue.forget()
    assert not list((tmp_path / "cache").glob("titles-*"))
    lake.catalogue.refresh()
    lake.titles.refresh()
    assert lake.titles.find("A. Lovelace. Weighing feathers in still air. J. Air, 2024.")


def test_only_the_share_is_linked(lake):
    """Each task links the papers of its own share; together they link all, each once."""
    for number in range(1, 9):
        work(lake, f"2403.0000{number}", f"Paper number {number}")
        read(lake, f"2403.0000{number}", "A. Cox. arXiv:2101.00001.")
    done = [link(lake, share=Share(n, 3)).done for n in range(3)]
    assert sum(done) == 8
    assert link(lake).done == 0
    names = [name for name in lake.files.names("edges") if name.endswith(".jsonl")]
    assert sorted(r["work_id"] for name in names for r in read_batch(lake.files, name).records) == [
        f"2403.0000{n}" for n in range(1, 9)
    ]
