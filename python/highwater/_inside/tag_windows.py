"""Which steps have tags on their allocations: all where that costs little, else a few in a row and then a pause.

What tags add is known by steps with them and steps without, side by side; a step that was followed layer by layer tells nothing of it.
"""

from collections import deque
from statistics import median

# Of the time of a training.
SHARE = 0.02
# So many at the start with tags, then as many without; from then on these are the steps in a row that have them.
FIRST = 8
WINDOW = 2
# At most so many without: a change of the model or of its batches is not to be missed for long.
LONGEST_PAUSE = 256
# Where tags cost little all steps have them, and it is asked again after so many.
BELIEVED = 64


class TagWindows:
    def __init__(self):
        self._with, self._without = deque(maxlen=16), deque(maxlen=31)  # ns of the last steps
        self._left = FIRST  # steps until the next decision
        self._least = 0
        self.on = True

    def step_took(self, ns, followed, least):
        """A step is over. ``least``: ns that its tags took at the very least. Whether the next one has tags."""
        if self.on:
            self._least = least
        if not followed:
            (self._with if self.on else self._without).append(ns)
        self._left -= 1
        if self._left <= 0:
            self._decide()
        return self.on

    def cost(self):
        """ns that tags add to a step; None until it is known."""
        if not self._with or not self._without:
            return None
        return max(median(self._with) - median(self._without), self._least)

    def _decide(self):
        cost = self.cost()
        if cost is None:
            self.on = not self.on
            self._left = FIRST
            return
        share = cost / max(1, median(self._without))
        if share <= SHARE:
            self.on = True
            self._left = BELIEVED
        elif self.on:
            self.on = False
            self._left = min(LONGEST_PAUSE, max(1, round(WINDOW * (share / SHARE - 1))))
        else:
            self.on = True
            self._left = WINDOW
