"""Connections: the numbers that a model is made of, however many of them share memory."""

import gc
import sys

from .arrays import Arrays
from .walk import Walk


def connections(roots):
    """Elements of every array each time that it is held; of torch modules their parameters; of weights with a mask
    those that are not masked."""
    torch = sys.modules.get("torch")
    module = getattr(getattr(torch, "nn", None), "Module", None)
    found = 0
    others = []
    for root in roots:
        if module is not None and isinstance(root, module):
            found += sum(one.numel() for _, one in root.named_parameters(remove_duplicate=False))
        elif not (module is not None and hasattr(root, "param_groups")):
            others.append(root)
    return found + _in_objects(others)


def _in_objects(roots):
    counting = _Counting()
    counting.add(*roots)
    return counting.found + sum(counting.elements(root) for root in roots)


class _Counting(Walk):
    """Looks through objects as sizes do, and at each reference to an array counts its elements."""

    def __init__(self):
        super().__init__()
        self.found = 0
        self._arrays = Arrays()

    def _measure(self, level, last):
        for one in level:
            if self._arrays.find(type(one)) is None:
                self.found += self._held_by(one)
        return super()._measure(level, last)

    def _held_by(self, one):
        sizes = [(held, self.elements(held)) for held in gc.get_referents(one)]
        sizes = [(held, size) for held, size in sizes if size]
        if len(sizes) > 1:
            # Of weights with a mask over them only what the mask lets through counts.
            weights, mask = _named(one, "weights"), _named(one, "mask")
            pair = [held for held, _ in sizes if held is weights or held is mask]
            if len(pair) == 2 and weights.shape == mask.shape:
                others = sum(size for held, size in sizes if held is not weights and held is not mask)
                return int((mask != 0).sum()) + others
        return sum(size for _, size in sizes)

    def elements(self, one):
        if self._arrays.find(type(one)) is None:
            return 0
        size = getattr(one, "numel", None) or getattr(one, "size", None)
        return int(size() if callable(size) else size or 0) if hasattr(one, "shape") else 0


def _named(one, name):
    """What an object has under a name, without running anything of the program's."""
    if type(one) is dict:
        return one.get(name)
    if isinstance(getattr(type(one), name, None), property):
        return None
    try:
        return object.__getattribute__(one, name)
    except Exception:
        return None
