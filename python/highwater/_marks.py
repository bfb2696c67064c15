"""Marks: named moments of a program."""

import time
from contextlib import contextmanager

from ._agent import agent


def _send(kind, name="", epoch=None, iteration=None, value=None):
    agent.send(
        {
            "type": "mark",
            "time": time.monotonic_ns(),
            "kind": kind,
            "name": str(name),
            "epoch": _number(epoch),
            "iteration": _number(iteration),
            "value": _number(value),
        }
    )


def _number(value):
    """A plain number, or None. A tensor would be held, and asking it for its value could wait for a GPU."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    # NaN and infinity are no JSON.
    return value if value == value and abs(value) != float("inf") else None


def mark(name):
    """A moment worth remembering."""
    _send("note", name)


def epoch(number):
    """An epoch begins."""
    _send("epoch", epoch=number)


def iteration(number, epoch=None, value=None):
    """An iteration is done. ``value`` is a plain number that goes with it, such as the loss."""
    _send("iteration", epoch=epoch, iteration=number, value=value)


@contextmanager
def phase(name):
    """A stretch of time: ``with phase("forward"): …``. It begins with a mark of its name and ends with one of ``/name``."""
    _send("phase", name)
    try:
        yield
    finally:
        _send("phase", "/" + str(name))
