"""Looks at a framework's own counters now and then, where it tells nobody of its steps."""

import threading
import time

from .._agent import agent

# So often at most, and only as a half percent of the time pays for.
EVERY_SECONDS = 0.5
SHARE = 200


def poll(read):
    """``read``: None until the framework has been started by the program, then (counters, rows of tensors)."""
    threading.Thread(target=_run, args=(read,), name="highwater-poll", daemon=True).start()


def _run(read):
    while True:
        before, now = time.thread_time_ns(), time.monotonic_ns()
        try:
            found = read()
        except Exception:
            found = None  # another version of it, or one that is ending
        if found is not None:
            values, rows = found
            if not agent.send({"type": "counters", "time": now, "values": values}) and not agent.listens():
                return
            if rows:
                agent.send({"type": "tensors", "time": now, "rows": rows})
        cost = (time.thread_time_ns() - before) / 1e9
        time.sleep(max(EVERY_SECONDS, cost * SHARE))
