"""XML from strangers, parsed without trust: no entities, no network, no trees without bounds."""

from __future__ import annotations

import re

from lxml import etree

from search.errors import MalformedResponse

#: Characters that XML 1.0 forbids even as references. arXiv's metadata is typed by people and carries
#: one now and then; a single one would otherwise close a whole day's window for ever.
_FORBIDDEN = re.compile(
    rb"[\x00-\x08\x0b\x0c\x0e-\x1f]"
    rb"|&#(?:x0*(?:[0-8bcefBCEF]|1[0-9a-fA-F])|0*(?:[0-8]|1[124-9]|2\d|3[01]));"
)
_HTML = re.compile(rb"<html|<!doctype\s+html", re.IGNORECASE)
_TITLE = re.compile(rb"<title[^>]*>(.*?)</title>|<h1[^>]*>(.*?)</h1>", re.IGNORECASE | re.DOTALL)


def parse_document(raw: bytes, root: str) -> etree._Element:
    """Return the root element of `raw`, which must be named `root` (`{namespace}name`).

    Raises:
        MalformedResponse: it is cut off, no XML, declares a document type (where entity bombs live),
            is no valid UTF-8, or is another kind of document, an HTML page for instance.
    """
    try:
        tree = _parse(raw)
    except etree.XMLSyntaxError as error:
        raise MalformedResponse(
            f"the answer is no well-formed XML ({error.msg}){_page_title(raw)}",
            advice="try again in a few minutes; if it stays so, check the server's address",
        ) from error
    if tree.tag != root:
        raise MalformedResponse(
            f"the answer is <{etree.QName(tree).localname}>, not <{etree.QName(root).localname}>"
            f"{_page_title(raw)}",
            advice="check the server's address",
        )
    return tree


def _parse(raw: bytes) -> etree._Element:
    try:
        tree = etree.fromstring(raw, _parser())
    except etree.XMLSyntaxError:
        cleaned = _FORBIDDEN.sub(b" ", raw)
        if cleaned == raw:
            raise
        tree = etree.fromstring(cleaned, _parser())
    if tree.getroottree().docinfo.internalDTD is not None:
        raise MalformedResponse(
            f"the answer declares a document type, which no answer of this protocol does{_page_title(raw)}",
            advice="check the server's address",
        )
    return tree


def _parser() -> etree.XMLParser:
    # A parser of its own for each document: lxml's are not to be shared between threads that parse.
    return etree.XMLParser(
        resolve_entities=False, no_network=True, huge_tree=False, load_dtd=False, remove_comments=True,
        remove_pis=True,
    )  # fmt: skip


def _page_title(raw: bytes) -> str:
    # Records have titles too: half a page of them is no web page.
    title = page_title(raw) if _HTML.search(raw[:2048]) else ""
    return f": it is a page titled {title!r}" if title else ""


def page_title(raw: bytes) -> str:
    """Return the title or first heading of an HTML page, at most 120 characters; empty if it has none."""
    match = _TITLE.search(raw[:65536])
    if match is None:
        return ""
    words = re.sub(rb"<[^>]*>", b" ", match[1] or match[2] or b"").decode("utf-8", "replace").split()
    return " ".join(words)[:120]


def text_of(element: etree._Element | None, path: str) -> str:
    """Return the whole text under the first element at `path`, stripped; empty if there is none."""
    found = None if element is None else element.find(path)
    if found is None:
        return ""
    return ("".join(map(str, found.itertext())) if len(found) else found.text or "").strip()


def texts_of(element: etree._Element, path: str) -> list[str]:
    """Return the stripped texts of all elements at `path` that have any."""
    return [
        text
        for found in element.findall(path)
        if (text := ("".join(map(str, found.itertext())) if len(found) else found.text or "").strip())
    ]
