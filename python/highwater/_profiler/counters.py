"""What torch and the kernel count themselves: allocated and cached GPU memory, resident memory of the process.

Nothing is ever reset: the counters are the user's.
"""

import os
import sys

from .peak import Peak


class Counters:
    def __init__(self, torch):
        self._torch = torch
        self._all_time = 0
        self.devices = ()  # indices of the GPUs that the model is on
        self.position = ("", "")
        self.parts = dict  # set by the tracker: what is known to live now, by kind
        self.restart()

    def restart(self):
        """Begins an iteration."""
        self.peak = Peak()

    def at(self, layer, phase):
        """A layer has run forward, or is about to run backward."""
        if not self.devices:
            return
        here = (layer, phase)
        if phase == "forward":
            self.position = here
        elif here == self.position:
            return
        self.look()
        self.position = here

    def look(self):
        """Whatever rose since the last look rose where we are."""
        if not self.devices:
            return
        now, all_time, reserved = self._sum(("allocated_bytes", "current"), ("allocated_bytes", "peak"), ("reserved_bytes", "current"))
        # Between two looks there may have been more; the user's peak shows it where it is a new one.
        most = max(now, all_time) if all_time > self._all_time > 0 else now
        self._all_time = all_time
        if most > self.peak.bytes:
            # Of this very moment: after it most of the bytes are free as well.
            self.peak = Peak(most, *self.position, self.parts(), max(0, reserved - most))

    def allocated(self):
        """Bytes that torch's allocator has handed out on the model's GPUs: now and at most; None without a GPU."""
        return self._sum(("allocated_bytes", "current"), ("allocated_bytes", "peak"))

    def cached(self):
        """Bytes that it holds, handed out or not: now and at most."""
        return self._sum(("reserved_bytes", "current"), ("reserved_bytes", "peak"))

    def _sum(self, *which):
        if not self.devices:
            return (None,) * len(which)
        every = [self._torch.cuda.memory_stats_as_nested_dict(device) for device in self.devices]
        # Empty until CUDA is started.
        return tuple(sum(stats[what]["all"][when] for stats in every if stats) for what, when in which)


def resident():
    """Resident bytes of this process, now and at most; None where the system does not tell."""
    now, peak = _resident_now(), _resident_peak()
    # The kernel counts each a little late, in its own way.
    return now, peak if now is None or peak is None else max(now, peak)


def _resident_now():
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return None


def _resident_peak():
    try:
        import resource
    except ImportError:
        return None
    # In KiB, on a Mac in bytes.
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
