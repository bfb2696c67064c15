"""What references lead to and the collector did not list: each is to be met once, however many refer to it."""

import gc
import sys
from itertools import compress, filterfalse, repeat
from operator import eq, is_, is_not, ne, not_

from .pointers import addresses


class Found:
    def __init__(self, listed):
        """``listed``: addresses of what was there before; None where that is all that the collector tracks."""
        self._listed = listed
        self._found = {}
        self._sole = []
        self._told = {}

    def note(self, targets):
        some = self._unlisted(targets)
        self._found.update(zip(addresses(some), some))

    def note_sole(self, targets, texts=True):
        """The same of references that are met only here: what has but one needs no remembering. Without ``texts``
        those are remembered: names in the tuples of a code object are told by that as well."""
        some = self._unlisted(targets)
        counts = list(map(sys.getrefcount, some))
        sole = list(compress(some, map(eq, counts, repeat(_ONE))))
        shared = list(compress(some, map(ne, counts, repeat(_ONE))))
        if not texts:
            kinds = list(map(type, sole))
            shared += compress(sole, map(is_, kinds, repeat(str)))
            sole = list(compress(sole, map(is_not, kinds, repeat(str))))
        self._sole += sole
        self._found.update(zip(addresses(shared), shared))

    def taken(self):
        """What was found for the first time since this was last asked."""
        found, told = self._found, self._told
        for address in told.keys() & found.keys() if told else ():
            del found[address]
        told.update(found)
        sole = self._sole
        sole += found.values()
        self._found, self._sole = {}, []
        return sole

    def _unlisted(self, targets):
        if self._listed is None:
            return list(filterfalse(gc.is_tracked, targets))
        return list(compress(targets, map(not_, map(self._listed.__contains__, addresses(targets)))))


def _references_of_one():
    """How many are counted above of an object that has one."""
    holder = [1.5 * len(__name__)]
    targets = holder[:]
    some = list(filterfalse(gc.is_tracked, targets))
    return next(map(sys.getrefcount, some))


_ONE = _references_of_one()
