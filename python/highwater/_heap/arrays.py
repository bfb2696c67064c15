"""The memory behind arrays of numpy, torch and pyarrow: parts of the heap of their own, each counted once by its address."""

from .._own_size import own_size
from .._sizes.arrays import HOST, Arrays


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
        self._arrays = Arrays()
        self.storages = {}  # key → Storage
        self._shells = {}

    def is_array(self, kind):
        return self._arrays.library(kind) is not None

    def held(self, one):
        """What an array refers to beside what the collector knows, its storages among it; its own size is noted."""
        try:
            data, held = self._arrays.find(type(one))(one)
        except Exception:
            data, held = [], []
        size = own_size(one)
        found = []
        for block in data:
            size -= block.inside
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
            library = self._arrays.library(type(one))
            found = self.storages[block.key] = Storage(block.key[0], block.bytes, library, block.device)
        return found
