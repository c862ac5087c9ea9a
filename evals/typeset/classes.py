"""Nine document classes: how each is begun, and what a block becomes in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from contents import EQUATION_NUMBER, Block, Paper, Piece, number, sentences

WORK = ("article", "revtex4-2", "elsarticle", "IEEEtran", "amsart", "llncs")
FINAL = ("acmart", "mnras", "scrartcl")

#: Printed on every page by the classes that print running heads at all.
RUNNING_HEAD = "A. Tester et al., On what is known"
_THEOREMS = ("Theorem", "Lemma", "Proposition", "Corollary", "Definition", "Remark", "Example")


@dataclass
class Variant:
    """What differs from one paper to the next within a class, by the paper's number."""

    name: str
    n: int

    @property
    def hyperref(self) -> bool:
        return self.name in ("acmart", "mnras") or self.n % 2 == 0

    @property
    def contents(self) -> bool:
        return self.name in ("article", "amsart", "scrartcl") and self.n % 4 == 1

    @property
    def author_year(self) -> bool:
        return self.name == "mnras" or (
            self.name in ("article", "llncs", "scrartcl") and self.n // 2 % 2 == 1
        )

    @property
    def alpha(self) -> bool:
        return self.name == "amsart" and self.n // 2 % 2 == 1

    @property
    def raised(self) -> bool:
        return self.name == "revtex4-2" and self.n % 3 == 0

    @property
    def two_columns(self) -> bool:
        return (
            self.name in ("revtex4-2", "IEEEtran", "acmart", "mnras")
            or (self.name == "article" and self.n // 4 % 2 == 0)
            or (self.name in ("elsarticle", "scrartcl") and self.n // 4 % 3 == 0)
        )

    @property
    def left_numbers(self) -> bool:
        """The AMS's classes print an equation's number at its left."""
        return self.name == "amsart"

    @property
    def line_numbers(self) -> bool:
        return self.name == "elsarticle" and self.n // 4 % 3 == 1


@dataclass
class Setting:
    """A paper's TeX, and what was put into it that the text alone does not tell."""

    tex: str
    sentences: list[dict[str, object]] = field(default_factory=list)
    headings: list[dict[str, object]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    captions: list[str] = field(default_factory=list)
    references: list[dict[str, object]] = field(default_factory=list)


def set_paper(paper: Paper, name: str) -> Setting:
    """Return a paper in a class."""
    v = Variant(name, number(f"{name} {paper.id}"))
    setting = Setting("")
    front = _front(paper, v, setting)
    body = "\n\n".join(_body(paper, v, setting))
    parts = [
        _class(v), _packages(v, paper), r"\begin{document}", front, body,
        _bibliography(paper, v, setting), r"\end{document}",
    ]  # fmt: skip
    setting.tex = "\n\n".join(parts)
    return setting


def _class(v: Variant) -> str:
    columns = ",twocolumn" if v.two_columns else ""
    return {
        "article": rf"\documentclass[{10 + v.n // 8 % 3}pt{columns}]{{article}}",
        "revtex4-2": rf"\documentclass[aps,{'prb' if v.raised else 'prd'},reprint,nofootinbib]{{revtex4-2}}",
        "elsarticle": rf"\documentclass[{'5p,times,twocolumn' if v.two_columns else 'preprint,12pt'}]{{elsarticle}}",
        "IEEEtran": r"\documentclass[journal]{IEEEtran}",
        "amsart": rf"\documentclass[{10 + v.n // 8 % 3}pt]{{amsart}}",
        "llncs": r"\documentclass[runningheads]{llncs}",
        "acmart": r"\documentclass[sigconf]{acmart}",
        "mnras": r"\documentclass[fleqn,usenatbib]{mnras}",
        "scrartcl": rf"\documentclass[fontsize={10 + v.n // 8 % 3}pt{columns}]{{scrartcl}}",
    }[v.name]


def _packages(v: Variant, paper: Paper) -> str:  # noqa: C901, PLR0912 - one line for each class
    lines = [r"\usepackage[utf8]{inputenc}", r"\usepackage{amsmath,graphicx,eso-pic}"]
    if v.name != "acmart":  # brings its own fonts
        lines.append(r"\usepackage{amssymb}")
    if v.name not in ("amsart", "llncs", "acmart"):
        # One class has a proof of its own.
        lines.append(r"\let\proof\relax\let\endproof\relax\usepackage{amsthm}")
    if v.name == "acmart":
        # A sign that its fonts do not have comes from a bitmap font, which cannot be stretched.
        lines.append(r"\settopmatter{printacmref=false}\microtypesetup{expansion=false}")
    elif v.n % 3 == 1:
        lines += [r"\usepackage[T1]{fontenc}", r"\usepackage{lmodern}"]
    elif v.n % 3 == 2 and v.name in ("article", "amsart", "llncs", "mnras", "scrartcl"):
        lines.append(r"\usepackage{mathptmx}")
    if v.name == "article":
        lines += [
            r"\usepackage[margin=2.4cm]{geometry}" if v.n // 16 % 2 else "", r"\usepackage{fancyhdr}",
            r"\pagestyle{fancy}\fancyhf{}\fancyhead[L]{" + RUNNING_HEAD + r"}\fancyfoot[C]{\thepage}",
        ]  # fmt: skip
        if v.n // 32 % 2:
            lines.append(r"\usepackage{microtype}")
    if v.name == "scrartcl":
        lines += [
            r"\usepackage{scrlayer-scrpage}\clearpairofpagestyles\pagestyle{scrheadings}",
            r"\ihead{" + RUNNING_HEAD + r"}\cfoot[\pagemark]{\pagemark}",
        ]
    if v.author_year and v.name != "mnras":
        lines.append(r"\usepackage[authoryear,round]{natbib}")
    elif v.name == "IEEEtran" or (v.name == "article" and v.n % 5):
        lines.append(r"\usepackage{cite}")
    if v.line_numbers:
        lines.append(r"\usepackage{lineno}\linenumbers")
    if v.hyperref and v.name not in ("acmart", "mnras"):  # which load it themselves
        lines.append(
            r"\usepackage[colorlinks]{hyperref}" if v.n // 2 % 2 else r"\usepackage[hidelinks]{hyperref}"
        )
    stamp = f"arXiv:{paper.id}v1  [{paper.category}]  22 Dec 2022"
    lines.append(
        r"\AddToShipoutPictureBG*{\ifnum\value{page}=1\put(22,260){\rotatebox{90}{\Large " + stamp + r"}}\fi}"
    )
    if v.name != "llncs":
        style = r"\theoremstyle{definition}" if v.n % 7 == 3 else ""
        lines += [style, *(rf"\newtheorem{{known{t}}}{{{t}}}" for t in _THEOREMS)]
    lines.append(r"\sloppy\setlength{\emergencystretch}{3em}")
    return "\n".join(lines)


def _front(paper: Paper, v: Variant, setting: Setting) -> str:  # noqa: PLR0911 - one for each class
    title = rf"\title{{{paper.title.tex}}}"
    text = "".join(p.tex for p in paper.abstract)
    _record(setting, paper.abstract, "abstract", -1, v)
    abstract = rf"\begin{{abstract}}{text}\end{{abstract}}" if text.strip() else ""
    toc = r"\tableofcontents" if v.contents else ""
    if v.name == "elsarticle":
        return "\n".join([
            r"\begin{frontmatter}", title, r"\author{Ada Tester}", r"\author{Ben Sample}",
            r"\address{Institute of Tests, 12 Known Street, Exampleton}", abstract,
            r"\begin{keyword}known texts \sep tests\end{keyword}", r"\end{frontmatter}",
        ])  # fmt: skip
    if v.name == "revtex4-2":
        return "\n".join([
            title, r"\author{Ada Tester}", r"\affiliation{Institute of Tests, Exampleton}", r"\author{Ben Sample}",
            r"\affiliation{University of Known Texts, Sampleville}", r"\date{\today}", abstract, r"\maketitle",
        ])  # fmt: skip
    if v.name == "amsart":
        short = rf"\title[On what is known]{{{paper.title.tex}}}"
        return "\n".join([
            short, r"\author[A. Tester]{Ada Tester}", r"\address{Institute of Tests, 12 Known Street, Exampleton}",
            r"\email{ada@example.org}", abstract, r"\maketitle", toc,
        ])  # fmt: skip
    if v.name == "llncs":
        return "\n".join([
            title, r"\titlerunning{On what is known}", r"\author{Ada Tester\inst{1} \and Ben Sample\inst{2}}",
            r"\authorrunning{A. Tester et al.}",
            r"\institute{Institute of Tests, Exampleton \and University of Known Texts, Sampleville}",
            r"\maketitle", abstract,
        ])  # fmt: skip
    if v.name == "IEEEtran":
        return "\n".join([
            title, r"\author{Ada~Tester and~Ben~Sample\thanks{The authors are with the Institute of Tests.}}",
            rf"\markboth{{{RUNNING_HEAD}}}{{{RUNNING_HEAD}}}", r"\maketitle", abstract,
            r"\begin{IEEEkeywords}Known texts, tests.\end{IEEEkeywords}",
        ])  # fmt: skip
    if v.name == "acmart":
        # Printed as a section without a number.
        label = f"known:{len(setting.headings)}"
        setting.headings.append({"title": "Keywords", "level": 1, "label": label, "numbered": False})
        place = r"\city{Exampleton}\country{Testland}"
        return "\n".join([
            rf"\title[On what is known]{{{paper.title.tex}}}",
            rf"\author{{Ada Tester}}\affiliation{{\institution{{Institute of Tests}}{place}}}",
            rf"\author{{Ben Sample}}\affiliation{{\institution{{University of Known Texts}}{place}}}",
            r"\renewcommand{\shortauthors}{A. Tester et al.}", r"\acmConference[Tests]{Tests}{2022}{Exampleton}",
            abstract, rf"\keywords{{\label{{{label}}}known texts, tests}}", r"\maketitle",
        ])  # fmt: skip
    if v.name == "mnras":
        return "\n".join([
            rf"\title[On what is known]{{{paper.title.tex}}}",
            r"\author[A. Tester et al.]{Ada Tester$^{1}$ and Ben Sample$^{2}$\\",
            r"$^{1}$Institute of Tests, 12 Known Street, Exampleton\\",
            r"$^{2}$University of Known Texts, Sampleville}", r"\date{Accepted XXX. Received YYY}", r"\pubyear{2022}",
            r"\maketitle", abstract, r"\begin{keywords}known texts -- tests\end{keywords}",
        ])  # fmt: skip
    return "\n".join([title, r"\author{Ada Tester \and Ben Sample}", r"\maketitle", abstract, toc])


_COMMANDS = {1: "section", 2: "subsection", 3: "subsubsection", 4: "paragraph"}


def _body(paper: Paper, v: Variant, setting: Setting) -> Iterator[str]:
    """Yield the blocks' TeX; figures, tables and footnotes are put among them by count."""
    floats = _floats(paper, v, setting)
    done = in_appendix = False
    items: list[str] = []
    count = 0
    for block in paper.blocks:
        if block.kind != "item" and items:
            yield r"\begin{itemize}" + "\n".join(items) + r"\end{itemize}"
            items = []
        if block.kind == "heading":
            title = block.pieces[0]
            if done and block.level == 1 and block.numbered and not in_appendix \
                    and not re.match(r"(?i)acknowl|referenc|data av|conflict|author", title.printed):  # fmt: skip
                in_appendix = True
                yield r"\appendices" if v.name == "IEEEtran" else r"\appendix"
            done = done or bool(
                re.match(r"(?i).*conclu|acknowl|discussion$", title.printed) and block.level == 1
            )
            yield _heading(block, v, setting)
            continue
        count += 1
        tex = _paragraph(block, v, setting, with_note=count % 9 == 4)
        if block.kind == "item":
            items.append(rf"\item {tex}")
            continue
        yield _in_environment(tex, block, v)
        if count % 8 == 6:
            yield next(floats)
    if items:
        yield r"\begin{itemize}" + "\n".join(items) + r"\end{itemize}"


def _heading(block: Block, v: Variant, setting: Setting) -> str:
    title = block.pieces[0]
    label = f"known:{len(setting.headings)}"
    setting.headings.append({
        "title": title.printed, "level": block.level, "label": label,
        # LNCS numbers two levels, and no class here numbers paragraphs.
        "numbered": block.numbered and block.level <= (2 if v.name == "llncs" else 3),
    })  # fmt: skip
    star = "" if block.numbered or block.level == 4 else "*"
    return rf"\{_COMMANDS[block.level]}{star}{{{title.tex}}}\label{{{label}}}"


def _paragraph(block: Block, v: Variant, setting: Setting, *, with_note: bool) -> str:
    _record(setting, block.pieces, block.name.casefold() or block.kind, len(setting.headings) - 1, v)
    tex = "".join(p.tex for p in block.pieces)
    if with_note and (match := re.search(r"[a-z]{3}\.(?= [A-Z])", tex)):
        note = f"Number {spelled(len(setting.notes) + 1)} of the remarks at the foot of a page."
        setting.notes.append(note)
        tex = tex[: match.end()] + rf"\footnote{{{note}}}" + tex[match.end() :]
    return tex


def _record(setting: Setting, block: list[Piece], kind: str, heading: int, v: Variant) -> None:
    for sentence in sentences(block):
        printed = "".join(
            f"{EQUATION_NUMBER} {p.printed.removesuffix(EQUATION_NUMBER)}"
            if v.left_numbers and p.printed.endswith(EQUATION_NUMBER)
            else p.printed
            for p in sentence
        )
        setting.sentences.append({
            "text": printed.strip(), "kind": kind, "heading": heading,
            "cites": [list(p.keys) for p in sentence if p.keys],
            "scripts": [p.printed for p in sentence if p.kind == "scripts"],
        })  # fmt: skip


def _in_environment(tex: str, block: Block, v: Variant) -> str:
    if block.kind == "proof":
        return rf"\begin{{proof}}{tex}\end{{proof}}"
    if block.kind == "theorem":
        name = block.name.lower() if v.name == "llncs" else f"known{block.name}"
        return rf"\begin{{{name}}}{tex}\end{{{name}}}"
    return tex


_DIGITS = ("nought", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def spelled(n: int) -> str:
    """Return a number in words: what differs in digits only, at one height of many pages, is a head."""
    return " ".join(_DIGITS[int(digit)] for digit in str(n))


def _floats(paper: Paper, v: Variant, setting: Setting) -> Iterator[str]:
    """Yield figures and tables in turn, with the paper's own captions while there are any."""
    captions = iter(paper.captions)
    tables = iter(paper.tables)
    for n in range(10_000):
        wide = "*" if v.two_columns and n % 5 == 3 else ""
        if n % 2 == 0:
            made = Piece("", f"A caption of one sentence for what is known, drawn as black bar {spelled(n)}.")
            caption = next(captions, Piece(made.printed, made.printed))
            setting.captions.append(caption.printed.strip())
            yield (
                rf"\begin{{figure{wide}}}[t]\centering\rule{{0.6\linewidth}}{{2cm}}"
                rf"\caption{{{caption.tex}}}\end{{figure{wide}}}"
            )
        else:
            made = Piece("", f"Values that are known, set in four columns, the table of number {spelled(n)}.")
            caption = next(tables, Piece(made.printed, made.printed))
            setting.captions.append(caption.printed.strip())
            rows = r" \\ ".join(
                f"case {chr(65 + i)} & {n * 7 + i}.{i + 1} & {n + 3 * i} & 0.{i + 2}{n % 10}"
                for i in range(5)
            )
            yield (
                rf"\begin{{table{wide}}}[t]\centering\caption{{{caption.tex}}}"
                rf"\begin{{tabular}}{{lrrr}}\hline Name & Mean & Count & Rate \\ \hline {rows} \\ \hline"
                rf"\end{{tabular}}\end{{table{wide}}}"
            )


#: Not a part of an identifier.
_YEAR = re.compile(r"(?<![\w./:-])(?:19|20)\d\d(?![\w/-]|\.\d)")


def _label(paper: Paper, v: Variant) -> Callable[[int], str]:
    """Return what gives an entry's optional label: author and year for natbib, letters for amsart's half.

    As in the lists that BibTeX makes, a letter follows the year where name and year are not enough.
    """
    named = [_name_and_year(raw.printed) for _, raw, _, _ in paper.references]

    def label(index: int) -> str:
        name, year = named[index]
        same = [i for i, other in enumerate(named) if other == named[index]]
        if v.author_year:
            return f"[{name}({year}{_letters(same.index(index)) if len(same) > 1 else ''})]"
        if v.alpha:
            return f"[{name[:3]}{year[2:]}{_letters(index)}]"
        return ""

    return label


def _with_suffix(entry: Piece, label: str) -> Piece:
    """Return an entry with the letter of its label printed after its year."""
    suffix = re.search(r"(\d{4})([a-z]+)\)\]$", label)
    if not suffix:
        return entry
    dated = suffix[1] + suffix[2]
    return Piece(_YEAR.sub(dated, entry.tex, count=1), _YEAR.sub(dated, entry.printed, count=1))


def _name_and_year(raw: str) -> tuple[str, str]:
    year = _YEAR.search(raw)
    name = re.search(r"[A-Z][a-z]{2,}", raw.split(",", maxsplit=1)[0] + " " + raw)
    return name[0] if name else "Nemo", year[0] if year else "2000"


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
        raw = _with_suffix(entry, printed) if v.author_year else entry
        setting.references.append({
            "key": key, "raw": raw.printed, "arxiv_id": arxiv_id, "doi": doi.lower(),
            "label": "" if v.author_year else printed.strip("[]") or str(index + 1),
        })  # fmt: skip
        tex = raw.tex
        if v.hyperref and doi and number(key) % 2:
            tex = tex.replace(f"doi:{doi}", rf"\href{{https://doi.org/{doi}}}{{doi:{doi}}}")
        entries.append(rf"\bibitem{printed}{{{key}}} {tex}")
    widest = "{Abc99z}" if v.alpha else f"{{{len(entries)}}}"
    return rf"\begin{{thebibliography}}{widest}" + "\n".join(entries) + r"\end{thebibliography}"
