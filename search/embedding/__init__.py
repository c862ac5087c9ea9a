"""Embedding models behind one protocol. See `search.embedding.protocol`."""

from __future__ import annotations
