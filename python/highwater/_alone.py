"""A look at the program's objects from a thread of ours, while no other thread of Python runs.

A walk refers to what it looks at. Were the program to go on meanwhile, what it lets go would stay until the walk has ended,
and would then end in our thread. The interpreter passes its lock on only when another thread has waited for one switch
interval: a longer one, for so long as the look takes, keeps the program where it is.
"""

import os
import sys
import time
from contextlib import contextmanager

# Longer than a look may take. It is also how long we may wait, once, for a thread that never waits for anything.
LONGEST_SECONDS = 0.05

_before = None  # what the interval was, while it is ours


@contextmanager
def alone():
    """Within it no other thread runs Python code; what has let go of the interpreter's lock (C, the system) goes on."""
    global _before
    if _before is not None:
        yield  # in another thread of ours already
        return
    _before = sys.getswitchinterval()
    sys.setswitchinterval(max(LONGEST_SECONDS, _before))
    ours = sys.getswitchinterval()
    try:
        # Whoever waits for the lock by the old interval gets it now, and waits by the new one next time.
        time.sleep(0)
        yield
    finally:
        _give_back(ours)


def _give_back(ours=None):
    global _before
    before, _before = _before, None
    if before is not None and ours in (None, sys.getswitchinterval()):  # or the program has set one of its own meanwhile
        sys.setswitchinterval(before)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_give_back)  # there is no thread of ours that would
