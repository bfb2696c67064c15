"""What a type says of itself. Attributes of a class may be answered by code of its metaclass, and so may be its
hash and whether it equals another: types are read by these, compared by `is`, and looked up by their address."""

_mro = type.__dict__["__mro__"].__get__
_namespace = type.__dict__["__dict__"].__get__
flags_of = type.__dict__["__flags__"].__get__
dict_offset_of = type.__dict__["__dictoffset__"].__get__
basic_size_of = type.__dict__["__basicsize__"].__get__
item_size_of = type.__dict__["__itemsize__"].__get__
HEAP_TYPE = 1 << 9  # of a type's flags: made by a class statement or its like, not by a C structure
HAS_GC = 1 << 14


def mro_of(kind):
    return _mro(kind) or (kind, object)  # a type in the making has none yet


def namespace_of(kind):
    return _namespace(kind) or {}  # nor this


def by_address(values):
    """A dict of types that live for ever, to be asked with `id(kind)`."""
    return {id(kind): value for kind, value in values.items()}


def is_made_of(kind, base):
    """`issubclass`, which may ask code of a metaclass too."""
    return any(one is base for one in mro_of(kind))
