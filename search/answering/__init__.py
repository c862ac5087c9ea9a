"""Answers whose every claim can be checked: evidence, generators, the verifier, confidence."""

from __future__ import annotations

from search.answering.composing import answer
from search.answering.verifier import verify

__all__ = ["answer", "verify"]
