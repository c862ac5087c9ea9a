"""From text to terms, as Elasticsearch's analyzer `paper` does it (mappings/passages.json).

Tokenizer: word boundaries of Unicode's UAX #29 in the form that Lucene's StandardTokenizer has them
(WB4 to WB13b): "3.5", "1,000", "o'neil" and "foo_bar" are one term each, an ideograph stands alone.
"""

from __future__ import annotations

from collections import Counter
from functools import cache

import tantivy

from search.index.mappings import stop_words

#: Name of the analyzer in the mapping and in the tantivy schema.
ANALYZER = "paper"


def _word_pattern() -> str:
    """Return UAX #29's words as one regular expression; the `regex` crate knows the property itself."""
    extend = r"[\p{wb=Extend}\p{wb=Format}\p{wb=ZWJ}]*"
    letter = rf"(?:[\p{{wb=ALetter}}\p{{wb=Hebrew_Letter}}]{extend})"
    digit = rf"(?:\p{{wb=Numeric}}{extend})"
    katakana = rf"(?:\p{{wb=Katakana}}{extend})"
    in_word = rf"(?:[\p{{wb=MidLetter}}\p{{wb=MidNumLet}}\p{{wb=Single_Quote}}]{extend})"
    in_number = rf"(?:[\p{{wb=MidNum}}\p{{wb=MidNumLet}}\p{{wb=Single_Quote}}]{extend})"
    joiner = rf"(?:\p{{wb=ExtendNumLet}}{extend})"
    letters = rf"{letter}(?:(?:{joiner}*|{in_word}){letter})*"
    number = rf"{digit}(?:(?:{joiner}*|{in_number}){digit})*"
    run = rf"(?:{katakana}(?:{joiner}*{katakana})*|(?:{letters}|{number})+)"
    alone = rf"[\p{{Han}}\p{{Hiragana}}]{extend}"
    unspaced = r"[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]+"
    return rf"{joiner}*{run}(?:{joiner}+{run})*{joiner}*|{alone}|{unspaced}"


@cache
def analyzer() -> tantivy.TextAnalyzer:
    """Return the analyzer; one a process, because compiling the pattern takes 2.5 ms."""
    return (
        tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.regex(_word_pattern()))
        .filter(tantivy.Filter.lowercase())
        .filter(tantivy.Filter.ascii_fold())
        .filter(tantivy.Filter.custom_stopword(list(stop_words())))
        .filter(tantivy.Filter.stemmer("english"))
        .build()
    )


def terms(text: str) -> Counter[str]:
    """Return the terms of a query and how often it says each; empty if it holds stop words only.

    Lone surrogates (half of a broken emoji) are no text; they are left out.
    """
    return Counter(analyzer().analyze(text.encode("utf-8", "ignore").decode()))
