"""What is done in the program's main thread, between two lines of it, because a thread of ours asks for it."""

import ctypes
import sys

_add_pending = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.py_object)(("Py_AddPendingCall", ctypes.pythonapi))
_is_true = ctypes.cast(ctypes.pythonapi.PyObject_IsTrue, ctypes.c_void_p)


class Question:
    """Its truth is asked for by Python itself, in the main thread; what a handler of a signal raises meanwhile gets through to the program."""

    def __init__(self, answer):
        self._answer = answer
        self._waits = False
        # Python holds no reference to it while it waits: it must never go.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self))

    def ask(self):
        """One at a time: there is room for a few of the whole program only."""
        if not self._waits:
            self._waits = _add_pending(_is_true, self) == 0

    def __bool__(self):
        self._waits = False
        self._answer()
        return False


def monitored():
    """A debugger, profiler or measurer of coverage would see us in the program's own thread."""
    monitoring = getattr(sys, "monitoring", None)
    return monitoring is not None and any(monitoring.get_tool(number) for number in range(6))


def is_programs(error):
    """What a handler of a signal has raised: the last line of it is neither ours nor Python's own."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    name = trace.tb_frame.f_globals.get("__name__", "") if trace is not None else ""
    return isinstance(name, str) and not name.startswith(__package__.split(".")[0] + ".") and name.split(".")[0] not in _OURS


_OURS = frozenset(("collections", "heapq", "re", "sre_compile", "sre_parse", "dis", "opcode", "posixpath", "genericpath", "os", "types", "weakref", "functools"))
