"""Containers that can be reached from a name of the program: from its modules, and from the functions that run.

A walk from the names down, a few levels, into a sample of what large containers have: its time is bounded, and each
container has the name by which it was found. The program's own modules are walked each time, those of libraries in turns.
By Python's own references only: no code of the program's runs.
"""

import _thread
import gc
import os
import sys
import time
import types
from collections import Counter, OrderedDict, defaultdict, deque
from itertools import islice

from .._frames import local_variables, running, thread_frames
from .._type_facts import HEAP_TYPE, by_address, flags_of, is_made_of, mro_of, namespace_of
from .._whole import unsafe_module

DEPTH = 7
LIBRARY_DEPTH = 4
# Of a container with more entries, the newest ones.
MOST_ENTRIES = 64
SAMPLE = 16
_CHECK = 32  # the clock is read after so many
_MANY_MODULES = 20
_MOST_VARIABLES = 5000

# They hold nothing, or nothing that grows.
PLAIN = frozenset(
    by_address(
        dict.fromkeys(
            (int, float, complex, bool, str, bytes, bytearray, type(None), type(Ellipsis), range, slice, types.CodeType, types.ModuleType,
             types.BuiltinFunctionType, types.WrapperDescriptorType, types.MethodDescriptorType, types.MethodWrapperType,
             types.ClassMethodDescriptorType, types.GetSetDescriptorType, types.MemberDescriptorType, property)
        )
    )
)
_BASES = by_address({dict: dict, list: list, set: set, deque: deque, OrderedDict: dict, defaultdict: dict, Counter: dict})


class Node:
    """Something that was reached, and from where: another node, or a name."""

    __slots__ = ("one", "above", "depth", "name")

    def __init__(self, one, above, depth, name=None):
        self.one, self.above, self.depth, self.name = one, above, depth, name


class Reachable:
    def __init__(self):
        self._next = 0  # of the libraries' modules

    def containers(self, most_ns):
        """(nodes of containers, whether all of the program's own was seen); nothing of it may be kept."""
        ends = time.monotonic_ns() + most_ns
        modules = loaded_modules()
        walk = _Walk(ends, modules)
        own = [one for one in modules if is_own(one[1])]
        names = {name for name, _ in own}
        for function, name, value in variables():
            walk.root(value, "%s in %s()" % (name, function), DEPTH)
        for name, namespace in own:
            walk.namespace(name, namespace, DEPTH)
        whole = walk.run(names)
        self._libraries(walk, [one for one in modules if one[0] not in names])
        return walk.found, whole

    def _libraries(self, walk, modules):
        """Some of them, from where the last look ended."""
        for _ in range(0, len(modules), _MANY_MODULES):
            some = [modules[(self._next + at) % len(modules)] for at in range(min(_MANY_MODULES, len(modules)))]
            for name, namespace in some:
                walk.namespace(name, namespace, LIBRARY_DEPTH)
            if not walk.run({name for name, _ in some}):
                return
            self._next = (self._next + len(some)) % len(modules)


class _Walk:
    def __init__(self, ends, modules):
        self._ends = ends
        self._ahead = deque()
        self._most = {}
        self.found = []
        # What is seen already: namespaces, which functions refer to, and what must not be looked into.
        self._seen = {id(namespace) for _, namespace in modules}
        unsafe = unsafe_module()
        if unsafe is not None:
            self._seen.add(id(unsafe))

    def namespace(self, module, namespace, depth):
        for name, value in list(namespace.items()):
            if id(type(value)) not in PLAIN and isinstance(name, str):
                self.root(value, "%s of %s" % (name, module), depth)

    def root(self, value, name, depth):
        if id(type(value)) not in PLAIN and id(value) not in self._seen:
            self._seen.add(id(value))
            self._ahead.append(Node(value, None, depth, name))

    def run(self, modules):
        """False: the time was over before all of it was seen. ``modules``: whose classes and functions are looked into."""
        ahead, seen, plain = self._ahead, self._seen, PLAIN
        steps = 0
        while ahead:
            steps += 1
            if steps % _CHECK == 0 and time.monotonic_ns() > self._ends:
                ahead.clear()
                return False
            node = ahead.popleft()
            for held in self._children(node, modules):
                if id(type(held)) not in plain and id(held) not in seen:
                    seen.add(id(held))
                    ahead.append(Node(held, node, node.depth - 1))
        return True

    def _children(self, node, modules):
        one, kind = node.one, type(node.one)
        base = base_of(kind)
        if base is not None:
            self.found.append(node)
            return newest(one, base, MOST_ENTRIES, SAMPLE) if node.depth > 0 else ()
        if node.depth <= 0:
            return ()
        if is_made_of(kind, type):
            return _attributes(one) if namespace_of(one).get("__module__") in modules else ()
        if kind is types.FunctionType and one.__module__ not in modules:
            return ()
        return gc.get_referents(one)


def _attributes(one):
    return list(namespace_of(one).values())


def base_of(kind):
    """dict, list, set or deque where a type is made of one; else None."""
    base = _BASES.get(id(kind))
    if base is None and flags_of(kind) & HEAP_TYPE:
        return next((_BASES[id(one)] for one in mro_of(kind) if id(one) in _BASES), None)
    return base


def newest(container, base, all_up_to, sample):
    """Its entries, or a sample of the newest; never through methods of a class of the program's."""
    try:
        few = base.__len__(container) <= all_up_to
        if base is dict:
            values = dict.values(container)
            return list(values) if few else list(islice(reversed(values), sample))
        if base is set:
            return list(islice(set.__iter__(container), None if few else sample))
        return list(base.__iter__(container)) if few else list(islice(base.__reversed__(container), sample))
    except (RuntimeError, TypeError):
        return []  # changed by another thread meanwhile; a dict of 3.7


def variables():
    """Of this thread's functions, and of others'."""
    found = running()
    own = _thread.get_ident()
    for thread, frame in thread_frames().items() if not sys.gettrace() else ():
        while frame is not None and thread != own and len(found) < _MOST_VARIABLES:
            found += [(frame.f_code.co_name, name, value) for name, value in local_variables(frame)]
            frame = frame.f_back
        # This very call is among them: it would keep itself, and all that the functions below it have, until Python collects.
        frame = None
    return found


def loaded_modules():
    """(name, namespace) of each that is loaded, ours left out; without asking a module, which may answer with its own code."""
    found = []
    for name, module in list(sys.modules.items()):
        if not isinstance(name, str) or name.split(".")[0] == __package__.split(".")[0]:
            continue
        try:
            namespace = object.__getattribute__(module, "__dict__")
        except Exception:
            continue
        if type(namespace) is dict:
            found.append((name, namespace))
    return found


_LIBRARY = os.path.dirname(os.__file__) + os.sep


def is_own(namespace):
    """Neither Python's own nor installed."""
    if namespace.get("__name__") == "__main__":
        return True
    file = namespace.get("__file__")
    if type(file) is not str:
        return False
    return not file.startswith(_LIBRARY) and "site-packages" not in file and "dist-packages" not in file
