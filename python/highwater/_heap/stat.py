"""The figures of a partition without its objects: can be kept in a file, loaded again, and subtracted."""

import time

from .own_objects import register
from .table import Row, Table, Text, by_size, set_table


class Stat:
    def __init__(self, rows, header, timemade=None):
        self.rows = by_size(rows)
        self.header = header
        self.timemade = time.time() if timemade is None else timemade
        self.count = sum(row.count for row in rows)
        self.size = sum(row.size for row in rows)
        register(self)

    def kept(self):
        return (self.__dict__, self.rows, *self.rows)

    def __len__(self):
        return len(self.rows)

    def __sub__(self, other):
        return Difference(self, other)

    def __str__(self):
        return str(self._table())

    __repr__ = __str__

    @property
    def more(self):
        return self._table().more

    @property
    def all(self):
        return self._table().all

    def dump(self, path, mode="a"):
        """Appends to a file, in Heapy's own form."""
        facts = [
            ("loader", "_load_stat"),
            ("format", "SetFormat"),
            ("timemade", "%f" % self.timemade),
            ("count", self.count),
            ("size", self.size),
            ("kindname", ""),
            ("kindheader", self.header),
            ("numrows", len(self.rows)),
        ]
        lines = [".%s: %s" % fact for fact in facts]
        lines += [".r: %d %d %s" % (row.count, row.size, row.name) for row in self.rows]
        with open(path, mode, encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n.end: .loader: _load_stat\n")

    def _table(self):
        return set_table(self.count, self.size, self.header, self.rows)


class Difference:
    """One partition less another, by kind."""

    def __init__(self, a, b):
        self.a = a
        self.b = b
        counts = {}
        for sign, stat in ((1, a), (-1, b)):
            for row in stat.rows:
                count, size = counts.get(row.name, (0, 0))
                counts[row.name] = (count + sign * row.count, size + sign * row.size)
        rows = [Row(count, size, name) for name, (count, size) in counts.items() if count or size]
        self.rows = sorted(rows, key=lambda row: (-abs(row.size), row.name))
        self.count = a.count - b.count
        self.size = a.size - b.size
        register(self)

    def kept(self):
        return (self.__dict__, self.rows, *self.rows)

    def __len__(self):
        return len(self.rows)

    def __str__(self):
        return str(self._table())

    __repr__ = __str__

    @property
    def more(self):
        return self._table().more

    @property
    def all(self):
        return Text(self._table().all)

    def _table(self):
        label = "Summary of difference operation (A-B).\n        Count     Size\n"
        label += "  A    %6d %8d\n  B    %6d %8d\n" % (self.a.count, self.a.size, self.b.count, self.b.size)
        label += "  A-B  %6d %8d  = %s %% of B\n" % (self.count, self.size, self._share(self.size))
        if self.rows:
            label += "\nDifferences by kind, largest absolute size diffs first."
        columns = " Index  Count     Size  Cumulative  % of B " + self.a.header

        def line(index, row, cumulative):
            return "%6d %6d %8d %9d %s " % (index, row.count, row.size, cumulative, self._share(cumulative))

        return Table(label, columns, self.rows, line)

    def _share(self, size):
        return "%9.3g" % (size * 100.0 / self.b.size) if self.b.size else "   (n.a.)"


def load(path):
    """The last partition in a file that `dump` or Heapy wrote."""
    found, rows, facts = None, [], {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            word, _, rest = line.rstrip("\n").partition(": ")
            if word == ".r":
                count, size, name = rest.split(" ", 2)
                rows.append(Row(int(count), int(size), name))
            elif word.startswith(".end"):
                found = Stat(rows, facts.get(".kindheader", "Kind"), float(facts.get(".timemade", 0)))
                rows, facts = [], {}
            else:
                facts[word] = rest
    if found is None:
        raise ValueError("%s holds no partition: there is no line `.end:`" % path)
    return found
