"""Arrays: objects whose data lie outside of them, or are so large a part that they are counted apart.

numpy and torch are the user's: they are looked at only where the program has loaded them.
"""

import ctypes
import sys
from array import array

from .._storage import address, quiet_storages
from .._type_facts import is_made_of

HOST = "cpu"


class Data:
    """The block of memory behind an array: ``key`` is the same for all that share it."""

    __slots__ = ("key", "bytes", "device", "inside")

    def __init__(self, key, size, device=HOST, inside=False):
        self.key = key
        self.bytes = size
        self.device = device
        self.inside = inside  # sys.getsizeof counts it already


class Arrays:
    """Tells arrays from other objects: ``find(type)`` is the reader for objects of a type, None where they are none."""

    def __init__(self):
        numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
        self._numpy = getattr(numpy, "ndarray", None)
        self._tensor = getattr(torch, "Tensor", None)
        self._torch = torch
        storages = [getattr(torch, name, None) for name in ("UntypedStorage", "TypedStorage")]
        self._storages = tuple(kind for kind in storages if isinstance(kind, type))
        self._known = {}

    def find(self, kind):
        # By address, as a metaclass may hash classes; with the type, so that its address stays its own.
        if id(kind) not in self._known:
            self._known[id(kind)] = kind, self._reader(kind)
        return self._known[id(kind)][1]

    def _reader(self, kind):
        if self._is(kind, self._numpy):
            return _numpy_array
        if self._is(kind, self._tensor):
            return self._torch_tensor
        if self._is(kind, *self._storages):
            return _torch_storage
        if self._is(kind, array, bytearray):
            return _own_buffer
        if self._is(kind, ctypes.Array, ctypes.Structure, ctypes.Union):
            return _ctypes_value
        return None

    @staticmethod
    def _is(kind, *bases):
        return any(is_made_of(kind, base) for base in bases)

    def _torch_tensor(self, tensor):
        """(its data, what else it holds)"""
        data = [Data((ptr, device), size, device) for ptr, size, device in _tensor_storages(tensor)]
        held = [getattr(tensor, "__dict__", None)]
        try:
            # Of others than leaves torch warns that their gradient is not kept.
            held.append(tensor.grad if tensor.is_leaf else None)
        except Exception:
            pass  # within torch.func
        return data, [one for one in held if one is not None]


def _tensor_storages(tensor):
    for identity, size, device in quiet_storages(tensor):
        if size:
            yield _address(tensor, identity), size, _device_name(tensor, device)


def _address(tensor, identity):
    """By address, so that a numpy array over the same memory is the same block."""
    try:
        return address(tensor) or identity
    except Exception:
        return identity  # a tensor of several parts, which numpy cannot look at


def _device_name(tensor, index):
    return HOST if index < 0 else "%s:%d" % (tensor.device.type, index)


def _torch_storage(storage):
    storage = getattr(storage, "_untyped_storage", storage)
    if storage.device.type == "meta":
        return [], []  # a fake tensor's, as torch.compile keeps them: there is no memory
    device = HOST if storage.device.type == "cpu" else str(storage.device)
    return [Data((storage.data_ptr(), device), storage.nbytes(), device)], []


def _numpy_array(found):
    data = []
    base = found.base
    if base is None and found.nbytes:
        # Its data are its own, and numpy counts them in its size.
        data = [Data((found.__array_interface__["data"][0], HOST), found.nbytes, inside=True)]
    held = [] if base is None else [base]
    if found.dtype.hasobject:
        # Not seen by the garbage collector: arrays of objects are asked for them.
        held.extend(found.ravel().tolist())
    held.append(getattr(found, "__dict__", None))
    return data, [one for one in held if one is not None]


def _own_buffer(found):
    # An array's buffer may be a little larger than what is in it; sys.getsizeof knows.
    kind = bytearray if is_made_of(type(found), bytearray) else array
    size = kind.__sizeof__(found) - object.__sizeof__(found)
    held = getattr(found, "__dict__", None)
    return [Data((id(found), "own"), max(0, size), inside=True)], [] if held is None else [held]


def _ctypes_value(found):
    # Small values lie within the object itself.
    size = ctypes.sizeof(found)
    held = [one for one in (getattr(found, "_b_base_", None), getattr(found, "_objects", None)) if one is not None]
    owns = found._b_needsfree_ and found._b_base_ is None and size > 16
    return [Data((id(found), "own"), size)] if owns else [], held
