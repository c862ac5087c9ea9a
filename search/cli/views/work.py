"""The views of `list` and `info`: the library's papers, and one of them whole."""

from __future__ import annotations

from search.cli.views.report import show_report as show_info
from search.cli.views.report import show_report as show_list

__all__ = ["show_info", "show_list"]
