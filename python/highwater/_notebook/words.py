"""What was measured, in words for a terminal."""

# A cell that took less has no line worth naming.
LINE_WORTH = 1 << 20


def size(count):
    """`412 MiB`; signs are the caller's."""
    value, unit = abs(count), "bytes"
    for unit in ("bytes", "KiB", "MiB", "GiB", "TiB"):
        if value < 1024 or unit == "TiB":
            break
        value /= 1024
    text = "%d" % value if unit == "bytes" or value >= 100 else "%.3g" % value
    return "%s%s %s" % ("-" if count < 0 else "", text, unit)


def signed(count):
    return ("+" if count >= 0 else "") + size(count)


def cell_text(measured):
    """Lines as `%%highwater` prints them."""
    lines = [headline(measured)]
    rows = [["", "before", "peak", "after", "left"]]
    for one in measured.quantities:
        rows.append([one.name, size(one.before), size(one.peak), size(one.after), signed(one.left)])
    lines += table(rows) if len(rows) > 1 else ["  the system does not tell the size of this process"]
    for one in measured.quantities:
        lines.append("  %s" % peak_words(one))
        if one.note:
            lines.append("  %s: %s" % (one.name, one.note))
    lines += ["  " + note for note in notes(measured)]
    return "\n".join(lines + holder_lines(measured.holders))


def headline(measured):
    places = {"host": "the host"}
    took = ["%s on %s" % (signed(one.took), places.get(one.name, one.name)) for one in measured.quantities]
    ended = "took %s" if measured.error is None else "failed with %s after %%s" % type(measured.error).__name__
    return "In [%d] %s; at its peak %s" % (measured.number, ended % seconds(measured.seconds), ", ".join(took) or "nothing known")


def seconds(value):
    return "%.0f ms" % (value * 1000) if value < 1 else "%.3g s" % value


def peak_words(one):
    """How the peak is known, and at which line it was."""
    source = "the kernel's own mark" if one.name == "host" else "torch's own mark"
    how = source if one.exact else "the highest of samples %.0f ms apart: at least this" % one.every_ms
    if one.took < LINE_WORTH:
        return "%s: peak by %s" % (one.name, how)
    where = " at %s" % one.where if one.line is not None else " %s" % one.where if one.where else ", line not known"
    return "%s: peak%s (%s%s)" % (one.name, where, how, "; line by samples" if one.where else "")


def notes(measured):
    if not measured.lines_known:
        yield "lines are not known: Python 3.13.0 to 3.13.5 lets no thread look at another safely"
    if measured.children:
        yield "%d child process%s of this kernel %s not counted" % (
            measured.children, "es"[: 2 * (measured.children > 1)], "are" if measured.children > 1 else "is"
        )


def holder_lines(holders):
    lines = []
    for one in holders:
        lines.append("  kept by %s: %s (%s)" % (one.name, _both(one), one.what))
        lines += ["    %s: %s" % (name, size(count)) for name, count in one.parts]
        lines.append("    let go: %s" % one.advice)
    return lines


def _both(one):
    parts = [size(one.host)] if one.host or not one.cards else []
    return " and ".join(parts + (["%s on cards" % size(one.cards)] if one.cards else []))


def table(rows):
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = ([row[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])] for row in rows)
    return [("  " + "  ".join(cells)).rstrip() for cells in lines]
