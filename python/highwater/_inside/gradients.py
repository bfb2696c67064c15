"""Gradients of parameters, asked for only in a thread that may.

torch lets go of Python's lock while it takes a gradient away (`zero_grad`) or puts one there (a backward pass). Who asks for that
gradient meanwhile, from another thread, makes a Python object of what is being freed, and the program crashes: torch 2.11, on the
host, within a second of asking all the time. A thread of ours therefore never asks: the program's main thread does, a little later.
"""

import _thread
import sys
import weakref

from .._frames import thread_frames
from .main_thread import Question, is_programs, monitored



def gradients(tensors):
    """What those that have one have, asked for in the thread of the program that looks at itself."""
    return [found for found in map(_gradient_or_none, tensors) if found is not None]


def _gradient_or_none(tensor):
    try:
        return tensor.grad
    except Exception:
        return None  # within torch.func no tensor says it


class LaterGradients:
    """Of what a thread of ours has seen: asked for by the main thread as soon as it runs a line of Python again."""

    def __init__(self, tell):
        """``tell`` gets a moment, gradients and the storages that were told at that moment, in the main thread."""
        self._tell = tell
        self._owed = None
        self._question = Question(self._answer)
        self.now = 0  # the moment of the look that asks

    def ask(self, torch, tensors, seen):
        """Only the newest question is answered, and none where the main thread does not come to it."""
        self._owed = self.now, torch, [weakref.ref(tensor) for tensor in tensors], seen
        if not monitored():
            self._question.ask()

    def _answer(self):
        owed, self._owed = self._owed, None
        if owed is None or sys.gettrace() is not None or sys.getprofile() is not None:
            return  # a debugger would see us
        now, torch, references, seen = owed
        try:
            if not _changed_elsewhere(_changing(torch)):
                self._tell(now, torch, gradients(one for one in (reference() for reference in references) if one is not None), seen)
        except Exception as error:
            if is_programs(error):
                raise


def _changed_elsewhere(changing):
    """Whether another thread of Python is at what gives gradients or takes them away."""
    frames = frame = None
    try:
        frames = thread_frames()
        if len(frames) < len(sys._current_frames()):
            return True  # a Python in which other threads must not be looked at
        me = _thread.get_ident()
        for thread, frame in frames.items():
            while frame is not None and thread != me:
                if frame.f_code in changing:
                    return True
                frame = frame.f_back
        return False
    finally:
        # This very call is among them: it would keep itself, and all that the functions below it have, until Python collects.
        del frames, frame


def _changing(torch):
    """The codes of torch's functions that do so, without what is wrapped around them: around `backward` we are ourselves."""
    graph = getattr(torch.autograd, "graph", None)
    functions = [
        *(torch.autograd.backward, torch.autograd.grad, getattr(graph, "_engine_run_backward", None)),
        *(torch.optim.Optimizer.zero_grad, torch.nn.Module.zero_grad),
    ]
    codes = set()
    for function in functions:
        while function is not None:
            codes.add(getattr(function, "__code__", None))
            function = getattr(function, "__wrapped__", None)
    return codes - {None}
