"""The table that is printed: 43 columns, dotted, in MB of a million bytes; wider only where a name is."""

WIDTH = 43
_FIGURE = 8  # "  857 MB"
# A table without so much as this in it would be all zeros in whole MB.
_SMALL = 100e6


def megabytes(size):
    return round(size / 1e6)


class Tables:
    """One after the other. Most rows of a table are those of the one before, and are not made again."""

    def __init__(self):
        self._blocks = {}

    def table(self, snapshot):
        lines = list(self._lines(snapshot))
        width = max([WIDTH] + [_needed(line) for line in lines])
        stars = "*" * width
        small = max(snapshot.peak.bytes, snapshot.total("weight"), snapshot.peak_allocated or 0) < _SMALL
        title = "Memory Usage for Iteration %d of Epoch %d" % (snapshot.iteration, snapshot.epoch)
        return "\n".join([stars, title, stars] + [text for line in lines for text in _format(line, width, small)])

    def _lines(self, snapshot):
        """A line is (indent, label, bytes), a text as it is, or a block of lines."""
        for line in _lines(snapshot):
            if line.__class__ is Block:
                known = self._blocks.get(line.kind)
                if known is not None and known.rows == line.rows:
                    line = known
                self._blocks[line.kind] = line
            yield line


class Block:
    """The rows of one kind."""

    def __init__(self, kind, rows, suffix=""):
        self.kind = kind
        self.rows = rows
        self._suffix = suffix
        self._needed = None
        self._made = None

    def needed(self):
        if self._needed is None:
            self._needed = max([_needed((2, name + self._suffix, 0)) for name in self.rows] or [0])
        return self._needed

    def format(self, width, small):
        if self._made is None or self._made[0] != (width, small):
            lines = [_row((2, name + self._suffix, size), width, small) for name, size in self.rows.items()]
            self._made = (width, small), ["\n".join(lines)] if lines else []
        return self._made[1]


def _lines(snapshot):
    figures, rows = snapshot.totals(), snapshot.rows
    yield 0, "Peak cached", figures["peak_cached"]
    yield 0, "Current cached", figures["current_cached"]
    yield 0, "Total feature map usage", snapshot.feature_maps
    yield ""
    yield 0, "Total layer weight usage", snapshot.total("weight")
    yield Block("weight", rows["weight"])
    yield ""
    yield 0, "Total layer weight gradient usage", snapshot.total("gradient")
    yield Block("gradient", rows["gradient"], " grad")
    yield 0, "Intermediate gradients", snapshot.intermediate_gradients
    yield ""
    yield 0, "Total buffer usage", snapshot.total("buffer")
    yield Block("buffer", rows["buffer"])
    yield ""
    yield 0, "Total optimizer state usage", snapshot.total("optimizer")
    yield Block("optimizer", rows["optimizer"], " state")
    yield ""
    yield 0, "Feature maps by layer", sum(rows["feature_map"].values())
    yield Block("feature_map", {name: size for name, size in rows["feature_map"].items() if size > 0})
    yield 0, "Model inputs", snapshot.inputs
    yield 0, "Layer outputs, not kept", snapshot.outputs
    if snapshot.without_gradients:
        yield "  called without gradients: none is kept"
    yield ""
    yield 0, "Peak of this iteration", snapshot.peak.bytes
    if snapshot.peak.where():
        yield "  at " + snapshot.peak.where()
    if snapshot.peak_allocated is not None:
        yield 0, "Peak allocated", snapshot.peak_allocated
    yield 0, "Peak resident, process", snapshot.peak_resident
    since = snapshot.since()
    if since is not None:
        yield "Feature maps, intermediate gradients, inputs"
        yield "and peak of iteration: measured in " + since
    if snapshot.shared:
        yield ""
        yield "Shared, counted once:"
        for name, first in snapshot.shared:
            yield "  %s = %s" % (name, first)
    yield "(1 MB = 1,000,000 bytes)"


def _needed(line):
    if isinstance(line, Block):
        return line.needed()
    # At least one dot between a name and its figure.
    return 0 if isinstance(line, str) else line[0] + len(line[1]) + 1 + _FIGURE


def _format(line, width, small):
    if isinstance(line, Block):
        return line.format(width, small)
    return [line if isinstance(line, str) else _row(line, width, small)]


def _row(line, width, small):
    indent, label, size = line
    # Without a GPU there is no cache to measure.
    figure = "none" if size is None else "%s MB" % _figure(size, small)
    return " " * indent + label.ljust(width - _FIGURE - indent, ".") + figure.rjust(_FIGURE, ".")


def _figure(size, small):
    return "%.3f" % (size / 1e6) if small and 0 < size < 9.9995e6 else str(megabytes(size))
