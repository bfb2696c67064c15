"""Taking a heap: in a fork of the process while the program goes on, or inside of it."""

import _thread
import atexit
import gc
import os
import sys
import time

from .._whole import refusal
from .dump import write_heap
from .._fork import can_fork, in_child
from .roots import roots

MODES = ("auto", "fork", "inside")
_waiting = set()


class Taken:
    """A heap that is being written; the file is there under its name when it is whole."""

    def __init__(self, file, mode, pause_ms):
        self.file = file
        self.mode = mode  # fork or inside
        self.pause_ms = pause_ms  # how long the program stood still
        self._child = None
        self._figures = None

    def wait(self):
        """Figures of the heap, when it is written: a dict of `file`, `objects`, `references`, `bytes`, `mode`, `pauseMs`."""
        if self._figures is None:
            _waiting.discard(self)
            self._figures = self._child.wait()
        figures = {"file": self.file, "mode": self.mode, "pauseMs": round(self.pause_ms, 1)}
        return {**figures, **self._figures}

    def __repr__(self):
        state = "written" if self._figures is not None else "being written"
        return "<heap in %s, %s; the program stood still for %.1f ms>" % (self.file, state, self.pause_ms)


def take(path, mode="auto"):
    if mode not in MODES:
        raise ValueError("mode is %r, and can be one of %s" % (mode, ", ".join(MODES)))
    path = os.path.abspath(os.fspath(path))
    # Said here and not by the child, for whose errors nobody may wait.
    if not os.path.isdir(os.path.dirname(path)):
        raise FileNotFoundError("no such folder: %s" % os.path.dirname(path))
    if refusal():
        raise RuntimeError(refusal())
    reason = can_fork()
    if mode == "fork" and reason:
        raise RuntimeError(reason)
    facts = {"pid": os.getpid(), "taken": round(time.time() * 1000), "program": sys.argv[0] if sys.argv else ""}
    if mode == "inside" or reason:
        return _inside(path, facts)
    return _forked(path, facts)


def _forked(path, facts):
    began = time.perf_counter()
    held = roots()
    child = in_child(lambda: write_heap(path, held, {**facts, "mode": "fork"}, isolated=True))
    taken = Taken(path, "fork", (time.perf_counter() - began) * 1000)
    taken._child = child
    if not _waiting:
        atexit.register(_wait_for_all)
    _waiting.add(taken)
    _thread.start_new_thread(child.reap, ())
    return taken


def _inside(path, facts):
    began = time.perf_counter()
    collects = gc.isenabled()
    gc.disable()
    try:
        figures = write_heap(path, roots(), {**facts, "mode": "inside"}, isolated=False)
    finally:
        if collects:
            gc.enable()
    taken = Taken(path, "inside", (time.perf_counter() - began) * 1000)
    taken._figures = figures
    return taken


def _wait_for_all():
    # The end of a container's first process would end the copy with it.
    atexit.unregister(_wait_for_all)
    for taken in list(_waiting):
        try:
            taken.wait()
        except Exception as error:
            print("highwater: no heap in %s: %s" % (taken.file, error), file=sys.stderr)
