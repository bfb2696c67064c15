"""Arrays: objects whose data lie outside of them, or are so large a part that they are counted apart.

numpy, torch and pyarrow are the user's: they are looked at only where the program has loaded them.
"""

import ctypes
import sys
from array import array

from .._own_size import own_size
from .._storage import address, quiet_storages
from .._type_facts import is_made_of

HOST = "cpu"


class Data:
    """The block of memory behind an array: ``key`` is the same for all that share it."""

    __slots__ = ("key", "bytes", "device", "inside")

    def __init__(self, key, size, device=HOST, inside=0):
        self.key = key
        self.bytes = size
        self.device = device
        self.inside = inside  # bytes that sys.getsizeof of the array counts already


class Arrays:
    """Tells arrays from other objects: ``find(type)`` is the reader for objects of a type, None where they are none."""

    def __init__(self):
        self._readers = (
            ("numpy", _loaded("numpy", "ndarray"), _numpy_array),
            ("torch", _loaded("torch", "Tensor"), _torch_tensor),
            ("torch", _loaded("torch", "UntypedStorage", "TypedStorage"), _torch_storage),
            ("pyarrow", _loaded("pyarrow", "Buffer", "Array", "ChunkedArray", "RecordBatch", "Table"), _arrow_data),
            (None, (array, bytearray), _own_buffer),
            (None, (ctypes.Array, ctypes.Structure, ctypes.Union), _ctypes_value),
        )
        self._known = {}

    def find(self, kind):
        return self._look(kind)[2]

    def library(self, kind):
        """Whose arrays these are; None: Python's own, or no arrays."""
        return self._look(kind)[1]

    def _look(self, kind):
        # By address, as a metaclass may hash classes; with the type, so that its address stays its own.
        if id(kind) not in self._known:
            found = (one for one in self._readers if any(is_made_of(kind, base) for base in one[1]))
            library, _, reader = next(found, (None, None, None))
            self._known[id(kind)] = kind, library, reader
        return self._known[id(kind)]


def _loaded(module, *names):
    found = sys.modules.get(module)
    kinds = [getattr(found, name, None) for name in names]
    return tuple(kind for kind in kinds if isinstance(kind, type))


def _torch_tensor(tensor):
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
        data = [Data((found.__array_interface__["data"][0], HOST), found.nbytes, inside=found.nbytes)]
    held = [] if base is None else [base]
    if found.dtype.hasobject:
        # Not seen by the garbage collector: arrays of objects are asked for them.
        held.extend(found.ravel().tolist())
    held.append(getattr(found, "__dict__", None))
    return data, [one for one in held if one is not None]


def _arrow_data(found):
    """A table, its columns, their slices and what pandas makes of them all lie in the same memory: it is told by address."""
    buffers = [one for one in _arrow_buffers(found) if one is not None and one.is_cpu]
    data = [Data((one.address, HOST), one.size) for one in buffers if one.size]
    if data:
        data[0].inside = max(0, own_size(found) - object.__sizeof__(found))
    held = getattr(found, "__dict__", None)
    return data, [] if held is None else [held]


def _arrow_buffers(found):
    parts = getattr(found, "columns", None)  # of a table or a batch
    if parts is None:
        parts = getattr(found, "chunks", None)
    if parts is None:
        yield from found.buffers() if hasattr(found, "buffers") else [found]
        parts = [one for one in [getattr(found, "dictionary", None)] if one is not None]
    for part in parts:
        yield from _arrow_buffers(part)


def _own_buffer(found):
    # An array's buffer may be a little larger than what is in it; sys.getsizeof knows.
    kind = bytearray if is_made_of(type(found), bytearray) else array
    size = max(0, kind.__sizeof__(found) - object.__sizeof__(found))
    held = getattr(found, "__dict__", None)
    return [Data((id(found), "own"), size, inside=size)], [] if held is None else [held]


def _ctypes_value(found):
    # Small values lie within the object itself.
    size = ctypes.sizeof(found)
    held = [one for one in (getattr(found, "_b_base_", None), getattr(found, "_objects", None)) if one is not None]
    owns = found._b_needsfree_ and found._b_base_ is None and size > 16
    return [Data((id(found), "own"), size)] if owns else [], held
