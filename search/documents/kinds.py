"""What a section is about, told by its title."""

from __future__ import annotations

import re

from search.models import SectionKind

#: What a list of references is called, alone on its line.
LIST_TITLES = (
    r"references(?: and notes| cited)?|list of references|bibliography|selected bibliography"
    r"|(?:works?|literature|sources) cited|cited (?:works?|literature|references|sources)|literature"
    r"|bibliographie|literatur(?:verzeichnis|angaben)?|quellen(?:verzeichnis|angaben)"
    r"|r[ée]f[ée]rences(?: bibliographiques)?|bibliograf[ií]a|referencias(?: bibliogr[áa]ficas)?"
)
#: Of these, what heads a review of what others wrote as well: early in a paper, or with a number.
_REVIEW = re.compile(r"literature$", re.IGNORECASE)
#: First match wins, so the narrow ones come first. A title is matched from its beginning. English, with the
#: commonest French and German words.
_PATTERNS: tuple[tuple[SectionKind, str], ...] = (
    ("abstract", r"abstract\b|summary$|r[ée]sum[ée]$"),
    (
        "references",
        (
            r"(?:list of )?references?\b(?! (?:frame|model|system|point|data|set))|r[ée]f[ée]rences|bibliogra"
            rf"|(?:{LIST_TITLES})$"
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


def section_kind(title: str, *, appendix: bool = False, review: bool = False) -> SectionKind:
    """Return the kind of a section with this title.

    Args:
        title: without its number.
        appendix: it stands after the appendix began.
        review: it has a number, or stands early in the paper: "Literature" is no list there.

    >>> section_kind("Related Work")
    'related work'
    """
    if review and _REVIEW.match(title):
        return "appendix" if appendix else "related work"
    for kind, pattern in _KINDS:
        if pattern.match(title):
            return kind if not appendix or kind in {"references", "acknowledgements"} else "appendix"
    return "appendix" if appendix else "other"
