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
from itertools import chain, compress, repeat
from operator import is_, not_

from .._own_size import own_size
from .._type_facts import HEAP_TYPE, flags_of, mro_of
from .._whole import unsafe_module
from .arrays import HeapArrays, Storage
from .code import code_parts
from .dict_owners import class_dict, own_dicts
from .found import Found
from .pointers import addresses
from .traversal import ARRAY, CLASS, CODE, DICT, DICT_CLASS, FLOAT, INLINE_VALUES, INTEGER, LEAF, LIST, ONE_TYPE, PLAIN
from .traversal import TEXT, TUPLE, TraversalRules, masks, owning

PIECE = 1 << 14
_base_of = type.__dict__["__base__"].__get__
# References that are in memory at once, unless one object alone has more.
MOST_TARGETS = 1 << 22
_BACKWARD = gc.get_referents([0, 1]) == [1, 0]  # the order in which the collector tells items
# What refers to things that nothing else tells of: no reference of theirs is met a second time.
_SOLE = {LIST, TUPLE} if INLINE_VALUES else {LIST, TUPLE, DICT, PLAIN}
# What the collector keeps before each, and `__sizeof__` leaves out.
_HEADS = {sort: sys.getsizeof(kind()) - kind.__sizeof__(kind()) for sort, kind in ONE_TYPE.items()}


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
        # Of frozen objects, as which 3.12 counts immortal ones, the collector says that it tracks them, but lists none.
        alone = self._isolated and not gc.get_freeze_count()
        found = Found(None if alone else set(addresses(fresh)))
        found.note([value for _, value in self.roots])
        dicts, seen = set(), 0
        while fresh:
            for start in range(0, len(fresh), PIECE):
                for piece in self._split(fresh[start : start + PIECE], own=True):
                    if alone and piece.sort in _SOLE:
                        found.note_sole(piece.targets, texts=piece.sort != TUPLE)
                    elif piece.targets is not None:
                        found.note(piece.targets)
                    if piece.keys is not None:
                        found.note(piece.keys)  # those of a class's instances are shared without being counted
                    found.note(self.extra(piece))
                    if piece.sort == DICT and alone:
                        dicts.update(addresses(piece.objects))
                    yield piece
            fresh = self._unhidden(found.taken())
            if alone:
                # Those that were made by asking for them: the collector tracks them, and has not listed them.
                asked, seen = self.dicts[seen:], len(self.dicts)
                made = compress(asked, map(not_, map(dicts.__contains__, addresses(asked))))
                fresh += {id(one): one for one in filter(gc.is_tracked, made)}.values()

    def sizes(self, piece):
        """(Bytes of each object itself, what each has beside that)."""
        if piece.sort == ARRAY:
            return list(map(self.arrays.size, piece.objects)), 0
        try:
            return self._sizes(piece)
        except Exception:
            return list(map(own_size, piece.objects)), 0

    def _sizes(self, piece):
        sort, objects = piece.sort, piece.objects
        if sort == FLOAT:
            return [sys.getsizeof(0.0)] * len(objects), 0
        if sort in ONE_TYPE:
            return list(map(ONE_TYPE[sort].__sizeof__, objects)), _HEADS[sort]
        try:
            return list(map(self.rules.fixed.__getitem__, piece.types)), 0
        except KeyError:
            pass
        readers = self.rules.size_readers
        if readers.keys().isdisjoint(piece.types):
            return list(map(sys.getsizeof, objects)), 0
        return [readers.get(address, sys.getsizeof)(one) for address, one in zip(piece.types, objects)], 0

    def _unhidden(self, objects):
        if not self._hidden:
            return objects
        return list(compress(objects, map(not_, map(self._hidden.__contains__, addresses(objects)))))

    def find_own(self, objects):
        """Whose dicts there are; made where attributes had none, so that what is asked later is told the same way."""
        for start in range(0, len(objects), PIECE):
            piece = objects[start : start + PIECE]
            self._find_own(piece, self.rules.of(list(map(type, piece))))

    def _find_own(self, objects, codes):
        mask = owning(codes)
        if mask is not None:
            owners, dicts = own_dicts(list(compress(objects, mask)))
            self.owners += owners
            self.dicts += dicts

    def split(self, objects):
        return self._split(objects, own=False)

    def _split(self, objects, own):
        kinds = list(map(type, objects))
        codes = self.rules.of(kinds)
        if own:
            self._find_own(objects, codes)
        for sort, mask in masks(codes):
            some = objects if mask is None else list(compress(objects, mask))
            if sort in ONE_TYPE:
                types = array("Q", [id(ONE_TYPE[sort])]) * len(some)
            else:
                types = addresses(kinds if mask is None else list(compress(kinds, mask)))
            yield from _pieces(sort, some, types)

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
    if sort in (LEAF, TEXT, INTEGER, FLOAT):
        yield Piece(sort, objects, types)
    elif sort in (LIST, TUPLE, DICT, DICT_CLASS):
        yield from _bounded(sort, objects, types)
    else:
        yield _asked(sort, objects, types)


def _asked(sort, objects, types):
    unsafe = unsafe_module()
    if unsafe is not None and any(map(is_, objects, repeat(unsafe))):
        held = [[vars(one)] if one is unsafe else gc.get_referents(one) for one in objects]
    else:
        held = list(map(gc.get_referents, objects))
    return Piece(sort, objects, types, array("I", map(len, held)), list(chain.from_iterable(held)))


def _bounded(sort, objects, types):
    # A class made of dict may have a length of its own.
    lengths = array("I", map(dict.__len__ if sort == DICT_CLASS else len, objects))
    if sum(lengths) > MOST_TARGETS and len(objects) > 1:
        half = len(objects) // 2
        yield from _bounded(sort, objects[:half], types[:half])
        yield from _bounded(sort, objects[half:], types[half:])
    elif sort in (LIST, TUPLE):
        yield _sequences(sort, objects, types, lengths)
    else:
        yield _pairs(sort, objects, types, lengths)


def _sequences(sort, objects, types, degrees):
    targets = items(objects)
    if sum(degrees) != len(targets):
        # There are empty slots, or another thread changed a list in between.
        held = [items([one]) for one in objects]
        degrees, targets = array("I", map(len, held)), list(chain.from_iterable(held))
    return Piece(sort, objects, types, degrees, targets)


def items(sequences):
    """Of lists and tuples one after the other; fewer than their lengths tell where slots are empty."""
    if not _BACKWARD:
        return gc.get_referents(*sequences)
    found = gc.get_referents(*reversed(sequences))
    found.reverse()
    return found


def _pairs(sort, objects, types, degrees):
    keys = list(chain.from_iterable(map(dict.keys, objects)))
    values = list(chain.from_iterable(map(dict.values, objects)))
    if len(keys) != len(values) or degrees != array("I", map(dict.__len__, objects)) or sum(degrees) != len(keys):
        # Another thread changed one in between.
        pairs = [list(dict.items(one)) for one in objects]
        degrees = array("I", map(len, pairs))
        keys, values = ([pair[place] for some in pairs for pair in some] for place in (0, 1))
    return Piece(sort, objects, types, degrees, values, keys)
