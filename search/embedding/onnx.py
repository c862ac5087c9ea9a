"""The default embedder: ONNX Runtime and the tokenizers library, no torch."""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from search.embedding.tokens import TokenEncoder, cut
from search.errors import ModelDamaged
from search.machine import usable_cores

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from search.embedding.protocol import Vector
    from search.embedding.sources import ModelFiles

#: Tokens given to the model at once, and texts at most. More do not fit the processor's caches: 128
#: abstracts of 335 tokens took 73 ms of processor time each in batches of 512 tokens, 80 of 1,024, 84
#: of 2,048, 93 of 4,096 and 104 of 8,192 (MiniLM float32, two AVX2 cores, November 2026). 1,024 leaves
#: work for machines with more cores.
BATCH_TOKENS, BATCH_TEXTS = 1024, 32
#: Queries after which loading the optimised session would have been cheaper.
QUICK_QUERIES = 5
#: Query vectors kept; each takes 1.5 KB.
RECENT_QUERIES = 256


class OnnxEmbedder:
    """A model file run by ONNX Runtime. Safe to call from many threads.

    Tokenizer and session are made when they are first needed, so that opening costs nothing.
    """

    def __init__(self, files: ModelFiles, *, threads: int = 0) -> None:
        self._files = files
        #: 0: one per core that this process may use.
        self._threads = threads or usable_cores()
        self._lock = threading.Lock()
        self._encode = TokenEncoder(files.tokenizer)
        self._session: Any = None
        self._quick_session: Any = None
        self._queries = 0
        # A question is searched for and then looked up again in the works that were found.
        self._query_vector = lru_cache(RECENT_QUERIES)(self._embed_query)

    @property
    def name(self) -> str:
        """The model's name, for people."""
        return self._files.name

    @property
    def fingerprint(self) -> str:
        """Checksum over weights, tokenizer, pooling, prefixes and length: equal means same vectors."""
        return self._files.fingerprint

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        if self._files.dimensions is not None:
            return self._files.dimensions
        return int(self._embed(self._whole_session(), self._encode(["dimensions"])).shape[1])

    @property
    def max_tokens(self) -> int:
        """Longest input in tokens, special tokens included."""
        return self._files.max_tokens

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return how many tokens each text becomes, special tokens included, nothing cut off."""
        return [len(ids) for ids in self._encode(texts)]

    def embed_passages(self, texts: Sequence[str]) -> Vector:
        """Return `float32[len(texts), dimensions]`, unit length, in the order given.

        Raises:
            ValueError: a text is longer than `max_tokens`; nothing is ever cut off silently.
            ModelDamaged: the model's files cannot be loaded.
        """
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        ids = self._encode.within(texts, self.max_tokens)
        lengths = np.array([len(tokens) for tokens in ids])
        session = self._whole_session()
        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        for batch in _batches(lengths):
            vectors[batch] = self._embed(session, [ids[i] for i in batch])
        return vectors

    def embed_query(self, text: str) -> Vector:
        """Return `float32[dimensions]`, unit length. A query is cut at `max_tokens`."""
        return self._query_vector(text)

    def _embed_query(self, text: str) -> Vector:
        (ids,) = self._encode([self._files.query_prefix + text])
        vector: Vector = self._embed(self._query_session(), [cut(ids, self.max_tokens)])[0]
        # Callers share it.
        vector.setflags(write=False)
        return vector

    # ------------------------------------------------------------ the model
    def _embed(self, session: Any, ids: Sequence[NDArray[np.int64]]) -> NDArray[np.float32]:
        """Run one batch: `float32[len(ids), dimensions]`, unit length."""
        longest = max(len(tokens) for tokens in ids)
        tokens = np.zeros((len(ids), longest), dtype=np.int64)
        mask = np.zeros_like(tokens)
        for row, sequence in enumerate(ids):
            tokens[row, : len(sequence)] = sequence
            mask[row, : len(sequence)] = 1
        inputs = {"input_ids": tokens, "attention_mask": mask, "token_type_ids": np.zeros_like(tokens)}
        wanted = {entry.name for entry in session.get_inputs()}
        (states,) = session.run(
            [_token_output(session)], {name: value for name, value in inputs.items() if name in wanted}
        )
        return _normalised(_pooled(states, mask, self._files.pooling))

    def _query_session(self) -> Any:
        """Return a session for one query.

        Weights of 8 bits are widened to float32 once by the optimiser, which takes 0.1 s of loading,
        or at every run without it, which takes 0.02 s. A command that asks one question is better off
        without: 66 ms against 144 ms for loading and the first query (two AVX2 cores; vectors differ
        by less than 1e-6). A process that goes on asking gets the optimised session.
        """
        with self._lock:
            self._queries += 1
            if self._session is None and self._files.quantised and self._queries <= QUICK_QUERIES:
                if self._quick_session is None:
                    self._quick_session = self._load(optimise=False)
                return self._quick_session
        return self._whole_session()

    def _whole_session(self) -> Any:
        with self._lock:
            if self._session is None:
                self._session = self._load(optimise=True)
                self._quick_session = None
            return self._session

    def _load(self, *, optimise: bool) -> Any:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self._threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        # Idle threads sleep: spinning ones gained nothing alone and cost when several threads search.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        levels = onnxruntime.GraphOptimizationLevel
        options.graph_optimization_level = levels.ORT_ENABLE_ALL if optimise else levels.ORT_DISABLE_ALL
        try:
            return onnxruntime.InferenceSession(
                str(self._files.weights), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # ONNX Runtime's errors share no class but this one
            raise ModelDamaged(
                f"{self._files.weights} cannot be loaded ({error})", advice="copy or download it again"
            ) from error


def _batches(lengths: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Yield positions in batches of like length, longest first: little padding, and memory peaks early."""
    order = np.argsort(-lengths, kind="stable")
    start = 0
    while start < len(order):
        texts = min(BATCH_TEXTS, max(1, BATCH_TOKENS // int(lengths[order[start]])))
        yield order[start : start + texts]
        start += texts


def _token_output(session: Any) -> str:
    """Return the name of the output with one vector a token; exports name it differently."""
    outputs = session.get_outputs()
    for output in outputs:
        if output.name == "last_hidden_state" or len(output.shape) == 3:
            return str(output.name)
    raise ModelDamaged(
        f"the model has no output with one vector a token (it has: {', '.join(o.name for o in outputs)})",
        advice="export it for feature extraction",
    )


def _pooled(states: NDArray[np.float32], mask: NDArray[np.int64], pooling: str) -> NDArray[np.float32]:
    """Make one vector of the token vectors `float32[n, tokens, dimensions]`, padding left out."""
    if pooling == "cls":
        return states[:, 0]
    weights = mask[:, :, None].astype(np.float32)
    means: NDArray[np.float32] = (states * weights).sum(axis=1) / weights.sum(axis=1)
    return means


def _normalised(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: NDArray[np.float32] = (vectors / np.maximum(norms, 1e-12)).astype(np.float32, copy=False)
    return unit
