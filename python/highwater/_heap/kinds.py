"""What objects are called in a partition: Heapy's names, so that tables can be held side by side."""

import builtins
import types

from .._type_facts import by_address

_module = type.__dict__["__module__"].__get__
_name = type.__dict__["__name__"].__get__
_SAID_PLAINLY = by_address({types.FunctionType: "function", types.ModuleType: "module"})
_IN_TYPES = {}
for _key, _value in sorted(vars(types).items()):
    if isinstance(_value, type) and _module(_value) == "builtins":
        _IN_TYPES[id(_value)] = "types." + _key


def module_of(kind):
    try:
        module = _module(kind)
    except Exception:
        return ""
    return module if type(module) is str else ""


def type_name(kind):
    """`str`, `types.CodeType`, `collections.OrderedDict`, `builtins.PyCapsule`."""
    if id(kind) in _SAID_PLAINLY:
        return _SAID_PLAINLY[id(kind)]
    module, name = module_of(kind), _name(kind)
    if module != "builtins":
        return "%s.%s" % (module, name) if module else name
    if getattr(builtins, name, None) is kind:
        return name
    return _IN_TYPES.get(id(kind), "builtins." + name)


def dict_name(owner):
    """Of the dict that is an object's own; `owner` is the object's type, None where it is nobody's."""
    return "dict (no owner)" if owner is None else "dict of " + type_name(owner)
