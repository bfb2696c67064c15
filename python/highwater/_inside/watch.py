"""A process that grows, and takes no steps of an optimizer: its counters four times a second, and now and then a look at what grows in it.

Counters are read by a thread of ours. Looks are taken by the program's main thread, between two lines of it: there objects
that go meanwhile end where they would have ended anyway, and the functions that run are known. A main thread that waits in C for
seconds (for its other threads) is not waited for: then it is our thread that looks, while no other runs. So it does as well
where the process is larger than ever, as that may be over at once.
"""

import _thread
import atexit
import dis  # noqa: F401 (for lines of variables: loaded now, not at a later look)
import gc
import os
import sys
import time

from .._alone import alone
from .._gauges import Gauges
from .._line import Line
from .._memory import Looks, allocators
from .._pace import Pace
from .._running import message
from .growing import Growing
from .main_thread import Question, is_programs, monitored
from .plain import TURN_SECONDS, WORTH, WORTH_SHARE, anonymous, counters

# Of all time, one part in so many: for the second look, in the first minute, and later.
SECOND_SHARE = 20
EARLY_SHARE = 200
LATE_SHARE = 1000
EARLY_NS = 60 * 10**9
LEAST_GAP_NS = 10**9
MANY_TURNS = 2000
# What keeps more and more tensors is looked at as it grows, and also when it has stopped.
CALM_NS = 5 * 10**9
# So long the main thread has time to take a look; it is asked again after a look of ours.
PATIENCE_NS = 10**9
ASKED_SECONDS = 0.05
# What the first look makes, and the next ones use again: 200 to 500 KiB in a small program.
LOOK_BYTES = 400 << 10


class Watch:
    def __init__(self, readings, own_bytes):
        self._line = Line()
        self._lock = _thread.allocate_lock()
        self._growing = Growing()
        self._torch, self._gauges = None, None
        self._pace = Pace(MANY_TURNS)
        self._turns = 0
        self._born = time.monotonic_ns()
        self._looks = 0
        self._look_at = 0
        self._looked_at = -WORTH  # bytes at the last look
        self._cost = 0
        self._asked = []  # when, until it is taken
        self._pinned = 0
        self._on_cards = 0  # bytes that torch has handed out there
        self._highest = 0  # bytes at the last look at who holds them
        self._looks_at_holders = Looks(lambda at, rows: self._rows.append(_held(at, rows)))
        self._question = Question(self.look)
        self._rows = []  # messages of looks, until they are sent
        # What was loaded at the start, where heaps are asked for, was told then.
        self._own_bytes = own_bytes + getattr(sys.modules.get(__package__.split(".")[0] + "._own"), "_held", 0)
        self._over = not self._line.open(os.environ.get("HIGHWATER_SOCKET", ""))
        if not self._over:
            self._line.send(*(_counters(now, values) for now, values in readings))
            self._line.send(_counters(self._born, {"agent.bytes": self._own_bytes}))
            self._at_exit()

    def turn(self):
        """Seconds until the next one; None: no more."""
        with self._lock:
            if self._over:
                return None
            steps = sys.modules.get(__package__ + ".steps")
            if steps is not None and steps.watching:
                self._look_at_passes(time.monotonic_ns(), True)
                return TURN_SECONDS * 4
            now = time.monotonic_ns()
            soon = self._look_at_passes(now, steps is not None and steps.backwards)
            if self._asked and now - self._asked[0] < PATIENCE_NS:
                return ASKED_SECONDS
            if self._asked and _taken(self._asked):
                self._look_aside()
            self._turns += 1
            if self._pace.due(self._turns, now):
                self._pace.told(now)
                self._tell(now)
            self._look_at_holders(now)
            if self._due(now):
                self._ask(now)
                return ASKED_SECONDS
            return ASKED_SECONDS if soon else TURN_SECONDS

    def leave(self):
        self._over = True
        self._asked.clear()
        self._line.leave()

    def look(self):
        """In the program's main thread."""
        if not _taken(self._asked):
            return
        if sys.gettrace() is not None or sys.getprofile() is not None:
            self._look_at = time.monotonic_ns() + EARLY_NS  # it would see us
            return
        self._look()

    def _tell(self, now):
        torch = sys.modules.get("torch")  # which the program may import at any time
        if self._gauges is None or torch is not self._torch:
            self._torch, self._gauges = torch, Gauges(torch, self._share)
        values, _ = self._gauges.read(now)
        values.update(counters())
        self._pinned = values.get("pinned.reserved", 0)
        self._on_cards = sum(value for name, value in values.items() if name.startswith("torch") and name.endswith(".allocated"))
        messages = [_counters(now, values)]
        while self._rows:
            messages.append(self._rows.pop(0))
        if not self._line.send(*messages):
            self._over = True

    def _look_at_passes(self, now, trains, last=False):
        """True: it should be asked again soon."""
        known = sys.modules.get(__package__ + ".passes")
        passes = known.passes if known is not None else None
        if passes is None:
            return False
        try:
            self._rows += passes.turn(now, trains, last)
            return passes.waits
        except Exception:
            passes.leave()
            return False

    def _due(self, now):
        held = self._looked_for() if now >= self._look_at else None
        if held is None:
            return False
        cached = self._growing.cached
        if cached and now - self._look_at >= CALM_NS:
            return True
        return held - self._looked_at >= max(WORTH, (cached or held) // WORTH_SHARE)

    def _looked_for(self):
        held = self._size()
        return None if held is None else held + self._on_cards

    def _size(self):
        """Anonymous memory, and what torch has pinned, which is none to the kernel."""
        held = anonymous()
        return None if held is None else held + self._pinned

    def _look_at_holders(self, now):
        """Here, and at once: at its highest a process may be at its end. No other thread runs meanwhile."""
        held = self._size() or 0
        if held <= self._highest + max(WORTH, self._highest // WORTH_SHARE):
            return
        try:
            said, rows = message(now, "host"), self._looks_at_holders.rows(now)
        except Exception:
            self._highest = held  # of objects in the making, or of a process that ends
            return
        if rows is not None:
            self._highest = held
            self._rows += [said, _held(now, rows), _counters(now, allocators())]
            self._tell(now)

    def _ask(self, now):
        self._asked.append(now)
        if not monitored():
            self._question.ask()

    def _look_aside(self):
        """Here: the main thread has not come to it. What goes meanwhile should not be collected in this thread."""
        collects = gc.isenabled()
        gc.disable()
        try:
            with alone():
                self._look()
        finally:
            if collects:
                gc.enable()

    def _look(self, last=False):
        before, now = time.thread_time_ns(), time.monotonic_ns()
        self._looked_at = self._looked_for() or 0
        try:
            rows = self._growing.survey(now, last)
        except Exception as error:
            if is_programs(error):
                raise
            rows = []
        self._looks += 1
        self._cost = time.thread_time_ns() - before
        share = SECOND_SHARE if self._looks == 1 else self._share(now)
        self._look_at = now + max(LEAST_GAP_NS, self._cost * share)
        values = {"looks.taken": self._looks, "looks.cut": 0 if self._growing.whole else 1, "looks.cost_ns": self._cost}
        if self._looks == 1:
            values["agent.bytes"] = self._own_bytes + LOOK_BYTES
        self._rows.append({"type": "objects", "time": now, "rows": rows})
        self._rows.append(_counters(now, values))

    def _share(self, now):
        return EARLY_SHARE if now - self._born < EARLY_NS else LATE_SHARE

    def _at_exit(self):
        atexit.register(self._end)
        # A process that multiprocessing forked runs no exit handlers but these.
        util = sys.modules.get("multiprocessing.util")
        if util is not None:
            util.Finalize(None, self._end, exitpriority=0)

    def _end(self):
        if not self._lock.acquire(True, 0.2):
            return
        try:
            if self._over:
                return
            self._over = True
            self._asked.clear()
            now = time.monotonic_ns()
            steps = sys.modules.get(__package__ + ".steps")
            if steps is None or not steps.watching:
                self._look_at_passes(now, steps is not None and steps.backwards, last=True)
                if self._due(max(now, self._look_at)) and self._cost * SECOND_SHARE < now - self._born:
                    self._look(last=True)
                self._tell(now)
            self._line.close()
        except Exception:
            pass
        finally:
            self._lock.release()


def _taken(asked):
    """Whether it is this thread that takes the look: only one does."""
    try:
        asked.pop()
        return True
    except IndexError:
        return False


def _counters(now, values):
    return {"type": "counters", "time": now, "values": values}


def _held(now, rows):
    return {"type": "held", "time": now, "rows": rows}
