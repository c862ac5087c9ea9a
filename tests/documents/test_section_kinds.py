"""What a section is about, by its title."""

from __future__ import annotations

import pytest

from search.documents.kinds import section_kind


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
