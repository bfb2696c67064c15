"""Whose dict a dict is: the attributes of an instance, a module, a class.

From Python 3.11 on most instances have no dict until somebody asks for it. As Heapy does, we ask: only then have
attributes names. In a forked child that costs the program nothing; inside it, about 100 bytes an instance, for good.
"""

import gc
import types
from itertools import compress, repeat
from operator import is_

from .kinds import HEAP_TYPE

_dict_of_type = type.__dict__["__dict__"].__get__
_mro = type.__dict__["__mro__"].__get__
_DESCRIPTORS = (types.GetSetDescriptorType, types.MemberDescriptorType)


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
    held = gc.get_referents(_dict_of_type(kind))
    return held[0] if held else None


def _by_type(objects):
    groups = {}
    for one in objects:
        kind = type(one)
        try:
            groups[id(kind)][1].append(one)
        except KeyError:
            groups[id(kind)] = (kind, [one])
    return groups.values()


def _of_instances(kind, group):
    getter = _getter(kind)
    if getter is None:
        return [None] * len(group)
    if not kind.__flags__ & HEAP_TYPE and kind is not types.ModuleType:
        # Asking a function makes a dict where there is none, so only those are asked that seem to hold one.
        return [_quietly(getter, one) if _may_hold(one) else None for one in group]
    try:
        return list(map(getter, group))
    except Exception:
        return [_quietly(getter, one) for one in group]


def _quietly(getter, one):
    try:
        return getter(one)
    except Exception:
        return None


def _getter(kind):
    """Python's own way to the dict: a class may have put code in place of `__dict__`."""
    for base in _mro(kind):
        found = _dict_of_type(base).get("__dict__")
        if type(found) in _DESCRIPTORS:
            return found.__get__
    return None


def _may_hold(one):
    held = [value for value in gc.get_referents(one) if type(value) is dict]
    if type(one) is types.FunctionType:
        known = (one.__globals__, one.__kwdefaults__, getattr(one, "__builtins__", None))
        held = [value for value in held if not any(value is other for other in known) and not _annotates(value, one)]
    return bool(held)


def _annotates(found, function):
    """Whether a dict is a function's annotations: asking for these would make them."""
    names = (*function.__code__.co_varnames, "return")
    return bool(found) and all(name in names for name in list(found))
