"""Every fault of evals/faults.py over real HTTP: nothing hangs or is half, and the next run mends it."""

from __future__ import annotations

import sys
from importlib import util
from pathlib import Path

import pytest

_file = Path(__file__).parents[2] / "evals" / "faults.py"
_spec = util.spec_from_file_location("evals_faults", _file)
faults = util.module_from_spec(_spec)
sys.modules["evals_faults"] = faults
_spec.loader.exec_module(faults)

#: Fault: the error that it ends in; those that are not here are lived through.
ERRORS = {
    "503, hours": "ServerUnavailable",
    "429 for ever": "RateLimited",
    "reset for ever": "NetworkUnreachable",
    "truncated, for ever": "MalformedResponse",
    "tokens never live": "BadResumptionToken",
    "repeated for ever": "MalformedResponse",
    "list without its end": "MalformedResponse",
    "HTML for ever": "MalformedResponse",
    "redirect loop": "RequestRefused",
    "403": "RequestRefused",
}
#: What a person reads somewhere on the way.
TOLD = {
    "503 + Retry-After": "wait 17 s",
    "503, hours": "asks to wait 7200 s",
    "429 without it": "wait 60 s",
    "reset mid-body": "Connection reset",
    "truncated XML": "no well-formed XML",
    "invalid UTF-8, in the data": "U+FFFD",
    "expired token": "asked again from the beginning",
    "repeated page": "came twice",
    "list without its end": "50 of 120 records arrived",
    "record changes (past window)": "became shorter",
    "record changes (open window)": "119 of 120 records",
    "HTML instead of XML": "Down for maintenance",
    "packed wrongly": "packed wrongly",
    "5-minute stall": "in time",
    "redirect loop": "redirects in a circle",
    "403": "CITEWELL_CONTACT",
}


@pytest.mark.parametrize("scenario", faults.SCENARIOS, ids=lambda scenario: scenario.name)
def test_fault(scenario, tmp_path):
    """A fault is lived through or ends in its own error; only a whole list closes its window."""
    seen = faults.run(scenario, tmp_path)
    assert seen.error == ERRORS.get(scenario.name, "")
    assert seen.closed == (not seen.error)
    if not seen.error and not scenario.empty:
        assert seen.records >= faults.RECORDS
    assert TOLD.get(scenario.name, "") in " ".join([*seen.told, seen.message])
    assert seen.mended == faults.RECORDS
    assert seen.seconds < faults.STALL  # nobody sat out the silence


def test_faults_of_the_list_are_all_there():
    """The names that the expectations use are names of faults, and the agreed ones are among them."""
    names = {scenario.name for scenario in faults.SCENARIOS}
    assert set(ERRORS) | set(TOLD) <= names
    assert len(names) == len(faults.SCENARIOS) >= 30


def test_broken_pdfs_are_fetched_by_the_next_run():
    """Each way in which a PDF can arrive broken is reported by its own error, and the next run has it."""
    found = {seen.name: (seen.error, seen.mended) for seen in faults.fetch_faults()}
    assert found == {
        "PDF: 404": ("PDFNotFound", 1),
        "PDF: HTML": ("NotAPDF", 1),
        "PDF: cut, announced whole": ("TruncatedPDF", 1),
        "PDF: cut, announced so": ("TruncatedPDF", 1),
        "PDF: 503 for hours": ("ServerUnavailable", 1),
    }
