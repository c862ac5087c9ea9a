"""Sheets of lines as several document classes set them, for tests of headings and sections."""

from __future__ import annotations

from search.documents.lines import TextLine, text_line
from search.documents.pages import Line, Span
from search.documents.style import BodyStyle

BODY = BodyStyle(10, "Roman", 12)
FULL = "Words that fill a line of the column to its right edge and no more."


class Sheet:
    """One column of lines, from x = 50 to 385 points."""

    def __init__(self) -> None:
        self.lines: list[TextLine] = []
        self.y = 100.0

    def line(self, *parts: tuple[str, str, float], gap: float = 12, centred: bool = False) -> None:
        """Add a line of (text, font, size), `gap` points below the one before; five points a letter."""
        self.y += gap
        width = 5 * sum(len(text) for text, _, _ in parts)
        x = left = 50.0 + (335 - width) / 2 if centred else 50.0
        spans = []
        for text, font, size in parts:
            bold, italic = font == "Bold", font == "Italic"
            end = x + 5 * len(text)
            spans.append(Span(text, font, size, bold, italic, False, x, self.y - 10, end, self.y + 2, self.y))
            x = end
        self.lines.append(text_line([Line(spans, left, self.y - 10, x, self.y + 2, 0)], 1, 0))

    def text(self, gap: float = 12) -> None:
        """Add three lines of text."""
        for step in (gap, 12, 12):
            self.line((FULL, "Roman", 10), gap=step)

    def small_capitals(self, *texts: str) -> None:
        """Add centred lines in imitated small capitals: capitals of two sizes of the text's own font."""
        for number, text in enumerate(texts):
            words = [(word[0] if word[0].isupper() else "", word) for word in text.split()]
            parts = []
            for first, word in words:
                parts += [(" " + first, "Roman", 10)] if first else [(" ", "Roman", 8)]
                parts += [(word[len(first) :].upper(), "Roman", 8)]
            self.line(*[part for part in parts if part[0]], gap=12 if number else 22, centred=True)
