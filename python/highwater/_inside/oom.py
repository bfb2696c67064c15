"""At a CUDA out-of-memory error, or where it is asked for at the end: the allocator's snapshot, with its history.

The history is a ring of torch's own, started with CUDA and never before; a program that keeps one itself keeps it.
"""

import os
import pickle
import time

from .._agent import agent
from .history import history

ENTRIES = 100_000
MOST_DUMPS = 3


def watch(torch):
    """Waits for CUDA to be started; does nothing where that never happens."""
    if _folder() and hasattr(torch._C, "_cuda_attach_out_of_memory_observer"):
        torch.cuda._lazy_call(lambda: _begin(torch))


def _folder():
    return os.environ.get("HIGHWATER_SNAPSHOTS") or os.environ.get("HIGHWATER_OUT")


def _begin(torch):
    try:
        _keep_history(torch)
        torch._C._cuda_attach_out_of_memory_observer(Dumps(torch))
    except Exception:
        pass  # CUDA's start must not fail because of us


def _keep_history(torch):
    enabled = getattr(torch._C, "_cuda_isHistoryEnabled", None)
    if enabled is None or enabled():
        return  # an older torch, or a history of the program's own
    # A stack costs microseconds, too much by default; and what frees an allocation says little.
    context = "alloc" if os.environ.get("HIGHWATER_STACKS") == "1" else None
    torch.cuda.memory._record_memory_history("all", context=context, stacks="python", max_entries=ENTRIES)
    history.begins(ENTRIES, context is not None)


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
        _write(
            self._torch,
            "oom-%d-%d.pickle" % (self._pid, self._done),
            {"why": "oom", "device": device, "asked": asked, "free": free, "total": total},
        )


def dump_end(torch):
    """The same at the end of a program, for what its history tells."""
    if _folder() and torch.cuda.is_initialized():
        device = torch.cuda.current_device()
        _write(torch, "end-%d.pickle" % os.getpid(), {"why": "end", "device": device})


def _write(torch, name, facts):
    now = time.monotonic_ns()
    path = os.path.join(_folder(), name)
    with open(path + ".part", "wb") as file:
        pickle.dump(torch.cuda.memory._snapshot(), file, protocol=4)
    os.rename(path + ".part", path)
    agent.send({"type": "snapshot", "time": now, "file": name, **facts})
