"""Bytes of an object itself: without what it holds, and without running code of the program's.

A `__sizeof__` that is written in Python does whatever it likes, and many add up all that an object holds (those of
pandas do), which is counted where it is. One that is compiled tells of memory that is the object's own, and that
nothing else shows (the columns of a table of pyarrow are in no Python object).
"""

import sys
from types import MethodDescriptorType

from ._type_facts import HAS_GC, HEAP_TYPE, basic_size_of, flags_of, item_size_of, mro_of, namespace_of

_BEFORE = 1 << 3 | 1 << 4  # of a type's flags: two more words lie before its objects
_INLINE = 1 << 2 if sys.version_info >= (3, 13) else 0  # values of attributes lie behind its objects
_HEAD = 16  # what the collector keeps before an object


class _Plain:
    pass


_WORDS = sys.getsizeof(_Plain()) - object.__sizeof__(_Plain()) - _HEAD  # none until 3.10


def size_reader(kind):
    """A function of an object of this type."""
    written = False
    for base in mro_of(kind):
        found = namespace_of(base).get("__sizeof__")
        if type(found) is MethodDescriptorType or (found is not None and not flags_of(base) & HEAP_TYPE):
            break  # of a C structure's type it is compiled, whatever wraps it (Cython's functions are no descriptors of C)
        written = written or found is not None
    if not written:
        return sys.getsizeof
    before = _before(kind)
    return lambda one: found(one) + before


def fixed_size(kind):
    """Bytes of each object of this type; None where they may differ."""
    flags = flags_of(kind)
    if item_size_of(kind) or flags & _INLINE or (flags & HAS_GC and not flags & HEAP_TYPE):
        return None  # whether the collector keeps something before an object of C's, the object itself may decide
    for base in mro_of(kind):
        if base is not object and "__sizeof__" in namespace_of(base):
            return None
    return basic_size_of(kind) + _before(kind)


def _before(kind):
    flags = flags_of(kind)
    return (_HEAD if flags & HAS_GC else 0) + (_WORDS if flags & _BEFORE else 0)


def own_size(one):
    try:
        return size_reader(type(one))(one)
    except Exception:
        return 0  # C code may refuse, too
