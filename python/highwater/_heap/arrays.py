"""The memory behind numpy arrays and torch tensors: parts of the heap of their own, each counted once by its address."""

import sys

from .._own_size import own_size
from .._sizes.arrays import HOST, Arrays
from .._type_facts import is_made_of


class Storage:
    """A block of memory that is no Python object."""

    __slots__ = ("address", "bytes", "kind", "library", "host")

    def __init__(self, address, size, library, device):
        self.address = address
        self.bytes = size
        self.host = device == HOST
        self.library = library
        self.kind = "storage of %s%s" % (library, "" if self.host else " on " + device)

    def __repr__(self):
        return "<%s of %d bytes at %#x>" % (self.kind, self.bytes, self.address)


class HeapArrays:
    def __init__(self):
        numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
        wanted = [getattr(numpy, "ndarray", None)]
        wanted += [getattr(torch, name, None) for name in ("Tensor", "UntypedStorage", "TypedStorage")]
        self._wanted = tuple(kind for kind in wanted if isinstance(kind, type))
        self._torch = self._wanted[1:] if wanted[0] is not None else self._wanted
        self._arrays = Arrays()
        self.storages = {}  # key → Storage
        self._shells = {}

    def is_array(self, kind):
        return self._is(kind, self._wanted)

    @staticmethod
    def _is(kind, bases):
        return any(is_made_of(kind, base) for base in bases)

    def held(self, one):
        """What an array refers to beside what the collector knows, its storages among it; its own size is noted."""
        try:
            data, held = self._arrays.find(type(one))(one)
        except Exception:
            data, held = [], []
        size = own_size(one)
        found = []
        for block in data:
            if block.inside:
                size -= block.bytes
            found.append(self._storage(block, one))
        for value in held:
            # The elements of an array of objects come in a list that was made for us.
            if type(value) is list:
                found.extend(value)
            else:
                found.append(value)
        self._shells[id(one)] = max(0, size)
        return found

    def size(self, one):
        """Bytes without the data."""
        return self._shells.get(id(one), 0)

    def _storage(self, block, one):
        found = self.storages.get(block.key)
        if found is None:
            library = "torch" if self._is(type(one), self._torch) else "numpy"
            found = self.storages[block.key] = Storage(block.key[0], block.bytes, library, block.device)
        return found
