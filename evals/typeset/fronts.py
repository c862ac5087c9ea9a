"""What stands before the text: title, authors, abstract and keywords, as each class has them."""

from __future__ import annotations

from contents import Paper
from variants import RUNNING_HEAD, Setting, Variant


def front(paper: Paper, v: Variant, setting: Setting) -> tuple[str, str]:  # noqa: C901, PLR0911, PLR0912, PLR0915 - by class
    """Return what stands before and after the text's begin; headings that it prints go into the setting."""
    title = rf"\title{{{paper.title.tex}}}"
    short = rf"\title[On what is known]{{{paper.title.tex}}}"
    text = "".join(p.tex for p in paper.abstract)
    abstract = rf"\begin{{abstract}}{text}\end{{abstract}}" if text.strip() else ""
    toc = r"\tableofcontents" + ("*" if v.name == "memoir" else "") if v.contents else ""
    if v.name in ("cas-dc", "cas-sc"):
        return "", _cas(title, text)
    if v.name == "aastex631":
        return "", _aastex(title, abstract)
    if v.name == "jmlr":
        return "", _jmlr(short, abstract)
    if v.name == "quantumarticle":
        return "", _quantum(title, abstract)
    if v.name == "achemso":
        return _achemso(short), abstract
    if v.name == "emulateapj":
        return "", _emulateapj(title, abstract, v)
    if v.name == "aomart":
        return _aomart(short, v), "\n".join([abstract, r"\maketitle", toc])
    if v.name == "spie":
        return _spie(title), "\n".join([r"\maketitle", abstract, r"\keywords{Known texts, tests}"])
    if v.name == "ejpecp":
        return _ejpecp(paper.title.tex, text), ""
    if v.name == "IEEEconf":
        return "", _ieeeconf(title, abstract)
    if v.name == "apa7":
        return _apa(title, text, v), r"\maketitle"
    if v.name == "ijmart":
        return "", "\n".join([_ijmart(short, v), abstract, r"\maketitle", toc])
    if v.name == "jpsj2":
        return _jpsj(title, text, v), r"\maketitle"
    if v.name == "proc":
        return "", _proc(title, abstract, v)
    if v.name == "jacow":
        return _jacow(paper.title.tex, v), "\n".join([r"\maketitle", abstract])
    if v.name == "oup-authoring-template":
        return "", _oup(short, text, v)
    if v.name == "nature":
        return _nature(title), "\n".join([r"\maketitle", *_affiliations(), abstract])
    if v.name == "smfart":
        return "", "\n".join([_smfart(short, abstract, v), toc])
    if v.name == "lni":
        return "", _lni(short, abstract, v)
    if v.name == "ptptex":
        return _ptptex(title, text, v), r"\maketitle"
    if v.name == "kluwer":
        return "", _kluwer(title, abstract, v)
    if v.name == "acmconf":
        return _acmconf(v), "\n".join([_acmconf_title(title), abstract, *_acmconf_keywords(v, setting)])
    if v.name == "aguplus":
        # The first section prints all this; what stands before it needs the title's own command.
        begins = (paper.blocks[0].kind, paper.blocks[0].level) == ("heading", 1)
        return "", _aguplus(title, abstract, v) + ("" if begins else "\n\\maketitle")
    if v.name == "revtex4-1":
        return "", "\n".join([_revtex(short, abstract, v), toc])
    if v.name == "scrreprt":
        return _scrreprt(title, v), "\n".join([r"\maketitle", abstract, toc])
    if v.name == "aiaa-tc":
        return _aiaa(title, v), "\n".join([r"\maketitle", abstract, *_nomenclature(v, setting)])
    if v.name == "report":
        return "", "\n".join([_report(title, v), r"\maketitle", abstract, toc])
    if v.name == "ascelike":
        printed = [_ascelike_title(title, v), abstract, r"\KeyWords{Known texts; tests.}"]
        return _ascelike(v), "\n".join(printed)
    if v.name == "extarticle":
        return "", _extarticle(title, abstract, v)
    if v.name == "amsproc":
        return _amsproc_published(v), "\n".join([_amsproc(short, v), abstract, r"\maketitle"])
    if v.name == "apa6":
        return _apa6(title, text, v, setting), r"\maketitle" + _title_again(paper, v, setting)
    if v.name == "paper":
        return "", "\n".join([_paper(title, v), r"\maketitle", abstract, *_paper_keywords(v, setting), toc])
    if v.name == "artikel1":
        return "", "\n".join([_artikel(title, v), r"\maketitle", abstract, toc])
    if v.name == "resphilosophica":
        return "", "\n".join([_res_philosophica(short, v, setting), abstract, r"\maketitle"])
    if v.name == "elsarticle":
        return "", "\n".join([
            r"\begin{frontmatter}", title, r"\author{Ada Tester}", r"\author{Ben Sample}",
            r"\address{Institute of Tests, 12 Known Street, Exampleton}", abstract,
            r"\begin{keyword}known texts \sep tests\end{keyword}", r"\end{frontmatter}",
        ])  # fmt: skip
    if v.name == "revtex4-2":
        return "", "\n".join([
            title, r"\author{Ada Tester}", r"\affiliation{Institute of Tests, Exampleton}", r"\author{Ben Sample}",
            r"\affiliation{University of Known Texts, Sampleville}", r"\date{\today}", abstract, r"\maketitle",
        ])  # fmt: skip
    if v.name == "amsart":
        return "", "\n".join([
            short, r"\author[A. Tester]{Ada Tester}", r"\address{Institute of Tests, 12 Known Street, Exampleton}",
            r"\email{ada@example.org}", abstract, r"\maketitle", toc,
        ])  # fmt: skip
    if v.name == "llncs":
        return "", "\n".join([
            title, r"\titlerunning{On what is known}", r"\author{Ada Tester\inst{1} \and Ben Sample\inst{2}}",
            r"\authorrunning{A. Tester et al.}",
            r"\institute{Institute of Tests, Exampleton \and University of Known Texts, Sampleville}",
            r"\maketitle", abstract,
        ])  # fmt: skip
    if v.name == "IEEEtran":
        return "", "\n".join([
            title, r"\author{Ada~Tester and~Ben~Sample\thanks{The authors are with the Institute of Tests.}}",
            rf"\markboth{{{RUNNING_HEAD}}}{{{RUNNING_HEAD}}}", r"\maketitle", abstract,
            r"\begin{IEEEkeywords}Known texts, tests.\end{IEEEkeywords}",
        ])  # fmt: skip
    if v.name == "acmart":
        # Printed as a section without a number.
        label = f"known:{len(setting.headings)}"
        setting.headings.append({"title": "Keywords", "level": 1, "label": label, "numbered": False})
        place = r"\city{Exampleton}\country{Testland}"
        return "", "\n".join([
            short,
            rf"\author{{Ada Tester}}\affiliation{{\institution{{Institute of Tests}}{place}}}",
            rf"\author{{Ben Sample}}\affiliation{{\institution{{University of Known Texts}}{place}}}",
            r"\renewcommand{\shortauthors}{A. Tester et al.}", r"\acmConference[Tests]{Tests}{2022}{Exampleton}",
            abstract, rf"\keywords{{\label{{{label}}}known texts, tests}}", r"\maketitle",
        ])  # fmt: skip
    if v.name == "mnras":
        return "", "\n".join([
            short,
            r"\author[A. Tester et al.]{Ada Tester$^{1}$ and Ben Sample$^{2}$\\",
            r"$^{1}$Institute of Tests, 12 Known Street, Exampleton\\",
            r"$^{2}$University of Known Texts, Sampleville}", r"\date{Accepted XXX. Received YYY}", r"\pubyear{2022}",
            r"\maketitle", abstract, r"\begin{keywords}known texts -- tests\end{keywords}",
        ])  # fmt: skip
    return "", "\n".join([title, r"\author{Ada Tester \and Ben Sample}", r"\maketitle", abstract, toc])


def _cas(title: str, abstract: str) -> str:
    # Its abstract is written to a file of its own, line by line.
    return "\n".join([
        r"\let\WriteBookmarks\relax\def\floatpagepagefraction{1}\def\textpagefraction{.001}",
        r"\shorttitle{On what is known}\shortauthors{A. Tester et al.}", title,
        r"\author[1]{Ada Tester}\cormark[1]\ead{ada@example.org}\credit{Conceptualization, Methodology}",
        r"\affiliation[1]{organization={Institute of Tests}, addressline={12 Known Street},",
        r"  city={Exampleton}, country={Testland}}",
        r"\author[2]{Ben Sample}\credit{Data curation}",
        r"\affiliation[2]{organization={University of Known Texts}, city={Sampleville}, country={Testland}}",
        r"\cortext[1]{Corresponding author}", r"\begin{abstract}", abstract, r"\end{abstract}",
        r"\begin{keywords}", r"known texts \sep tests", r"\end{keywords}", r"\maketitle",
    ])  # fmt: skip


def _achemso(title: str) -> str:
    return "\n".join([
        r"\author{Ada Tester}\email{ada@example.org}",
        r"\affiliation{Institute of Tests, 12 Known Street, Exampleton}",
        r"\author{Ben Sample}\affiliation{University of Known Texts, Sampleville}", title,
    ])  # fmt: skip


def _emulateapj(title: str, abstract: str, v: Variant) -> str:
    if v.n // 2 % 3:
        authors = [
            r"\author{Ada Tester\altaffilmark{1,2} and Ben Sample\altaffilmark{2}}",
            r"\altaffiltext{1}{Institute of Tests, 12 Known Street, Exampleton; ada@example.org}",
            r"\altaffiltext{2}{University of Known Texts, Sampleville}",
        ]
    else:
        authors = [
            r"\author{Ada Tester}", r"\affil{Institute of Tests, 12 Known Street, Exampleton}",
            r"\and", r"\author{Ben Sample}", r"\affil{University of Known Texts, Sampleville}",
        ]  # fmt: skip
    sent = [r"\submitted{Submitted to ApJ}"] if v.n % 3 else []
    return "\n".join([
        r"\shorttitle{On what is known}\shortauthors{A. Tester et al.}", *sent,
        title, *authors, abstract, r"\keywords{known texts --- tests: general}",
    ])  # fmt: skip


def _aomart(title: str, v: Variant) -> str:
    issue = r"\volumenumber{196}\issuenumber{3}\publicationyear{2022}\papernumber{4}" if v.n // 4 % 2 else ""
    return "\n".join([
        title, r"\author[A. Tester]{Ada Tester}",
        r"\address{Institute of Tests, 12 Known Street, Exampleton}", r"\email{ada@example.org}",
        r"\author[B. Sample]{Ben Sample}", r"\address{University of Known Texts, Sampleville}",
        r"\urladdr{https://example.org/sample}", r"\thanks{The authors were supported by the Institute of Tests.}",
        r"\copyrightnote{\textcopyright~2022 by the authors}", r"\keyword{known texts}\keyword{tests}",
        r"\subject{primary}{msc2020}{00A20}\subject{secondary}{msc2020}{68T50}",
        r"\received{\formatdate{2022-01-16}}\revised{\formatdate{2022-06-07}}", issue, r"\startpage{1}\endpage{}",
    ])  # fmt: skip


def _spie(title: str) -> str:
    return "\n".join([
        title,
        r"\author{Ada Tester\supit{a} and Ben Sample\supit{b}\skiplinehalf",
        r"\supit{a}Institute of Tests, 12 Known Street, Exampleton; \\",
        r"\supit{b}University of Known Texts, Sampleville}",
        r"\authorinfo{Further author information: (Send correspondence to A.T.)\\A.T.: E-mail: ada@example.org,",
        r"Telephone: 1 505 555 0123\\B.S.: E-mail: ben@example.org}",
        r"\pagestyle{plain}",
    ])  # fmt: skip


def _aastex(title: str, abstract: str) -> str:
    # The first section prints all this.
    return "\n".join([
        r"\shorttitle{On what is known}\shortauthors{A. Tester et al.}", title,
        r"\correspondingauthor{Ada Tester}\email{ada@example.org}",
        r"\author[0000-0002-1825-0097]{Ada Tester}", r"\affiliation{Institute of Tests, 12 Known Street, Exampleton}",
        r"\author{Ben Sample}", r"\affiliation{University of Known Texts, Sampleville}",
        r"\affiliation{Institute of Tests, 12 Known Street, Exampleton}",
        abstract, r"\keywords{Known texts (1) --- Tests (2)}",
    ])  # fmt: skip


def _jmlr(title: str, abstract: str) -> str:
    return "\n".join([
        r"\jmlrvolume{23}\jmlryear{2022}\jmlrsubmitted{5/22}\jmlrpublished{12/22}", title,
        r"\author[A. Tester et al.]{\Name{Ada Tester} \Email{ada@example.org}\\",
        r"\addr Institute of Tests, 12 Known Street, Exampleton",
        r"\AND \Name{Ben Sample} \Email{ben@example.org}\\ \addr University of Known Texts, Sampleville}",
        r"\editor{Cleo Reader}", r"\maketitle", abstract,
        r"\begin{keywords}Known texts, tests\end{keywords}",
    ])  # fmt: skip


def _quantum(title: str, abstract: str) -> str:
    return "\n".join([
        title, r"\author{Ada Tester}\affiliation{Institute of Tests, 12 Known Street, Exampleton}",
        r"\email{ada@example.org}\orcid{0000-0002-1825-0097}",
        r"\author{Ben Sample}\affiliation{University of Known Texts, Sampleville}",
        r"\maketitle", abstract,
    ])  # fmt: skip


def _ejpecp(title: str, abstract: str) -> str:
    # The text's begin prints all this.
    return "\n".join([
        rf"\TITLE{{{title}}}", r"\SHORTTITLE{On what is known}",
        r"\AUTHORS{Ada~Tester\footnote{Institute of Tests, Exampleton. \EMAIL{ada@example.org}}",
        r"\and Ben~Sample\footnote{University of Known Texts, Sampleville. \EMAIL{ben@example.org}}}",
        r"\KEYWORDS{known texts; tests}\AMSSUBJ{60K35}\AMSSUBJSECONDARY{68T50}",
        r"\SUBMITTED{January 16, 2022}\ACCEPTED{December 7, 2022}",
        r"\VOLUME{27}\YEAR{2022}\PAPERNUM{13}\DOI{10.1214/22-KNOWN13}", rf"\ABSTRACT{{{abstract}}}",
    ])  # fmt: skip


def _ieeeconf(title: str, abstract: str) -> str:
    return "\n".join([
        title,
        r"\author{Ada Tester\\ \begin{affiliation}Institute of Tests\\ Exampleton\end{affiliation}\\",
        r"\email{ada@example.org}",
        r"\and Ben Sample\\ \begin{affiliation}University of Known Texts\\ Sampleville\end{affiliation}\\",
        r"\email{ben@example.org}}", r"\maketitle", abstract,
    ])  # fmt: skip


def _apa(title: str, abstract: str, v: Variant) -> str:
    printed = [
        r"\journal{Journal of Known Texts}\volume{2022, Vol.~12, No.~3, 1--20}",
        r"\ccoppy{Copyright 2022 by A. Tester}\copnum{1234-5678/22}",
    ]
    note = (
        r"\authornote{Correspondence concerning this article should be addressed to Ada Tester,"
        r" Institute of Tests, Exampleton. E-mail: ada@example.org}"
    )
    return "\n".join([
        title, r"\shorttitle{On what is known}\leftheader{A. Tester and Sample}",
        r"\authorsnames[1,2]{Ada Tester,Ben Sample}",
        r"\authorsaffiliations{{Institute of Tests, Exampleton},{University of Known Texts, Sampleville}}",
        *(printed if v.n // 8 % 2 else []), *([note] if v.n // 16 % 2 else []),
        *([rf"\abstract{{{abstract}}}"] if abstract.strip() else []), r"\keywords{known texts, tests}",
    ])  # fmt: skip


def _ijmart(title: str, v: Variant) -> str:
    thanks = r"\thanks{The authors were supported by the Institute of Tests.}" if v.n // 4 % 2 else ""
    return "\n".join([
        r"\issueinfo{190}{}{}{2022}\pagespan{1}{}\doiinfo{10.1007/s11856-022-0013-0}", title,
        rf"\author[A. Tester]{{Ada Tester{thanks}}}",
        r"\address{Institute of Tests\\ 12 Known Street, Exampleton}", r"\email{ada@example.org}",
        r"\author[B. Sample]{Ben Sample}", r"\address{University of Known Texts, Sampleville}",
        r"\email{ben@example.org}", r"\date{Received on January 16, 2022 and in revised form on June 7, 2022}",
    ])  # fmt: skip


def _jpsj(title: str, abstract: str, v: Variant) -> str:
    # All but the last is kept for the title to print.
    return "\n".join([
        r"\def\runtitle{On what is known}\def\runauthor{Ada \textsc{Tester} and Ben \textsc{Sample}}", title,
        r"\author{Ada \textsc{Tester}$^{1}$\thanks{E-mail address: ada@example.org}",
        r"and Ben \textsc{Sample}$^{1,2}$}",
        r"\inst{$^{1}$Institute of Tests, 12 Known Street, Exampleton\\",
        r"$^{2}$University of Known Texts, Sampleville}",
        *([r"\recdate{January 16, 2022}"] if v.n % 3 else []),
        *([rf"\abst{{{abstract}}}"] if abstract.strip() else []), r"\kword{known texts, tests}",
        # In the appendix \section has no starred form.
        r"\let\plainsection\section",
    ])  # fmt: skip


def _proc(title: str, abstract: str, v: Variant) -> str:
    return "\n".join([
        title, r"\author{Ada Tester\\ Institute of Tests\\ Exampleton\\ ada@example.org",
        r"\and Ben Sample\\ University of Known Texts\\ Sampleville\\ ben@example.org}",
        rf"\markright{{{RUNNING_HEAD}}}", r"\maketitle", *([r"\copyrightspace"] if v.n // 2 % 3 == 0 else []), abstract,
    ])  # fmt: skip


def _smfart(title: str, abstract: str, v: Variant) -> str:
    resume = (
        r"\begin{altabstract}Nous disons de ces textes ce qui est connu, et rien de plus.\end{altabstract}"
    )
    return "\n".join([
        title, *([r"\alttitle{Sur ce qui est connu}"] if v.n % 3 else []),
        r"\author[A. Tester]{Ada Tester}", r"\address{Institute of Tests, 12 Known Street, Exampleton}",
        r"\email{ada@example.org}", r"\urladdr{https://example.org/tester}",
        *([r"\author[B. Sample]{Ben Sample}", r"\address{University of Known Texts, Sampleville}"] if v.n // 4 % 2 else []),
        *([r"\date{December 22, 2022}"] if v.n // 8 % 2 else []),
        r"\subjclass{00A20, 68T50}", r"\keywords{Known texts, tests}", r"\altkeywords{Textes connus, essais}",
        *([r"\thanks{The authors were supported by the Institute of Tests}"] if v.n // 16 % 2 else []),
        abstract, *([resume] if v.n % 3 else []), r"\maketitle",
    ])  # fmt: skip


def _lni(title: str, abstract: str, v: Variant) -> str:
    return "\n".join([
        title,
        r"\author[Ada Tester \and Ben Sample]{Ada Tester\footnote{Institute of Tests, 12 Known Street, Exampleton, Testland",
        r"\email{ada@example.org}}\ \and",
        r"Ben Sample\footnote{University of Known Texts, Department of Tests, Sampleville, Testland",
        r"\email{ben@example.org}}}",
        r"\startpage{1}\editor{C. Reader et al.}\booktitle{Known Texts 2022}\yearofpublication{2022}",
        *([r"\lnidoi{10.18420/known2022-01}"] if v.n % 2 else []), r"\maketitle", abstract,
        r"\begin{keywords}known texts \and tests\end{keywords}",
    ])  # fmt: skip


def _ptptex(title: str, abstract: str, v: Variant) -> str:
    return "\n".join([
        r"\markboth{A. Tester and B. Sample}{On what is known}", *([r"\notypesetlogo"] if v.n // 8 % 2 else []),
        r"\pubinfo{Vol.~128, No.~6, December 2022}\preprintnumber[3cm]{KNOWN-22-13}", title,
        r"\author{Ada \textsc{Tester}$^{1,}$\footnote{E-mail: ada@example.org} and Ben \textsc{Sample}$^{2}$}",
        r"\inst{$^1$Institute of Tests, Exampleton 123-4567, Testland\\",
        r"$^2$University of Known Texts, Sampleville 765-4321, Testland}", r"\recdate{June 7, 2022}",
        *([rf"\abst{{{abstract}}}"] if abstract.strip() else []), *([r"\PTPindex{013, 129}"] if v.n % 3 else []),
    ])  # fmt: skip


def _jacow(title: str, v: Variant) -> str:
    thanks = r"\thanks{Work supported by the Institute of Tests.}" if v.n // 2 % 2 else ""
    return "\n".join([
        rf"\title{{{title}{thanks}}}",
        r"\author{A. Tester\thanks{ada@example.org}, Institute of Tests, 12 Known Street, Exampleton \\",
        r"B. Sample\textsuperscript{1}, University of Known Texts, Sampleville \\",
        r"\textsuperscript{1}also at Institute of Tests, Exampleton}",
    ])  # fmt: skip


def _oup(title: str, abstract: str, v: Variant) -> str:
    return "\n".join([
        r"\journaltitle{Journal of Known Texts}\DOI{10.1093/known/abc123}\copyrightyear{2022}\pubyear{2022}",
        r"\vol{12}\issue{3}\access{Advance Access Publication Date: 7 December 2022}\appnotes{Paper}", r"\firstpage{1}",
        *([r"\subtitle{Known Texts}"] if v.n // 2 % 3 == 0 else []), title,
        r"\author[1,$\ast$]{Ada Tester\ORCID{0000-0002-1825-0097}}", r"\author[2]{Ben Sample}",
        r"\authormark{Tester and Sample}",
        r"\address[1]{\orgname{Institute of Tests}, \orgaddress{\street{12 Known Street}, \country{Exampleton}}}",
        r"\address[2]{\orgdiv{Department of Tests}, \orgname{University of Known Texts}, \orgaddress{\country{Sampleville}}}",
        r"\corresp[$\ast$]{Corresponding author. \href{email:ada@example.org}{ada@example.org}}",
        r"\received{16}{1}{2022}\revised{7}{6}{2022}\accepted{7}{12}{2022}",
        rf"\abstract{{{abstract}}}", r"\keywords{known texts, tests}", r"\maketitle",
    ])  # fmt: skip


def _kluwer(title: str, abstract: str, v: Variant) -> str:
    return "\n".join([
        # In its articles labels have the article's number before them.
        r"\begin{article}\let\label\ilabel\let\ref\iref\let\pageref\ipageref", r"\begin{opening}", title,
        *([r"\subtitle{Known Texts}"] if v.n % 5 == 0 else []),
        r"\author{Ada \surname{Tester}\email{ada@example.org}}",
        r"\institute{Institute of Tests, 12 Known Street, Exampleton}",
        r"\author{Ben \surname{Sample}}", r"\institute{University of Known Texts, Sampleville}",
        *([r"\date{June 7, 2002}"] if v.n % 3 else [r"\received{16 January 2002}\accepted{7 June 2002}"]),
        r"\runningtitle{On what is known}\runningauthor{A. Tester and B. Sample}\pubyear{2002}",
        abstract, r"\keywords{known texts, tests}",
        *([r"\classification{PACS codes}{00.00.Aa, 99.99.Zz}"] if v.n // 8 % 3 == 2 else []), r"\end{opening}",
    ])  # fmt: skip


def _acmconf(v: Variant) -> str:
    return "\n".join([
        r"\ConferenceName{12th ACM Conference on Tests, Exampleton, December 2002}\ConferenceShortName{TEST 2002}",
        r"\CopyrightText{Permission to make digital or hard copies of all or part of this work for personal or",
        r"classroom use is granted without fee provided that copies are not made or distributed for profit or",
        r"commercial advantage and that copies bear this notice and the full citation on the first page.\\",
        r"\textit{TEST 2002}, Exampleton\\ \copyright\ 2002 ACM 1-58113-000-0/02/12\ldots\$5.00}",
        r"\PublishedPageFrom{13}\PublishedPageTo{24}", *([r"\date{June 7, 2002}"] if v.n % 3 else []),
    ])  # fmt: skip


def _acmconf_title(title: str) -> str:
    return "\n".join([
        title, r"\author{\Author{Ada Tester}\\ \Address{Institute of Tests, Exampleton}\\",
        r"\Email{ada@example.org}", r"\and \Author{Ben Sample}\\ \Address{University of Known Texts, Sampleville}\\",
        r"\Email{ben@example.org}}", r"\maketitle",
    ])  # fmt: skip


def _acmconf_keywords(v: Variant, setting: Setting) -> list[str]:
    """Return the keywords, printed as a section without a number."""
    if v.n % 4 == 3:
        return []
    label = f"known:{len(setting.headings)}"
    setting.headings.append({"title": "Keywords", "level": 1, "label": label, "numbered": False})
    return [rf"\begin{{keywords}}\label{{{label}}}known texts, tests\end{{keywords}}"]


def _aguplus(title: str, abstract: str, v: Variant) -> str:
    return "\n".join([
        r"\lefthead{TESTER AND SAMPLE}\righthead{ON WHAT IS KNOWN}",
        *([r"\slugcomment{Submitted to \textit{J. Geophys. Res.}, 2002.}"] if v.n // 8 % 2 else []),
        r"\received{January 16, 2002}\revised{April 1, 2002}\accepted{June 7, 2002}\paperid{2002JA000013}",
        r"\authoraddr{Ada Tester, Institute of Tests, 12 Known Street, Exampleton. (e-mail: ada@example.org)}",
        r"\authoraddr{Ben Sample, University of Known Texts, Sampleville.}", title,
        r"\author{Ada Tester\altaffilmark{1}}", r"\affil{Institute of Tests, 12 Known Street, Exampleton}",
        r"\author{Ben Sample}", r"\affil{University of Known Texts, Sampleville}",
        r"\altaffiltext{1}{Also at University of Known Texts, Sampleville.}",
        abstract.replace("{abstract}", "{abstract}\n", 1), *([r"\sectionnumbers"] if v.numbered_levels else []),
    ])  # fmt: skip


def _revtex(title: str, abstract: str, v: Variant) -> str:
    return "\n".join([
        *([r"\preprint{KNOWN-22-13}"] if "preprintnumbers" in v.revtex else []), title,
        r"\author{Ada Tester}", r"\email{ada@example.org}" if v.n % 3 else r"\email[Corresponding author: ]{ada@example.org}",
        r"\affiliation{Institute of Tests, 12 Known Street, Exampleton}",
        r"\author{Ben Sample}", r"\affiliation{University of Known Texts, Sampleville}",
        *([r"\affiliation{Institute of Tests, 12 Known Street, Exampleton}"] if "superscriptaddress" in v.revtex else []),
        r"\date{December 22, 2022}", abstract, *([r"\pacs{00.00.Aa, 99.99.Zz}"] if "showpacs" in v.revtex else []),
        *([r"\keywords{known texts, tests}"] if "showkeys" in v.revtex else []), r"\maketitle",
    ])  # fmt: skip


def _scrreprt(title: str, v: Variant) -> str:
    return "\n".join([
        *([r"\subject{Technical Report 2022/13}"] if v.n // 4 % 2 else []), title,
        *([r"\subtitle{Known Texts}"] if v.n // 8 % 3 == 2 else []),
        r"\author{Ada Tester\thanks{Institute of Tests, 12 Known Street, Exampleton. E-mail: ada@example.org} \and Ben Sample}",
        r"\date{December 22, 2022}", *([r"\publishers{University of Known Texts, Sampleville}"] if v.n // 8 % 2 else []),
    ])  # fmt: skip


def _aiaa(title: str, v: Variant) -> str:
    right = r"D{2022}" if v.n % 2 else r"B{2022}{the authors}"
    return "\n".join([
        r"\AIAApapernumber{2022-0013}\AIAAconference{60th Conference on Tests, 16--20 January 2022, Exampleton}",
        rf"\AIAAcopyright{{\AIAAcopyright{right}}}", r"\AIAAsubmitinfo{Submitted to the \textit{Journal of Known Texts}}", title,
        r"\author{Ada Tester\thanks{Research Scientist, Department of Tests, 12 Known Street, AIAA Member.}",
        r"\ and Cleo Reader\thanksibid{1}\\ {\normalsize\itshape Institute of Tests, Exampleton, 12345, Testland}\\",
        r"\and Ben Sample\thanks{Professor, Department of Known Texts.}\\",
        r"{\normalsize\itshape University of Known Texts, Sampleville, 54321, Testland}}",
    ])  # fmt: skip


def _nomenclature(v: Variant, setting: Setting) -> list[str]:
    """Return AIAA's list of signs, a section without a number."""
    if v.n // 2 % 3 == 0:
        return []
    label = f"known:{len(setting.headings)}"
    setting.headings.append({"title": "Nomenclature", "level": 1, "label": label, "numbered": False})
    return [
        rf"\section*{{Nomenclature}}\label{{{label}}}", r"\begin{tabbing}", r"XXXXXXX \= \kill",
        r"$A$ \> known area, m$^2$\\ $f$ \> known function\\ $N$ \> number of tests\\ $x$ \> known length, m\\",
        r"$\alpha$ \> known angle, deg", r"\end{tabbing}",
    ]  # fmt: skip


def _report(title: str, v: Variant) -> str:
    thanks = r"\thanks{The authors were supported by the Institute of Tests.}" if v.n // 8 % 2 else ""
    return "\n".join([
        title, rf"\author{{Ada Tester{thanks}\\ Institute of Tests\\ Exampleton",
        r"\and Ben Sample\\ University of Known Texts\\ Sampleville}", *([r"\date{December 2022}"] if v.n % 3 else []),
    ])  # fmt: skip


def _ascelike(v: Variant) -> str:
    return r"\NameTag{Tester, December 22, 2022}" if "Proceedings" in v.manuscript and v.n % 3 else ""


def _ascelike_title(title: str, v: Variant) -> str:
    if v.manuscript == "NewProceedings":
        return "\n".join([
            title, r"\author{Ada Tester$^1$, Member, ASCE\\ and Ben Sample$^2$\\[1ex]",
            r"$^1$\parbox[t]{5.5in}{Institute of Tests, 12 Known Street, Exampleton. ada@example.org}\\",
            r"$^2$\parbox[t]{5.5in}{University of Known Texts, Sampleville. ben@example.org}}", r"\maketitle",
        ])  # fmt: skip
    return "\n".join([
        title, r"\author{Ada Tester\thanks{Institute of Tests, 12 Known Street, Exampleton. E-mail: ada@example.org},",
        r"Member, ASCE\\ and\\ Ben Sample\thanks{University of Known Texts, Sampleville.}}", r"\maketitle",
    ])  # fmt: skip


def _extarticle(title: str, abstract: str, v: Variant) -> str:
    authors = (
        [r"\author{Ada Tester \and Ben Sample}"],
        [
            r"\author{Ada Tester\\ \small Institute of Tests, Exampleton\\ \small\texttt{ada@example.org}",
            r"\and Ben Sample\\ \small University of Known Texts, Sampleville}",
        ],
        [
            r"\author{Ada Tester$^{1,2}$, Ben Sample$^{2}$\\[4pt] {\small $^{1}$Institute of Tests, Exampleton}\\",
            r"{\small $^{2}$University of Known Texts, Sampleville}}",
        ],
    )  # fmt: skip
    with_block = [
        r"\author[1,2]{Ada Tester}\author[2]{Ben Sample}",
        r"\affil[1]{Institute of Tests, 12 Known Street, Exampleton}",
        r"\affil[2]{University of Known Texts, Sampleville}",
    ]
    dated = ("", r"\date{}", r"\date{December 22, 2022}")[v.n // 32 % 3]
    keywords = "\n\\noindent\\textbf{Keywords:} known texts, tests" if v.n // 8 % 2 else ""
    printed = [r"\maketitle", abstract, keywords]
    if v.two_columns and v.n // 64 % 2:  # above both columns
        printed = [r"\twocolumn[\begin{@twocolumnfalse}", *printed, r"\vspace{1em}\end{@twocolumnfalse}]"]
    return "\n".join([title, *(with_block if v.n % 5 > 2 else authors[v.n % 5]), dated, *printed])


def _amsproc_published(v: Variant) -> str:
    """Return what the first page prints beside the copyright, where it prints both; AMS's own volumes have that."""
    if v.n // 8 % 3 < 2:
        return ""
    return (
        r"\def\publname{Proceedings of the Tests of Known Texts}\def\volinfo{Volume \textbf{12}, 2022}"
        r"\copyrightinfo{2022}{A. Tester and B. Sample}"
    )


def _amsproc(title: str, v: Variant) -> str:
    return "\n".join([
        title, r"\author[A. Tester]{Ada Tester}",
        r"\address{Institute of Tests, 12 Known Street, Exampleton}",
        *([r"\curraddr{University of Known Texts, Sampleville}"] if v.n // 16 % 3 == 0 else []),
        r"\email{ada@example.org}",
        *([r"\thanks{The first author was supported in part by the Institute of Tests.}"] if v.n // 4 % 2 else []),
        r"\author[B. Sample]{Ben Sample}", r"\address{University of Known Texts, Sampleville}",
        r"\email{ben@example.org}", r"\subjclass[2020]{Primary 00A20; Secondary 68T50}",
        *([r"\date{December 22, 2022}"] if v.n // 32 % 2 else []), r"\keywords{Known texts, tests}",
        *([r"\dedicatory{This paper is dedicated to our readers.}"] if v.n // 64 % 4 == 0 else []),
    ])  # fmt: skip


def _apa6(title: str, abstract: str, v: Variant, setting: Setting) -> str:
    if v.n // 32 % 2:
        authors = [
            r"\twoauthors{Ada Tester}{Ben Sample}",
            r"\twoaffiliations{Institute of Tests, Exampleton}{University of Known Texts, Sampleville}",
        ]
    else:
        authors = [r"\author{Ada Tester and Ben Sample}", r"\affiliation{Institute of Tests, Exampleton}"]
    printed = [
        r"\journal{Journal of Known Texts}\volume{2022, Vol.~12, No.~3, 1--20}",
        r"\ccoppy{Copyright 2022 by A. Tester}\copnum{1234-5678/22}",
    ]
    note = [
        rf"\authornote{{{_may_be_taken('Author Note', setting) if v.mode == 'man' and v.n // 128 % 3 else ''}",
        r"The authors thank the Institute of Tests. Correspondence concerning this article should be",
        r"addressed to Ada Tester, Institute of Tests, 12 Known Street, Exampleton. E-mail: ada@example.org}",
    ]
    return "\n".join([
        title, r"\shorttitle{On what is known}\leftheader{Tester and Sample}", *authors,
        *(printed if v.mode != "man" and v.n // 64 % 2 else []), *(note if v.n // 128 % 3 else []),
        *([rf"\abstract{{{abstract}}}"] if abstract.strip() else []), r"\keywords{known texts, tests}",
    ])  # fmt: skip


def _paper(title: str, v: Variant) -> str:
    authors = [r"\author{Ada Tester \and Ben Sample}", r"\institution{Institute of Tests, Exampleton}"]
    if v.n // 4 % 2:
        authors = [
            r"\author{Ada Tester\thanks{Institute of Tests, 12 Known Street, Exampleton. E-mail: ada@example.org}",
            r"\and Ben Sample\thanks{University of Known Texts, Sampleville.}}",
        ]
    return "\n".join([
        title, *([r"\subtitle{Known Texts}"] if v.n // 8 % 4 == 3 else []),
        r"\shorttitle{On what is known}\shortauthor{Tester and Sample}", *authors,
    ])  # fmt: skip


def _paper_keywords(v: Variant, setting: Setting) -> list[str]:
    """Return the keywords, which begin as a paragraph with a title does."""
    if v.n // 2 % 3 == 0:
        return []
    return [rf"\begin{{keywords}}{_may_be_taken('Keywords', setting)}known texts, tests\end{{keywords}}"]


def _artikel(title: str, v: Variant) -> str:
    thanks = r"\thanks{The authors were supported by the Institute of Tests.}" if v.n // 8 % 2 else ""
    return "\n".join([
        title, rf"\author{{Ada Tester{thanks}\\ Institute of Tests\\ Exampleton",
        r"\and Ben Sample\\ University of Known Texts\\ Sampleville}",
        r"\date{December 22, 2022}" if v.n % 3 else r"\date{}",
    ])  # fmt: skip


def _res_philosophica(title: str, v: Variant, setting: Setting) -> str:
    thanks = ""
    if v.n // 2 % 3:  # printed at the last page's foot, as a note without a number for the label
        label = _may_be_taken("Acknowledgments", setting)
        text = rf"\expandafter\let\csname @currentlabel\endcsname\empty{label}We thank the Institute of Tests and two readers"
        thanks = rf"\thanks{{{text}}}"
    return "\n".join([
        r"\volumenumber{99}\issuenumber{4}\publicationyear{2022}\publicationmonth{October}\papernumber{7}",
        r"\copyrightyear{2022}\startpage{1}\endpage{}", *([r"\onlinedate{December 22, 2022}"] if v.res_philosophica == "forthcoming" else []),
        title, *([r"\titlenote{An earlier version was read at the Institute of Tests.}"] if v.n // 16 % 3 == 0 else []),
        r"\author{Ada Tester}", r"\address{Institute of Tests\\ 12 Known Street, Exampleton}", r"\email{ada@example.org}",
        r"\author{Ben Sample}", r"\address{University of Known Texts, Sampleville}", r"\email{ben@example.org}",
        thanks,
    ])  # fmt: skip


def _title_again(paper: Paper, v: Variant, setting: Setting) -> str:
    """Return the label of a manuscript's title where its text begins, set as a section's."""
    if v.mode != "man" or v.n // 32 % 3 == 2:
        return ""
    return _may_be_taken(paper.title.printed, setting)


def _may_be_taken(title: str, setting: Setting) -> str:
    """Return the label of a line that may be taken for a heading, and need not be."""
    label = f"known:{len(setting.headings)}"
    setting.headings.append({"title": title, "level": 4, "label": label, "numbered": False})
    return rf"\label{{{label}}}"


def _nature(title: str) -> str:
    return "\n".join([title, r"\author{Ada Tester$^{1,2}$ \& Ben Sample$^{2}$}"])


def _affiliations() -> list[str]:
    return [
        r"\begin{affiliations}", r"\item Institute of Tests, 12 Known Street, Exampleton",
        r"\item University of Known Texts, Sampleville", r"\end{affiliations}",
    ]  # fmt: skip


def lists_of_floats(v: Variant, setting: Setting) -> str:
    """Return what marks the lists that the ASCE's class prints before the floats, which stand after all else."""
    if v.manuscript != "Journal":
        return ""
    lists = (("List of Tables", "listoftables"), ("List of Figures", "listoffigures"))
    marks = []
    # The first float is a figure, the second a table.
    for title, name in lists[2 - len(setting.captions[:2]) :]:
        label = f"known:{len(setting.headings)}"
        setting.headings.append({"title": title, "level": 1, "label": label, "numbered": False})
        marks.append(rf"\let\known{name}\{name}\def\{name}{{\label{{{label}}}\known{name}}}")
    return "\n".join(marks)


def addendum(v: Variant, setting: Setting) -> str:
    """Return what stands after the references in Nature's class; its bold beginnings may be taken for headings."""
    if v.name != "nature" or v.n % 5 == 0:
        return ""
    items = []
    for title, text in (
        ("Competing Interests", "The authors declare that they have no competing financial interests."),
        ("Correspondence", "Correspondence should be addressed to A.T. (email: ada@example.org)."),
    ):
        label = f"known:{len(setting.headings)}"
        setting.headings.append({"title": title, "level": 4, "label": label, "numbered": False})
        items.append(rf"\item[{title}] \leavevmode\label{{{label}}}{text}")
    return "\n".join([r"\begin{addendum}", *items, r"\end{addendum}"])


_CLOSING = {
    "achemso": "TOC Graphic", "cas-dc": "CRediT authorship contribution statement",
    "cas-sc": "CRediT authorship contribution statement",
    "oup-authoring-template": "Competing interests",
}  # fmt: skip


def closing(v: Variant, setting: Setting) -> str:
    """Return what the class's template has after the text, under headings of its own."""
    if v.name not in _CLOSING or v.n // 4 % 2:
        return ""
    label = f"known:{len(setting.headings)}"
    title = _CLOSING[v.name]
    setting.headings.append({"title": title, "level": 1, "label": label, "numbered": False})
    if v.name in ("cas-dc", "cas-sc"):
        return rf"\printcredits\label{{{label}}}"
    if v.name == "oup-authoring-template":
        return rf"\section*{{{title}}}\label{{{label}}}" + "\nNo competing interest is declared."
    # On a page of its own, after the references.
    return rf"\begin{{tocentry}}\label{{{label}}}\rule{{4cm}}{{2cm}}\end{{tocentry}}"
