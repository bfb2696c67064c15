"""What is to be done with objects of a type; looked up for each object, so it is found once for each type."""

import gc
import sys
from types import CodeType

from .._own_size import size_reader
from .._type_facts import HAS_GC, by_address, dict_offset_of, flags_of
from .kinds import module_of

# Nothing to follow; asked by the collector's own function; read in order; pairs; pairs and more; the rest in ways of
# their own.
LEAF, PLAIN, SEQUENCE, DICT, DICT_CLASS, ARRAY, CLASS, CODE = range(8)
_DICT_SUBCLASS = 1 << 29
_TYPE_SUBCLASS = 1 << 31


def _values_stay():
    """In 3.13 instances go on referring to the values of their attributes, and not to the dict that shows them."""

    class Probe:
        pass

    one = Probe()
    one.value = []
    own = one.__dict__
    return sys.version_info >= (3, 13) and not any(held is own for held in gc.get_referents(one))


INLINE_VALUES = 1 << 2 if _values_stay() else 0
_ATOMS = by_address(dict.fromkeys((str, int, float, complex, bool, bytes, bytearray, type(None))))


class TraversalRules:
    """``kinds`` has every type that was met, by its address."""

    def __init__(self, is_array):
        self.kinds = {}
        self.with_dict = set()
        self.inline = set()
        self.size_readers = {}  # of types that are not simply asked
        self._is_array = is_array
        self._sorts = {}

    def of(self, objects, addresses):
        """One byte for each object."""
        try:
            return bytes(map(self._sorts.__getitem__, addresses))
        except KeyError:
            for address, kind in dict(zip(addresses, map(type, objects))).items():
                if address not in self.kinds:
                    self._add(address, kind)
            return bytes(map(self._sorts.__getitem__, addresses))

    def _add(self, address, kind):
        self.kinds[address] = kind
        self._sorts[address] = sort = self._sort(kind)
        if dict_offset_of(kind) or sort == CLASS:
            self.with_dict.add(address)
        if flags_of(kind) & INLINE_VALUES:
            self.inline.add(address)
        reader = size_reader(kind)
        if reader is not sys.getsizeof:
            self.size_readers[address] = reader

    def _sort(self, kind):
        flags = flags_of(kind)
        if kind is dict:
            return DICT
        if kind is list or kind is tuple:
            return SEQUENCE
        if flags & _DICT_SUBCLASS:
            return DICT_CLASS
        if flags & _TYPE_SUBCLASS:
            return CLASS
        if self._is_array(kind):
            return ARRAY
        if kind is CodeType:
            return CODE
        leaf = id(kind) in _ATOMS or (not flags & HAS_GC and module_of(kind) == "numpy")
        return LEAF if leaf else PLAIN


def masks(sorts):
    """(sort, mask) for each sort that is among them; the mask is None where there is no other."""
    for sort in sorted(set(sorts)):
        if sorts.count(sort) == len(sorts):
            yield sort, None
        else:
            yield sort, sorts.translate(_TABLES[sort])


_TABLES = [bytes(int(byte == sort) for byte in range(256)) for sort in range(CODE + 1)]
