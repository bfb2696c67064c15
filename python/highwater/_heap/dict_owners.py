"""Whose dict a dict is: the attributes of an instance, a module, a class.

From Python 3.11 on most instances have no dict until somebody asks for it. As Heapy does, we ask them: only then have
attributes names. In a forked child that costs the program nothing; inside it, about 100 bytes an instance, for good.
"""

import gc
import sys
import types
from collections import deque
from itertools import compress, repeat
from operator import is_

from .._type_facts import HEAP_TYPE, by_address, dict_offset_of, flags_of, mro_of, namespace_of
from .pointers import addresses

_DESCRIPTORS = (types.GetSetDescriptorType, types.MemberDescriptorType)
_INLINE_VALUES = 1 << 2  # of a type's flags from 3.13 on
_LENGTHS = by_address({kind: kind.__len__ for kind in (list, dict, tuple, set, frozenset)})


def _slot_reader():
    """Of objects that have a place for their dict: what is in that place, for asking would make one where there is none."""
    if sys.implementation.name != "cpython":
        return None
    try:
        from ctypes import py_object
    except ImportError:
        return None
    at = py_object.from_address

    def slot(address):
        try:
            return at(address).value
        except ValueError:
            return None  # empty

    return slot


_slot = _slot_reader()


def own_dicts(objects):
    """(owners, their dicts): two lists side by side."""
    owners, dicts = [], []
    for kind, group in _by_type(objects):
        found = list(map(class_dict, group)) if issubclass(kind, type) else _of_instances(kind, group)
        real = list(map(is_, map(type, found), repeat(dict)))
        owners.extend(compress(group, real))
        dicts.extend(compress(found, real))
    return owners, dicts


def class_dict(kind):
    """The dict behind the proxy that a class shows."""
    held = gc.get_referents(namespace_of(kind))
    return held[0] if held else None


def _by_type(objects):
    """(type, its objects) for each."""
    kinds = list(map(type, objects))
    each = addresses(kinds)
    if each.tobytes() == each[:1].tobytes() * len(each):
        return [(kinds[0], objects)] if kinds else []
    groups = {address: [] for address in set(each)}
    deque(map(list.append, map(groups.__getitem__, each), objects), maxlen=0)
    return [(type(group[0]), group) for group in groups.values()]


def _of_instances(kind, group):
    place = dict_offset_of(kind)
    if place > 0 and _slot is not None:
        return [_slot(id(one) + place) for one in group]
    getter = _getter(kind)
    if getter is None:
        return [None] * len(group)
    if not all(base is object or flags_of(base) & HEAP_TYPE for base in mro_of(kind)):
        # Made of a class of C's, as a list: asking would make a dict where there are no attributes.
        return [_quietly(getter, one) if _has_attributes(kind, one) else None for one in group]
    try:
        return list(map(getter, group))
    except Exception:
        return [_quietly(getter, one) for one in group]


def _has_attributes(kind, one):
    """Whether it refers to a dict or, from 3.13 on, to more than its class and its items: values without a dict."""
    held = gc.get_referents(one)
    if any(type(part) is dict for part in held):
        return True
    if sys.version_info < (3, 13) or not flags_of(kind) & _INLINE_VALUES:
        return False
    base = next((id(base) for base in mro_of(kind) if id(base) in _LENGTHS), None)
    items = _LENGTHS[base](one) if base else 0
    # A dict tells its keys only where they are not all texts.
    return len(held) - 1 not in (items, 2 * items if base == id(dict) else items)


def _quietly(getter, one):
    try:
        return getter(one)
    except Exception:
        return None


def _getter(kind):
    """Python's own way to the dict: a class may have put code in place of `__dict__`."""
    for base in mro_of(kind):
        found = namespace_of(base).get("__dict__")
        if type(found) in _DESCRIPTORS:
            return found.__get__
    return None
