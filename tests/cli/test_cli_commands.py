"""The command line's contract: arguments, JSON or a view, exit codes, errors."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, date, datetime
from pathlib import Path
from typing import get_args

import pytest

from search import models
from search.cli import main, options
from search.cli.run import run
from search.errors import EmptyQuery, EngineUnavailable, WorkNotFound
from search.ingest.reports import CheckReport, FailedPaper, HarvestReport, StageReport
from search.ingest.takedown import HeldCopy, TakedownReport
from search.ingest.versions import Change, UpdateReport
from search.library import AddReport
from search.models import Filters, Hit, SearchMetrics, SearchResult
from search.progress import Progress

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


class RecordingLibrary:
    """Stands in for the library where a test is about the surface alone: keeps the calls it got."""

    calls: list[tuple[str, tuple, dict]]
    failure: BaseException | None
    settings: object

    def __init__(self, settings):
        type(self).settings = settings

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def _called(self, name, *given, **options):
        type(self).calls.append((name, given, options))
        if self.failure:
            raise self.failure

    def search(self, query, **options):
        self._called("search", query, **options)
        hit = Hit(rank=1, work_id="2101.00001", version=1, title="Café \x9b31m", final_score=0.5)
        return SearchResult(
            query=query, mode=options["mode"], outcome="hits", hits=(hit,), metrics=SearchMetrics(hits=1)
        )

    def harvest(self, *, progress, **options):
        self._called("harvest", **options)
        progress(Progress("harvest", 1, 2, "page 1"))
        progress(Progress("harvest", 2, 2))
        return HarvestReport(base_url="http://localhost", records=2)

    def add(self, ids, *, pdf, lift, progress):
        self._called("add", list(ids), pdf=pdf, lift=lift)
        failed = FailedPaper(work_id=ids[0], stage="fetch", error="PDFNotFound", message="no PDF")
        return AddReport(added=tuple(ids), stages=(StageReport(stage="fetch", failed=(failed,)),))

    def remove(self, work_id):
        self._called("remove", work_id)

    def take_down(self, work_id, *, progress):
        self._called("take_down", work_id)
        left = ("a file: another process was writing it",) if work_id == "2101.00002" else ()
        copies = (HeldCopy(name="backup/monday", made=NOON, command="DELETE /_snapshot/backup/monday"),)
        return TakedownReport(work_id=work_id, ordered=NOON, left=left, copies=copies)

    def update(self, ids, *, unpin, progress):
        self._called("update", ids, unpin=unpin)
        change = Change(work_id="2101.00001", title="Quokkas", before=1, now=2, newest=2, fields=("title",))
        return UpdateReport(asked=1, changes=(change,))

    def check(self, *, progress):
        return CheckReport(generation="g", works=0, passages=0, vectors=0, lake_works=1, sound=False)


@pytest.fixture
def library(monkeypatch):
    """The stand-in, in place of `search.library.Library`."""
    fake = type("Library", (RecordingLibrary,), {"calls": [], "failure": None})
    monkeypatch.setattr("search.library.Library", fake)
    return fake


def test_options_become_filters(library, capsys):
    """Every search option reaches the library, repeated ones as tuples."""
    line = (
        "search graphs --limit 3 --threshold 0.2 --year-from 2001 --year-to 2020 --category cs.CL "
        "--category cs --author Lovelace --id 2101.00001 --licence open --licence arxiv "
        "--withdrawn exclude --mode lexical --hops 2"
    )
    assert run(line.split()) == 0
    filters = Filters(
        year_from=2001,
        year_to=2020,
        categories=("cs.CL", "cs"),
        authors=("Lovelace",),
        ids=("2101.00001",),
        licences=("open", "arxiv"),
        withdrawn="exclude",
    )
    assert library.calls == [
        (
            "search",
            ("graphs",),
            {"limit": 3, "filters": filters, "mode": "lexical", "hops": 2, "threshold": 0.2},
        )
    ]
    assert json.loads(capsys.readouterr().out)["query"] == "graphs"


def test_semantic_is_search_with_its_mode(library):
    """`semantic` is `search --mode semantic`."""
    assert run(["semantic", "graphs"]) == 0
    assert library.calls[0][2]["mode"] == "semantic"


def test_piped_output_is_the_models_json(library, capsys):
    """Into a pipe goes the pydantic model as JSON, with nothing a terminal would obey in it."""
    run(["search", "graphs"])
    out = capsys.readouterr().out
    assert "\x9b" not in out
    assert SearchResult.model_validate_json(out).hits[0].title == "Café \x9b31m"


def test_human_flag_renders_into_a_pipe(library, capsys):
    """With --human the view is printed although stdout is no terminal."""
    assert run(["search", "graphs", "--human"]) == 0
    assert "2101.00001v1" in capsys.readouterr().out


def test_json_and_human_exclude_each_other(library, capsys):
    """Both flags at once are wrong usage."""
    assert run(["search", "graphs", "--human", "--json"]) == 2
    assert "exclude each other" in capsys.readouterr().err


def test_home_may_stand_before_or_after_the_command(library, tmp_path):
    """`--home` is read in both places; the one after the command's name wins."""
    first, second = tmp_path / "first", tmp_path / "second"
    run(["--home", str(first), "search", "x"])
    assert library.settings.home == first
    run(["--home", str(first), "search", "x", "--home", str(second)])
    assert library.settings.home == second


@pytest.mark.parametrize(
    ("failure", "code"),
    [
        (EmptyQuery("the query holds no word", advice="type a word"), 2),
        (WorkNotFound("2101.00001 is not in the library", advice="run `citewell add 2101.00001`"), 1),
        (EngineUnavailable("http://localhost:1 does not answer"), 1),
    ],
)
def test_an_error_is_told_on_stderr_and_as_json(library, capsys, failure, code):
    """Message and advice go to stderr, an error object to a piped stdout; wrong usage exits 2, failure 1."""
    library.failure = failure
    assert run(["search", "x"]) == code
    captured = capsys.readouterr()
    assert f"Error: {failure.message}" in captured.err
    assert failure.advice in captured.err
    assert json.loads(captured.out)["error"] == {
        "code": failure.code,
        "message": failure.message,
        "advice": failure.advice,
    }


def test_an_error_for_a_person_leaves_stdout_empty(library, capsys):
    """With --human the error stands on stderr alone."""
    library.failure = WorkNotFound("gone \x1b[2J")
    assert run(["search", "x", "--human"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "Error: gone \n"


def test_the_operating_systems_refusal_is_one_line(library, capsys):
    """A folder that cannot be written is told with its name and a way on, without a traceback."""
    library.failure = PermissionError(13, "Permission denied", "/nowhere/lake")
    assert run(["search", "x", "--human"]) == 1
    told = "Error: /nowhere/lake: Permission denied\n  check who may read and write there\n"
    assert capsys.readouterr().err == told


def test_a_fault_of_the_program_keeps_its_traceback(library):
    """What Citewell does not raise on purpose is not dressed up as an expected failure."""
    library.failure = ZeroDivisionError("a bug")
    with pytest.raises(ZeroDivisionError):
        run(["search", "x"])


@pytest.mark.parametrize(("line", "resumed"), [("search x", False), ("harvest", True)])
def test_interrupt_is_one_line_and_130(library, capsys, line, resumed):
    """Ctrl-C ends with one line and the shell's code for it; only what can go on is said to go on."""
    library.failure = KeyboardInterrupt()
    assert run(line.split()) == 130
    said = capsys.readouterr().err
    assert "Interrupted" in said
    assert ("run the same command again" in said) == resumed


def test_interrupt_while_loading_is_one_line_and_130(monkeypatch, capsys):
    """Ctrl-C before the command has begun shows no traceback either."""

    class Loading:
        def __getattr__(self, name):
            raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "search.cli.run", Loading())
    assert main([]) == 130
    assert capsys.readouterr().err == "\nInterrupted.\n"


def test_words_need_no_quotes(library):
    """Several words are one query, as if they had been quoted."""
    assert run(["search", "dark", "matter", "-n", "3", "halos"]) == 0
    assert library.calls[0][1] == ("dark matter halos",)


def test_ids_are_taken_in_any_form_and_others_refused(library, capsys):
    """`--id` finds the paper whatever form its id has; what is none is wrong usage, named."""
    assert run(["search", "x", "--id", "arXiv:2101.00001v3"]) == 0
    assert library.calls[0][2]["filters"].ids == ("2101.00001",)
    assert run(["search", "x", "--id", "hello", "--human"]) == 2
    assert "'hello' is no arXiv identifier" in capsys.readouterr().err


def test_a_day_that_is_none_is_named(library, capsys):
    """A date that the calendar lacks is told with the form that is wanted."""
    assert run(["harvest", "--from", "2026-13-01", "--human"]) == 2
    assert "2026-13-01 is no day; write YYYY-MM-DD" in capsys.readouterr().err


def test_the_bare_command_shows_its_help(capsys):
    """`citewell` alone is `citewell --help`; a group alone lists its commands and is wrong usage."""
    assert run([]) == 0
    assert "harvest" in capsys.readouterr().out
    assert run(["index"]) == 2
    captured = capsys.readouterr()
    assert "rebuild" in captured.err
    assert json.loads(captured.out)["error"]["message"] == "a command is missing"


def test_a_terminal_without_width_gets_the_usual_one(library, capsys, monkeypatch):
    """COLUMNS=0, as some editors set it, hides nothing."""
    monkeypatch.setenv("COLUMNS", "0")
    assert run(["search", "x", "--human"]) == 0
    assert "Café" in capsys.readouterr().out


@pytest.mark.parametrize(
    "line",
    [
        "serch x",
        "search",
        "search x --limit 0",
        "search x --hops 3",
        "search x --mode fuzzy",
        "search x --licence mine",
        "harvest --from 2024-13-01",
        "add 2101.00001 2101.00002 --pdf pyproject.toml",
        "parse no-such-file.pdf",
        "eval no-such-folder",
    ],
)
def test_wrong_usage_exits_2_before_anything_is_tried(library, capsys, line):
    """What cannot be meant is refused with exit 2, a message, and an error object in the pipe."""
    assert run(line.split()) == 2
    captured = capsys.readouterr()
    assert "Error: " in captured.err
    assert json.loads(captured.out)["error"]["code"] == "UsageError"
    assert library.calls == []


def test_a_setting_that_cannot_be_is_named(library, capsys, monkeypatch):
    """A bad environment variable is told by its own name, and is wrong usage."""
    monkeypatch.setenv("CITEWELL_DENSE_WEIGHT", "2")
    assert run(["search", "x", "--human"]) == 2
    assert "CITEWELL_DENSE_WEIGHT" in capsys.readouterr().err


def test_harvest_passes_its_window_and_tells_progress_on_stderr(library, capsys):
    """Days, set and address reach the library; progress is plain lines on a stderr that is no terminal."""
    line = "harvest --from 2024-01-01 --until 2024-01-31 --set cs --base-url http://localhost/oai --full-text"
    assert run(line.split()) == 0
    window = {
        "from_": date(2024, 1, 1),
        "until": date(2024, 1, 31),
        "set_": "cs",
        "base_url": "http://localhost/oai",
        "full_text": True,
    }
    assert library.calls == [("harvest", (), window)]
    captured = capsys.readouterr()
    assert captured.err == "harvest 1/2 page 1\nharvest 2/2\n"
    assert json.loads(captured.out)["records"] == 2


def test_add_fails_where_a_named_paper_could_not_be_had(library, capsys):
    """The report is printed all the same, and the exit code is 1."""
    assert run(["add", "2101.00001"]) == 1
    assert json.loads(capsys.readouterr().out)["stages"][0]["failed"][0]["error"] == "PDFNotFound"


def test_remove_removes_each_paper(library, capsys):
    """Every id given is removed, and named in the answer."""
    assert run(["remove", "2101.00001", "math/0501170"]) == 0
    assert [given for _, given, _ in library.calls] == [("2101.00001",), ("math/0501170",)]
    assert json.loads(capsys.readouterr().out) == {"removed": ["2101.00001", "math/0501170"]}


def test_taking_down_reports_each_paper_and_fails_where_something_is_left(library, capsys):
    """What is left and which snapshots hold it is printed; exit 1 says: run it again."""
    assert run(["remove", "--tombstone", "2101.00001", "--json"]) == 0
    (report,) = json.loads(capsys.readouterr().out)["taken_down"]
    assert report["copies"][0]["command"] == "DELETE /_snapshot/backup/monday"
    assert run(["remove", "--tombstone", "2101.00001", "2101.00002", "--human"]) == 1
    shown = capsys.readouterr().out
    assert "Nothing is left of 2101.00001" in shown
    assert "citewell remove --tombstone 2101.00002" in shown
    assert [name for name, _, _ in library.calls] == ["take_down"] * 3


def test_update_shows_what_is_new(library, capsys):
    """Versions and fields that changed stand in the view; without ids all papers are asked for."""
    assert run(["update", "--human"]) == 0
    assert "2101.00001 (version 1 → 2, title): Quokkas" in capsys.readouterr().out
    assert library.calls == [("update", (None,), {"unpin": False})]
    assert run(["update", "--unpin"]) == 2


def test_an_unsound_index_is_a_failure(library):
    """`index check` exits 1 where index and lake differ."""
    assert run(["index", "check"]) == 1


def test_literals_are_those_of_the_models():
    """The choices that options offer are exactly those that the models know."""
    fields = models.Filters.model_fields
    assert get_args(options.Mode) == get_args(models.Mode)
    assert tuple(options.Licence) == get_args(models.LicenceClass)
    assert get_args(options.Withdrawn) == get_args(fields["withdrawn"].annotation)


def _citewell(*arguments: str, **options) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-m", "search.cli", *arguments], **options)


def test_a_reader_that_leaves_early_is_no_error():
    """`citewell … | head -0`: no traceback, no message."""
    with _citewell("search", "--help", stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_a_reader_of_a_view_that_leaves_early_is_no_error(library, monkeypatch):
    """The rendered view into a closed pipe ends with 0, as JSON does."""
    reader, writer = os.pipe()
    os.close(reader)
    with monkeypatch.context() as patched, open(writer, "w", buffering=1) as closed:  # noqa: PTH123
        patched.setattr(sys, "stdout", closed)
        assert run(["search", "x", "--human"]) == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("flag", ["--json", "--human"])
def test_a_full_disk_behind_stdout_is_a_failure_without_a_traceback(tmp_path, flag):
    """Output that cannot be written is told in a line, and exits 1."""
    with (
        Path("/dev/full").open("wb") as full,
        _citewell("list", flag, "--home", str(tmp_path), stdout=full, stderr=subprocess.PIPE) as process,
    ):
        said = process.stderr.read().decode()
    assert process.returncode == 1
    assert "No space left on device" in said
    assert "Traceback" not in said


def test_a_terminal_gets_the_view_and_a_pipe_gets_json(tmp_path):
    """On a terminal the default is the rendered view, without a flag."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    environment = {**os.environ, "CITEWELL_HOME": str(tmp_path), "CITEWELL_DENSE_WEIGHT": "2"}
    with _citewell("list", stdout=theirs, stderr=theirs, env=environment) as process:
        process.wait()
        shown = os.read(ours, 65536).decode()
    for end in (ours, theirs):
        os.close(end)
    assert "Error: CITEWELL_DENSE_WEIGHT" in shown
    assert "{" not in shown
    with _citewell("list", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment) as process:
        assert json.loads(process.stdout.read())["error"]["code"] == "SettingsError"


def test_parse_reads_a_real_file(tmp_path, capsys):
    """`parse` needs no library: one PDF in, what the reader made of it out; nothing is stored."""
    pymupdf = pytest.importorskip("pymupdf")
    document = pymupdf.open()
    page = document.new_page()
    for row in range(12):
        page.insert_text((72, 100 + 14 * row), f"Line {row} of a paper that the reader must find.")
    document.save(file := tmp_path / "paper.pdf")
    assert run(["parse", str(file)]) == 0
    paper = models.ReadPaper.model_validate_json(capsys.readouterr().out)
    assert "of a paper that the reader must find." in " ".join(p.text for p in paper.passages)
    assert list(tmp_path.iterdir()) == [Path(file)]
