"""Every object of the process, and what each refers to.

The collector lists what it tracks; numbers, texts, arrays and the like are found by following references from
there. Millions of objects are gone through by C functions over whole lists (`map`, `compress`, `chain`): a line of
Python for each object would take ten times as long.

Lists and tuples may still be in the making, with empty slots: nothing iterates over them. The collector's own function
steps over such slots.
"""

import gc
import sys
from array import array
from itertools import chain, compress, filterfalse
from operator import not_

from .._own_size import own_size
from .._type_facts import HEAP_TYPE, flags_of, mro_of
from .arrays import HeapArrays, Storage
from .code import code_parts
from .dict_owners import class_dict, own_dicts
from .traversal import ARRAY, CLASS, CODE, DICT, DICT_CLASS, LEAF, PLAIN, SEQUENCE, TraversalRules, masks

PIECE = 1 << 16
_base_of = type.__dict__["__base__"].__get__
# References that are in memory at once, unless one object alone has more.
MOST_TARGETS = 1 << 22
_BACKWARD = gc.get_referents([0, 1]) == [1, 0]  # the order in which the collector tells items


class Piece:
    """Objects of one sort and what they refer to; of dicts ``keys`` and ``targets`` are pairs."""

    __slots__ = ("sort", "objects", "types", "degrees", "targets", "keys")

    def __init__(self, sort, objects, types, degrees=None, targets=None, keys=None):
        self.sort = sort
        self.objects = objects
        self.types = types  # addresses
        self.degrees = degrees
        self.targets = targets
        self.keys = keys


class Walk:
    """`pieces()` goes through all objects once; all else is complete when that has ended."""

    def __init__(self, tracked=(), roots=(), hidden=frozenset(), isolated=False):
        """``tracked``: what the collector lists, asked for before anything of ours was made: all of it where there is
        no other thread (``isolated``), else `whole_objects()`."""
        self.roots = roots
        self.arrays = HeapArrays()
        self.rules = TraversalRules(self.arrays.is_array)
        self.owners, self.dicts = [], []  # side by side: an object, and the dict of its attributes
        self.extra_from, self.extra_to = [], []  # references that the collector does not know
        self._tracked = tracked
        self._isolated = isolated
        self._hidden = hidden  # addresses of what is ours

    def pieces(self):
        fresh = self._unhidden(self._tracked)
        listed = set(map(id, fresh))
        self.find_own(fresh)
        # Those that were made by asking for them; what is not tracked will be found.
        made = compress(self.dicts, map(not_, map(listed.__contains__, map(id, self.dicts))))
        made = list(filter(gc.is_tracked, made))
        fresh = fresh + made
        listed.update(map(id, made))
        # Of frozen objects, as which 3.12 counts immortal ones, the collector says that it tracks them, but lists none.
        frozen = gc.get_freeze_count() > 0
        known = None if self._isolated and not frozen else listed
        found, told = {}, {}
        _note([value for _, value in self.roots], found, known)
        while fresh:
            for start in range(0, len(fresh), PIECE):
                for piece in self.split(fresh[start : start + PIECE]):
                    for targets in (piece.targets, piece.keys):
                        if targets is not None:
                            _note(targets, found, known)
                    _note(self.extra(piece), found, known)
                    yield piece
            fresh, found = self._unhidden(_not_yet(told, found)), {}
            if known is not None:
                self.find_own(fresh)

    def sizes(self, piece):
        """Bytes of each object itself."""
        if piece.sort == ARRAY:
            return list(map(self.arrays.size, piece.objects))
        try:
            return self._sizes(piece)
        except Exception:
            return list(map(own_size, piece.objects))

    def _sizes(self, piece):
        readers = self.rules.size_readers
        if readers.keys().isdisjoint(piece.types):
            return list(map(sys.getsizeof, piece.objects))
        return [readers.get(address, sys.getsizeof)(one) for address, one in zip(piece.types, piece.objects)]

    def _unhidden(self, objects):
        if not self._hidden:
            return objects
        return list(compress(objects, map(not_, map(self._hidden.__contains__, map(id, objects)))))

    def find_own(self, objects):
        """Whose dicts there are; made where attributes had none, so that what is asked later is told the same way."""
        for start in range(0, len(objects), PIECE):
            piece = objects[start : start + PIECE]
            types = array("Q", map(id, map(type, piece)))
            self.rules.of(piece, types)
            owners, dicts = own_dicts(list(compress(piece, map(self.rules.with_dict.__contains__, types))))
            self.owners += owners
            self.dicts += dicts

    def split(self, objects):
        types = array("Q", map(id, map(type, objects)))
        for sort, mask in masks(self.rules.of(objects, types)):
            if mask is None:
                yield from _pieces(sort, objects, types)
            else:
                yield from _pieces(sort, list(compress(objects, mask)), array("Q", compress(types, mask)))

    def extra(self, piece):
        """References that are asked for object by object; few objects have such."""
        if piece.sort == PLAIN and self.rules.inline:
            owners, dicts = own_dicts(list(compress(piece.objects, map(self.rules.inline.__contains__, piece.types))))
            self.extra_from += owners
            self.extra_to += dicts
            return dicts
        if piece.sort not in (DICT_CLASS, ARRAY, CLASS, CODE):
            return ()
        start = len(self.extra_to)
        for one in piece.objects:
            if piece.sort == DICT_CLASS:
                held = gc.get_referents(one)
            elif piece.sort == ARRAY:
                held = self.arrays.held(one)
            elif piece.sort == CODE:
                held = code_parts(one)
            else:
                held = self._of_class(one)
            self.extra_from.extend([one] * len(held))
            self.extra_to.extend(held)
        return [one for one in self.extra_to[start:] if type(one) is not Storage]

    def _of_class(self, kind):
        if flags_of(kind) & HEAP_TYPE:
            return ()
        # Classes of C structures are none of the collector's business.
        own = class_dict(kind)
        if own is not None:
            self.owners.append(kind)
            self.dicts.append(own)
        return [one for one in (own, mro_of(kind), _base_of(kind)) if one is not None]


def _pieces(sort, objects, types):
    if sort == LEAF:
        yield Piece(sort, objects, types)
    elif sort in (SEQUENCE, DICT, DICT_CLASS):
        yield from _bounded(sort, objects, types)
    else:
        held = list(map(gc.get_referents, objects))
        yield Piece(sort, objects, types, array("I", map(len, held)), list(chain.from_iterable(held)))


def _bounded(sort, objects, types):
    # A class made of dict may have a length of its own.
    total = sum(map(len if sort == SEQUENCE else dict.__len__, objects))
    if total > MOST_TARGETS and len(objects) > 1:
        half = len(objects) // 2
        yield from _bounded(sort, objects[:half], types[:half])
        yield from _bounded(sort, objects[half:], types[half:])
    elif sort == SEQUENCE:
        yield _sequences(objects, types)
    else:
        yield _pairs(sort, objects, types)


def _sequences(objects, types):
    degrees, targets = array("I", map(len, objects)), items(objects)
    if sum(degrees) != len(targets):
        # There are empty slots, or another thread changed a list in between.
        held = [items([one]) for one in objects]
        degrees, targets = array("I", map(len, held)), list(chain.from_iterable(held))
    return Piece(SEQUENCE, objects, types, degrees, targets)


def items(sequences):
    """Of lists and tuples one after the other; fewer than their lengths tell where slots are empty."""
    if not _BACKWARD:
        return gc.get_referents(*sequences)
    found = gc.get_referents(*reversed(sequences))
    found.reverse()
    return found


def _pairs(sort, objects, types):
    keys = list(map(list, map(dict.keys, objects)))
    values = list(map(list, map(dict.values, objects)))
    degrees = array("I", map(len, keys))
    if degrees != array("I", map(len, values)):
        pairs = [list(dict.items(one)) for one in objects]
        keys = [[key for key, _ in some] for some in pairs]
        values = [[value for _, value in some] for some in pairs]
        degrees = array("I", map(len, keys))
    return Piece(sort, objects, types, degrees, list(chain.from_iterable(values)), list(chain.from_iterable(keys)))


def _note(targets, found, listed):
    """Remembers by address what the collector did not list."""
    if listed is None:
        some = list(filterfalse(gc.is_tracked, targets))
    else:
        some = list(compress(targets, map(not_, map(listed.__contains__, map(id, targets)))))
    found.update(zip(map(id, some), some))


def _not_yet(told, found):
    """What was found for the first time; noted in ``told``."""
    for address in told.keys() & found.keys() if told else ():
        del found[address]
    told.update(found)
    return list(found.values())
