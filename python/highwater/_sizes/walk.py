"""Sizes of objects with all that they hold: every object once, cycles included, arrays by their storage.

Level by level rather than by recursion, so that depth costs nothing and ``limit`` means levels.
"""

import gc
import sys
import types
from collections import Counter

from .._own_size import size_reader
from .arrays import HOST, Arrays
from .instances import has_hidden_values, hidden_values

# Belongs to the program, not to the data: left out unless it was asked for.
CODE = (
    type,
    types.ModuleType,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.CodeType,
    types.FrameType,
    types.GeneratorType,
    types.CoroutineType,
    types.AsyncGeneratorType,
    types.TracebackType,
    types.WrapperDescriptorType,
    types.MethodDescriptorType,
    types.ClassMethodDescriptorType,
    types.MethodWrapperType,
    types.GetSetDescriptorType,
    types.MemberDescriptorType,
    staticmethod,
    classmethod,
)


class Walk:
    """``objects``: bytes of objects; ``arrays``: bytes of array data by device; ``count``: how many objects."""

    def __init__(self, align=8, limit=None, code=False):
        if align < 1 or align & (align - 1):
            raise ValueError("align must be a power of 2, got %r" % (align,))
        if limit is not None and limit < 0:
            raise ValueError("limit must be 0 or more, got %r" % (limit,))
        self._mask = align - 1
        self._limit = sys.maxsize if limit is None else limit
        self._code = code
        self._find = Arrays().find
        self._skip = {}
        self._seen = set()
        self._blocks = set()
        self._kept = []  # makes sure that no id is used twice while we look
        self.objects = 0
        self.arrays = Counter()
        self.count = 0
        self.kinds = {}  # address of a type → [count, bytes of objects, of arrays, the type, readers of its objects…]

    @property
    def total(self):
        return self.objects + sum(self.arrays.values())

    @property
    def host_arrays(self):
        return self.arrays[HOST]

    def add(self, *roots):
        """Sizes what is new in these; the bytes that they added. Given objects count whatever they are."""
        before = self.total
        level = list(self._fresh(roots, any_kind=True))
        depth = 0
        while level:
            # Modules name half of the interpreter: only one that was given is looked into.
            level = list(self._fresh(self._measure(level, depth >= self._limit)))
            depth += 1
        return self.total - before

    def add_alone(self, one):
        """One object without what it holds, which is left to be added later."""
        self._measure(list(self._fresh([one], any_kind=True)), True)

    def has(self, one):
        return id(one) in self._seen

    def skips(self, one):
        """Whether an object counts only where it is given itself."""
        return self._skipped(type(one))

    def widen(self, *ours):
        """From now on code counts too; ``ours`` never do, nor what the walk itself keeps."""
        self._code = True
        self._skip.clear()
        self._seen.update(map(id, (*ours, self._kept, self._seen, self._blocks, self.kinds)))

    def _fresh(self, found, any_kind=False):
        seen = self._seen
        for one in found:
            key = id(one)
            if key not in seen and (any_kind or not self._skipped(type(one))):
                seen.add(key)
                self._kept.append(one)
                yield one

    def _skipped(self, kind):
        skip = self._skip.get(id(kind))
        if skip is None:
            skip = not self._code and issubclass(kind, CODE)
            # Modules, even with their code, are the program's and not this object's.
            skip = self._skip[id(kind)] = skip or issubclass(kind, (types.ModuleType, types.FrameType))
        return skip

    def _measure(self, level, last):
        """Adds up a level; what it refers to, with repeats."""
        plain, held = [], []
        mask, kinds = self._mask, self.kinds
        for one in level:
            kind = type(one)
            row = kinds.get(id(kind))
            if row is None:
                row = kinds[id(kind)] = [0, 0, 0, kind, self._find(kind), _special(kind), size_reader(kind)]
            read, special = row[4], row[5]
            try:
                size = (row[6](one) + mask) & ~mask
            except Exception:
                size = 0
            if read is not None:
                blocks, more = _quiet_read(read, one)
                held.extend(more)
                size, data = self._take(blocks, size)
                row[2] += data
            else:
                if special is not None:
                    size += special(one, kind, held)
                if special is not _function:
                    plain.append(one)
            row[0] += 1
            row[1] += size
            self.objects += size
        self.count += len(level)
        if last:
            return []
        held.extend(gc.get_referents(*plain))
        return held

    def _take(self, blocks, size):
        """The bytes of an array's object, and those of its data that are new."""
        new = 0
        for block in blocks:
            size -= block.inside
            if block.key not in self._blocks:
                self._blocks.add(block.key)
                self.arrays[block.device] += block.bytes
                new += block.bytes
        return size, new


def _special(kind):
    """For types of which the garbage collector tells too little or too much."""
    if issubclass(kind, dict):
        return _dict
    if issubclass(kind, types.FunctionType):
        return _function
    return _instance if has_hidden_values(kind) else None


def _dict(one, kind, held):
    # Keys that are texts cannot be part of a cycle: it passes them over.
    held.extend(list(dict.keys(one)))
    return 0


def _function(one, kind, held):
    # A function's globals are its module, which is no part of it.
    held.extend(part for part in gc.get_referents(one) if part is not one.__globals__ and part is not _builtins)
    return 0


def _instance(one, kind, held):
    return hidden_values(one, kind)


_builtins = vars(sys.modules["builtins"])


def _quiet_read(read, one):
    try:
        return read(one)
    except Exception:
        return [], []  # half made, or already let go
