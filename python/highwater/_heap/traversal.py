"""What is to be done with objects of a type; looked up for each object, so it is found once for each type."""

import gc
import sys
from array import array
from types import CodeType

from .._own_size import fixed_size, size_reader
from .._type_facts import HAS_GC, by_address, dict_offset_of, flags_of
from .kinds import module_of
from .pointers import addresses

# Nothing to follow, by type; read in order; pairs; asked by the collector's own function; pairs and more; the rest in
# ways of their own.
LEAF, TEXT, INTEGER, FLOAT, LIST, TUPLE, DICT, PLAIN, DICT_CLASS, ARRAY, CLASS, CODE = range(12)
_OWN = 16  # beside the sort: may have a dict of its own
# Sorts of which all objects are of one type.
ONE_TYPE = {TEXT: str, INTEGER: int, FLOAT: float, LIST: list, TUPLE: tuple, DICT: dict}
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
_ATOMS = by_address(dict.fromkeys((complex, bool, bytes, bytearray, type(None))))
_SORTS = by_address({kind: sort for sort, kind in ONE_TYPE.items()})
_ORDINARY = array("Q", [id(type)]).tobytes()


class TraversalRules:
    """``kinds`` has every type that was met, by its address."""

    def __init__(self, is_array):
        self.kinds = {}
        self.inline = set()
        self.size_readers = {}  # of types that are not simply asked
        self.fixed = {}  # of types all whose objects have one size
        self._is_array = is_array
        self._codes = {}
        self._ordinary = {}

    def of(self, kinds):
        """One byte for each of these types, to be taken apart by `masks` and `owning`."""
        # A class may be hashed and compared by code of its metaclass, but not where that is Python's own.
        if addresses(list(map(type, kinds))).tobytes() == _ORDINARY * len(kinds):
            table, keys = self._ordinary, kinds
        else:
            table, keys = self._codes, addresses(kinds)
        try:
            return bytes(map(table.__getitem__, keys))
        except KeyError:
            for address, kind in dict(zip(addresses(kinds), kinds)).items():
                if address not in self.kinds:
                    self._add(address, kind)
            return bytes(map(table.__getitem__, keys))

    def _add(self, address, kind):
        self.kinds[address] = kind
        sort = self._sort(kind)
        code = sort | _OWN if dict_offset_of(kind) or sort == CLASS else sort
        self._codes[address] = code
        if type(kind) is type:
            self._ordinary[kind] = code
        if flags_of(kind) & INLINE_VALUES:
            self.inline.add(address)
        reader = size_reader(kind)
        if reader is not sys.getsizeof:
            self.size_readers[address] = reader
        size = fixed_size(kind)
        if size is not None:
            self.fixed[address] = size

    def _sort(self, kind):
        flags = flags_of(kind)
        if id(kind) in _SORTS:
            return _SORTS[id(kind)]
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


def masks(codes):
    """(sort, mask) for each sort that is among them; the mask is None where there is no other."""
    sorts = codes.translate(_SORT)
    for sort in sorted(set(sorts)):
        if sorts.count(sort) == len(sorts):
            yield sort, None
        else:
            yield sort, sorts.translate(_TABLES[sort])


def owning(codes):
    """Which may have a dict of their own; None where there are no such."""
    mask = codes.translate(_OWNING)
    return mask if 1 in mask else None


_SORT = bytes(byte & 15 for byte in range(256))
_OWNING = bytes(int(byte & _OWN > 0) for byte in range(256))
_TABLES = [bytes(int(byte == sort) for byte in range(256)) for sort in range(CODE + 1)]
