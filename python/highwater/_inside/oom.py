"""At a CUDA out-of-memory error, or where it is asked for at the end: the allocator's snapshot, with its history.

The history is a ring of torch's own. It costs a few percent of a small step, so that it is kept from the moment on
at which a card is half full, or from CUDA's start where stacks or layers are asked for; a program that keeps one
itself keeps it.
"""

import os
import pickle
import time

from .._agent import agent
from .history import history

ENTRIES = 100_000
MOST_DUMPS = 3
# Of what the process may take of a card: from there on it may run out, and what led there is worth keeping.
FULL_SHARE = 0.5


def watch(torch):
    """Waits for CUDA to be started; does nothing where that never happens."""
    if _folder() and hasattr(torch._C, "_cuda_attach_out_of_memory_observer"):
        torch.cuda._lazy_call(lambda: _begin(torch))


def _folder():
    return os.environ.get("HIGHWATER_SNAPSHOTS") or os.environ.get("HIGHWATER_OUT")


def _begin(torch):
    try:
        if _stacks() or os.environ.get("HIGHWATER_LAYERS") == "1":
            _keep_history(torch)
        else:
            late.torch = torch
        torch._C._cuda_attach_out_of_memory_observer(Dumps(torch))
    except Exception:
        pass  # CUDA's start must not fail because of us


def _keep_history(torch):
    enabled = getattr(torch._C, "_cuda_isHistoryEnabled", None)
    if enabled is None or enabled():
        return  # an older torch, or a history of the program's own
    # A stack costs microseconds, too much by default; and what frees an allocation says little.
    context = "alloc" if _stacks() else None
    torch.cuda.memory._record_memory_history("all", context=context, stacks="python", max_entries=ENTRIES)
    history.begins(ENTRIES, context is not None)


def _stacks():
    return os.environ.get("HIGHWATER_STACKS") == "1"


class Late:
    """Starts the history when a card fills up."""

    torch = None  # set while that is still to come

    def look(self, values):
        """``values``: what the allocator's counters say, as a recording names them."""
        if self.torch is not None and any(self._fills(name, value, values) for name, value in values.items()):
            torch, self.torch = self.torch, None
            _keep_history(torch)

    def _fills(self, name, value, values):
        if not (name.startswith("torch") and name.endswith(".reserved")):
            return False
        device = int(name[len("torch") : -len(".reserved")])
        share = getattr(self.torch.cuda, "get_per_process_memory_fraction", None)
        allowed = self.torch.cuda.get_device_properties(device).total_memory * (share(device) if share else 1)
        return value >= FULL_SHARE * allowed or values.get("torch%d.retries" % device, 0) > 0


late = Late()


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
