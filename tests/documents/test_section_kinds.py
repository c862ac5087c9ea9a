"""What a section is about, by its title."""

from __future__ import annotations

import pytest

from search.documents.kinds import section_kind
from search.documents.levels import Heading
from search.documents.lines import TextLine
from search.documents.sections import has_list


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("ABSTRACT", "abstract"),
        ("Introduction and Results", "introduction"),
        ("Background and Related Work", "related work"),
        ("Problem Definition", "methods"),
        ("Proposed Approaches", "methods"),
        ("Data Preparation", "methods"),
        ("Experimental Evaluation", "experiments"),
        ("Study 2: Field Deployment", "experiments"),
        ("Comparisons with Data and Predictions", "results"),
        ("Main Results", "results"),
        ("Proof of the Main Theorem", "other"),
        ("Limitations and Future Work", "discussion"),
        ("Discussion and Conclusions", "conclusion"),
        ("Conclusion & Future Work", "conclusion"),
        ("References", "references"),
        ("Reference Frames of Observers", "other"),
        ("Literaturverzeichnis", "references"),
        ("Literature", "references"),
        ("Works Cited", "references"),
        ("Références", "references"),
        ("Literature Review", "related work"),
        ("Cited Examples", "other"),
        ("Acknowledgments", "acknowledgements"),
        ("Appendix", "appendix"),
        ("Hidden Variables", "other"),
    ],
)
def test_titles_of_papers(title, kind):
    """Titles as papers print them have the kind that a reader would give them."""
    assert section_kind(title) == kind


def test_all_after_the_appendix_began_belongs_to_it():
    """An appendix on data is appendix; a list of references in it stays one."""
    assert section_kind("Data and preprocessing", appendix=True) == "appendix"
    assert section_kind("Proof of Theorem 3", appendix=True) == "appendix"
    assert section_kind("References", appendix=True) == "references"


def test_literature_is_a_review_early_in_a_paper():
    """With a number, or early in a paper, "Literature" is what others wrote; "References" never is."""
    assert section_kind("Literature", review=True) == "related work"
    assert section_kind("References", review=True) == "references"


def test_where_a_paper_has_its_list():
    """ "Literature" heads a list without a number and behind the paper's beginning only."""
    lines = [TextLine(1, 0, 0, [], 1, 0, 0, 0, 0, "Lead", 10, "Roman", 0, 0.0, 0.0)] * 10
    late, early = (Heading(start, start + 1, "Literature", None, 1, 1) for start in (8, 1))
    numbered = Heading(8, 9, "Literature", "2", 1, 1)
    assert [has_list(lines, [heading]) for heading in (late, early, numbered)] == [True, False, False]
