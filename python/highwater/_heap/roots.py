"""Where everything begins: the interpreter's own tables, and the variables of functions that are running."""

import builtins
import os
import sys
import types

from .._frames import local_variables, thread_frames
from .._threads import thread_names

_FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")


def roots():
    """Pairs (name, object). To be asked in the program itself: a forked child no longer has the other threads."""
    found = [("i0_modules", sys.modules), ("i0_sysdict", vars(sys)), ("i0_builtins", vars(builtins))]
    names = thread_names()
    for ident, frame in thread_frames().items():
        thread = names.get(ident, "thread %d" % ident)
        where = "" if thread == "MainThread" else "'%s' in " % thread
        while frame is not None:
            # What our own functions hold is reached from our modules, and is none of the program's.
            ours = frame.f_code.co_filename.startswith(_FOLDER)
            for name, value in () if ours else _variables(frame):
                found.append(("%s%s() %s" % (where, frame.f_code.co_name, name), value))
            frame = frame.f_back
    return found


def own_modules():
    """Our own modules, told by where they lie: the program may have some of the same name."""
    return [
        one
        for one in list(sys.modules.values())
        if isinstance(one, types.ModuleType) and str(vars(one).get("__file__")).startswith(_FOLDER)
    ]


def _variables(frame):
    try:
        return local_variables(frame)
    except Exception:
        return ()
