"""What the program is doing at this moment: the line of its own that runs in its main thread, the pass of a training, the module, and
whether gradients are kept. Read off the frames by a thread of ours; no code of the program's runs."""

import _thread
import ctypes
import os
import sys

from ._frames import is_ours, local_variables, thread_frames
from ._inside.reachable import is_own
from ._places import place_of
from ._type_facts import is_made_of

# Functions of torch's that make up a pass, by their file within it.
_PASSES = {
    (os.path.join("autograd", "__init__.py"), "backward"): "backward",
    (os.path.join("autograd", "__init__.py"), "grad"): "backward",
    (os.path.join("optim", "optimizer.py"), "wrapper"): "optimizer",
    (os.path.join("nn", "modules", "module.py"), "_call_impl"): "forward",
    ("serialization.py", "save"): "saving",
    ("serialization.py", "load"): "loading",
    (os.path.join("utils", "data", "dataloader.py"), "__next__"): "batch",
}
# So long the main thread has time to say whether gradients are kept: within a long call of C it does not come to it.
PATIENCE_SECONDS = 0.03
MOST_FRAMES = 200


# Of gradients: not known, not kept, kept.
_GRAD = {None: 0, False: 1, True: 2}


def message(now, of):
    """What runs while the process (``of`` "host"), or torch on a card ("torch0"), is higher than before."""
    return {"type": "moment", "time": now, "rows": [[of, *moment(sys.modules.get("torch"))]]}


def moment(torch=None):
    """(place, function, pass, module, gradients): texts, empty where not known, and a number of `_GRAD`."""
    frames = _frames()
    try:
        own = next((frame for frame in frames if is_own(frame.f_globals) and not is_ours(frame)), None)
        place = ("", "") if own is None else (place_of(own.f_code, own.f_lineno), own.f_code.co_name)
        if torch is None:
            return (*place, "", "", 0)
        return (*place, _pass(frames, torch), _module(frames, torch), _GRAD[_grad.ask(torch)])
    finally:
        # In the main thread this call is among them: it would keep all of them, with what they have, until Python collects.
        frames.clear()


def _frames():
    """Of the main thread, the innermost first."""
    frame = thread_frames().get(_main_thread())
    found = []
    while frame is not None and len(found) < MOST_FRAMES:
        found.append(frame)
        frame = frame.f_back
    return found


def _main_thread():
    """Its number. Never by loading `threading`: whoever does so first is the main thread to it, and is waited for at the exit."""
    main = getattr(sys.modules.get("threading"), "main_thread", None)
    if main is not None:
        return main().ident
    own = _thread.get_ident()
    return next((number for number in thread_frames() if number != own), own)


def _pass(frames, torch):
    home = os.path.dirname(getattr(torch, "__file__", None) or "") + os.sep
    for frame in frames:
        file = frame.f_code.co_filename
        if file.startswith(home):
            name = _PASSES.get((file[len(home) :], frame.f_code.co_name))
            if name:
                return name
    return ""


def _module(frames, torch):
    """The class of the innermost module of the program's own that runs."""
    base = getattr(getattr(torch, "nn", None), "Module", None)
    for frame in frames:
        code = frame.f_code
        if code.co_name == "forward" and code.co_argcount and is_own(frame.f_globals):
            for name, value in local_variables(frame):
                if name == code.co_varnames[0] and base is not None and is_made_of(type(value), base):
                    return type.__dict__["__name__"].__get__(type(value))
    return ""


_PENDING = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_ssize_t)
# A function of our own: what `ctypes.pythonapi` hands out is shared with all who say what arguments it takes.
_add_pending = ctypes.PYFUNCTYPE(ctypes.c_int, _PENDING, ctypes.c_ssize_t)(("Py_AddPendingCall", ctypes.pythonapi))


class _Grad:
    """Torch keeps it for each thread: the main one is asked, between two of its instructions."""

    def __init__(self):
        self._call = _PENDING(self._answer)
        self._done = None  # a lock that the main thread lets go of; None: nothing is asked
        self._torch = None
        self._kept = None

    def ask(self, torch):
        asked = getattr(torch, "is_grad_enabled", None)
        if asked is None or (self._done is not None and self._done.locked()):
            return None
        if _thread.get_ident() == _main_thread():
            return bool(asked())
        self._torch, self._kept, self._done = asked, None, _thread.allocate_lock()
        done = self._done
        done.acquire()
        if _add_pending(self._call, 0) != 0:
            done.release()
            return None
        # Still asked, where that is over: the answer comes to nobody.
        if not done.acquire(True, PATIENCE_SECONDS):
            return None
        done.release()
        return self._kept

    def _answer(self, _number):
        try:
            self._kept = bool(self._torch())
        except Exception:
            self._kept = None
        if self._done is not None and self._done.locked():
            self._done.release()
        return 0


_grad = _Grad()
