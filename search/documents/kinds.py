"""What a section is about, told by its title."""

from __future__ import annotations

import re

from search.models import SectionKind

#: First match wins, so the narrow ones come first. A title is matched from its beginning. English, with the
#: commonest French and German words.
_PATTERNS: tuple[tuple[SectionKind, str], ...] = (
    ("abstract", r"abstract\b|summary$|r[ée]sum[ée]$"),
    (
        "references",
        (
            r"(?:list of )?references?\b(?! (?:frame|model|system|point|data|set))|r[ée]f[ée]rences|bibliogra"
            r"|works cited|literature cited|literatur(?:verzeichnis)?$"
        ),
    ),
    ("acknowledgements", r"acknowledge?m|acknowledg|remerciements|danksagung"),
    # What proves a result is no result: "Proof of the main theorem", "Overview of the proof …".
    ("other", r"(?:.*\b)?proofs? of\b|(?:example )?applications of\b"),
    (
        "related work",
        (
            r".*\b(?:related|previous|prior|earlier) (?:work|literature|research|stud|approach)"
            r"|literature (?:review|survey)"
        ),
    ),
    ("introduction", r"introduction\b|introductory|motivation$|overview$|einleitung|einf[üu]hrung"),
    ("discussion", r"limitations?\b|broader impact"),
    (
        "conclusion",
        (
            r"(?:.*\band )?(?:conclu(?:sion|d)|summary|outlook|future (?:work|direction)|final remarks"
            r"|closing remarks|zusammenfassung|schluss)"
        ),
    ),
    ("discussion", r"discussion"),
    (
        "experiments",
        (
            r".*\b(?:experiment|evaluation|ablation|empirical|simulation|benchmark|case stud"
            r"|numerical (?:test|stud|example))|(?:(?:user|field|pilot|human|controlled) )?stud(?:y|ies)\b"
        ),
    ),
    (
        "results",
        r".*\b(?:results?|findings|observations)\b|(?:the )?main theorems?\b|comparisons? (?:of|with|to)\b",
    ),
    ("appendix", r"appendi|supplement|additional (?:details|proofs|results|experiments)"),
    (
        "methods",
        (
            r".*\b(?:methods?|methodology|approach(?:es)?|models?|algorithms?|architecture|framework|procedure"
            r"|implementation|data ?sets?|materials|preliminaries|setup|formulation|notations?)\b"
            r"|(?:.*\band )?data\b|background\b|(?:problem|task) (?:definition|setting)|system design"
        ),
    ),
)
_KINDS = [(kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _PATTERNS]


def section_kind(title: str, *, appendix: bool = False) -> SectionKind:
    """Return the kind of a section with this title; `appendix` says that it stands after the appendix began.

    >>> section_kind("Related Work")
    'related work'
    """
    for kind, pattern in _KINDS:
        if pattern.match(title):
            return kind if not appendix or kind in {"references", "acknowledgements"} else "appendix"
    return "appendix" if appendix else "other"
