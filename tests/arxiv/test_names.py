"""LaTeX accents and author lines, as Unicode and as names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.arxiv.authors import from_inverted, from_parts, split_authors
from search.arxiv.tex import to_unicode


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        (r"C. Bal\'azs", "C. Balázs"),
        (r"Fr{\'e}d{\'e}rique", "Frédérique"),
        (r"Fr\'{e}d\'{e}ric", "Frédéric"),
        (r"Fran\c{c}ois, Fran\c cois", "François, François"),
        (r"M\"uller, M\" uller, M{\"u}ller", "Müller, Müller, Müller"),
        (r"D\'{\i}az, F\'isica, Garc\'\i a", "Díaz, Física, García"),
        (r"\v{S}imon, \v Cech, Ho\v{r}ava", "Šimon, Čech, Hořava"),
        (r"{\O}rsted, {\AA}ngstr\"om, \L ukasz, stra\ss{}e", "Ørsted, Ångström, Łukasz, straße"),
        (r"Erd\H{o}s, \k{A}, \r{u}, \u{g}, \d{s}", "Erdős, Ą, ů, ğ, ṣ"),
        (r"Nguy\~{\^e}n", "Nguyễn"),
        (r"\.{Z}ak, \={a}", "Żak, ā"),
        (r"J.~Smith \& Sons, Fig.~a", "J. Smith & Sons, Fig. a"),
        ("a  b\n  c", "a b c"),
        (r"the $\'x$-axis and $\bar{x}$", r"the $\'x$-axis and $\bar{x}$"),
        (r"{\it tritronqu\'ee} \beta \to \c", r"{\it tritronquée} \beta \to \c"),
        (
            r"\url{x} \bar \underline \cite{a} \overline \lambda",
            r"\url{x} \bar \underline \cite{a} \overline \lambda",
        ),
        ("QSO z~2.56 at http://x.org/~gould", "QSO z~2.56 at http://x.org/~gould"),
        ("``geometrical'' -- e.g. Ca^{2+}", "``geometrical'' -- e.g. Ca^{2+}"),
        ("e\u0301", "é"),
        ("", ""),
    ],
)
def test_accents(tex, text):
    """Accents and special letters become Unicode; formulas, fonts, quotes and addresses stay."""
    assert to_unicode(tex) == text


@given(st.text(alphabet=st.sampled_from(list("\\'\"`^~={}$ abciuoHvk.()[]é")), max_size=40))
def test_any_tex(text):
    """No combination of braces and marks fails, and a second pass over plain text changes nothing."""
    once = to_unicode(text)
    assert "\n" not in once
    if "\\" not in once and "~" not in once:
        assert to_unicode(once) == once


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Ileana Streinu and Louis Theran", ["Ileana Streinu", "Louis Theran"]),
        (r"C. Bal\'azs, E. L. Berger, P. M. Nadolsky, C.-P. Yuan",
         ["C. Balázs", "E. L. Berger", "P. M. Nadolsky", "C.-P. Yuan"]),
        ("A. Jaffe (1) and Gordon Ritter (1) ((1) Harvard University)", ["A. Jaffe", "Gordon Ritter"]),
        ("A. One (1,2), B. Two (3)((1) Here, there and (2) nowhere, (3) X & Y)", ["A. One", "B. Two"]),
        ("A. One(1), & B. Two (1 and 2); (1 - Here; 2 - There)", ["A. One", "B. Two"]),
        ("A. One (Unclosed, University of", ["A. One"]),
        ("Zhe (Rita) Liang, Ann Other (MIT)", ["Zhe (Rita) Liang", "Ann Other"]),
        ("A. One (MIT) B. Two (CIT)", ["A. One", "B. Two"]),
        ("LHCb Collaboration: R. Aaij, B. Adeva", ["LHCb Collaboration", "R. Aaij", "B. Adeva"]),
        ("A. One for the STAR Collaboration", ["A. One", "STAR Collaboration"]),
        ("A. One, on behalf of the X team", ["A. One", "X team"]),
        ("A. Abulencia et al. (CDF Collaboration)", ["A. Abulencia"]),
        ("A. One, et al.", ["A. One"]),
        ("R. W. Ogburn, IV, Ann Other, Jr., B. Two Sr.", ["R. W. Ogburn IV", "Ann Other Jr.", "B. Two Sr."]),
        ("Alexandra Anderson; Sandy And", ["Alexandra Anderson", "Sandy And"]),
        ("Ren{\\'e} Fournet, {Foo Bar}", ["René Fournet", "Foo Bar"]),
        ("D.Peressounko", ["D.Peressounko"]),
        ("A. One,\n  B. Two", ["A. One", "B. Two"]),
        ("Sudha", ["Sudha"]),
        ("", []),
        (")(", []),
    ],
)  # fmt: skip
def test_author_lines(line, names):
    """An author line is its names, in order, without affiliations."""
    assert list(split_authors(line)) == names


@given(st.text(alphabet=st.sampled_from(list("(), and;&.:ABc1\\'{}")), max_size=60))
def test_any_author_line(line):
    """No author line fails, and no name is empty."""
    assert all(name.strip() for name in split_authors(line))


def test_structured_names():
    """Names in parts and inverted names are printed given name first."""
    assert from_parts("R. W.", "Ogburn", "IV") == "R. W. Ogburn IV"
    assert from_parts("", "Planck Collaboration") == "Planck Collaboration"
    assert from_inverted(r"Bal\'azs, Csaba") == "Csaba Balázs"
    assert from_inverted("LHCb Collaboration") == "LHCb Collaboration"
