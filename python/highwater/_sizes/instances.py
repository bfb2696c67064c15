"""What Python 3.11 and 3.12 keep beside an instance and do not count: the values of its attributes.

From 3.11 on an instance has no dict until somebody asks for it: asking would make one, and memory would grow by
being measured. 3.13 counts the values in the object's own size; before 3.11 there is always a dict.
"""

import gc
import sys

from .._type_facts import basic_size_of, flags_of

_MANAGED_DICT = 1 << 4
_POINTER = 8
_HIDDEN = (3, 11) <= sys.version_info < (3, 13)


class _Plain:
    """Others than such have fields of their own, and their referents say nothing of attributes."""


_PLAIN = _Plain.__basicsize__


def has_hidden_values(kind):
    """Whether instances of a type may have values that nobody counts."""
    return _HIDDEN and basic_size_of(kind) <= _PLAIN and bool(flags_of(kind) & _MANAGED_DICT)


def hidden_values(one, kind):
    """Bytes of the values of an instance that has no dict yet; about: a class keeps room for one more name."""
    values = [value for value in gc.get_referents(one) if value is not kind]
    if not values or _is_dict(values):
        return 0
    names = len(values) + 1
    prefix = (names + 2 + _POINTER - 1) // _POINTER * _POINTER
    return prefix + names * _POINTER


def _is_dict(values):
    """A dict that was made is all that the instance refers to."""
    return len(values) == 1 and type(values[0]) is dict and all(type(name) is str for name in values[0])
