"""What Python's own objects grow by: containers that have more and more in them, and types that have more and more
objects.

A few walks over all that Python's collector knows; only what has grown since the last look is sized, by a sample, and
named. Of the program's objects nothing is kept but numbers.
"""

import gc
import sys
from collections import Counter, OrderedDict, defaultdict, deque
from heapq import nlargest
from itertools import chain, compress, islice, repeat
from operator import is_, itemgetter

from .._frames import running
from .._function_names import LRU_CACHE
from .._names import holders
from .._places import with_line
from .._whole import count_types, instances

_MAPPINGS = frozenset((dict, OrderedDict, defaultdict, Counter))
_CONTAINERS = _MAPPINGS | {list, set, deque}
# By address: a class may be compared and hashed by code of its metaclass.
_CONTAINER_IDS = frozenset(map(id, _CONTAINERS))
# Smaller ones come and go by the thousand.
LEAST = 16
# Of those that grew: so many are sized, so many told.
MOST_SIZED = 20
MOST_CONTAINERS = 5
MOST_TYPES = 5
WORTH_NAMING = 1 << 16
# Entries of a container that are looked into, and how deep.
SAMPLE = 24
DEPTH = 3
PIECE = 1 << 12
# More references than this: it is somebody else's too (small numbers, names), and not the container's own.
OWN_REFERENCES = 5
_HEAP_TYPE = 1 << 9  # of a type's flags: not one of Python's own


class Objects:
    def __init__(self):
        self._noted = {}  # of each container, by its id: how many it had when it was first seen, when, and at the last look
        self._types = None  # of each type, by its id: how many there were at the first look
        self._since = 0

    def survey(self, now, seen=None):
        """Rows [kind, type, of, holder, count, grown, seconds, bytes]: grown by so much in so many seconds.

        ``seen``: the answer of `what_may_grow`, where somebody else has looked at it as well; it is emptied.
        """
        variables = [value for _, _, value in running() if type(value) is dict]
        types, found = seen or what_may_grow()
        containers = [one for one in found if id(type(one)) in _CONTAINER_IDS]
        large = [one for one in containers if len(one) >= LEAST]
        large += _untracked(containers, found, variables)
        ours = set(map(id, (found, containers, large, self._noted, self.__dict__)))
        large = [one for one in large if id(one) not in ours]
        del found[:], containers, variables
        grown = self._grown(large, now)
        del large
        return self._containers(grown) + self._counts(types, now)

    def _grown(self, large, now):
        """[gained, seconds, container], the largest gain first: those that had more at each look."""
        before, self._noted = self._noted, {}
        grown = []
        for one in large:
            first, since, last = before.get(id(one)) or (len(one), now, len(one))
            if len(one) < last:
                first, since = len(one), now  # emptied, or another one in its place
            self._noted[id(one)] = (first, since, len(one))
            if len(one) > last:
                grown.append((len(one) - first, (now - since) / 1e9, one))
        return sorted(grown, key=lambda row: -row[0])[:MOST_SIZED]

    def _containers(self, grown):
        sized = sorted(((size_of(one), *rest, one) for *rest, one in grown), key=lambda row: -row[0])
        del grown[:]
        rows, values = [], []
        for size, gained, seconds, one in sized[:MOST_CONTAINERS]:
            rows.append(["container", type_name(type(one)), _content(one), "", len(one), gained, seconds, size])
            values.append(one if size >= WORTH_NAMING else None)
        del sized[:]  # what of ours refers to them would be found among their holders
        for row, holder in zip(rows, holders(values)):
            row[3] = with_line(holder)
        return rows

    def _counts(self, types, now):
        # By id: a class that the program lets go must be able to go, and may have a way of its own to be compared.
        if self._types is None:
            self._types = {id(kind): count for kind, count in types}
            self._since = now
        gained = [(count - self._types.get(id(kind), 0), count, kind) for kind, count in types]
        seconds = (now - self._since) / 1e9
        return [
            ["type", type_name(kind), "", "", count, max(0, more), seconds, _shell(kind) * count]
            for more, count, kind in nlargest(MOST_TYPES, gained, key=itemgetter(0))
        ]


def what_may_grow():
    """(How many there are of each type, a list of containers and of objects of classes that are not Python's own, tensors among them)."""
    types = count_types()
    return types, instances(chain(_CONTAINERS, (LRU_CACHE,), (kind for kind, _ in types if _has_attributes(kind))))


def _has_attributes(kind):
    """Of classes that are not Python's own; a class itself has its attributes in another way."""
    return type.__dict__["__flags__"].__get__(kind) & _HEAP_TYPE and not issubclass(kind, type)


def _untracked(containers, found, variables):
    """Dicts of plain numbers and texts only: the collector does not know them, but it knows what holds them."""
    tracked, least = gc.is_tracked, LEAST
    held = _dicts(chain.from_iterable(map(dict.values, _dicts(containers))))
    others = [one for one in found if id(type(one)) not in _CONTAINER_IDS]
    held += _dicts(gc.get_referents(*others))
    return list({id(one): one for one in held + variables if len(one) >= least and not tracked(one)}.values())


def _dicts(values):
    """Without a line of Python for each, as there are hundreds of thousands; in pieces, as a list of all would leave its memory behind."""
    values, found = iter(values), []
    piece = list(islice(values, PIECE))
    while piece:
        found += compress(piece, map(is_, map(type, piece), repeat(dict)))
        piece = list(islice(values, PIECE))
    return found


def size_of(container, depth=DEPTH):
    """Bytes of a container with what only it holds, by a sample of its newest entries."""
    size = _own_size(container)
    sample = _newest(container)
    if not sample or depth == 0:
        return size
    inner = 0
    while sample:
        one = sample.pop()
        # This variable, the argument of the question, and the container.
        if sys.getrefcount(one) <= OWN_REFERENCES:
            inner += size_of(one, depth - 1)
    looked = min(SAMPLE, _entries(container))
    return size + int(inner / looked * _entries(container))


def _newest(container):
    kind = type(container)
    try:
        if kind in _MAPPINGS:
            return list(islice(reversed(container), SAMPLE)) + list(_values(container))
        if kind in (list, deque):
            return list(islice(reversed(container), SAMPLE))
        if kind in (tuple, set):
            return list(islice(container, SAMPLE))
        attributes = _dict_of(container)
        return [attributes] if attributes is not None else []
    except Exception:
        return []  # changed by another thread meanwhile


def _values(mapping):
    return islice(reversed(dict.values(mapping)), SAMPLE)


def _entries(container):
    kind = type(container)
    return len(container) if kind in _CONTAINERS or kind is tuple else 1


def _own_size(one):
    try:
        if type(one).__module__ in ("builtins", "collections", "numpy"):
            return sys.getsizeof(one)
        # Others may answer with code of their own.
        return object.__sizeof__(one)
    except Exception:
        return 0


def _dict_of(one):
    try:
        found = object.__getattribute__(one, "__dict__")
        return found if type(found) is dict else None
    except Exception:
        return None


def _content(container):
    """The usual type of its newest entries."""
    kind = type(container)
    newest = list(_values(container)) if kind in _MAPPINGS else _newest(container)
    [(usual, _)] = Counter(map(type, newest)).most_common(1) or [(None, 0)]
    return "" if usual is None else type_name(usual)


def type_name(kind):
    module = _module_of(kind)
    name = _name_of(kind)
    return name if module in ("builtins", "collections", None) else "%s.%s" % (module, name)


# A class may answer by code of its metaclass.
_name_of = type.__dict__["__name__"].__get__


def _module_of(kind):
    try:
        return type.__dict__["__module__"].__get__(kind)
    except AttributeError:
        return None


def _shell(kind):
    """What one object of a type takes at least, its part of the collector's list included."""
    return kind.__basicsize__ + 16
