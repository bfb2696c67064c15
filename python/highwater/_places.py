"""Where a variable is set: the line of the program, found in the code that runs."""

import _thread
import os
import re
import sys

from ._frames import thread_frames

_IN_FUNCTION = re.compile(r"(?:^| )(\w+) in (\w+)\(\)$")
_OF_MODULE = re.compile(r"(?:^| )(\w+) of ([\w.]+)$")
_STORES = ("STORE_FAST", "STORE_NAME", "STORE_GLOBAL", "STORE_DEREF", "STORE_FAST_STORE_FAST", "STORE_FAST_LOAD_FAST")


_MOST_KNOWN = 1000
_known = {}  # of variables: what has ended by the last look is told as before
_modules = {}  # code of modules that were running: at the exit, when the last look is taken, none is


def remember_modules():
    """Keeps the code of modules that run; called while a program takes its steps."""
    for frame in _running():
        if frame.f_code.co_name == "<module>" and len(_modules) < _MOST_KNOWN:
            _modules[frame.f_globals.get("__name__")] = frame.f_code


def with_line(holder):
    """`total in train()` becomes `total in train() at train.py:12`, where that function, or that module, runs or ran."""
    function = _IN_FUNCTION.search(holder)
    module = None if function else _OF_MODULE.search(holder)
    variable = function or module
    if not variable:
        return holder
    try:
        place = _known.get(variable.group()) or _place(function, module)
    except Exception:
        return holder
    if place and len(_known) < _MOST_KNOWN:
        _known[variable.group()] = place
    return "%s at %s" % (holder, place) if place else holder


def _place(function, module):
    for frame in _running():
        code = frame.f_code
        if function and code.co_name == function.group(2):
            return _last_set(code, function.group(1))
        if module and code.co_name == "<module>" and frame.f_globals.get("__name__") == module.group(2):
            return _last_set(code, module.group(1))
    ran = _modules.get(module.group(2)) if module else None
    return _last_set(ran, module.group(1)) if ran is not None else None


def _running():
    """Frames of functions that run: of this thread, then of others."""
    own = _thread.get_ident()
    others = (frame for thread, frame in thread_frames().items() if thread != own)
    for frame in (sys._getframe(1), *others):
        while frame is not None:
            yield frame
            frame = frame.f_back


def _last_set(code, name):
    """The last line that sets it: what is set before a loop, and again in it, is kept by the one within."""
    import dis

    line = found = None
    for one in dis.get_instructions(code):
        starts = getattr(one, "line_number", None) if sys.version_info >= (3, 13) else one.starts_line
        line = starts or line
        names = one.argval if isinstance(one.argval, tuple) else (one.argval,)
        if one.opname in _STORES and name in names:
            found = line
    return found and place_of(code, found)


def place_of(code, line):
    """`train.py:12`."""
    return "%s:%d" % (_file(code.co_filename), line)


def _file(path):
    """As the user would name it: from where the program runs, or its own name."""
    try:
        below = os.path.relpath(path)
        return os.path.basename(path) if below.startswith("..") else below
    except (OSError, ValueError):
        return os.path.basename(path)
