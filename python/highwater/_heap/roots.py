"""Where everything begins: the interpreter's own tables, and the variables of functions that are running."""

import builtins
import sys
import threading

from .._names import local_variables


def roots():
    """Pairs (name, object). To be asked in the program itself: a forked child no longer has the other threads."""
    found = [("i0_modules", sys.modules), ("i0_sysdict", vars(sys)), ("i0_builtins", vars(builtins))]
    names = {one.ident: one.name for one in threading.enumerate()}
    for ident, frame in sys._current_frames().items():
        thread = names.get(ident, "thread %d" % ident)
        where = "" if thread == "MainThread" else "'%s' in " % thread
        while frame is not None:
            for name, value in _variables(frame):
                found.append(("%s%s() %s" % (where, frame.f_code.co_name, name), value))
            frame = frame.f_back
    return found


def _variables(frame):
    try:
        return local_variables(frame)
    except Exception:
        return ()
