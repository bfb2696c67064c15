"""Layer rows for the recorder (docs/agent-protocol.md): all at first, then what changed."""

import os
import time

from .._agent import agent

# A message has a limit; a model of more rows sends several.
ROWS = 2000


class LayerMessages:
    def __init__(self):
        self._sent = {}
        self._pid = None

    def send(self, snapshot):
        if self._pid != os.getpid():
            # A forked child has a connection of its own, on which nothing was said yet.
            self._pid, self._sent = os.getpid(), {}
        rows = _rows(snapshot)
        changed = [[*key, size] for key, size in rows.items() if self._sent.get(key, -1) != size]
        changed += [[*key, None] for key in self._sent if key not in rows]
        now = time.monotonic_ns()
        taken = True
        for start in range(0, max(len(changed), 1), ROWS):
            taken = agent.send(
                {
                    "type": "layers",
                    "time": now,
                    "epoch": snapshot.epoch,
                    "iteration": snapshot.iteration,
                    "rows": changed[start : start + ROWS],
                }
            ) and taken
        # What a full queue lost is said again.
        self._sent = rows if taken else {}


def _rows(snapshot):
    """(name, kind) → bytes."""
    rows = {(name, kind): size for kind, each in snapshot.rows.items() for name, size in each.items()}
    rows["", "intermediate_gradient"] = snapshot.intermediate_gradients
    rows["", "input"] = snapshot.inputs
    rows["", "output"] = snapshot.outputs
    if snapshot.allocated is not None:
        rows["", "other"] = max(0, snapshot.allocated - sum(snapshot.live.values()))
        rows["", "cached"] = snapshot.cached - snapshot.allocated
        rows[snapshot.device, "device"] = snapshot.allocated
    else:
        rows[snapshot.device, "device"] = sum(snapshot.live.values())
    peak = snapshot.peak
    rows[peak.layer or peak.phase, "peak"] = peak.bytes
    for kind, size in peak.parts.items():
        rows[kind, "at_peak"] = size
    rows["cached", "at_peak"] = peak.cached
    rows["other", "at_peak"] = max(0, peak.bytes - sum(peak.parts.values()))
    return {key: size for key, size in rows.items() if size is not None}
