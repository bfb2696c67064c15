"""What following a model's layers adds to the time of a training, as measured while it runs."""

import time
from collections import deque
from statistics import median

# So many steps without hooks are enough to know how long one takes.
KNOWN = 51


class Overhead:
    def __init__(self, clock=time.perf_counter_ns):
        self._clock = clock
        self._quiet = deque(maxlen=KNOWN)  # ns of steps that were not followed
        self._followed = []  # ns of those that were, until it is known how long one takes
        self._began = clock()
        self._first = self._began
        self.added = 0
        self.steps = 0
        self.followed = 0
        self.tagged = None
        self.took = 0  # ns of the last step, without our own between two

    def step_ends(self):
        """Before the profiler's own work between two steps."""
        self._ended = self._clock()

    def step_begins(self, followed, more=0, less=0):
        """After it. ``followed``: the step that ended had hooks on every layer. Of its ns ``more`` are known
        otherwise to be ours, and ``less`` of another part of the agent."""
        now = self._clock()
        took = self.took = self._ended - self._began - less
        self._began = now
        self.steps += 1
        self.added += now - self._ended + more
        if not followed:
            self._quiet.append(took)
        else:
            self.followed += 1
            self._followed.append(took)
        if self._quiet and self._followed:
            usual = median(self._quiet)
            # One that was held up by something else is not believed.
            self.added += sum(min(max(0, one - usual), 4 * usual) for one in self._followed)
            self._followed.clear()

    def began_again(self):
        """Another model was found: what that took is ours, and the step before it tells nothing."""
        self._began = self._clock()
        self.added += self._began - self._ended

    def values(self):
        """Counters: nanoseconds that were added, of so many, in so many steps, of which so many were followed or had tags."""
        tagged = {} if self.tagged is None else {"layers.tagged": self.tagged}
        return {
            **tagged,
            "layers.added_ns": round(self.added),
            "layers.time_ns": self._clock() - self._first,
            "layers.steps": self.steps,
            "layers.followed": self.followed,
        }
