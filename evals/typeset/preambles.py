"""Preambles as authors write them: fonts, margins, heads, headings, captions, notes and lists, drawn by lot.

A class has one look, and an author's preamble changes it. `varied1`, `varied2` … are the article class with other
choices for each paper, by the paper's and the set's name; a new number is a set that nothing was tuned on.
`unnumbered1` … are the same without numbers before headings.
`options` are other classes with options that their authors use, one after the other.
"""

from __future__ import annotations

import random
import re

from variants import RUNNING_HEAD, Setting, Variant

_FANCY = r"\usepackage{fancyhdr}\pagestyle{fancy}\fancyhf{}"
_TITLESEC = r"\usepackage{titlesec}"
_ROMAN_SECTIONS = (
    r"\titleformat{\section}{\normalfont\scshape\centering}{\Roman{section}.}{.5em}{}"
    r"\titleformat{\subsection}{\normalfont\itshape\centering}{\Alph{subsection}.}{.5em}{}"
)
_SANS_SECTIONS = (
    r"\titleformat{\section}{\normalfont\bfseries\sffamily\large}{\thesection}{1em}{}"
    r"\titleformat{\subsection}{\normalfont\sffamily\bfseries}{\thesubsection}{1em}{}"
    r"\titleformat{\subsubsection}{\normalfont\sffamily\itshape}{\thesubsubsection}{1em}{}"
)
_RUN_IN_SECTIONS = (
    r"\titleformat{\section}{\normalfont\bfseries}{\thesection.}{.5em}{}"
    r"\titleformat{\subsection}[runin]{\normalfont\bfseries}{\thesubsection.}{.5em}{}[.]"
    r"\titlespacing{\subsection}{0pt}{2ex}{1ex}"
    r"\titleformat{\subsubsection}[runin]{\normalfont\itshape}{\thesubsubsection.}{.5em}{}[.]"
    r"\titlespacing{\subsubsection}{0pt}{1.5ex}{1ex}"
)
_OWN_SECTIONS = (
    r"\makeatletter\renewcommand\section{\@startsection{section}{1}{\z@}{-2ex}{1ex}"
    r"{\normalfont\normalsize\bfseries\centering}}"
    r"\renewcommand\subsection{\@startsection{subsection}{2}{\z@}{-2ex}{1ex}{\normalfont\normalsize\itshape}}"
    r"\makeatother"
)
_TIGHT_SECTIONS = (
    r"\titlespacing*{\section}{0pt}{4pt}{2pt}\titlespacing*{\subsection}{0pt}{3pt}{1pt}"
    r"\titleformat*{\section}{\normalsize\bfseries}\titleformat*{\subsection}{\normalsize\bfseries}"
)
_PLAIN_SECTIONS = (
    r"\usepackage{sectsty}\sectionfont{\normalsize\bfseries}\subsectionfont{\normalsize\itshape}"
    r"\subsubsectionfont{\normalsize\normalfont}"
)
_UNDER_REVIEW = (
    r"\pagestyle{plain}\AddToShipoutPictureBG{\put(\LenToUnit{.5\paperwidth},20)"
    r"{\makebox(0,0){\tiny Preprint submitted to Tests. Under review.}}}"
)


def _biblabel(text: str) -> str:
    return rf"\makeatletter\renewcommand\@biblabel[1]{{{text}}}\makeatother"


def _cite(text: str) -> str:
    return rf"\makeatletter\def\@cite#1#2{{{text}}}\makeatother"


#: What a preamble chooses from; an empty text leaves the class as it is.
_CHOICES: dict[str, tuple[str, ...]] = {
    "font": (
        "", r"\usepackage[T1]{fontenc}\usepackage{lmodern}", r"\usepackage{mathpazo}", r"\usepackage{charter}",
        r"\usepackage{bookman}", r"\usepackage{newcent}", r"\usepackage{mathptmx}",
        r"\usepackage[T1]{fontenc}\usepackage{lmodern}\renewcommand{\familydefault}{\sfdefault}",
        r"\usepackage{helvet}\renewcommand{\familydefault}{\sfdefault}",
    ),
    "page": (
        "", r"\usepackage[margin=1in]{geometry}", r"\usepackage[a4paper,margin=2cm]{geometry}",
        r"\usepackage[top=1.2cm,bottom=1.6cm,left=2cm,right=2cm,includehead,includefoot]{geometry}",
        r"\usepackage[a5paper,margin=1.5cm]{geometry}", r"\usepackage[margin=1.5in]{geometry}",
    ),
    "heads": (
        r"\pagestyle{plain}", r"\pagestyle{empty}", r"\pagestyle{headings}", _UNDER_REVIEW,
        rf"\pagestyle{{myheadings}}\markboth{{{RUNNING_HEAD}}}{{{RUNNING_HEAD}}}",
        _FANCY + r"\fancyhead[L]{\slshape\leftmark}\fancyhead[R]{\thepage}",
        r"\usepackage{lastpage}" + _FANCY + r"\fancyfoot[C]{Page \thepage\ of \pageref{LastPage}}",
        _FANCY + r"\fancyfoot[L]{Preprint submitted to Tests}\fancyfoot[R]{\thepage}",
        _FANCY + r"\fancyhead[LE,RO]{\thepage}\fancyhead[RE]{A. Tester and B. Sample}\fancyhead[LO]{On what is known}",
        _FANCY + r"\fancyhead[C]{\scshape On what is known}\fancyfoot[C]{-- \thepage\ --}",
        _FANCY + r"\fancyhead[L]{Journal of Known Texts 12 (2022) 1--20}\fancyhead[R]{Preprint}"
        r"\fancyfoot[C]{\small Preprint submitted to Tests \quad \thepage}",
        _FANCY + r"\fancyhead[L]{A. Tester et al.\\On what is known}\fancyhead[R]{\today\\\thepage}"
        r"\setlength{\headheight}{26pt}",
    ),
    "headings": (
        "", _TITLESEC + _ROMAN_SECTIONS, _TITLESEC + _SANS_SECTIONS, _TITLESEC + _RUN_IN_SECTIONS, _OWN_SECTIONS,
        _PLAIN_SECTIONS, _TITLESEC + _TIGHT_SECTIONS, _TITLESEC + r"\titlelabel{\thetitle.\quad}",
        r"\usepackage{sectsty}\allsectionsfont{\sffamily\mdseries}",
        _TITLESEC + r"\usepackage{xcolor}"
        r"\titleformat{\section}{\normalfont\Large\bfseries\color{blue!60!black}}{\thesection}{1em}{}[\titlerule]",
        _TITLESEC + r"\titleformat{\section}{\normalfont\large\bfseries\filcenter}{\S\thesection}{.6em}{}",
    ),
    "spacing": (
        "", "", r"\linespread{1.5}", r"\usepackage[doublespacing]{setspace}", r"\usepackage{parskip}",
        r"\setlength{\parindent}{0pt}\setlength{\parskip}{4pt}",
        r"\AtBeginDocument{\raggedright\setlength{\parindent}{1em}}",
    ),
    "notes": (
        "", "", r"\usepackage[bottom]{footmisc}", r"\usepackage[hang,flushmargin]{footmisc}",
        r"\renewcommand{\footnoterule}{}", r"\renewcommand{\thefootnote}{[\arabic{footnote}]}",
        r"\renewcommand{\thefootnote}{\fnsymbol{footnote}}\usepackage[perpage,symbol*]{footmisc}",
    ),
    "captions": (
        "", "", r"\usepackage[font=small,labelfont=bf]{caption}",
        r"\usepackage[font={small,it},labelsep=period]{caption}",
        r"\usepackage[font={sf,footnotesize},margin=1cm]{caption}",
        r"\usepackage[labelfont={sc},textfont=sl,labelsep=newline,singlelinecheck=off]{caption}",
        (r"\usepackage[labelsep=endash,justification=raggedright,singlelinecheck=off]{caption}"
        r"\renewcommand{\figurename}{Fig.}"),
    ),
    "lines": (
        *[""] * 7, r"\usepackage[switch]{lineno}\linenumbers", r"\usepackage[modulo]{lineno}\linenumbers",
        r"\usepackage[pagewise,right]{lineno}\linenumbers",
    ),
    "mark": (*[""] * 6, r"\usepackage{draftwatermark}\SetWatermarkText{DRAFT}"),
    "items": ("", "", r"\usepackage{enumitem}\setlist{nosep,leftmargin=*}"),
    "equations": ("", "", r"\numberwithin{equation}{section}"),
    "list": (
        "", "", (r"\let\plainlist\thebibliography\renewcommand{\thebibliography}[1]{\plainlist{#1}\footnotesize"
        r"\setlength{\itemsep}{0pt}}"),
    ),
    "list title": (
        "", "", *(rf"\renewcommand{{\refname}}{{{t}}}" for t in ("REFERENCES", "Bibliography", "Literature", "Works Cited")),
    ),
}  # fmt: skip
#: For lists with numbers.
_NUMBERED: dict[str, tuple[str, ...]] = {
    "labels": (
        "",
        *map(_biblabel, ("#1.", "(#1)", r"\textbf{#1}", r"\textsuperscript{#1}")),
    ),
    "marks": ("", "", _cite(r"(#1\if@tempswa , #2\fi)"), _cite(r"\textsuperscript{#1}")),
}
#: Too narrow for two columns, or too wide.
_ONE_COLUMN = re.compile(r"a5paper|margin=1\.5in|doublespacing")
#: The article class's own choices.
_OWN = re.compile(
    r"\\usepackage\{fancyhdr\}\n.*\n|\\usepackage\[T1\]\{fontenc\}\n\\usepackage\{lmodern\}\n"
    r"|\\usepackage\{mathptmx\}\n|\\usepackage\[margin=2.4cm\]\{geometry\}\n"
)
_OPTIONS = (
    ("revtex4-2", r"\documentclass[aps,prd,preprint,nofootinbib]{revtex4-2}"),
    ("revtex4-2", r"\documentclass[aip,jcp,preprint,nofootinbib]{revtex4-2}"),
    ("revtex4-2", r"\documentclass[aps,pra,onecolumn,superscriptaddress,12pt,nofootinbib]{revtex4-2}"),
    ("revtex4-2", r"\documentclass[aps,prl,reprint,superscriptaddress,nofootinbib]{revtex4-2}"),
    ("revtex4-2", r"\documentclass[aip,apl,reprint,nofootinbib]{revtex4-2}"),
    ("IEEEtran", r"\documentclass[conference]{IEEEtran}"),
    ("IEEEtran", r"\documentclass[10pt,journal,compsoc]{IEEEtran}"),
    ("IEEEtran", r"\documentclass[12pt,journal,draftclsnofoot,onecolumn]{IEEEtran}"),
    ("IEEEtran", r"\documentclass[technote]{IEEEtran}"),
    ("elsarticle", r"\documentclass[review]{elsarticle}"),
    ("elsarticle", r"\documentclass[3p,twocolumn]{elsarticle}"),
    ("elsarticle", r"\documentclass[final,1p,times]{elsarticle}"),
    ("acmart", r"\documentclass[acmsmall]{acmart}"),
    ("acmart", r"\documentclass[manuscript,review]{acmart}"),
    ("acmart", r"\documentclass[sigplan,nonacm]{acmart}"),
    ("acmart", r"\documentclass[acmtog]{acmart}"),
    ("mnras", r"\documentclass[fleqn,usenatbib,onecolumn]{mnras}"),
    ("mnras", r"\documentclass[fleqn,usenatbib,referee]{mnras}"),
    ("aastex631", r"\documentclass[preprint]{aastex631}"),
    ("aastex631", r"\documentclass[manuscript]{aastex631}"),
    ("aastex631", r"\documentclass[twocolumn,linenumbers]{aastex631}"),
    ("aastex631", r"\documentclass[modern]{aastex631}"),
    ("amsart", r"\documentclass[12pt,a4paper]{amsart}\usepackage[margin=3cm]{geometry}"),
    ("amsart", r"\documentclass[11pt,reqno]{amsart}\usepackage{fullpage}"),
    ("scrartcl", r"\documentclass[paper=a4,DIV=14,headings=small,parskip=half]{scrartcl}"),
    ("llncs", r"\documentclass{llncs}"),
    ("quantumarticle", "\\documentclass[a4paper,onecolumn,unpublished,10pt]{quantumarticle}\n\\pdfoutput=1"),
    ("achemso", r"\documentclass[journal=jpccck,manuscript=article,layout=twocolumn]{achemso}"),
)


def base(name: str, paper: int) -> str:
    """Return the class that the `paper`-th paper of a set is set in first; an ordinary class is its own."""
    if name == "options":
        return _OPTIONS[paper % len(_OPTIONS)][0]
    return "article" if re.fullmatch(r"(?:varied|unnumbered)\d+", name) else name


def varied(setting: Setting, name: str, key: str, paper: int, variant: Variant) -> None:
    """Change a paper's TeX as its set has it; ordinary classes stay.

    Args:
        setting: the paper in its base class.
        name: of the set.
        key: the paper's identifier, which draws the lots.
        paper: its place among the papers, from 0.
        variant: of the base class.
    """
    if name == "options":
        command = _OPTIONS[paper % len(_OPTIONS)][1]
        setting.tex = re.sub(
            r"\\documentclass(\[[^\]]*\])?\{[^}]*\}(\n\\pdfoutput=1)?",
            lambda _: command,
            setting.tex,
            count=1,
        )
        if variant.name == "acmart" and "sigplan" not in command:  # prints keywords without a heading
            for heading in setting.headings:
                heading["level"] = 4 if heading["title"] == "Keywords" else heading["level"]
    elif variant.name != name:
        _article(setting, random.Random(f"{name} {key}"), variant)
        if name.startswith("unnumbered"):
            setting.tex = setting.tex.replace(
                r"\begin{document}", "\\setcounter{secnumdepth}{0}\n\\begin{document}", 1
            )
            for heading in setting.headings:
                heading["numbered"] = False


def _article(setting: Setting, lots: random.Random, variant: Variant) -> None:
    numbered = not (variant.author_year or variant.alpha)
    drawn = {what: lots.choice(choices) for what, choices in {**_CHOICES, **_NUMBERED}.items()}
    added = "\n".join(
        choice for what, choice in drawn.items()
        if (numbered or what not in _NUMBERED) and not (variant.two_columns and _ONE_COLUMN.search(choice))
    )  # fmt: skip
    preamble, body = setting.tex.split(r"\begin{document}", 1)
    # Some fonts have signs as bitmaps only, which cannot be stretched.
    preamble = _OWN.sub("\n", preamble).replace("{microtype}", "[expansion=false]{microtype}")
    if "LE,RO" in added or r"\pagestyle{headings}" in added:
        preamble = preamble.replace(r"\documentclass[", r"\documentclass[twoside,", 1)
    at = min(
        preamble.find(sign) % len(preamble)  # of what is missing, the last place
        for sign in (
            r"\usepackage[colorlinks]{hyperref}",
            r"\usepackage[hidelinks]{hyperref}",
            r"\AddToShipout",
        )
    )
    abstract = lots.choice((None, None, r"\noindent\textbf{Abstract.} ", r"\section*{Abstract}"))
    if abstract:
        body = body.replace(r"\begin{abstract}", abstract, 1).replace(r"\end{abstract}", "\n\n", 1)
    setting.tex = f"{preamble[:at]}{added}\n{preamble[at:]}\\begin{{document}}{body}"
