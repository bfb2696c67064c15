"""By which name something was reached, in the words that `_names` has for holders: `list of 3 in cache of __main__`."""

import types

from .._frames import local_variables
from .._function_names import FRAME_OF, LRU_CACHE, default_of, placed
from .._names import attribute_of, attributes_of, name_in
from .._type_facts import is_made_of, namespace_of
from .reachable import base_of

STEPS = 6


def name_of(node):
    """Empty where it has none."""
    said = []
    for _ in range(STEPS):
        if node.above is None:
            said.append(node.name)
            break
        name = _by_name(node)
        if name:
            said.append(name)
            break
        node = node.above
        words = _words(node.one)
        if words:
            said.append(words)
    return " in ".join(said)


def _words(one):
    """Of what lies between a value and its name."""
    base = base_of(type(one))
    if base is not None:
        return "%s of %d" % (type(one).__name__, base.__len__(one))
    return None if type(one) in (tuple, types.CellType) else type(one).__name__


def _by_name(node):
    """`items of Service`, `seen of function load at data.py:3`; None where what holds it has no name for it."""
    value, above = node.one, node.above
    owner, kind = above.one, type(above.one)
    upper = above.above.one if above.above is not None else None
    if kind is dict:
        return _in_namespace(owner, value, upper)
    if is_made_of(kind, type):
        name, _ = name_in(dict(namespace_of(owner)), value)
        return name and "%s of class %s" % (name, owner.__name__)
    if kind is LRU_CACHE:
        function = object.__getattribute__(owner, "__dict__").get("__wrapped__")
        return "lru_cache of function %s" % placed(function) if type(function) is types.FunctionType else None
    if kind is types.FrameType or kind in FRAME_OF:
        return _in_frame(owner if kind is types.FrameType else getattr(owner, FRAME_OF[kind]), value)
    if kind is tuple:
        name = default_of(upper, owner, value) if type(upper) is types.FunctionType else None
        return name and "%s of function %s" % (name, placed(upper))
    if kind is types.CellType:
        function = above.above.above.one if upper is not None and above.above.above is not None else None
        return _in_closure(function, owner)
    return attribute_of(value, [owner]) if base_of(kind) is None else None


def _in_namespace(namespace, value, upper):
    """Of a dict that is an object's own, or a function's."""
    if upper is None:
        return None
    if type(upper) is types.FunctionType:
        # Asked for its attributes a function makes a dict for them: this one has come from it.
        name, _ = name_in(namespace, value)
        return name and "%s of function %s" % (name, placed(upper))
    if base_of(type(upper)) is not None or attributes_of(upper) is not namespace:
        return None
    name, _ = name_in(namespace, value)
    return name and "%s of %s" % (name, type(upper).__name__)


def _in_frame(frame, value):
    for name, held in local_variables(frame) if frame is not None else ():
        if held is value:
            return "%s in %s()" % (name, frame.f_code.co_name)
    return None


def _in_closure(function, cell):
    if type(function) is not types.FunctionType:
        return None
    for name, one in zip(function.__code__.co_freevars, function.__closure__ or ()):
        if one is cell:
            return "%s of closure %s" % (name, placed(function))
    return None
