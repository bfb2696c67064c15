"""What Python's collector knows, less what may still be in the making.

`tuple(generator)` fills a tuple that the collector lists already. Its empty slots crash whoever iterates over it, and
C code gives up with a SystemError where anybody else has a reference to it when it is cut to its length. Frozensets are
made in the same way. Such an object has one reference, that of its maker: tuples and frozensets with no more are left
out here. Those that are finished are found again by what refers to them.

The collector's own answer is never in a variable of ours: it is asked and sifted within one call of C functions, in
which no other thread can run. (Not so in builds without a global lock: `refusal`.)
"""

import gc
import sys
from collections import Counter
from functools import partial
from itertools import chain, compress, islice, repeat
from operator import lt

_PIECE = 1 << 16


def refusal():
    """None, or why the objects of this process cannot be looked at."""
    locked = getattr(sys, "_is_gil_enabled", None)
    if locked is None or locked():
        return None
    return "this Python runs threads without a global lock: objects would change while they are looked at"


def whole_objects(ours=None):
    """``ours``: a set that gets the addresses of what was made for asking, which is in the answer."""
    return _sifted(gc.get_objects, _finished, ours)


def instances(kinds):
    """What has exactly one of these types, none of which may be made in parts: a third of the time of `whole_objects()`."""
    wanted = frozenset(map(id, kinds)) - _LIMITS.keys()
    return _sifted(gc.get_objects, partial(_of_types, wanted))


def of_types(found, kinds):
    """Those of an answer of `instances` that have exactly one of these types; they are no holders of anything either."""
    wanted = frozenset(map(id, kinds))
    return _Sifted(compress(found, map(wanted.__contains__, map(id, map(type, found)))))


def count_types():
    """(type, how many objects the collector knows of it), of all that it knows: nothing of them is held or looked into."""
    kinds = list(map(type, each(gc.get_objects)))
    if all(map(_hashed_by_address, set(map(type, kinds)))):
        return list(Counter(kinds).items())
    # Classes with a metaclass whose own code would run: by their addresses, at twice the time.
    addresses = list(map(id, kinds))
    one_each = dict(zip(addresses, kinds))
    return [(one_each[address], count) for address, count in Counter(addresses).items()]


def _hashed_by_address(metaclass):
    return metaclass.__hash__ is type.__hash__ and metaclass.__eq__ is type.__eq__


def whole_referrers(objects):
    """What refers to these; a tuple with one reference only where that is found."""
    addresses = []
    found = _sifted(partial(gc.get_referrers, *objects), _finished, addresses=addresses)
    unsure = set(addresses).difference(map(id, found))
    every = whole_objects() if unsure else ()
    unsafe = unsafe_module()
    every = every if unsafe is None else [one for one in every if one is not unsafe]
    for start in range(0, len(every), _PIECE):
        held = gc.get_referents(*every[start : start + _PIECE])
        again = compress(held, map(unsure.__contains__, map(id, held)))
        # What was asked with has gone since, and others may be in its place.
        again = {id(one): one for one in again if type(one) is tuple or type(one) is frozenset}
        found += again.values()
        unsure.difference_update(again)
    return found


def unsafe_module():
    """A module that must not be asked what it refers to, or None. In 3.12 `_asyncio` tells of objects that it has let go
    and keeps for later: who takes and drops one puts it there twice, and the next collection never ends."""
    return sys.modules.get("_asyncio") if sys.version_info[:2] == (3, 12) else None


def each(question):
    """What is in the list that is its answer, asked when the first is wanted."""
    return chain.from_iterable(islice(iter(question, None), 1))


class _Sifted(list):
    """Told from other lists: it is there when the collector is asked, and must not hold itself."""

    __slots__ = ()


def _sifted(question, choose, ours=None, addresses=None):
    """``addresses``: a list that gets those of all in the answer that are made in parts, chosen or not."""
    parts = []
    make = partial(_make, parts)
    answer = make(list)
    asking = make(map, list.append, make(repeat, answer), make(islice, make(iter, question, None), 1))
    chosen = make(compress, _each_of(make, answer), choose(make, answer))
    # Emptied as well: the answer has these iterators in it, and they have the answer.
    emptying = make(map, list.clear, make(iter, answer))
    noting = () if addresses is None else (_noting(make, addresses, _made_in_parts(make, answer)),)
    steps = (make(filter, None, asking), *noting, chosen, make(filter, None, emptying))
    whole = make(chain.from_iterable, make(iter, steps))
    if ours is not None:
        ours.update(map(id, (ours, parts, make, make.args, steps, question, *parts)))
    return _Sifted(whole)


def _noting(make, into, values):
    return make(filter, None, make(map, list.extend, make(repeat, into), make(iter, (values,))))


def _made_in_parts(make, answer):
    are = make(map, _IN_PARTS.__contains__, _type_addresses(make, answer))
    return make(compress, make(map, id, _each_of(make, answer)), are)


def _each_of(make, answer):
    return make(chain.from_iterable, make(iter, answer))


def _type_addresses(make, answer):
    # By address: a class may be compared and hashed by code of its metaclass.
    return make(map, id, make(map, type, _each_of(make, answer)))


def _finished(make, answer, limits=None):
    least = make(map, dict.get, make(repeat, limits or _LIMITS), _type_addresses(make, answer), make(repeat, 0))
    return make(map, lt, least, make(map, sys.getrefcount, _each_of(make, answer)))


def _of_types(wanted, make, answer):
    return make(map, wanted.__contains__, _type_addresses(make, answer))


def _make(parts, kind, *of):
    parts.append(kind(*of))
    return parts[-1]


def _references_of_one():
    """How many are counted above of an object that has one reference beside that of the answer."""
    holder = [tuple([None])]
    count = 0
    while _sifted(holder.copy, partial(_finished, limits={id(tuple): count})):
        count += 1
    return count


_IN_PARTS = frozenset(map(id, (tuple, frozenset)))
_LIMITS = {**dict.fromkeys(_IN_PARTS, _references_of_one()), id(_Sifted): sys.maxsize}
