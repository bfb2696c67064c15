"""What this process holds of the host's memory at this very moment: looked at when it is larger than ever."""

import gc
import sys
import time

from ._alone import alone
from ._gauges import mallinfo
from ._inside.gradients import LaterGradients
from ._inside.held import rows_of_gradients, survey
from ._small_objects import small_objects

# A look at who holds it may take one part in so many of the time since the last one: for some seconds, and later.
EAGER_NS = 20 * 10**9
EAGER_SHARE = 20
SHARE = 200


def allocators():
    """Counters: what malloc and Python's own allocator have handed out, and what they keep."""
    values = {}
    if mallinfo is not None:
        info = mallinfo()
        values = {"malloc.in_use": info.uordblks + info.hblkhd, "malloc.free": info.fordblks}
    small = small_objects()
    if small is not None:
        values["python.in_use"], values["python.arenas"] = small
    return values


def take_look(later=None):
    """Who holds it: rows, the largest first."""
    collects = gc.isenabled()
    gc.disable()  # what goes meanwhile should not be collected in a thread of ours
    try:
        return survey(sys.modules.get("torch"), later=later)
    finally:
        if collects:
            gc.enable()


class Looks:
    """At who holds it, from a thread of ours, as often as their time is paid for."""

    def __init__(self, tell):
        """``tell`` gets a moment and further rows of it, gradients, in the program's main thread."""
        self._tell = tell
        self._eager_until = time.monotonic_ns() + EAGER_NS
        self._next = 0
        self._later = LaterGradients(self._tell_gradients)

    def rows(self, now):
        """None: not now."""
        if now < self._next:
            return None
        self._later.now = now
        before = time.thread_time_ns()
        with alone():
            rows = take_look(self._later)
        cost = time.thread_time_ns() - before
        self._next = now + cost * (EAGER_SHARE if now < self._eager_until else SHARE)
        return rows

    def _tell_gradients(self, now, torch, found, seen):
        rows = rows_of_gradients(torch, found, seen)
        if rows:
            self._tell(now, rows)
