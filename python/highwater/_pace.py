"""How often something may be told, so that neither a week of training nor a very fast loop is told in full."""


class Pace:
    """``many`` at full pace, then as many of every second, then of every fourth …; never closer than ``gap_ns``."""

    def __init__(self, many, gap_ns=0):
        self._many = many
        self._gap = gap_ns
        self._told = 0
        self._every = 1
        self._not_before = 0

    def due(self, number, now):
        return number % self._every == 0 and now >= self._not_before

    def told(self, now, cost=0):
        """``cost``: nanoseconds that must pass before the next one, beside the gap."""
        self._not_before = now + max(self._gap, cost)
        self._told += 1
        if self._told == self._many:
            self._told = 0
            self._every *= 2
