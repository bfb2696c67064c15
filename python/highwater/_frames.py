"""What functions that run, or have ended in an error, have in their variables."""

import _thread
import sys

_OPTIMIZED = 1  # of a code's flags: its variables are not a dict
# A function that asks for its own variables may keep the very dict that a look from outside would fill.
_LOOKS_AT_ITSELF = frozenset(("locals", "vars", "dir", "eval", "exec"))
_kept = None  # in a fork: what `keep_threads` told in the program


class _KeptFrame:
    """A frame as it was; of a real one a fork has nothing left but that of the thread that forked."""

    __slots__ = ("f_code", "f_globals", "f_lineno", "f_back", "variables")

    def __init__(self, frame):
        self.f_code = frame.f_code
        self.f_globals = frame.f_globals
        self.f_lineno = frame.f_lineno
        self.f_back = None
        self.variables = local_variables(frame)


def keep_threads():
    """What each thread runs, to be asked before a fork in which `use_threads` will want it."""
    return {} if sys.gettrace() else {thread: _kept_frames(frame) for thread, frame in thread_frames().items()}


def _kept_frames(frame):
    first = last = _KeptFrame(frame)
    while frame.f_back is not None:
        frame = frame.f_back
        last.f_back = last = _KeptFrame(frame)
    return first


def use_threads(kept):
    """In a fork: from now on these are the threads that run."""
    global _kept
    _kept = kept


def running():
    """(function, name, value) of the variables of all functions that run in this thread, ours left out; in a fork of the program's
    that keeps them, in all threads."""
    if _kept is not None:
        firsts = list(_kept.values())
    else:
        firsts = [] if sys.gettrace() else [sys._getframe(1)]
    found = []
    for frame in firsts:
        while frame is not None:
            found += [(frame.f_code.co_name, name, value) for name, value in local_variables(frame)]
            frame = frame.f_back
    return found


def thread_frames():
    """What each thread runs, by its number: of this one alone where a look at others may crash the program."""
    if _kept is not None:
        return _kept
    # There the frame of a generator that another thread lets go is freed under whoever looks at it (python/cpython#125723).
    if (3, 13) <= sys.version_info < (3, 13, 6):
        return {_thread.get_ident(): sys._getframe(1)}
    return sys._current_frames()


def is_ours(frame):
    package = frame.f_globals.get("__package__") or ""
    return isinstance(package, str) and (package + ".").startswith(__package__ + ".")


def local_variables(frame):
    """Pairs of name and value; none of ours, and none where a look could be noticed."""
    if type(frame) is _KeptFrame:
        return frame.variables
    code = frame.f_code
    if is_ours(frame) or not code.co_flags & _OPTIMIZED:
        return ()
    if sys.version_info >= (3, 13):
        return list(frame.f_locals.items())
    if not _LOOKS_AT_ITSELF.isdisjoint(code.co_names):
        return ()
    # Until 3.12 the frame keeps the dict that it makes, and with it everything in there: emptied at once,
    # unless somebody else has it too.
    variables = frame.f_locals
    pairs = list(variables.items())
    if sys.getrefcount(variables) <= 3:
        variables.clear()
    return pairs
