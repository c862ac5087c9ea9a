"""Who wrote it, what it is called, where it is: what one entry says, in the styles that papers use."""

# ruff: noqa: RUF001 - the characters are meant as they are
from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.documents.reference_parsing import arxiv_ids, authors_and_title, dois, names, url, years

COX, DEE, FEATHERS = "A. B. Cox", "C. Dee", "Weighing feathers in air"


@pytest.mark.parametrize(
    ("entry", "authors", "title"),
    [
        # plain, abbrv
        ("A. B. Cox and C. Dee. Weighing feathers in air. J. Air, 3:1–2, 1999.", (COX, DEE), FEATHERS),
        ("Alan Cox, Bea Dee, and Cy van der Meer. Do feathers fall? In Air, 2001.",
         ("Alan Cox", "Bea Dee", "Cy van der Meer"), "Do feathers fall?"),
        # IEEE
        ("A. B. Cox, C. Dee, and E.-F. Gal, “Weighing feathers: a review,” IEEE Trans. Air, 2003.",
         (COX, DEE, "E.-F. Gal"), "Weighing feathers: a review"),
        # APA, ACL, AAAI, Harvard
        ("Cox, A. B., & Dee, C. (2014). Weighing feathers in air. Air, 3, 1–2.", (COX, DEE), FEATHERS),
        ("Alan Cox and Bea Dee. 2015. Weighing feathers in air. In IC.", ("Alan Cox", "Bea Dee"), FEATHERS),
        ("Cox, A. B.; and Dee, C. 2018a. Weighing feathers in air. Air 3: 1.", (COX, DEE), FEATHERS),
        # Springer LNCS, Vancouver
        ("Cox, A.B., Dee, C.: Weighing feathers in air. In: Air, pp. 1 (2018)", ("A.B. Cox", DEE), FEATHERS),
        ("Cox AB, Dee C. Weighing feathers in air. Air. 2018.", ("AB Cox", DEE), FEATHERS),
        # mathematics and physics with titles
        ("A. B. Cox and C. Dee, Weighing feathers in air, Air 38 (1999), no. 5, 9–10.", (COX, DEE), FEATHERS),
        ("Cox, A. B., and Dee, C. Weighing feathers in air. Air 20 (2008), 2–3.", (COX, DEE), FEATHERS),
        ("A. B. Cox, Weighing feathers in air, arXiv:2101.00001 (2021).", (COX,), FEATHERS),
        # physics and astronomy without
        ("A. B. Cox and C. Dee, Phys. Rev. Lett. 102, 073004 (2009).", (COX, DEE), None),
        ("A. B. Cox et al. (JLQCD collaboration), Phys. Rev. D 76, 05 (2007).", (COX,), None),
        ("A. B. Cox, J. Exp. Theor. Phys. 9, 890 (1959).", (COX,), None),
        ("Cox A. B., Dee C., 2007, ApJ, 670, 1027", (COX, DEE), None),
        ("A. B. Cox, PoS LATTICE 2007, 018 (2007) [arXiv:0710.4225 [hep-lat]].", (COX,), None),
        # nobody
        ("Weighing feathers, third edition. Air Press, 2001.", (), "Weighing feathers, third edition"),
    ],
)  # fmt: skip
def test_styles(entry, authors, title):
    """Names in every order, titles ended by a full stop, a comma or a quotation mark, entries without one."""
    assert authors_and_title(entry) == (authors, title)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("V. Vu. Anti-concentration", ("V. Vu",)),
        ("Noureddine El Karoui. The spectrum", ("Noureddine El Karoui",)),
        ("G. Del Zanna, B. O'Dwyer, and E. van Dish, Sky", ("G. Del Zanna", "B. O'Dwyer", "E. van Dish")),
        ("L. Hammes‐Schiffer, Å. Ångström", ("L. Hammes‐Schiffer", "Å. Ångström")),
        ("Harris, C. R., Millman, K. J., et al. 2020, Nature", ("C. R. Harris", "K. J. Millman")),
        ("A. Cox, B. Dee, et al. Feathers", ("A. Cox", "B. Dee")),
        ("Benjamin IP Rubin and J Doug Ty. Antidote", ("Benjamin IP Rubin", "J Doug Ty")),
        ("the weight of feathers", ()),
        ("", ()),
    ],
)
def test_names(text, found):
    """Particles, accents, hyphens, initials without points, cut lists; prose is no name."""
    assert names(text).names == found


def test_identifiers():
    """Ids and DOIs as printed, several in one entry; a link completes what the page shows in part."""
    body = "A. Cox, Phys. Lett. 4 (1998) [hep-th/9711200]; ibid. 5 [arXiv:hep-lat/9801031v2]."
    assert arxiv_ids(body, []) == ["hep-th/9711200", "hep-lat/9801031"]
    assert dois("doi:10.1000/AB(1)2. And (10.1000/xy).", []) == ["10.1000/ab(1)2", "10.1000/xy"]
    assert dois("doi:10.1103/Phys.", ["https://doi.org/10.1103/Phys.76.01"]) == ["10.1103/phys.76.01"]
    assert url("see https: //a.org/b", ["https://a.org/b/c"]) == "https://a.org/b/c"
    assert years("arXiv:2101.00001, pages 1999–2003 of 10.1/2004, 2020b.") == [2020]


@given(st.text(max_size=300))
def test_any_text_is_read(text):
    """Whatever a font made of an entry, reading it ends, and says nothing that is not there."""
    authors, title = authors_and_title(text)
    assert title is None or all(word in text for word in title.split())
    assert all(isinstance(author, str) for author in authors)
