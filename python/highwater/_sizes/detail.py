"""asizeof and asized, with the options that Pympler's have."""

import gc
import sys

from .._own_size import own_size
from .walk import Walk


class Asized:
    """The size of one object: ``size`` with all it holds, ``flat`` alone, ``arrays`` of it in array data; ``refs``
    is the same of what it holds, as far as ``detail`` went. Bytes that two of these share count under the first."""

    __slots__ = ("size", "flat", "arrays", "name", "refs")

    def __init__(self, size, flat, arrays, name, refs):
        self.size = size
        self.flat = flat
        self.arrays = arrays
        self.name = name
        self.refs = refs

    def __repr__(self):
        return "size %d, flat %d, arrays %d, refs[%d], name %r" % (
            self.size,
            self.flat,
            self.arrays,
            len(self.refs),
            self.name,
        )

    def format(self, depth=-1, indent=""):
        """A line each, the largest first, what is held below its holder."""
        lines = ["%s%s size=%d flat=%d arrays=%d" % (indent, self.name, self.size, self.flat, self.arrays)]
        if depth != 0:
            for one in sorted(self.refs, key=lambda ref: -ref.size):
                lines.append(one.format(depth - 1, indent + "    "))
        return "\n".join(lines)


def asizeof(*objects, align=8, limit=None, code=False, stats=0, detail=0, out=None):
    """Bytes of objects with all they hold: shared parts once, arrays by their storage.

    ``align`` rounds each object up; ``limit`` is how many levels are followed (all); ``code`` counts classes and
    functions too; ``stats`` prints so many of the largest types, ``detail`` so many levels of what is held.
    """
    walk = Walk(align, limit, code)
    walk.add(*objects)
    if stats:
        print(_table(walk, 10 if stats is True else int(stats)), file=out)
    if detail:
        for one in objects:
            print(asized(one, align=align, limit=limit, code=code, detail=int(detail)).format(), file=out)
    return walk.total


def asized(*objects, align=8, limit=None, code=False, detail=0):
    """An ``Asized`` of an object, or a tuple of them for several."""
    walk = Walk(align, limit, code)
    found = tuple(_asized(walk, one, "", detail) for one in objects)
    return found[0] if len(found) == 1 else found


def _asized(walk, one, name, detail):
    seen = walk.has(one)
    flat = 0 if seen else own_size(one)
    before, arrays = walk.total, sum(walk.arrays.values())
    refs = ()
    if detail > 0 and not seen:
        # The object itself first, then each that it holds: what they share counts under the first of these.
        walk.add_alone(one)
        refs = tuple(_asized(walk, held, label, detail - 1) for label, held in _named(one) if not walk.skips(held))
    elif not seen:
        walk.add(one)
    return Asized(walk.total - before, flat, sum(walk.arrays.values()) - arrays, name or _label(one), refs)


def _named(one):
    """(name, object) of what an object holds."""
    if isinstance(one, dict):
        for key, value in list(one.items()):
            yield "[K] %s" % _clip(key), key
            yield "[V] %s" % _clip(key), value
    elif isinstance(one, (list, tuple)):
        for number, value in enumerate(one):
            yield "[%d]" % number, value
    else:
        for held in gc.get_referents(one):
            yield _label(held), held


def _label(one):
    kind = type(one)
    name = getattr(one, "__name__", None)
    return name if isinstance(name, str) else "%s %s" % (kind.__name__, _clip(one))


def _clip(one):
    """Short, and without asking an object of the program's own for its text: that may be megabytes, or an error."""
    if type(one) in (str, int, float, bool, bytes, type(None)):
        text = repr(one) if sys.getsizeof(one) < 4096 else "…"
        return text if len(text) <= 60 else text[:57] + "…"
    return "at 0x%x" % id(one)


def _table(walk, rows):
    """The largest types: count, bytes of objects, bytes of arrays."""
    lines = ["%10s %14s %14s  %s" % ("count", "objects", "arrays", "type")]
    ranked = sorted(walk.kinds.values(), key=lambda row: -(row[1] + row[2]))
    for count, objects, arrays, kind, *_ in ranked[:rows]:
        lines.append("%10d %14d %14d  %s.%s" % (count, objects, arrays, kind.__module__, kind.__qualname__))
    more = len(ranked) - rows
    if more > 0:
        lines.append("%d more types" % more)
    lines.append("%10d %14d %14d  in all" % (walk.count, walk.objects, sum(walk.arrays.values())))
    return "\n".join(lines)
