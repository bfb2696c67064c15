"""The objects of this process: `heap()` is Heapy's table, `heap.dump(path)` a file for `highwater heap` (docs/python-heap.md).

    from highwater import heap, setrelheap
    heap()                     # partition by kind
    heap()[0].shpaths          # who holds the objects of the first row
    heap.dump("train.hwheap")  # taken in a forked child; the program goes on
"""

import sys
import types

_state = {"context": None, "older": None}


def dump(path, mode="auto"):
    """Writes the heap to a file, from a forked child (`fork`) or in this process (`inside`); `auto` forks where it can.

    The program goes on at once; `.wait()` of what is returned gives the figures when the file is whole.
    """
    from ._heap.take import take

    return take(path, mode)


def take_heap():
    """All objects, or those that came since `setrelheap()`."""
    every = _every()
    older = _state["older"]
    return every if older is None else every - older


def setrelheap(reference=None):
    """From now on `heap()` shows only objects that are not in ``reference``: those alive now, where none is given.

    They are kept alive, as in Heapy, or new objects might be taken for old ones. `setrelheap(heap.nothing())` ends it.
    """
    _state["older"] = _every() if reference is None else reference or None


def iso(*objects):
    """A set of just these objects."""
    from ._heap.set import HeapSet

    return HeapSet(_context(), list({id(one): one for one in objects}.values()))


def nothing():
    """The empty set."""
    return iso()


def load(path):
    """A partition that `heap().stat.dump(path)` wrote, here or in Heapy."""
    from ._heap.stat import load as load_stat

    return load_stat(path)


class Hpy:
    """For programs that say `h = hpy()`."""

    heap = staticmethod(take_heap)
    setrelheap = setref = staticmethod(setrelheap)
    iso = staticmethod(iso)
    load = staticmethod(load)
    Nothing = property(lambda self: nothing())


def hpy():
    return Hpy()


def _every():
    from ._heap.set import HeapSet
    from ._whole import refusal

    if refusal():
        raise RuntimeError(refusal())
    # Not by a star: what a call gathers would be among what is seen.
    objects, sizes, kinds = _context().survey()
    return HeapSet(_context(), objects, sizes, kinds)


def _context():
    if _state["context"] is None:
        from ._heap.heap_context import HeapContext

        _state["context"] = HeapContext()
    return _state["context"]


class _Callable(types.ModuleType):
    """`heap` is the module, and what one calls."""

    def __call__(self):
        return take_heap()


sys.modules[__name__].__class__ = _Callable
