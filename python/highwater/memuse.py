"""Sizes: of the process, of objects, of arrays, and whether they add up (docs/sizes.md).

    from highwater import memuse
    print(memuse.allsizes_mb())

The names are those of Topographica's memuse. Sizes are in bytes; in its strings MB and m are 1024² bytes.
"""

from ._sizes.batch import memuse_batch
from ._profiler.counters import resident as _resident
from ._sizes.account import account as allsizes
from ._sizes.detail import Asized, asized, asizeof
from ._sizes.model import connections as _connections
from ._sizes.root import default_roots as _default_roots
from ._sizes.walk import Walk as _Walk
from ._sizes.words import accounting as _accounting
from ._sizes.words import mb as _mb
from ._sizes.words import one_line as _one_line
from ._sizes.words import sentence as _sentence
from ._sizes.words import top as _top

__all__ = [
    "Asized",
    "allsizes",
    "allsizes_mb",
    "asized",
    "asizeof",
    "memuse_batch",
    "n_bytes",
    "n_conns",
    "print_sizes",
    "simsize",
    "simsize_mb",
    "topsize",
    "topsize_mb",
    "wtsize_mb",
]


def topsize():
    """Resident bytes of this process, as top and ps show them; None where the system does not tell."""
    return _resident()[0]


def topsize_mb():
    """``topsize:52m``, as top writes it."""
    return "topsize:%s" % _top(topsize() or 0)


def simsize(*roots):
    """Bytes of all objects of a model or simulation, without its arrays' data; by default the program's models."""
    return _walk(roots).objects


def simsize_mb(*roots):
    return "simsize:%s" % _mb(simsize(*roots))


def n_bytes(*roots):
    """Bytes of the arrays of a model or simulation, on all devices; shared memory counts once."""
    return sum(_walk(roots).arrays.values())


def wtsize_mb(*roots):
    return "wtsize:%s" % _mb(n_bytes(*roots))


def n_conns(*roots):
    """How many connections (parameters) a model has; those that share memory count each time."""
    return _connections(_given(roots))


def print_sizes(*roots, out=None):
    """``Defined 2197512-connection network; 15MB required for weight storage.``"""
    print(_sentence(n_conns(*roots), n_bytes(*roots)), file=out)


def allsizes_mb(*roots, baseline=True):
    """The process size against what explains it: the original's line, and below it what that leaves to the reader."""
    sizes = allsizes(*roots, baseline=baseline)
    return "\n".join([_one_line(sizes)] + ["  " + line for line in _accounting(sizes)])


def _given(roots):
    return roots or _default_roots()[0]


def _walk(roots):
    walk = _Walk()
    walk.add(*_given(roots))
    return walk
