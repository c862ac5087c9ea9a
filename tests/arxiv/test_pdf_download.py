"""Fetching PDFs over real HTTP: only whole PDFs get through."""

from __future__ import annotations

import hashlib
import json

import pytest

from search.arxiv.pdf import download_pdf
from search.errors import NetworkUnreachable, NotAPDF, PDFNotFound, RequestRefused, TruncatedPDF

PDF = b"%PDF-1.5\n" + b"x" * 5000 + b"\n%%EOF\n"


def test_whole_pdf(loopback, transport):
    """A whole PDF arrives with its checksum and address; the version is part of what is asked for."""
    loopback.play(loopback.reply(PDF, kind="application/pdf"))
    got = download_pdf(transport(kind="pdf"), f"{loopback.url}/pdf/", "math/0309136", 2)
    assert got.content == PDF
    assert got.sha256 == hashlib.sha256(PDF).hexdigest()
    assert got.url == f"{loopback.url}/pdf/math/0309136v2"
    assert loopback.requests[0][0] == "/pdf/math/0309136v2"


def test_html_instead(loopback, transport):
    """A page under a PDF's address is refused, and its title says what it was."""
    page = b"<html><head><title>Please show\n you are &gt; a robot</title></head><body/></html>"
    loopback.play(loopback.reply(page, kind="text/html; charset=utf-8"))
    with pytest.raises(NotAPDF, match=r"text/html.*Please show you are"):
        download_pdf(transport(), loopback.url, "2401.00001", 1)


def test_html_is_refused_before_it_is_whole(loopback, transport):
    """A page that never ends is refused after its first kilobyte."""
    loopback.play(loopback.reply(b"<html><title>no</title>" + b" " * 100_000, kind="text/html", length=10**8))
    with pytest.raises(NotAPDF, match="'no'"):
        download_pdf(transport(), loopback.url, "2401.00001", 1)


def test_bytes_before_the_signature(loopback, transport):
    """Readers accept a signature within the first 1,024 bytes; so do we."""
    loopback.play(loopback.reply(b"\xef\xbb\xbf\n" * 200 + PDF))
    assert download_pdf(transport(), loopback.url, "2401.00001", 1).content.endswith(PDF)
    loopback.play(loopback.reply(b" " * 1024 + PDF))
    with pytest.raises(NotAPDF):
        download_pdf(transport(), loopback.url, "2401.00001", 1)


@pytest.mark.parametrize("body", [PDF[:3000], PDF[:-8], PDF + b"\0" * 4096, b"%PDF-1.5"])
def test_no_end_of_file_mark(loopback, transport, body):
    """A file that ends without its mark is truncated, even if the length is as announced."""
    loopback.play(loopback.reply(body))
    with pytest.raises(TruncatedPDF, match="end-of-file"):
        download_pdf(transport(), loopback.url, "2401.00001", 1)


def test_shorter_than_announced(loopback, transport):
    """A connection that always breaks off is a truncated file, after it was tried again."""
    loopback.play(loopback.reply(PDF, length=len(PDF) + 1))
    with pytest.raises(TruncatedPDF, match="broke off"):
        download_pdf(transport(tries=3), loopback.url, "2401.00001", 1)
    assert len(loopback.requests) == 3


def test_broken_off_once(loopback, transport):
    """A download that broke off is begun again, and only the whole one counts."""
    loopback.play(loopback.reply(PDF[:2000], length=len(PDF)), loopback.reply(PDF))
    assert download_pdf(transport(), loopback.url, "2401.00001", 1).content == PDF


@pytest.mark.parametrize("status", [404, 410])
def test_not_found(loopback, transport, status):
    """A version without PDF is PDFNotFound at once, not a page that is no PDF."""
    loopback.play(loopback.reply(b"<title>gone</title>", status, "text/html"))
    with pytest.raises(PDFNotFound, match=str(status)):
        download_pdf(transport(), loopback.url, "2401.00001", 9)
    assert len(loopback.requests) == 1


def test_forbidden(loopback, transport):
    """A block is neither a missing PDF nor a wrong one."""
    loopback.play(loopback.reply(b"", 403))
    with pytest.raises(RequestRefused, match="403"):
        download_pdf(transport(), loopback.url, "2401.00001", 1)


def test_nothing_arrives(loopback, transport):
    """A server that hangs up without a byte is unreachable, not a truncated PDF."""
    loopback.play(loopback.reset)
    with pytest.raises(NetworkUnreachable):
        download_pdf(transport(tries=2), loopback.url, "2401.00001", 1)


@pytest.mark.parametrize("length", [None, 10**9])
def test_too_large(loopback, transport, length):
    """A file above the limit is refused, by its announced length or while it arrives."""
    loopback.play(loopback.reply(PDF, length=length))
    with pytest.raises(NotAPDF, match="larger"):
        download_pdf(transport(), loopback.url, "2401.00001", 1, largest=4000)


def test_empty_answer(loopback, transport):
    """An empty body is no PDF."""
    loopback.play(loopback.reply(b"", kind="application/pdf"))
    with pytest.raises(NotAPDF):
        download_pdf(transport(), loopback.url, "2401.00001", 1)


def test_every_real_pdf_gets_through(loopback, transport, data):
    """All 81 real PDFs pass the checks, byte for byte."""
    rows = [json.loads(line) for line in (data / "pdf/arxiv/index.jsonl").read_text().splitlines()]
    files = sorted((data / "pdf/arxiv").rglob("*.pdf"))
    assert len(files) == len(rows) == 81
    polite = transport()
    for file in files:
        content = file.read_bytes()
        loopback.play(loopback.reply(content, kind="application/pdf"))
        assert download_pdf(polite, loopback.url, "2401.00001", 1).content == content, file.name
