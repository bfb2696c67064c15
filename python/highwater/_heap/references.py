"""References between objects of this process, by whole lists."""

from itertools import chain, compress, repeat

from .._whole import whole_objects
from .arrays import Storage
from .roots import roots
from .walk import Walk


class References:
    def __init__(self, hidden):
        self._walk = Walk(hidden=hidden)

    @property
    def owned(self):
        """Pairs of an object and the dict of its attributes, among those that were asked."""
        return zip(self._walk.owners, self._walk.dicts)

    def of(self, objects):
        """Pairs of lists side by side: who refers, and to what."""
        walk = self._walk
        walk.find_own(objects)
        for piece in walk.split(objects):
            yield from _lists(piece)
            walk.extra(piece)
            yield walk.extra_from[:], walk.extra_to[:]
            del walk.extra_from[:], walk.extra_to[:]

    def into(self, objects, wanted):
        """Pairs (who, what) of references from ``objects`` to those whose addresses are ``wanted``."""
        for owners, targets in self.of(objects):
            yield from _wanted(owners, targets, wanted)


def references_into(wanted, hidden):
    """The same from all objects there are."""
    ours = set()
    walk = Walk(whole_objects(ours), roots(), hidden | ours)
    for piece in walk.pieces():
        for owners, targets in _lists(piece):
            yield from _wanted(owners, targets, wanted)
    yield from _wanted(walk.extra_from, walk.extra_to, wanted)


def address(one):
    """The same for the same thing: data of arrays are described anew each time."""
    return -one.address if type(one) is Storage else id(one)


def _lists(piece):
    if piece.degrees is not None:
        owners = list(chain.from_iterable(map(repeat, piece.objects, piece.degrees)))
        yield owners, piece.targets
        if piece.keys is not None:
            yield owners, piece.keys


def _wanted(owners, targets, wanted):
    return compress(zip(owners, targets), map(wanted.__contains__, map(address, targets)))
