"""Sets of objects, by identity, shown as partitions: Heapy's way to walk a heap."""

from array import array
from collections import Counter
from itertools import compress
from operator import not_

from .arrays import Storage
from .dominated import dominated
from .heap_context import quiet_collector
from .kinds import module_of
from .own_objects import register
from .paths import Paths
from .references import References, address, references_into
from .short_repr import short_repr
from .stat import Stat
from .table import Row, by_size, object_table, set_table

KIND = "Kind (class / dict of class)"


class HeapSet:
    """Objects, held as long as the set is; ``way`` is how they are told apart."""

    __slots__ = ("_context", "_objects", "_sizes", "_kinds", "_way", "_rows", "_keys", "_storages", "__weakref__")

    def __init__(self, context, objects, sizes=None, kinds=None, way="kind"):
        self._context = context
        self._objects = objects
        self._sizes = context.sizes(objects) if sizes is None else sizes
        self._kinds = array("q", map(context.key, objects)) if kinds is None else kinds
        self._way = way
        self._rows = None
        self._keys = None
        self._storages = None
        register(self)

    def kept(self):
        """What a table must not show: it is ours, words for the data of arrays too."""
        if self._storages is None:
            self._storages = [one for one in self._objects if type(one) is Storage]
        ours = (self._objects, self._sizes, self._kinds, self._rows, self._keys, self._storages)
        return (*ours, *(self._rows or ()), *self._storages)

    # Figures

    @property
    def count(self):
        return len(self._objects)

    @property
    def size(self):
        return sum(self._sizes)

    @property
    def kind(self):
        """The names of all kinds among them."""
        return " | ".join(sorted(set(map(self._context.label, set(self._kinds))))) or "<Nothing>"

    @property
    def nodes(self):
        """The objects themselves, as a list."""
        return list(self._objects)

    @property
    def theone(self):
        if len(self._objects) != 1:
            raise ValueError("there are %d objects in the set, not one" % len(self._objects))
        return self._objects[0]

    def __len__(self):
        return len(self._partition())

    def __bool__(self):
        return bool(self._objects)

    # Ways to tell apart

    bykind = byclodo = property(lambda self: self._by("kind"))
    bytype = property(lambda self: self._by("type"))
    bysize = property(lambda self: self._by("size"))
    bymodule = property(lambda self: self._by("module"))
    byrcs = property(lambda self: self._by("rcs"))
    byid = property(lambda self: self._by("id"))

    # Neighbours

    @property
    def referents(self):
        """What these objects refer to."""
        found = {}
        references = References(self._context.hidden)
        with quiet_collector():
            for _, targets in references.of(self._objects):
                found.update(zip(map(address, targets), targets))
        self._context.learn_owners(references.owned)
        return HeapSet(self._context, list(found.values()))

    @property
    def referrers(self):
        """What refers to these objects."""
        found = {}
        with quiet_collector():
            for owner, _ in self._referring():
                found[id(owner)] = owner
        return HeapSet(self._context, list(found.values()))

    @property
    def shpaths(self):
        """Shortest paths from the roots to the nearest of them."""
        with quiet_collector():
            return Paths(self._objects, self._context.hidden)

    sp = shpaths

    @property
    def dominos(self):
        """All that only these objects keep alive, themselves among it."""
        references = References(self._context.hidden)
        with quiet_collector():
            found = dominated(self._objects, references, self._context.hidden)
        self._context.learn_owners(references.owned)
        return HeapSet(self._context, found)

    @property
    def domisize(self):
        """The bytes that would go with them."""
        return self.dominos.size

    # Sets

    def __sub__(self, other):
        return self._filtered(other, not_)

    def __and__(self, other):
        return self._filtered(other, bool)

    def __or__(self, other):
        rest = other - self
        return HeapSet(
            self._context, self._objects + rest._objects, self._sizes + rest._sizes, self._kinds + rest._kinds, self._way
        )

    def __contains__(self, one):
        return any(one is other for other in self._objects)

    def __getitem__(self, index):
        """The objects of one row, or of a slice of rows."""
        rows = self._partition()[index]
        wanted = {row.key for row in (rows if isinstance(index, slice) else [rows])}
        return self._compressed(list(map(wanted.__contains__, self._keys)))

    # Texts

    @property
    def stat(self):
        """The figures alone: `dump`, `-`."""
        return Stat(self._partition(), self._header())

    @property
    def more(self):
        return self._table().more

    @property
    def all(self):
        return self._table().all

    @property
    def beyond(self):
        """What of the process no object accounts for."""
        from .account import account

        return account(self)

    def __str__(self):
        return str(self._table()) if self._objects else "<Nothing>"

    __repr__ = __str__

    # Within

    def _by(self, way):
        return HeapSet(self._context, self._objects, self._sizes, self._kinds, way)

    def _compressed(self, mask):
        columns = (self._sizes, self._kinds)
        sizes, kinds = (array(column.typecode, compress(column, mask)) for column in columns)
        return HeapSet(self._context, list(compress(self._objects, mask)), sizes, kinds, self._way)

    def _filtered(self, other, keep):
        with quiet_collector():
            others = set(map(address, other._objects))
            return self._compressed(list(map(keep, map(others.__contains__, map(address, self._objects)))))

    def _referring(self):
        return references_into(set(map(address, self._objects)), self._context.hidden)

    def _partition(self):
        if self._rows is None:
            with quiet_collector():
                self._keys, label = self._classify()
                counts, sizes = Counter(self._keys), dict.fromkeys(self._keys, 0)
                for key, size in zip(self._keys, self._sizes):
                    sizes[key] += size
                self._rows = by_size([Row(counts[key], sizes[key], label(key), key) for key in counts])
        return self._rows

    def _classify(self):
        """(a key for each object, its words)"""
        context = self._context
        if self._way == "type":
            return list(map(context.type_key, self._objects)), context.label
        if self._way == "size":
            return self._sizes, lambda key: "%9d" % key
        if self._way == "module":
            return [one.library if type(one) is Storage else module_of(type(one)) for one in self._objects], str
        if self._way == "id":
            told = {address(one): one for one in self._objects}
            return list(map(address, self._objects)), lambda key: short_repr(told[key])
        if self._way == "rcs":
            return self._by_referrers()
        return self._kinds, context.label

    def _by_referrers(self):
        patterns = {address(one): set() for one in self._objects}
        for owner, target in self._referring():
            patterns[address(target)].add(self._context.key(owner))
        known = {}
        keys = [known.setdefault(frozenset(found), frozenset(found)) for found in patterns.values()]
        return keys, lambda key: ", ".join(sorted(map(self._context.label, key))) or "<Nothing>"

    def _header(self):
        return {
            "kind": KIND,
            "type": "Type",
            "size": "Individual Size",
            "module": "Module",
            "rcs": "Referrers by " + KIND,
            "id": "Brief",
        }[self._way]

    def _table(self):
        rows = self._partition()
        if self._way == "id":
            kinds = set(self._kinds)
            return object_table(self.kind if len(kinds) == 1 else "mixed", self.size, self._header(), rows)
        return set_table(self.count, self.size, self._header(), rows)
