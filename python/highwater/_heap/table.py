"""Tables as Heapy prints them: a label, ten rows, and how to see more."""

import textwrap

from .own_objects import register

WIDTH = 100
ROWS = 10


class Row:
    __slots__ = ("count", "size", "name", "key")

    def __init__(self, count, size, name, key=None):
        self.count = count
        self.size = size
        self.name = name
        self.key = key  # what its objects have in common


class Table:
    """Rows to be printed. ``line(index, row, cumulative)`` is all of a row but its name."""

    def __init__(self, label, header, rows, line, first=0):
        self._label = label
        self._header = header
        self._rows = rows
        self._line = line
        self._first = first
        register(self)

    def kept(self):
        closed = self._line.__closure__
        return (self.__dict__, self._rows, *self._rows, self._line, closed, *closed)

    def __str__(self):
        return self._text(self._first, self._last(), with_label=self._first == 0)

    __repr__ = __str__

    @property
    def more(self):
        """The next ten rows."""
        return Table(self._label, self._header, self._rows, self._line, self._last())

    @property
    def all(self):
        """Every row."""
        return Text(self._text(0, len(self._rows), with_label=True))

    def _last(self):
        # A line that says that there is one more is as long as the row itself.
        end = self._first + ROWS
        return len(self._rows) if end + 1 >= len(self._rows) else end

    def _text(self, first, last, with_label):
        lines = [self._label] if with_label else []
        if self._rows and first < last:
            lines.append(self._header)
        cumulative = sum(row.size for row in self._rows[:first])
        for index in range(first, last):
            row = self._rows[index]
            cumulative += row.size
            start = self._line(index, row, cumulative)
            lines += _wrapped(start, row.name)
        if last < len(self._rows):
            lines.append("<%d more rows. Type e.g. '_.more' to view.>" % (len(self._rows) - last))
        return "\n".join(lines)


class Text(str):
    """Prints itself at the prompt."""

    def __repr__(self):
        return str(self)


def set_table(count, size, header, rows):
    label = "Partition of a set of %d object%s. Total size = %d byte%s." % (count, _s(count), size, _s(size))
    columns = " Index  Count   %     Size   % Cumulative  % " + header

    def line(index, row, cumulative):
        return "%6d %6d %3d %8d %3d %9d %3d " % (
            index,
            row.count,
            _percent(row.count, count),
            row.size,
            _percent(row.size, size),
            cumulative,
            _percent(cumulative, size),
        )

    return Table(label, columns, rows, line)


def object_table(kind, size, header, rows):
    label = "Set of %d <%s> object%s. Total size = %d bytes." % (len(rows), kind, _s(len(rows)), size)
    columns = " Index     Size   %   Cumulative  %   " + header

    def line(index, row, cumulative):
        shares = 100.0 * row.size / (size or 1), 100.0 * cumulative / (size or 1)
        return "%6d %8d %5.1f %9d %5.1f " % (index, row.size, shares[0], cumulative, shares[1])

    return Table(label, columns, rows, line)


def by_size(rows):
    """The largest first, then by name."""
    return sorted(rows, key=lambda row: (-row.size, row.name))


def _percent(part, whole):
    return int("%.0f" % (part * 100.0 / (whole or 1)))


def _s(number):
    return "" if number == 1 else "s"


def _wrapped(start, name):
    if len(start) + len(name) <= WIDTH or not name.strip():
        return [(start + name).rstrip()]
    return textwrap.wrap(start + name, WIDTH, subsequent_indent=" " * len(start), drop_whitespace=False) or [start]
