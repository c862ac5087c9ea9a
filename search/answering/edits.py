"""A claim that copies its sentence but for a word or two: what those words are decides.

Polarity and figures are compared as sets elsewhere; a claim that is nearly the sentence itself is aligned
with it token by token, so that one "not" put in, one number moved or one "lower" for "higher" is seen
however long the sentence is.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from search.answering.antonyms import opposites
from search.answering.canonical import normalised
from search.answering.polarity import is_negator

#: Share of the claim's tokens that the sentence holds in the same order, for the claim to count as a copy.
NEAR_COPY = 0.7
#: A deleted stretch this short holds a negation and its verb; a longer one is a clause left out as a whole.
SHORT_DELETION = 3

_TOKEN = re.compile(r"[^\W\d_][\w']*|[-+]?\d[\w.,^{}+-]*\w}?|\d|[^\w\s]")


def sensitive_edit(claim: str, evidence: str) -> str | None:
    """Return the change that makes a near copy say something else, or None."""
    ours, theirs = _tokens(claim), _tokens(evidence)
    matcher = SequenceMatcher(None, theirs, ours, autojunk=False)
    blocks = [b for b in matcher.get_matching_blocks() if b.size]
    if not ours or sum(b.size for b in blocks) < NEAR_COPY * len(ours):
        return None
    for tag, a, b, c, d in matcher.get_opcodes():
        at_an_end = tag == "delete" and (a == 0 or b == len(theirs))
        if tag != "equal" and not at_an_end:
            why = _changed(theirs[a:b], ours[c:d])
            if why:
                return why
    return None


def _tokens(text: str) -> list[str]:
    return [t.lower().rstrip(".,") or t for t in _TOKEN.findall(normalised(text))]


def _changed(old: list[str], new: list[str]) -> str | None:
    added = sum(map(is_negator, new))
    removed = sum(map(is_negator, old))
    if added != removed and (added > removed or len(old) <= SHORT_DELETION or new):
        return f"the claim changes a negation (“{' '.join(old)}” to “{' '.join(new)}”)"
    numbers = [t for t in new if t[-1].isdigit() and t not in old]
    if numbers:
        return f"the claim puts {numbers[0]} where the quote has “{' '.join(old)}”"
    for one in old:
        for other in new:
            if opposites(one, other):
                return f"the claim says {other}, the quote {one}"
    return None
