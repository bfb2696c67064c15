"""When an iteration is followed layer by layer: that costs, so that it is done for a small share of the time."""

import time
from collections import deque
from statistics import median

# Of the time of a training.
SHARE = 0.01
# The first finds the model, the second the optimizer's state and old gradients.
FIRST = 2
# What the hooks of one layer take at least: the clock alone may show nothing on a busy machine.
LEAST_PER_LAYER = 50e-6


class Budget:
    """``every``: follow each so many-th iteration, whatever it costs; None: as the share allows."""

    def __init__(self, every, layers, clock=time.perf_counter):
        self._every = every
        self._least = LEAST_PER_LAYER * layers
        self._clock = clock
        self._quiet = deque(maxlen=9)  # seconds of the last iterations that were not followed
        self._followed = 0
        self._since = 0  # iterations since the last one that was followed
        self._last = None  # seconds of that one
        self._last_end = self._began = clock()

    def ended(self, followed):
        """An iteration is over."""
        now = self._clock()
        took = now - self._began
        if followed:
            self._followed += 1
            self._since, self._last, self._last_end = 0, took, now
        else:
            self._since += 1
            self._quiet.append(took)

    def begins(self):
        self._began = self._clock()

    def allows(self, wanted):
        """Whether the coming iteration is to be followed; ``wanted``: its figures will be shown."""
        if self._followed < FIRST:
            return True
        if self._every is not None:
            return self._since + 1 >= self._every
        return wanted and bool(self._quiet) and (self._began - self._last_end) * SHARE >= self.cost()

    def cost(self):
        """Seconds that following an iteration adds; one that was held up by something else is not believed."""
        usual = median(self._quiet)
        return self._least + min(max(self._last - usual, 0), 4 * usual)
