"""Rendered views for people. Each takes a console and a result, and prints; none computes a result.

They need rich, so each is loaded when it is first used: a command that prints JSON loads none.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from search.cli.views.answer import show_answer
    from search.cli.views.demo import show_demo
    from search.cli.views.evaluation import show_evaluation
    from search.cli.views.keeping import show_takedowns, show_update
    from search.cli.views.linking import show_link
    from search.cli.views.paper import show_paper
    from search.cli.views.publishing import show_publication
    from search.cli.views.search import show_result
    from search.cli.views.stages import (
        show_add,
        show_build,
        show_check,
        show_compaction,
        show_doctor,
        show_fetch,
        show_harvest,
        show_selection,
        show_snapshot,
    )
    from search.cli.views.watching import show_news, show_watches
    from search.cli.views.work import show_info, show_list

_HOMES = {
    "show_add": "stages",
    "show_answer": "answer",
    "show_build": "stages",
    "show_check": "stages",
    "show_compaction": "stages",
    "show_demo": "demo",
    "show_doctor": "stages",
    "show_evaluation": "evaluation",
    "show_fetch": "stages",
    "show_harvest": "stages",
    "show_info": "work",
    "show_link": "linking",
    "show_list": "work",
    "show_news": "watching",
    "show_paper": "paper",
    "show_publication": "publishing",
    "show_result": "search",
    "show_selection": "stages",
    "show_snapshot": "stages",
    "show_takedowns": "keeping",
    "show_update": "keeping",
    "show_watches": "watching",
}

__all__ = [
    "show_add",
    "show_answer",
    "show_build",
    "show_check",
    "show_compaction",
    "show_demo",
    "show_doctor",
    "show_evaluation",
    "show_fetch",
    "show_harvest",
    "show_info",
    "show_link",
    "show_list",
    "show_news",
    "show_paper",
    "show_publication",
    "show_result",
    "show_selection",
    "show_snapshot",
    "show_takedowns",
    "show_update",
    "show_watches",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'search.cli.views' has no attribute {name!r}")
    return getattr(import_module(f"search.cli.views.{_HOMES[name]}"), name)
