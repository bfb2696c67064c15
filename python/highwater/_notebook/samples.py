"""What this process and its cards held while a cell ran, and which of its lines was running.

A thread looks every few milliseconds. The peaks themselves are the kernel's and the allocator's own where these can be
asked for this cell alone; a look then only says between which two lines one was reached.
"""

import threading
import time

from .._frames import thread_frames
from .._usage import reset_peak, started_cuda

EVERY_SECONDS = 0.005
CARDS_EVERY_SECONDS = 0.02
# After so many looks every second one is forgotten, and half as many are taken: a cell may run for days.
MOST = 4096
# A mark this close to the peak counts as the peak: later pages of small things must not move it.
CLOSE = 0.01


class Level:
    """One quantity: its value at each look, and the mark of the kernel's or the allocator's that only rises."""

    def __init__(self, value, mark, fresh):
        self.before = value
        self.looks = []  # (seconds, value)
        self._by_look = _Rises(value)
        self._by_mark = _Rises(mark)
        self._fresh = fresh  # the mark began anew with the cell

    def look(self, seconds, value, mark, line):
        if value is None:
            return
        if self.before is None:
            self.before = 0  # a card that the cell began to use
        self.looks.append((seconds, value))
        self._by_look.note(value, line)
        self._by_mark.note(mark, line)

    def thin(self):
        del self.looks[1::2]  # peaks are noted apart

    def peak(self):
        """(bytes, exact, first line, last line): exact where a mark of this cell's own told it. A line is None before
        the first and after the last one, and False where it is not known."""
        highest = max(self._by_look.top, self.before or 0)
        if self._by_mark.rises and self._by_mark.top >= highest:
            return (self._by_mark.top, True, *self._by_mark.lines(self.before))
        return (highest, self._fresh, *self._by_look.lines(self.before))


class _Rises:
    """Each time that a value was higher than ever: between which two lines."""

    def __init__(self, value):
        self.top = value or 0
        self.rises = []  # (value, line before, line after)
        self._line = None

    def note(self, value, line):
        if value is not None and value > self.top:
            self.rises.append((value, self._line, line))
            self.top = value
        self._line = line

    def lines(self, before):
        """Where it came close to its top for the first time."""
        near = self.top - CLOSE * (self.top - (before or 0))
        return next(((first, last) for value, first, last in self.rises if value >= near), (False, False))


class Samples:
    def __init__(self, filename, may_reset):
        """``may_reset``: whether the marks of kernel and allocator may begin anew: nobody else goes by them."""
        self._filename = filename
        self._ident = threading.get_ident()
        self._ends = threading.Event()
        self.pause = EVERY_SECONDS
        self._cards_at = 0.0
        self._may_reset = may_reset
        self.lines_known = self._ident in thread_frames()
        fresh = may_reset and reset_peak()
        self.host = Level(*sizes(), fresh)
        self.cards = {}
        for card, (value, mark) in _cards(may_reset).items():
            self.cards[card] = Level(value, mark, may_reset)
        self._cuda_was_started = started_cuda() is not None
        self._thread = threading.Thread(target=self._run, name="highwater cell", daemon=True)

    def start(self):
        self._began = time.perf_counter()
        self._look(None)
        self._thread.start()

    def stop(self, line=None):
        """The last look, when the cell has ended, at this line if it failed; the seconds that it took."""
        seconds = time.perf_counter() - self._began
        self._ends.set()
        self._thread.join()
        self._cards_at = 0.0
        self._look(line)
        return seconds

    def _run(self):
        while not self._ends.wait(self.pause):
            try:
                self._look(self._line())
                if len(self.host.looks) > MOST:
                    self.pause *= 2
                    for level in (self.host, *self.cards.values()):
                        level.thin()
            except Exception:
                pass  # the cell goes on; what is not seen is not told

    def _look(self, line):
        now = time.perf_counter()
        seconds = now - self._began
        self.host.look(seconds, *sizes(), line)
        if now >= self._cards_at:
            for card, (value, mark) in _cards().items():
                if card not in self.cards:
                    self.cards[card] = Level(None, 0, not self._cuda_was_started)
                self.cards[card].look(seconds, value, mark, line)
            self._cards_at = now + max(CARDS_EVERY_SECONDS, self.pause, 50 * (time.perf_counter() - now))

    def _line(self):
        """Of the cell, whatever it has called; False where that cannot be told."""
        frame = thread_frames().get(self._ident)
        while frame is not None:
            if frame.f_code.co_filename == self._filename:
                return frame.f_lineno
            frame = frame.f_back
        return False


def _cards(reset=False):
    """{number: (bytes allocated, the allocator's mark)} of the cards that torch uses; it is never started."""
    cuda = started_cuda()
    found = {}
    for card in range(cuda.device_count()) if cuda else ():
        try:
            if not cuda.memory_reserved(card) and not cuda.max_memory_reserved(card):
                continue
            if reset:
                cuda.reset_peak_memory_stats(card)
            found[card] = (cuda.memory_allocated(card), cuda.max_memory_allocated(card))
        except Exception:
            continue  # an allocator that keeps no counters
    return found


def sizes():
    """(resident bytes, the kernel's high-water mark) of this process; None where the system does not tell."""
    found = {}
    try:
        with open("/proc/self/status", "rb", buffering=0) as file:
            for line in file.read(1 << 16).splitlines():
                name, _, value = line.partition(b":")
                if name in (b"VmRSS", b"VmHWM"):
                    found[name] = int(value.split()[0]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    return found.get(b"VmRSS"), found.get(b"VmHWM")
