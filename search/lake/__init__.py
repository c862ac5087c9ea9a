"""The lake: append-only files that are the only truth. Everything else can be rebuilt from them.

`files` keeps bytes whole, `batch` is the form of every log file, `facts` says what counts when facts
disagree, `vectors` holds embeddings by content, `catalogue` is a cache that answers questions about
all of it and can be thrown away, and `lake.Lake` is what the stages write through.
"""

from __future__ import annotations
