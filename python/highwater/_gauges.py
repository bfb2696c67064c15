"""What a process can read off itself in microseconds: allocators' own counters, Python's blocks, shared memory.

Only counters that exist are read: CUDA is never started, nothing is reset.
"""

import ctypes
import os
import sys
import time

# Of torch's counters, by the names that a recording has for them.
_BYTES = (
    ("allocated", "allocated_bytes"),
    ("reserved", "reserved_bytes"),
    ("requested", "requested_bytes"),
    ("active", "active_bytes"),
    ("unusable", "inactive_split_bytes"),
)
_COUNTS = (("retries", "num_alloc_retries"), ("ooms", "num_ooms"))
# Allocators that take malloc's place: glibc's own counters then say nothing.
_OTHERS = ("jemalloc", "tcmalloc", "mimalloc")


class Gauges:
    """Cheap ones are read at each look; one that turns out dear, at most one part in ``share(now)`` of the time."""

    def __init__(self, torch, share):
        self._torch = torch
        self._share = share
        self._malloc_at = 0

    def read(self, now):
        """{name: number}, and the nanoseconds of it that are paid for already."""
        values = {"python.blocks": sys.getallocatedblocks()}
        _shared(values)
        try:
            devices(self._torch, values)
        except Exception:
            pass  # an allocator that keeps no counters (cudaMallocAsync, a pluggable one)
        outside = sys.modules.get(__package__ + "._inside.outside")
        try:
            values.update(outside.outside.counters() if outside is not None else {})
        except Exception:
            pass  # a driver that does not tell
        try:
            pinned(self._torch, values)
        except Exception:
            pass  # a build without CUDA, or one whose counters have other names
        return values, self._malloc(now, values)

    def _malloc(self, now, values):
        """glibc walks all that was given back to it: milliseconds where that is much."""
        if now < self._malloc_at or mallinfo is None:
            return 0
        before = time.thread_time_ns()
        info = mallinfo()
        values["malloc.in_use"] = info.uordblks + info.hblkhd
        values["malloc.free"] = info.fordblks
        took = time.thread_time_ns() - before
        self._malloc_at = now + took * self._share(now)
        return took


# Where torch keeps devices, with counters of the same names: NVIDIA's and AMD's (ROCm) are both its "cuda", Intel's are "xpu".
_DEVICES = ("cuda", "xpu")


def devices(torch, values):
    for kind in _DEVICES:
        module = getattr(torch, kind, None)
        # Torch numbers the devices of one kind, and a build has one.
        if module is not None and module.is_initialized():
            _allocators(module, values)
            return


def _allocators(module, values):
    for device in range(module.device_count()):
        stats = module.memory_stats_as_nested_dict(device)
        reserved = stats.get("reserved_bytes")
        if not reserved or not reserved["all"]["peak"]:
            continue  # a card that this process does not use
        prefix = "torch%d." % device
        for name, key in _BYTES:
            if key in stats:
                values[prefix + name] = stats[key]["all"]["current"]
        values[prefix + "peak"] = stats["allocated_bytes"]["all"]["peak"]
        for name, key in _COUNTS:
            if key in stats:
                values[prefix + name] = stats[key]


# What is handed out, and all that the allocator has: newer names first, of which "allocated" is the second.
_PINNED = (("active_bytes", "allocated_bytes"), ("allocated_bytes", "reserved_bytes"))


def pinned(torch, values):
    """Host memory that torch's own allocator has locked for copies to a card; older versions of torch do not tell."""
    cuda = torch.cuda
    read = getattr(cuda, "host_memory_stats_as_nested_dict", None)
    if read is None or not cuda.is_initialized():
        return
    stats = read()
    for handed_out, owned in _PINNED:
        if handed_out in stats and owned in stats:
            break
    else:
        return
    handed_out, owned = (stats[key].get("all", stats[key]) for key in (handed_out, owned))
    if not owned["peak"]:
        return  # a program that pins nothing need not say so
    values["pinned.reserved"] = owned["current"]
    if _counts_returns(handed_out):
        values["pinned.allocated"] = handed_out["current"]
        values["pinned.peak"] = handed_out["peak"]


def _counts_returns(handed_out):
    """Whether what is given back is counted: torch 2.11 adds each time that a block is handed out again, and never takes anything off.

    Until something was given back nobody knows; then what is handed out is what tensors are seen to hold.
    """
    return handed_out.get("freed", 0) > 0


class _Mallinfo2(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_size_t)
        for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()
    ]


def _find_mallinfo():
    if any(name in os.environ.get("LD_PRELOAD", "") for name in _OTHERS):
        return None
    try:
        call = ctypes.CDLL(None).mallinfo2  # glibc 2.33 and newer
    except (AttributeError, OSError):
        return None
    call.restype = _Mallinfo2
    return call


mallinfo = _find_mallinfo()


def malloc_in_use():
    """Bytes that malloc has handed out; None where glibc's counters cannot be asked."""
    if mallinfo is None:
        return None
    info = mallinfo()
    return info.uordblks + info.hblkhd


def _shared(values):
    try:
        disk = os.statvfs("/dev/shm")
        values["shm.used"] = (disk.f_blocks - disk.f_bfree) * disk.f_frsize
    except (OSError, AttributeError):
        pass
