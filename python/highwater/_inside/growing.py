"""Containers of the program that have more and more in them, look by look, and types with more and more objects.

The cheap way, for any program and at any moment: `objects` knows more, and takes longer. Of the program's objects
nothing is kept but numbers.
"""

import gc
import sys
from collections import Counter
from heapq import nlargest
from itertools import islice
from operator import itemgetter

from .._own_size import own_size
from .._places import remember_modules, with_line
from .._type_facts import basic_size_of
from .._whole import each
from .caches import Caches
from .objects import type_name
from .owned import owned_bytes
from .reachable import MOST_ENTRIES, Reachable, base_of, newest
from .reachable import SAMPLE as SAMPLED
from .reached_names import name_of

LEAST = 16
MOST_SIZED = 12
MOST_TOLD = 5
MOST_TYPES = 3
SAMPLE = 24
FEW = 3  # of several in one container, so many are sized
# For the walk, of the time that a look may take.
WALK_NS = 20_000_000
# More blocks than this are not gone through for the types of their objects; of many, so many objects are counted.
MOST_BLOCKS = 500_000
COUNTED = 30_000


class Growing:
    def __init__(self):
        self._reachable = Reachable()
        self._caches = Caches()
        self._noted = {}  # of each container, by its id: how many it had when it was first seen, when, and at the last look
        self._told = {}  # of those that were told, by their id: how
        self._looks = 0
        self._types = None
        self._since = 0
        self.whole = True  # all of the program's own names were gone through, at each look

    def survey(self, now, last=False):
        """Rows [kind, type, of, holder, count, grown, seconds, bytes]: grown by so much in so many seconds; 0: no more.

        ``last``: the program has ended, and what its functions held has gone with them, which tells nothing of caches.
        """
        remember_modules()
        self._looks += 1
        nodes, whole = self._reachable.containers(WALK_NS)
        self.whole = self.whole and whole
        grown, let_go = self._grown(nodes, now)
        del nodes
        rows = let_go + [self._row(*one) for one in _sized(grown)]
        del grown
        return rows + ([] if last else self._caches.survey(now)) + self._counts(now)

    @property
    def cached(self):
        """Bytes of tensors in what was seen to take more and more of them; 0: there is no such thing."""
        return self._caches.bytes

    def _grown(self, nodes, now):
        """(gained, seconds, nodes), the largest gain first, of those that had more than at the last look; rows of those that have less."""
        ours = {id(self._noted), id(self._told), id(self.__dict__)}
        grown, let_go = [], []
        for node in nodes:
            length = _length(node.one)
            key = id(node.one)
            if length < LEAST or key in ours:
                continue
            first, since, last, gains = self._noted.get(key) or (length, now, length, 0)
            if length < last:
                first, since, gains = length, now, 0  # emptied, or another one in its place
                if key in self._told:
                    let_go.append(["container", *self._told.pop(key), length, 0, 0, 0])
            gains += length > last
            self._noted[key] = (first, since, length, gains)
            # What is filled and emptied by turns has more at one look, and less at the next.
            if length > last and (gains > 1 or self._looks <= 2):
                grown.append((length - first, (now - since) / 1e9, node))
        return nlargest(MOST_SIZED, _together(grown), key=itemgetter(0)), let_go

    def _row(self, names, nodes, *figures):
        told = [*names, with_line(name_of(nodes[0]))]
        self._told.update((id(node.one), told) for node in nodes)
        return ["container", *told, *figures]

    def _counts(self, now):
        blocks = sys.getallocatedblocks()
        if blocks > MOST_BLOCKS:
            return []
        step = max(1, blocks // 2 // COUNTED)
        # By id: a class that the program lets go must be able to go, and may have a way of its own to be compared.
        kinds = list(map(type, islice(each(gc.get_objects), 0, None, step)))
        counts = Counter(map(id, kinds))
        one_each = dict(zip(map(id, kinds), kinds))
        del kinds
        if self._types is None:
            self._types, self._since = {key: count * step for key, count in counts.items()}, now
            return []
        gained = []
        for key, count in counts.items():
            more = count * step - self._types.get(key, 0)
            # A sample of one in ten is off by its own root.
            if more > 8 * step * max(1, count) ** 0.5:
                gained.append((more, count * step, one_each[key]))
        seconds = (now - self._since) / 1e9
        return [
            ["type", type_name(kind), "", "", count, more, seconds, (basic_size_of(kind) + 16) * count]
            for more, count, kind in nlargest(MOST_TYPES, gained, key=itemgetter(0))
        ]


def _together(grown):
    """Those that lie in one container as one: of a dict with a list for each day all grow a little."""
    groups = {}
    for row in grown:
        above = row[2].above
        inside = above is not None and base_of(type(above.one)) is not None
        # Attributes of one object lie in one dict too, but each has a name.
        groups.setdefault((id(above), name_of(row[2])) if inside else id(row[2]), []).append(row)
    for rows in groups.values():
        nodes = [node for _, _, node in rows]
        # Of a large one only a sample was seen.
        above = nodes[0].above
        held = _length(above.one) if len(nodes) > 1 else 1
        share = held / SAMPLED if held > MOST_ENTRIES else 1
        yield int(sum(gained for gained, _, _ in rows) * share), max(seconds for _, seconds, _ in rows), nodes, share


def _sized(grown):
    """(names of types, nodes, entries, gained, seconds, bytes), of those that gained most bytes."""
    found = []
    for gained, seconds, nodes, share in grown:
        sizes = [_bytes(node.one) for node in nodes[:FEW]]
        length = int(sum(_length(node.one) for node in nodes) * share)
        size = int(sum(sizes) / len(sizes) * len(nodes) * share)
        one = nodes[0].one
        names = [type_name(type(one)) + ("s" if len(nodes) > 1 else ""), _usual(newest(one, base_of(type(one)), 0, SAMPLE))]
        found.append((size * gained // max(1, length), (names, nodes, length, gained, seconds, size)))
    return [row for _, row in nlargest(MOST_TOLD, found, key=itemgetter(0))]


def _length(one):
    return base_of(type(one)).__len__(one)


def _bytes(one):
    """Of a container with what only it holds, by its newest entries."""
    base = base_of(type(one))
    entries = newest(one, base, 0, SAMPLE)
    looked = len(entries)
    if base is dict:
        entries += islice(reversed(dict.keys(one)), SAMPLE)
    return own_size(one) + (owned_bytes(entries) * _length(one) // looked if looked else 0)


def _usual(entries):
    """The usual type of these."""
    kinds = list(map(type, entries))
    [(usual, _)] = Counter(map(id, kinds)).most_common(1) or [(None, 0)]
    return next((type_name(kind) for kind in kinds if id(kind) == usual), "")
