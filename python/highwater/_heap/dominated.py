"""What would go with a set of objects: all that no root leads to but through them (Heapy's dominos)."""

from .arrays import Storage
from .references import address
from .roots import roots


def dominated(objects, links, hidden):
    """The objects themselves among it; ``hidden``: what is ours holds nothing."""
    own = set(map(address, objects))
    barred = own | hidden
    others = reached([value for _, value in roots()], links, barred)
    return list(reached(objects, links, others.keys() | hidden).values())


def reached(start, links, barred):
    """By address, all that references lead to from ``start`` without a step onto what is barred."""
    found = {}
    level = start
    while level:
        fresh = {}
        fresh.update(zip(map(address, level), level))
        for known in fresh.keys() & barred:
            del fresh[known]
        for known in fresh.keys() & found.keys():
            del fresh[known]
        found.update(fresh)
        level = []
        for _, targets in links.of([one for one in fresh.values() if type(one) is not Storage]):
            level += targets
    return found
