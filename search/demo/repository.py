"""An OAI-PMH 2.0 repository as a function: arguments of a request in, the XML document out.

Behaves as arXiv's does: day granularity, `until` inclusive, sets that contain their subsets, resumption
tokens that are offsets and die at midnight UTC, no deleted records.
Source: Open Archives Initiative Protocol for Metadata Harvesting 2.0.
"""

from __future__ import annotations

import threading
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode
from xml.sax.saxutils import escape, quoteattr

from search.demo.records import XSI, DemoRecord, arxiv, arxiv_raw, oai_dc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

#: Metadata formats: prefix, how a record is written, schema, namespace.
FORMATS: dict[str, tuple[Callable[[DemoRecord], str], str, str]] = {
    "oai_dc": (
        oai_dc,
        "http://www.openarchives.org/OAI/2.0/oai_dc.xsd",
        "http://www.openarchives.org/OAI/2.0/oai_dc/",
    ),
    "arXiv": (arxiv, "http://arxiv.org/OAI/arXiv.xsd", "http://arxiv.org/OAI/arXiv/"),
    "arXivRaw": (arxiv_raw, "http://arxiv.org/OAI/arXivRaw.xsd", "http://arxiv.org/OAI/arXivRaw/"),
}
#: verb: (required arguments, optional arguments); list verbs take a lone resumptionToken instead.
_ARGUMENTS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "Identify": (frozenset(), frozenset()),
    "ListMetadataFormats": (frozenset(), frozenset({"identifier"})),
    "ListSets": (frozenset(), frozenset({"resumptionToken"})),
    "GetRecord": (frozenset({"identifier", "metadataPrefix"}), frozenset()),
    "ListIdentifiers": (frozenset({"metadataPrefix"}), frozenset({"from", "until", "set"})),
    "ListRecords": (frozenset({"metadataPrefix"}), frozenset({"from", "until", "set"})),
}
_LISTS = ("ListIdentifiers", "ListRecords")


class _ProtocolError(Exception):
    """One of the protocol's error conditions, on its way into the document."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


class Repository:
    """Records and the six verbs over them; safe to use from many threads."""

    def __init__(
        self,
        records: Iterable[DemoRecord],
        *,
        page_size: int = 50,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        if page_size < 1:
            raise ValueError("page_size must be at least 1")
        self.page_size = page_size
        self.clock = clock
        self._lock = threading.Lock()
        self._records = {record.id: record for record in records}

    def put(self, record: DemoRecord) -> None:
        """Add a record, or replace the one with the same id."""
        with self._lock:
            self._records[record.id] = record

    def records(self) -> list[DemoRecord]:
        """Return all records in the order in which lists give them: by datestamp, then id."""
        with self._lock:
            return sorted(self._records.values(), key=lambda record: (record.stamp, record.id))

    def get(self, work_id: str) -> DemoRecord | None:
        """Return the record of an arXiv id without version, or None."""
        with self._lock:
            return self._records.get(work_id)

    def answer(self, pairs: Sequence[tuple[str, str]], base_url: str) -> bytes:
        """Return the whole OAI-PMH document for the arguments of one request, errors included."""
        given = dict(pairs)
        shown = given
        try:
            body = self._body(pairs)
        except _ProtocolError as error:
            body = f'<error code="{error.code}">{escape(str(error))}</error>\n'
            # Section 3.2: a request that cannot be understood is not repeated back.
            shown = {} if error.code in {"badVerb", "badArgument"} else given
        attributes = "".join(f" {name}={quoteattr(value)}" for name, value in shown.items())
        return (
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            f'<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/" {XSI} xsi:schemaLocation='
            '"http://www.openarchives.org/OAI/2.0/ http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd">\n'
            f"<responseDate>{self.clock():%Y-%m-%dT%H:%M:%SZ}</responseDate>\n"
            f"<request{attributes}>{escape(base_url)}</request>\n{body}</OAI-PMH>\n"
        ).encode()

    # ------------------------------------------------------------------ verbs
    def _body(self, pairs: Sequence[tuple[str, str]]) -> str:
        arguments = dict(pairs)
        verbs = [value for name, value in pairs if name == "verb"]
        verb = arguments.pop("verb", "")
        if len(verbs) != 1 or verb not in _ARGUMENTS:
            raise _ProtocolError("badVerb", "Illegal, missing or repeated OAI verb")
        if len(pairs) != len(arguments) + 1:
            raise _ProtocolError("badArgument", "An argument is repeated")
        if verb in _LISTS and "resumptionToken" in arguments:
            if len(arguments) > 1:
                raise _ProtocolError("badArgument", "resumptionToken is an exclusive argument")
            arguments = self._resume(verb, arguments["resumptionToken"])
        skip = int(arguments.pop("skip", "0"))
        _check_names(verb, arguments)
        if verb in _LISTS:
            return self._list(verb, arguments, skip)
        answers: dict[str, Callable[[dict[str, str]], str]] = {
            "Identify": self._identify,
            "ListMetadataFormats": self._formats,
            "ListSets": self._sets,
            "GetRecord": self._get_record,
        }
        return answers[verb](arguments)

    def _get_record(self, arguments: dict[str, str]) -> str:
        writer = _writer(arguments["metadataPrefix"])
        return f"<GetRecord>\n{_record(self._find(arguments['identifier']), writer)}</GetRecord>\n"

    def _identify(self, _: dict[str, str]) -> str:
        earliest = min((record.stamp for record in self.records()), default=date(2007, 5, 23))
        return (
            "<Identify>\n<repositoryName>Loopback arXiv of the Citewell demo</repositoryName>\n"
            "<baseURL>http://127.0.0.1/oai</baseURL>\n<protocolVersion>2.0</protocolVersion>\n"
            f"<adminEmail>nobody@localhost</adminEmail>\n<earliestDatestamp>{earliest}</earliestDatestamp>\n"
            "<deletedRecord>no</deletedRecord>\n<granularity>YYYY-MM-DD</granularity>\n</Identify>\n"
        )

    def _formats(self, arguments: dict[str, str]) -> str:
        if "identifier" in arguments:
            self._find(arguments["identifier"])
        rows = "".join(
            f"<metadataFormat>\n <metadataPrefix>{prefix}</metadataPrefix>\n <schema>{schema}</schema>\n"
            f" <metadataNamespace>{namespace}</metadataNamespace>\n</metadataFormat>\n"
            for prefix, (_, schema, namespace) in FORMATS.items()
        )
        return f"<ListMetadataFormats>\n{rows}</ListMetadataFormats>\n"

    def _sets(self, arguments: dict[str, str]) -> str:
        if "resumptionToken" in arguments:
            raise _ProtocolError("badResumptionToken", "The list of sets is given whole")
        specs: dict[str, None] = {}
        for spec in sorted({spec for record in self.records() for spec in record.sets}):
            parts = spec.split(":")
            for end in range(1, len(parts) + 1):
                specs[":".join(parts[:end])] = None
        rows = "".join(
            f"<set>\n <setSpec>{spec}</setSpec>\n <setName>{spec.rsplit(':', 1)[-1]}</setName>\n</set>\n"
            for spec in specs
        )
        return f"<ListSets>\n{rows}</ListSets>\n"

    def _find(self, identifier: str) -> DemoRecord:
        prefix, _, work_id = identifier.rpartition(":")
        record = self.get(work_id) if prefix == "oai:arXiv.org" else None
        if record is None:
            raise _ProtocolError(
                "idDoesNotExist", f"The value of the identifier argument is unknown: {identifier}"
            )
        return record

    # ------------------------------------------------------------------ lists
    def _list(self, verb: str, arguments: dict[str, str], skip: int) -> str:
        writer = _writer(arguments["metadataPrefix"])
        chosen = self._select(arguments)
        page = chosen[skip : skip + self.page_size]
        if not page:
            if skip:  # the list became shorter since the token was given
                raise _ProtocolError("badResumptionToken", "The resumptionToken is past the end of the list")
            raise _ProtocolError("noRecordsMatch", "No record matches the combination of from, until and set")
        rows = "".join(
            _record(record, writer) if verb == "ListRecords" else _header(record) for record in page
        )
        return f"<{verb}>\n{rows}{self._token(verb, arguments, skip, len(chosen))}</{verb}>\n"

    def _select(self, arguments: dict[str, str]) -> list[DemoRecord]:
        start, end = _day(arguments, "from"), _day(arguments, "until")
        if start and end and start > end:
            raise _ProtocolError("badArgument", "from is later than until")
        wanted = arguments.get("set")
        return [
            record
            for record in self.records()
            if (start is None or record.stamp >= start)
            and (end is None or record.stamp <= end)
            and (wanted is None or any(f"{spec}:".startswith(f"{wanted}:") for spec in record.sets))
        ]

    def _token(self, verb: str, arguments: dict[str, str], skip: int, total: int) -> str:
        """Return the resumptionToken element: absent for a whole list, empty on the last page."""
        following = skip + self.page_size
        if not skip and following >= total:
            return ""
        text = ""
        if following < total:
            issued = {"verb": verb, **arguments, "skip": following, "day": f"{self.clock():%Y-%m-%d}"}
            text = escape(urlencode(issued))
        return f'<resumptionToken cursor="{skip}" completeListSize="{total}">{text}</resumptionToken>\n'

    def _resume(self, verb: str, token: str) -> dict[str, str]:
        """Return the arguments that a token stands for, `skip` among them."""
        arguments = dict(parse_qsl(token))
        alive = arguments.pop("day", "") == f"{self.clock():%Y-%m-%d}"
        if arguments.pop("verb", "") != verb or not alive or not arguments.get("skip", "").isdecimal():
            raise _ProtocolError("badResumptionToken", "The resumptionToken is invalid or has expired")
        return arguments


def _check_names(verb: str, arguments: dict[str, str]) -> None:
    required, optional = _ARGUMENTS[verb]
    for name in required - arguments.keys():
        raise _ProtocolError("badArgument", f"{verb} needs the argument {name}")
    for name in arguments.keys() - required - optional:
        raise _ProtocolError("badArgument", f"{verb} does not take the argument {name}")


def _writer(prefix: str) -> Callable[[DemoRecord], str]:
    if prefix not in FORMATS:
        raise _ProtocolError(
            "cannotDisseminateFormat", f"The metadataPrefix `{prefix}' is not supported by this repository."
        )
    return FORMATS[prefix][0]


def _day(arguments: dict[str, str], name: str) -> date | None:
    if name not in arguments:
        return None
    try:
        return datetime.strptime(arguments[name], "%Y-%m-%d").replace(tzinfo=UTC).date()
    except ValueError:
        raise _ProtocolError("badArgument", f"{name} must be a day as YYYY-MM-DD") from None


def _header(record: DemoRecord) -> str:
    sets = "".join(f" <setSpec>{spec}</setSpec>\n" for spec in record.sets)
    return (
        f"<header>\n <identifier>{escape(record.identifier)}</identifier>\n"
        f" <datestamp>{record.stamp}</datestamp>\n{sets}</header>\n"
    )


def _record(record: DemoRecord, writer: Callable[[DemoRecord], str]) -> str:
    return f"<record>\n{_header(record)}<metadata>\n {writer(record)}\n</metadata>\n</record>\n"
