"""What sets of objects have in common: whose dict a dict is, what is older than a moment, and what is our own."""

import gc
from array import array
from contextlib import contextmanager
from itertools import repeat

from .._own_size import own_size
from .._whole import whole_objects
from .arrays import HeapArrays, Storage
from .kinds import dict_name, type_name
from .own_objects import own_addresses
from .roots import roots
from .traversal import DICT
from .walk import Walk

_NO_OWNER = 0


class HeapContext:
    def __init__(self):
        self.owner_keys = {}  # address of a dict → key of its kind
        self._labels = {_NO_OWNER: dict_name(None)}
        self._storages = {}
        self._types = {}

    @property
    def hidden(self):
        """Addresses of what we keep ourselves, of which nobody wants to read in a table."""
        return {id(self), id(self.__dict__), *map(id, self.__dict__.values())} | own_addresses()

    def survey(self):
        """All objects there are: (objects, sizes, keys of their kinds), side by side."""
        # What waits for the collector is no part of the heap.
        gc.collect()
        hidden = set()
        tracked = whole_objects(hidden)
        with quiet_collector():
            walk = Walk(tracked, roots(), hidden | self.hidden)
            objects, sizes, keys, dicts = [], array("Q"), array("q"), []
            for piece in walk.pieces():
                if piece.sort == DICT:
                    dicts.append((len(objects), len(piece.objects)))
                objects += piece.objects
                bare, head = walk.sizes(piece)
                sizes.fromlist(list(map(head.__add__, bare)) if head else bare)
                keys.fromlist(piece.types.tolist())
            self._learn(walk)
            for start, count in dicts:
                keys[start : start + count] = array("q", self._dict_keys(objects[start : start + count]))
            for storage in list(walk.arrays.storages.values()):
                objects.append(storage)
                sizes.append(storage.bytes)
                keys.append(self.storage_key(storage))
        return objects, sizes, keys

    def key(self, one):
        """The key of an object's kind."""
        return self.owner_keys.get(id(one), _NO_OWNER) if type(one) is dict else self.type_key(one)

    def type_key(self, one):
        """The same, dicts not told apart."""
        kind = type(one)
        if kind is Storage:
            return self.storage_key(one)
        self._types[id(kind)] = kind
        return id(kind)

    def sizes(self, objects):
        """Bytes of each object itself, arrays without their data."""
        arrays = HeapArrays()
        found = array("Q")
        for one in objects:
            if type(one) is Storage:
                found.append(one.bytes)
            elif arrays.is_array(type(one)):
                arrays.held(one)
                found.append(arrays.size(one))
            else:
                found.append(own_size(one))
        return found

    def _learn(self, walk):
        self._types.update(walk.rules.kinds)
        self.owner_keys.clear()
        # The first that claims a dict is its owner.
        self.learn_owners(zip(reversed(walk.owners), reversed(walk.dicts)))

    def learn_owners(self, pairs):
        """A key below zero is a dict's: that of its owner's type."""
        for owner, own in pairs:
            self.owner_keys[id(own)] = -self.type_key(owner)

    def label(self, key):
        found = self._labels.get(key)
        if found is None:
            found = dict_name(self._types[-key]) if key < 0 else type_name(self._types[key])
            self._labels[key] = found
        return found

    def storage_key(self, storage):
        key = self._storages.get(storage.kind)
        if key is None:
            # No type has so low an address.
            key = self._storages[storage.kind] = 1 + len(self._storages)
            self._labels[key] = storage.kind
        return key

    def _dict_keys(self, dicts):
        return map(self.owner_keys.get, map(id, dicts), repeat(_NO_OWNER))


@contextmanager
def quiet_collector():
    """Lists of all objects would make the collector run over and over."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
