"""What objects are called in a partition: Heapy's names, so that tables can be held side by side."""

import builtins
import types

# Taken from the type itself: attributes of a class may be answered by code of its metaclass.
_module = type.__dict__["__module__"].__get__
_name = type.__dict__["__name__"].__get__
flags_of = type.__dict__["__flags__"].__get__
HEAP_TYPE = 1 << 9  # of a type's flags: made by a class statement or its like, not by a C structure
_SAID_PLAINLY = {types.FunctionType: "function", types.ModuleType: "module"}
_IN_TYPES = {}
for _key, _value in sorted(vars(types).items()):
    if isinstance(_value, type) and _module(_value) == "builtins":
        _IN_TYPES[_value] = "types." + _key


def module_of(kind):
    try:
        module = _module(kind)
    except Exception:
        return ""
    return module if isinstance(module, str) else ""


def type_name(kind):
    """`str`, `types.CodeType`, `collections.OrderedDict`, `builtins.PyCapsule`."""
    if kind in _SAID_PLAINLY:
        return _SAID_PLAINLY[kind]
    module, name = module_of(kind), _name(kind)
    if module != "builtins":
        return "%s.%s" % (module, name) if module else name
    if getattr(builtins, name, None) is kind:
        return name
    return _IN_TYPES.get(kind, "builtins." + name)


def dict_name(owner):
    """Of the dict that is an object's own; `owner` is the object's type, None where it is nobody's."""
    return "dict (no owner)" if owner is None else "dict of " + type_name(owner)
