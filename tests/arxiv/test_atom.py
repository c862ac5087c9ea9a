"""Single papers over the Atom API: every recorded feed, and the conversation."""

from __future__ import annotations

import html
import json
import re
from urllib.parse import parse_qsl, urlsplit

import pytest

from search.arxiv.atom import BATCH, fetch_atom, parse_feed
from search.errors import BadIdentifier, MalformedResponse


def bare(text):
    """Return text without what TeX's ties, escapes and spaces may change."""
    return re.sub(r"[\s~\\]", "", text)


def feeds(data):
    folder = data / "atom/arxiv_py"
    return {
        row["file"]: (folder / row["file"]).read_bytes()
        for row in json.loads((folder / "manifest.json").read_text())
    }


def test_every_recorded_feed(data):
    """All twenty feeds: as many papers as entries, words as they stand there, an error where one is."""
    papers = refused = compared = 0
    recorded = feeds(data)
    assert len(recorded) == 20
    for name, raw in recorded.items():
        if b"/api/errors" in raw:
            refused += 1
            with pytest.raises(BadIdentifier, match="incorrect id format for abc"):
                parse_feed(raw)
            continue
        records = parse_feed(raw)
        text = " ".join(html.unescape(raw.decode()).split())
        unspaced = bare(text)
        assert len(records) == raw.count(b"<entry>"), name
        for record in records:
            papers += 1
            assert f"arxiv.org/abs/{record.work_id}v{record.newest}<" in text
            assert record.authors
            assert record.categories
            assert record.published <= record.updated
            if "\\" not in record.title + record.abstract:
                compared += 1
                for words in (record.title, record.abstract):
                    assert bare(words) in unspaced, record.work_id
            assert f'<arxiv:primary_category term="{record.categories[0]}"' in text
    assert (papers, refused) == (221, 1)
    assert compared == 197


def test_a_known_feed(data):
    """The recorded answer for one old-style paper, field by field."""
    (raw,) = (raw for name, raw in feeds(data).items() if name.startswith("id_astro-ph_0601001"))
    (record,) = parse_feed(raw)
    assert (record.work_id, record.newest, record.format) == ("astro-ph/0601001", 1, "atom")
    assert record.authors == ("Andrew Gould", "Susan Dorsher", "B. Scott Gaudi", "Andrzej Udalski")
    assert record.categories == ("astro-ph",)
    assert record.journal_ref == "ActaAstron.56:1-50,2006"
    assert str(record.published) == "2006-01-02"
    assert record.withdrawn == "no"


def test_an_unknown_paper_is_an_empty_feed(data):
    """A well-formed id that nobody has is an empty feed, and no record."""
    (raw,) = (raw for name, raw in feeds(data).items() if name.startswith("id_0000.0000"))
    assert parse_feed(raw) == []


def test_later_versions(data):
    """A feed tells the first and the current version, with both dates."""
    records = [r for raw in feeds(data).values() if b"/api/errors" not in raw for r in parse_feed(raw)]
    later = [record for record in records if record.newest > 1]
    assert later
    for record in later:
        first, last = record.versions
        assert (first.number, first.date.date()) == (1, record.published)
        assert (last.number, last.date.date()) == (record.newest, record.updated)


def test_asks_for_what_it_is_given(loopback, transport, data):
    """Ids are asked for in their canonical form, versions kept, and the answer is read."""
    (raw,) = (raw for name, raw in feeds(data).items() if name.startswith("id_2104.12255v1"))
    loopback.play(loopback.reply(raw, kind="application/atom+xml"))
    (record,) = fetch_atom(["arXiv:2104.12255v1"], transport(kind="api"), f"{loopback.url}/api/query")
    assert record.work_id == "2104.12255"
    query = dict(parse_qsl(urlsplit(loopback.requests[0][0]).query))
    assert query == {"id_list": "2104.12255v1", "max_results": "1"}


def test_many_ids_are_asked_in_batches(loopback, transport):
    """Two hundred and one ids are three requests; none are none."""
    loopback.play(loopback.reply(b'<feed xmlns="http://www.w3.org/2005/Atom"/>'))
    ids = [f"2401.{number:05}" for number in range(1, 2 * BATCH + 2)]
    assert fetch_atom(ids, transport(), loopback.url) == []
    assert len(loopback.requests) == 3
    assert fetch_atom([], transport(), loopback.url) == []
    assert len(loopback.requests) == 3


def test_an_error_feed_under_400(loopback, transport, data):
    """The server says what is wrong with an id in a feed, under status 400 too."""
    (raw,) = (raw for name, raw in feeds(data).items() if name.startswith("id_abc"))
    loopback.play(loopback.reply(raw, 400))
    with pytest.raises(BadIdentifier, match="incorrect id format"):
        fetch_atom(["2401.00001"], transport(), loopback.url)


def test_a_malformed_id_is_refused_before_it_is_sent(loopback, transport):
    """What is no identifier is not sent."""
    with pytest.raises(BadIdentifier):
        fetch_atom(["abc"], transport(), loopback.url)
    assert loopback.requests == []


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"<html/>",
        b'<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>http://arxiv.org/abs/2401.00001v1</id></entry></feed>',
        b'<feed xmlns="http://www.w3.org/2005/Atom"><entry>',
    ],
)
def test_what_is_no_feed(raw):
    """A page, a cut feed and an entry without a title are malformed."""
    with pytest.raises(MalformedResponse):
        parse_feed(raw)
