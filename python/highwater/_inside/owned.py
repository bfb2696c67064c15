"""What the newest entries of a container take, with all that only they hold: arrays, buffers, frames of kept errors.

By Python's own references, sizes that are compiled, and no code of the program's.
"""

import gc
import sys
import types

from .._own_size import own_size
from .._type_facts import by_address

# So many objects are looked at for one container.
MOST = 600
# More references than this, of two holders and of ours: it is somebody else's too (small numbers, names, settings).
OWN_REFERENCES = 6
# What leads out of the container, to the program and its libraries.
_ELSEWHERE = frozenset(by_address(dict.fromkeys((types.ModuleType, type, types.CodeType))))


def owned_bytes(entries):
    """``entries``: a list, which is emptied. Bytes of what is in it, each object once."""
    ahead = entries
    seen = set(map(id, ahead))
    total = looked = 0
    while ahead and looked < MOST:
        one = ahead.pop()
        if sys.getrefcount(one) > OWN_REFERENCES or id(type(one)) in _ELSEWHERE:
            continue
        looked += 1
        total += own_size(one) + _storage(one)
        for held in _held(one):
            if id(held) not in seen:
                seen.add(id(held))
                ahead.append(held)
        held = None
    del ahead[:]
    return total


def _held(one):
    numpy = sys.modules.get("numpy")
    array = getattr(numpy, "ndarray", None)
    if array is not None and type(one) is array:
        # The collector does not know what a view looks at.
        return () if one.base is None else (one.base,)
    return gc.get_referents(one)


def _storage(one):
    """Of a tensor, which says nothing of its memory when it is asked for its size."""
    torch = sys.modules.get("torch")
    try:
        if type(one) is torch.Tensor or type(one) is torch.nn.Parameter:
            return one.untyped_storage().nbytes() if one.device.type == "cpu" else 0
    except Exception:
        pass  # no torch, or one that is being loaded; a sparse or fake tensor
    return 0
