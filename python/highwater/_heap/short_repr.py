"""One object in a few words."""

import reprlib
import types

from .._type_facts import by_address
from .arrays import Storage
from .kinds import type_name

_short = reprlib.Repr()
_short.maxstring = _short.maxother = 40
# Whose own words are safe to ask for: others may run code of the program's.
_PLAIN = by_address(dict.fromkeys((str, bytes, int, float, complex, bool, type(None))))
_COUNTED = by_address(dict.fromkeys((list, tuple, dict, set, frozenset)))


def short_repr(one):
    kind = type(one)
    if kind is Storage:
        return repr(one)
    if id(kind) in _PLAIN:
        return "%s: %s" % (type_name(kind), short(one))
    if issubclass(kind, type):
        return "%s: %s" % (type_name(kind), type_name(one))
    if kind is types.ModuleType:
        return "module: %s" % vars(one).get("__name__", "?")
    if kind is types.FunctionType:
        return "function: %s.%s" % (one.__module__, one.__name__)
    size = "*%d" % len(one) if id(kind) in _COUNTED else ""
    return "%s: %#x%s" % (type_name(kind), id(one), size)


def short(one):
    """A key as it stands between brackets."""
    kind = type(one)
    if kind is str:
        return reprlib.repr(one)  # as long as in Heapy's paths: 'in_connectio...is_long_sheet'
    if id(kind) in _PLAIN:
        return _short.repr(one)
    if kind is tuple and all(id(type(part)) in _PLAIN for part in one):
        return _short.repr(one)
    return "<%s at %#x>" % (type_name(kind), id(one))
