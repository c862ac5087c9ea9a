"""Fetching one version's PDF, and refusing everything that is not a whole one."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from search.arxiv.identifiers import pdf_url
from search.arxiv.markup import page_title
from search.arxiv.transport import Answer, Transport
from search.errors import NetworkUnreachable, NotAPDF, PDFNotFound, TruncatedPDF

#: Larger files are refused, in bytes. arXiv itself accepts submissions of 50 MB; the PDFs made of them
#: are seldom above 100 MB.
LARGEST_PDF = 300_000_000
#: Where the signature and the end-of-file mark may stand: readers accept leading and trailing bytes of
#: this order (ISO 32000-1, annex H.3, implementation notes 13 and 18).
SIGNATURE_WITHIN = 1024
END_WITHIN = 2048


@dataclass(frozen=True, slots=True)
class PDFDownload:
    """A whole PDF."""

    content: bytes
    #: Hexadecimal.
    sha256: str
    #: The address that answered, after redirects.
    url: str


def download_pdf(
    transport: Transport, base_url: str, work_id: str, version: int | None, *, largest: int = LARGEST_PDF
) -> PDFDownload:
    """Return the PDF of a work's version.

    Raises:
        PDFNotFound: the server has none (404, 410).
        NotAPDF: something else arrived; the message names the page's title.
        TruncatedPDF: fewer bytes than announced, or no end-of-file mark.
        TransportError: the server could not be asked.
    """
    url = pdf_url(base_url, work_id, version)
    received = 0

    def read(answer: Answer) -> PDFDownload:
        nonlocal received
        received = 0
        if answer.status in {404, 410}:
            raise PDFNotFound(
                f"{answer.url} answered {answer.status}: there is no PDF of this version",
                advice="it may be withdrawn, or too new to be there yet",
            )
        if (answer.announced or 0) > largest:
            raise too_large(answer.url, largest)
        content = bytearray()
        for chunk in answer.chunks():
            content += chunk
            if received < SIGNATURE_WITHIN <= len(content):
                # Once, as early as it can be told: a page that is no PDF need not arrive whole.
                _check_signature(bytes(content), answer.url, answer.content_type)
            received = len(content)
            if received > largest:
                raise too_large(answer.url, largest)
        whole = bytes(content)
        check_whole(whole, answer.url, announced=answer.announced, content_type=answer.content_type)
        return PDFDownload(whole, hashlib.sha256(whole).hexdigest(), answer.url)

    try:
        return transport.stream(url, read, accept={200, 404, 410})
    except NetworkUnreachable as error:
        if not received:
            raise
        raise TruncatedPDF(
            f"{url} broke off after {received:,} bytes", advice="fetch it again later"
        ) from error


def check_whole(content: bytes, source: str, *, announced: int | None, content_type: str = "") -> None:
    """Refuse what is no whole PDF, wherever it came from.

    Raises:
        NotAPDF: something else; the message names the page's title.
        TruncatedPDF: fewer bytes than announced, or no end-of-file mark.
    """
    _check_signature(content, source, content_type)
    if announced is not None and len(content) != announced:
        raise TruncatedPDF(
            f"{source} sent {len(content):,} of {announced:,} bytes", advice="fetch it again later"
        )
    if b"%%EOF" not in content[-END_WITHIN:]:
        raise TruncatedPDF(
            f"{source} sent {len(content):,} bytes that end without an end-of-file mark",
            advice="fetch it again later",
        )


def _check_signature(content: bytes, source: str, content_type: str) -> None:
    if b"%PDF-" in content[:SIGNATURE_WITHIN]:
        return
    title = page_title(content)
    named = f" titled {title!r}" if title else ""
    raise NotAPDF(
        f"{source} sent {content_type or 'something without a type'}{named}, not a PDF",
        advice="open the address in a browser: there may be no PDF, or the server wants to see a person",
    )


def too_large(source: str, largest: int) -> NotAPDF:
    """Return the error for a file that is larger than any PDF of arXiv's."""
    return NotAPDF(f"{source} is larger than {largest:,} bytes", advice="add the file by hand with --pdf")
