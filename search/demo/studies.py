"""The small experiments that our own demo papers report, so that every number in them can be had again.

`python -m search.demo.studies` prints them all; a test compares them with the papers. Everything is
seeded; nothing takes more than a few seconds.
"""

from __future__ import annotations

import hashlib
import math
import random
from typing import Any

import numpy as np


# ---------------------------------------------------------------- hashes
def colliding_pairs(items: int, trials: int, bits: tuple[int, ...] = (20, 24, 28)) -> dict[int, float]:
    """Return, for each width, the mean number of pairs per trial that share that many bits of SHA-256."""
    pairs = dict.fromkeys(bits, 0)
    for trial in range(trials):
        digests = [hashlib.sha256(f"{trial}:{item}".encode()).digest() for item in range(items)]
        heads = np.array([int.from_bytes(digest[:8], "big") for digest in digests], dtype=np.uint64)
        for width in bits:
            _, counts = np.unique(heads >> np.uint64(64 - width), return_counts=True)
            pairs[width] += int((counts * (counts - 1) // 2).sum())
    return {width: count / trials for width, count in pairs.items()}


def expected_pairs(items: int, bits: int) -> float:
    """Return n (n - 1) / 2^(b + 1), what uniform hashes of n items would give."""
    return items * (items - 1) / float(2 ** (bits + 1))


def bloom_false_positives(items: int, bits_per_item: int, hashes: int, queries: int) -> float:
    """Return the share of `queries` absent keys that a Bloom filter takes for present ones."""
    size = items * bits_per_item
    field = np.zeros(size, dtype=bool)

    def places(key: str) -> list[int]:
        digest = hashlib.sha256(key.encode()).digest()
        first, second = int.from_bytes(digest[:8], "big"), int.from_bytes(digest[8:16], "big") | 1
        return [(first + turn * second) % size for turn in range(hashes)]

    for item in range(items):
        field[places(f"in:{item}")] = True
    return sum(bool(field[places(f"out:{query}")].all()) for query in range(queries)) / queries


# ---------------------------------------------------------------- Monte Carlo
def pi_errors(samples: int, runs: int, seed: int = 1) -> float:
    """Return the root mean square error of `runs` estimates of pi from `samples` points each."""
    generator = np.random.default_rng(seed)
    errors = []
    for _ in range(runs):
        points = generator.random((samples, 2))
        inside = np.count_nonzero((points**2).sum(axis=1) <= 1)
        errors.append(4 * inside / samples - math.pi)
    return float(np.sqrt(np.mean(np.square(errors))))


def log_slope(xs: list[float], ys: list[float]) -> float:
    """Return the least-squares slope of log y over log x."""
    return float(np.polyfit(np.log(xs), np.log(ys), 1)[0])


def lattice_return(dimension: int, steps: int) -> float:
    """Return the exact probability that a simple random walk is at its start after `steps` steps."""
    half = steps // 2
    if dimension == 1:
        return math.comb(steps, half) / float(2**steps)
    if dimension == 2:
        return (math.comb(steps, half) / float(2**steps)) ** 2
    total = sum(
        (math.factorial(half) // (math.factorial(i) * math.factorial(j) * math.factorial(half - i - j))) ** 2
        for i in range(half + 1)
        for j in range(half - i + 1)
    )
    return math.comb(steps, half) * total / float(6**steps)


def returning_share(walks: int, steps: int, seed: int = 2) -> float:
    """Return the share of walks on the cubic lattice that revisit their start within `steps` steps."""
    generator = np.random.default_rng(seed)
    moves = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], dtype=np.int32)
    place = np.zeros((walks, 3), dtype=np.int32)
    returned = np.zeros(walks, dtype=bool)
    for _ in range(steps):
        place += moves[generator.integers(0, 6, walks)]
        returned |= ~place.any(axis=1)
    return float(returned.mean())


# ---------------------------------------------------------------- rounding
def summation_errors(count: int, seed: int = 3) -> dict[str, float]:
    """Return the relative error of summing `count` uniform numbers in float32, by algorithm."""
    values = np.random.default_rng(seed).random(count).astype(np.float32)
    exact = math.fsum(float(value) for value in values)
    naive = values.cumsum(dtype=np.float32)[-1]
    total = compensation = np.float32(0)
    for value in values:
        corrected = value - compensation
        following = total + corrected
        compensation = (following - total) - corrected
        total = following

    def pairwise(part: Any) -> Any:
        while len(part) > 1:
            if len(part) % 2:
                part = np.append(part, np.float32(0))
            part = part[0::2] + part[1::2]
        return part[0]

    sums = {"naive": naive, "pairwise": pairwise(values), "compensated": total}
    return {name: abs(float(value) - exact) / exact for name, value in sums.items()}


# ---------------------------------------------------------------- ranking
def fusion(*, heavy_tail: bool, queries: int = 400, seed: int = 4) -> dict[str, float]:
    """Return the mean nDCG@10 of two legs and of their fusions over simulated queries.

    Beside them the standard error of the paired difference between the two fusions.

    Each query has 1,000 documents, 20 of them relevant. A leg scores a document with its relevance times
    1.5 plus noise: normal, or, in the second leg where `heavy_tail` is set, Student's t with 2 degrees of
    freedom.
    """
    generator = np.random.default_rng(seed)
    relevant = np.zeros(1000)
    relevant[:20] = 1
    results: dict[str, list[float]] = {"first": [], "second": [], "min-max": [], "reciprocal rank": []}
    for _ in range(queries):
        first = 1.5 * relevant + generator.standard_normal(1000)
        noise = generator.standard_t(2, 1000) if heavy_tail else generator.standard_normal(1000)
        second = 1.5 * relevant + noise
        ranks = [np.argsort(np.argsort(-scores)) + 1 for scores in (first, second)]
        scaled = [(scores - scores.min()) / (scores.max() - scores.min()) for scores in (first, second)]
        results["first"].append(_ndcg(first, relevant))
        results["second"].append(_ndcg(second, relevant))
        results["min-max"].append(_ndcg(scaled[0] + scaled[1], relevant))
        results["reciprocal rank"].append(_ndcg(1 / (60 + ranks[0]) + 1 / (60 + ranks[1]), relevant))
    gaps = np.subtract(results["min-max"], results["reciprocal rank"])
    return {
        **{name: float(np.mean(values)) for name, values in results.items()},
        "standard error of the gap": float(gaps.std(ddof=1) / math.sqrt(queries)),
    }


def _ndcg(scores: Any, relevant: Any, depth: int = 10) -> float:
    discounts = 1 / np.log2(np.arange(2, depth + 2))
    top = np.argsort(-scores, kind="stable")[:depth]
    return float((relevant[top] * discounts).sum() / discounts.sum())


def length_bias(b: float, seed: int = 5, *, queries: int = 200) -> dict[str, float]:
    """Return precision at 20 and the share of long documents in the first 20, under BM25 with this `b`.

    Each query sees 400 documents, half of 50 and half of 500 words. In each half 20 are relevant and use
    the query word at 2 % of their positions; the others use it at 0.5 %.
    """
    generator = np.random.default_rng(seed)
    k1 = 1.2
    lengths = np.repeat([50, 500], 200)
    relevant = np.tile(np.arange(200) < 20, 2)
    precision, long_share = [], []
    for _ in range(queries):
        counts = generator.binomial(lengths, np.where(relevant, 0.02, 0.005))
        norm = k1 * (1 - b + b * lengths / lengths.mean())
        scores = counts * (k1 + 1) / (counts + norm)
        ties = generator.random(400) * 1e-9
        top = np.argsort(-(scores + ties))[:20]
        precision.append(relevant[top].mean())
        long_share.append((lengths[top] == 500).mean())
    return {"precision": float(np.mean(precision)), "long": float(np.mean(long_share))}


# ---------------------------------------------------------------- graphs
def neighbourhoods(nodes: int, links: int, *, preferential: bool, seed: int = 6) -> dict[str, float]:
    """Return mean and largest sizes of neighbourhoods in a growing graph, links taken as undirected.

    Each new node cites `links` different earlier ones, chosen evenly, or in proportion to the links they
    have already.
    """
    generator = random.Random(seed)  # noqa: S311 - a simulation, no secret
    neighbours: list[set[int]] = [set() for _ in range(nodes)]
    ends = list(range(links + 1))
    for node in range(links + 1, nodes):
        chosen: set[int] = set()
        while len(chosen) < links:
            chosen.add(generator.choice(ends) if preferential else generator.randrange(node))
        for other in chosen:
            neighbours[node].add(other)
            neighbours[other].add(node)
            ends += [node, other]
    one = [len(near) for near in neighbours]
    two = [
        len(set().union(*(neighbours[near] for near in neighbours[node]), neighbours[node]) - {node})
        for node in range(nodes)
    ]
    return {
        "mean one": sum(one) / nodes,
        "mean square one": sum(degree**2 for degree in one) / nodes,
        "largest one": max(one),
        "mean two": sum(two) / nodes,
        "largest two": max(two),
    }


# ---------------------------------------------------------------- pooled tests
def tests_per_person(prevalence: float, pool: int) -> float:
    """Return Dorfman's expected number of tests per person, 1/s + 1 - (1 - p)^s."""
    return 1 / pool + 1 - (1 - prevalence) ** pool


def best_pool(prevalence: float) -> int:
    """Return the pool size that needs the fewest tests per person."""
    return min(range(2, 200), key=lambda pool: tests_per_person(prevalence, pool))


def simulated_tests(prevalence: float, pool: int, people: int = 1_000_000, seed: int = 8) -> float:
    """Return the tests per person that two-stage pooling takes on simulated people."""
    pools = people // pool
    infected = np.random.default_rng(seed).random((pools, pool)) < prevalence
    return float((pools + pool * infected.any(axis=1).sum()) / (pools * pool))


def report() -> dict[str, Any]:
    """Return every number that the papers state, under a name."""
    samples = [10**power for power in range(2, 7)]
    errors = [pi_errors(count, 200 if count < 10**6 else 100) for count in samples]
    values: dict[str, Any] = {
        "pairs v1": colliding_pairs(10_000, 20),
        "pairs v2": colliding_pairs(10_000, 200),
        "pairs expected": {bits: expected_pairs(10_000, bits) for bits in (20, 24, 28, 32, 40)},
        "even odds at 32 bits": math.sqrt(2 * math.log(2)) * 2**16,
        "pi": dict(zip(samples, errors, strict=True)),
        "pi constant": math.sqrt(math.pi * (4 - math.pi)),
        "pi slope": log_slope([float(count) for count in samples], errors),
        "return": {d: {n: lattice_return(d, n) for n in (2, 10, 50, 100, 200)} for d in (1, 2, 3)},
        "returning": {n: returning_share(100_000, n) for n in (10, 100, 1000)},
        "summation": {n: summation_errors(n) for n in (10**4, 10**6)},
        "fusion normal": fusion(heavy_tail=False),
        "fusion heavy": fusion(heavy_tail=True),
        "length": {b: length_bias(b) for b in (0.0, 0.4, 0.75, 1.0)},
        "bloom": {k: bloom_false_positives(10_000, 10, k, 200_000) for k in (1, 3, 5, 7, 9, 12)},
        "bloom predicted": {k: (1 - math.exp(-k / 10)) ** k for k in (1, 3, 5, 7, 9, 12)},
        "graphs": {
            name: neighbourhoods(5000, 4, preferential=name == "preferential")
            for name in ("even", "preferential")
        },
        "pools": {
            p: (best_pool(p), tests_per_person(p, best_pool(p)), simulated_tests(p, best_pool(p)))
            for p in (0.001, 0.01, 0.05, 0.1)
        },
        "pool wrong size": tests_per_person(0.1, best_pool(0.01)),
    }
    return values


if __name__ == "__main__":
    import pprint

    pprint.pp(report(), width=100)
