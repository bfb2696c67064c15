"""The history of CUDA's allocator: a ring of torch's own, with Python stacks, kept while it may be needed.

Writing it costs microseconds for each allocation: percents of a step that is all small kernels. So it is kept while
a program builds its model and takes its first steps (a block knows its stack for as long as it lives), whenever
what the allocator holds has grown, and for good where that is more than half of what there is. Between, when nothing
grows and there is room for as much again, it rests, but for windows while it is not known what held the peak
(peaks.py). A history of the program's own is left alone.
"""

import atexit
import ctypes
import functools
import os
import threading
import time

from .._agent import agent
from .._gauges import malloc_in_use
from .._own import anonymous
from .._running import message
from .peaks import Peaks

ENTRIES = 100_000
# Of the host's memory: an entry (two texts, a pool, an address, sizes, a time), and the Python stack of an allocation. Guesses,
# as stacks are of any depth: what is given back when it is switched off says what it really was.
ENTRY = 176
STACK = 700

# A look at the counters so often.
EVERY_SECONDS = 0.25
# A training is set up after so many steps; what takes none, so long after its first allocation.
SET_UP_STEPS = 5
SET_UP_SECONDS = 60
# Growth is followed for so long.
GROWN = 1.1
FOLLOWED_SECONDS = 10
# A window for a peak that came while it rested; the next comes after so long, and so many times as long as the last.
WINDOW_SECONDS = 10
FIRST_REST_SECONDS = 20
RARER = 3
# Of what there is: from here on it is kept for good, until there is a little more room than that.
FULL = 0.5
ROOMY = 0.45

# Asked of the main thread, beside on (1) and off (0).
CAPTURE = 2
# Called with a number, and with Python's lock; 0 is all that it may answer.
_PENDING = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_ssize_t)
# A function of our own: what `ctypes.pythonapi` hands out is shared with all who say what arguments it takes (watch.py).
_add_pending = ctypes.PYFUNCTYPE(ctypes.c_int, _PENDING, ctypes.c_ssize_t)(("Py_AddPendingCall", ctypes.pythonapi))


class History:
    def __init__(self):
        self.steps = 0  # of the training; told by steps.py
        self._torch = None  # where the history is ours to switch
        self._record = None
        self._kept = False
        self._stacks = True
        self._programs = False  # the program has switched on one of its own
        self._events = {}  # that each card had seen when it was switched on
        self._scale = 1.0  # what the last one took, to what was guessed
        self._pid = os.getpid()
        self.left = 0  # bytes of one that was switched off which malloc has kept
        self._level = 0
        self._began = 0.0  # with the first allocation
        self._until = 0.0
        self.peaks = Peaks(ENTRIES)
        self._asked = False  # the main thread, which has not come to it yet
        self._written = 0  # entries at the last look
        self._window_at = 0.0
        self._rest = FIRST_REST_SECONDS

    @property
    def kept(self):
        return self._kept or self._programs

    def begin(self, torch):
        """CUDA is started."""
        enabled = getattr(torch._C, "_cuda_isHistoryEnabled", None)
        if enabled is None or enabled():
            return  # an older torch, or a history of the program's own
        self._torch = torch
        self._follow_program(torch.cuda.memory)
        self._follow_resets(torch.cuda)
        always = os.environ.get("HIGHWATER_STACKS") == "1"
        self._stacks = always or not _layers()
        self._switch(True)
        if not _layers():  # which write a snapshot at the end
            atexit.register(self._end)
        if not always and not _layers() and threading.current_thread() is threading.main_thread():
            threading.Thread(target=self._run, name="highwater-history", daemon=True).start()

    def bytes(self):
        """Of the host's memory, about; None where there is none of ours."""
        if self._torch is None or self._programs:
            return None
        each = ENTRY + (STACK // 3 if self._stacks else 0)  # two of three entries are frees, which have no stack
        return int(min(ENTRIES, self._entries()) * each * self._scale) if self._kept else 0

    def counters(self):
        """What a recorder takes off the size of the process; empty where there is none of ours."""
        written = self.bytes()
        return {} if written is None else {"history.bytes": written, "history.left": self.left}

    def consider(self, now):
        """Whether to keep it or let it rest, by what the allocator holds now; None: as it is."""
        held, share = self._held()
        if not held or self._programs:
            return None
        self._began = self._began or now
        if held > self._level * GROWN:
            self._level, self._until = held, now + FOLLOWED_SECONDS
        self._follow_peaks(now)
        set_up = self.steps >= SET_UP_STEPS or (not self.steps and now > self._began + SET_UP_SECONDS)
        wanted = not set_up or now < self._until or share >= (ROOMY if self._kept else FULL)
        return None if wanted == self._kept else wanted

    def _follow_peaks(self, now):
        """A peak that nobody has seen the like of with a history: it may come again."""
        self.peaks.collect()
        if self._kept:
            self._window_at = now + self._rest
        risen = self.peaks.look(self._peaks())
        for device in risen:
            # Within a quarter of a second: what runs now is mostly what ran then.
            agent.send(message(time.monotonic_ns(), "torch%d" % device))
        if risen and not self._kept:
            self._until, self._rest = now + WINDOW_SECONDS, FIRST_REST_SECONDS
        elif self.peaks.unknown and not self._kept and now >= self._window_at:
            self._until = now + WINDOW_SECONDS
            self._rest *= RARER

    def _run(self):
        # Called by the interpreter in the main thread, between two instructions, as a signal's handler is: torch keeps part of
        # what it switches for the thread that CUDA was started in, and warns where another one comes.
        do = _PENDING(self._do)
        while True:
            time.sleep(EVERY_SECONDS)
            try:
                if not self.steps:
                    agent.send({"type": "counters", "time": time.monotonic_ns(), "values": self.counters()})
                wanted = self.consider(time.monotonic())
                if wanted is None and self._kept and self.is_slipping():
                    wanted = CAPTURE
                # One at a time: there is room for a few of the whole program only. It may be done before the call returns.
                if wanted is not None and not self._asked:
                    self._asked = True
                    if _add_pending(do, wanted) != 0:
                        self._asked = False
            except Exception:
                return  # an allocator that keeps no counters (cudaMallocAsync, a pluggable one)

    def _do(self, wanted):
        self._asked = False
        return self.capture() if wanted == CAPTURE else self.switch(bool(wanted))

    def is_slipping(self):
        written = self._entries()
        slips = self.peaks.is_slipping(written, self._written)
        self._written = written
        return slips

    def capture(self, last=False):
        """What held the peak, as long as the history has it."""
        try:
            if self._kept and not _layers() and self.peaks.unknown:
                self.peaks.capture(self._torch, time.monotonic(), last)
        except Exception:
            pass
        return 0

    def switch(self, on):
        try:
            if not self._programs and on != self._kept:
                if not on:
                    self.capture()
                self._switch(on)
        except Exception:
            pass
        return 0

    def _switch(self, on):
        if on:
            # What frees an allocation says little.
            context = "alloc" if self._stacks else None
            self._record("all", context=context, stacks="python", max_entries=ENTRIES)
            self._events = dict(self._counts())
            self._written = 0
            self.peaks.switched_on()
        else:
            guessed, before, in_use = self.bytes() or 0, anonymous(), malloc_in_use()
            self._record(None)
            after, still = anonymous(), malloc_in_use()
            held = guessed if in_use is None or still is None else max(0, in_use - still)
            given_back = 0 if before is None or after is None else max(0, before - after)
            # The next one is written into what is left of this one.
            self.left = max(0, max(held, self.left) - given_back)
            self._tell(guessed, held)
        self._kept = on

    def _tell(self, guessed, held):
        if guessed and held:
            self._scale *= held / guessed
            values = {"history.bytes": guessed, "history.measured": held}
            agent.send({"type": "counters", "time": time.monotonic_ns(), "values": values})

    def _end(self):
        # A child that was forked has neither CUDA nor a recorder that asks.
        if self._pid == os.getpid():
            self._tell_peaks()
            self.capture(last=True)
            self.switch(False)

    def _tell_peaks(self):
        """Torch's own, which no look of ours can have missed."""
        try:
            self.peaks.look(self._peaks())
            values = {"torch%d.peak" % device: peak for device, peak in self.peaks.seen.items()}
            agent.send({"type": "counters", "time": time.monotonic_ns(), "values": values})
        except Exception:
            pass

    def _follow_program(self, memory):
        self._record = original = memory._record_memory_history

        @functools.wraps(original)
        def record(enabled="all", *args, **kwargs):
            self._programs = bool(enabled)
            self._kept = False
            return original(enabled, *args, **kwargs)

        memory._record_memory_history = record

    def _follow_resets(self, cuda):
        """A program that begins to count anew must not make us forget what was counted."""
        original = getattr(cuda.memory, "reset_peak_memory_stats", None)
        if original is None:
            return

        @functools.wraps(original)
        def reset(*args, **kwargs):
            try:
                self.peaks.look(self._peaks())
            except Exception:
                pass
            return original(*args, **kwargs)

        for place in (cuda, cuda.memory):
            if getattr(place, "reset_peak_memory_stats", None) is original:
                place.reset_peak_memory_stats = reset

    def _held(self):
        """Bytes on all cards, and the largest share of a card. Asks nobody but torch: a call into
        the driver from here could spoil a graph that is being captured."""
        held, share = 0, 0.0
        for device, stats in self._stats():
            reserved = stats["reserved_bytes"]["all"]["current"]
            held += reserved
            total = self._torch.cuda.get_device_properties(device).total_memory
            share = max(share, reserved / max(1, total * self._fraction(device)))
        return held, share

    def _fraction(self, device):
        ask = getattr(self._torch.cuda, "get_per_process_memory_fraction", None)
        return ask(device) if ask else 1.0

    def _peaks(self):
        """Of each card: the most that was ever handed out to tensors at once."""
        for device, stats in self._stats():
            counts = stats.get("allocated_bytes", {}).get("all")
            if counts:
                yield device, counts["peak"]

    def _entries(self):
        return sum(count - self._events.get(device, 0) for device, count in self._counts())

    def _counts(self):
        """Of each card: each allocation is an entry, and each free two."""
        for device, stats in self._stats():
            counts = stats.get("allocation", {}).get("all")
            if counts:
                yield device, counts["allocated"] + 2 * counts["freed"]

    def _stats(self):
        """Of the cards that this process uses."""
        cuda = self._torch.cuda
        for device in range(cuda.device_count()):
            stats = cuda.memory_stats_as_nested_dict(device)
            if stats and stats["reserved_bytes"]["all"]["peak"]:
                yield device, stats


def _layers():
    """Each allocation is tagged in the history, which is then kept for good; the tags are worth more than stacks."""
    return os.environ.get("HIGHWATER_LAYERS") == "1"


history = History()
