"""What a section is about, told by its title."""

from __future__ import annotations

import re

from search.models import SectionKind

#: First match wins, so the narrow ones come first. A title is matched from its beginning.
_PATTERNS: dict[SectionKind, str] = {
    "abstract": r"abstract\b|summary$|r[ée]sum[ée]$",
    "references": r"(?:list of )?references?\b(?! (?:frame|model|system|point|data|set))|bibliograph"
    r"|works cited|literature cited",
    "acknowledgements": r"acknowledge?m|acknowledg",
    "related work": r".*\b(?:related|previous|prior|earlier) (?:work|literature|research|stud|approach)"
    r"|literature (?:review|survey)",
    "introduction": r"introduction\b|introductory|motivation$|overview$",
    "conclusion": r"(?:.*\band )?(?:conclusion|conclud|summary|outlook|future (?:work|direction)"
    r"|final remarks|closing remarks)",
    "discussion": r"discussion|limitations?\b|broader impact",
    "experiments": r".*\b(?:experiment|evaluation|ablation|empirical|simulation|benchmark|case stud"
    r"|numerical (?:test|stud|example))",
    "results": r".*\b(?:results?|findings|main theorem|observations)\b",
    "appendix": r"appendi|supplement|additional (?:details|proofs|results|experiments)",
    "methods": r".*\b(?:methods?|methodology|approach|models?|algorithms?|architecture|framework|procedure"
    r"|implementation|data ?sets?|data|materials|preliminar\w*|setup|formulation|notation)\b",
}
_KINDS = [(kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _PATTERNS.items()]


def section_kind(title: str, *, appendix: bool = False) -> SectionKind:
    """Return the kind of a section with this title; `appendix` says that it stands after the appendix began.

    >>> section_kind("Related Work")
    'related work'
    """
    for kind, pattern in _KINDS:
        if pattern.match(title):
            return kind if not appendix or kind in {"references", "acknowledgements"} else "appendix"
    return "appendix" if appendix else "other"
