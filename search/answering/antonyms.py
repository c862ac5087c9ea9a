"""Words that say yes and words that say no of the same thing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

#: A line is a pair: what stands left of the bar excludes what stands right of it. "Lower" stands twice:
#: it is a verb and a comparative.
_PAIRS_TEXT = """
increase increases increased increasing raise raises raised raising rise rises rose rising grow grows grew
growing growth elevate elevates elevated enhance enhances enhanced enhancing boost boosts boosted gain gains
upregulate upregulates upregulated upregulation accelerate accelerates accelerated |
decrease decreases decreased decreasing reduce reduces reduced reducing reduction drop drops dropped
dropping decline declines declined declining lower lowers lowered lowering diminish diminishes diminished
shrink shrinks downregulate downregulates downregulated downregulation suppress suppresses suppressed
attenuate attenuates attenuated loss losses decelerate decelerates decelerated;
improve improves improved improving improvement improvements rescue rescues rescued |
worsen worsens worsened worsening degrade degrades degraded degrading degradation deteriorate deteriorates
deteriorated deterioration harm harms harmed hurt hurts impair impairs impaired damage damages damaged;
higher larger greater bigger more highest largest greatest most |
lower smaller fewer less lowest smallest fewest least;
high large | low small;
better best superior outperform outperforms outperformed outperforming surpass surpasses surpassed exceed
exceeds exceeded beat beats |
worse worst inferior underperform underperforms underperformed underperforming;
faster fastest quicker fast | slower slowest slow;
longer longest long | shorter shortest short;
stronger strongest strong | weaker weakest weak;
positive positively | negative negatively;
present presence | absent absence;
easy easier easily | hard harder difficult;
succeed succeeds succeeded success successful successfully |
fail fails failed failing failure unsuccessful unsuccessfully;
accept accepts accepted | reject rejects rejected;
support supports supported confirm confirms confirmed | contradict contradicts contradicted refute refutes
refuted;
promote promotes promoted activate activates activated activation induce induces induced stimulate
stimulates stimulated |
inhibit inhibits inhibited inhibition block blocks blocked prevent prevents prevented inactivate
inactivates inactivated deactivate deactivates deactivated impede impedes impeded;
maximum maximal maximize maximizes | minimum minimal minimize minimizes;
before | after;
above | below;
early earlier | late later;
sufficient enough | insufficient;
significant significantly | insignificant insignificantly;
possible | impossible;
likely | unlikely;
correct correctly true | incorrect incorrectly false wrong;
similar same equal identical | different dissimilar unequal distinct;
dependent | independent;
related | unrelated;
converge converges converged convergent | diverge diverges diverged divergent;
linear | nonlinear non-linear;
stable | unstable;
supervised | unsupervised;
known | unknown
"""
#: Pairs that often stand beside each other in one true sentence: they count about the same thing only.
_LOOSE_TEXT = "high before above early long fast more maximum"
_PREFIXES = ("un", "in", "im", "ir", "il", "non", "non-", "dis", "mis")

_PAIRS = tuple(tuple(side.split() for side in pair.split("|")) for pair in _PAIRS_TEXT.split(";"))
_SIDES: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
for _pair, _sides in enumerate(_PAIRS):
    for _side, _forms in enumerate(_sides):
        for _word in _forms:
            _SIDES[_word].append((_pair, _side))
_LOOSE = frozenset(_SIDES[word][0][0] for word in _LOOSE_TEXT.split())


def sides_of(word: str) -> Sequence[tuple[int, int]]:
    """Return the pairs that a lower-case word belongs to, each with its side in it (0 or 1)."""
    return _SIDES.get(word, ())


def is_loose(pair: int) -> bool:
    """Whether both sides of this pair often stand in one true sentence ("more layers, less memory")."""
    return pair in _LOOSE


def name_of(pair: int) -> str:
    """Return the pair as a message shows it."""
    yes, no = _PAIRS[pair]
    return f"{yes[0]}/{no[0]}"


def opposites(one: str, other: str) -> bool:
    """Whether two lower-case words are the two sides of a pair, or one is the other with un- or non-."""
    if any((pair, 1 - side) in sides_of(other) for pair, side in sides_of(one)):
        return True
    return negated_form(one, other) or negated_form(other, one)


def negated_form(word: str, base: str) -> bool:
    """Whether `word` is `base` with a prefix that denies it (unstable, non-linear)."""
    return len(base) > 3 and any(word == prefix + base for prefix in _PREFIXES)
