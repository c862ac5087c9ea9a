"""Bitmap fonts (Type 3, dvips): their size is often given in another unit, and their boxes are nonsense.

What can be trusted is where their characters begin and end, so the size is estimated from their widths.
"""

from __future__ import annotations

from collections.abc import Sequence

from search.documents.pages import Page, Span

#: No printed text is smaller than this, in points; the unit must be another.
_TINY = 1.0
#: Mean width of a character of English text in TeX's roman fonts, in sizes.
_MEAN_WIDTH = 0.48


def _is_impossible(span: Span) -> bool:
    """Return whether a tiny span's size is not in points (small print in pictures is as high as it says)."""
    return span.font.startswith("Type3") and span.y1 - span.y0 > 4 * span.size


def mend_sizes(pages: Sequence[Page]) -> bool:
    """Give spans of impossible size an estimated one, per font; return whether there were any."""
    found = [
        (line, span)
        for page in pages
        for line in page.lines
        for span in line.spans
        if span.size < _TINY and _is_impossible(span)
    ]
    if not found:
        return False
    tiny = [span for _, span in found]
    lines = {id(line): line for line, _ in found}.values()
    widths: dict[str, list[float]] = {}
    for span in tiny:
        sums = widths.setdefault(span.font, [0.0, 0.0])
        sums[0] += span.x1 - span.x0
        sums[1] += len(span.text)
    sizes = {
        font: min(max(round(2 * width / count / _MEAN_WIDTH) / 2, 4.0), 40.0)
        for font, (width, count) in widths.items()
    }
    for span in tiny:
        span.size = sizes[span.font]
        span.y0, span.y1 = span.baseline - 0.75 * span.size, span.baseline + 0.25 * span.size
    for line in lines:
        line.y0 = min([span.y0 for span in line.spans])
        line.y1 = max([span.y1 for span in line.spans])
    return True
