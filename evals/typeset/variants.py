"""Document classes: which there are, what differs within one, and how a paper is begun in it."""

from __future__ import annotations

from dataclasses import dataclass, field

from contents import Paper

WORK = (
    "article", "revtex4-2", "elsarticle", "IEEEtran", "amsart", "llncs", "acmart", "mnras", "scrartcl",
    "memoir", "cas-dc", "achemso", "emulateapj", "aomart", "spie", "aastex631", "jmlr", "quantumarticle",
    "ejpecp", "IEEEconf", "apa7", "smfart", "lni", "ptptex",
    "ijmart", "jpsj2", "proc", "jacow", "oup-authoring-template", "nature",
    "kluwer", "acmconf", "aguplus", "report", "cas-sc", "ascelike",
    "revtex4-1", "scrreprt", "aiaa-tc", "extarticle", "amsproc", "apa6",
    "paper", "artikel1", "resphilosophica",
)  # fmt: skip
#: For work as well: what authors make of classes (see preambles.py).
SETS = ("varied1", "varied2", "unnumbered1", "options")
#: Nothing was done for these yet. They are scored three at a time, once, in the order that is given here; the
#: first three are what `reading_truth.py --final` scores, and then they are classes for work. None is left.
FINAL: tuple[str, ...] = ()

#: Printed on every page by the classes that print running heads at all.
RUNNING_HEAD = "A. Tester et al., On what is known"
#: Classes that load hyperref themselves.
LOADS_HYPERREF = (
    "acmart", "mnras", "cas-dc", "aastex631", "jmlr", "aomart", "ejpecp", "apa7", "lni",
    "oup-authoring-template", "cas-sc", "resphilosophica",
)  # fmt: skip
THEOREMS = ("Theorem", "Lemma", "Proposition", "Corollary", "Definition", "Remark", "Example")

#: What authors ask REVTeX 4.1 for: the notes of superscript styles would be among the references.
_REVTEX = (
    "aps,pra,reprint,superscriptaddress,nofootinbib",
    "aps,prl,twocolumn,superscriptaddress,longbibliography,nofootinbib",
    "aip,jcp,reprint",
    "aps,prd,preprint,preprintnumbers,showpacs,nofootinbib",
    "aps,prb,twocolumn,showpacs,superscriptaddress,floatfix",
    "aps,pre,onecolumn,11pt,notitlepage,nofootinbib",
    "aip,apl,preprint",
    "aps,rmp,reprint",
    "aps,prd,a4paper,twocolumn,showkeys,amsmath,amssymb,nofootinbib",
    "aps,pra,onecolumn,12pt,tightenlines,groupedaddress,nofootinbib",
)


@dataclass
class Variant:
    """What differs from one paper to the next within a class, by the paper's number."""

    name: str
    n: int

    @property
    def revtex(self) -> tuple[str, ...]:
        """The options that REVTeX 4.1 is given."""
        if self.name != "revtex4-1":
            return ()
        options = tuple(_REVTEX[self.n // 4 % len(_REVTEX)].split(","))
        moved = {"aip", "prb"} & set(options) and self.n // 64 % 2
        return (*options, "citeautoscript") if moved else options

    @property
    def hyperref(self) -> bool:
        if self.name in ("jpsj2", "kluwer", "aguplus"):  # whose captions or lists are not made for it
            return False
        return self.name in LOADS_HYPERREF or self.name == "quantumarticle" or self.n % 2 == 0

    @property
    def contents(self) -> bool:
        if self.name == "scrreprt":
            return self.n % 4 > 0
        if self.name in ("paper", "artikel1"):
            return self.n % 4 == 1 and not self.two_columns
        return (
            self.name in ("article", "amsart", "scrartcl", "memoir", "aomart", "ijmart", "smfart")
            and self.n % 4 == 1
        ) or (self.name == "report" and self.n // 16 % 2 == 1)

    @property
    def author_year(self) -> bool:
        if self.name == "revtex4-1":
            return "rmp" in self.revtex
        if self.name == "resphilosophica":
            return self.n // 2 % 4 < 3
        return self.name in ("mnras", "aastex631", "jmlr", "emulateapj", "apa7", "aguplus", "ascelike", "apa6") or (
            self.name in (
                "article", "llncs", "scrartcl", "memoir", "cas-dc", "oup-authoring-template", "kluwer", "scrreprt",
                "report", "cas-sc", "extarticle", "paper", "artikel1",
            )
            and self.n // 2 % 2 == 1
        )  # fmt: skip

    @property
    def in_parentheses(self) -> bool:
        """Names and years of a citation mark stand in parentheses together, not the years alone."""
        if self.name == "oup-authoring-template":
            return self.author_year and self.n // 8 % 2 == 0
        if self.name in ("kluwer", "revtex4-1", "ascelike"):  # whose own marks are so
            return self.author_year
        if self.name == "apa6":
            return self.n // 2 % 3 > 0
        if self.name == "resphilosophica":
            return self.author_year and self.n // 8 % 3 > 0
        return self.name in ("aastex631", "jmlr", "emulateapj", "apa7", "aguplus") and self.n // 2 % 2 == 0

    @property
    def alpha(self) -> bool:
        return self.name == "lni" or (
            self.name in ("amsart", "aomart", "smfart", "amsproc") and self.n // 2 % 2 == 1
        )

    @property
    def raised(self) -> bool:
        return (
            self.name in ("achemso", "spie", "nature", "jpsj2", "ptptex", "aiaa-tc")
            or (self.name == "revtex4-2" and self.n % 3 == 0)
            or bool({"aip", "prb"} & set(self.revtex))
        )

    @property
    def moved(self) -> bool:
        """Some classes print a citation's raised number after the stop or comma that follows it."""
        return (
            self.name in ("achemso", "spie", "jpsj2", "ptptex", "aiaa-tc") or "citeautoscript" in self.revtex
        )

    @property
    def own_theorems(self) -> bool:
        """The class has theorems and the like, under their names in lower case, which smfart's package cuts."""
        return self.name in ("llncs", "jmlr", "ejpecp") or (self.name == "smfart" and self.n // 8 % 2 == 0)

    @property
    def capitals(self) -> bool:
        """First-level headings, and emulateapj's title, are put into capitals by TeX's own uppercase."""
        return self.name in ("emulateapj", "spie", "acmconf", "ascelike")

    @property
    def first_section_begins(self) -> bool:
        """The AAS's classes print title, authors and abstract with the first section."""
        return self.name in ("aastex631", "emulateapj")

    @property
    def plain_thanks(self) -> bool:
        """The acknowledgments have an environment that prints no heading."""
        return self.name == "aastex631" or "prl" in self.revtex

    @property
    def numbered_appendix(self) -> bool:
        """An appendix's sections have numbers; in emulateapj only where that is asked for."""
        return self.name != "emulateapj" or self.n // 8 % 2 == 1

    @property
    def chapters(self) -> bool:
        """In memoir's articles chapters are what sections are elsewhere, or are not used; most reports have them."""
        if self.name == "report":
            return self.n // 3 % 5 > 0
        return (self.name == "memoir" and self.n // 3 % 2 == 1) or self.name == "scrreprt"

    @property
    def numbered_levels(self) -> int:  # noqa: PLR0911 - by class
        """How many levels of headings have numbers; paragraphs have them in three classes only."""
        if self.name in ("smfart", "kluwer"):
            return 4
        if self.name == "revtex4-1":
            return 0 if "prl" in self.revtex else 4
        if self.name in ("achemso", "apa7", "jacow", "apa6") or (
            self.name == "oup-authoring-template" and self.n // 4 % 3 > 0
        ):
            return 0
        if self.name == "aguplus" and self.n // 8 % 4 == 3:
            return 0
        if self.name == "nature":  # whose subsections never have any
            return int(self.n // 8 % 4 == 3)
        if self.name == "report":
            return 3 if self.chapters else 2
        if self.name == "ascelike":
            return 2 if self.n // 16 % 3 == 2 else 0
        return 2 if self.name == "llncs" or (self.name == "memoir" and self.chapters) else 3

    @property
    def two_columns(self) -> bool:
        return (
            self.name
            in (
                "revtex4-2",
                "IEEEtran",
                "acmart",
                "mnras",
                "cas-dc",
                "aastex631",
                "quantumarticle",
                "emulateapj",
                "IEEEconf",
                "apa7",
                "proc",
                "jacow",
                "oup-authoring-template",
                "acmconf",
                "aguplus",
            )
            or (self.name == "article" and self.n // 4 % 2 == 0)
            or (self.name in ("elsarticle", "scrartcl") and self.n // 4 % 3 == 0)
            or (self.name == "jpsj2" and self.n // 4 % 2 == 0)
            or (self.name in ("paper", "artikel1") and self.n // 4 % 4 == 0)
            or bool({"reprint", "twocolumn"} & set(self.revtex))
            or (self.name == "extarticle" and self.n // 4 % 2 == 0 and self.size < 10)
            or self.mode == "jou"
        )

    @property
    def size(self) -> int:
        """What extarticle is used for: the sizes that the article class does not have."""
        return (9, 8, 14)[self.n // 8 % 3]

    @property
    def mode(self) -> str:
        """The APA's sixth edition: as a journal prints it, as it is sent to one, or as an ordinary article."""
        return ("jou", "man", "doc")[self.n // 4 % 3] if self.name == "apa6" else ""

    @property
    def floats_last(self) -> bool:
        """A manuscript's tables and figures stand after all else, if not asked otherwise."""
        return self.mode == "man" and self.n // 16 % 2 == 0

    @property
    def captions_last(self) -> bool:
        """Nature's class prints no figures, and their captions after all else; some authors undo that."""
        return self.name == "nature" and self.n // 4 % 2 == 0

    @property
    def left_numbers(self) -> bool:
        """The AMS's classes print an equation's number at its left, and those made after them if not asked otherwise."""
        if self.name == "smfart":
            return self.n // 4 % 3 > 0
        return self.name in ("amsart", "aomart") or (
            self.name in ("ijmart", "amsproc", "resphilosophica") and self.n // 8 % 4 != 3
        )

    @property
    def manuscript(self) -> str:
        """The ASCE's class sets manuscripts for journals, with lines numbered and floats last, or proceedings."""
        if self.name != "ascelike":
            return ""
        return (
            "Journal", "Journal,InsideFigs,NoLineNumbers", "NewProceedings", "Proceedings", "Journal,NoLists",
            "Journal,InsideFigs,SingleSpace",
        )[self.n // 4 % 6]  # fmt: skip

    @property
    def res_philosophica(self) -> str:
        """What stands on the pages of a paper in Res Philosophica; two of these number their lines."""
        if self.name != "resphilosophica":
            return ""
        return ("", "preprint", "forthcoming", "manuscript", "screen")[self.n // 4 % 5]

    @property
    def plain_theorems(self) -> bool:
        """Theorems are as the class prints them, without the AMS's package."""
        return self.name in ("paper", "artikel1") and self.n // 16 % 2 == 0

    @property
    def line_numbers(self) -> bool:
        if self.res_philosophica:
            return self.res_philosophica in ("preprint", "manuscript")
        if self.manuscript:
            return "Journal" in self.manuscript and "NoLineNumbers" not in self.manuscript
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


#: What lni asks for is not in Debian's packages here: babel's German, and a package for the licence's sign.
_LNI_MISSES = r"""\begin{filecontents}[noheader]{ngerman.ldf}
\ProvidesLanguage{ngerman}\LdfInit{ngerman}{captionsngerman}\chardef\l@ngerman=0
\StartBabelCommands*{ngerman}{captions}\EndBabelCommands\initiate@active@char{"}\ldf@finish{ngerman}
\end{filecontents}
\expandafter\def\csname ver@ccicons.sty\endcsname{2022/01/01}
\def\ccbysa{\textcircled{\tiny cc} BY-SA}
"""


def document_class(v: Variant) -> str:
    columns = ",twocolumn" if v.two_columns else ""
    scrreprt = (
        f"fontsize={10 + v.n // 8 % 3}pt", ("headings=small", "", "headings=normal")[v.n // 16 % 3],
        ("titlepage=false", "", "abstract=on")[v.n // 2 % 3], "twoside" if v.n // 32 % 2 else "",
        ("", "parskip=half", "chapterprefix", "numbers=noenddot")[v.n // 4 % 4], "bibliography=totoc" if v.n % 3 else "",
    )  # fmt: skip
    ptptex = (("", "preprint", "", "supplement")[v.n // 4 % 4], "seceq" if v.n // 16 % 2 else "")
    paper = (
        f"{10 + v.n // 8 % (2 if v.two_columns else 3)}pt", ("a4paper", "", "a4paper", "letterpaper")[v.n // 2 % 4],
        ("", "", "bold", "slanted")[v.n // 32 % 4], "center" if v.n // 128 % 3 == 2 else "",
        "twoside" if v.n // 256 % 3 == 2 else "", "noindent" if v.n // 64 % 4 == 3 else "",
    )  # fmt: skip
    res_philosophica = (
        v.res_philosophica, "" if v.author_year else "natbib=false", "" if v.left_numbers else "reqno",
    )  # fmt: skip
    apa6 = (
        v.mode, "floatsintext" if v.mode == "man" and not v.floats_last else "",
        "donotrepeattitle" if v.mode == "man" and v.n // 32 % 3 == 2 else "",
        ("", "notxfonts", "notimes")[v.n % 3] if v.mode == "jou" else "", "a4paper" if v.n // 8 % 2 else "",
    )  # fmt: skip
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
        "memoir": rf"\documentclass[{10 + v.n // 8 % 3}pt,a4paper,oneside,article]{{memoir}}",
        "cas-dc": r"\documentclass[a4paper,fleqn]{cas-dc}",
        "aastex631": r"\documentclass[twocolumn]{aastex631}",
        "jmlr": r"\documentclass{jmlr}",
        "quantumarticle": (
            rf"\documentclass[a4paper,twocolumn,11pt{',accepted=2022-11-30' if v.n // 4 % 2 else ''}]{{quantumarticle}}"
            "\n\\pdfoutput=1"
        ),
        "achemso": r"\documentclass[journal=jacsat,manuscript=article]{achemso}",
        "emulateapj": (
            rf"\documentclass[{'iop' if v.n // 4 % 2 else 'apj'}{',numberedappendix' if v.numbered_appendix else ''}"
            rf"{',twocolappendix' if v.n // 16 % 2 else ''}]{{emulateapj}}"
        ),
        "aomart": r"\documentclass{aomart}",
        # Bera and the double-struck letters are in none of the packages asked for.
        "ejpecp": (
            rf"\documentclass[{'ECP' if v.n // 16 % 4 == 3 else 'EJP'}{',preprint' if v.n // 4 % 3 == 2 else ''},nobera,NODS]"
            "{ejpecp}"
        ),
        "IEEEconf": rf"\documentclass[times,10pt,twocolumn{',latex8' if v.n // 4 % 2 else ''}]{{IEEEconf}}",
        "apa7": rf"\documentclass[jou{('', ',notxfonts', ',notimes')[v.n % 3]}{',a4paper' if v.n // 4 % 2 else ''}]{{apa7}}",
        "spie": rf"\documentclass[{'12pt' if v.n // 8 % 4 == 3 and v.n % 3 else '10pt'}{',a4paper' if v.n // 4 % 2 else ''}]{{spie}}",
        "ijmart": rf"\documentclass{'' if v.left_numbers else '[reqno]'}{{ijmart}}",
        # The class reads its options after its lengths are set: two columns are asked for before, too.
        "jpsj2": (
            (r"\csname @twocolumntrue\endcsname" if v.two_columns else "")
            + rf"\documentclass[a4paper{columns}{',seceq' if v.n // 8 % 3 == 0 else ''}]{{jpsj2}}"
        ),
        "proc": rf"\documentclass[{10 + v.n // 8 % 2}pt{',a4paper' if v.n // 4 % 2 else ''}]{{proc}}",
        "jacow": (
            # Its three packages of Times-like fonts are not in every TeX; Times itself stands for them.
            "\\makeatletter"
            + "".join(
                rf"\@namedef{{ver@{name}.sty}}{{}}\@namedef{{opt@{name}.sty}}{{{options}}}"
                for name, options in (("newtxtt", "zerostyle=d"), ("tgtermes", ""), ("newtxmath", ""))
            )
            + "\\makeatother\n"
            rf"\documentclass[{'letterpaper' if v.n // 4 % 2 else 'a4paper'}{',refpage' if v.n // 8 % 4 == 3 else ''}]{{jacow}}"
        ),
        "oup-authoring-template": (
            rf"\documentclass[{'' if v.numbered_levels else 'unnumsec,'}webpdf,"
            rf"{('contemporary', 'modern', 'traditional')[v.n // 16 % 3]},{'medium' if v.n // 64 % 3 == 2 else 'large'}"
            rf"{',namedate' if v.author_year else ''}]{{oup-authoring-template}}"
        ),
        "nature": r"\documentclass{nature}",
        "smfart": rf"\documentclass[{10 + v.n // 8 % 3}pt,english{'' if v.left_numbers else ',reqno'}]{{smfart}}",
        "lni": _LNI_MISSES + r"\documentclass[english]{lni}",
        "kluwer": (
            rf"\documentclass[{('11pt', '11pt', '10pt', '12pt')[v.n // 16 % 4]}{'' if v.author_year else ',numreferences'}"
            rf"{',noid' if v.n // 4 % 3 == 2 else ''}]{{kluwer}}"
        ),
        "acmconf": (
            rf"\documentclass[{('prepare', 'submit', 'accept', 'publish', 'print')[v.n // 4 % 5]}"
            rf"{',nobox' if v.n // 32 % 2 else ''}{',a4paper' if v.n // 16 % 3 == 2 else ''}]{{acmconf}}"
        ),
        "aguplus": rf"\documentclass[agupp{',11pt' if v.n // 16 % 3 == 2 else ''}{',twoside' if v.n // 4 % 2 else ''}]{{aguplus}}",
        "revtex4-1": rf"\documentclass[{','.join(v.revtex)}]{{revtex4-1}}",
        "scrreprt": rf"\documentclass[{','.join(filter(None, scrreprt))}]{{scrreprt}}",
        "aiaa-tc": rf"\documentclass[{('', 'handcarry', '', 'submit')[v.n // 4 % 4]}]{{aiaa-tc}}",
        "ptptex": rf"\documentclass[{','.join(filter(None, ptptex))}]{{ptptex}}",
        "report": (
            rf"\documentclass[{10 + v.n // 8 % 3}pt{',a4paper' if v.n // 4 % 2 else ''}{',twoside' if v.n // 32 % 3 == 2 else ''}"
            rf"{'' if v.chapters and v.n // 16 % 4 < 3 else ',notitlepage'}]{{report}}"
        ),
        "cas-sc": rf"\documentclass[a4paper,fleqn{',review' if v.n // 8 % 4 == 3 else ''}]{{cas-sc}}",
        "ascelike": (
            rf"\documentclass[{v.manuscript}{',SectionNumbers' if v.numbered_levels else ''}"
            rf"{',11pt' if v.n // 32 % 4 == 3 else ''}]{{ascelike}}"
        ),
        "extarticle": rf"\documentclass[{v.size}pt{columns}]{{extarticle}}",
        "amsproc": (
            rf"\documentclass[{('10pt', '11pt', '10pt', '12pt')[v.n // 4 % 4]}{',a4paper' if v.n // 16 % 3 == 2 else ''}"
            rf"{'' if v.left_numbers else ',reqno'}]{{amsproc}}"
        ),
        "paper": rf"\documentclass[{','.join(filter(None, paper))}{columns}]{{paper}}",
        "artikel1": (
            rf"\documentclass[{10 + v.n // 8 % (2 if v.two_columns else 3)}pt{',letterpaper' if v.n // 32 % 4 == 3 else ',a4paper'}"
            rf"{',twoside' if v.n // 64 % 4 == 3 else ''}{columns}]{{artikel1}}"
        ),
        "resphilosophica": (
            rf"\documentclass[{','.join(filter(None, res_philosophica))}]{{resphilosophica}}"
        ),
        # It asks flushend for what that no longer has.
        "apa6": (
            r"\expandafter\let\csname ds@keeplastbox\endcsname\empty"
            rf"\documentclass[{','.join(filter(None, apa6))}]{{apa6}}"
        ),
    }[v.name]


def packages(v: Variant, paper: Paper) -> str:  # noqa: C901, PLR0912, PLR0915 - one line for each class
    lines = [r"\usepackage[utf8]{inputenc}", r"\usepackage{amsmath,graphicx,eso-pic}"]
    if v.name == "kluwer":  # whose signs of integrals amsmath has, too
        lines[0] += r"\let\iint\relax\let\iiint\relax"
    elif v.name == "aguplus":  # and whose signs of relations amssymb has
        lines[0] += r"\let\lesssim\relax\let\gtrsim\relax"
    if v.name != "acmart":  # brings its own fonts
        lines.append(r"\usepackage{amssymb}")
    if v.name not in (
        "amsart", "llncs", "acmart", "jmlr", "aomart", "spie", "ejpecp", "oup-authoring-template", "ijmart",
        "smfart", "kluwer", "amsproc", "resphilosophica",
    ) and not v.plain_theorems:  # fmt: skip
        # Some classes have a proof of their own.
        lines.append(r"\let\proof\relax\let\endproof\relax\usepackage{amsthm}")
    if v.name == "quantumarticle":
        # The class loads Latin Modern late, for what follows a change of fonts; before it, T1 has bitmaps only.
        lines.append(r"\usepackage[english]{babel}\usepackage[T1]{fontenc}\AtBeginDocument{\normalfont}")
    elif v.name in ("cas-dc", "cas-sc"):
        # The publisher's fonts are not in Debian's TeX; of Computer Modern's, T1 has bitmaps only.
        lines.append(r"\usepackage{lmodern}" + (r"\usepackage{mathptmx}" if v.n % 3 else ""))
    elif v.name == "acmart":
        # A sign that its fonts do not have comes from a bitmap font, which cannot be stretched.
        lines.append(r"\settopmatter{printacmref=false}\microtypesetup{expansion=false}")
    elif (v.name in (
        "spie", "jpsj2", "proc", "kluwer", "acmconf", "aguplus", "revtex4-1", "scrreprt", "aiaa-tc", "report",
        "ascelike", "extarticle", "amsproc", "paper", "artikel1",
    ) and v.n % 3 == 0) or (v.name in ("ejpecp", "ijmart") and v.n % 3 != 1):  # fmt: skip
        # The signs of its notes, which Computer Modern has as bitmaps only.
        lines.append(r"\DeclareFontFamily{TS1}{cmr}{}\DeclareFontShape{TS1}{cmr}{m}{n}{<->ts1-lmr10}{}")
    elif v.name == "resphilosophica" and v.n % 3 == 0:
        # Its bullets and signs of copyright, upright and slanted, too.
        lines.append(r"\usepackage{lmodern}")
    elif v.name == "lni":  # asks for its fonts itself; of its power set's, nothing is printed
        lines.append(r"\DeclareFontShape{U}{MnSymbolC}{m}{n}{<->cmsy10}{}")
    elif v.name == "IEEEconf":
        lines.append(r"\usepackage[T1]{fontenc}" if v.n % 3 == 1 else "")  # its font is Times
    elif v.name == "nature":
        lines += _nature(v)
    elif v.name == "jacow":
        lines.append(r"\usepackage{mathptmx}")
    elif v.name == "oup-authoring-template" and v.n % 3 != 1:
        # Of Computer Modern's bullet and copyright sign there are only bitmaps.
        lines.append(r"\usepackage{mathptmx,helvet}" if v.n % 3 else r"\usepackage{lmodern}")
    elif v.n % 3 == 1 and v.name not in ("apa7", "apa6"):
        lines += [r"\usepackage[T1]{fontenc}", r"\usepackage{lmodern}"]
    elif v.n % 3 == 2 and v.name in (
        "article", "amsart", "llncs", "mnras", "scrartcl", "memoir", "emulateapj", "spie", "jpsj2",
        "proc", "smfart", "kluwer", "acmconf", "aguplus", "revtex4-1", "scrreprt", "aiaa-tc", "report", "ascelike",
        "extarticle", "amsproc", "paper", "artikel1", "resphilosophica",
    ):  # fmt: skip
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
    if v.name == "scrreprt" and v.n // 4 % 3:
        lines.append(rf"\usepackage[automark{',headsepline' if v.n // 8 % 2 else ''}]{{scrlayer-scrpage}}")
    if v.name == "memoir":
        lines += _memoir(v)
    if v.name == "report":
        lines += _report(v)
    if v.name == "extarticle":
        lines += _extarticle(v)
    if v.name in ("paper", "artikel1"):
        lines += _paper_and_artikel(v, paper)
    if v.name == "smfart" and v.own_theorems:
        lines.append(r"\usepackage{smfthm}")
    if v.name == "ptptex":  # which has three levels of headings, and prints a stop for a number that is none
        lines.append(
            r"\makeatletter\newcommand{\paragraph}{\@startsection{paragraph}{4}{\z@}{4pt}{-1em}{\normalsize\itshape}*}"
            # After its appendix, all sections are appendices, which those without a number break with hyperref.
            r"\newcommand{\noappendix}{\let\@secapp\secsymbol}\makeatother"
        )
        # The sign before a section's number, of which the Computer Modern of today has bitmaps only.
        lines.append(r"\DeclareTextSymbolDefault{\textsection}{OMS}")
    if v.name in ("cas-dc", "cas-sc"):
        how = "authoryear,longnamesfirst" if v.author_year else "numbers"
        lines.append(rf"\usepackage[{how}]{{natbib}}")
    elif v.name == "quantumarticle":
        lines.append(r"\usepackage[numbers,sort&compress]{natbib}" if v.n // 2 % 2 else "")
    elif v.author_year and v.name not in (
        "mnras",
        "aastex631",
        "jmlr",
        "emulateapj",
        "oup-authoring-template",
        "kluwer",
        "aguplus",
        "revtex4-1",
        "ascelike",
        "resphilosophica",
    ):  # which load it themselves
        lines.append(r"\usepackage[authoryear,round]{natbib}")
    elif v.name == "IEEEtran" or (
        v.name in ("article", "IEEEconf", "proc", "acmconf", "report", "extarticle", "paper", "artikel1")
        and v.n % 5
    ):
        lines.append(r"\usepackage{cite}")
    if v.line_numbers and not v.manuscript and not v.res_philosophica:
        lines.append(r"\usepackage{lineno}\linenumbers")
    if v.hyperref and v.name not in LOADS_HYPERREF:
        lines.append(
            r"\usepackage[colorlinks]{hyperref}" if v.n // 2 % 2 else r"\usepackage[hidelinks]{hyperref}"
        )
    stamp = f"arXiv:{paper.id}v1  [{paper.category}]  22 Dec 2022"
    # The AAS's class shifts the page, and JPSJ's with two columns; two others by an inch.
    at = 42 if v.name == "aastex631" or (v.name == "jpsj2" and v.two_columns) else 22
    at += 72 * (v.name in ("kluwer", "acmconf"))
    at -= 16 * bool(v.res_philosophica)  # whose pages are small
    lines.append(
        rf"\AddToShipoutPictureBG*{{\ifnum\value{{page}}=1\put({at},260){{\rotatebox{{90}}{{\Large {stamp}}}}}\fi}}"
    )
    if v.first_section_begins:
        # A heading may end a page here, and then its label stands on the next.
        lines.append(
            r"\makeatletter\newcommand{\knownplace}[2]{}\DeclareRobustCommand{\place}[1]{\protected@write"
            r"\@auxout{}{\string\knownplace{#1}{\thepage}}}\makeatother"
            + (r"\pdfstringdefDisableCommands{\def\place#1{}}" if v.hyperref else "")
        )
    if v.in_parentheses and v.name not in ("kluwer", "ascelike"):
        lines.append(r"\AtBeginDocument{\let\cite\citep}")
    if v.name == "aguplus":  # for a section without a number in the appendix, which is "Appendix:" otherwise
        lines.append(r"\newcommand{\plainsection}[2]{{\let\sectype\relax\let\ssectchar\relax\section*{#2}}}")
    if v.name == "kluwer":
        lines += _kluwer()
    elif v.name == "amsproc":
        lines += _amsproc(v)
    elif not v.own_theorems:
        style = r"\theoremstyle{definition}" if v.n % 7 == 3 and v.name != "spie" else ""
        if v.name == "oup-authoring-template":
            style = rf"\theoremstyle{{thmstyle{('one', 'two', 'three')[v.n % 3]}}}"
        if v.plain_theorems:
            style = r"\newenvironment{proof}{\par\noindent\textit{Proof.} }{\hfill$\Box$\par\medskip}"
        within = "[chapter]" if v.name == "report" and v.chapters else ""
        lines += [style, *(rf"\newtheorem{{known{t}}}{{{t}}}{within}" for t in THEOREMS)]
    lines.append(r"\sloppy\setlength{\emergencystretch}{3em}")
    return "\n".join(lines)


def _kluwer() -> list[str]:
    """Return the class's own kinds of theorems: those in capitals, and displays with slanted heads."""
    return [
        r"\newproof{proof}{Proof}",
        *(rf"\newtheorem{{known{t}}}{{{t.upper()}}}" for t in THEOREMS[:4]),
        *(rf"\newdisplay{{known{t}}}{{{t}}}" for t in THEOREMS[4:]),
    ]


def _amsproc(v: Variant) -> list[str]:
    """Return the theorems of the AMS's sample, in its three styles and with one counter in each section."""
    return [
        r"\newtheorem{knownTheorem}{Theorem}[section]",
        *(rf"\newtheorem{{known{t}}}[knownTheorem]{{{t}}}" for t in THEOREMS[1:4]), r"\theoremstyle{definition}",
        *(rf"\newtheorem{{known{t}}}[knownTheorem]{{{t}}}" for t in ("Definition", "Example")),
        r"\theoremstyle{remark}\newtheorem{knownRemark}[knownTheorem]{Remark}",
        r"\numberwithin{equation}{section}" if v.n // 32 % 3 else "",
    ]  # fmt: skip


def _extarticle(v: Variant) -> list[str]:
    """Return what authors load for small or large print: margins, heads, headings, paragraphs, captions."""
    margin = "0.75in" if v.size < 10 else "1in"
    fancy = r"\usepackage{fancyhdr}\pagestyle{fancy}\fancyhf{}"
    heads = (
        fancy + r"\lhead{A. Tester and B. Sample}\rhead{On what is known}\cfoot{\thepage}", "",
        fancy + r"\fancyhead[L]{\nouppercase{\leftmark}}\fancyhead[R]{\thepage}",
        rf"\pagestyle{{myheadings}}\markright{{{RUNNING_HEAD}}}",
    )  # fmt: skip
    headings = (
        "", r"\usepackage[small,compact]{titlesec}", r"\usepackage{titlesec}\titlelabel{\thetitle.\quad}",
        r"\usepackage{titlesec}\titleformat*{\section}{\large\bfseries}\titleformat*{\subsection}{\normalsize\bfseries}",
        r"\usepackage{titlesec}\titleformat{\section}{\normalfont\large\scshape\filcenter}{\thesection.}{0.5em}{}",
    )  # fmt: skip
    return [
        ("", rf"\usepackage[margin={margin}]{{geometry}}", r"\usepackage[a4paper,margin=2cm]{geometry}")[v.n // 16 % 3],
        heads[v.n // 64 % 4], headings[v.n // 256 % 5], r"\usepackage{parskip}" if v.n // 32 % 3 == 0 else "",
        r"\usepackage[font=small,labelfont=bf]{caption}" if v.n // 128 % 2 else "",
        r"\usepackage{authblk}" if v.n % 5 > 2 else "",
    ]  # fmt: skip


def _paper_and_artikel(v: Variant, paper: Paper) -> list[str]:
    """Return the heads that authors ask these for: by itself the one prints titles, which must fit, the other none."""
    known = rf"\pagestyle{{myheadings}}\markboth{{{RUNNING_HEAD}}}{{{RUNNING_HEAD}}}"
    head = ("", r"\pagestyle{headings}", known)[v.n // 16 % 3]
    longest = max(
        (len(b.pieces[0].printed) for b in paper.blocks if b.kind == "heading" and b.level < 3), default=0
    )
    if longest > (60 if v.name == "paper" else 45) and (head or v.name == "paper"):
        head = known
    lines = [head, r"\usepackage[margin=2.5cm]{geometry}" if v.n // 128 % 4 == 3 else ""]
    if v.name == "artikel1" and v.n // 256 % 4 == 3:
        lines.append(
            r"\HeadingFonts{\sffamily\bfseries}{\sffamily\bfseries}{\sffamily\bfseries}{\sffamily\bfseries}{\sffamily}{\sffamily}{\sffamily}"
            r"\CaptionFonts{\sffamily}{\relax}"
        )
    return lines


def _memoir(v: Variant) -> list[str]:
    """Return memoir's own heads: the chapter's title, or a style of the authors' making."""
    if v.chapters:
        return [r"\pagestyle{headings}"]
    return [
        r"\counterwithout{section}{chapter}\setsecnumdepth{subsubsection}",
        r"\makepagestyle{known}\makeoddhead{known}{\small\scshape " + RUNNING_HEAD + r"}{}{\thepage}",
        r"\makeheadrule{known}{\textwidth}{\normalrulethickness}\pagestyle{known}",
    ]


def _report(v: Variant) -> list[str]:
    """Return a report's heads and counters; title and abstract may have pages of their own, which it does not count."""
    lines = [
        r"\usepackage[margin=2.5cm]{geometry}" if v.n // 64 % 2 else "",
        r"\newcommand{\knownplace}[2]{}\newcommand{\shipped}{\the\ReadonlyShipoutCounter}",
        r"\makeatletter\newcommand{\place}[1]{%",
        r"\protected@write\@auxout{\let\shipped\relax}{\string\knownplace{#1}{\shipped}}}\makeatother",
    ]
    if not v.chapters:
        counters = "".join(
            rf"\counterwithout{{{c}}}{{chapter}}"
            for c in ("section", "figure", "table", "equation", "footnote")
        )
        heads = r"\fancyhf{}\fancyhead[L]{" + RUNNING_HEAD + r"}\fancyfoot[C]{\thepage}"
    elif v.n // 4 % 3:
        return [*lines, r"\pagestyle{headings}"]
    else:
        counters = heads = ""
    return [*lines, counters, r"\usepackage{fancyhdr}\setlength{\headheight}{15pt}\pagestyle{fancy}" + heads]


def _nature(v: Variant) -> list[str]:
    """Return what authors do about the class: its headings' numbers, spacing, figures and list of references."""
    lines = [
        rf"\setcounter{{secnumdepth}}{{{v.numbered_levels}}}", ("", r"\usepackage[T1]{fontenc}", r"\usepackage{mathptmx}")[v.n % 3],
        # As they write it: the raised number stands right after the word.
        r"\AtBeginDocument{\let\knowncite\cite\def\cite{\unskip\knowncite}}",
    ]  # fmt: skip
    if v.n // 2 % 2:
        lines.append(r"\spacing{1}\renewcommand{\refname}{References}")
    if not v.captions_last:
        lines.append(r"\makeatletter\renewenvironment{figure}{\@float{figure}[t]}{\end@float}\makeatother")
    return lines
