"""``record --gpu-limit``: holds torch to what it would have on a smaller card.

torch's own limit is set on each card when this process has a context there, and never makes one: a rank must not
touch its neighbours' cards. Nobody tells when a context is made, so a thread looks for it.
"""

import os
import threading
import time

from .._agent import agent
from .driver import held_by_us

# Between two looks: until the first card is found, and for others after it.
FIRST_SECONDS = 0.001
LATER_SECONDS = 0.25
# What a context and its libraries take, about, where the driver does not tell what is ours.
USUAL_CONTEXT = 512 << 20


def hold(torch):
    """Waits for CUDA to be started; does nothing where no limit is asked for."""
    limit = os.environ.get("HIGHWATER_GPU_LIMIT", "")
    if limit.isdigit() and hasattr(torch.cuda, "_lazy_call"):
        torch.cuda._lazy_call(lambda: _begin(torch, int(limit)))


def _begin(torch, limit):
    try:
        threading.Thread(target=_look, args=(Limit(torch, limit),), name="highwater-limit", daemon=True).start()
    except Exception:
        pass  # CUDA's start must not fail because of us


def _look(limit):
    try:
        while not limit.complete():
            time.sleep(LATER_SECONDS if limit.held else FIRST_SECONDS)
    except Exception as error:
        agent.send({"type": "warning", "text": "--gpu-limit: %s: %s" % (type(error).__name__, error)})


class Limit:
    def __init__(self, torch, limit):
        self._torch = torch
        self._limit = limit
        self._begun = getattr(torch._C, "_cuda_hasPrimaryContext", None) or self._is_used
        self.held = set()

    def complete(self):
        """Sets the limit on cards that have come into use; whether there are no more to wait for."""
        count = self._torch.cuda.device_count()
        for device in range(count):
            if device not in self.held and self._begun(device):
                self.held.add(device)
                self._set(device)
        return len(self.held) == count

    def _is_used(self, device):
        """For a torch that does not tell of contexts: later, but it touches no card either."""
        return self._torch.cuda.memory_reserved(device) > 0

    def _set(self, device):
        cuda = self._torch.cuda
        # Of this thread alone. Left at card 0, what follows would make a context there.
        cuda.set_device(device)
        free, total = cuda.mem_get_info(device)
        reserved = cuda.memory_reserved(device)
        context, known = _context(self._torch, device, total - free - reserved)
        allowed = self._limit - context
        if self._limit >= total:
            text = "--gpu-limit has no effect on card %d, which has %d MiB" % (device, total >> 20)
            agent.send({"type": "warning", "text": text})
            return
        cuda.set_per_process_memory_fraction(max(0.0, allowed / total), device)
        values = {"allowed": max(0, allowed), "context": context, "context_known": int(known), "total": total}
        agent.send(
            {
                "type": "counters",
                "time": time.monotonic_ns(),
                "values": {"limit%d.%s" % (device, name): value for name, value in values.items()},
            }
        )
        if reserved > allowed:
            text = "--gpu-limit: card %d had more than that before the limit could be set" % device
            agent.send({"type": "warning", "text": text})


def _context(torch, device, others_too):
    """Bytes of this process on the card besides what torch's allocator has, and whether that is known.

    ``others_too``: what the card holds besides. Contexts of other processes are part of that, and nothing tells them from ours.
    """
    held = held_by_us(torch, device)
    context = None if held is None else held - torch.cuda.memory_reserved(device)
    if context is not None and context > 0:
        return context, True
    return (min(USUAL_CONTEXT, others_too) if others_too > 0 else USUAL_CONTEXT), False
