"""At a CUDA out-of-memory error, or where it is asked for at the end: the allocator's snapshot, with its history."""

import os
import sys
import time

from .._agent import agent
from .allocator_snapshot import folder, write_aside
from .history import history
from .tensors import survey

MOST_DUMPS = 3
MOST_FRAMES = 60
# Where in the history torch's own entry of the error is: the last, or before those of another thread.
LAST = 100


def watch(torch):
    """Waits for CUDA to be started; does nothing where that never happens."""
    if folder() and hasattr(torch._C, "_cuda_attach_out_of_memory_observer"):
        torch.cuda._lazy_call(lambda: _begin(torch))


def _begin(torch):
    try:
        history.begin(torch)
        torch._C._cuda_attach_out_of_memory_observer(Dumps(torch))
    except Exception:
        pass  # CUDA's start must not fail because of us


class Dumps:
    """Called by the allocator when it has given up, before the error is raised."""

    def __init__(self, torch):
        self._torch = torch
        self._done = 0
        self._pid = os.getpid()

    def __call__(self, device, asked, total, free):
        try:
            if self._done < MOST_DUMPS and os.getpid() == self._pid:
                self._done += 1
                self._dump(device, asked, total, free)
        except Exception:
            pass

    def _dump(self, device, asked, total, free):
        facts = {"why": "oom", "device": device, "asked": asked, "free": free, "total": total}
        ending = _ending(asked, free)
        name = "oom-%d-%d.pickle" % (self._pid, self._done)

        def amend(snapshot):
            trace = snapshot["device_traces"][device]
            if not any(entry["action"] == "oom" and entry["size"] == asked for entry in trace[-LAST:]):
                trace.append(ending)
            return name, facts, {}

        history.peaks.covered()
        child = write_aside(self._torch, amend)
        if child is not None:
            child.close()  # nobody waits for it
        # What the program holds, and by which names: here, as a word that comes later would be of another moment.
        rows, totals = survey(self._torch)
        now = time.monotonic_ns()
        agent.send({"type": "tensors", "time": now, "rows": rows})
        agent.send({"type": "counters", "time": now, "values": totals})


def dump_end(torch):
    """The same at the end of a program, for what its history tells."""
    if folder() and torch.cuda.is_initialized():
        facts = {"why": "end", "device": torch.cuda.current_device()}
        child = write_aside(torch, lambda _: ("end-%d.pickle" % os.getpid(), facts, {}))
        if child is not None:
            child.close()


def _ending(asked, free):
    """The entry that torch would have written, had the history been kept."""
    return {
        "action": "oom",
        "device_free": free,
        "size": asked,
        "stream": 0,
        "time_us": time.time_ns() // 1000,
        "frames": _frames(sys._getframe()),
    }


def _frames(frame):
    """Who asked, the innermost first, without ourselves."""
    frames = []
    while frame is not None and len(frames) < MOST_FRAMES:
        code = frame.f_code
        if code.co_filename != __file__:
            frames.append({"name": code.co_name, "filename": code.co_filename, "line": frame.f_lineno})
        frame = frame.f_back
    return frames
