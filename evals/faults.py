"""What happens when the other side fails: every fault over real HTTP, and what a person sees of it.

    python evals/faults.py [--seconds]

A loopback arXiv serves 120 records, 50 a page, and one fault (or one for every request). The harvest is the
one that `citewell harvest` runs; only its waits are not waited out but told (what it would have waited is
in the table), and a stall counts after 0.4 s (CITEWELL_READ_TIMEOUT; 60 by default). After each fault the
server is mended and the next run must bring the lake to the same 120 works as without it.
"""

from __future__ import annotations

import argparse
import gzip
import logging
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path

from search.arxiv.oai import OAIClient
from search.arxiv.politeness import Politeness
from search.arxiv.transport import Transport
from search.demo.server import DemoRecord, DemoVersion, Fault, LoopbackArxiv
from search.errors import CitewellError
from search.ingest.fetch import fetch
from search.ingest.harvest import harvest
from search.lake.lake import Lake

NOW = datetime(2024, 3, 10, 12, tzinfo=UTC)
RECORDS = 120
STALL = 300.0
READ_TIMEOUT = 0.4
PDF = b"%PDF-1.5\n" + b"x" * 2000 + b"\n%%EOF\n"
ALWAYS = 60


@dataclass
class Seen:
    """What one fault led to."""

    name: str
    #: What the server sent.
    sent: str
    records: int = 0
    requests: int = 0
    #: Whether the window counts as harvested whole.
    closed: bool = False
    #: Waits and warnings, in the order in which a person reads them.
    told: list[str] = field(default_factory=list)
    #: The error's class and what it says; empty where the run went well.
    error: str = ""
    message: str = ""
    retry_after: float | None = None
    seconds: float = 0.0
    #: Works in the lake after the next, undisturbed run.
    mended: int = 0


@dataclass(frozen=True)
class Scenario:
    """One fault: what is done to the server before the harvest."""

    name: str
    sent: str
    spoil: Callable[[LoopbackArxiv], None]
    #: Done after a page has arrived, once.
    between: Callable[[LoopbackArxiv], None] | None = None
    until: date | None = None
    empty: bool = False


def record(number: int, *, day: int | None = None, title: str = "") -> DemoRecord:
    """Return a paper of February 2024."""
    return DemoRecord(
        id=f"2402.{number:05}",
        title=title or f"Paper {number}",
        abstract="On something.",
        versions=(DemoVersion(datetime(2024, 2, 1 + number % 28, 8, tzinfo=UTC)),),
        datestamp=date(2024, 3, day) if day else None,
    )


def faults(*faults_: Fault, skip: int = 0) -> Callable[[LoopbackArxiv], None]:
    """Return what gives the server these faults, after `skip` requests that are answered truly."""
    return lambda server: server.faults.extend([Fault("/oai")] * skip + list(faults_))


def page(server: LoopbackArxiv, skip: int = 0) -> bytes:
    """Return a true page of the window, as bytes that can be spoilt."""
    arguments = [("verb", "ListRecords"), ("metadataPrefix", "arXivRaw"), ("from", "2024-02-01")]
    if not skip:
        return server.repository.answer(arguments, server.oai_url)
    token = f"verb=ListRecords&metadataPrefix=arXivRaw&from=2024-02-01&skip={skip}&day=2024-03-10"
    return server.repository.answer([("verb", "ListRecords"), ("resumptionToken", token)], server.oai_url)


def of_page(
    make: Callable[[bytes], Fault], *, skip: int = 1, times: int = 1
) -> Callable[[LoopbackArxiv], None]:
    """Return what spoils the first page's bytes and sends them at the request after `skip` others."""
    return lambda server: server.faults.extend([Fault("/oai")] * skip + [make(page(server))] * times)


def repeated(times: int) -> Callable[[LoopbackArxiv], None]:
    """Return what sends the first page again in place of the second."""
    return of_page(lambda first: Fault("/oai", body=first), times=times)


def reordered(server: LoopbackArxiv) -> None:
    """Send the third page in place of the second, and the second in place of the third."""
    second, third = page(server, 50), page(server, 100)
    token = b"skip=100"
    # The third page in the second's place still names the place after it.
    following = second[second.index(b"<resumptionToken") : second.index(b"</resumptionToken>")]
    last = third[third.index(b"<resumptionToken") : third.index(b"</resumptionToken>")]
    assert token in following
    swapped = third.replace(last, following.replace(b'cursor="50"', b'cursor="100"'))
    ended = second.replace(following, last.replace(b'cursor="100"', b'cursor="50"'))
    server.faults.extend([Fault("/oai"), Fault("/oai", body=swapped), Fault("/oai", body=ended)])


def too_long(server: LoopbackArxiv) -> None:
    """Announce more bytes of the second page than there are."""
    server.faults.extend([Fault("/oai"), Fault("/oai", length=len(page(server, 50)) + 500)])


def without_end(server: LoopbackArxiv) -> None:
    """Send, always, the first page as if it were the last."""
    first = page(server)
    start, end = first.index(b'">', first.index(b"completeListSize")) + 2, first.index(b"</resumptionToken>")
    server.recorded.append(({"verb": "ListRecords"}, first[:start] + first[end:]))


def changed(server: LoopbackArxiv) -> None:
    """Give a record of the first page another datestamp: it leaves its place."""
    server.put(record(28, day=9, title="Paper 28, changed"))


def broken_bytes(server: LoopbackArxiv) -> None:
    """Send, always, a whole list in one page in which a byte is no UTF-8."""
    server.repository.page_size = 1000
    body = page(server).replace(b"Paper 7<", b"Paper \xfc7<")
    server.repository.page_size = 50
    server.recorded.append(({"verb": "ListRecords"}, body))


HTML = b"<!DOCTYPE html><html><head><title>Down for maintenance</title></head><body><p>.</body></html>"
SCENARIOS = (
    Scenario("undisturbed", "three pages", lambda _: None),
    Scenario("503 + Retry-After", "503, Retry-After: 17", faults(Fault("/oai", 503, {"Retry-After": "17"}))),
    Scenario(
        "503, hours", "503, Retry-After: 7200", faults(Fault("/oai", 503, {"Retry-After": "7200"}), skip=1)
    ),
    Scenario(
        "429 without it", "429 twice, no Retry-After", faults(Fault("/oai", 429), Fault("/oai", 429), skip=1)
    ),
    Scenario("429 for ever", "429 always", faults(*[Fault("/oai", 429)] * ALWAYS, skip=1)),
    Scenario("reset", "RST in place of page 2", faults(Fault("/oai", reset=True), skip=1)),
    Scenario(
        "reset mid-body",
        "RST after 2,000 bytes of page 2",
        faults(Fault("/oai", truncate=2000, reset=True), skip=1),
    ),
    Scenario(
        "reset for ever",
        "RST at every request after page 1",
        faults(*[Fault("/oai", reset=True)] * ALWAYS, skip=1),
    ),
    Scenario(
        "truncated XML",
        "half of page 2, announced as whole",
        faults(Fault("/oai", truncate=9000, announce=False), skip=1),
    ),
    Scenario(
        "truncated, for ever",
        "half of page 2 at every request",
        faults(*[Fault("/oai", truncate=9000, announce=False)] * ALWAYS, skip=1),
    ),
    Scenario(
        "invalid UTF-8, once",
        "page 1 with a byte FC",
        of_page(lambda first: Fault("/oai", body=first.replace(b"On something", b"On s\xfcmething")), skip=0),
    ),
    Scenario("invalid UTF-8, in the data", "a byte FC in one record, always", broken_bytes),
    Scenario(
        "expired token",
        "badResumptionToken for page 2",
        lambda server: server.faults.extend([Fault("/oai"), Fault("/oai", body=expired(server))]),
    ),
    Scenario(
        "tokens never live",
        "badResumptionToken for every page 2",
        lambda server: server.recorded.append(({"resumptionToken": TOKEN}, expired(server))),
    ),
    Scenario("repeated page", "page 1 again in place of page 2", repeated(1)),
    Scenario(
        "repeated for ever",
        "page 1 at every request",
        lambda server: server.recorded.append(({"verb": "ListRecords"}, page(server))),
    ),
    Scenario("reordered pages", "page 3 before page 2", reordered),
    Scenario("list without its end", "page 1 without a token, but with its size of 120, always", without_end),
    Scenario(
        "record changes (past window)",
        "a record of page 1 leaves the window before page 2",
        lambda _: None,
        changed,
        date(2024, 2, 29),
    ),
    Scenario(
        "record changes (open window)",
        "a record of page 1 moves to the end before page 2",
        lambda _: None,
        changed,
    ),
    Scenario("empty window", "noRecordsMatch", lambda _: None, empty=True),
    Scenario(
        "HTML instead of XML",
        "a maintenance page with status 200, once",
        faults(Fault("/oai", body=HTML, headers={"Content-Type": "text/html"}), skip=1),
    ),
    Scenario(
        "HTML for ever", "the maintenance page at every request", faults(*[Fault("/oai", body=HTML)] * ALWAYS)
    ),
    Scenario("Content-Length too large", "page 2 announced 500 bytes longer than it is", too_long),
    Scenario(
        "Content-Length too small",
        "page 2 announced as 9,000 bytes",
        faults(Fault("/oai", length=9000), skip=1),
    ),
    Scenario(
        "packed wrongly",
        "Content-Encoding: gzip over plain bytes",
        faults(Fault("/oai", headers={"Content-Encoding": "gzip"}), skip=1),
    ),
    Scenario(
        "gzip cut off",
        "half a gzip body",
        of_page(
            lambda first: Fault("/oai", body=gzip.compress(first)[:900], headers={"Content-Encoding": "gzip"})
        ),
    ),
    Scenario(
        "5-minute stall",
        "2,000 bytes of page 2, then 300 s of silence",
        faults(Fault("/oai", truncate=2000, stall=STALL), skip=1),
    ),
    Scenario("stall before the answer", "300 s of silence", faults(Fault("/oai", delay=STALL), skip=1)),
    Scenario(
        "redirect loop",
        "302 to itself",
        faults(*[Fault("/oai", 302, {"Location": "/oai/again"}, b"")] * ALWAYS),
    ),
    Scenario("403", "403 with a page", faults(Fault("/oai", 403, body=HTML))),
)
#: The token of page 2, as the loopback arXiv writes it.
TOKEN = "verb=ListRecords&metadataPrefix=arXivRaw&from=2024-02-01&skip=50&day=2024-03-10"


def expired(server: LoopbackArxiv) -> bytes:
    """Return the protocol's answer to a token that has died."""
    old = TOKEN.replace("2024-03-10", "2024-03-09")
    return server.repository.answer([("verb", "ListRecords"), ("resumptionToken", old)], server.oai_url)


class Notes(logging.Handler):
    """Collects what is logged for a person."""

    def __init__(self, told: list[str]) -> None:
        super().__init__(logging.WARNING)
        self.told = told

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a warning's text."""
        self.told.append(record.getMessage())


@contextmanager
def served() -> Iterator[LoopbackArxiv]:
    """Serve the records of the evaluation."""
    records = [record(number) for number in range(1, RECORDS + 1)]
    with LoopbackArxiv(records, page_size=50, clock=lambda: NOW) as server:
        yield server


def run(scenario: Scenario, home: Path) -> Seen:
    """Harvest through one fault, then once more without it."""
    seen = Seen(scenario.name, scenario.sent)
    notes = Notes(seen.told)
    logging.getLogger("search").addHandler(notes)
    try:
        with served() as server:
            scenario.spoil(server)
            lake = Lake(str(home / "lake"), home / "cache")
            _harvest(lake, server, scenario, seen)
            seen.requests = len(server.requests("/oai"))
            lake.catalogue.refresh()
            seen.closed = bool(lake.catalogue.windows(server.oai_url, None))
            server.faults.clear()
            server.recorded.clear()
            _harvest(lake, server, Scenario("mended", "", lambda _: None), Seen("", ""))
            lake.catalogue.refresh()
            seen.mended = len(lake.catalogue.work_ids())
    finally:
        logging.getLogger("search").removeHandler(notes)
    return seen


def _harvest(lake: Lake, server: LoopbackArxiv, scenario: Scenario, seen: Seen) -> None:
    pending = [scenario.between] if scenario.between else []

    def arrived(_: object) -> None:
        if pending:
            pending.pop()(server)

    first = date(2024, 3, 8) if scenario.empty else date(2024, 2, 1)
    began = time.monotonic()
    try:
        with Transport(
            contact=None,
            interval=0,
            timeout=READ_TIMEOUT,
            sleep=lambda _: None,
            politeness=Politeness(clock=lambda: 0.0),
            on_wait=lambda seconds, why: seen.told.append(f"wait {seconds:.0f} s: {why}"),
        ) as transport:
            report = harvest(
                lake, OAIClient(server.oai_url, transport), base_url=server.oai_url, from_=first,
                until=scenario.until, today=date(2024, 2, 29), progress=arrived,
            )  # fmt: skip
        seen.records = report.records
        seen.told += report.notes
    except CitewellError as error:
        seen.error, seen.message = error.code, str(error)
        seen.retry_after = getattr(error, "retry_after", None)
    seen.seconds = time.monotonic() - began


def fetch_faults() -> Iterator[Seen]:
    """Yield what becomes of PDFs that arrive broken, and of the next run."""
    cases = (
        ("PDF: 404", "404", Fault("/pdf", 404, body=HTML)),
        ("PDF: HTML", "a page with status 200", Fault("/pdf", body=HTML)),
        ("PDF: cut, announced whole", "half of the bytes", Fault("/pdf", truncate=1000)),
        ("PDF: cut, announced so", "half of the bytes", Fault("/pdf", truncate=1000, announce=False)),
        ("PDF: 503 for hours", "503, Retry-After: 7200", Fault("/pdf", 503, {"Retry-After": "7200"})),
    )
    for name, sent, fault in cases:
        seen = Seen(name, sent)
        with served() as server, tempfile.TemporaryDirectory() as home:
            lake = Lake(f"{home}/lake", Path(home, "cache"))
            server.put(record(1))
            server.pdfs = {"2402.00001v1": PDF}
            _harvest(lake, server, Scenario("", "", lambda _: None), Seen("", ""))
            server.faults.append(fault)
            for time_ in (1, 2):
                with Transport(
                    contact=None, interval=0, kind="pdf", tries=1, timeout=READ_TIMEOUT, sleep=lambda _: None,
                    politeness=Politeness(clock=lambda: 0.0),
                ) as transport:  # fmt: skip
                    report = fetch(lake, transport, base_url=server.pdf_url, ids=["2402.00001"])
                if time_ == 1 and report.failed:
                    seen.error, seen.message = report.failed[0].error, report.failed[0].message
            seen.mended = len(lake.files.names("pdf"))
        yield seen


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", action="store_true", help="also print how long each took")
    options = parser.parse_args()
    logging.getLogger("search").propagate = False
    print("| Fault | What was sent | What happened | What a person sees |\n|---|---|---|---|")
    wrong = []
    for scenario in SCENARIOS:
        with tempfile.TemporaryDirectory() as home:
            seen = run(scenario, Path(home))
        print(row(seen, seconds=options.seconds), flush=True)
        wrong += [seen.name] if seen.mended != RECORDS else []
    for seen in fetch_faults():
        print(row(seen, seconds=options.seconds), flush=True)
        wrong += [seen.name] if seen.mended != 1 else []
    if wrong:
        sys.exit(f"not mended by the next run: {', '.join(wrong)}")


def row(seen: Seen, *, seconds: bool) -> str:
    """Return a fault as a line of a table."""
    if seen.name.startswith("PDF"):
        happened = f"`{seen.error}`; the next run has it"
    elif seen.error:
        kept = "the window closed all the same" if seen.closed else "window open, the next run has all"
        after = f", retry_after {seen.retry_after:g}" if seen.retry_after is not None else ""
        happened = f"`{seen.error}`{after} after {seen.requests} requests; {kept}"
    else:
        happened = f"whole with {seen.requests} requests, window {'closed' if seen.closed else 'open'}"
    told: list[str] = []
    for line in seen.told:
        if line not in told:
            told.append(line)
    said = "; ".join([*told[:2], *([f"… ({len(seen.told)} lines)"] if len(told) > 2 else [])])
    said = " → ".join(part for part in (said, seen.message) if part) or "nothing"
    took = f" ({seen.seconds:.1f} s)" if seconds else ""
    # Ports differ from run to run.
    said = re.sub(r"127\.0\.0\.1:\d+", "arxiv", said).replace("|", "\\|")
    return f"| {seen.name} | {seen.sent} | {happened}{took} | {said} |"


if __name__ == "__main__":
    main()
