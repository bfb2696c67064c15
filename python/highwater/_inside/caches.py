"""Tensors that a program keeps and that become more while it serves: by the container, or the attribute, that holds them.

What is told is what was seen to grow, never what is called a cache. A walk from the program's names down finds tensors and the
containers above them; of those that hold more than when they were first seen all is added up, each storage once. Of containers within each
other it is the innermost that has nearly all of the growth: the dict of all sessions, neither the list of one session nor what
the dict hangs on. No code of the program's runs, and nothing of it is kept but numbers.
"""

import gc
import sys
import time
import types
from collections import deque

from .._places import with_line
from .._type_facts import by_address, is_made_of, namespace_of
from .objects import type_name
from .reachable import MOST_ENTRIES, PLAIN, SAMPLE, Node, base_of, is_own, loaded_modules, newest, variables
from .reached_names import name_of

DEPTH = 12
WALK_NS = 30_000_000
SUM_NS = 20_000_000
# Of a container of which not all is seen in that time, each such entry is looked at first: what was seen stands for the rest.
STRIDE = 16
# A list of more entries than this whose ends are plain (tokens) has nothing in it.
PLAIN_ENDS = 8
CHECK = 32  # the clock is read after so many
# Growth of one holder that is worth telling.
WORTH = 1 << 18
MOST_TOLD = 8
MOST_OWNERS = 400
# Of what grows in a container, one within it that has so much of it is the better name.
NEARLY_ALL = 0.9
# More references than this: it is somebody else's too.
SHARED = 10
_ELSEWHERE = frozenset(by_address(dict.fromkeys((types.ModuleType, types.CodeType, types.FrameType, types.FunctionType, types.MethodType, type))))


class Caches:
    def __init__(self):
        self._first = {}  # of each owner, by its key: bytes, entries and the moment when it was first seen
        self._told = {}  # by their keys: how they were told
        self.bytes = 0  # of those that were told, at the last look

    def survey(self, now):
        """Rows [cache, type, device, holder, entries, entries gained, seconds, bytes], where a program has torch."""
        torch = sys.modules.get("torch")
        kind = getattr(torch, "Tensor", None)
        if kind is None:
            return []
        walk = _Walk(kind)
        whole = walk.run(time.thread_time_ns() + WALK_NS)
        owners = _owners(walk.found)
        ends = time.thread_time_ns() + SUM_NS
        sums = {key: _Sum(node, kind, walk.steps, ends) for key, node in owners.items()}
        rows = self._rows(owners, sums, now, whole)
        del walk, owners
        return rows

    def _rows(self, owners, sums, now, whole):
        before = self._first
        first = {key: before.get(key) or (one.bytes, one.entries, now) for key, one in sums.items()}
        # What was not reached this time may be there all the same.
        self._first = first if whole else {**before, **first}
        gained = {key: one.bytes - first[key][0] for key, one in sums.items()}
        chosen = sorted(_chosen(owners, gained) - set(self._told), key=lambda key: -gained[key])
        for key in chosen[: max(0, MOST_TOLD - len(self._told))]:
            node = owners[key]
            self._told[key] = (type_name(type(node.one)), with_line(name_of(node)))
        rows, self.bytes = {}, 0
        for key, (kind, holder) in list(self._told.items()):
            one = sums.get(key)
            if one is not None and one.bytes > 0:
                _, entries, since = first[key]
                self.bytes += one.bytes
                for device, size in one.devices.items():
                    # Several that hang on one name are one.
                    row = rows.setdefault((kind, device, holder), ["cache", kind, device, holder, 0, 0, 0, 0])
                    more = (one.entries, one.entries - entries, (now - since) / 1e9, size)
                    row[4:] = row[4] + more[0], row[5] + more[1], max(row[6], more[2]), row[7] + more[3]
            elif whole:
                rows.setdefault((kind, "", holder), ["cache", kind, "", holder, 0, 0, 0, 0])
                if one is None:
                    del self._told[key]  # it has gone, or is empty
                    self._first.pop(key, None)
        # Of what is elsewhere by the same name, that one has gone says nothing.
        held = {(kind, holder) for kind, device, holder in rows if device}
        return [row for (kind, device, holder), row in rows.items() if device or (kind, holder) not in held]


def _owners(found):
    """{key: node} of containers above tensors, by their id, and of tensors that are an attribute: each time it may be another one."""
    owners = {}
    for node in found:
        inside = False
        above = node.above
        while above is not None and len(owners) < MOST_OWNERS:
            if base_of(type(above.one)) is not None and not _is_namespace(above):
                inside = True
                owners.setdefault(id(above.one), above)
            above = above.above
        # A variable of a function comes and goes with its call.
        if not inside and node.above is not None and len(owners) < MOST_OWNERS:
            owners[id(node.above.one), name_of(node)] = node
    return owners


def _chosen(owners, gained):
    """Of those that gained, which to name."""
    grown = {key for key, more in gained.items() if more >= WORTH}
    within = {key: {id(above) for above in _above(owners[key])} & grown for key in grown}
    for key in list(grown):
        # Nearly all of it is in one that lies within.
        if any(key in within[other] and gained[other] >= NEARLY_ALL * gained[key] for other in grown):
            grown.discard(key)
    return {key for key in grown if not within[key] & grown}


def _above(node):
    while node.above is not None:
        node = node.above
        yield node.one


def _is_namespace(node):
    """A dict that is an object's own."""
    try:
        return node.above is not None and object.__getattribute__(node.above.one, "__dict__") is node.one
    except Exception:
        return False


class _Walk:
    """From names down to tensors; ``steps`` has how far from a name each object lies that was met."""

    def __init__(self, tensor):
        self._tensor = tensor
        self._ahead = deque()
        self._modules = loaded_modules()
        self._own = {name for name, namespace in self._modules if is_own(namespace)}
        self.steps = {id(namespace): 0 for _, namespace in self._modules}
        self.found = []

    def run(self, ends):
        """False: the time was over before all of it was seen."""
        for function, name, value in variables():
            self._add(Node(value, None, DEPTH, "%s in %s()" % (name, function)))
        for module, namespace in self._modules:
            for name, value in list(namespace.items()) if module in self._own else ():
                if isinstance(name, str):
                    self._add(Node(value, None, DEPTH, "%s of %s" % (name, module)))
        count = 0
        while self._ahead:
            count += 1
            if count % CHECK == 0 and time.thread_time_ns() > ends:
                return False
            node = self._ahead.popleft()
            for held in self._children(node) if node.depth > 0 else ():
                self._add(Node(held, node, node.depth - 1))
        return True

    def _add(self, node):
        kind, key = type(node.one), id(node.one)
        if id(kind) in PLAIN or key in self.steps:
            return
        self.steps[key] = DEPTH - node.depth
        if kind is self._tensor:
            self.found.append(node)
        else:
            self._ahead.append(node)

    def _children(self, node):
        one, kind = node.one, type(node.one)
        base = base_of(kind)
        if base is not None:
            return newest(one, base, MOST_ENTRIES, SAMPLE)
        if is_made_of(kind, type):
            return list(namespace_of(one).values()) if namespace_of(one).get("__module__") in self._own else ()
        if kind is types.FunctionType and one.__module__ not in self._own:
            return ()
        return gc.get_referents(one)


class _Sum:
    """Of all tensors that an owner holds: bytes by device. Where the time is over, what was seen stands for the rest."""

    def __init__(self, node, tensor, steps, ends):
        self._tensor, self._steps = tensor, steps
        self._near = steps.get(id(node.one), 0)
        self._seen = {id(above) for above in _above(node)} | {id(node.one)}
        self._storages = set()
        self.devices = {}
        base = base_of(type(node.one))
        if base is None:
            self.entries = 1
            self._take(node.one)
        else:
            self._take_entries(newest(node.one, base, sys.maxsize, 0), ends)
        self.bytes = sum(self.devices.values())

    def _take_entries(self, entries, ends):
        self.entries = len(entries)
        spread = (at for first in range(STRIDE) for at in range(first, self.entries, STRIDE))
        for seen, at in enumerate(spread):
            if seen % 8 == 7 and time.thread_time_ns() > ends:
                self.devices = {device: size * self.entries // seen for device, size in self.devices.items()}
                break
            self._below(entries[at])
        del entries[:]

    def _below(self, entry):
        ahead = [(entry, DEPTH)]
        while ahead:
            one, depth = ahead.pop()
            kind = type(one)
            if id(kind) in PLAIN or id(kind) in _ELSEWHERE or id(one) in self._seen:
                continue
            self._seen.add(id(one))
            if kind is self._tensor:
                self._take(one)
                continue
            # Nearer to a name than its owner: it is not this one's, which only knows it (the engine, the model).
            if depth == 0 or self._steps.get(id(one), DEPTH + 1) <= self._near or sys.getrefcount(one) > SHARED:
                continue
            ahead += [(held, depth - 1) for held in _held(one, kind)]

    def _take(self, tensor):
        try:
            storage = tensor.untyped_storage()
            key, size, device = storage._cdata, storage.nbytes(), str(tensor.device)
        except Exception:
            return  # sparse, fake, or half gone
        if key not in self._storages and device != "meta":
            self._storages.add(key)
            self.devices[device] = self.devices.get(device, 0) + size


def _held(one, kind):
    base = base_of(kind)
    if base is None:
        return gc.get_referents(one)
    held = newest(one, base, sys.maxsize, 0)
    ends = held[: PLAIN_ENDS // 2] + held[-PLAIN_ENDS // 2 :] if len(held) > PLAIN_ENDS else ()
    return () if ends and all(id(type(end)) in PLAIN for end in ends) else held
