"""Processes of one machine take turns, and a killed one blocks nobody."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from itertools import pairwise

import pytest

from search.arxiv.politeness import Politeness, shared
from search.arxiv.turns import LONGEST_HOLD, Turn, Turnstile

#: A process that asks a host a few times and prints when it did.
ASKER = """
import json, sys, time
from pathlib import Path
from search.arxiv.politeness import Politeness
from search.arxiv.turns import Turnstile
polite = Politeness(machine=Turnstile(Path(sys.argv[1])))
for _ in range(int(sys.argv[2])):
    with polite.turn("arxiv.org", "oai", 0.3):
        # When the turn began, and not when this process came to say so.
        print(json.loads(Path(sys.argv[1], "arxiv.org-oai.json").read_bytes())["started"], flush=True)
        time.sleep(float(sys.argv[3]))
        print(time.time(), flush=True)
"""


def ask(folder, times, seconds=0.0):
    """Start a process that asks."""
    return subprocess.Popen(
        [sys.executable, "-c", ASKER, str(folder), str(times), str(seconds)],
        stdout=subprocess.PIPE,
        text=True,
    )


def test_processes_share_one_budget(tmp_path):
    """Three processes at once: requests begin an interval apart, and no two run side by side."""
    askers = [ask(tmp_path, 3, 0.05) for _ in range(3)]
    turns = []
    for asker in askers:
        times = [float(line) for line in asker.communicate()[0].split()]
        assert asker.returncode == 0
        turns += zip(times[::2], times[1::2], strict=True)
    turns.sort()
    assert len(turns) == 9
    for (began, ended), (following, _) in pairwise(turns):
        assert following - began >= 0.29
        assert following >= ended


def test_a_killed_process_blocks_nobody(tmp_path):
    """A process that is killed in the middle of a request gives its turn back."""
    asker = ask(tmp_path, 1, 600)
    began = float(asker.stdout.readline())
    told = []
    polite = Politeness(
        machine=Turnstile(tmp_path), sleep=lambda seconds: naps.append(seconds) or nap(seconds)
    )
    naps = []

    def nap(seconds):
        if len(naps) == 2:
            os.kill(asker.pid, signal.SIGKILL)
            asker.wait()
        time.sleep(seconds)

    with polite.turn("arxiv.org", "oai", 0.3, on_wait=lambda *what: told.append(what)):
        assert time.time() - began >= 0.29
    asker.stdout.close()
    assert "another process" in told[0][1]


def test_a_pause_holds_for_other_processes(tmp_path, clock):
    """When a server asks one process for a pause, another keeps it, and says why it waits."""
    first, second = (
        Politeness(clock=clock, sleep=clock.sleep, machine=Turnstile(tmp_path, clock=clock)) for _ in range(2)
    )
    with first.turn("arxiv.org", "oai", 3.0):
        pass
    first.hold("arxiv.org", "oai", 40, "arxiv.org answered 503")
    told = []
    with second.turn("arxiv.org", "oai", 3.0, on_wait=lambda *what: told.append(what)):
        pass
    assert clock.slept == [40.0]
    assert told == [(40.0, "arxiv.org answered 503")]
    with second.turn("arxiv.org", "pdf", 15.0):
        pass
    assert clock.slept == [40.0]


def test_one_process_waits_once(tmp_path, clock):
    """The process's own budget and the machine's do not add up."""
    polite = Politeness(clock=clock, sleep=clock.sleep, machine=Turnstile(tmp_path, clock=clock))
    told = []
    for _ in range(3):
        with polite.turn("arxiv.org", "oai", 3.0, on_wait=lambda *what: told.append(what)):
            pass
    assert clock.slept == [3.0, 3.0]
    assert len(told) == 2


def test_loopback_leaves_no_file(tmp_path, clock):
    """A host that is asked without an interval needs no file, also not for a pause."""
    polite = Politeness(clock=clock, sleep=clock.sleep, machine=Turnstile(tmp_path, clock=clock))
    with polite.turn("127.0.0.1:80", "oai", 0):
        polite.hold("127.0.0.1:80", "oai", 5, "503")
    assert list(tmp_path.iterdir()) == []


def test_a_turn_within_a_turn_waits_for_nobody(tmp_path, clock):
    """A request made while another's answer is read has the turn already."""
    polite = Politeness(clock=clock, sleep=clock.sleep, machine=Turnstile(tmp_path, clock=clock))
    with polite.turn("arxiv.org", "oai", 3.0), polite.turn("arxiv.org", "oai", 3.0):
        pass
    assert clock.slept == [3.0]


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'{"unknown": 1}', b"\xff\xff"])
def test_a_damaged_file_holds_nobody_up(tmp_path, clock, content):
    """What a full disk left of the file says that nobody has asked."""
    (tmp_path / "arxiv.org-oai.json").write_bytes(content)
    with Turnstile(tmp_path, clock=clock).turn("arxiv.org", "oai", 3.0, on_wait=None, sleep=clock.sleep):
        pass
    assert clock.slept == []
    assert json.loads((tmp_path / "arxiv.org-oai.json").read_bytes())["started"] == clock.now


@pytest.mark.parametrize(
    ("turn", "seconds"),
    [
        (Turn(started=1000), 3),
        (Turn(started=999), 2),
        (Turn(started=900), -97),
        (Turn(started=999_999), 3),
        (Turn(started=999, held_until=1030, reason="503"), 30),
        (Turn(started=0, held_until=1000 + LONGEST_HOLD + 1), 0),
    ],
)
def test_a_clock_that_was_set_back(turn, seconds):
    """Times that lie in the future cost at most the interval, and an impossible pause nothing."""
    assert turn.wait(1000, 3)[0] == seconds


def test_a_folder_that_cannot_be_written(tmp_path, clock, caplog):
    """Where no file can be kept, the process's own budget holds, and a warning says so."""
    (tmp_path / "file").touch()
    polite = Politeness(
        clock=clock, sleep=clock.sleep, machine=Turnstile(tmp_path / "file" / "x", clock=clock)
    )
    for _ in range(2):
        with polite.turn("arxiv.org", "oai", 3.0):
            pass
    assert clock.slept == [3.0]
    assert caplog.text.count("cannot be written") == 1


def test_one_budget_for_each_folder(tmp_path):
    """Libraries with the same folder share a budget, also within a process."""
    assert shared(tmp_path) is shared(tmp_path)
    assert shared(tmp_path) is not shared()
