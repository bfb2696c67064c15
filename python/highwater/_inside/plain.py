"""Looks into a Python program that takes no steps of an optimizer: a service, a script, a worker (docs/injection.md).

`run` is all that a thread of ours does; it begins when the process has lived a while. As long as the process does not
grow, it reads one file of the kernel's four times a second and loads nothing.
"""

import os
import sys
import time

TURN_SECONDS = 0.25
CALM_SECONDS = 2.0
# Growth that is worth a look: so much, and such a share of what the process has.
WORTH = 1 << 20
WORTH_SHARE = 64
# So large a process is looked into without growth: it may have taken all that it ever will.
LARGE = 64 << 20
# So many turns are kept until it is known whether anybody wants them; after as many without growth it is looked more rarely.
KEPT = 120
# What a loaded module takes for each byte of its source (3.3 to 4.2 of ours, in Python 3.8 to 3.13).
BYTES_FOR_ONE = 4
# What comes and goes is no growth: the least of so many readings counts.
READINGS = 4

_state = None  # Watch, once the process has grown


def run(wake):
    """Until ``wake`` is let go of: the program is about to fork."""
    global _state
    if _refused():
        return
    quiet = _Quiet()
    while _state is None:
        if wake.acquire(True, TURN_SECONDS if quiet.turns < KEPT else CALM_SECONDS):
            return
        if quiet.turn():
            before = set(sys.modules)
            from .watch import Watch

            _state = Watch(quiet.readings, _bytes_of(set(sys.modules).difference(before)))
    pause = 0
    while not wake.acquire(True, pause):
        pause = _state.turn()
        if pause is None:
            return


def _bytes_of(modules):
    """About, by the sizes of their files: what the process gains meanwhile is the program's too, which goes on."""
    files = [getattr(sys.modules.get(name), "__file__", None) for name in modules if isinstance(name, str)]
    return sum(BYTES_FOR_ONE * os.path.getsize(file) for file in files if isinstance(file, str) and file.endswith(".py"))


def forget():
    """In a forked child: what was seen is the parent's."""
    global _state
    if _state is not None:
        _state.leave()
    _state = None


class _Quiet:
    """Waits for growth."""

    def __init__(self):
        self.turns = 0
        self.readings = []  # (nanoseconds, counters)
        self._last = []  # bytes
        self._least = None

    def turn(self):
        """True: the process has grown, or is large."""
        self.turns += 1
        held = anonymous()
        if held is None:
            return False
        if len(self.readings) < KEPT:
            self.readings.append((time.monotonic_ns(), counters()))
        self._last = [*self._last, held][-READINGS:]
        low = min(self._last)
        self._least = low if self._least is None else min(low, self._least)
        return held >= LARGE or low - self._least >= max(WORTH, self._least // WORTH_SHARE)


def anonymous():
    """Anonymous memory of this process in bytes; None where the system does not tell."""
    try:
        file = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)
        try:
            _, resident, shared = os.read(file, 200).split()[:3]
        finally:
            os.close(file)
        return (int(resident) - int(shared)) * _PAGE
    except (OSError, ValueError):
        return None


_PAGE = os.sysconf("SC_PAGE_SIZE")


def counters():
    """What can be read off in microseconds: Python's blocks, and how many threads and open files there are."""
    values = {"python.blocks": sys.getallocatedblocks()}
    try:
        values["os.threads"] = os.stat("/proc/self/task").st_nlink - 2
        # Linux 6.2 and newer tell it as a size.
        values["os.files"] = os.stat("/proc/self/fd").st_size or len(os.listdir("/proc/self/fd"))
    except OSError:
        pass
    return values


def _refused():
    """Where objects must not be looked at, or cannot be."""
    locked = getattr(sys, "_is_gil_enabled", None)
    return sys.implementation.name != "cpython" or (locked is not None and not locked())
