"""Names of what an object refers to, by place: found once for each type, not for each object.

The collector tells what a slotted object refers to always in the same order and leaves out slots that are empty. So
where an object refers to as many things as its type has names, each thing has the name of its place.
"""

import functools
import gc
import types

from .._type_facts import HEAP_TYPE, by_address, flags_of, mro_of, namespace_of
from .traversal import INLINE_VALUES

# Of types made in C, those that people meet on a path and that never leave out a part.
_KNOWN = by_address(
    {
        types.MethodType: ("__func__", "__self__"),
        functools.partial: ("__class__", "func", "args", "keywords", "__dict__"),
        types.CellType: ("cell_contents",),
    }
)
# An object whose slots are not all filled tells nothing of its type: another may.
_TRIES = 3


class Layouts:
    """``names``: by the address of a type, the names of what its objects refer to."""

    def __init__(self):
        self.names = {}
        self._left = {}

    def learn(self, piece):
        """From one object of each type that is not known yet."""
        left = self._left
        for address in set(piece.types) - left.keys():
            left[address] = _TRIES
        unknown = [address for address in set(piece.types) if left[address]]
        if not unknown:
            return
        some = dict(zip(piece.types, piece.objects))
        for address in unknown:
            left[address] -= 1
            found = _layout(some[address])
            if found:
                self.names[address] = found
            if found or found is None:
                left[address] = 0


def _layout(one):
    """Names in the collector's order; empty where this object is not filled, None where its type has no such order."""
    kind = type(one)
    names = _KNOWN.get(id(kind)) or _names_of(kind)
    if names is None:
        return None
    held = gc.get_referents(one)
    if len(held) != len(names):
        return ()
    try:
        same = all(value is _value(one, name) for value, name in zip(held, names))
    except Exception:
        same = False
    return names if same else None


def _names_of(kind):
    """Of a class written in Python, all whose bases are: then nothing but slots, dict and class is referred to."""
    names, has_dict = [], False
    for base in mro_of(kind):
        if base is object:
            break
        flags = flags_of(base)
        if not flags & HEAP_TYPE or flags & INLINE_VALUES:
            return None
        own = namespace_of(base)
        names += [name for name, value in own.items() if type(value) is types.MemberDescriptorType]
        has_dict = has_dict or type(own.get("__dict__")) is types.GetSetDescriptorType
    return (*names, *(("__dict__",) if has_dict else ()), "__class__")


def _value(one, name):
    """Through Python's own descriptors: the class may answer with code of its own."""
    kind = type(one)
    if name == "__class__":
        return kind
    for base in mro_of(kind):
        found = namespace_of(base).get(name)
        if type(found) in (types.MemberDescriptorType, types.GetSetDescriptorType):
            return found.__get__(one)
    raise AttributeError(name)
