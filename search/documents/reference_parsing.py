"""What one entry of a reference list says: who wrote it, its title, its years, its identifiers.

Names are read from the front, by the forms that bibliographies write them in; where they end, the title
begins, and the mark that ends the names tells how the title ends: styles that write "Names. Title. Venue"
end it with a full stop, those that write "Names, Title, Venue" with a comma. Entries without a title
("Names, Phys. Rev. D 76, 1 (2007)") have none.
"""

# ruff: noqa: RUF001 - the characters are meant as they are
from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from search.arxiv.identifiers import find_all
from search.documents.lines import TextLine

#: Not a page range, not a part of an identifier.
YEAR = re.compile(r"(?<![\d./:–-])(1[89]\d\d|20[0-4]\d)(?:[a-z])?(?![\d/]|[–-]\d)")
_DOI = re.compile(r"10\.\d{4,9}/[^\s\"<>]+[^\s\"<>.,;:)\]}]")
_URL = re.compile(r"https?\s?:\s?//\s?[^\s,;\"<>]+[^\s,;\"<>.)\]]")
_ARXIV_LINK = re.compile(r"arxiv\.org/(?:abs|pdf)/", re.IGNORECASE)
_DOI_LINK = re.compile(r"doi\.org/(10\.\S+)", re.IGNORECASE)

#: Characters of an entry that are read; what is longer is no entry, but a page whose list was not divided.
LONGEST = 3_000

_QUOTED = re.compile(
    r"[“\"„](?P<title>[^”\"“]{8,300}?)[,.?!]?[”\"“](?=[\s.,;(]|$)|``(?P<tex>.{8,300}?)[,.]?''"
    r"|(?<=[\s,])[‘'](?P<single>[^‘’]{12,300}?)[,.]?[’'](?=[\s.,;(]|$)"
)
_PARTICLE = (
    r"(?:[Vv]an(?:\s[Dd]e[rn]?)?|[Vv]on(?:\s[Dd]er)?|[Dd]e(?:\s[Ll]a|\s[Ll]os)?|[Dd]e[rn]|[Dd]el|[Dd]ella|[Dd]i"
    r"|[Dd]a|[Dd]os|[Dd]u|[Ll]a|[Ll]e|[Tt]en|[Tt]er|[Zz]u[rm]?|[Aa]l|[Ee]l|[Bb]in|[Ss]t\.)"
)
_CAPITAL = "[A-ZÀ-ÞŁŚŠŽČĆĐĞİŞØ]"
_INITIAL = rf"(?:{_CAPITAL}|Yu|Ya|Th|Ch|Ph|Ju|Zh|Sh|Kh|St)\."
_INITIALS = rf"{_INITIAL}(?:\s?[-‐]?\s?{_INITIAL}){{0,4}}(?:\s[A-Z](?=\s))?"
_BARE_INITIALS = r"[A-Z](?:[ -]?[A-Z]){0,2}(?![\w’'])"
_WORD = rf"(?:[OdDlL][’'])?{_CAPITAL}[\w’'`´¨˘ˇ‐-]*\w\*?"
_SURNAME = rf"(?:{_PARTICLE}\s)?{_WORD}(?:\s(?:{_PARTICLE}\s)?{_WORD})?"
_JUNIOR = r"(?:,?\s(?:Jr|Sr)\.?|\s(?:II|III)\b)?"
#: What can follow a name: a mark, a year, "and", "et al.", a quotation, the end.
_FOLLOWS = r"(?=\s*[.,;:(\[]|\s+(?:and|&|et|und)\s|\s*&|\s+(?:1[89]|20)\d\d|\s+[“\"„]|\s*$)"
#: Initials behind the surname end with a full stop, after which a title may follow right away.
_STOPPED = r"(?<=[A-Z]\.)(?=\s)"
_GIVEN = rf"(?:{_WORD}|{_CAPITAL}\.(?:-?{_CAPITAL}\.)*|{_CAPITAL})"
_FULL = rf"{_GIVEN}(?:\s(?:{_GIVEN}|tau|bin|de|da|dos)){{0,3}}"
_BACK = rf"{_INITIALS}|{_BARE_INITIALS}"
#: How a list writes each of its names; the same all through.
_FORMS = tuple(
    re.compile(form)
    for form in (
        # A. B. Cox; but "J. Exp. Theor." is a journal
        rf"(?!J\.\s\w+\.\s\w+\.)(?P<given>{_INITIALS})\s?(?P<family>{_SURNAME}){_JUNIOR}{_FOLLOWS}",
        # Cox, A. B.
        rf"(?P<family>{_SURNAME}){_JUNIOR},\s(?P<given>{_BACK}){_JUNIOR}(?:{_FOLLOWS}|{_STOPPED})",
        # Cox A. B.
        rf"(?P<family>{_SURNAME})\s(?P<given>{_BACK}){_JUNIOR}(?:{_FOLLOWS}|{_STOPPED})",
        # Alan B. Cox, Wen tau Yih
        rf"(?P<given>{_FULL})\s(?P<family>(?:{_PARTICLE}\s)?{_WORD}){_JUNIOR}{_FOLLOWS}",
        # Cox, Alan B.
        rf"(?P<family>{_SURNAME}),\s(?P<given>{_WORD}(?:\s{_GIVEN})*){_FOLLOWS}",
    )
)
_INITIALS_ONLY = re.compile(rf"{_INITIALS}")
_AND = re.compile(r"\s*[,;]?\s+(?:and|&|und|et)\s+|\s*[,;]?\s*&\s*")
_BETWEEN = re.compile(r"\s*[,;]\s+")
_OTHERS = re.compile(r"\s*[,;]?\s*(?:and\s+)?(?:et\s?al\b\.?|others\b\.?|(?:\.\s?){3}|…)", re.IGNORECASE)
_EDITORS = re.compile(r"\s*,?\s*\(?\b[Ee]ds?\b\.?\)?|\s*,?\s*\([Ee]ditors?\)|\s*,\s*editors?\b")
#: "(JLQCD collaboration)", "(Particle Data Group)", "[CMS]".
_COLLABORATION = re.compile(r"\s*,?\s*(?:\([A-Z][^()\d]{1,80}\)|\[[A-Z][^\[\]\d]{1,80}\])")
#: What may stand between names and title: a year, in brackets or not.
_DATE = re.compile(
    r"\s*[.,:]?\s*(?:\((?P<in>(?:1[89]|20)\d\d)[a-z]?(?:,\s?\w+\.?(?:\s\d+)?)?\)"
    r"|(?P<bare>(?:1[89]|20)\d\d)[a-z]?(?=[.,:]\s))\s*[.,:]?\s*"
)
_START = re.compile(r"\s*(?P<mark>[.,:;]?)\s*")

#: A full stop ends a title where a venue, a number or another sentence follows.
_STOP = re.compile(
    r"(?P<end>[.?!][”’\"]?)\s+(?=[A-Z0-9“(\[À-Þ]|ar[Xx]iv|https?:|doi|in\s|e-?print|pages|pp|preprint|url|bio|abs/)"
)
_ABBREVIATED = re.compile(r"(?:\b(?:vs|St|Dr|No|Vol|Mt|cf|etc|resp|approx|[A-Z])|\be\.g|\bi\.e)$")
#: What begins a venue after a comma: a journal's abbreviation, "in …", numbers, a publisher's city.
_VENUE = re.compile(
    r"(?:[Ii]n:?\s|[Pp]roc(?:eedings|\.)|[Jj]ournal\b|J\.\s|Trans(?:actions|\.)|ar[Xx]iv|[Pp]reprint|[Ee]print|[Pp]h\.?\s?[Dd]"
    r"|[Tt]hesis|[Uu]npublished|[Ss]ubmitted|to appear|[Tt]echnical|[Tt]ech\.|CoRR|https?:|doi\b"
    r"|vol(?:ume|\.)|pp?\.|pages|\d|no\.|[Ss]pringer|[Ee]lsevier|[Aa]cademic|[Cc]ambridge|[Oo]xford|[Ww]iley|[Ww]orld\sScientific"
    r"|[Aa]mer(?:ican|\.)|IEEE|ACM|[Ll]ect(?:ure|\.)|[Aa]nnals|[Ii]nvent|[Dd]uke|[Ss]electa|[Pp]hysica\b|[Nn]ature\b"
    r"|[Ss]cience\b|[Pp]hysics\b|[Ss]econd\b|[Tt]hird\b|\d(?:st|nd|rd|th)\b|[Uu]niversity|[Pp]rinceton"
    r"|(?:Phys|Nucl|Math|Astron|Appl|Commun?|Rev|Ann|Int|Eur|Bull|Adv|Chem|Class|Mod|Prog|Rep|Sov|Zh|Lett|Nuovo"
    r"|Acta|Arch|Comput|SIAM|JHEP|JCAP|PoS|Astrophys|Mon)\.?\s[A-Z\d]"
    r"|(?:[A-Z][A-Za-z]{0,9}\.[\s,:-]?){2,}|[A-Z][A-Za-z]*\.\s?[A-Z\d(]|(?:[A-Z][\w.]*\s){1,4}[A-Z]?\s?\d+[\s,:(])"
)
#: A publisher and a city at an entry's end: ", Pergamon, London, 1981."
_IMPRINT = re.compile(
    r"(?:,\s[A-Z][\w.-]{1,30}(?:\s(?:&\s)?[A-Z][\w.-]{1,30}){0,5}){1,3}(?:[,.]?\s\(?(?:19|20)\d\d\)?)?\.?$"
)
#: A journal that nothing divides from the title.
_RUN_ON = re.compile(r"\s(?:J\.\s(?=[A-Z])|Phys\.\s|SIAM\sJ\.|Comm(?:un)?\.\s).*$")
#: Words of a title; abbreviations with a full stop are none.
_TITLE_WORD = re.compile(r"(?<![\w.])[^\W\d_][\w’'-]+(?!\.(?!\s*$)|\w)")
_MARKS_AROUND = " .,;:“”\"„‘’'`"


@dataclass(frozen=True, slots=True)
class Names:
    """The names that an entry begins with."""

    #: Given name first.
    names: tuple[str, ...]
    #: Where they end.
    end: int


def authors_and_title(body: str) -> tuple[tuple[str, ...], str | None]:
    """Return the authors, given name first, and the title; nothing of either where it cannot be told."""
    body = re.sub(r",(?=and\s)", ", ", body[:LONGEST])
    quoted = _QUOTED.search(body)
    if quoted and quoted.start() < 0.7 * len(body):
        title = quoted["title"] or quoted["tex"] or quoted["single"]
        return names(body[: quoted.start()].rstrip(" ,.:;")).names, title.strip(_MARKS_AROUND)
    found = names(body)
    rest = body[found.end :]
    dated = _DATE.match(rest)
    start = dated or _START.match(rest)
    if start is None or not found.names:
        return found.names, _sentence(body) if not found.names else None
    text = rest[start.end() :]
    if dated:
        by_comma = dated[0].rstrip().endswith(",")
        title = _after_date(text) if by_comma else _sentence(text)
    else:
        title = _clause(text) if start["mark"] in {",", ";"} else _sentence(text)
    return found.names, title


@lru_cache(maxsize=16)  # an entry's authors and its year ask for the same
def names(text: str) -> Names:
    """Return the names at the beginning of a text, read in the form that gets farthest."""
    return max((_read(text, form) for form in _FORMS), key=lambda found: found.end)


def _read(text: str, form: re.Pattern[str]) -> Names:
    """Return the names at the beginning of a text that are written in one form."""
    found: list[str] = []
    at, last = 0, False
    match = form.match(text)
    if match and form is _FORMS[3] and _INITIALS_ONLY.fullmatch(match["given"]):
        match = None  # the first form reads these, and takes no title's words for names
    while match:
        found.append(f"{match['given']} {match['family']}".rstrip("*"))
        at = match.end()
        closed = at
        for closing in (_OTHERS, _COLLABORATION, _EDITORS):
            if more := closing.match(text, closed):
                closed = more.end()
        if last or closed > at:
            at = closed
            break
        between = _AND.match(text, at)
        last = between is not None
        between = between or _BETWEEN.match(text, at)
        match = form.match(text, between.end()) if between else None
    return Names(tuple(found), at)


def _sentence(text: str) -> str | None:
    """Return the title that a text begins with, up to the full stop that ends it."""
    for match in _STOP.finditer(text):
        if _ABBREVIATED.search(text[: match.start()]):
            continue
        keep = match.end("end") if match["end"][0] in "?!" else match.start()
        return _title(text[:keep])
    return _title(re.split(r",?\s(?:URL|doi|https?:|ar[Xx]iv)|[,.]?\s\(?(?:19|20)\d\d\)?\.?\s*$", text)[0])


def _clause(text: str) -> str | None:
    """Return the title that a text begins with, up to the comma or full stop before the venue."""
    text = _IMPRINT.sub("", text)
    for match in re.finditer(r"[,.;?]\s+|\s\((?=(?:19|20)\d\d|[A-Z][a-z]{3})", text):
        if match[0].startswith(".") and _ABBREVIATED.search(text[: match.start()]):
            continue
        if _VENUE.match(text, match.end()) or match[0] == " (":
            head = text[: match.start() + (match[0][0] == "?")]
            if re.search(r"\s[A-Z]?\d{1,4}$", head):  # a journal's volume
                head = head.rpartition(", ")[0]
            # "New J. Phys. 13" is a journal by itself.
            journal = match[0][0] == "." and re.fullmatch(r"(?:[A-Z]\w{0,9}\.?\s?){1,4}", head)
            return None if journal else _title(head)
    return _title(text.rstrip(". ")) if not _VENUE.match(text) else None


def _after_date(text: str) -> str | None:
    """Return the title after "2007, "; "2007, ApJ, 670, 1027" has none: a number follows the venue."""
    first, _, rest = text.partition(", ")
    return None if not rest or re.match(r"[A-Z]?\d", rest) else _title(first)


def _title(text: str) -> str | None:
    """Return a text as a title, if it can be one: two words or more, most of it letters, and no venue."""
    text = (
        _RUN_ON.sub("", " ".join(text.split()))
        .strip(_MARKS_AROUND.replace("’", ""))
        .removesuffix("[J]")
        .strip()
    )
    words = _TITLE_WORD.findall(text)
    letters = sum(map(str.isalpha, text))
    venue = _VENUE.match(text)
    if venue and not (len(words) >= 5 and not re.match(r"[Ii]n:?\s|ar[Xx]iv|\d+\s?\(", text)):
        return None
    if len(words) < 2 or letters < 0.6 * len(text) or len(text) > 400 or find_all(text):
        return None
    return text


# ------------------------------------------------------------------ years and identifiers
def year(body: str) -> int | None:
    """Return the year of an entry: right after its names, else the last in brackets, else the last."""
    dated = _DATE.match(body, names(body[:LONGEST]).end)
    if dated and (found := dated["in"] or dated["bare"]):
        return int(found)
    bracketed = re.findall(r"\(((?:1[89]|20)\d\d)[a-z]?\)", body)
    listed = years(body)
    return int(bracketed[-1]) if bracketed else listed[-1] if listed else None


def years(body: str) -> list[int]:
    """Return the years that an entry prints, those in its identifiers left out."""
    return [int(year) for year in YEAR.findall(_without_identifiers(body))]


def _without_identifiers(text: str) -> str:
    return _DOI.sub(" ", _URL.sub(" ", re.sub(r"ar[Xx]iv:\s?\S+|\d{4}\.\d{4,5}", " ", text)))


def unbroken(lines: Sequence[TextLine], raw: str) -> str:
    """Return an entry's text with addresses and DOIs put together that a line's end divides.

    TeX divides them after a point, a slash, a hyphen and the like, and prints nothing for it.
    """
    for line, following in pairwise(lines):
        head = line.text.rsplit(" ", 1)[-1]
        tail = following.text.split(" ", 1)[0]
        inside = re.search(r"10\.\d{4,9}/|https?:|doi\.org", head)
        if inside and head[-1] in "./-_:=?&%" and _goes_on(tail):
            raw = raw.replace(f"{head} {tail}", f"{head}{tail}", 1)
    return raw


def _goes_on(tail: str) -> bool:
    """Return whether a word can be the rest of an address: not a year, not a word of prose."""
    if re.fullmatch(r"\(?(?:19|20)\d\d[a-z]?[).,;]*", tail):
        return False
    return bool(re.search(r"\d|/|_|=", tail)) and not tail.startswith(("[", "("))


def arxiv_ids(body: str, uris: Sequence[str]) -> list[str]:
    """Return the arXiv papers that an entry names in print, else by its links."""
    found = find_all(body) or [i for uri in uris if _ARXIV_LINK.search(uri) for i in find_all(uri)]
    return list(dict.fromkeys(identifier.work_id for identifier in found))


def dois(body: str, uris: Sequence[str]) -> list[str]:
    """Return the DOIs that an entry prints or links, in lower case; a link completes a printed one."""
    linked = [match[1].rstrip(".,;").lower() for uri in uris if (match := _DOI_LINK.search(uri))]
    printed = [_balanced(doi).lower() for doi in _DOI.findall(body)]
    whole = [next((link for link in linked if link.startswith(doi)), doi) for doi in printed]
    return list(dict.fromkeys([*whole, *linked]))


def _balanced(doi: str) -> str:
    """Return a DOI without what follows a bracket that it does not open."""
    depth = 0
    for at, character in enumerate(doi):
        depth += (character == "(") - (character == ")")
        if depth < 0:
            return doi[:at].rstrip(".,;:")
    return doi


def url(body: str, uris: Sequence[str]) -> str | None:
    """Return the first address that an entry prints, completed by its link, else the first link."""
    linked = [uri for uri in uris if uri.startswith("http")]
    match = _URL.search(body)
    if not match:
        return linked[0] if linked else None
    printed = re.sub(r"\s", "", match[0])
    return next((uri for uri in linked if uri.startswith(printed)), printed)
