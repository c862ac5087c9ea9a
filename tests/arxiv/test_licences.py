"""What each licence that arXiv uses allows."""

from __future__ import annotations

import json

import pytest

from search.arxiv.licences import licence_class


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://arxiv.org/licenses/nonexclusive-distrib/1.0/", "arxiv"),
        ("https://arxiv.org/licenses/nonexclusive-distrib/1.0/license.html", "arxiv"),
        ("http://arxiv.org/licenses/assumed-1991-2003/", "arxiv"),
        ("http://creativecommons.org/licenses/by/3.0/", "open"),
        ("https://creativecommons.org/licenses/by/4.0", "open"),
        (" http://creativecommons.org/licenses/by-sa/4.0/\n", "open"),
        ("http://creativecommons.org/publicdomain/zero/1.0/", "open"),
        ("http://creativecommons.org/licenses/publicdomain/", "open"),
        ("http://creativecommons.org/licenses/by-nc-sa/3.0/", "restricted"),
        ("http://creativecommons.org/licenses/by-nc-nd/4.0/", "restricted"),
        ("http://creativecommons.org/licenses/by-nd/4.0/", "restricted"),
        ("HTTP://CreativeCommons.org/licenses/BY-NC/4.0/", "restricted"),
        (None, "unknown"),
        ("", "unknown"),
        ("all rights reserved", "unknown"),
        ("http://creativecommons.org/licenses/sampling/1.0/", "unknown"),
        ("http://evil.example/creativecommons.org/licenses/by/4.0/", "unknown"),
        ("http://creativecommons.org.evil.example/licenses/by/4.0/", "unknown"),
        ("http://arxiv.org/help/", "unknown"),
    ],
)
def test_licence_class(url, expected):
    """Each URL has its class; a stranger's is never taken for an open one."""
    assert licence_class(url) == expected


def test_every_licence_of_the_real_records(data):
    """Every licence that the 1,130 abs records state is known."""
    rows = [
        json.loads(line) for line in (data / "corpus/arxiv_browse_abs/abs.jsonl").read_text().splitlines()
    ]
    stated = [row["License"] for row in rows if "License" in row]
    assert len(stated) == 105
    assert "unknown" not in {licence_class(url) for url in stated}
