"""BM25 over sentences: which of them speak of what is asked.

Source: Robertson & Zaragoza, The Probabilistic Relevance Framework, 2009; idf as Lucene writes it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

#: Lucene's defaults.
K1, B = 1.2, 0.75


def bm25(asked: Sequence[str], texts: Sequence[Sequence[str]]) -> list[float]:
    """Return the score of each text for the stems `asked`; texts are given as their stems."""
    if not texts:
        return []
    bags = [Counter(text) for text in texts]
    mean = sum(map(len, texts)) / len(texts) or 1.0
    scores = [0.0] * len(texts)
    for term in dict.fromkeys(asked):
        df = sum(term in bag for bag in bags)
        idf = math.log(1 + (len(bags) - df + 0.5) / (df + 0.5))
        for i, bag in enumerate(bags):
            tf = bag[term]
            if tf:
                scores[i] += idf * tf * (K1 + 1) / (tf + K1 * (1 - B + B * len(texts[i]) / mean))
    return scores
