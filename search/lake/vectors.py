"""Vectors by content: the key is the model and the exact string given to it, so nothing is embedded twice."""

from __future__ import annotations

import hashlib
import io
import threading
from collections import OrderedDict
from collections.abc import Sequence

from search.embedding.protocol import Vector
from search.lake.batch import Outcome, Writer, batch_name, write_batch
from search.lake.files import LakeFiles

#: Bytes of a key. 128 bits: with 10^9 strings the odds of one collision are about 10^-21.
KEY_BYTES = 16
#: Shards kept in memory while documents are made: 64 of 256 vectors of 384 floats are 25 MB.
SHARDS_IN_MEMORY = 64


def vector_key(fingerprint: str, text: str) -> bytes:
    """Return the key of the vector that this model makes of this string."""
    return hashlib.sha256(f"{fingerprint}\n{text}".encode()).digest()[:KEY_BYTES]


def write_shard(
    files: LakeFiles,
    writer: Writer,
    fingerprint: str,
    *,
    keys: Sequence[bytes],
    vectors: Vector,
    outcomes: Sequence[Outcome],
) -> str:
    """Write vectors and the batch that names them, the vectors first; return the batch's name.

    An interruption in between leaves vectors that no batch names: they cost their bytes, nothing else.
    """
    import numpy as np  # 60 ms that a command without vectors does not pay

    shard = batch_name("shards", writer.stamp(), writer.name).removesuffix(".jsonl") + ".npy"
    if len(keys):
        buffer = io.BytesIO()
        np.save(buffer, np.ascontiguousarray(vectors, dtype=np.float32))
        files.write(shard, buffer.getvalue())
    record = {"fingerprint": fingerprint, "shard": shard, "keys": [key.hex() for key in keys]}
    return write_batch(files, writer, "vectors", [record], outcomes)


class ShardCache:
    """Reads vectors out of shards, keeping the last few in memory. Safe for threads."""

    def __init__(self, files: LakeFiles) -> None:
        self._files = files
        self._shards: OrderedDict[str, Vector] = OrderedDict()
        self._lock = threading.Lock()

    def row(self, shard: str, row: int) -> Vector:
        """Return one vector, `float32[dimensions]`."""
        import numpy as np

        with self._lock:
            if shard in self._shards:
                self._shards.move_to_end(shard)
            else:
                self._shards[shard] = np.load(io.BytesIO(self._files.read(shard)))
                if len(self._shards) > SHARDS_IN_MEMORY:
                    self._shards.popitem(last=False)
            vector: Vector = self._shards[shard][row]
            return vector
