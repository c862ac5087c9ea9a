"""A paper in a document class: what its blocks become, and what is then known of the print."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator

from contents import CITATION, EQUATION_NUMBER, Block, Paper, Piece, number, plain, sentences
from fronts import addendum, closing, front, lists_of_floats
from variants import Setting, Variant, document_class, packages


def set_paper(paper: Paper, name: str) -> Setting:
    """Return a paper in a class."""
    v = Variant(name, number(f"{name} {paper.id}"))
    setting = Setting("")
    _record(setting, paper.abstract, "abstract", -1, v)
    preamble, opening = front(paper, v, setting)
    body = "\n\n".join(_body(paper, v, setting))
    parts = [
        document_class(v), packages(v, paper), *([preamble] if preamble else []), r"\begin{document}", opening, body,
        *([end] if (end := closing(v, setting)) else []), _bibliography(paper, v, setting),
        *([end] if (end := addendum(v, setting)) else []),
        *([end] if (end := lists_of_floats(v, setting)) else []),
        *([r"\end{article}"] if v.name == "kluwer" else []), r"\end{document}",
    ]  # fmt: skip
    setting.tex = "\n\n".join(parts)
    return setting


_COMMANDS = {0: "chapter", 1: "section", 2: "subsection", 3: "subsubsection", 4: "paragraph"}


def _body(paper: Paper, v: Variant, setting: Setting) -> Iterator[str]:
    """Yield the blocks' TeX; figures, tables and footnotes are put among them by count."""
    floats = _floats(paper, v, setting)
    done = in_appendix = thanked = False
    items: list[str] = []
    count = 0
    for block in _blocks(paper, v):
        if block.kind != "item" and items:
            yield r"\begin{itemize}" + "\n".join(items) + r"\end{itemize}"
            items = []
        if block.kind == "heading":
            thanks = v.plain_thanks and block.level == 1 and _is_thanks(block)
            yield from _thanks(thanked, thanks)
            if thanked := thanks:
                continue
            if v.name == "emulateapj" and block.level == 1 and _is_thanks(block):  # some space, no heading
                yield r"\acknowledgments"
                continue
            title = block.pieces[0]
            if done and block.level == 1 and block.numbered and not in_appendix \
                    and not re.match(r"(?i)acknowl|referenc|data av|conflict|author", title.printed):  # fmt: skip
                in_appendix = True
                yield _appendix(v, setting)
            done = done or bool(
                re.match(r"(?i).*conclu|acknowl|discussion$", title.printed) and block.level == 1
            )
            yield _heading(block, v, setting, in_appendix=in_appendix)
            continue
        count += 1
        # JPSJ's class knows of no notes in the text: the journal has them among the references, as others do.
        noted = count % 9 == 4 and not thanked and v.name != "jpsj2" and not (v.revtex and v.raised)
        tex = _paragraph(block, v, setting, with_note=noted)
        if block.kind == "item":
            items.append(rf"\item {tex}")
            continue
        yield _in_environment(tex, block, v)
        if count % 8 == 6 and not thanked:
            yield next(floats)
    if items:
        yield r"\begin{itemize}" + "\n".join(items) + r"\end{itemize}"
    yield from _thanks(thanked, False)


def _blocks(paper: Paper, v: Variant) -> list[Block]:
    """Return a paper's blocks; before the first section the AAS's classes print nothing, the title neither."""
    if not v.first_section_begins or (paper.blocks[0].kind, paper.blocks[0].level) == ("heading", 1):
        return paper.blocks
    return [Block("heading", [Piece("Introduction", "Introduction")], 1), *paper.blocks]


def _thanks(before: bool, now: bool) -> Iterator[str]:
    """Yield the end and the begin of an environment that prints no heading."""
    if before:
        yield r"\end{acknowledgments}"
    if now:
        yield r"\begin{acknowledgments}"


def _is_thanks(block: Block) -> bool:
    return bool(re.match(r"(?i)acknowledge?ment", block.pieces[0].printed))


def _appendix(v: Variant, setting: Setting) -> str:
    if v.first_section_begins or v.name == "kluwer":
        # The word is printed on a line of its own, above the first title: one may take it for a heading.
        # In Kluwer's class it is a section's.
        label = f"known:{len(setting.headings)}"
        level = 1 if v.name == "kluwer" else 4
        setting.headings.append({"title": "Appendix", "level": level, "label": label, "numbered": False})
        return rf"\appendix\label{{{label}}}"
    if v.name in ("IEEEtran", "oup-authoring-template"):
        return r"\appendices"
    # The one does not break the titles of appendices into lines, over the other column;
    # in the other they would have numbers where no section has.
    if v.name in ("apa7", "apa6") or (v.name == "aguplus" and not v.numbered_levels):
        return ""
    if v.name in ("memoir", "report") and not v.chapters:  # whose own command is for chapters
        return r"\appendix\setcounter{section}{0}\renewcommand{\thesection}{\Alph{section}}"
    return r"\appendix"


def _heading(block: Block, v: Variant, setting: Setting, *, in_appendix: bool) -> str:
    title = block.pieces[0]
    label = f"known:{len(setting.headings)}"
    setting.headings.append({
        "title": title.printed, "level": block.level, "label": label,
        "numbered": block.numbered and block.level <= max(v.numbered_levels, v.name == "ascelike" and in_appendix)
        and (v.numbered_appendix or not in_appendix),
    })  # fmt: skip
    star = "" if block.numbered or block.level == 4 else "*"
    if v.name == "nature" and block.level == 2:  # begins a paragraph, and takes a star for its title
        return rf"\subsection{{{title.tex}.}}\label{{{label}}}"
    command = _COMMANDS[block.level - (v.chapters and block.level < 4)]
    if v.name in ("jpsj2", "aguplus") and in_appendix and star and block.level == 1:
        command = "plainsection"
    place = rf"\place{{{label.removeprefix('known:')}}}" if v.first_section_begins else ""
    tex = _accents(title.tex) if v.capitals else title.tex
    if v.name == "ptptex" and in_appendix and command + star == "section*":
        return rf"{{\noappendix\section*{{{tex}}}}}\label{{{label}}}"
    after = rf"\place{{{label.removeprefix('known:')}}}" if v.name == "report" else ""
    return rf"\{command}{star}{{{tex}{place}}}\label{{{label}}}{after}"


_ACCENTS = {"\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0308": '"'}


def _accents(tex: str) -> str:
    """Return TeX with accents as commands: uppercase breaks letters of more than one byte."""
    return "".join(
        rf"\{_ACCENTS[mark]}{letter}" if (mark := parts[1:]) in _ACCENTS else letter + mark
        for parts in (unicodedata.normalize("NFD", c) for c in tex)
        for letter in parts[:1]
    )


def _paragraph(block: Block, v: Variant, setting: Setting, *, with_note: bool) -> str:
    _record(setting, block.pieces, block.name.casefold() or block.kind, len(setting.headings) - 1, v)
    tex = "".join(p.tex for p in block.pieces)
    if with_note and (match := re.search(r"[a-z]{3}\.(?= [A-Z])", tex)):
        note = f"Number {spelled(len(setting.notes) + 1)} of the remarks at the foot of a page."
        # SPIE's notes have signs, of which there are nine; AIAA's have letters.
        signs = {"spie": 9, "aiaa-tc": 26}.get(v.name, 0)
        again = (
            r"\setcounter{footnote}{0}" if signs and setting.notes and len(setting.notes) % signs == 0 else ""
        )
        setting.notes.append(note)
        tex = tex[: match.end()] + rf"{again}\footnote{{{note}}}" + tex[match.end() :]
    # REVTeX looks for stops after a mark, and stumbles over a command there.
    return f"{tex}\n" if v.revtex else tex


def _record(setting: Setting, block: list[Piece], kind: str, heading: int, v: Variant) -> None:
    for sentence in sentences(block):
        printed = "".join(
            f"{EQUATION_NUMBER} {p.printed.removesuffix(EQUATION_NUMBER)}"
            if v.left_numbers and p.printed.endswith(EQUATION_NUMBER)
            else p.printed
            for p in sentence
        )
        if v.moved:
            printed = _marks_moved(printed, v)
        setting.sentences.append({
            "text": printed.strip(), "kind": kind, "heading": heading,
            "cites": [list(p.keys) for p in sentence if p.keys],
            "scripts": [p.printed for p in sentence if p.kind == "scripts"],
        })  # fmt: skip


def _marks_moved(printed: str, v: Variant) -> str:
    """Return a text with its citation marks after the stops that follow them; of two stops one is printed."""

    def moved(match: re.Match[str]) -> str:
        before = match.string[: match.end(1)]
        # The cite package's test is the space's width: after closing signs, too, but not after a capital's dot.
        by_space = v.name in ("spie", "ptptex", "aiaa-tc")
        ended = re.search(r"(?<![A-Z])[.?!][)\]'”]*$", before) if by_space else match[1] == "."
        doubled = bool(ended) and match[2].startswith(".") and not v.revtex
        return f"{match[1]}{match[2].removeprefix('.') if doubled else match[2]}{CITATION}"

    return re.sub(rf"(\S?)\s*{CITATION}([.,;:]*)", moved, printed)


def _in_environment(tex: str, block: Block, v: Variant) -> str:
    if block.kind == "proof":
        return rf"\begin{{proof}}{tex}\end{{proof}}"
    if block.kind == "theorem":
        name = block.name.lower() if v.own_theorems else f"known{block.name}"
        if v.own_theorems and v.name == "smfart":
            name = {"example": "exem"}.get(name, name[:4])
        return rf"\begin{{{name}}}{tex}\end{{{name}}}"
    return tex


_DIGITS = ("nought", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def spelled(n: int) -> str:
    """Return a number in words: what differs in digits only, at one height of many pages, is a head."""
    return " ".join(_DIGITS[int(digit)] for digit in str(n))


def _floats(paper: Paper, v: Variant, setting: Setting) -> Iterator[str]:
    """Yield figures and tables in turn, with the paper's own captions while there are any."""
    # Two take no place for a float: they print "[t]" as the float's text.
    top = "" if v.name in ("mnras", "nature") else "[t]"
    # Kluwer's centres a float by its own means: what TeX has for it would shift a table from its caption.
    centred = "" if v.name == "kluwer" else r"\centering"
    # What puts floats last reads them by the line.
    line = "\n" if v.name == "ascelike" or v.floats_last else ""
    captions = iter(paper.captions)
    tables = iter(paper.tables)
    for n in range(10_000):
        wide = "*" if v.two_columns and n % 5 == 3 else ""
        if n % 2 == 0:
            made = Piece("", f"A caption of one sentence for what is known, drawn as black bar {spelled(n)}.")
            caption = next(captions, Piece(made.printed, made.printed))
            setting.captions.append(caption.printed.strip())
            drawn = r"\rule{0.6\linewidth}{2cm}"
            if v.captions_last:
                drawn = r"\includegraphics[width=0.6\linewidth]{bar}"
            if v.name == "kluwer":
                drawn = rf"\centerline{{{drawn}}}"
            titled = rf"\caption{{{caption.tex}}}"
            both = titled + drawn if v.name == "apa7" else drawn + titled
            yield rf"\begin{{figure{wide}}}{top}{line}{centred}{both}{line}\end{{figure{wide}}}"
        else:
            made = Piece("", f"Values that are known, set in four columns, the table of number {spelled(n)}.")
            caption = next(tables, Piece(made.printed, made.printed))
            setting.captions.append(caption.printed.strip())
            rows = r" \\ ".join(
                f"case {chr(65 + i)} & {n * 7 + i}.{i + 1} & {n + 3 * i} & 0.{i + 2}{n % 10}"
                for i in range(5)
            )
            yield (
                rf"\begin{{table{wide}}}{top}{line}{centred}\caption{{{caption.tex}}}"
                rf"\begin{{tabular}}{{lrrr}}\hline Name & Mean & Count & Rate \\ \hline {rows} \\ \hline"
                rf"\end{{tabular}}{line}\end{{table{wide}}}"
            )


#: Not a part of an identifier; some sources have their own letters after it.
_YEAR = re.compile(r"(?<![\w./:-])((?:19|20)\d\d)[a-z]?(?![\w/-]|\.\d)")
#: The authors of the entry before.
_SAME = re.compile("[—\u2013]")


def _label(paper: Paper, v: Variant) -> Callable[[int], str]:
    """Return what gives an entry's optional label: author and year for natbib, letters for amsart's half.

    As in the lists that BibTeX makes, a letter follows the year where name and year are not enough.
    """
    named: list[tuple[str, str]] = []
    for _, raw, _, _ in paper.references:
        name, year = _name_and_year(raw.printed, v)
        named.append((named[-1][0] if named and v.author_year and _SAME.match(raw.printed) else name, year))

    def label(index: int) -> str:
        name, year = named[index]
        same = [i for i, other in enumerate(named) if other == named[index]]
        if v.author_year:
            return f"[{plain(name).tex}({year}{_letters(same.index(index)) if len(same) > 1 else ''})]"
        if v.alpha:
            return f"[{name[: 2 if v.name == 'lni' else 3]}{year[2:]}{_letters(index)}]"
        return ""

    return label


def _dated(entry: Piece, label: str) -> Piece:
    """Return an entry with the year of its label printed, as lists for author-year marks are, and its letter."""
    year, suffix = re.findall(r"\((\d{4})([a-z]*)\)\]$", label)[0]
    dated = year + suffix
    if not _YEAR.search(entry.printed):
        return Piece(f"{entry.tex} ({dated}).", f"{entry.printed} ({dated}).")
    return Piece(_YEAR.sub(dated, entry.tex, count=1), _YEAR.sub(dated, entry.printed, count=1))


def _name_and_year(raw: str, v: Variant) -> tuple[str, str]:
    year = _YEAR.search(raw)
    letter = r"[^\W\d_]" if v.author_year else "[a-z]"
    name = re.search(rf"[A-Z]{letter}{{2,}}", raw.split(",", maxsplit=1)[0] + " " + raw)
    return name[0] if name else "Nemo", year[1] if year else "2000"


def _letters(index: int) -> str:
    """Return a suffix that makes a label the only one of its kind: a, b … z, aa."""
    return (chr(96 + index // 26) if index >= 26 else "") + chr(97 + index % 26)


def _bibliography(paper: Paper, v: Variant, setting: Setting) -> str:
    if not paper.references:
        return ""
    label = _label(paper, v)
    entries = []
    for index, (key, entry, arxiv_id, doi) in enumerate(paper.references):
        printed = label(index)
        raw = _dated(entry, printed) if v.author_year else entry
        setting.references.append({
            "key": key, "raw": raw.printed, "arxiv_id": arxiv_id, "doi": doi.lower(),
            "label": "" if v.author_year else printed.strip("[]") or str(index + 1),
        })  # fmt: skip
        tex = raw.tex
        if v.hyperref and doi and number(key) % 2:
            tex = tex.replace(f"doi:{doi}", rf"\href{{https://doi.org/{doi}}}{{doi:{doi}}}")
        if v.name in ("kluwer", "ascelike"):  # the latter: all names, and their short form
            names = r"{\1}" if v.name == "kluwer" else r"{\1}{\1}"
            printed = re.sub(
                r"^\[(.*)\((\d+[a-z]*)\)\]$", rf"[\\protect\\citeauthoryear{names}{{\2}}]", printed
            )
        entries.append(rf"\bibitem{printed}{{{key}}} {tex}")
    widest = "{Abc99z}" if v.alpha else f"{{{len(entries)}}}"
    made = rf"\begin{{thebibliography}}{widest}" + "\n".join(entries) + r"\end{thebibliography}"
    # There the list that BibTeX makes is printed after the addresses.
    return rf"\AddtoEndMatter{{{made}}}" if v.name == "resphilosophica" and v.author_year else made
