"""Harvesting arXiv over OAI-PMH 2.0.

Source: https://www.openarchives.org/OAI/openarchivesprotocol.html and
https://info.arxiv.org/help/oa/index.html. Names are the protocol's own.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Protocol, TypeVar

from lxml import etree
from pydantic import ValidationError

from search import errors
from search.arxiv.formats import day, read_metadata
from search.arxiv.listing import Listing
from search.arxiv.markup import parse_document, text_of, texts_of
from search.arxiv.records import ArxivRecord
from search.arxiv.transport import Transport, shown
from search.errors import (
    BadResumptionToken,
    CitewellError,
    MalformedResponse,
    NoRecordsMatch,
    OAIError,
    RequestRefused,
)

OAI = "{http://www.openarchives.org/OAI/2.0/}"
#: How often one question is asked while its answers are malformed: half-written pages happen, and pass.
ASKS = 3
#: How often a list is read while it changes under our eyes, or does not come whole.
READINGS = 3
#: Pages in a row that may bring nothing new: a list that grows at its beginning repeats one or two.
FRUITLESS = 3
#: The largest answer read, in bytes. arXiv's pages of 2,500 records are below 10 MB.
LARGEST_ANSWER = 100_000_000

_ERRORS: dict[str, type[OAIError]] = {
    error.oai_code: error
    for error in vars(errors).values()
    if isinstance(error, type) and issubclass(error, OAIError) and error.oai_code
}
LATER = "harvest again later"
#: Some servers (not arXiv's) send protocol errors under these statuses instead of 200.
ERROR_STATUSES = frozenset({400, 404, 422})

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Record:
    """One record of a page."""

    #: The OAI name, `oai:arXiv.org:<work id>`.
    identifier: str
    #: Day of the record's last modification; the answer's own day where the header is broken.
    datestamp: date
    sets: tuple[str, ...]
    #: The protocol's own deletion mark. arXiv never sets it.
    deleted: bool
    #: None for deleted records, for headers alone, and where there is a problem.
    metadata: ArxivRecord | None
    #: Why the metadata could not be read; None: it could.
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """One answer to ListRecords (or GetRecord, ListIdentifiers), as received and as understood."""

    raw: bytes
    #: The server's clock when it answered, UTC.
    response_date: datetime
    records: tuple[Record, ...]
    #: None on the last page.
    resumption_token: str | None
    #: How many records the whole list has, where the server says so.
    complete_list_size: int | None
    #: Position of the page's first record in the list, from 0, where the server says so.
    cursor: int | None
    #: Whether the answer was no valid UTF-8 however often it was asked for, and was read all the same:
    #: what cannot be decoded is U+FFFD in the records. `raw` is as received.
    mended: bool = False


@dataclass(frozen=True, slots=True)
class Identity:
    """What the repository says of itself."""

    name: str
    base_url: str
    earliest_datestamp: date | None
    #: `YYYY-MM-DD` or with time.
    granularity: str
    #: `no`, `transient` or `persistent`.
    deleted_record: str
    admin_emails: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Set:
    """A part of the repository that can be harvested by itself."""

    spec: str
    name: str


def parse_page(raw: bytes, *, mend: bool = False) -> Page:
    """Return the page that `raw` is. A window without records is a page without records.

    With `mend`, bytes that are no UTF-8 become U+FFFD instead of an error.

    Raises:
        OAIError: the server answered with a protocol error, each of its own class.
        MalformedResponse: it is no answer of this protocol.
    """
    whole = raw.decode("utf-8", "replace").encode() if mend else raw
    root = parse_document(whole, f"{OAI}OAI-PMH")
    response_date = _response_date(root)
    try:
        _raise_error(root)
    except NoRecordsMatch:
        return Page(raw, response_date, (), None, 0, None, mend)
    body = _body(root, ("ListRecords", "GetRecord", "ListIdentifiers"))
    entries = body.findall(f"{OAI}header") or body.findall(f"{OAI}record")
    token = body.find(f"{OAI}resumptionToken")
    return Page(
        raw=raw,
        response_date=response_date,
        records=tuple(_record(entry, response_date.date()) for entry in entries),
        resumption_token=text_of(body, f"{OAI}resumptionToken") or None,
        complete_list_size=_number(token, "completeListSize"),
        cursor=_number(token, "cursor"),
        mended=mend,
    )


def _response_date(root: etree._Element) -> datetime:
    stated = text_of(root, f"{OAI}responseDate")
    try:
        found = datetime.fromisoformat(stated)
    except ValueError:
        raise MalformedResponse(f"the answer's responseDate is {stated!r}") from None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def _raise_error(root: etree._Element) -> None:
    faults = root.findall(f"{OAI}error")
    if not faults:
        return
    # Of several, one that is not "nothing there" says more.
    fault = min(faults, key=lambda element: element.get("code") == NoRecordsMatch.oai_code)
    code = fault.get("code") or ""
    words = " ".join((fault.text or "").split())
    kind = _ERRORS.get(code, errors.UnknownOAIError)
    request = root.find(f"{OAI}request")
    asked = {} if request is None else {str(name): str(value) for name, value in request.items()}
    what = ", ".join(f"{name}={shown(value)}" for name, value in asked.items())
    said = f"the server answered {code or 'an error without a code'} to {what or 'the request'}"
    raise kind(f"{said}: {words}" if words else said)


def _body(root: etree._Element, verbs: tuple[str, ...]) -> etree._Element:
    for verb in verbs:
        found = root.find(OAI + verb)
        if found is not None:
            return found
    raise MalformedResponse(f"the answer has neither an error nor any of {', '.join(verbs)}")


def _number(element: etree._Element | None, attribute: str) -> int | None:
    value = (element.get(attribute) or "") if element is not None else ""
    return int(value) if value.isdecimal() else None


def _record(entry: etree._Element, today: date) -> Record:
    header = entry if entry.tag == f"{OAI}header" else entry.find(f"{OAI}header")
    identifier = text_of(header, f"{OAI}identifier")
    datestamp = day(text_of(header, f"{OAI}datestamp"))
    if header is None or not identifier or datestamp is None:
        broken = f"a record has no whole header (identifier {identifier!r})"
        return Record(identifier, datestamp or today, (), deleted=False, metadata=None, problem=broken)
    deleted = header.get("status") == "deleted"
    metadata: ArxivRecord | None = None
    problem: str | None = None
    if not deleted and entry is not header:
        metadata, problem = _metadata(entry, identifier)
    return Record(identifier, datestamp, tuple(texts_of(header, f"{OAI}setSpec")), deleted, metadata, problem)


def _metadata(entry: etree._Element, identifier: str) -> tuple[ArxivRecord | None, str | None]:
    """Return the record's metadata, or why it could not be read.

    One record that cannot be read must not take the other 2,499 of its page with it.
    """
    content = next(iter(entry.iterfind(f"{OAI}metadata/*")), None)
    if content is None:
        return None, f"{identifier} has no metadata"
    try:
        return read_metadata(content, identifier), None
    except (CitewellError, ValidationError) as error:
        return None, str(error)


class _Reader(Protocol[T_co]):
    """Makes something of an answer; with `mend`, of one that is no valid UTF-8 too."""

    def __call__(self, raw: bytes, *, mend: bool = False) -> T_co:
        """Return what the answer says."""


class OAIClient:
    """Asks one OAI-PMH server. Lists are iterated page by page, across resumption tokens."""

    def __init__(self, base_url: str, transport: Transport) -> None:
        self.base_url = base_url
        self._transport = transport

    def identify(self) -> Identity:
        """Return what the server says of itself."""
        body = _body(self._document({"verb": "Identify"}), ("Identify",))
        return Identity(
            name=text_of(body, f"{OAI}repositoryName"),
            base_url=text_of(body, f"{OAI}baseURL"),
            earliest_datestamp=day(text_of(body, f"{OAI}earliestDatestamp")),
            granularity=text_of(body, f"{OAI}granularity"),
            deleted_record=text_of(body, f"{OAI}deletedRecord"),
            admin_emails=tuple(texts_of(body, f"{OAI}adminEmail")),
        )

    def list_sets(self) -> tuple[Set, ...]:
        """Return all sets, over all pages. Raises `NoSetHierarchy` where there are none."""
        sets: list[Set] = []
        seen: set[str] = set()
        params = {"verb": "ListSets"}
        while True:
            body = _body(self._document(params), ("ListSets",))
            sets += [
                Set(text_of(entry, f"{OAI}setSpec"), text_of(entry, f"{OAI}setName"))
                for entry in body.findall(f"{OAI}set")
            ]
            token = text_of(body, f"{OAI}resumptionToken")
            if not token:
                return tuple(sets)
            _new_token(token, seen)
            params = {"verb": "ListSets", "resumptionToken": token}

    def list_metadata_formats(self, identifier: str | None = None) -> tuple[str, ...]:
        """Return the metadata prefixes of the repository, or of one item."""
        params = {"verb": "ListMetadataFormats"} | ({"identifier": identifier} if identifier else {})
        body = _body(self._document(params), ("ListMetadataFormats",))
        return tuple(texts_of(body, f"{OAI}metadataFormat/{OAI}metadataPrefix"))

    def get_record(self, identifier: str, metadata_prefix: str = "arXivRaw") -> Record:
        """Return one record by its OAI name. Raises `IdDoesNotExist` for an unknown one."""
        page = self._page({"verb": "GetRecord", "identifier": identifier, "metadataPrefix": metadata_prefix})
        if len(page.records) != 1:
            raise MalformedResponse(f"the answer for {identifier} has {len(page.records)} records")
        return page.records[0]

    def list_records(
        self, *, from_: date, until: date | None, set_: str | None = None, metadata_prefix: str = "arXivRaw"
    ) -> Iterator[Page]:
        """Yield the pages of a window of datestamps, both ends included, until the whole list has come.

        A resumption token that dies on the way (arXiv's do at midnight UTC) starts the window again,
        once, from its first page, and so does a list that changed while it was read or that ends before
        the size the server states (at most `READINGS` readings): who consumes the pages must not mind
        seeing a record twice. Only when the iteration ends by itself is the window whole.

        Raises:
            BadResumptionToken: the token died a second time.
            MalformedResponse: the list did not come whole, or the server sends a page or a token again,
                which would never end.
        """
        params = {"verb": "ListRecords", "metadataPrefix": metadata_prefix, "from": from_.isoformat()}
        params |= {"until": until.isoformat()} if until else {}
        params |= {"set": set_} if set_ else {}
        window = f"the window from {from_}" + (f" until {until}" if until else "")
        died, missing = False, ""
        for left in reversed(range(READINGS)):
            listing = Listing()
            try:
                yield from self._pages(params, listing)
            except BadResumptionToken as error:
                if died:
                    raise BadResumptionToken(error.message, advice=LATER) from error
                died, missing = True, error.message
            else:
                missing = listing.missing()
            if not missing:
                return
            if left:
                log.warning("%s; %s is asked again from the beginning", missing, window)
        raise MalformedResponse(
            f"{window} did not come whole in {READINGS} readings: {missing}", advice=LATER
        )

    def _pages(self, params: dict[str, str], listing: Listing) -> Iterator[Page]:
        """Yield the pages of one reading, noting in `listing` what arrived."""
        tokens: set[str] = set()
        fruitless = 0
        while True:
            page, new = self._new_page(params, listing)
            fruitless = 0 if new else fruitless + 1
            ends = page.resumption_token is None
            # Nothing new is no end: a list is followed further only where its size will say so.
            if page.records and not new and not ends and (fruitless > FRUITLESS or not listing.checkable):
                raise MalformedResponse(
                    f"the server sent the page from {page.records[0].identifier} twice", advice=LATER
                )
            yield page
            if page.resumption_token is None:
                return
            _new_token(page.resumption_token, tokens)
            params = {"verb": params["verb"], "resumptionToken": page.resumption_token}

    def _new_page(self, params: dict[str, str], listing: Listing) -> tuple[Page, int]:
        """Return a page and how many new records it has; one that repeats another is asked for again."""
        for left in reversed(range(ASKS)):
            page = self._page(params)
            new = listing.take(page)
            if new or not page.records or not left or not (page.resumption_token or listing.missing()):
                break
            log.warning("the page from %s came twice; asking again", page.records[0].identifier)
        return page, new

    def _page(self, params: dict[str, str]) -> Page:
        return self._asked(params, parse_page)

    def _document(self, params: dict[str, str]) -> etree._Element:
        def read(raw: bytes, *, mend: bool = False) -> etree._Element:
            whole = raw.decode("utf-8", "replace").encode() if mend else raw
            root = parse_document(whole, f"{OAI}OAI-PMH")
            _raise_error(root)
            return root

        return self._asked(params, read)

    def _asked(self, params: dict[str, str], read: _Reader[T]) -> T:
        """Ask until the answer can be read, at most `ASKS` times.

        Bytes that are no UTF-8 and stay so lie in the server's database: one of them must not close its
        day for ever, so the last answer is then read with U+FFFD in their places.
        """
        for left in reversed(range(ASKS)):
            try:
                answer = self._transport.get(
                    self.base_url, params, accept={200, *ERROR_STATUSES}, max_bytes=LARGEST_ANSWER
                )
            except MalformedResponse as error:  # packed wrongly
                if not left:
                    raise
                log.warning("%s; asking again", error.message)
                continue
            address = shown(answer.url)
            try:
                return read(answer.content)
            except MalformedResponse as error:
                if answer.status != 200:
                    raise RequestRefused(
                        f"{address} answered {answer.status}",
                        url=answer.url,
                        advice="check the server's address",
                    ) from error
                if not left and not is_utf8(answer.content):
                    with suppress(MalformedResponse):
                        found = read(answer.content, mend=True)
                        log.warning("%s is no valid UTF-8; read with U+FFFD in its place", address)
                        return found
                if not left:
                    raise MalformedResponse(f"{address}: {error.message}", advice=error.advice) from error
                log.warning("%s: %s; asking again", address, error.message)
        raise AssertionError


def is_utf8(raw: bytes) -> bool:
    """Return whether these bytes can be decoded."""
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def _new_token(token: str, seen: set[str]) -> None:
    """Remember a token, or refuse one that was there before: the list would never end."""
    if token in seen:
        raise MalformedResponse(f"the server gave the resumption token {shown(token)!r} twice", advice=LATER)
    seen.add(token)
