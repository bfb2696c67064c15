"""What one call of a function takes from the system, and what it leaves."""

import gc
import sys
from array import array

from ._gauges import mallinfo


class Peak:
    """Resident bytes above those at the start, by the kernel's own high-water mark where it can be reset."""

    def __init__(self):
        gc.collect()
        self._before = status("VmRSS")
        self._exact = reset_peak()
        self._cuda = started_cuda()
        if self._cuda:
            self._cuda.reset_peak_memory_stats()
            self._held = self._cuda.memory_allocated()

    def host(self):
        now = status("VmHWM" if self._exact else "VmRSS")
        return None if now is None or self._before is None else max(0, now - self._before)

    def gpu(self):
        """Of torch's tensors on the current device; 0 where the function never went there."""
        cuda = started_cuda()
        if not cuda:
            return 0
        return max(0, cuda.max_memory_allocated() - (self._held if self._cuda else 0))


def levels(call, calls):
    """After each of so many calls: bytes that malloc has handed out (None where it cannot be asked), and blocks of
    Python's own allocator, which hands out up to 512 bytes at a time from arenas that malloc sees only whole."""
    # Written in place: what is noted must not be counted.
    held = array("q", [0]) * calls
    blocks = array("q", [0]) * calls
    for at in range(calls):
        call()
        gc.collect()
        if mallinfo:
            info = mallinfo()
            held[at] = info.uordblks + info.hblkhd
        blocks[at] = sys.getallocatedblocks()
    return (held if mallinfo else None), blocks


def started_cuda():
    torch = sys.modules.get("torch")
    cuda = getattr(torch, "cuda", None)
    return cuda if cuda and cuda.is_initialized() else None


def status(name):
    try:
        with open("/proc/self/status") as file:
            for line in file:
                if line.startswith(name + ":"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return None


def reset_peak():
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
        return True
    except OSError:
        return False
