"""Shortest paths from the roots to the nearest objects of a set, written as Heapy does."""

import types
from itertools import chain

from .._frames import local_variables
from .._type_facts import mro_of, namespace_of
from .arrays import Storage
from .dict_owners import own_dicts
from .kinds import type_name
from .own_objects import register
from .references import References, address
from .roots import roots
from .short_repr import short
from .table import Text
from .walk import items

SHOWN = 10
DEEPEST = 500


class Paths:
    def __init__(self, objects, hidden):
        self._steps, self._ways, self._starts = _search(objects, hidden)
        self.count = sum(self._ways.get(address(value), 0) for _, value in self._starts)
        register(self)

    def kept(self):
        lists = (self._starts, self._steps, *self._steps)
        return (self.__dict__, self._ways, *lists, *self._starts, *chain.from_iterable(self._steps))

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        if not 0 <= index < self.count:
            raise IndexError("there are %d paths" % self.count)
        return Text(self._path(index))

    def __str__(self):
        return self.text(0)

    __repr__ = __str__

    @property
    def more(self):
        return MorePaths(self, SHOWN)

    def text(self, first):
        if self.count == 0:
            return "<No paths: no root leads to them. They are held by native code, or wait for the collector.>"
        last = min(self.count, first + SHOWN)
        lines = ["%2d: %s" % (index, self._path(index)) for index in range(first, last)]
        if last < self.count:
            lines.append("<... %d more paths ...>" % (self.count - last))
        return "\n".join(lines)

    def _path(self, index):
        """By its number: whole bundles of paths before it are stepped over."""
        for name, value in self._starts:
            ways = self._ways.get(address(value), 0)
            if index < ways:
                break
            index -= ways
        text = "h.Root." + (name if name.isidentifier() else "(%s)" % name)
        for step in self._steps:
            at = address(value)
            for owner, target in step:
                if owner != at:
                    continue
                ways = self._ways[address(target)]
                if index < ways:
                    text += relation(value, target)
                    value = target
                    break
                index -= ways
        return text


class MorePaths:
    """The next ten, and so on."""

    def __init__(self, paths, first):
        self._paths = paths
        self._first = first
        register(self)

    def kept(self):
        return (self.__dict__,)

    def __str__(self):
        return self._paths.text(self._first)

    __repr__ = __str__

    @property
    def more(self):
        return MorePaths(self._paths, self._first + SHOWN)


def _search(objects, hidden):
    """(for each step the references (from, to) that are on a shortest path; ways on from each; roots on one)"""
    references = References(hidden)
    wanted = set(map(address, objects))
    starts = list({address(value): (name, value) for name, value in reversed(roots())}.values())[::-1]
    levels = [[value for _, value in starts]]
    seen = set(map(address, levels[0]))
    seen |= hidden  # no path leads through what is ours
    while wanted.isdisjoint(map(address, levels[-1])) and levels[-1] and len(levels) < DEEPEST:
        found = {}
        for _, targets in references.of(levels[-1]):
            found.update(zip(map(address, targets), targets))
        for known in found.keys() & seen:
            del found[known]
        seen.update(found)
        levels.append([one for one in found.values() if type(one) is not Storage or address(one) in wanted])
    ways = {at: 1 for at in wanted & set(map(address, levels[-1]))}
    steps = []
    for level in reversed(levels[:-1]):
        into = set(ways)
        step, before = [], {}
        told = set()
        for owner, target in references.into(level, into):
            pair = (address(owner), address(target))
            if pair not in told:  # a list may hold the same object many times
                told.add(pair)
                step.append((pair[0], target))
                before[pair[0]] = before.get(pair[0], 0) + ways[pair[1]]
        steps.append(step)
        ways = {**ways, **before}
    return steps[::-1], ways, starts


def relation(owner, target):
    """How one refers to the other: `['key']`, `[3]`, `.name`."""
    kind = type(owner)
    if type(target) is Storage:
        return ".data"
    if issubclass(kind, dict):
        keys = [key for key, value in list(dict.items(owner)) if value is target]
        if keys:
            # A notebook's `_` means something else after the next cell.
            lasting = (key for key in keys if type(key) is not str or key.strip("_"))
            return "[%s]" % short(next(lasting, keys[0]))
        if any(key is target for key in list(dict.keys(owner))):
            return ".keys()[%s]" % short(target)
    if kind is list or kind is tuple:
        for index, value in enumerate(items([owner])):
            if value is target:
                return "[%d]" % index
    return _attribute(owner, target)


def _attribute(owner, target):
    kind = type(owner)
    [own] = own_dicts([owner])[1] or [{}]
    if own is target:
        return ".__dict__"
    for name, value in list(own.items()):
        if value is target and type(name) is str:
            return "." + name
    if kind is types.CellType:
        return ".cell_contents"
    if kind is types.FrameType:
        for name, value in local_variables(owner):
            if value is target:
                return ".f_locals[%s]" % short(name)
    for base in mro_of(kind):
        for name, member in list(namespace_of(base).items()):
            if type(member) in (types.MemberDescriptorType, types.GetSetDescriptorType):
                try:
                    if member.__get__(owner) is target:
                        return "." + name
                except Exception:
                    continue
    return ".<%s>" % type_name(type(target))
