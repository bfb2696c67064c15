"""What this process holds of the host's memory at this very moment: looked at when it is larger than ever."""

import gc
import sys
import time

from ._alone import alone
from ._gauges import mallinfo
from ._inside.held import survey
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


def take_look():
    """Who holds it: rows, the largest first."""
    collects = gc.isenabled()
    gc.disable()  # what goes meanwhile should not be collected in a thread of ours
    try:
        return survey(sys.modules.get("torch"))
    finally:
        if collects:
            gc.enable()


class Looks:
    """At who holds it, from a thread of ours, as often as their time is paid for."""

    def __init__(self):
        self._eager_until = time.monotonic_ns() + EAGER_NS
        self._next = 0

    def rows(self, now):
        """None: not now."""
        if now < self._next:
            return None
        before = time.thread_time_ns()
        with alone():
            rows = take_look()
        cost = time.thread_time_ns() - before
        self._next = now + cost * (EAGER_SHARE if now < self._eager_until else SHARE)
        return rows
