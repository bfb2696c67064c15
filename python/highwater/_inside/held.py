"""Who holds the host's memory: tensors by what they are, arrays, texts and containers by the name that they hang on.

A walk from the program's names down, bounded in time, and one pass over what the collector knows for tensors. By Python's
own references and compiled sizes: no code of the program's runs, and nothing is kept beyond the look.
"""

import gc
import sys
import time
import types
from collections import deque
from heapq import nlargest
from itertools import islice

from .._own_size import own_size
from .._places import with_line
from .._type_facts import by_address, is_made_of, namespace_of
from .gradients import gradients
from .host_tensors import HostTensors
from .objects import type_name
from .reachable import PLAIN, Node, base_of, is_own, loaded_modules, newest, variables
from .reached_names import name_of

# For what the program's own names lead to, and then for those of libraries.
MOST_NS = 20_000_000
LIBRARIES_NS = 3_000_000
MOST_ROWS = 24
LEAST = 1 << 18
DEPTH = 8
# Of a container with more entries a sample is looked at, which stands for all.
ALL_UP_TO = 64
SAMPLE = 24
CHECK = 32  # the clock is read after so many
# Python's own allocator hands out up to so much at a time; what is larger is malloc's.
SMALL = 512
# What hangs on no container, and is smaller, is not told.
ALONE = 1 << 14
# More references than this: it is somebody else's too (small numbers, names), and not of each entry.
SHARED = 6

_TEXTS = by_address(dict.fromkeys((str, bytes, bytearray)))
_NUMBERS = by_address(dict.fromkeys((int, float, complex)))
_ELSEWHERE = by_address(dict.fromkeys((types.ModuleType, types.CodeType, types.FrameType)))


def survey(torch, most_ns=MOST_NS, libraries_ns=LIBRARIES_NS, most_rows=MOST_ROWS, later=None):
    """Rows [category, what, holder, count, bytes, of them in small objects], the largest first.

    ``later``: who asks for gradients, in a thread of ours, which may not. They are told in rows of their own.
    """
    tensors = HostTensors(torch)
    walk = _Walk(tensors)
    walk.run(most_ns, libraries_ns)
    if later is None:
        tensors.take_gradients(gradients(tensors.parameters))
    of_tensors, seen = tensors.rows()
    if later is not None and tensors.parameters:
        later.ask(torch, tensors.parameters, seen)
    return nlargest(most_rows, (row for row in of_tensors + walk.rows() if row[4] >= LEAST), key=lambda row: row[4])


def rows_of_gradients(torch, gradients, seen):
    """Further rows of a survey that has told the storages ``seen``."""
    tensors = HostTensors(torch)
    tensors.take_gradients(gradients)
    return [row for row in tensors.rows(seen)[0] if row[4] >= LEAST]


class _Walk:
    def __init__(self, tensors):
        self._tensors = tensors
        self._array = getattr(sys.modules.get("numpy"), "ndarray", None)
        self._modules = loaded_modules()
        self._own = {name for name, namespace in self._modules if is_own(namespace)}
        self._ahead = deque()
        self._seen = {id(namespace) for _, namespace in self._modules}
        self._kinds = {}  # by the address of a type, which is kept meanwhile: what is done with its objects
        self._found = {}  # by what hangs on a name: [its node, count, bytes, of them in small objects]

    def rows(self):
        return [
            [self._category(node.one), type_name(type(node.one)), with_line(name_of(node)), count, size, small]
            for node, count, size, small in self._found.values()
            if size >= LEAST
        ]

    def run(self, most_ns, libraries_ns):
        for function, name, value in variables():
            self._add(Node(value, None, DEPTH, "%s in %s()" % (name, function)), 1.0, None)
        for module, namespace in self._modules:
            if module in self._own:
                self._add_namespace(module, namespace)
        whole = self._go(time.monotonic_ns() + most_ns)
        ends = time.monotonic_ns() + libraries_ns
        for module, namespace in self._modules if whole else ():
            if module not in self._own:
                self._add_namespace(module, namespace)
                if not self._go(ends):
                    return

    def _add_namespace(self, module, namespace):
        own = module in self._own
        for name, value in list(namespace.items()):
            kind = type(value)
            if isinstance(name, str) and (own or not (kind is types.FunctionType or issubclass(kind, type))):
                self._add(Node(value, None, DEPTH, "%s of %s" % (name, module)), 1.0, None)

    def _go(self, ends):
        """False: the time was over before all of it was seen."""
        ahead, steps = self._ahead, 0
        while ahead:
            if steps % CHECK == 0 and time.monotonic_ns() > ends:
                ahead.clear()
                return False
            self._look_into(*ahead.popleft())
            steps += 1
        return True

    def _add(self, node, scale, top):
        """``scale``: how many it stands for. ``top``: what it is part of, and hangs on a name."""
        one = node.one
        _, add, base = self._kinds.get(id(type(one))) or self._learn(type(one))
        if add is _Walk._add_number:
            if top is not None and sys.getrefcount(one) <= SHARED:
                self._count(top, sys.getsizeof(one), scale)
            return
        if add is None or id(one) in self._seen:
            return
        self._seen.add(id(one))
        if sys.getrefcount(one) > SHARED:
            scale = 1.0
        if base is None or not self._tensors.take(node, base):
            add(self, node, scale, top)

    def _learn(self, kind):
        """(the type, what adds an object of it or None, and what of torch's it is made of)."""
        tensors = None
        if id(kind) in _NUMBERS:
            add = _Walk._add_number
        elif id(kind) in _TEXTS:
            add = _Walk._add_text
        elif id(kind) in PLAIN or id(kind) in _ELSEWHERE:
            add = None
        elif self._array is not None and is_made_of(kind, self._array):
            add = _Walk._add_array
        else:
            add, tensors = _Walk._add_object, self._tensors.base_of(kind)
        self._kinds[id(kind)] = learnt = (kind, add, tensors)
        return learnt

    def _add_number(self, node, scale, top):
        """Never: there are too many to be remembered."""

    def _add_text(self, node, scale, top):
        self._count(top or node, sys.getsizeof(node.one), scale)

    def _add_object(self, node, scale, top):
        top = top or self._top(node)
        self._count(top or node, own_size(node.one), scale)
        if node.depth > 0:
            self._ahead.append((node, scale, top))

    def _top(self, node):
        """It, where what is in it has no name of its own that the program's author knows."""
        kind = type(node.one)
        if base_of(kind) is not None:
            return None if _is_namespace(node) else node
        inside = kind in (types.FunctionType, types.CellType, types.MethodType, tuple) or is_made_of(kind, type)
        return None if inside or namespace_of(kind).get("__module__") in self._own else node

    def _add_array(self, node, scale, top):
        base = self._array.base.__get__(node.one)
        if base is None:
            self._count(top or node, self._array.nbytes.__get__(node.one), scale)
        elif node.depth > 0:
            # What it looks at: another array, a mapped file (which is not held), bytes, a tensor.
            self._add(Node(base, node, node.depth - 1), scale, top or node)

    def _look_into(self, node, scale, top):
        base = base_of(type(node.one))
        if base is None:
            for held in _referents(node.one, self._own):
                self._add(Node(held, node, node.depth - 1), scale, top)
            return
        length = base.__len__(node.one)
        for entries in (newest(node.one, base, ALL_UP_TO, SAMPLE), _keys(node.one) if base is dict else ()):
            for held in entries:
                self._add(Node(held, node, node.depth - 1), scale * length / len(entries), top)

    def _count(self, node, size, scale):
        if size < ALONE and id(node) not in self._found and node.above is not None and base_of(type(node.one)) is None:
            return
        row = self._found.setdefault(id(node), [node, 0, 0, 0])
        row[1] += int(scale)
        row[2] += int(size * scale)
        row[3] += int(size * scale) if size <= SMALL else 0

    def _category(self, one):
        if self._array is not None and is_made_of(type(one), self._array):
            return "array"
        if id(type(one)) in _TEXTS:
            return "text"
        return "container" if base_of(type(one)) is not None else "object"


def _is_namespace(node):
    """A dict that is an object's own."""
    try:
        return node.above is not None and object.__getattribute__(node.above.one, "__dict__") is node.one
    except Exception:
        return False


def _keys(mapping):
    try:
        few = dict.__len__(mapping) <= ALL_UP_TO
        return list(mapping) if few and type(mapping) is dict else list(islice(reversed(dict.keys(mapping)), SAMPLE))
    except (RuntimeError, TypeError):
        return ()  # changed by another thread meanwhile


def _referents(one, modules):
    kind = type(one)
    if is_made_of(kind, type):
        return list(namespace_of(one).values()) if namespace_of(one).get("__module__") in modules else ()
    if kind is types.FunctionType and one.__module__ not in modules:
        return ()
    return gc.get_referents(one)
