"""What this process holds of the host's memory, told to the recorder: when it asks, as the process is larger than ever, and between
steps of a training."""

import time

from ._agent import agent
from ._memory import Looks, allocators, take_look
from ._running import message



def _tell(now, rows):
    agent.send({"type": "held", "time": now, "rows": rows})


_looks = Looks(_tell)


def answer(_options):
    """Told as at any other time: counters, and rows of what is held."""
    now = time.monotonic_ns()
    agent.send({"type": "counters", "time": now, "values": allocators()})
    agent.send(message(now, "host"))
    rows = _looks.rows(now)
    if rows is not None:
        _tell(now, rows)
    return {}


def imported():
    """Counters, kept for later: what is in use when a framework has just been imported."""
    values = allocators()
    names = (("malloc.imported", "malloc.in_use"), ("python.imported", "python.in_use"))
    return {told: values[name] for told, name in names if name in values}


def between_steps(now):
    """Counters, at the end of a step of a training: what malloc has handed out then beside all that hangs on a name."""
    values = allocators()
    if "malloc.in_use" in values:
        rows = take_look()
        _tell(now, rows)
        values["malloc.besides"] = max(0, values["malloc.in_use"] - sum(row[4] - row[5] for row in rows))
    return values
