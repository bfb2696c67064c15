"""The same as a picture: HTML that needs nothing, reads in light and in dark, and has no text of the program's but escaped."""

from html import escape

from .words import cell_text, headline, holder_lines, notes, peak_words, seconds, signed, size

WIDTH, HEIGHT = 420, 92
LEFT, TOP, FOOT = 4, 8, 16
MOST_POINTS = 400
# Strong enough on white, light enough on black; all else takes the color of the text around it.
COLORS = {"host": "#3f8fd2", "card": "#3fa45b"}
_BOX = "font-family:system-ui,sans-serif;font-size:13px;line-height:1.45;color:inherit;max-width:680px"
_FIGURES = "font-size:13px;color:inherit;border:none;border-collapse:collapse;font-variant-numeric:tabular-nums;background:none"
_SMALL = "font-size:12px;opacity:0.8"


class CellReport:
    """What `%%highwater` hands to IPython's display: text for a terminal, a picture for a notebook."""

    def __init__(self, measured):
        self._measured = measured
        self._text = cell_text(measured)

    def __repr__(self):
        return self._text

    def _repr_html_(self):
        measured = self._measured
        parts = ['<div style="%s"><div style="font-weight:600">%s</div>' % (_BOX, escape(headline(measured)))]
        for one in measured.quantities:
            parts.append(_row(one, measured.seconds))
            said = [peak_words(one)] + (["%s: %s" % (one.name, one.note)] if one.note else [])
            parts += ['<div style="%s">%s</div>' % (_SMALL, escape(line)) for line in said]
        parts += ['<div style="%s">%s</div>' % (_SMALL, escape(note)) for note in notes(measured)]
        if measured.holders:
            lines = "\n".join(line[2:] for line in holder_lines(measured.holders))
            parts.append('<pre style="margin:6px 0 0;background:none;color:inherit;white-space:pre-wrap">%s</pre>' % escape(lines))
        return "".join(parts) + "</div>"


def _row(one, duration):
    figures = (("before", size(one.before)), ("peak", size(one.peak)), ("after", size(one.after)), ("left", signed(one.left)))
    cell = '<tr style="background:none"><td style="text-align:left;padding:0 10px 0 0;opacity:0.7;border:none">%s</td>'
    cell += '<td style="text-align:right;padding:0;border:none;%s">%s</td></tr>'
    rows = "".join(cell % (name, "font-weight:600" if name == "peak" else "", escape(value)) for name, value in figures)
    return (
        '<div style="display:flex;flex-wrap:wrap;align-items:center;gap:16px;margin-top:6px">%s<table style="%s">%s</table></div>'
        % (_chart(one, duration), _FIGURES, rows)
    )


def _chart(one, duration):
    color = COLORS["host" if one.name == "host" else "card"]
    top = max(one.peak, one.before, one.after, 1)
    base = HEIGHT - FOOT
    points = _thinned(one.looks) or [(0, one.before), (duration, one.after)]
    end = max(duration, points[-1][0]) or 1

    def x(at):
        return LEFT + (WIDTH - 2 * LEFT) * min(1, at / end)

    def y(value):
        return base - (base - TOP) * value / top

    line = " ".join("%.1f,%.1f" % (x(at), y(value)) for at, value in points)
    area = "%.1f,%d %s %.1f,%d" % (x(points[0][0]), base, line, x(points[-1][0]), base)
    shape = '<polygon points="%s" fill="%s" fill-opacity="0.25"/><polyline points="%s" fill="none" stroke="%s" stroke-width="1.5"/>'
    rule = '<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="%s" stroke-width="1"%s/>'
    text = '<text x="%d" y="%.1f" fill="currentColor" fill-opacity="0.75" font-size="11" text-anchor="%s">%s</text>'
    return "".join(
        [
            '<svg role="img" aria-label="%s" width="%d" height="%d" viewBox="0 0 %d %d" style="overflow:visible">'
            % (escape("%s over the cell: peak %s" % (one.name, size(one.peak)), True), WIDTH, HEIGHT, WIDTH, HEIGHT),
            shape % (area, color, line, color),
            rule % (LEFT, WIDTH - LEFT, base, base, "currentColor", ' stroke-opacity="0.4"'),
            rule % (LEFT, WIDTH - LEFT, y(one.before), y(one.before), "currentColor", ' stroke-opacity="0.5" stroke-dasharray="2 3"'),
            rule % (LEFT, WIDTH - LEFT, y(one.peak), y(one.peak), color, ' stroke-dasharray="5 3"'),
            text % (LEFT, HEIGHT - 3, "start", escape(one.name)),
            text % (WIDTH - LEFT, HEIGHT - 3, "end", escape(seconds(end))),
            "</svg>",
        ]
    )


def _thinned(looks):
    """Of each stretch the first and the highest, so that no peak is lost."""
    stretch = max(1, -(-len(looks) // (MOST_POINTS // 2)))
    found = []
    for start in range(0, len(looks), stretch):
        some = looks[start : start + stretch]
        found += sorted({some[0], max(some, key=lambda pair: pair[1])})
    return found + looks[-1:] if looks and found[-1] != looks[-1] else found
