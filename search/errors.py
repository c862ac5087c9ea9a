"""Every error that Citewell raises on purpose, in one tree.

* CitewellError
    * UsageError                 the caller asked for something that cannot be meant (CLI exit 2)
        * EmptyQuery
        * BadIdentifier
        * BadFilter
        * SettingsError
    * MissingExtra               an optional package is not installed
    * WorkNotFound               the library does not hold this paper
    * WorkTakenDown              it was taken down, and stays out until that is lifted
    * TransportError             a remote server could not be asked
        * NetworkUnreachable
        * ServerUnavailable      503 and other 5xx, carries `retry_after`
        * RateLimited            429, carries `retry_after`
        * RequestRefused         any other 4xx
    * OAIError                   the OAI-PMH server answered with a protocol error, carries `code`
        * BadVerb · BadArgument · BadResumptionToken · CannotDisseminateFormat · IdDoesNotExist
        * NoRecordsMatch · NoMetadataFormats · NoSetHierarchy · UnknownOAIError
    * MalformedResponse          the server's answer is not what the protocol promises
    * FetchError                 a PDF did not arrive
        * PDFNotFound · NotAPDF · TruncatedPDF · NotPermitted
    * ReadingError               a PDF arrived and could not be read
        * EncryptedPDF · DamagedPDF · NoTextInPDF
        * ReadingTimeout · ReadingOverMemory · ReaderCrashed
    * ModelError
        * ModelUnavailable · ModelDamaged · ModelMismatch
    * IndexFailure
        * IndexMissing · EngineUnavailable · EngineRefused · WriterBusy · SchemaMismatch
        * GateFailed
    * LLMError
    * LakeError
        * LakeDamaged · DiskFull

An error says what happened and to what (`message`), what to do next (`advice`), and whether the same
call may succeed later (`retryable`).
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import ClassVar


class CitewellError(Exception):
    """The root: catch this to catch everything Citewell raises on purpose."""

    #: Whether doing exactly the same again, later, can help.
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, advice: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice

    def __str__(self) -> str:
        return f"{self.message}; {self.advice}" if self.advice else self.message

    @property
    def code(self) -> str:
        """The class name, as the JSON surfaces print it."""
        return type(self).__name__


# ---------------------------------------------------------------- the caller
class UsageError(CitewellError):
    """The call itself is wrong; nothing was tried."""


class EmptyQuery(UsageError):
    """The query holds no word to search for."""


class BadIdentifier(UsageError):
    """The string is no arXiv identifier in any of its historical forms."""


class BadFilter(UsageError):
    """A filter cannot be meant as written (a year range that is empty, an unknown licence class)."""


class SettingsError(UsageError):
    """A setting is missing or out of its range."""


def install(extra: str) -> str:
    """Return how an extra is installed: of the package, and in a checkout, whose .venv may hold no pip."""
    return f'pip install "citewell[{extra}]"; in a checkout: uv pip install -e ".[{extra}]"'


class MissingExtra(CitewellError):
    """An optional package is needed. `advice` holds the install command."""

    def __init__(self, package: str, extra: str, *, why: str) -> None:
        super().__init__(f"{why} needs {package}", advice=install(extra))
        self.extra = extra


class WorkNotFound(CitewellError):
    """The library does not hold this work."""


class WorkTakenDown(CitewellError):
    """The work was taken down: nothing brings it back but lifting that."""

    def __init__(self, work_id: str, stamp: int) -> None:
        day = datetime.fromtimestamp(stamp / 1e6, tz=UTC).date()
        super().__init__(
            f"{work_id} was taken down on {day} and stays out",
            advice=f"where that was a mistake, `citewell add {work_id} --lift` takes it back",
        )
        self.work_id = work_id


# ---------------------------------------------------------------- the network
class TransportError(CitewellError):
    """A remote server could not be asked."""

    def __init__(
        self, message: str, *, url: str = "", advice: str = "", retry_after: float | None = None
    ) -> None:
        super().__init__(message, advice=advice)
        self.url = url
        #: Seconds the server asked us to wait, None where it did not say.
        self.retry_after = retry_after


class NetworkUnreachable(TransportError):
    """No connection, no name, a reset or a time-out."""

    retryable = True


class ServerUnavailable(TransportError):
    """The server answered 5xx for longer than we were willing to wait."""

    retryable = True


class RateLimited(TransportError):
    """The server answered 429 for longer than we were willing to wait."""

    retryable = True


class RequestRefused(TransportError):
    """The server answered 4xx: asking again the same way is pointless."""


class OAIError(CitewellError):
    """An OAI-PMH protocol error; `oai_code` is the protocol's own word.

    Source: Open Archives Initiative Protocol for Metadata Harvesting 2.0, section 3.6.
    """

    oai_code: ClassVar[str] = ""


class BadVerb(OAIError):
    """The verb argument is illegal or missing."""

    oai_code = "badVerb"


class BadArgument(OAIError):
    """The request has illegal, missing or repeated arguments."""

    oai_code = "badArgument"


class BadResumptionToken(OAIError):
    """The resumption token is invalid or has expired: start the window again."""

    oai_code = "badResumptionToken"
    retryable = True


class CannotDisseminateFormat(OAIError):
    """The metadata format is not supported for this item."""

    oai_code = "cannotDisseminateFormat"


class IdDoesNotExist(OAIError):
    """The identifier is unknown to the repository."""

    oai_code = "idDoesNotExist"


class NoRecordsMatch(OAIError):
    """The window is empty. Harvesting turns this into an empty answer."""

    oai_code = "noRecordsMatch"


class NoMetadataFormats(OAIError):
    """The item has no metadata formats."""

    oai_code = "noMetadataFormats"


class NoSetHierarchy(OAIError):
    """The repository has no sets."""

    oai_code = "noSetHierarchy"


class UnknownOAIError(OAIError):
    """An error code that the protocol does not define."""


class MalformedResponse(CitewellError):
    """The answer is no well-formed document of the kind that was asked for."""

    retryable = True


class FetchError(CitewellError):
    """A PDF did not arrive whole."""


class PDFNotFound(FetchError):
    """The server has no PDF for this version (404)."""


class NotAPDF(FetchError):
    """Something else arrived under the PDF's address (an HTML page, a captcha)."""

    retryable = True


class TruncatedPDF(FetchError):
    """The file ends before its end: shorter than announced, or without an end-of-file mark."""

    retryable = True


class NotPermitted(FetchError):
    """The library's licence policy does not let it keep this paper's full text."""

    def __init__(self, work_id: str, licence: str, policy: str) -> None:
        super().__init__(
            f"the full text of {work_id} is not kept: licence class {licence}, policy {policy}",
            advice="CITEWELL_LICENCE_POLICY says what is; LICENSE_MATRIX.md explains",
        )


class ReadingError(CitewellError):
    """The PDF cannot be read."""


class EncryptedPDF(ReadingError):
    """The PDF wants a password."""


class DamagedPDF(ReadingError):
    """The PDF's structure is broken beyond repair."""


class NoTextInPDF(ReadingError):
    """The PDF holds pictures of text only."""


class ReadingTimeout(ReadingError):
    """Reading took longer than one PDF may take."""


class ReadingOverMemory(ReadingError):
    """Reading took more memory than one PDF may take."""


class ReaderCrashed(ReadingError):
    """The process that read the PDF ended without an answer."""


# ---------------------------------------------------------------- models
class ModelError(CitewellError):
    """Something about the embedding model."""


class ModelUnavailable(ModelError):
    """No source has the model. `advice` names the three ways out."""


class ModelDamaged(ModelError):
    """The weights' checksum is not the pinned one."""


class ModelMismatch(ModelError):
    """The index was built with another embedding model than the one set now."""


# ---------------------------------------------------------------- index
class IndexFailure(CitewellError):
    """Something about the index."""


class IndexMissing(IndexFailure):
    """There is no published index."""


class EngineUnavailable(IndexFailure):
    """The search engine does not answer."""

    retryable = True


class EngineRefused(IndexFailure):
    """The search engine answered, and refused (credentials, a request it cannot run)."""


class WriterBusy(IndexFailure):
    """Another process writes to this embedded index."""

    retryable = True


class SchemaMismatch(IndexFailure):
    """The index was written by another version of the mappings."""


class GateFailed(IndexFailure):
    """A new generation was not published: it holds less than it should, or finds less than the live one."""


class LLMError(CitewellError):
    """The language model could not be asked, or did not answer in the agreed form."""

    retryable = True


# ---------------------------------------------------------------- lake
class LakeError(CitewellError):
    """Something about the lake's files."""


class LakeDamaged(LakeError):
    """A lake file is not what was written."""


class DiskFull(LakeError):
    """No space is left; nothing half-written was kept."""

    retryable = True
