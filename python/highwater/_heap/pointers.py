"""Addresses of what a list holds. A list of CPython's is a row of pointers, which is copied in one go where it lies in
memory as expected: to ask each object for its `id` takes a hundred times as long."""

import sys
from array import array

_ITEMS = 24  # of a list: its references, its type, its length, then where its items are
_LIST = 40


def _asked(objects):
    return array("Q", map(id, objects))


def _reader():
    # Debug builds, and those without a global lock, put more before each object.
    if sys.implementation.name != "cpython" or list.__basicsize__ != _LIST or sys.maxsize < 1 << 32:
        return _asked
    try:
        from ctypes import c_size_t, string_at
    except ImportError:
        return _asked
    at = c_size_t.from_address

    def read(objects):
        found = array("Q")
        if not isinstance(objects, list):
            return _asked(objects)
        if objects:
            found.frombytes(string_at(at(id(objects) + _ITEMS).value, 8 * len(objects)))
        return found

    some = [None, [], "", 1.5]
    return read if read(some) == _asked(some) else _asked


addresses = _reader()
